package report

import (
	"fmt"
	"strings"

	"wiretea/session/json/diff"
	"wiretea/session/text"
)

// Most of what is printed: of a build's output, of a difference, in lines, and of a
// line in characters.
const (
	MostPrinted = 200
	LongPrinted = 2000
)

// WriteDifference writes what differs, each difference below its path.
func WriteDifference(b *strings.Builder, what string, lines []diff.Line) {
	changes := 0
	for _, l := range lines {
		changes = max(changes, l.Change)
	}
	if changes == 0 {
		fmt.Fprintf(b, "— %s: the same result\n", what)
		return
	}
	fmt.Fprintf(b, "— %s: %s\n", what, text.Plural(int64(changes), "difference"))
	shown, change, depth := 0, 0, 0
	for _, l := range lines {
		if l.Change == 0 {
			continue
		}
		if shown++; shown > MostPrinted {
			b.WriteString("  … and more\n")
			return
		}
		if l.Change != change {
			change, depth = l.Change, l.Depth
			fmt.Fprintf(b, "  %s\n", text.Visible([]byte(l.Path), LongPrinted))
		}
		sign := "−"
		if l.Sign == '+' {
			sign = "+"
		}
		key := ""
		if l.Key != nil && l.Depth > depth {
			key = text.Visible(l.Key, 200) + ": "
		}
		fmt.Fprintf(b, "  %s %s%s%s\n", sign, strings.Repeat("  ", max(0, l.Depth-depth)), key, text.Visible(l.Text, LongPrinted))
	}
}
