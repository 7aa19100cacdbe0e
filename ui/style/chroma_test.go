package style

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
)

var update = flag.Bool("update", false, "write chroma_table.go and the goldens anew")

func TestTableIsChromas(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("// Code generated from chroma's styles by go generate; DO NOT EDIT.\n\npackage style\n\nvar chromaStyles = []chromaStyle{\n")
	for _, name := range styles.Names() {
		row := rowOf(styles.Get(name))
		fmt.Fprintf(&b, "\t{name: %q, counterpart: %q, dark: %t, ground: %s, text: %s, comment: %s, key: %s, str: %s, number: %s, literal: %s, punct: %s, accent: %s, red: %s, amber: %s, green: %s, blue: %s, purple: %s},\n",
			name, row.counterpart, row.dark, hex(row.ground), hex(row.text), hex(row.comment), hex(row.key), hex(row.str), hex(row.number),
			hex(row.literal), hex(row.punct), hex(row.accent), hex(row.red), hex(row.amber), hex(row.green), hex(row.blue), hex(row.purple))
	}
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("chroma_table.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("chroma_table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("chroma_table.go is not what chroma has; run go generate")
	}
}

func hex(c rgb) string {
	if c == unset {
		return "unset"
	}
	return fmt.Sprintf("0x%06x", uint32(c))
}

// rowOf reads what the table keeps of a style.
func rowOf(s *chroma.Style) chromaStyle {
	colour := func(tokens ...chroma.TokenType) rgb {
		for _, tt := range tokens {
			if c := s.Get(tt).Colour; c.IsSet() {
				return rgb(c.Red())<<16 | rgb(c.Green())<<8 | rgb(c.Blue())
			}
		}
		return unset
	}
	row := chromaStyle{counterpart: s.Counterpart, dark: s.Mode() == chroma.Dark, ground: unset}
	if c := s.Get(chroma.Background).Background; c.IsSet() {
		row.ground = rgb(c.Red())<<16 | rgb(c.Green())<<8 | rgb(c.Blue())
	}
	row.text = colour(chroma.Text, chroma.Background, chroma.Name)
	row.comment = colour(chroma.Comment)
	row.key = colour(chroma.NameTag, chroma.NameAttribute, chroma.Keyword)
	row.str = colour(chroma.LiteralString)
	row.number = colour(chroma.LiteralNumber)
	row.literal = colour(chroma.KeywordConstant, chroma.Keyword)
	row.punct = colour(chroma.Punctuation)
	row.accent = colour(chroma.Keyword, chroma.NameFunction)
	row.red = hue(s, 0, 22)
	row.amber = hue(s, 38, 18)
	row.green = hue(s, 120, 40)
	row.blue = hue(s, 212, 30)
	row.purple = hue(s, 285, 35)
	return row
}

// hue returns the style's colour that is nearest to a hue, in degrees, and not
// farther from it than far; grey ones do not count.
func hue(s *chroma.Style, at, far float64) rgb {
	best, near := unset, far
	for tt := chroma.Background; tt <= chroma.TextPunctuation; tt++ {
		c := s.Get(tt).Colour
		if !c.IsSet() {
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
			best, near = rgb(c.Red())<<16|rgb(c.Green())<<8|rgb(c.Blue()), d
		}
	}
	return best
}
