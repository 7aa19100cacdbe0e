package cells_test

import (
	"slices"
	"strings"
	"testing"

	"wiretea/session/cells"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"", 10, ""},
		{"one two", 10, "one two"},
		{"one two three", 8, "one two|three"},
		{"https://modelcontextprotocol.io", 10, "https://mo|delcontext|protocol.i|o"},
		{"a\nb c", 10, "a|b c"},
		{"日本語 日本", 4, "日本|語|日本"},
	} {
		if got := strings.Join(cells.Wrap(c.text, c.w), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

func TestHardwrap(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"", 3, ""},
		{"abcdef", 3, "abc|def"},
		{"ab  ef", 3, "ab | ef"},
		{"a日b", 2, "a|日|b"},
	} {
		if got := strings.Join(cells.Hardwrap(c.text, c.w), "|"); got != c.want {
			t.Errorf("Hardwrap(%q, %d) = %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

// TestPieces holds what the pieces are, and that a piece of a long line costs no more than
// one of a short line.
func TestPieces(t *testing.T) {
	for _, c := range []struct {
		text        string
		first, rest int
		want        string
	}{
		{"abcdefgh", 2, 3, "ab|cde|fgh"},
		{"abcdefgh", 0, 3, "abc|def|gh"},
		{"日本語", 1, 4, "日本|語"},
		{"a日b", 2, 3, "a|日b"},
		{"ae\u0301b", 2, 2, "ae\u0301|b"},
	} {
		if got := strings.Join(slices.Collect(cells.Pieces(c.text, c.first, c.rest)), "|"); got != c.want {
			t.Errorf("Pieces(%q, %d, %d) = %q, want %q", c.text, c.first, c.rest, got, c.want)
		}
	}
	for range cells.Pieces(strings.Repeat("日本", 64<<20), 80, 80) {
		return // All pieces would take seconds.
	}
}

// No text, and no width, makes lines that are too long or an end that does not
// come.
func FuzzWrap(f *testing.F) {
	f.Add("one two", 3)
	f.Add("日本語", 1)
	f.Add("e\u0301\u0301 👩\u200d👩", 2)
	f.Fuzz(func(t *testing.T, text string, w int) {
		w %= 100
		for _, lines := range [][]string{cells.Wrap(text, w), cells.Hardwrap(text, w)} {
			if len(lines) > 2*len(text)+1 {
				t.Fatalf("%d lines of %q", len(lines), text)
			}
		}
	})
}
