package content

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	_ "image/gif" // The formats of images that are drawn.
	_ "image/jpeg"
	"image/png"
	"io"
	"strings"

	"wiretea/session/cells"
)

const (
	// maxPixels is how many pixels of a message's pictures are decoded: a file of a
	// few bytes can be gigabytes of them.
	maxPixels = 16 << 20

	// freeScans is how often a progressive JPEG, which is decoded once for each of its scans,
	// is decoded at the price of one. Programs write ten.
	freeScans = 10

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

// A wantedReader reads a file as long as it is wanted.
type wantedReader struct {
	io.Reader
	wanted context.Context
}

func (r wantedReader) Read(p []byte) (int, error) {
	if r.wanted != nil && r.wanted.Err() != nil {
		return 0, r.wanted.Err()
	}
	return r.Reader.Read(p)
}

// thumbnail decodes an image, no larger than most. The image is nil where it cannot
// be decoded; an error beside an image is what is wrong with the file.
func thumbnail(wanted context.Context, data []byte) (image.Image, error) {
	img, _, err := image.Decode(wantedReader{bytes.NewReader(data), wanted})
	if wrong := png.FormatError(""); errors.As(err, &wrong) && strings.Contains(string(wrong), "checksum") {
		// Browsers draw it anyway.
		var mended error
		if img, mended = png.Decode(bytes.NewReader(withChecksums(data))); mended == nil {
			return fitted(img, most, most), err
		}
	}
	if err != nil {
		return nil, err
	}
	return fitted(img, most, most), nil
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

// A Picture is an image on lines of a layout, for terminals that can draw more than
// characters.
type Picture struct {
	Image  image.Image
	Indent int // Indent is how many cells are left of it.
	Cols   int // Cols and Rows are how many cells it takes.
	Rows   int
}

// most are the most pixels that are kept of an image, in each direction.
const most = 1024

// fitted is an image no larger than w by h pixels, in its proportions.
func fitted(img image.Image, w, h int) image.Image {
	b := img.Bounds()
	to := min(w, b.Dx())
	high := max(1, b.Dy()*to/b.Dx())
	if high > h {
		to, high = max(1, to*h/high), h
	}
	if to == b.Dx() && high == b.Dy() {
		return img
	}
	return Scale(img, to, high)
}

// A decoded image, or what is wrong with its file; both where browsers show it.
type decoded struct {
	img image.Image
	err error
}

// decode decodes the image of a block once, as long as the message's budget of pixels
// lasts.
func (d *Document) decode(data []byte) decoded {
	key := &data[0]
	if known, ok := d.images[key]; ok {
		return known
	}
	if d.images == nil {
		d.images = map[*byte]decoded{}
	}
	var got decoded
	cfg, kind, err := image.DecodeConfig(bytes.NewReader(data))
	pixels := cfg.Width * cfg.Height
	if kind == "jpeg" {
		pixels *= 1 + bytes.Count(data, []byte("\xff\xda"))/freeScans
	}
	switch {
	case err != nil:
		got.err = err
	case pixels > maxPixels-d.pixels:
		got.err = errPixels
	default:
		d.pixels += pixels
		got.img, got.err = thumbnail(d.Wanted, data)
	}
	d.images[key] = got
	return got
}

// errPixels is why an image is not drawn that is beyond the message's budget.
var errPixels = errors.New("not drawn: decoding takes too long")

// picture draws the image of a file: two pixels in a cell, or without colours a character
// for its brightness. It reports false where there is none to draw.
func (l *layout) picture(indent string, data []byte) bool {
	got := l.doc.decode(data)
	if got.err != nil {
		words := visible(strings.TrimPrefix(got.err.Error(), "png: invalid format: "))
		if !errors.Is(got.err, errPixels) {
			words = "damaged: " + words
		}
		l.wrap(nil, indent, Part{Ink: Warn, Text: words})
	}
	if got.img == nil {
		return false
	}
	thumb := fitted(got.img, min(pictureWidth, max(1, l.w-cells.Width(indent))), 2*pictureHeight)
	w, h := thumb.Bounds().Dx(), thumb.Bounds().Dy()
	pixels := Scale(thumb, w, h)
	pic := &Picture{Image: got.img, Indent: cells.Width(indent), Cols: w, Rows: (h + 1) / 2}
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
			sgr := fmt.Sprintf("38;2;%d;%d;%d;48;2;%d;%d;%d", up.R, up.G, up.B, low.R, low.G, low.B)
			if n := len(parts) - 1; parts[n].SGR == sgr {
				parts[n].Text += "▀"
				continue
			}
			parts = append(parts, Part{Text: "▀", SGR: sgr})
		}
		l.put(parts...)
		if n := len(l.lines) - 1; len(l.lines) < maxLines {
			l.lines[n].Picture, l.lines[n].Row = pic, y/2
		}
	}
	return true
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
