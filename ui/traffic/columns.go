package traffic

import (
	"slices"
	"strconv"

	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A column is one of the columns of the list.
type column uint8

const (
	colN column = iota
	colTime
	colWhat
	colInfo
	colLatency
	colSize
	colID
	colConn
	colFinding
	numColumns
)

// A slot is a column with its width in cells. That of what and info is what the others
// leave.
type slot struct {
	col   column
	width int
}

// columns are those of lines of some width, in their order. Before the first is the mark,
// one cell wide, and between two of them one cell.
type columns struct {
	slots []slot
	text  int  // text is what is left for what and info, without the sign before them.
	tab   int  // tab is where info begins in that, where what is not longer; 0 = behind what.
	exact bool // exact: methods are written out where a verb would do.
}

// Widths in cells.
const (
	markWidth    = 1
	signWidth    = 2
	idWidth      = 8
	latencyWidth = 9
	sizeWidth    = 6
	connWidth    = 3

	bothFrom  = 85 // from this width of the line on an exchange shows both sizes
	tabFrom   = 40 // from this width of the text on info begins at one place in all lines
	exactFrom = 60 // and from this one on methods are written out
)

// order are the columns that are shown if nothing else was chosen.
var order = []slot{{col: colN}, {col: colTime}, {col: colWhat}, {col: colInfo}, {col: colLatency}, {col: colSize}, {col: colID}, {col: colFinding}}

// fit chooses the columns for lines of w cells, of exchanges where pairs is set: what matters most comes first, as long as
// enough is left for the text.
func fit(c *pane.Context, w int, pairs bool) columns {
	cols := columns{text: w - markWidth - signWidth - 1}
	n, t := lengths(c)
	size := sizeWidth
	if pairs && w >= bothFrom {
		size += 1 + sizeWidth
	}
	var shown [numColumns]int
	for _, col := range []struct {
		col   column
		width int
		least int // least is what must be left for the text.
	}{
		{colFinding, 1, 8}, {colLatency, latencyWidth, 12}, {colSize, size, 14}, {colTime, t, 20},
		{colN, n, 18}, {colID, idWidth, 40}, {colConn, connWidth, 18},
	} {
		switch {
		case !slices.ContainsFunc(order, func(s slot) bool { return s.col == col.col }):
			continue
		case cols.text-col.width-1 < col.least:
			continue
		}
		shown[col.col] = col.width
		cols.text -= col.width + 1
	}
	for _, s := range order {
		if s.col == colWhat || s.col == colInfo || shown[s.col] > 0 {
			cols.slots = append(cols.slots, slot{s.col, shown[s.col]})
		}
	}
	cols.text = max(cols.text, 0)
	if cols.exact = cols.text >= exactFrom; cols.text >= tabFrom {
		cols.tab = cols.text * 2 / 5
	}
	return cols
}

// width is how wide a column is, 0 where it is not shown.
func (cols *columns) width(col column) int {
	for _, s := range cols.slots {
		if s.col == col {
			return s.width
		}
	}
	return 0
}

// lengths are how wide numbers and times get in this session.
func lengths(c *pane.Context) (n, t int) {
	last := c.Snap.Row(uint32(max(0, c.Snap.Len()-1)))
	n = max(4, len(strconv.FormatUint(uint64(last.N), 10)))
	if c.Time == pane.Absolute && c.Header != nil {
		return n, len(pane.ClockForm)
	}
	t = max(7, len(strconv.FormatInt(last.T/1e9, 10))+4)
	if c.Time == pane.Delta {
		t++
	}
	return n, t
}

// sign is the cell at which the sign of a row that is not indented begins.
func (cols *columns) sign() int {
	x := markWidth
	for _, s := range cols.slots {
		if s.col == colWhat {
			break
		}
		x += s.width + 1
	}
	return x
}

// A cell is what a row has in a column; without text the column is empty, and what is left
// of it may take its place.
type cell struct {
	style style.Style
	text  string
}
