package text

import (
	"slices"
	"strings"
)

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

// longest is the length of a name beyond which none is near to it.
const longest = 64

// Near returns the word of known that is nearest to one, empty if all are too far.
func Near(word string, known []string) (best string) {
	least := min(4, len(word)/2+1)
	for _, k := range known {
		if len(word) > longest || len(k)-len(word) >= least || len(word)-len(k) >= least {
			continue
		}
		if d := Distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	return best
}

// Same reports whether two names have the same letters: is_error and isError.
func Same(a, b string) bool { return strings.EqualFold(letters(a), letters(b)) }

func letters(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", "")
}

// Meant reports whether a name was likely meant by another that stands where it is
// missing: the same letters, a slip of a letter in six, or the name that another
// protocol has for it.
func Meant(name, by string) bool {
	return Same(name, by) || len(name) >= 6 && len(by) <= 2*len(name) && Distance(name, by) <= len(name)/6 ||
		name == "inputSchema" && slices.Contains([]string{"parameters", "schema", "input"}, by) || name == "name" && by == "function" ||
		by == "items" && slices.Contains([]string{"tools", "prompts", "resources"}, name)
}

// Nearest returns a hint that names what was probably meant, or otherwise.
func Nearest(word string, known []string, otherwise string) string {
	if best := Near(word, known); best != "" {
		return "did you mean " + best + "?"
	}
	return otherwise
}
