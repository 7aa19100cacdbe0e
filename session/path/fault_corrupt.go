package path

import (
	"bytes"
	"encoding/json"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

// corrupt changes one value of the content, and keeps its type and its length: of a result
// what tools, prompts and resources say, of a request its arguments.
func corrupt(m *Message, _ value, s *state) (session.Ruling, bool) {
	var found spots
	for _, member := range []string{"result", "params"} {
		if content := lex.Get(m.Body, member); content != nil {
			found.look(content, "", false)
		}
	}
	if len(found) == 0 {
		return session.Ruling{}, false
	}
	at := found[s.random.IntN(len(found))]
	text := bytes.Clone(m.Body)
	from := cap(m.Body) - cap(at)
	changed := text[from : from+len(at)]
	switch at[0] {
	case 't', 'f':
		flipped := "false"
		if at[0] == 'f' {
			flipped = "true"
		}
		text = append(append(append([]byte(nil), text[:from]...), flipped...), text[from+len(at):]...)
	default:
		if !change(changed, s) {
			return session.Ruling{}, false
		}
	}
	return session.Ruling{Text: text}, true
}

// spots are the values that may be changed.
type spots [][]byte

// maxSpots is how many are looked for.
const maxSpots = 10_000

// shown are members whose strings a person or a model reads: any other text may do.
var shown = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"text": true, "title": true, "description": true, "message": true, "instructions": true}
}}

// look finds them. free: the values are data, which a tool or its caller has chosen.
func (f *spots) look(v []byte, name string, free bool) {
	if len(v) == 0 || len(*f) >= maxSpots {
		return
	}
	switch c := v[0]; {
	case c == '{':
		for key, value := range lex.Members(v) {
			name := lex.Unquote(key)
			f.look(value, name, free || name == "structuredContent" || name == "arguments")
		}
	case c == '[':
		for _, item := range lex.Items(v) {
			f.look(item, name, free)
		}
	case c == '"':
		if (shown.Get()[name] || free) && changeable(v) >= 0 {
			*f = append(*f, v)
		}
	case free && (c == 't' || c == 'f' || changeable(v) >= 0):
		*f = append(*f, v)
	}
}

// changeable returns the place of a letter or a digit that may be another one, from the end,
// or -1: none within an escape, in an exponent, or where a zero may not be.
func changeable(v []byte) int {
	for i := len(v) - 1; i >= 0; i-- {
		c := v[i]
		switch {
		case c >= '0' && c <= '9' && !escaped(v, i):
			return i
		case v[0] == '"' && (c|0x20 >= 'a' && c|0x20 <= 'z') && !escaped(v, i) && !json.Valid([]byte(lex.Unquote(v))):
			return i // The letters of JSON in a text may be words of it.
		}
	}
	return -1
}

// escaped reports whether a byte belongs to an escape, or may.
func escaped(v []byte, i int) bool {
	return bytes.IndexByte(v[max(0, i-5):i], '\\') >= 0
}

// change changes one letter or digit of a value.
func change(v []byte, s *state) bool {
	i := changeable(v)
	if i < 0 {
		return false
	}
	first, n := byte('1'), 9
	switch c := v[i]; {
	case c >= 'a' && c <= 'z':
		first, n = 'a', 26
	case c >= 'A' && c <= 'Z':
		first, n = 'A', 26
	}
	for {
		if c := first + byte(s.random.IntN(n)); c != v[i] {
			v[i] = c
			return true
		}
	}
}
