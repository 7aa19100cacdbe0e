package style

//go:generate go test -run TestStylesAreChromas -update .

import (
	"embed"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// chromaStyles are copies of the style files of chroma (MIT licence, see
// chroma/COPYING), named after their styles. Importing chroma's own package of
// styles would parse all of them at the start of every process; these are parsed
// one at a time, when they are used. A test compares them with chroma's.
//
//go:embed chroma/*.xml
var chromaStyles embed.FS

// chromaNames returns the names of chroma's styles, sorted.
func chromaNames() []string {
	files, err := chromaStyles.ReadDir("chroma")
	if err != nil {
		return nil
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".xml")
	}
	slices.Sort(names)
	return names
}

// readChroma reads a style of chroma; nil if there is none of that name.
func readChroma(name string) *chroma.Style {
	f, err := chromaStyles.Open(path.Join("chroma", strings.ToLower(name)+".xml"))
	if err != nil {
		return nil
	}
	defer f.Close()
	s, err := chroma.NewXMLStyle(f)
	if err != nil {
		return nil
	}
	return s
}

// unset means that there is no colour.
const unset rgb = 1 << 24

// or returns the first colour that is set.
func or(colours ...rgb) rgb {
	for _, c := range colours {
		if c != unset {
			return c
		}
	}
	return unset
}

func rgbOf(c chroma.Colour) rgb {
	if !c.IsSet() {
		return unset
	}
	return rgb(c.Red())<<16 | rgb(c.Green())<<8 | rgb(c.Blue())
}

// chromaPalette makes a palette of a style for a background. What the style
// leaves out is taken from our own, and colours with too little contrast are
// made lighter or darker.
func chromaPalette(s *chroma.Style, dark bool) *palette {
	own, ground := lightPalette, rgb(0xfafafa)
	if dark {
		own, ground = darkPalette, rgb(0x1c1c1c)
	}
	if c := rgbOf(s.Get(chroma.Background).Background); c != unset && (s.Mode() == chroma.Dark) == dark {
		ground = c
	}
	of := func(tokens ...chroma.TokenType) rgb {
		for _, t := range tokens {
			if c := rgbOf(s.Get(t).Colour); c != unset {
				return c
			}
		}
		return unset
	}
	// The terminal's background is rarely the style's: colours must be legible
	// on both.
	legible := func(least float64, colours ...rgb) rgb {
		return or(colours...).readable(ground, least).readable(own.ground, least)
	}
	text, comment, key := of(chroma.Text, chroma.Background, chroma.Name), of(chroma.Comment), of(chroma.NameTag, chroma.NameAttribute, chroma.Keyword)
	number := of(chroma.LiteralNumber)
	p := *own
	p.text = legible(4.5, text, own.text)
	p.strong = legible(7, text, own.strong)
	p.dim = legible(4.5, comment, own.dim)
	p.accent = legible(4.5, of(chroma.Keyword, chroma.NameFunction), key, own.accent)
	p.border = legible(1.6, p.dim.mix(ground, 0.5))
	p.selected = ground.mix(p.accent, 0.17)
	p.blurred = ground.mix(p.text, 0.10)
	p.client = legible(4.5, hue(s, 212, 30), own.client)
	p.server = legible(4.5, hue(s, 120, 40), own.server)
	p.asks = legible(4.5, hue(s, 285, 35), own.asks)
	p.ok, p.info = p.server, p.client
	p.warning = legible(4.5, hue(s, 38, 18), own.warning)
	p.err = legible(4.5, hue(s, 0, 22), own.err)
	p.key = legible(4.5, key, text, own.key)
	p.str = legible(4.5, of(chroma.LiteralString), text, own.str)
	p.number = legible(4.5, number, text, own.number)
	p.literal = legible(4.5, of(chroma.KeywordConstant, chroma.Keyword), number, text, own.literal)
	p.punct = legible(4.5, of(chroma.Punctuation), comment, own.punct)
	p.fold = p.dim
	return &p
}

// hue returns the style's colour that is nearest to a hue, in degrees, and at
// most far degrees from it; greys do not count.
func hue(s *chroma.Style, at, far float64) rgb {
	best, near := unset, far
	for _, t := range chroma.TokenTypeValues() {
		c := s.Get(t).Colour
		if t < chroma.Background || !c.IsSet() {
			continue
		}
		r, g, b := float64(c.Red()), float64(c.Green()), float64(c.Blue())
		high, low := max(r, g, b), min(r, g, b)
		if high == 0 || (high-low)/high < 0.25 {
			continue
		}
		angle := 0.0
		switch high {
		case r:
			angle = math.Mod(60*(g-b)/(high-low)+360, 360)
		case g:
			angle = 60*(b-r)/(high-low) + 120
		default:
			angle = 60*(r-g)/(high-low) + 240
		}
		d := math.Abs(angle - at)
		if d = min(d, 360-d); d < near {
			best, near = rgbOf(c), d
		}
	}
	return best
}
