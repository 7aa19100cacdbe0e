package style

import (
	"image/color"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
)

func TestEveryThemeSetsEveryStyle(t *testing.T) {
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			allSet(t, New(name, dark, false))
		}
	}
}

// TestNoColourStandsOut holds that without colour all that must stand out does;
// what is not set there is ordinary text.
func TestNoColourStandsOut(t *testing.T) {
	th := New("", true, true)
	for name, s := range map[string]Style{"Dim": th.Dim, "Strong": th.Strong, "Accent": th.Accent, "Current": th.Current, "Cursor": th.Cursor,
		"BorderFocus": th.BorderFocus, "Selected": th.Selected, "SelectedBlur": th.SelectedBlur, "Hit": th.Hit, "HitNow": th.HitNow,
		"Mark": th.Mark, "Asks": th.Asks, "Warning": th.Warning, "Error": th.Error, "Key": th.Key} {
		if s == "" {
			t.Errorf("%s is not set", name)
		}
	}
}

// TestNoColourSelects holds that the line under the cursor is reversed as a whole: text that is
// faint elsewhere is not there.
func TestNoColourSelects(t *testing.T) {
	th := New("", true, true)
	for name, s := range map[string]Style{"Dim": th.Dim, "Fold": th.Fold, "Punct": th.Punct, "Text": th.Text} {
		if got := s.With(th.Over(true, true)); got != th.Selected {
			t.Errorf("%s is drawn as %q in the selected line, want %q", name, got, th.Selected)
		}
	}
	if got := th.Strong.With(th.Selected); got != th.Strong+";"+th.Selected {
		t.Errorf("Strong is drawn as %q", got)
	}
}

func allSet(t *testing.T, th *Theme) {
	t.Helper()
	v := reflect.ValueOf(*th)
	for i := range v.NumField() {
		if s, ok := v.Field(i).Interface().(Style); ok && s == "" {
			t.Errorf("%s (dark %t): %s is not set", th.Name, th.Dark, v.Type().Field(i).Name)
		}
	}
}

// texts are the styles of text that must be read, by name.
func texts(th *Theme) map[string]Style {
	return map[string]Style{"Text": th.Text, "Dim": th.Dim, "Strong": th.Strong, "Accent": th.Accent, "Title": th.Title, "Header": th.Header,
		"Footer": th.Footer, "Client": th.Client, "Server": th.Server, "Asks": th.Asks, "OK": th.OK, "Info": th.Info, "Warning": th.Warning,
		"Error": th.Error, "Key": th.Key, "String": th.String, "Number": th.Number, "Literal": th.Literal, "Punct": th.Punct, "Fold": th.Fold, "Mark": th.Mark}
}

// TestTextsCanBeRead holds that texts have the contrast that WCAG wants of them, on what the
// theme is for and on the line under the cursor; there 3 does on a dark ground.
func TestTextsCanBeRead(t *testing.T) {
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			th, own := New(name, dark, false), lightPalette
			grounds, line := []rgb{0xffffff, 0xfcfcfc, 0xf5f2ea}, 4.5
			if dark {
				grounds, line, own = []rgb{0x000000, 0x16181d, 0x1e1e2e}, 3, darkPalette
			}
			if name != Default {
				grounds, line = []rgb{own.ground}, 3
			}
			for what, style := range texts(th) {
				for _, ground := range grounds {
					if got := contrast(foreground(t, style), ground); got < 4.5 {
						t.Errorf("%s (dark %t): %s on %06x has a contrast of %.2f, want 4.5", name, dark, what, ground, got)
					}
				}
				for under, over := range map[string]Style{"Selected": th.Selected, "SelectedBlur": th.SelectedBlur} {
					if got := contrast(foreground(t, style), background(t, over)); got < line {
						t.Errorf("%s (dark %t): %s on %s has a contrast of %.2f, want %v", name, dark, what, under, got, line)
					}
				}
			}
			for what, style := range map[string]Style{"Hit": th.Hit, "HitNow": th.HitNow} {
				if got := contrast(foreground(t, style), background(t, style)); got < 4.5 {
					t.Errorf("%s (dark %t): %s has a contrast of %.2f, want 4.5", name, dark, what, got)
				}
			}
		}
	}
}

// TestOwnColoursOutliveFewColours holds that what a colour says is not lost in
// terminals of 256 colours: the nearest of them is sometimes a grey.
func TestOwnColoursOutliveFewColours(t *testing.T) {
	const firstGrey = 232
	for _, dark := range []bool{true, false} {
		th := New("", dark, false)
		for name, style := range map[string]Style{"OK": th.OK, "Info": th.Info, "Warning": th.Warning, "Error": th.Error,
			"Client": th.Client, "Server": th.Server, "Asks": th.Asks, "Accent": th.Accent} {
			r, g, b := foreground(t, style).parts()
			if got := ansi.Convert256(color.RGBA{R: r, G: g, B: b, A: 0xff}); got >= firstGrey {
				t.Errorf("dark %t: %s becomes the grey %d", dark, name, got)
			}
		}
	}
}

// TestLinesOutliveFewColours holds that the lines under the cursor are about the same in
// terminals of 256 colours.
func TestLinesOutliveFewColours(t *testing.T) {
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			th := New(name, dark, false)
			for what, style := range map[string]Style{"Selected": th.Selected, "SelectedBlur": th.SelectedBlur} {
				c := background(t, style)
				r, g, b := c.parts()
				x, y, z := c.few().parts()
				if far := math.Hypot(math.Hypot(float64(r)-float64(x), float64(g)-float64(y)), float64(b)-float64(z)); far > 24 {
					t.Errorf("%s (dark %t): %s, %06x, becomes %06x", name, dark, what, c, c.few())
				}
			}
		}
	}
}

// foreground reads the colour of the text out of a style.
func foreground(t *testing.T, s Style) rgb { return colour(t, s, "38;2;") }

// background reads the colour behind the text out of a style.
func background(t *testing.T, s Style) rgb { return colour(t, s, "48;2;") }

func colour(t *testing.T, s Style, before string) rgb {
	t.Helper()
	_, rest, ok := strings.Cut(string(s), before)
	parts := strings.Split(rest, ";")
	if !ok || len(parts) < 3 {
		t.Fatalf("%q has no colour", s)
	}
	c := rgb(0)
	for _, p := range parts[:3] {
		v, err := strconv.Atoi(p)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		c = c<<8 | rgb(v)
	}
	return c
}

func TestNoColour(t *testing.T) {
	th := New("dracula", true, true)
	v := reflect.ValueOf(*th)
	for i := range v.NumField() {
		s, ok := v.Field(i).Interface().(Style)
		if ok && strings.Contains(string(s), "8;") {
			t.Errorf("%s has a colour: %q", v.Type().Field(i).Name, s)
		}
	}
	if !th.NoColour || !strings.Contains(string(th.Selected), "7") {
		t.Errorf("the selected line is not reversed: %q", th.Selected)
	}
}

func TestNames(t *testing.T) {
	names := Names()
	if names[0] != Default || len(names) < 60 || !slices.IsSorted(names[1:]) {
		t.Errorf("Names() = %q", names)
	}
	if got := New("no such style", true, false).Name; got != Default {
		t.Errorf("an unknown name gives %q", got)
	}
	if got := New("Dracula", true, false).Name; got != "dracula" {
		t.Errorf("case counts: %q", got)
	}
	if got := New("github", true, false).Name; got != "github-dark" {
		t.Errorf("github on a dark terminal is %q", got)
	}
}

func TestPaint(t *testing.T) {
	var b strings.Builder
	Style("1").With("7").Write(&b, "x")
	if got, want := b.String()+Style("").Paint("y"), "\x1b[1;7mx\x1b[my"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	style, sign := New("", true, false).Severity(session.Error)
	if style == "" || sign != "✖" {
		t.Errorf("severity: %q %q", style, sign)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New("dracula", true, false)
	}
}
