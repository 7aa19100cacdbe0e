package screen

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"wiretea/session/cells"
	"wiretea/session/check"
	"wiretea/ui/style"
)

// TestExplained holds that the explanation of a rule begins with what is wrong and the fix,
// that its text is broken once, at the width of the box, and that addresses are not broken
// inside a word.
func TestExplained(t *testing.T) {
	r := check.Lookup("stdout-not-json")
	for _, w := range []int{1, 20, 58, 88, 120} {
		lines := strings.Split(ansi.Strip(strings.Join(explained(style.New("", true, false), r, w), "\n")), "\n")
		text := strings.Join(lines, "\n")
		for _, line := range lines {
			if cells.Width(line) > w {
				t.Errorf("%d cells: %q", w, line)
			}
		}
		if w < 58 {
			continue
		}
		reasons := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  severity") }) - 2
		if !strings.HasPrefix(lines[2], "  fix        log to stderr; to guard") {
			t.Errorf("%d cells: the fix is not first:\n%s", w, text)
		}
		for i, line := range lines {
			line = strings.TrimRight(line, " ")
			next := ""
			if i+1 < len(lines) {
				next, _, _ = strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			}
			switch {
			case strings.Contains(line, "https://") && next != "" && !strings.HasPrefix(next, "https:") && !strings.ContainsAny(line[len(line)-1:], "/#"):
				t.Errorf("%d cells: an address is broken inside a word:\n%s", w, text)
			case i > 5 && i < reasons && line != "" && next != "" && cells.Width(line+" "+next) <= w:
				t.Errorf("%d cells: broken twice: %q", w, line)
			}
		}
	}
	coloured := strings.Join(explained(style.New("", true, false), r, 88), "\n")
	if !strings.Contains(coloured, style.New("", true, false).Error.Paint("✖ error")) {
		t.Errorf("the severity has no colour:\n%s", coloured)
	}
}
