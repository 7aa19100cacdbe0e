package recorder

import (
	"encoding/base64"
	"slices"
	"strconv"
	"wiretea/session/json/lex"
)

// Pieces of JSON, appended by hand. Each function takes the buffer and returns
// it longer; none allocates but to grow it.

// appendBase64 appends p as a JSON string in standard base64.
func appendBase64(dst, p []byte) []byte {
	dst = append(dst, '"')
	dst = slices.Grow(dst, base64.StdEncoding.EncodedLen(len(p))+64)
	dst = base64.StdEncoding.AppendEncode(dst, p)
	return append(dst, '"')
}

// appendName appends the name of a field behind others: `,"name":`.
func appendName(dst []byte, name string) []byte {
	dst = append(append(dst, ',', '"'), name...)
	return append(dst, '"', ':')
}

// appendInt appends a field with a number: `,"name":1`.
func appendInt(dst []byte, name string, v int64) []byte {
	return strconv.AppendInt(appendName(dst, name), v, 10)
}

// appendField appends a field with a text, and nothing for an empty one.
func appendField(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	return lex.AppendQuote(appendName(dst, name), v)
}

// appendList appends a field with a list, and nothing for an empty one.
func appendList[T any](dst []byte, name string, list []T, item func([]byte, T) []byte) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(appendName(dst, name), '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, v)
	}
	return append(dst, ']')
}

func appendStrings(dst []byte, name string, list []string) []byte {
	return appendList(dst, name, list, lex.AppendQuote)
}

func appendInts[T int | int64](dst []byte, name string, list []T) []byte {
	return appendList(dst, name, list, func(dst []byte, v T) []byte { return strconv.AppendInt(dst, int64(v), 10) })
}
