package list

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

var teas = []string{"green tea", "black tea", "black coffee", "mint", "green mint tea"}

// press gives the list keys: names of those that have one, else what they type.
func press(l *Chooser, keys ...string) {
	codes := map[string]tea.KeyPressMsg{
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "tab": {Code: tea.KeyTab}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace},
		"ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "f1": {Code: tea.KeyF1},
	}
	for _, k := range keys {
		msg, ok := codes[k]
		if !ok {
			msg = tea.KeyPressMsg{Text: k}
		}
		if l.Key(msg) {
			l.Look(len(teas), func(i int) string { return teas[i] })
		}
	}
}

func TestList(t *testing.T) {
	for _, tt := range []struct {
		keys   string
		search string
		found  []int
		chosen int
	}{
		{"", "", []int{0, 1, 2, 3, 4}, 0},
		{"up", "", []int{0, 1, 2, 3, 4}, 0},
		{"down down tab", "", []int{0, 1, 2, 3, 4}, 3},
		{"end up f1", "", []int{0, 1, 2, 3, 4}, 3},
		{"pgdown pgdown", "", []int{0, 1, 2, 3, 4}, 4},
		{"end home", "", []int{0, 1, 2, 3, 4}, 0},
		{"down TEA", "TEA", []int{0, 1, 4}, 0},
		{"mint down", "mint", []int{3, 4}, 4},
		{"down down down down b backspace", "", []int{0, 1, 2, 3, 4}, 0},
		{"soup", "soup", nil, -1},
		{"soup ctrl+u", "", []int{0, 1, 2, 3, 4}, 0},
		{"ä backspace backspace", "", []int{0, 1, 2, 3, 4}, 0},
	} {
		l := &Chooser{}
		l.Look(len(teas), func(i int) string { return teas[i] })
		press(l, strings.Fields(tt.keys)...)
		if l.Search != tt.search || !slices.Equal(l.Found, tt.found) || l.Chosen() != tt.chosen {
			t.Errorf("%q: search %q found %v chosen %d", tt.keys, l.Search, l.Found, l.Chosen())
		}
	}
	l := &Chooser{}
	press(l, "tea", " ", "green")
	if !slices.Equal(l.Found, []int{0, 4}) {
		t.Errorf("two words find %v", l.Found)
	}
}

func TestWindow(t *testing.T) {
	l := &Chooser{}
	l.Look(20, func(i int) string { return fmt.Sprint(i) })
	for _, tt := range []struct{ at, h, from, to int }{{0, 5, 0, 5}, {7, 5, 3, 8}, {5, 5, 3, 8}, {2, 5, 2, 7}, {19, 5, 15, 20}, {19, 30, 0, 20}, {3, 0, 3, 3}} {
		l.At = tt.at
		if from, to := l.Window(tt.h); from != tt.from || to != tt.to {
			t.Errorf("%+v: %d to %d", tt, from, to)
		}
	}
}
