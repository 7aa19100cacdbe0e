package termtest

import (
	"fmt"
	"strconv"
	"strings"
)

// A Color is the terminal's default (the zero Color), one of its 256, or 24 bits
// of red, green and blue.
type Color uint32

const (
	palette Color = 1 << 24
	direct  Color = 2 << 24
)

// Palette returns one of the 256 colours.
func Palette(i uint8) Color { return palette | Color(i) }

// RGB returns a direct colour.
func RGB(r, g, b uint8) Color { return direct | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Index returns the place in the palette of one of the 256 colours.
func (c Color) Index() (i uint8, ok bool) { return uint8(c), c&^0xff == palette }

// RGB returns red, green and blue of a direct colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == direct>>24
}

// String returns "default", "0" to "255", or "#rrggbb".
func (c Color) String() string {
	if i, ok := c.Index(); ok {
		return strconv.Itoa(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return "default"
}

// An Attr is a set of attributes of text.
type Attr uint8

const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	Reverse
	Conceal
	Strike
)

var attrNames = [...]string{"bold", "faint", "italic", "blink", "reverse", "conceal", "strike"}

// A Style is how a cell is painted. The zero Style is plain text.
type Style struct {
	Fg, Bg         Color
	UnderlineColor Color
	Underline      uint8 // Underline is 0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed.
	Attrs          Attr
	Link           string // Link is the address of a hyperlink, empty = none.
}

// String returns the style in words, "bold 4 on #000000", empty for plain text.
func (s Style) String() string {
	var words []string
	for i, name := range attrNames {
		if s.Attrs&(1<<i) != 0 {
			words = append(words, name)
		}
	}
	if s.Underline > 0 {
		words = append(words, "underline")
	}
	if s.Fg != 0 {
		words = append(words, s.Fg.String())
	}
	if s.Bg != 0 {
		words = append(words, "on "+s.Bg.String())
	}
	if s.Link != "" {
		words = append(words, "link "+s.Link)
	}
	return strings.Join(words, " ")
}
