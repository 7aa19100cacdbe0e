package format

import "wiretea/session/near"

// Nearest returns a hint that names what was probably meant, or otherwise.
func Nearest(word string, known []string, otherwise string) string {
	if best := near.Word(word, known); best != "" {
		return "did you mean " + best + "?"
	}
	return otherwise
}
