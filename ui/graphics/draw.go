package graphics

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
)

// Draw writes img over area, in cells from the upper left corner of the screen, and leaves
// the cursor where it was. It is empty for a terminal that takes no images.
func (t *Terminal) Draw(img image.Image, area image.Rectangle) (string, error) {
	if t.Protocol == None || area.Empty() || img.Bounds().Empty() {
		return "", nil
	}
	var b strings.Builder
	b.WriteString(ansi.SaveCursor)
	b.WriteString(ansi.CursorPosition(area.Min.X+1, area.Min.Y+1))
	if err := t.encode(&b, img, area.Dx(), area.Dy()); err != nil {
		return "", fmt.Errorf("encoding an image for the terminal: %w", err)
	}
	b.WriteString(ansi.RestoreCursor)
	return b.String(), nil
}

func (t *Terminal) encode(b *strings.Builder, img image.Image, w, h int) error {
	switch t.Protocol {
	case Kitty:
		// quiet 2: no answers, which would come as input.
		return kitty.EncodeGraphics(b, img, &kitty.Options{Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG,
			Columns: w, Rows: h, DoNotMoveCursor: true, Quiet: 2, Chunk: true})
	case ITerm:
		var file bytes.Buffer
		if err := png.Encode(&file, img); err != nil {
			return err
		}
		b.WriteString(ansi.ITerm2(iterm2.File{Width: iterm2.Cells(w), Height: iterm2.Cells(h), IgnoreAspectRatio: true, Inline: true, DoNotMoveCursor: true,
			Size: int64(file.Len()), Content: base64Of(file.Bytes())}))
	case Sixel:
		// A row of sixels is six pixels high: what is beyond the last whole one could
		// reach below the area, and scroll the screen.
		height := h * t.Cell.Y / 6 * 6
		var payload bytes.Buffer
		if err := new(sixel.Encoder).Encode(&payload, Scale(img, w*t.Cell.X, max(1, height))); err != nil {
			return err
		}
		b.WriteString(ansi.SixelGraphics(0, 1, 0, payload.Bytes()))
	case None:
	}
	return nil
}

// Clear takes away all images that were drawn. It reports false where only a redraw of
// the whole screen does.
func (t *Terminal) Clear() (string, bool) {
	if t.Protocol == Kitty {
		return ansi.KittyGraphics(nil, "a=d", "d=A", "q=2"), true
	}
	return "", false
}

func base64Of(data []byte) []byte { return base64.StdEncoding.AppendEncode(nil, data) }

// Scale is an image of w by h pixels, each the mean of those that it stands for, on black
// where the image is transparent.
func Scale(img image.Image, w, h int) *image.RGBA {
	b := img.Bounds()
	scaled := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			scaled.SetRGBA(x, y, mean(img, image.Rect(b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h, b.Min.X+(x+1)*b.Dx()/w, b.Min.Y+(y+1)*b.Dy()/h)))
		}
	}
	return scaled
}

// meanStep bounds how many pixels of an area are looked at, in each direction.
const meanStep = 8

// mean is the colour of an area, on black where it is transparent.
func mean(img image.Image, area image.Rectangle) color.RGBA {
	area.Max.X, area.Max.Y = max(area.Max.X, area.Min.X+1), max(area.Max.Y, area.Min.Y+1)
	stepX, stepY := max(1, area.Dx()/meanStep), max(1, area.Dy()/meanStep)
	var r, g, b, n uint64
	for y := area.Min.Y; y < area.Max.Y; y += stepY {
		for x := area.Min.X; x < area.Max.X; x += stepX {
			pr, pg, pb, _ := img.At(x, y).RGBA()
			r, g, b, n = r+uint64(pr), g+uint64(pg), b+uint64(pb), n+1
		}
	}
	return color.RGBA{uint8(r / n >> 8), uint8(g / n >> 8), uint8(b / n >> 8), 255}
}
