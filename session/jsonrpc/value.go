package jsonrpc

import (
	"bytes"
	"math"
	"wiretea/session/json/lex"
)

// Unquoted returns the decoded text of a String. An unpaired surrogate becomes
// U+FFFD; bytes that are not UTF-8 stay as they are. It reports false for
// another type and for a string that was cut at MaxCapture.
func (v *Value) Unquoted() (string, bool) {
	if v.Type != String || !v.Whole() {
		return "", false
	}
	text := v.Raw[1 : len(v.Raw)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text), true
	}
	var buf [MaxCapture]byte
	text, _ = lex.AppendUnescaped(buf[:0], text)
	return string(text), true
}

// Is reports whether v is a whole String whose decoded text is text. It does
// not allocate.
func (v *Value) Is(text string) bool {
	if v.Type != String || !v.Whole() {
		return false
	}
	own := v.Raw[1 : len(v.Raw)-1]
	if bytes.IndexByte(own, '\\') < 0 {
		return string(own) == text
	}
	var buf [MaxCapture]byte
	own, _ = lex.AppendUnescaped(buf[:0], own)
	return string(own) == text
}

// Int returns the value of a Number written as an integer: a minus sign
// perhaps, and digits. It reports false for 1.0 and 1e3, for what does not fit,
// and for another type.
func (v *Value) Int() (int64, bool) {
	if v.Type != Number || !v.Whole() {
		return 0, false
	}
	digits, negative := bytes.CutPrefix(v.Raw, []byte{'-'})
	var n int64 // negative or zero, as there is one more of these
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if n < (math.MinInt64+d)/10 {
			return 0, false
		}
		n = n*10 - d
	}
	if !negative {
		if n == math.MinInt64 {
			return 0, false
		}
		n = -n
	}
	return n, true
}
