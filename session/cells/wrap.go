package cells

import (
	"iter"
	"slices"
	"strings"
)

// Wrap breaks a text into lines of at most w cells, between words where it can.
// A word that is longer than a line, such as an address, is broken where it must
// be. Line feeds of the text stay. An empty text has no lines.
func Wrap(text string, w int) []string {
	if text == "" || w <= 0 {
		return nil
	}
	if Width(text) <= w && !strings.Contains(text, "\n") {
		return []string{text}
	}
	return strings.Split(method().Wrap(text, w, ""), "\n")
}

// Hardwrap breaks a line into pieces of w cells, wherever that is. A piece is a
// cell shorter where a wide character would be across its end.
func Hardwrap(line string, w int) []string {
	if line == "" || w <= 0 {
		return []string{line}
	}
	return slices.Collect(Pieces(line, w, w))
}

// Pieces is Hardwrap with a first piece of at most first cells and others of at most rest.
// Where no character fits into first cells, the first piece has rest cells too. It reads no
// more of the line than the caller takes.
func Pieces(line string, first, rest int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := first; line != ""; w = rest {
			if w < 1 {
				w = rest
			}
			n := min(max(1, w), len(line))
			// What follows may be combined with the last character.
			if !isPlain(line[:n]) || n < len(line) && line[n] >= 0x80 {
				n = 0
				for k, at := newWalk(line), 0; len(k.line) > 0; n = len(line) - len(k.line) {
					_, c := k.next()
					if n == 0 && c > w {
						w = rest
					}
					if at += c; at > w && n > 0 {
						break
					}
				}
			}
			if !yield(line[:n]) {
				return
			}
			line = line[n:]
		}
	}
}

// Clip is Wrap into at most n lines: where the text has more, the last one ends in an
// ellipsis.
func Clip(text string, w, n int) []string {
	lines := Wrap(text, w)
	if len(lines) > n {
		lines = lines[:max(0, n)]
		if n > 0 {
			lines[n-1] = strings.TrimRight(Fit(lines[n-1]+" …", w), " ")
		}
	}
	return lines
}

// Beside draws words in a column of lead cells, two of them in, and beside it a
// text over as many lines as it takes. Each line is w cells wide, the last of which is blank.
func Beside(words string, paintWords func(string) string, text string, paintText func(string) string, lead, w int) []string {
	var lines []string
	column := Fit("  "+words, min(w, lead))
	for _, part := range Wrap(text, max(8, w-lead-1)) {
		lines = append(lines, Fit(paintWords(column)+paintText(Fit(part, max(0, w-lead))), w))
		column = Spaces(min(w, lead))
	}
	return lines
}
