package lex

import (
	"bytes"
	"unicode/utf8"
)

// Closed returns the beginning of a JSON text, cut off anywhere, as a text that ends: a
// string that is cut off is closed behind an ellipsis, a number or a word that is cut off
// is left out, and the brackets that are open are closed. A text that ends is returned as
// it is.
func Closed(text []byte) []byte {
	var open []byte // open are the brackets that close those that are open.
	i := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			end := closing(text, i)
			if end < 0 {
				return append(closedString(text, i), reversed(open)...)
			}
			i = end
		case '{':
			open = append(open, '}')
		case '[':
			open = append(open, ']')
		case '}', ']':
			if open = open[:max(0, len(open)-1)]; len(open) == 0 {
				return text
			}
		}
		i++
	}
	for len(open) > 0 && i > 0 && wordEnd(text, i-1) >= i {
		i--
	}
	return append(text[:i:i], reversed(open)...)
}

// closedString is a text that ends within the string that begins at from, with an end of
// that string. What follows an escape that is none is left out.
func closedString(text []byte, from int) []byte {
	end := len(text)
	for at := from + 1; ; {
		i := bytes.IndexByte(text[at:], '\\')
		if i < 0 {
			break
		}
		at += i
		_, n := Escape(text[at:])
		if n == 0 {
			end = at
			break
		}
		at += n
	}
	for k := 1; k < utf8.UTFMax && k < end-from; k++ { // The last character may be cut off.
		if utf8.RuneStart(text[end-k]) {
			if !utf8.FullRune(text[end-k : end]) {
				end -= k
			}
			break
		}
	}
	return append(text[:end:end], `…"`...)
}

func reversed(open []byte) []byte {
	out := make([]byte, len(open))
	for i, c := range open {
		out[len(open)-1-i] = c
	}
	return out
}
