package jsonview

import (
	"unicode/utf8"

	"wiretea/session/cells"
	"wiretea/session/json/lex"
	"wiretea/session/text"
)

// ink is what a piece of a line is drawn with.
type ink uint8

const (
	inkText ink = iota
	inkKey
	inkString
	inkNumber
	inkLiteral
	inkPunct
	inkFold
	inkDim
	inkError
	inkStrong
	inkGood
	numInks
)

// A token is a piece of a line: bytes of the body, or words of ours that stand
// at a place of it.
type token struct {
	from, to int
	words    string // words are shown in place of the bytes.
	ink      ink
	str      bool // str: the bytes are a JSON string, escapes mean something.
	brief    bool // brief: white space is drawn as one blank.
}

// A cell is one character on the screen, or as much of one as stays together.
type cell struct {
	text  uint32 // text is where its bytes begin in cells.text; they end where the next one's do.
	raw   int    // raw is the place in the body that it shows, -1 = none.
	width uint8
	ink   ink
	hit   uint8 // hit is 1 for what was searched for, 2 for the current hit.
}

// cellRow is a row under construction.
type cellRow struct {
	text  []byte
	list  []cell
	width int
}

func (c *cellRow) reset() { c.text, c.list, c.width = c.text[:0], c.list[:0], 0 }

// cut takes cells away until the row is at most w wide.
func (c *cellRow) cut(w int) {
	for c.width > w {
		last := c.list[len(c.list)-1]
		c.list = c.list[:len(c.list)-1]
		c.text = c.text[:last.text]
		c.width -= int(last.width)
	}
}

// words adds text of our own, one cell a character.
func (c *cellRow) words(text string, raw int, k ink) {
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		width := cells.Width(text[i : i+size])
		c.list = append(c.list, cell{text: uint32(len(c.text)), raw: raw, width: uint8(width), ink: k})
		c.text = append(c.text, text[i:i+size]...)
		c.width += width
		i += size
	}
}

// maxCluster is how many bytes are looked at to find what stays together.
const maxCluster = 64

// A unit is what one step through the bytes of a token gives.
type unit struct {
	text  string
	width int
	size  int  // size is how many bytes it takes.
	plain bool // plain: it is the byte itself.
	ends  bool // ends: the row ends here.
}

// next returns the unit at the beginning of b, which is not empty. In a string
// that is wrapped, escapes are drawn as what they mean.
func (t *token) next(b []byte, wrap bool) unit {
	c := b[0]
	switch {
	case t.str && c == '\\' && len(b) > 1:
		if u, ok := escape(b, wrap); ok {
			return u
		}
		return unit{size: 1, width: 1, plain: true}
	case t.brief && c <= ' ':
		if n := lex.SkipSpace(b[:min(len(b), 4096)], 0); n > 0 {
			return unit{text: " ", width: 1, size: n}
		}
	}
	if c >= ' ' && c < 0x7f && (len(b) == 1 || b[1] < utf8.RuneSelf) {
		return unit{size: 1, width: 1, plain: true}
	}
	text, width, size := text.Glyph(b)
	return unit{text: text, width: width, size: size}
}

// escape returns the unit of an escape that b begins with. It reports false for
// one that is drawn as it is written.
func escape(b []byte, wrap bool) (unit, bool) {
	switch b[1] {
	case 'n':
		return unit{text: "␊", width: 1, size: 2, ends: wrap}, true
	case '"', '\\', '/':
		if wrap {
			return unit{text: string(b[1:2]), width: 1, size: 2}, true
		}
	case 't':
		if wrap {
			return unit{text: "  ", width: 2, size: 2}, true
		}
	}
	if n := escapeLen(b); n > 1 {
		text := text.Visible(b[:n], 0)
		return unit{text: text, width: cells.Width(text), size: n}, true
	}
	return unit{}, false
}

// escapeLen is how many bytes the escape takes that b begins with.
func escapeLen(b []byte) int {
	if len(b) < 2 || b[1] >= utf8.RuneSelf || b[1] < ' ' {
		return 1
	}
	if b[1] == 'u' {
		return 2 + hexDigits(b[2:min(6, len(b))])
	}
	return 2
}
