package termtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// sgr changes the style of what is printed next.
func (t *Terminal) sgr(p ansi.Params) bool {
	s := &t.at.style
	if len(p) == 0 {
		*s = Style{Link: s.Link}
		return true
	}
	for i := 0; i < len(p); {
		n, more, _ := p.Param(i, 0)
		// A group is a parameter with the ones that colons tie to it.
		group := 1
		for more && i+group < len(p) {
			_, more, _ = p.Param(i+group, 0)
			group++
		}
		switch {
		case n == 38 || n == 48 || n == 58:
			c, used, ok := sgrColor(p[i:], group)
			if !ok {
				return false
			}
			*s.colour(n) = c
			group = used
		case n == 4 && group > 1:
			kind := param(p, i+1, 0)
			if kind > 5 {
				return false
			}
			s.Underline = uint8(kind)
		case group > 1 || !s.apply(n):
			return false
		}
		i += group
	}
	return true
}

// colour returns the place of the colour that 38, 48 or 58 sets.
func (s *Style) colour(n int) *Color {
	switch n {
	case 38:
		return &s.Fg
	case 48:
		return &s.Bg
	}
	return &s.UnderlineColor
}

// sgrColor reads the colour after a 38, 48 or 58: 5;n or 2;r;g;b, with colons
// also 2:space:r:g:b. used counts the parameters read.
func sgrColor(p ansi.Params, group int) (c Color, used int, ok bool) {
	colons := group > 1
	have := len(p)
	if colons {
		have = group
	}
	if have < 3 {
		return 0, 0, false
	}
	part := func(i int) uint8 { return uint8(min(255, param(p, i, 0))) }
	switch kind := param(p, 1, 0); {
	case kind == 5:
		used, c = 3, Palette(part(2))
	case kind == 2 && colons && have >= 6:
		used, c = have, RGB(part(3), part(4), part(5))
	case kind == 2 && have >= 5:
		used, c = 5, RGB(part(2), part(3), part(4))
	default:
		return 0, 0, false
	}
	if colons {
		used = group
	}
	return c, used, true
}

// apply carries out a parameter that is alone.
func (s *Style) apply(n int) bool {
	switch {
	case n == 0:
		*s = Style{Link: s.Link}
	case n == 1:
		s.Attrs |= Bold
	case n == 2:
		s.Attrs |= Faint
	case n == 3:
		s.Attrs |= Italic
	case n == 4:
		s.Underline = 1
	case n == 5 || n == 6:
		s.Attrs |= Blink
	case n == 7:
		s.Attrs |= Reverse
	case n == 8:
		s.Attrs |= Conceal
	case n == 9:
		s.Attrs |= Strike
	case n == 21:
		s.Underline = 2
	case n == 22:
		s.Attrs &^= Bold | Faint
	case n == 23:
		s.Attrs &^= Italic
	case n == 24:
		s.Underline = 0
	case n == 25:
		s.Attrs &^= Blink
	case n == 27:
		s.Attrs &^= Reverse
	case n == 28:
		s.Attrs &^= Conceal
	case n == 29:
		s.Attrs &^= Strike
	case n >= 30 && n <= 37:
		s.Fg = Palette(uint8(n - 30))
	case n == 39:
		s.Fg = 0
	case n >= 40 && n <= 47:
		s.Bg = Palette(uint8(n - 40))
	case n == 49:
		s.Bg = 0
	case n == 59:
		s.UnderlineColor = 0
	case n >= 90 && n <= 97:
		s.Fg = Palette(uint8(n - 90 + 8))
	case n >= 100 && n <= 107:
		s.Bg = Palette(uint8(n - 100 + 8))
	default:
		return false
	}
	return true
}

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

// Contrast is the contrast of two colours as WCAG 2 counts it, red, green and blue: 1 is none,
// 21 black on white.
func Contrast(a, b [3]uint8) float64 {
	luminance := func(c [3]uint8) float64 {
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(c[i]) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}
