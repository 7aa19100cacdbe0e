package cells

import (
	"strings"
)

// Fit cuts or pads a line, which may be styled, to exactly w cells. A cut line
// ends in an ellipsis.
func Fit(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(line)
	switch {
	case n == w:
		return line
	case n < w:
		return line + Spaces(w-n)
	}
	cut := truncate(line, w)
	if n = Width(cut); n < w { // a wide character did not fit any more
		cut += Spaces(w - n)
	}
	return cut
}

// FitLeft is Fit with the padding before the text.
func FitLeft(line string, w int) string {
	if n := Width(line); n < w {
		return Spaces(w-n) + line
	}
	return Fit(line, w)
}

// Width is how many cells a line takes, SGR sequences not counted.
func Width(line string) int {
	if isPlain(line) {
		return len(line)
	}
	return cells(line)
}

const blank = "                                                                                                    "

// Spaces returns n spaces.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blank):
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

// Lines returns exactly h lines of w cells: the given ones fitted, then blank
// ones.
func Lines(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = Spaces(w)
		}
	}
	return out
}

// Fill appends blank lines of w cells until there are h lines.
func Fill(lines []string, w, h int) []string {
	for len(lines) < h {
		lines = append(lines, Spaces(w))
	}
	return lines
}

// Cut returns the cells from x to y of a styled line, with the styles that are
// on at x; exactly y-x cells. Of a wide character that is cut in two blanks
// remain.
func Cut(line string, x, y int) string {
	if y <= x {
		return ""
	}
	var b strings.Builder
	at := 0
	for k := newWalk(line); len(k.line) > 0 && at < y; {
		seq, w := k.next()
		switch {
		case w == 0 && (at >= x || seq[0] == '\x1b'):
			b.WriteString(seq)
		case at >= x && at+w <= y:
			b.WriteString(seq)
		default:
			b.WriteString(Spaces(min(at+w, y) - max(at, x)))
		}
		at += w
	}
	return b.String() + "\x1b[m" + Spaces(y-max(at, x))
}
