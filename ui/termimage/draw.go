package termimage

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"

	"wiretea/ui/content"
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
			Size: int64(file.Len()), Content: base64.StdEncoding.AppendEncode(nil, file.Bytes())}))
	case Sixel:
		// A row of sixels is six pixels high: what is beyond the last whole one could
		// reach below the area, and scroll the screen.
		height := h * t.Cell.Y / 6 * 6
		var payload bytes.Buffer
		if err := new(sixel.Encoder).Encode(&payload, content.Scale(img, w*t.Cell.X, max(1, height))); err != nil {
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
