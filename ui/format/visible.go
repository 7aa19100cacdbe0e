package format

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns what a peer sent as one line that is safe to print: control
// characters, escapes, bidirectional overrides and bytes that are not UTF-8 are
// shown as what they are and never reach the terminal. It is cut at max
// characters (0 = not), with an ellipsis in the last place.
func Visible(text []byte, max int) string {
	var b strings.Builder
	for n := 0; len(text) > 0; n++ {
		r, size := utf8.DecodeRune(text)
		if max > 0 && n == max-1 && size < len(text) {
			b.WriteRune('…')
			break
		}
		writeVisible(&b, r, text[:size])
		text = text[size:]
	}
	return b.String()
}

// OneLine returns a text that may quote what a peer sent as one line that is safe to
// print, with single spaces.
func OneLine(text string) string {
	return Visible([]byte(strings.Join(strings.Fields(text), " ")), 0)
}

func writeVisible(b *strings.Builder, r rune, raw []byte) {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		b.WriteString(`\x`)
		b.WriteByte(hex[raw[0]>>4])
		b.WriteByte(hex[raw[0]&15])
	case r == '\n':
		b.WriteString("␊")
	case r == '\t':
		b.WriteString("  ")
	case r < 0x20:
		b.WriteRune('␀' + r)
	case r == 0x7f:
		b.WriteString("␡")
	case r == ' ' || unicode.IsPrint(r):
		b.WriteRune(r)
	case r <= 0xffff:
		b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(hex[r>>shift&15])
		}
	default:
		b.WriteString(`\U`)
		for shift := 28; shift >= 0; shift -= 4 {
			b.WriteByte(hex[r>>shift&15])
		}
	}
}
