//go:build unix

package termimage

import (
	"image"

	"golang.org/x/sys/unix"
)

// CellOf is the size of a cell in pixels as the terminal's device tells it; zero where it
// does not. Some terminals do not answer the question for it.
func CellOf(fd uintptr) image.Point {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return image.Point{}
	}
	return image.Pt(int(size.Xpixel/size.Col), int(size.Ypixel/size.Row))
}
