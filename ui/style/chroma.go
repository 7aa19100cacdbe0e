package style

//go:generate go test -run TestTableIsChromas -update .

import "strings"

// A chromaStyle is what a style of chroma gives for the screen. Loading chroma's
// package of styles parses all of them, which takes longer than the whole rest
// of the program's start; so they lie here as a table, and a test compares it
// with chroma.
type chromaStyle struct {
	name        string
	counterpart string // counterpart is the like style for the other kind of background, empty = none.
	dark        bool

	// Colours; unset is none. The five hues are the style's own reds, ambers
	// and so on, wherever it uses them.
	ground, text, comment            rgb
	key, str, number, literal, punct rgb
	accent                           rgb
	red, amber, green, blue, purple  rgb
}

// unset is no colour.
const unset rgb = 1 << 24

func find(name string) *chromaStyle {
	for i := range chromaStyles {
		if strings.EqualFold(chromaStyles[i].name, name) {
			return &chromaStyles[i]
		}
	}
	return nil
}

// or returns the first colour that is set.
func or(colours ...rgb) rgb {
	for _, c := range colours {
		if c != unset {
			return c
		}
	}
	return unset
}

// palette completes the style for a background: what it leaves out is taken from
// our own, and what could not be read is made readable.
func (s *chromaStyle) palette(dark bool) *palette {
	own, ground := lightPalette, rgb(0xfafafa)
	if dark {
		own, ground = darkPalette, rgb(0x1c1c1c)
	}
	fits := s.dark == dark
	if s.ground != unset && fits {
		ground = s.ground
	}
	// The terminal's background is rarely the style's: colours are to hold on
	// both.
	legible := func(least float64, colours ...rgb) rgb {
		return or(colours...).readable(ground, least).readable(own.ground, least)
	}
	p := *own
	p.text = legible(4.5, s.text, own.text)
	p.strong = legible(7, s.text, own.strong)
	p.dim = legible(3, s.comment, own.dim)
	p.accent = legible(3, s.accent, s.key, own.accent)
	p.border = legible(1.6, p.dim.mix(ground, 0.5))
	p.selected = ground.mix(p.accent, 0.22)
	p.blurred = ground.mix(p.text, 0.10)
	p.client = legible(3, s.blue, own.client)
	p.server = legible(3, s.green, own.server)
	p.asks = legible(3, s.purple, own.asks)
	p.ok, p.info = p.server, p.client
	p.warning = legible(3, s.amber, own.warning)
	p.err = legible(3, s.red, own.err)
	p.key = legible(3, s.key, s.text, own.key)
	p.str = legible(3, s.str, s.text, own.str)
	p.number = legible(3, s.number, s.text, own.number)
	p.literal = legible(3, s.literal, s.number, s.text, own.literal)
	p.punct = legible(3, s.punct, s.comment, own.punct)
	p.fold = p.dim
	return &p
}
