package lex

import (
	"bytes"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Quote returns a text as a JSON string, as AppendQuote does.
func Quote(text string) string { return string(AppendQuote(nil, text)) }

// AppendQuote appends a text as a JSON string, with the escapes that it must have, and
// those of U+2028 and U+2029, which some readers take for the end of a line. Bytes that
// are not UTF-8 become U+FFFD.
func AppendQuote(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	return AppendQuoteValid(dst, text)
}

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

// AppendQuoteValid is AppendQuote for a text that is known to be UTF-8. It allocates
// only to make room.
func AppendQuoteValid[T []byte | string](dst []byte, s T) []byte {
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

// Unquote returns what a JSON string says; empty for what is not one. Bytes that are
// not UTF-8, and halves of surrogate pairs, become U+FFFD.
func Unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') >= 0 {
		var ok bool
		if inside, ok = AppendUnescaped(nil, inside); !ok {
			return ""
		}
	}
	if !utf8.Valid(inside) {
		return string([]rune(string(inside)))
	}
	return string(inside)
}

// IsText reports whether the text of a JSON string says word, which needs no
// escapes.
func IsText(raw []byte, word string) bool {
	if len(raw) == len(word)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == word {
		return true
	}
	return len(raw) > len(word)+2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') >= 0 && Unquote(raw) == word
}

// AppendUnescaped appends what the inside of a string says. It reports false where
// an escape is none or is cut off, with what precedes it. Half a surrogate
// pair becomes U+FFFD.
func AppendUnescaped(dst, v []byte) ([]byte, bool) {
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			return append(dst, v...), true
		}
		dst = append(dst, v[:i]...)
		r, n := Escape(v[i:])
		if n == 0 {
			return dst, false
		}
		dst = utf8.AppendRune(dst, r)
		v = v[i+n:]
	}
}

// Escape reads the escape that a text begins with: \n, \u00e9, or two of them that are
// a surrogate pair. It returns what the escape says and its length in bytes, 0 where
// the text begins with none. Half a surrogate pair says U+FFFD.
func Escape(v []byte) (rune, int) {
	if len(v) < 2 || v[0] != '\\' {
		return 0, 0
	}
	switch c := v[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		if r, n := runeEscape(v[2:]); n > 0 {
			return r, n + 2
		}
	}
	return 0, 0
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
