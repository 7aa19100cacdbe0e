package style

import (
	"math"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A rgb is a colour, 0xrrggbb.
type rgb uint32

func (c rgb) parts() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

// RGBA implements color.Color.
func (c rgb) RGBA() (r, g, b, a uint32) {
	x, y, z := c.parts()
	return uint32(x) * 0x101, uint32(y) * 0x101, uint32(z) * 0x101, 0xffff
}

// luminance is the relative luminance of WCAG, 0 for black to 1 for white.
func (c rgb) luminance() float64 {
	r, g, b := c.parts()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// contrast is the contrast ratio of WCAG, from 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// mix returns c with a share of other, 0 to 1.
func (c rgb) mix(other rgb, share float64) rgb {
	r, g, b := c.parts()
	x, y, z := other.parts()
	part := func(p, q uint8) rgb { return rgb(math.Round(float64(p)*(1-share) + float64(q)*share)) }
	return part(r, x)<<16 | part(g, y)<<8 | part(b, z)
}

// readable returns c, lighter on a dark ground and darker on a light one as far
// as it takes to reach a contrast.
func (c rgb) readable(ground rgb, least float64) rgb {
	to := rgb(0xffffff)
	if ground.luminance() > 0.5 {
		to = 0
	}
	for share := 0.1; share <= 1 && contrast(c, ground) < least; share += 0.1 {
		c = c.mix(to, share)
	}
	return c
}

// calm returns c, made greyer until the nearest of 256 colours is similar. The nearest one to a
// dark blue, for example, is a green on which text is hard to read.
func (c rgb) calm() rgb {
	const near = 24 * 24
	r, g, b := c.parts()
	grey := rgb(math.Round(0.2126*float64(r)+0.7152*float64(g)+0.0722*float64(b))) * 0x010101
	for share := 0.0; share < 1; share += 0.1 {
		if m := c.mix(grey, share); m.distance(m.few()) <= near {
			return m
		}
	}
	return grey
}

// few is the nearest of 256 colours.
func (c rgb) few() rgb {
	r, g, b, _ := ansi.Convert256(c).RGBA()
	return rgb(r>>8<<16 | g>>8<<8 | b>>8)
}

// distance is the square of how far two colours are apart.
func (c rgb) distance(other rgb) int {
	r, g, b := c.parts()
	x, y, z := other.parts()
	square := func(p, q uint8) int { return (int(p) - int(q)) * (int(p) - int(q)) }
	return square(r, x) + square(g, y) + square(b, z)
}

// A palette is the colours that a theme is made of.
type palette struct {
	ground rgb // ground is the background that the colours are meant for; it is not painted.

	text, dim, strong, accent, border rgb

	selected, blurred, hit, hitNow rgb // These are backgrounds.
	onHit, onHitNow                rgb // These are the texts on hit and hitNow.

	client, server, asks            rgb
	ok, info, warning, err          rgb
	key, str, number, literal, fold rgb
	punct                           rgb
}

// Our own two: few hues, of like lightness, so that what is bold or has a sign
// stands out first.
var (
	darkPalette = &palette{
		ground: 0x16181d,
		text:   0xd5d9e0, dim: 0x858c99, strong: 0xffffff, accent: 0x7cc4e8, border: 0x4a515e,
		selected: 0x2b3a4f, blurred: 0x262a32, hit: 0x6b5a1e, hitNow: 0xe8c14d, onHit: 0xffffff, onHitNow: 0x16181d,
		client: 0x8fb4f0, server: 0x86c9a5, asks: 0xc9a2ec,
		ok: 0x86c98a, info: 0x7cb7e0, warning: 0xe6b455, err: 0xf0787a,
		key: 0x8fb8de, str: 0xa9cf9b, number: 0xe0b080, literal: 0xcf9fdc, fold: 0x9aa3b2, punct: 0x808896,
	}
	lightPalette = &palette{
		ground: 0xfcfcfc,
		text:   0x24292f, dim: 0x5d646e, strong: 0x000000, accent: 0x0b68a5, border: 0xb4bac2,
		selected: 0xd3e4f5, blurred: 0xe8ebef, hit: 0xf3e2a0, hitNow: 0xf2b705, onHit: 0x1a1a1a, onHitNow: 0x1a1a1a,
		client: 0x1f5fbf, server: 0x197246, asks: 0x7d3fb0,
		ok: 0x1b732c, info: 0x18699e, warning: 0x8a5900, err: 0xbe2a2a,
		key: 0x1d5a94, str: 0x2f6f2a, number: 0x9a4a06, literal: 0x7b3a9a, fold: 0x5d656f, punct: 0x5d646e,
	}
)

// theme declares the styles and compiles them.
func (p *palette) theme(name string, dark bool) *Theme {
	fore := func(c rgb) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	back := func(c rgb) lipgloss.Style { return lipgloss.NewStyle().Background(c) }
	return &Theme{
		Name: name, Dark: dark,
		Text: compile(fore(p.text)), Dim: compile(fore(p.dim)), Strong: compile(fore(p.strong).Bold(true)),
		Accent: compile(fore(p.accent).Bold(true)), Title: compile(fore(p.text)),
		Current: compile(fore(p.accent).Bold(true).Underline(true)), Cursor: compile(lipgloss.NewStyle().Reverse(true)),
		Border: compile(fore(p.border)), BorderFocus: compile(fore(p.accent)),
		Header: compile(fore(p.text)), Footer: compile(fore(p.dim)),
		Selected: compile(back(p.selected.calm())), SelectedBlur: compile(back(p.blurred.calm())),
		Hit: compile(fore(p.onHit).Background(p.hit).Underline(true)), HitNow: compile(fore(p.onHitNow).Background(p.hitNow).Bold(true)),
		Mark:   compile(fore(p.warning).Bold(true)),
		Client: compile(fore(p.client)), Server: compile(fore(p.server)), Asks: compile(fore(p.asks)),
		OK: compile(fore(p.ok)), Info: compile(fore(p.info)), Warning: compile(fore(p.warning)), Error: compile(fore(p.err).Bold(true)),
		Wrong: compile(fore(p.err).Bold(true).Underline(true)),
		Key:   compile(fore(p.key)), String: compile(fore(p.str)), Number: compile(fore(p.number)), Literal: compile(fore(p.literal)),
		Escape: compile(fore(p.literal).Bold(true)), Punct: compile(fore(p.punct)), Fold: compile(fore(p.fold)),
	}
}
