package termtest

import "github.com/charmbracelet/x/ansi"

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
