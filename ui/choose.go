package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/draw"
)

// A chooser is a list from which one line is chosen, searched by typing: each
// word that was typed has to stand in a line.
type chooser struct {
	search string
	found  []int // found are the lines that match, of all.
	at     int   // at is the one of found that is chosen.
	top    int
}

// look finds the lines that match, of n whose text is known.
func (c *chooser) look(n int, text func(int) string) {
	words := strings.Fields(strings.ToLower(c.search))
	c.found = c.found[:0]
	for i := range n {
		line := strings.ToLower(text(i))
		match := true
		for _, w := range words {
			match = match && strings.Contains(line, w)
		}
		if match {
			c.found = append(c.found, i)
		}
	}
	c.at = clamp(c.at, 0, len(c.found)-1)
}

// chosen is the line that is chosen, of all; -1 for none.
func (c *chooser) chosen() int {
	if c.at >= len(c.found) {
		return -1
	}
	return c.found[c.at]
}

// key moves, or searches. It reports whether the search has changed, and whether
// the key was one of its own.
func (c *chooser) key(msg tea.KeyPressMsg) (searched, mine bool) {
	switch msg.String() {
	case "up", "ctrl+p", "shift+tab":
		c.at--
	case "down", "ctrl+n", "tab":
		c.at++
	case "pgup":
		c.at -= 10
	case "pgdown":
		c.at += 10
	case "home":
		c.at = 0
	case "end":
		c.at = len(c.found)
	case "backspace":
		if r := []rune(c.search); len(r) > 0 {
			c.search = string(r[:len(r)-1])
		}
		return true, true
	case "ctrl+u":
		c.search = ""
		return true, true
	default:
		if msg.Text == "" {
			return false, false
		}
		c.write(msg.Text)
		return true, true
	}
	c.at = clamp(c.at, 0, len(c.found)-1)
	return false, true
}

// write adds to the search.
func (c *chooser) write(text string) {
	c.search, c.at = c.search+text, 0
}

// view draws the lines around the chosen one, h at most.
func (c *chooser) view(s *Screen, w, h int, line func(i, w int) string) []string {
	c.top = clamp(c.top, c.at-h+1, c.at)
	c.top = clamp(c.top, 0, max(0, len(c.found)-h))
	var lines []string
	for at := c.top; at < min(len(c.found), c.top+h); at++ {
		text := draw.Fit(line(c.found[at], w-1), w-1)
		if at == c.at {
			lines = append(lines, s.theme.Selected.Paint("▸"+text))
			continue
		}
		lines = append(lines, " "+text)
	}
	return lines
}

// head is the line in which the search stands.
func (c *chooser) head(s *Screen, w int, hint string) string {
	th := s.theme
	if c.search == "" {
		return draw.Fit(th.Dim.Paint(" "+hint), w)
	}
	return draw.Fit(" "+th.Accent.Paint("/")+th.Strong.Paint(c.search)+th.Accent.Paint("▏"), w)
}

// A searched overlay is one in which what is pasted is searched for.
type searched interface{ typed(text string) }
