package shape

import (
	"bytes"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

// Base64Fault returns the offset in a JSON string at which it is not base64, -1
// if it is, or reports that only padding is missing. Escaped slashes and line
// breaks are accepted.
func Base64Fault(raw []byte) (at int, padding bool) {
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(lex.Unquote(raw))
	}
	digits, pads := 0, 0
	kinds := base64Kinds.Get()
	for i, c := range text {
		switch kind := kinds[c]; {
		case kind == base64Space:
		case kind == base64Pad && digits%4 >= 2:
			pads++
		case kind != base64Digit || pads > 0:
			return min(i, len(raw)-2), false
		default:
			digits++
		}
	}
	switch rest := digits % 4; {
	case rest == 1, pads > 0 && rest+pads != 4:
		return max(0, min(len(text), len(raw)-2)-1), false
	case rest != 0 && pads == 0:
		return -1, true
	}
	return -1, false
}

const (
	base64None = iota
	base64Digit
	base64Pad
	base64Space
)

var base64Kinds = lazy.Value[*[256]byte]{New: func() *[256]byte {
	var kinds [256]byte
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		kinds[c] = base64Digit
	}
	for _, c := range []byte(" \t\r\n") {
		kinds[c] = base64Space
	}
	kinds['='] = base64Pad
	return &kinds
}}
