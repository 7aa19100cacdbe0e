package cells

// Beside draws words in a column of lead cells, two of them in, and beside it a
// text over as many lines as it takes. Each line is w cells wide.
func Beside(words string, paintWords func(string) string, text string, paintText func(string) string, lead, w int) []string {
	var lines []string
	column := Fit("  "+words, min(w, lead))
	for _, part := range Wrap(text, max(8, w-lead)) {
		lines = append(lines, Fit(paintWords(column)+paintText(Fit(part, max(0, w-lead))), w))
		column = Spaces(min(w, lead))
	}
	return lines
}
