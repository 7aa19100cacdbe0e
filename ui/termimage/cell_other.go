//go:build !unix

package termimage

import "image"

// CellOf is zero: the size of a cell is not known.
func CellOf(uintptr) image.Point { return image.Point{} }
