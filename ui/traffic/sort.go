package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// sorting is the order in which the rows of the list are shown. The zero sorting is that of
// their numbers.
type sorting struct {
	by   column
	turn bool // turn: the other way round.

	base   []uint32     // base is the list that was sorted, ascending,
	rows   []uint32     // rows are its rows as they are shown; nil while they are not sorted yet,
	places []uint32     // and places are where each row of base is in rows.
	cancel *atomic.Bool // cancel ends the command under way; nil = there is none.
}

func (s *sorting) on() bool { return s.by != colN || s.turn }

func (s *sorting) stop() {
	if s.cancel != nil {
		s.cancel.Store(true)
		s.cancel = nil
	}
}

// find returns the place at which a row is shown.
func (s *sorting) find(row uint32) (int, bool) {
	at, ok := slices.BinarySearch(s.base, row)
	if !ok {
		return 0, false
	}
	return int(s.places[at]), true
}

// shown are the rows of the list in the order in which they are shown.
func (p *Pane) shown() []uint32 {
	if p.sort.on() && p.sort.rows != nil {
		return p.sort.rows
	}
	return p.list()
}

// isSorted reports whether the rows are shown in another order than that of their numbers.
func (p *Pane) isSorted() bool { return p.sort.on() && p.sort.rows != nil }

// Sort shows the rows in the order of a column, by its name; the greatest number first, or
// with turn the least, and names from A to Z, or with turn from Z to A. Empty is the order in
// which they came.
func (p *Pane) Sort(c *pane.Context, name string, turn bool) (tea.Cmd, error) {
	by := colN
	if name != "" {
		at := slices.Index(ColumnNames[:], name)
		if at < 0 || column(at) == colInfo {
			return nil, fmt.Errorf("unknown column %q; rows are sorted by %s", format.OneLine(name), strings.Join(SortNames(), ", "))
		}
		by = column(at)
	}
	return p.sortBy(c, by, turn), nil
}

// SortNames are the names of the columns that Sort takes.
func SortNames() []string {
	return slices.DeleteFunc(slices.Clone(ColumnNames[:]), func(name string) bool { return name == ColumnNames[colInfo] })
}

func (p *Pane) sortBy(c *pane.Context, by column, turn bool) tea.Cmd {
	if by == colTime { // That is the order of the numbers.
		by = colN
	}
	p.sort.stop()
	p.sort = sorting{by: by, turn: turn}
	p.halt()
	p.unfollow()
	p.top = centre
	p.settle(c)
	return p.resort(c)
}

// turnSort sorts by a column, then the other way round, then not at all.
func (p *Pane) turnSort(c *pane.Context, by column) tea.Cmd {
	same := p.sort.on() && p.sort.by == by
	switch {
	case by == colN || by == colTime:
		return p.sortBy(c, colN, !p.sort.turn || p.sort.by != colN)
	case same && p.sort.turn:
		return p.sortBy(c, colN, false)
	}
	return p.sortBy(c, by, same)
}

// resort sorts the list where it is another one than that which was sorted: of a few thousand
// rows at once, of more in a command, of which the rows that come meanwhile are sorted next.
func (p *Pane) resort(c *pane.Context) tea.Cmd {
	s, list := &p.sort, p.list()
	if !s.on() || s.cancel != nil || len(list) == 0 || len(list) == len(s.base) && &list[0] == &s.base[0] {
		return nil
	}
	w := sortWork{snap: c.Snap, base: list[:len(list):len(list)], by: s.by, turn: s.turn, pairs: p.folds.pairs}
	if len(list) <= inline {
		p.takeSorted(c, w.run())
		return p.load(c)
	}
	cancel := new(atomic.Bool)
	s.cancel, w.cancel = cancel, cancel
	return pane.Work(p, func() pane.Then {
		done := w.run()
		return func(c *pane.Context) tea.Cmd {
			if p.sort.cancel != cancel {
				return nil
			}
			p.sort.cancel = nil
			p.takeSorted(c, done)
			return tea.Batch(p.resort(c), p.load(c))
		}
	})
}

func (p *Pane) takeSorted(c *pane.Context, done sorting) {
	p.sort.base, p.sort.rows, p.sort.places = done.base, done.rows, done.places
	p.settle(c)
}

// settleSorted puts the cursor where its row is shown; where it is not shown, on the row that
// is at its place now.
func (p *Pane) settleSorted() {
	rows := p.sort.rows
	at, ok := p.sort.find(p.row)
	if !ok {
		at = max(0, min(p.at, len(rows)-1))
		if _, listed := slices.BinarySearch(p.list(), p.row); !listed { // Else it is sorted soon.
			p.row = rows[at]
		}
	}
	p.at = at
}

// sortWork is what a command needs to sort rows.
type sortWork struct {
	snap   *session.Snapshot
	base   []uint32
	by     column
	turn   bool
	pairs  bool // pairs: a request stands for its answer too.
	cancel *atomic.Bool
}

// run sorts. Rows without a value are last; equal ones stay in the order of their numbers.
func (w *sortWork) run() sorting {
	type keyed struct {
		row, at uint32
		none    bool
		n       int64
		text    string
	}
	all := make([]keyed, len(w.base))
	for k, row := range w.base {
		if k%stretch == 0 && w.cancel != nil && w.cancel.Load() {
			return sorting{}
		}
		all[k] = keyed{row: row, at: uint32(k)}
		all[k].n, all[k].text, all[k].none = w.value(row)
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		if a.none != b.none {
			if a.none {
				return 1
			}
			return -1
		}
		order := cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.text, b.text))
		if w.turn {
			return -order
		}
		return order
	})
	out := sorting{base: w.base, rows: make([]uint32, len(all)), places: make([]uint32, len(all))}
	for k, x := range all {
		out.rows[k], out.places[x.at] = x.row, uint32(k)
	}
	return out
}

// value is what a row has in the column; none: it has nothing there.
func (w *sortWork) value(row uint32) (n int64, text string, none bool) {
	r := w.snap.Row(row)
	switch w.by {
	case colWhat:
		text = strings.TrimSpace(w.snap.Name(r.Method) + " " + w.snap.Name(r.Target))
		return 0, text, text == ""
	case colLatency:
		ns, ok := w.snap.Latency(row)
		if r.Kind == session.RowRequest && !w.pairs { // It is at the answer, where that is listed.
			_, listed := slices.BinarySearch(w.base, r.Pair)
			ok = ok && !listed
		}
		return ns, "", !ok
	case colSize:
		n = int64(r.Len)
		if w.pairs && r.Kind == session.RowRequest && r.Pair != session.NoRow {
			n += int64(w.snap.Row(r.Pair).Len)
		}
		return n, "", !sized(r.Kind)
	case colID:
		text = w.snap.ID(r)
		return 0, text, text == ""
	case colConn:
		return -int64(r.Conn), "", false
	case colFinding:
		return int64(r.Sev), "", r.Sev == session.NoSeverity
	}
	return -int64(row), "", false
}

// headsFrom is the height of the pane from which on the columns have heads.
const headsFrom = 16

// headWords are the heads of the columns.
var headWords = [numColumns]string{colN: "n", colTime: "time", colWhat: "what", colInfo: "info", colLatency: "latency", colSize: "size", colID: "id", colConn: "c"}

// heads draws the heads of the columns.
func (p *Pane) heads(c *pane.Context, cols *columns, w int) string {
	line := style.NewLine(w, "")
	line.Space(markWidth)
	behind := false // behind what.
	for _, s := range cols.slots {
		look, word := c.Theme.Dim, headWords[s.col]
		if p.sort.on() && p.sort.by == s.col {
			look, word = c.Theme.Accent, word+p.sort.sign()
		}
		switch {
		case s.col == colWhat:
			behind = true
			line.Space(signWidth + 1)
			if cols.tab > 0 && !cols.bare {
				line.Left(look, word, cols.tab)
				line.Left(c.Theme.Dim, headWords[colInfo], cols.text-cols.tab)
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

// sign says which way the rows are sorted: down from the greatest, or up.
func (s *sorting) sign() string {
	if (s.by == colWhat || s.by == colN || s.by == colID || s.by == colConn) != s.turn {
		return "▴"
	}
	return "▾"
}

// headAt is the column whose head is at a place of the line.
func (cols *columns) headAt(x int) (column, bool) {
	from := markWidth
	for _, s := range cols.slots {
		to := from + s.width + 1
		if s.col == colWhat {
			to = from + signWidth + 1 + cols.text
		}
		if x >= from && x < to {
			return s.col, true
		}
		from = to
	}
	return 0, false
}
