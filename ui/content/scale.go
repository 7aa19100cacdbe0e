package content

import (
	"image"
	"image/color"
)

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
