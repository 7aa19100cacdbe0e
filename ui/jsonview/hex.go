package jsonview

import (
	"fmt"
	"strconv"
)

// A hex row has this form: offset, bytes, text.
const hexOffset = 8

// hexColumns is how many bytes a hex row shows in a width.
func hexColumns(w int) int {
	for _, n := range []int{16, 8} {
		if w >= hexOffset+2+3*n+2+n {
			return n
		}
	}
	return 4
}

func (v *View) hexRows() int { return (len(v.doc.body) + v.columns - 1) / max(1, v.columns) }

// hexRow fills the cells of a hex row.
func (v *View) hexRow(n uint32) {
	c, b := &v.cells, v.doc.body
	c.reset()
	from := int(n) * v.columns
	part := b[min(from, len(b)):min(from+v.columns, len(b))]
	c.words(fmt.Sprintf("%0*x  ", hexOffset, from), -1, inkDim)
	for i := range v.columns {
		if i == v.columns/2 && v.columns > 4 {
			c.words(" ", -1, inkText)
		}
		if i >= len(part) {
			c.words("   ", -1, inkText)
			continue
		}
		k := inkText
		if part[i] == 0 {
			k = inkDim
		}
		if part[i] < 16 {
			c.words("0", from+i, k)
		}
		c.words(strconv.FormatUint(uint64(part[i]), 16), from+i, k)
		c.words(" ", -1, inkText)
	}
	c.words(" ", -1, inkText)
	for i, x := range part {
		if x >= ' ' && x < 0x7f {
			c.words(string(rune(x)), from+i, inkString)
		} else {
			c.words("·", from+i, inkDim)
		}
	}
}
