package recorder

import (
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Pieces of JSON, appended by hand. Each function takes the buffer and returns
// it longer; none allocates but to grow it.

const hexDigits = "0123456789abcdef"

// plain marks the bytes that stand for themselves inside a JSON string. 0xE2 is
// looked at more closely: it begins U+2028 and U+2029.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '"' && c != '\\' && c != 0xE2
	}
	return t
}()

// appendString appends s, which must be valid UTF-8, as a JSON string. Line
// separators are escaped, so that every reader takes the record for one line.
func appendString[T []byte | string](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c == 0xE2 {
			if i+2 < len(s) && s[i+1] == 0x80 && s[i+2]|1 == 0xA9 {
				dst = append(dst, s[from:i]...)
				dst = append(dst, `\u202`...)
				dst = append(dst, '8'+s[i+2]&1)
				i += 3
				from = i
			} else {
				i++
			}
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendText appends what may be anything: a string, its bad bytes replaced.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return appendString(dst, s)
}

// appendBase64 appends p as a JSON string in standard base64.
func appendBase64(dst, p []byte) []byte {
	dst = append(dst, '"')
	dst = slices.Grow(dst, base64.StdEncoding.EncodedLen(len(p))+64)
	dst = base64.StdEncoding.AppendEncode(dst, p)
	return append(dst, '"')
}

// appendInt appends a field with a number: `,"name":1`.
func appendInt(dst []byte, name string, v int64) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return strconv.AppendInt(dst, v, 10)
}

// appendField appends a field with a text, and nothing for an empty one.
func appendField(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return appendText(dst, v)
}

// appendStrings appends a field with a list of texts, and nothing for an empty
// one.
func appendStrings(dst []byte, name string, list []string) []byte {
	for i, v := range list {
		if i == 0 {
			dst = append(dst, ',', '"')
			dst = append(dst, name...)
			dst = append(dst, '"', ':', '[')
		} else {
			dst = append(dst, ',')
		}
		dst = appendText(dst, v)
	}
	if len(list) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendInts appends a field with a list of numbers, and nothing for an empty
// one.
func appendInts[T int | int64](dst []byte, name string, list []T) []byte {
	for i, v := range list {
		if i == 0 {
			dst = append(dst, ',', '"')
			dst = append(dst, name...)
			dst = append(dst, '"', ':', '[')
		} else {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	if len(list) > 0 {
		dst = append(dst, ']')
	}
	return dst
}
