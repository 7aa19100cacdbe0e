package wire

import (
	"wiretea/session/check/rule"

	"wiretea/session/json/lex"
)

// repeatedKey returns the first duplicate key in an object of a text, decoded.
// The text may be the beginning of a longer one.
func repeatedKey(text []byte) (string, bool) {
	var (
		open []map[string]bool // open are the keys of each open object; nil for an array.
		key  = false           // key: the next string is a key.
	)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open, key = append(open, map[string]bool{}), true
		case '[':
			open, key = append(open, nil), false
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			key = false
		case ',':
			key = len(open) > 0 && open[len(open)-1] != nil
		case '"':
			end := lex.StringEnd(text, i)
			if key {
				keys := open[len(open)-1]
				name := rule.UnquotedOrRaw(text[i:end])
				if keys[name] {
					return name, true
				}
				keys[name], key = true, false
			}
			i = end - 1
		}
	}
	return "", false
}
