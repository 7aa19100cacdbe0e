package termimage

import (
	"image"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
)

// TestHear holds which protocol follows from what terminals answer.
func TestHear(t *testing.T) {
	ok := uv.KittyGraphicsEvent{Options: kitty.Options{ID: queryID}, Payload: []byte("OK")}
	sixels, plain := uv.PrimaryDeviceAttributesEvent{62, 4, 22}, uv.PrimaryDeviceAttributesEvent{62, 22}
	for name, tt := range map[string]struct {
		answers []any
		want    Protocol
	}{
		"nothing yet":                {nil, None},
		"kitty":                      {[]any{ok, tea.TerminalVersionMsg{Name: "kitty(0.26.5)"}, plain}, Kitty},
		"kitty that refuses":         {[]any{uv.KittyGraphicsEvent{Options: kitty.Options{ID: queryID}, Payload: []byte("ENOTSUPPORTED")}, plain}, None},
		"another image of kitty":     {[]any{uv.KittyGraphicsEvent{Options: kitty.Options{ID: 1}, Payload: []byte("OK")}, plain}, None},
		"iTerm2":                     {[]any{tea.TerminalVersionMsg{Name: "iTerm2 3.5.0"}, uv.CellSizeEvent{Width: 8, Height: 16}, sixels}, ITerm},
		"WezTerm":                    {[]any{tea.TerminalVersionMsg{Name: "WezTerm 2024"}, plain}, ITerm},
		"xterm with sixels":          {[]any{tea.TerminalVersionMsg{Name: "XTerm(379)"}, uv.CellSizeEvent{Width: 9, Height: 18}, sixels}, Sixel},
		"sixels of an unknown size":  {[]any{sixels}, None},
		"a size that cannot be":      {[]any{uv.CellSizeEvent{Width: 1 << 20, Height: 18}, sixels}, None},
		"tmux":                       {[]any{tea.TerminalVersionMsg{Name: "tmux 3.3a"}, plain}, None},
		"before the last answer":     {[]any{ok}, None},
		"kitty goes before the rest": {[]any{ok, tea.TerminalVersionMsg{Name: "WezTerm"}, uv.CellSizeEvent{Width: 9, Height: 18}, sixels}, Kitty},
	} {
		t.Run(name, func(t *testing.T) {
			var term Terminal
			for _, msg := range tt.answers {
				if !term.Hear(msg) {
					t.Errorf("%T is not heard", msg)
				}
			}
			if term.Protocol != tt.want {
				t.Errorf("protocol %d, want %d", term.Protocol, tt.want)
			}
			if term.Hear(tea.KeyPressMsg{}) {
				t.Error("a key is taken for an answer")
			}
		})
	}
}

func red(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.SetRGBA(i%w, i/w, color.RGBA{255, 0, 0, 255})
	}
	return img
}

// TestDraw holds what is written for each protocol: at the place, within the area, and
// without moving the cursor.
func TestDraw(t *testing.T) {
	area := image.Rect(4, 2, 24, 12)
	for p, want := range map[Protocol][]string{
		Kitty: {"\x1b7\x1b[3;5H\x1b_G", "a=T", "c=20", "r=10", "C=1", "q=2", "f=100"},
		ITerm: {"\x1b7\x1b[3;5H\x1b]1337;File=", "width=20;height=10", "inline=1"},
		Sixel: {"\x1b7\x1b[3;5H\x1bP0;1"},
	} {
		term := Terminal{Protocol: p, Cell: image.Pt(9, 19)}
		got, err := term.Draw(red(7, 5), area)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range want {
			if !strings.Contains(got, words) {
				t.Errorf("protocol %d: %q is not in %.200q", p, words, got)
			}
		}
		if !strings.HasSuffix(got, "\x1b8") {
			t.Errorf("protocol %d leaves the cursor elsewhere", p)
		}
		if p == Sixel {
			body := got[strings.Index(got, "q")+1:]
			img, err := new(sixel.Decoder).Decode(strings.NewReader(body[:strings.LastIndex(body, "\x1b\\")]))
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() > 20*9 || b.Dy() > 10*19 {
				t.Errorf("sixels of %v for an area of 180×190", b)
			}
		}
	}
	var none Terminal
	if got, err := none.Draw(red(7, 5), area); got != "" || err != nil {
		t.Errorf("a terminal without images gets %q, %v", got, err)
	}
	for p, at := range map[Protocol]image.Rectangle{Kitty: {}, Sixel: image.Rect(1, 1, 1, 5)} {
		term := Terminal{Protocol: p, Cell: image.Pt(9, 18)}
		if got, err := term.Draw(red(7, 5), at); got != "" || err != nil {
			t.Errorf("an area without cells gets %q, %v", got, err)
		}
	}
}

// TestClear holds how images are taken away.
func TestClear(t *testing.T) {
	for p, want := range map[Protocol]bool{Kitty: true, ITerm: false, Sixel: false} {
		term := Terminal{Protocol: p}
		if seq, ok := term.Clear(); ok != want || ok != (seq != "") {
			t.Errorf("protocol %d: %q, %v", p, seq, ok)
		}
	}
}
