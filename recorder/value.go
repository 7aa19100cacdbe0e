package recorder

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Reading JSON by hand: tolerant of order, spacing and unknown members, without
// recursion, and total. A value is its raw text.

// skipSpace returns the offset of the first byte at or after i that is not white
// space.
func skipSpace(p []byte, i int) int {
	for i < len(p) && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the offset behind the string that begins at p[i], or -1.
func skipString(p []byte, i int) int {
	if i >= len(p) || p[i] != '"' {
		return -1
	}
	from := i + 1
	for at := from; ; {
		q := bytes.IndexByte(p[at:], '"')
		if q < 0 {
			return -1
		}
		q += at
		back := q
		for back > from && p[back-1] == '\\' {
			back--
		}
		if (q-back)%2 == 0 {
			return q + 1
		}
		at = q + 1
	}
}

// skipValue returns the offset behind the value that begins at p[i], or -1. It
// finds where the value ends and does not say that the inside is well-formed.
func skipValue(p []byte, i int) int {
	depth := 0
	for i < len(p) {
		switch c := p[i]; c {
		case '"':
			if i = skipString(p, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth--; depth < 0 {
				return -1
			}
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			if i = skipScalar(p, i); i < 0 {
				return -1
			}
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// skipScalar returns the offset behind the number or the word at p[i], or -1.
func skipScalar(p []byte, i int) int {
	from := i
	for i < len(p) {
		c := p[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E' {
			i++
			continue
		}
		break
	}
	if i == from {
		return -1
	}
	return i
}

// member reads the member of an object that begins at p[i], where the key's
// quote stands. It returns the key without quotes, the value, and the offset
// behind; -1 where there is none.
func member(p []byte, i int) (key, value []byte, next int) {
	colon := skipString(p, i)
	if colon < 0 {
		return nil, nil, -1
	}
	key = p[i+1 : colon-1]
	if colon = skipSpace(p, colon); colon >= len(p) || p[colon] != ':' {
		return nil, nil, -1
	}
	from := skipSpace(p, colon+1)
	end := skipValue(p, from)
	if end < 0 {
		return nil, nil, -1
	}
	return key, p[from:end], end
}

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
	return unescape(scratch[:0], v)
}

// unescape appends the decoded inside of a string to dst. It reports false where
// an escape is none or is cut off, with what stands before it. Half a surrogate
// pair becomes U+FFFD.
func unescape(dst, v []byte) ([]byte, bool) {
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			return append(dst, v...), true
		}
		dst = append(dst, v[:i]...)
		if i+1 >= len(v) {
			return dst, false
		}
		c := v[i+1]
		v = v[i+2:]
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, n := runeEscape(v)
			if n == 0 {
				return dst, false
			}
			dst = utf8.AppendRune(dst, r)
			v = v[n:]
		default:
			return dst, false
		}
	}
}

// runeEscape reads the digits behind \u, and the second half of a surrogate pair
// with them. It returns how many bytes that took, 0 for none.
func runeEscape(v []byte) (rune, int) {
	first, ok := hex4(v)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, 4
	}
	if len(v) >= 10 && v[4] == '\\' && v[5] == 'u' {
		if second, ok := hex4(v[6:]); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, 10
			}
		}
	}
	return utf8.RuneError, 4
}

func hex4(v []byte) (rune, bool) {
	if len(v) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(v[:4]), 16, 32)
	return rune(n), err == nil && v[0] != '+' && v[0] != '_'
}
