package format

import "strings"

// Nearest returns a hint that names what was probably meant, or otherwise.
func Nearest(word string, known []string, otherwise string) string {
	best, least := "", min(4, len(word)/2+1)
	for _, k := range known {
		if d := Distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return otherwise
	}
	return "did you mean " + best + "?"
}

// Distance is the number of letters to change, insert or delete from a to b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
