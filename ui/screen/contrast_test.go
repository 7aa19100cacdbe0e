package screen_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// leastContrast is the contrast that every character has with what is behind it, as WCAG 2
// counts it: 1 is none, 21 black on white; WCAG wants 3 of large text. Borders and bars may
// have less.
const leastContrast = 3

// contrast is that of two colours.
func contrast(a, b [3]uint8) float64 {
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

// TestContrast holds that what is on the screen can be read on a light background, and on a
// dark one.
func TestContrast(t *testing.T) {
	for _, st := range states() {
		if !slices.ContainsFunc([]string{"held-", "statistics-", "timeline-", "recording-", "settings", "http-", "help-", "composer-", "asks-form"}, func(name string) bool { return strings.HasPrefix(st.name, name) }) || st.size != [2]int{120, 40} {
			continue
		}
		for _, light := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/light=%t", st.name, light), func(t *testing.T) {
				t.Parallel()
				s := st.reach(t, termtest.SessionOptions{Terminal: termtest.Options{Light: light}}, screen.Options{})
				front, back := [3]uint8{0xff, 0xff, 0xff}, [3]uint8{0x10, 0x10, 0x10}
				if light {
					front, back = [3]uint8{}, [3]uint8{0xff, 0xff, 0xff}
				}
				of := func(c termtest.Color, plain [3]uint8) [3]uint8 {
					if r, g, b, ok := c.RGB(); ok {
						return [3]uint8{r, g, b}
					}
					return plain
				}
				s.Terminal(func(term *termtest.Terminal) {
					w, h := term.Size()
					for y := range h {
						for x := range w {
							text, look := term.Cell(x, y)
							if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "╭╮╰╯│─┃├┤┬┴┼╌┄▀▁▂▃▄▅▆▇█░▒▓▏▎▍▌▋▊▉▰▱") {
								continue
							}
							fg, bg := of(look.Fg, front), of(look.Bg, back)
							if look.Attrs&termtest.Reverse != 0 {
								fg, bg = bg, fg
							}
							if got := contrast(fg, bg); got < leastContrast {
								t.Fatalf("%q at %d,%d is %v, with a contrast of %.2f:\n%s", text, x, y, look, got, term)
							}
						}
					}
				})
			})
		}
	}
}
