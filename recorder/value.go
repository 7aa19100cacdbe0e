package recorder

import (
	"bytes"

	"wiretea/session/json/lex"
)

// asInt reads an integer written as one.
func asInt(v []byte) (int64, bool) {
	neg := len(v) > 0 && v[0] == '-'
	if neg {
		v = v[1:]
	}
	if len(v) == 0 || len(v) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// asBytes decodes a string. Without escapes the result aliases v, else it is
// appended to scratch[:0].
func asBytes(v, scratch []byte) ([]byte, bool) {
	if len(v) < 2 || v[0] != '"' {
		return nil, false
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') < 0 {
		return v, true
	}
	return lex.AppendUnescaped(scratch[:0], v)
}
