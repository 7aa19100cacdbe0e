package list

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A Chooser is searched by typing: each word that was typed has to be in a line.
// The zero Chooser has found nothing yet.
type Chooser struct {
	Search string // Search is what was typed.
	Found  []int  // Found are the lines that match, of all.
	At     int    // At is the one of Found that is chosen.

	top int
}

// Look finds the lines that match, of n whose text is known.
func (l *Chooser) Look(n int, text func(int) string) {
	words := strings.Fields(strings.ToLower(l.Search))
	l.Found = l.Found[:0]
	for i := range n {
		line := strings.ToLower(text(i))
		match := true
		for _, w := range words {
			match = match && strings.Contains(line, w)
		}
		if match {
			l.Found = append(l.Found, i)
		}
	}
	l.hold()
}

// Rank finds the lines that match, of n, the least rank first; of equal ones the first
// comes first.
func (l *Chooser) Rank(n int, rank func(int) (rank int, match bool)) {
	l.Found = l.Found[:0]
	ranks := make(map[int]int, n)
	for i := range n {
		if r, match := rank(i); match {
			l.Found, ranks[i] = append(l.Found, i), r
		}
	}
	slices.SortStableFunc(l.Found, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	l.hold()
}

// Move goes some lines down, or up.
func (l *Chooser) Move(lines int) {
	l.At += lines
	l.hold()
}

func (l *Chooser) hold() { l.At = max(0, min(l.At, len(l.Found)-1)) }

// Chosen is the line that is chosen, of all; -1 for none.
func (l *Chooser) Chosen() int {
	if l.At < 0 || l.At >= len(l.Found) {
		return -1
	}
	return l.Found[l.At]
}

// Key moves, or searches. It reports whether the search has changed, after which
// Look must be called.
func (l *Chooser) Key(msg tea.KeyPressMsg) (searched bool) {
	switch msg.String() {
	case "up", "ctrl+p", "shift+tab":
		l.Move(-1)
	case "down", "ctrl+n", "tab":
		l.Move(1)
	case "pgup":
		l.Move(-10)
	case "pgdown":
		l.Move(10)
	case "home":
		l.Move(-len(l.Found))
	case "end":
		l.Move(len(l.Found))
	case "backspace":
		if r := []rune(l.Search); len(r) > 0 {
			l.Search = string(r[:len(r)-1])
		}
		return true
	case "ctrl+u":
		l.Search = ""
		return true
	default:
		if msg.Text == "" {
			return false
		}
		l.Write(msg.Text)
		return true
	}
	return false
}

// Write adds to the search.
func (l *Chooser) Write(text string) { l.Search, l.At = l.Search+text, 0 }

// Window returns which of Found are seen where there is room for h: from, and to
// which is not one of them. The chosen one is among them.
func (l *Chooser) Window(h int) (from, to int) { return l.WindowOf(len(l.Found), l.At, l.At+1, h) }

// WindowOf is Window where what was found takes n lines and the chosen one those
// from the line begin to the line end.
func (l *Chooser) WindowOf(n, begin, end, h int) (from, to int) {
	l.top = min(max(l.top, end-h), begin)
	l.top = max(0, min(l.top, n-h))
	return l.top, min(n, l.top+h)
}
