package format

import (
	"errors"
	"fmt"
	"strings"
)

// SplitWords splits a command line as a shell does: at spaces, but for those behind a
// backslash and within quotes. Nothing is expanded.
func SplitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inside, escaped := rune(0), false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("the line ends with a backslash")
	case inside:
		words = append(words, word.String())
	}
	return words, nil
}
