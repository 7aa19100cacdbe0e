package cells

import "testing"

func TestBox(t *testing.T) {
	plain := func(text string) string { return text }
	for _, c := range []struct {
		w           int
		left, right string
		top         string
	}{
		{20, "traffic", "3 new", "╭─ traffic  3 new ─╮"},
		{22, "traffic", "3 new", "╭─ traffic ── 3 new ─╮"},
		{12, "traffic", "3 new", "╭─ traffi…─╮"},
		{8, "", "", "╭──────╮"},
		{8, "", "ab", "╭─ ab ─╮"},
		{4, "traffic", "", "╭──╮"},
	} {
		lines := Box([]string{Spaces(c.w - 2)}, c.w, c.left, c.right, plain, plain)
		if len(lines) != 3 || lines[0] != c.top {
			t.Errorf("%d lines, the first %q, want %q", len(lines), lines[0], c.top)
		}
		for _, line := range lines {
			if Width(line) != c.w {
				t.Errorf("%d cells, want %d: %q", Width(line), c.w, line)
			}
		}
	}
}

// The thumb is at the border's ends where the lines' ends are seen, and nowhere else.
func TestScroll(t *testing.T) {
	for _, tt := range []struct{ top, seen, all, h, from, to int }{
		{0, 10, 10, 10, 0, 0}, {0, 10, 20, 10, 0, 5}, {10, 10, 20, 10, 5, 10}, {5, 10, 20, 10, 2, 7},
		{0, 10, 1_000_000, 10, 0, 1}, {999_990, 10, 1_000_000, 10, 9, 10}, {30, 10, 20, 10, 5, 10}, {0, 0, 0, 10, 0, 0},
	} {
		if from, to := (Scroll{Top: tt.top, Seen: tt.seen, All: tt.all}).thumb(tt.h); from != tt.from || to != tt.to {
			t.Errorf("%v: %d to %d", tt, from, to)
		}
	}
}
