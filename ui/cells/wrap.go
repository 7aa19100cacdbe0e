package cells

import "strings"

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
	if line == "" || w <= 0 || Width(line) <= w {
		return []string{line}
	}
	return strings.Split(method().Hardwrap(line, w, true), "\n")
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
