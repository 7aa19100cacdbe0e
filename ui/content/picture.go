package content

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	_ "image/gif" // The formats of images that are drawn.
	_ "image/jpeg"
	"image/png"
	"strings"

	"wiretea/ui/cells"
)

const (
	// maxPixels is the largest picture that is decoded: a file of a few bytes can
	// stand for gigabytes.
	maxPixels = 16 << 20

	pictureWidth  = 96 // pictureWidth and pictureHeight are the most cells that a picture takes.
	pictureHeight = 32
)

// pictureSize says what an image is, and how large, in words that are safe to print. ok
// is false for what is not an image that can be drawn.
func pictureSize(data []byte) (words string, ok bool) {
	cfg, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", false
	}
	words = fmt.Sprintf("%s %d×%d", kind, cfg.Width, cfg.Height)
	if cfg.Width < 1 || cfg.Height < 1 || cfg.Width > maxPixels/cfg.Height {
		return words + ", too large to draw", false
	}
	return words, true
}

// thumbnail decodes an image, no larger than it is drawn. The image is nil where it cannot
// be decoded; an error beside an image is what is wrong with the file.
func thumbnail(data []byte) (image.Image, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if wrong := png.FormatError(""); errors.As(err, &wrong) && strings.Contains(string(wrong), "checksum") {
		// Browsers draw it anyway.
		var mended error
		if img, mended = png.Decode(bytes.NewReader(withChecksums(data))); mended == nil {
			return small(img), err
		}
	}
	if err != nil {
		return nil, err
	}
	return small(img), nil
}

// withChecksums is a PNG file in which the checksum of each chunk is right.
func withChecksums(data []byte) []byte {
	data = bytes.Clone(data)
	for at := 8; at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n > len(data)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(data[at+8+n:], crc32.ChecksumIEEE(data[at+4:at+8+n]))
		at += 12 + n
	}
	return data
}

// small is an image that is no larger than it is drawn.
func small(img image.Image) image.Image {
	b := img.Bounds()
	w := min(pictureWidth, b.Dx())
	h := max(1, b.Dy()*w/b.Dx()) // in pixels, two a line
	if h > 2*pictureHeight {
		w, h = max(1, w*2*pictureHeight/h), 2*pictureHeight
	}
	return scaled(img, w, h)
}

// scaled is an image of w by h pixels, each the mean of those that it stands for.
func scaled(img image.Image, w, h int) *image.RGBA {
	b := img.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			small.SetRGBA(x, y, mean(img, image.Rect(b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h, b.Min.X+(x+1)*b.Dx()/w, b.Min.Y+(y+1)*b.Dy()/h)))
		}
	}
	return small
}

// picture draws a thumbnail: two pixels in a cell, or without colours a character for
// its brightness.
func (l *layout) picture(indent string, img image.Image) {
	b := img.Bounds()
	w := max(1, min(b.Dx(), l.w-cells.Width(indent)))
	h := max(1, b.Dy()*w/b.Dx())
	pixels := scaled(img, w, h)
	for y := 0; y < h; y += 2 {
		parts := []Part{{Text: indent}}
		for x := range w {
			up := pixels.RGBAAt(x, y)
			low := up
			if y+1 < h {
				low = pixels.RGBAAt(x, y+1)
			}
			if !l.colour {
				parts = append(parts, Part{Text: shade(up, low)})
				continue
			}
			sgr := fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm", up.R, up.G, up.B, low.R, low.G, low.B)
			if n := len(parts) - 1; parts[n].SGR == sgr {
				parts[n].Text += "▀"
				continue
			}
			parts = append(parts, Part{Text: "▀", SGR: sgr})
		}
		l.put(parts...)
	}
}

// shade is a character as bright as two pixels are.
func shade(a, b color.RGBA) string {
	const ramp = " .:-=+*#%@"
	sum := 0
	for _, c := range []color.RGBA{a, b} {
		sum += (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
	}
	n := sum * len(ramp) / 512
	return ramp[n : n+1]
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
