package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// leastContrast is the contrast that every character has with what is behind it, as WCAG 2
// counts it: 1 is none, 21 black on white; WCAG wants 4.5 of text, and 3 of bars. What is dim on a selected
// line of a dark screen may have less, and so may borders.
func leastContrast(light bool) float64 {
	if light {
		return 4.5
	}
	return 3
}

// TestContrast holds that what is on the screen can be read on a light background, and on a
// dark one.
func TestContrast(t *testing.T) {
	list := slices.DeleteFunc(states(), func(st state) bool {
		begins := func(name string) bool { return strings.HasPrefix(st.name, name) }
		return st.size != [2]int{120, 40} || !slices.ContainsFunc([]string{"held-", "statistics-", "timeline-", "recording-", "http-", "help-", "composer-", "asks-form"}, begins)
	})
	large := [2]int{120, 40}
	list = append(list,
		state{name: "thumb", size: [2]int{80, 24}, open: recording, keys: []string{"enter"}, shows: "yy copy"},
		state{name: "settings", size: large, open: recording, typed: ":settings\r", shows: "saved filters"},
		state{name: "themes", size: large, open: recording, typed: ":theme\r", shows: "enter keeps a theme"},
		state{name: "columns", size: large, open: recording, typed: ":columns\r", shows: "method and target"},
		state{name: "tools-120x40", size: large, open: recording, keys: []string{"T"}, shows: "echo"},
		state{name: "timeline-zoomed", size: large, open: recording, keys: []string{"g", "t", "+", "j"}, shows: "→ "},
		state{name: "statistics-time", size: large, open: recording, keys: []string{"s", "}"}, shows: "over time"})
	for _, light := range []bool{true, false} {
		terminal := termtest.SessionOptions{Terminal: termtest.Options{Light: light}}
		for _, st := range list {
			t.Run(fmt.Sprintf("%s/light=%t", st.name, light), func(t *testing.T) {
				t.Parallel()
				readable(t, st.reach(t, terminal, screen.Options{}), light)
			})
		}
		t.Run(fmt.Sprintf("merged/light=%t", light), func(t *testing.T) {
			t.Parallel()
			s := termtest.Run(t, screen.New(screen.Options{Merged: true, Sources: agent(t), Dark: !light}), large[0], large[1], terminal)
			s.WaitText("3 sessions on one clock")
			s.WaitText("forecast")
			readable(t, s, light)
			s.Keys("t")
			s.WaitText("9 requests")
			readable(t, s, light)
			s.Keys("t", "s")
			s.WaitText("latency of")
			readable(t, s, light)
		})
	}
}

// readable holds that each character on the screen has some contrast with what is behind it.
func readable(t *testing.T, s *termtest.Session, light bool) {
	t.Helper()
	front, back := [3]uint8{0xff, 0xff, 0xff}, [3]uint8{0x10, 0x10, 0x10}
	if light {
		front, back = [3]uint8{}, [3]uint8{0xff, 0xff, 0xff}
	}
	of := func(c termtest.Color, plain [3]uint8) [3]uint8 {
		if r, g, b, ok := c.RGB(); ok {
			return [3]uint8{r, g, b}
		}
		return plain
	}
	s.Terminal(func(term *termtest.Terminal) {
		w, h := term.Size()
		for y := range h {
			for x := range w {
				text, look := term.Cell(x, y)
				if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "╭╮╰╯│─├┤┬┴┼") {
					continue
				}
				least := leastContrast(light)
				if strings.ContainsAny(text, "╌┄▀▁▂▃▄▅▆▇█░▒▓▏▎▍▌▋▊▉▰▱") {
					least = 3
				}
				fg, bg := of(look.Fg, front), of(look.Bg, back)
				if look.Attrs&termtest.Reverse != 0 {
					fg, bg = bg, fg
				}
				if got := termtest.Contrast(fg, bg); got < least {
					t.Fatalf("%q at %d,%d is %v, with a contrast of %.2f:\n%s", text, x, y, look, got, term)
				}
			}
		}
	})
}
