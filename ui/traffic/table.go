package traffic

import (
	"slices"

	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A Table is a list of rows as it was drawn last: its columns, and their heads where it has
// them. The zero Table was not drawn.
type Table struct {
	cols   columns
	headed bool // headed: the first line has the heads of the columns.
}

// headsFrom is the height of a list from which on the columns have heads.
const headsFrom = 16

// headWords are the heads of the columns.
var headWords = [numColumns]string{colN: "n", colTime: "time", colWhat: "what", colInfo: "info", colLatency: "latency", colSize: "size", colID: "id", colConn: "c"}

// Table returns the list as it was drawn last.
func (p *Pane) Table() *Table { return &p.table }

// Lay lays the columns that are chosen out in lines of w cells, with numbers and times of some
// width. It returns the line of the heads where a list of h lines has one, else none.
func (p *Pane) Lay(c *pane.Context, t *Table, by Sorting, widths Widths, w, h int) []string {
	t.cols, t.headed = fitted(widths, w, p.folds.pairs, p.order()), h >= headsFrom
	if !t.headed {
		return nil
	}
	return []string{t.heads(c.Theme, by, w)}
}

// Headed returns how many lines the heads take.
func (t *Table) Headed() int {
	if t.headed {
		return 1
	}
	return 0
}

// heads draws the heads of the columns.
func (t *Table) heads(th *style.Theme, by Sorting, w int) string {
	cols, line := &t.cols, style.NewLine(w, "")
	line.Space(markWidth)
	behind := false // behind what.
	for _, s := range cols.slots {
		look, word := th.Dim, headWords[s.col]
		if by.On() && by.by == s.col {
			look, word = th.Accent, word+by.sign()
		}
		switch {
		case s.col == colWhat:
			behind = true
			line.Space(signWidth + 1)
			if cols.tab > 0 && !cols.bare {
				line.Left(look, word, cols.tab)
				line.Left(th.Dim, headWords[colInfo], cols.text-cols.tab)
				continue
			}
			line.Left(look, word, cols.text)
		case behind:
			line.Space(1)
			line.Right(look, word, s.width)
		default:
			line.Right(look, word, s.width)
			line.Space(1)
		}
	}
	return line.String()
}

// Sorting returns the order after a click on the heads at a cell of their line: that of the
// column, then the other way round, then none. It reports false where there is no head.
func (t *Table) Sorting(now Sorting, x int) (Sorting, bool) {
	from := markWidth
	for _, s := range t.cols.slots {
		to := from + s.width + 1
		if s.col == colWhat {
			to = from + signWidth + 1 + t.cols.text
		}
		if x >= from && x < to {
			return now.turned(s.col), true
		}
		from = to
	}
	return now, false
}

// Edge returns the column that is made wider or narrower by a cell of the heads; empty = none
// is.
func (t *Table) Edge(x, y int) (name string) {
	if !t.headed || y != 0 {
		return ""
	}
	t.cols.edges(func(col column, at, _, _ int) bool {
		if at == x {
			name = ColumnNames[col]
		}
		return name == ""
	})
	return name
}

// WidthTo returns the width with which the edge of a column is at a cell.
func (t *Table) WidthTo(name string, x int) int {
	width, behind, most := 0, false, 0
	t.cols.edges(func(col column, _, from, to int) bool {
		most = t.cols.width(col) + max(0, t.cols.text-roomyText)
		switch {
		case ColumnNames[col] != name:
		case col == colWhat:
			width, most = x-from+1, t.cols.text-1
		case behind:
			width = to - 1 - x
		default:
			width = x - from
		}
		behind = behind || col == colWhat
		return ColumnNames[col] != name
	})
	return max(1, min(width, most, MaxColumn))
}

// Width returns the width of a column, in cells; 0 for one that was not drawn.
func (t *Table) Width(name string) int {
	at := column(slices.Index(ColumnNames[:], name))
	if at == colWhat {
		return t.cols.what()
	}
	return t.cols.width(at)
}

// isSign reports whether a cell of a row that is not indented is its sign.
func (t *Table) isSign(x int) bool {
	at := markWidth
	for _, s := range t.cols.slots {
		if s.col == colWhat {
			break
		}
		at += s.width + 1
	}
	return x >= at && x < at+signWidth
}
