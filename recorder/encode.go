package recorder

import (
	"encoding/base64"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Pieces of JSON, appended by hand. Each function takes the buffer and returns
// it longer; none allocates but to grow it.

const hexDigits = "0123456789abcdef"

const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	blanks = ' ' * ones
	slants = '\\' * ones
	e2s    = 0xE2 * ones // 0xE2 begins U+2028 and U+2029.
)

// plain returns the index of the first byte of s from i on that may not stand for
// itself inside a JSON string, or len(s). It looks at eight bytes at a time.
func plain[T []byte | string](s T, i int) int {
	for ; len(s)-i >= 8; i += 8 {
		p := s[i : i+8]
		w := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
			uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
		// Turning over one bit makes the quote the neighbour of the control
		// characters. A borrow can only come out of a byte that is marked itself, so
		// the lowest mark is right.
		q, b, e := w^2*ones, w^slants, w^e2s
		if m := ((q-blanks-ones)&^q | (b-ones)&^b | (e-ones)&^e) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] != 0xE2 {
		i++
	}
	return i
}

// appendString appends s, which must be valid UTF-8, as a JSON string. Line
// separators are escaped, so that every reader takes the record for one line.
func appendString[T []byte | string](dst []byte, s T) []byte {
	dst = slices.Grow(dst, len(s)+len(s)/16+2)
	dst = append(dst, '"')
	for from, i := 0, 0; ; {
		if i = plain(s, i); i == len(s) {
			dst = append(dst, s[from:]...)
			return append(dst, '"')
		}
		c := s[i]
		if c == 0xE2 && (i+2 >= len(s) || s[i+1] != 0x80 || s[i+2]|1 != 0xA9) {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		if c == 0xE2 {
			dst = append(dst, `\u202`...)
			dst = append(dst, '8'+s[i+2]&1)
			i += 3
		} else {
			dst = appendEscape(dst, c)
			i++
		}
		from = i
	}
}

// appendEscape appends the escape of a quote, a backslash or a control character.
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
