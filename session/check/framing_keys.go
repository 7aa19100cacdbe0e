package check

import "wiretea/session/jsonrpc"

// repeatedKey returns the first key that one object of a text has twice,
// decoded, as far as the text goes: it may be the beginning of a longer one.
func repeatedKey(text []byte) (string, bool) {
	var (
		open []map[string]bool // open are the keys of each open object; nil for a list.
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
			end := stringEnd(text, i)
			if key {
				keys := open[len(open)-1]
				name := decoded(text[i:end])
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

// stringEnd returns where the string that begins at start ends, its closing
// quote included.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// decoded returns what a string says, and its raw text where that cannot be
// told.
func decoded(raw []byte) string {
	v := jsonrpc.Value{Span: jsonrpc.Span{Type: jsonrpc.String, Len: int64(len(raw))}, Raw: raw}
	if s, ok := v.Unquoted(); ok {
		return s
	}
	return string(raw)
}
