package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wiretea/session/cells"
)

// mostMarks is how many combining characters a character may have; those of any language
// have fewer.
const mostMarks = 8

// A look tells, character by character, which of a text may be shown as they are. The
// zero look is that of a text's beginning.
type look struct {
	marks int // marks are the combining characters that may still follow.
}

// plain reports whether the next character, r, may be shown as it is. A combining one may
// not where there is none to combine it with, or too many are: the terminal would draw it
// over what is not of this text.
func (l *look) plain(r rune) bool {
	if r >= 0x300 && (unicode.In(r, unicode.Mn, unicode.Me) || r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7fb) { // The latter are Hangul's vowels and ends.
		l.marks--
		return l.marks >= 0 && !shapeless(r)
	}
	l.marks = mostMarks
	return r >= ' ' && r < 0x7f || unicode.IsPrint(r) && !shapeless(r)
}

// shapeless reports whether a character that counts as printable has no shape: fillers,
// and the variation selectors that fonts do not draw, which may hide a text in another.
func shapeless(r rune) bool {
	return r >= 0x34f && unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || r >= 0xe0100 && r <= 0xe01ef
}

// Line is Visible of a text of any length.
func Line(text string) string { return Visible([]byte(text), 0) }

// Visible returns what a peer sent as one line that is safe to print: control
// characters, escapes, bidirectional overrides, what has no shape and bytes that are not
// UTF-8 are shown as what they are and never reach the terminal. It is cut at max
// characters (0 = not), with an ellipsis in the last place.
func Visible(text []byte, max int) string {
	var b strings.Builder
	var l look
	for n := 0; len(text) > 0; n++ {
		r, size := utf8.DecodeRune(text)
		if max > 0 && n == max-1 && size < len(text) {
			b.WriteRune('…')
			break
		}
		l.write(&b, r, text[:size])
		text = text[size:]
	}
	return b.String()
}

// Lines makes a text of several lines visible that comes in pieces: as Visible does, but
// line feeds and tabs stay. A piece must not end within a character.
type Lines struct{ l look }

// Append writes the next piece.
func (v *Lines) Append(b *strings.Builder, text []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\n' || r == '\t' {
			v.l = look{}
			b.WriteByte(text[0])
		} else {
			v.l.write(b, r, text[:size])
		}
		text = text[size:]
	}
}

// OneLine returns a text that may quote what a peer sent as one line that is safe to
// print, with single spaces.
func OneLine(text string) string {
	return Visible([]byte(strings.Join(strings.Fields(text), " ")), 0)
}

// maxGlyph is how many bytes are looked at for one character.
const maxGlyph = 64

// Glyph returns the character that b begins with, together with those that combine with
// it, as Visible shows it: the text, how many cells it takes, and of how many bytes it is.
// b must not be empty.
func Glyph(b []byte) (text string, width, size int) {
	cluster, width := cells.Cluster(b[:min(len(b), maxGlyph)])
	var l look
	for size < len(cluster) {
		r, n := utf8.DecodeRune(cluster[size:])
		if r == utf8.RuneError && n == 1 || !l.plain(r) {
			break
		}
		size += n
	}
	switch {
	case size == 0:
		_, size = utf8.DecodeRune(b)
		text = Visible(b[:size], 0)
		return text, cells.Width(text), size
	case size < len(cluster) || width == 0:
		width = cells.Width(string(cluster[:size]))
	}
	return string(cluster[:size]), width, size
}

// write writes the next character, r, which raw is.
func (l *look) write(b *strings.Builder, r rune, raw []byte) {
	plain := l.plain(r)
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		b.WriteString(`\x`)
		b.WriteByte(hex[raw[0]>>4])
		b.WriteByte(hex[raw[0]&15])
	case plain:
		b.WriteRune(r)
	case r == '\n':
		b.WriteString("␊")
	case r == '\t':
		b.WriteString("  ")
	case r < 0x20:
		b.WriteRune('␀' + r)
	case r == 0x7f:
		b.WriteString("␡")
	default:
		writeEscape(b, r)
	}
}

const hex = "0123456789abcdef"

func writeEscape(b *strings.Builder, r rune) {
	sign, shift := `\u`, 12
	if r > 0xffff {
		sign, shift = `\U`, 28
	}
	b.WriteString(sign)
	for ; shift >= 0; shift -= 4 {
		b.WriteByte(hex[r>>shift&15])
	}
}
