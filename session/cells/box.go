package cells

import "strings"

// Box puts lines of w-2 cells into a border of w cells with a title left and
// right, either of which may be empty. The left one is cut where there is no room,
// the right one left out. border and title paint, but not the right title, which
// is styled already. Below 4 cells there is no border to draw.
func Box(inside []string, w int, left, right string, border, title func(string) string) []string {
	return BoxAt(inside, w, left, right, border, title, Scroll{})
}

// A Scroll is which lines are seen of all there are. The zero Scroll has nothing to show.
type Scroll struct{ Top, Seen, All int }

// thumb returns the lines of a border of h lines, from and to which is not one of them,
// that show which part is seen; none where all is.
func (s Scroll) thumb(h int) (from, to int) {
	if s.Seen <= 0 || s.All <= s.Seen || h < 2 {
		return 0, 0
	}
	n := max(1, h*s.Seen/s.All)
	from = min(s.Top, s.All-s.Seen) * (h - n) / (s.All - s.Seen)
	return from, from + n
}

// BoxAt is Box with a thumb on the right border, in the style of the title, that shows which
// lines are seen.
func BoxAt(inside []string, w int, left, right string, border, title func(string) string, at Scroll) []string {
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
	side, bar := border("│"), title("┃")
	from, to := at.thumb(len(inside))
	for i, line := range inside {
		if i >= from && i < to {
			lines = append(lines, side+line+bar)
			continue
		}
		lines = append(lines, side+line+side)
	}
	return append(lines, border("╰"+strings.Repeat("─", max(0, w-2))+"╯"))
}
