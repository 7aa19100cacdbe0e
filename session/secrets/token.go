package secrets

import (
	"bytes"
	"iter"

	"wiretea/session/json/lex"
)

// A Token is the inside of a string of a JSON text, or a number.
type Token struct {
	From, To int
	Key      bool // Key: it is the name of a member.
	Text     bool // Text: it is a string.
}

// Tokens yields the strings and numbers of a JSON text, which may be broken: no string
// goes over a line's end, so that a lone quote costs its line.
func Tokens(p []byte) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := 0; i < len(p); i++ {
			t := Token{From: i + 1}
			switch c := p[i]; {
			case c == '"':
				t.To = min(stringEnd(p, i+1), len(p))
				next := lex.SkipSpace(p, min(t.To+1, len(p)))
				t.Key, t.Text = next < len(p) && p[next] == ':', true
				i = t.To
			case c == '-' || digit(c):
				t.From, t.To = i, run(p, i, numeric)
				i = t.To - 1
			default:
				continue
			}
			if !yield(t) {
				return
			}
		}
	}
}

// stringEnd is where the string whose inside begins at from ends: at its quote, at
// the end of its line, or of the text.
func stringEnd(text []byte, from int) int {
	for i := from; i < len(text); {
		next := bytes.IndexAny(text[i:], "\"\\\n")
		if next < 0 {
			break
		}
		if i += next; text[i] != '\\' {
			return i
		}
		i += 2
	}
	return len(text)
}

// numeric reports whether a byte can be in a number.
func numeric(c byte) bool {
	return digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}
