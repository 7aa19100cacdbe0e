package cells

import "strings"

// Box puts lines of w-2 cells into a border of w cells with a title left and
// right, either of which may be empty. The left one is cut where there is no room,
// the right one left out. border and title paint, but not the right title, which
// is styled already. Below 4 cells there is no border to draw.
func Box(inside []string, w int, left, right string, border, title func(string) string) []string {
	room := w - 4
	if left != "" {
		left = " " + left + " "
	}
	if right != "" {
		right = " " + right + " "
	}
	if Width(left)+Width(right) > room {
		right = ""
	}
	if Width(left) > room {
		left = Fit(left, max(0, room))
	}
	fill := max(0, room-Width(left)-Width(right))
	lines := make([]string, 0, len(inside)+2)
	lines = append(lines, border("╭─")+title(left)+border(strings.Repeat("─", fill))+right+border("─╮"))
	side := border("│")
	for _, line := range inside {
		lines = append(lines, side+line+side)
	}
	return append(lines, border("╰"+strings.Repeat("─", max(0, w-2))+"╯"))
}
