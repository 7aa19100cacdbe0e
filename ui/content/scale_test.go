package content

import (
	"image"
	"image/color"
	"testing"
)

// FuzzScale holds that any image is scaled to any size.
func FuzzScale(f *testing.F) {
	f.Add(3, 4, 10, 2)
	f.Add(1, 1, 1, 1)
	f.Add(64, 1, 3, 9)
	f.Fuzz(func(t *testing.T, fw, fh, w, h int) {
		if fw < 1 || fh < 1 || w < 1 || h < 1 || fw > 64 || fh > 64 || w > 64 || h > 64 {
			return
		}
		img := image.NewRGBA(image.Rect(0, 0, fw, fh))
		for i := range fw * fh {
			img.SetRGBA(i%fw, i/fw, color.RGBA{255, 0, 0, 255})
		}
		got := Scale(img, w, h)
		for i := range w * h {
			if c := got.RGBAAt(i%w, i/w); c != (color.RGBA{255, 0, 0, 255}) {
				t.Fatalf("pixel %d of %d×%d to %d×%d is %v", i, fw, fh, w, h, c)
			}
		}
	})
}
