package recorder

import (
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf8"
	"wiretea/session/json/lex"
)

// Pieces of JSON, appended by hand. Each function takes the buffer and returns
// it longer; none allocates but to grow it.

// appendText appends what may be anything: a string, its bad bytes replaced.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return lex.AppendQuote(dst, s)
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
