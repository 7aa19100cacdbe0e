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
