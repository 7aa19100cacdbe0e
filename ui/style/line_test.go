package style

import (
	"testing"

	"wiretea/session/cells"
)

func TestLine(t *testing.T) {
	for _, step := range []struct {
		name string
		w    int
		draw func(l *Line)
		want string
	}{
		{"pads", 5, func(l *Line) { l.Put("", "ab") }, "ab   "},
		{"cuts", 5, func(l *Line) { l.Put("", "abc"); l.Put("", "def") }, "abcd…"},
		{"columns", 12, func(l *Line) { l.Left("", "ab", 4); l.Right("", "cd", 4); l.Right("", "efghi", 4) }, "ab    cdefg…"},
		{"a column that does not fit", 5, func(l *Line) { l.Left("", "ab", 4); l.Left("", "cd", 4) }, "ab  …"},
		{"nothing", 0, func(l *Line) { l.Put("", "ab"); l.Left("", "cd", 4); l.Space(2) }, ""},
		{"wide", 4, func(l *Line) { l.Put("", "a"); l.Put("", "世界") }, "a世…"},
	} {
		l := NewLine(step.w, "")
		step.draw(l)
		if got := l.String(); got != step.want || cells.Width(got) != step.w {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
	l := NewLine(3, "7")
	l.Put("1", "a")
	if got, want := l.String(), "\x1b[1;7ma\x1b[m\x1b[7m  \x1b[m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
