package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/text"
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
	bare  bool // bare: what a message says is not shown.
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

	roomyText = 40 // with so much left for the text all columns are shown
	bothFrom  = 85 // from this width of the line on an exchange shows both sizes
	tabFrom   = 40 // from this width of the text on info begins at one place in all lines
	leastTab  = len("server/discover") + 2
	exactFrom = 60 // and from this one on methods are written out
)

// usual are the columns that are shown if nothing else was chosen.
var usual = []slot{{col: colN}, {col: colTime}, {col: colWhat}, {col: colInfo}, {col: colLatency}, {col: colSize}, {col: colID}, {col: colFinding}}

// ColumnNames are the names of the columns, for SetColumns.
var ColumnNames = [numColumns]string{colN: "n", colTime: "time", colWhat: "what", colInfo: "info", colLatency: "latency", colSize: "size", colID: "id", colConn: "connection", colFinding: "finding"}

// columnWords say what is in the columns.
var columnWords = [numColumns]string{
	colN: "the row's number", colTime: "when it came", colWhat: "method and target", colInfo: "the message's first text", colLatency: "from request to answer",
	colSize: "bytes of the message", colID: "the request's id", colConn: "number of the connection", colFinding: "sign of its worst finding",
}

// ColumnSays says in a few words what is in a column; empty for an unknown one.
func ColumnSays(name string) string {
	if at := slices.Index(ColumnNames[:], name); at >= 0 {
		return columnWords[at]
	}
	return ""
}

// A Column is a column that is shown, with its width in cells, 0 = the usual one.
type Column struct {
	Name  string
	Width int
}

// Columns returns the columns that are chosen, in their order.
func (p *Pane) Columns() []Column {
	var list []Column
	for _, s := range p.order() {
		list = append(list, Column{ColumnNames[s.col], s.width})
	}
	return list
}

// ColumnsText writes columns as SetColumns takes them; empty for the usual ones.
func ColumnsText(list []Column) string {
	var words []string
	same := len(list) == len(usual)
	for i, c := range list {
		word := c.Name
		if c.Width > 0 && c.Name != ColumnNames[colInfo] {
			word += ":" + strconv.Itoa(c.Width)
		}
		same = same && word == ColumnNames[usual[i].col]
		words = append(words, word)
	}
	if same {
		return ""
	}
	return strings.Join(words, " ")
}

// ErrNeedsWhat is returned by SetColumns for columns without what.
var ErrNeedsWhat = errors.New(`the column "what" cannot be left out`)

// MaxColumn is the greatest width of a column, in cells.
const MaxColumn = 200

// SetColumns chooses the columns, by their names in their order, each with its width in
// cells behind a colon where it is not the usual one: "n what:30 info latency". Empty
// stands for the usual columns. With an error nothing has changed.
func (p *Pane) SetColumns(words string) error {
	var chosen []slot
	for word := range strings.FieldsSeq(words) {
		name, width, sized := strings.Cut(word, ":")
		s := slot{col: column(slices.Index(ColumnNames[:], name))}
		if !slices.Contains(ColumnNames[:], name) {
			return fmt.Errorf("unknown column %q; there are %s", text.OneLine(name), strings.Join(ColumnNames[:], ", "))
		}
		if slices.ContainsFunc(chosen, func(o slot) bool { return o.col == s.col }) {
			return fmt.Errorf("the column %s is there twice", name)
		}
		var err error
		if s.width, err = strconv.Atoi(width); sized && (err != nil || s.width < 1 || s.width > MaxColumn || s.col == colInfo) {
			return fmt.Errorf("%s: a width is a number of cells from 1 to %d; info takes what is left", text.OneLine(word), MaxColumn)
		}
		chosen = append(chosen, s)
	}
	if len(chosen) > 0 && !slices.ContainsFunc(chosen, func(s slot) bool { return s.col == colWhat }) {
		return ErrNeedsWhat
	}
	p.columns = chosen
	return nil
}

// order are the columns to show.
func (p *Pane) order() []slot {
	if len(p.columns) > 0 {
		return p.columns
	}
	return usual
}

// fitted chooses the columns for lines of w cells, of exchanges where pairs is set: what matters
// most comes first, as long as enough is left for the text.
func fitted(widths Widths, w int, pairs bool, order []slot) columns {
	cols := columns{text: w - markWidth - signWidth - 1}
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
		{colFinding, 1, 8}, {colLatency, latencyWidth, 12}, {colSize, size, 14}, {colTime, widths.time, 20},
		{colN, widths.number, 18}, {colID, idWidth, roomyText}, {colConn, connWidth, 18},
	} {
		at := slices.IndexFunc(order, func(s slot) bool { return s.col == col.col })
		if at >= 0 && order[at].width > 0 {
			col.width = order[at].width
		}
		switch {
		case at < 0:
			continue
		case cols.text-col.width-1 < col.least:
			continue
		}
		shown[col.col] = col.width
		cols.text -= col.width + 1
	}
	info, tab := false, 0
	for _, s := range order {
		switch s.col {
		case colInfo:
			info = true
			continue
		case colWhat:
			tab = s.width
		}
		if s.col == colWhat || shown[s.col] > 0 {
			cols.slots = append(cols.slots, slot{s.col, shown[s.col]})
		}
	}
	cols.text = max(cols.text, 0)
	if cols.exact = cols.text >= exactFrom; cols.text >= tabFrom {
		cols.tab = max(leastTab, cols.text*2/5)
	}
	if tab > 0 {
		cols.tab = min(tab, cols.text)
		cols.exact = cols.exact && cols.tab >= exactFrom*2/5
	}
	cols.bare = !info
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

// what is how wide what is, where info begins behind it; else all that is left.
func (cols *columns) what() int {
	if cols.tab > 0 && !cols.bare {
		return cols.tab
	}
	return cols.text
}

// edges goes over the slots, with the cells from and to which each takes, and the cell between
// it and the next at which its width is changed: behind it, or before it where it is behind
// what; -1 = its width cannot be changed.
func (cols *columns) edges(yield func(col column, at, from, to int) bool) {
	from, behind := markWidth, false
	for _, s := range cols.slots {
		to := from + s.width + 1
		at := to - 1
		switch {
		case s.col == colWhat:
			from += signWidth + 1
			to = from + cols.text
			at, behind = from+cols.what()-1, true
			if cols.bare || cols.tab == 0 {
				at = -1
			}
		case behind:
			at = from
		}
		if !yield(s.col, at, from, to) {
			return
		}
		from = to
	}
}

// Widths are how wide numbers and times get, in cells.
type Widths struct{ number, time int }

// WidthsOf returns those of a session.
func WidthsOf(c *pane.Context) Widths {
	last := c.Snap.Row(uint32(max(0, c.Snap.Len()-1)))
	w := Widths{number: max(4, len(strconv.FormatUint(uint64(last.N), 10))), time: len(pane.ClockForm)}
	if c.Time != pane.Absolute || c.Header == nil {
		w.time = max(7, len(strconv.FormatInt(last.T/1e9, 10))+4)
		if c.Time == pane.Delta || c.Time == pane.SinceMark {
			w.time++
		}
	}
	return w
}

// Or returns widths in which both have room.
func (w Widths) Or(other Widths) Widths {
	return Widths{max(w.number, other.number), max(w.time, other.time)}
}

// A cell is what a row has in a column; without text the column is empty, and what is left
// of it may take its place.
type cell struct {
	style style.Style
	text  string
}

// A Table is a list of rows as it was drawn last: its columns, and their heads where it has
// them. The zero Table was not drawn.
type Table struct {
	cols   columns
	headed bool // headed: the first line has the heads of the columns.
}

// headsFrom is the height of a list from which on the columns have heads.
const headsFrom = 16

// timeWords are the heads of the column of times, where it has no times since the beginning or
// of day; empty elsewhere.
var timeWords = [...]string{pane.Delta: "+row", pane.SinceMark: "+mark"}

// headWords are the heads of the columns.
var headWords = [numColumns]string{colN: "n", colTime: "time", colWhat: "what", colInfo: "info", colLatency: "latency", colSize: "size", colID: "id", colConn: "c"}

// Table returns the list as it was drawn last.
func (p *Pane) Table() *Table { return &p.table }

// Edge returns the column that is made wider or narrower by a cell of the list's heads; empty = none
// is.
func (p *Pane) Edge(x, y int) string { return p.table.Edge(x-p.left, y) }

// WidthTo returns the width with which the edge of a column is at a cell of the list.
func (p *Pane) WidthTo(name string, x int) int { return p.table.WidthTo(name, x-p.left) }

// lay lays the columns that are chosen out in lines of w cells. It returns the line of the heads
// where a list of h lines has one, else none.
func (p *Pane) lay(c *pane.Context, w, h int) []string {
	t := &p.table
	t.cols, t.headed = fitted(WidthsOf(c), w, p.folds.pairs || p.folds.all && c.HTTP(), p.order()), h >= headsFrom
	if !t.headed {
		return nil
	}
	return []string{t.heads(c, p.sort.Sorting, w)}
}

// Headed returns how many lines the heads take.
func (t *Table) Headed() int {
	if t.headed {
		return 1
	}
	return 0
}

// heads draws the heads of the columns.
func (t *Table) heads(c *pane.Context, by Sorting, w int) string {
	th, cols, line := c.Theme, &t.cols, style.NewLine(w, "")
	line.Space(markWidth)
	behind := false // behind what.
	for _, s := range cols.slots {
		look, word := th.Dim, headWords[s.col]
		if s.col == colTime {
			word = cmp.Or(timeWords[c.Time], word)
		}
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
