package secrets

import (
	"bytes"
	"encoding/json"
	"wiretea/session/json/lex"
)

// maxNested is how many times a JSON text may stand in a string of a JSON text.
const maxNested = 4

// nested finds the secrets of JSON texts that stand in strings:
// {"text":"{\"password\":\"a b\"}"}.
func (f *Finder) nested(spans []Span, text []byte, level int) []Span {
	if level > maxNested || !bytes.Contains(text, []byte(`\"`)) {
		return spans
	}
	for i := 0; i < len(text); {
		open := bytes.IndexByte(text[i:], '"')
		if open < 0 {
			break
		}
		from := i + open + 1
		to := stringEnd(text, from)
		i = to + 1
		inner := text[from:min(to, len(text))]
		if at := lex.SkipSpace(inner, 0); at >= len(inner) || inner[at] != '{' && inner[at] != '[' || !bytes.Contains(inner, []byte(`\"`)) {
			continue
		}
		plain, places := decode(inner)
		if !json.Valid(plain) {
			continue
		}
		found := f.members(nil, plain)
		found = f.nested(found, plain, level+1)
		for _, s := range found {
			spans = append(spans, Span{from + places[s.From], from + places[s.To], s.Kind})
		}
	}
	return spans
}

// decode takes the escapes of a string's inside that matter away, and says of each
// byte where it came from; the last place is the end. Escapes of letters stay.
func decode(inner []byte) (plain []byte, places []int) {
	plain, places = make([]byte, 0, len(inner)), make([]int, 0, len(inner)+1)
	for i := 0; i < len(inner); i++ {
		c, at := inner[i], i
		if c == '\\' && i+1 < len(inner) {
			switch e := inner[i+1]; e {
			case '"', '\\', '/':
				c = e
				i++
			case 'n', 'r', 't':
				c = ' '
				i++
			}
		}
		plain, places = append(plain, c), append(places, at)
	}
	return plain, append(places, len(inner))
}
