package rule

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// excerptColumns is how wide an excerpt may be on a screen, quotes not counted.
const excerptColumns = 76

// Excerpt quotes the beginning of some bytes for a message: one line, with
// control characters, escape sequences and bidirectional marks escaped, bytes
// that are not UTF-8 as \x.., and cut with … at excerptColumns columns.
func Excerpt(b []byte) string {
	out := append(make([]byte, 0, excerptColumns+8), '"')
	columns := 0
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		start := len(out)
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\x`...)
			out = append(out, "0123456789abcdef"[b[0]>>4], "0123456789abcdef"[b[0]&15])
		case r == '"':
			// Most quoted text is JSON, which escaped quotes would make harder
			// to read.
			out = append(out, '"')
		case strconv.IsPrint(r):
			out = utf8.AppendRune(out, r)
		default:
			quoted := strconv.AppendQuoteRune(nil, r)
			out = append(out, quoted[1:len(quoted)-1]...)
		}
		if columns += columnsOf(r, len(out)-start); columns > excerptColumns {
			return string(append(out[:start], `…"`...))
		}
		b = b[size:]
	}
	return string(append(out, '"'))
}

// columnsOf estimates the width of a rune that was written in n bytes: two
// columns for East Asian text and pictographs, none for combining marks.
func columnsOf(r rune, n int) int {
	switch {
	case r < utf8.RuneSelf || !strconv.IsPrint(r):
		return n
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000:
		return 2
	}
	return 1
}
