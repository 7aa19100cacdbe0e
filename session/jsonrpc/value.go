package jsonrpc

import (
	"bytes"
	"math"
	"unicode/utf16"
	"unicode/utf8"
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
	return string(appendUnescaped(buf[:0], text)), true
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
	return string(appendUnescaped(buf[:0], own)) == text
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

// appendUnescaped appends what text, the inside of a valid JSON string, stands
// for. It never gets longer.
func appendUnescaped(dst, text []byte) []byte {
	for len(text) > 0 {
		if text[0] != '\\' {
			dst = append(dst, text[0])
			text = text[1:]
			continue
		}
		if text[1] != 'u' {
			dst = append(dst, simple[text[1]])
			text = text[2:]
			continue
		}
		r := unitAt(text)
		text = text[6:]
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if bytes.HasPrefix(text, []byte(`\u`)) {
				pair = utf16.DecodeRune(r, unitAt(text))
			}
			if r = pair; r != utf8.RuneError {
				text = text[6:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// unitAt returns the code unit of the \u escape that text begins with.
func unitAt(text []byte) (u rune) {
	for _, c := range text[2:6] {
		d, _ := hexDigit(c)
		u = u<<4 | d
	}
	return u
}
