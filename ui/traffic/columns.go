package traffic

import (
	"strconv"

	"wiretea/ui/pane"
)

// columns are the widths of what a line shows, 0 = not shown:
//
//	mark n time sign method target id latency size findings
//
// Each is followed or preceded by the one cell that stands between it and the
// method; the mark is always there, one cell wide.
type columns struct {
	n, time, id, latency, size, sev int

	text int // text is what is left for method and target.
}

// Widths in cells.
const (
	markWidth    = 1
	signWidth    = 2
	idWidth      = 8
	latencyWidth = 9
	sizeWidth    = 6
)

// fit chooses the columns for lines of w cells: what matters most comes first,
// as long as enough is left for the method.
func fit(c *pane.Context, w int) columns {
	cols := columns{text: w - markWidth - signWidth - 1}
	n, t := lengths(c)
	for _, col := range []struct {
		width *int
		want  int
		least int // least is what must be left for the method.
	}{
		{&cols.sev, 1, 8}, {&cols.latency, latencyWidth, 12}, {&cols.size, sizeWidth, 14},
		{&cols.time, t, 20}, {&cols.n, n, 18}, {&cols.id, idWidth, 18},
	} {
		if cols.text-col.want-1 < col.least {
			break
		}
		*col.width = col.want
		cols.text -= col.want + 1
	}
	cols.text = max(cols.text, 0)
	return cols
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
func (cols columns) sign() int { return markWidth + room(cols.n) + room(cols.time) }
