package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// A Sorting is the column by which rows are sorted. The zero Sorting is the order in which
// they came.
type Sorting struct {
	by   column
	turn bool // turn: the other way round.
}

// ParseSorting returns the order of a column, by its name: the greatest number first, or with
// turn the least, and names from A to Z, or with turn from Z to A. Empty is the order in which
// the rows came.
func ParseSorting(name string, turn bool) (Sorting, error) {
	by := colN
	if name != "" {
		at := slices.Index(ColumnNames[:], name)
		if at < 0 || column(at) == colInfo {
			return Sorting{}, fmt.Errorf("unknown column %q; rows are sorted by %s", text.OneLine(name), strings.Join(SortNames(), ", "))
		}
		by = column(at)
	}
	return sortingBy(by, turn), nil
}

// SortNames are the names of the columns that ParseSorting takes.
func SortNames() []string {
	return slices.DeleteFunc(slices.Clone(ColumnNames[:]), func(name string) bool { return name == ColumnNames[colInfo] })
}

func sortingBy(by column, turn bool) Sorting {
	if by == colTime { // That is the order of the numbers.
		by = colN
	}
	return Sorting{by, turn}
}

// On reports whether it is another order than that in which the rows came.
func (s Sorting) On() bool { return s.by != colN || s.turn }

// turned is the order after a column was chosen once more: by it, then the other way round,
// then not at all.
func (s Sorting) turned(by column) Sorting {
	same := s.On() && s.by == by
	switch {
	case by == colN || by == colTime:
		return sortingBy(colN, !s.turn || s.by != colN)
	case same && s.turn:
		return Sorting{}
	}
	return sortingBy(by, same)
}

// Title says by what rows are sorted, and which way.
func (s Sorting) Title() string { return "by " + ColumnNames[s.by] + " " + s.sign() }

// TitleWhile is Title, and how much is done, in percent, where rows are being sorted and that
// takes long.
func (s Sorting) TitleWhile(percent int, busy bool) string {
	if !busy || percent == 0 {
		return s.Title()
	}
	return fmt.Sprintf("%s %d %%", s.Title(), percent)
}

// sign says which way the rows are sorted: down from the greatest, or up.
func (s Sorting) sign() string {
	if (s.by == colWhat || s.by == colN || s.by == colID || s.by == colConn) != s.turn {
		return "▴"
	}
	return "▾"
}

// sorting is the order in which the rows of the list are shown.
type sorting struct {
	Sorting

	base   []uint32 // base is the list that was sorted, ascending,
	rows   []uint32 // rows are its rows as they are shown; nil while they are not sorted yet,
	places []uint32 // and places are where each row of base is in rows.

	work    *sortWork // work is the sort under way, of which a command does the next part; nil = there is none.
	percent int       // percent is how much of it is done.
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
	if p.isSorted() {
		return p.sort.rows
	}
	return p.list()
}

// isSorted reports whether the rows are shown in another order than that of their numbers.
func (p *Pane) isSorted() bool { return p.sort.On() && p.sort.rows != nil }

// Sort shows the rows in an order.
func (p *Pane) Sort(c *pane.Context, by Sorting) tea.Cmd {
	p.sort = sorting{Sorting: by}
	p.halt()
	p.unfollow()
	p.top = centre
	p.settle(c)
	return p.resort(c)
}

// resort sorts the list where it is another one than that which was sorted: of a few thousand
// rows at once, of more in commands; rows that come meanwhile are sorted next.
func (p *Pane) resort(c *pane.Context) tea.Cmd {
	s, list := &p.sort, p.list()
	if !s.On() || s.work != nil || len(list) == 0 || len(list) == len(s.base) && &list[0] == &s.base[0] {
		return nil
	}
	work := p.sortWork(c, s.Sorting)
	work.sorter = s.Sorter(len(list), func(k int) Value { return work.value(work.base[k]) })
	if len(list) <= inline {
		work.sorter.Work(time.Hour)
		p.takeSorted(c, work.sorted())
		return p.load(c)
	}
	s.work, s.percent = work, 0
	return p.sortOn(work)
}

// sortOn does the next part of a sort in a command.
func (p *Pane) sortOn(work *sortWork) tea.Cmd {
	slice := p.slice
	return pane.Work(p, func() pane.Then {
		percent, done := work.sorter.Work(slice), sorting{}
		if percent == 100 {
			done = work.sorted()
		}
		return func(c *pane.Context) tea.Cmd {
			switch {
			case p.sort.work != work:
				return nil
			case percent < 100:
				p.sort.percent = percent
				return p.sortOn(work)
			}
			p.sort.work = nil
			p.takeSorted(c, done)
			return tea.Batch(p.resort(c), p.load(c))
		}
	})
}

func (p *Pane) takeSorted(c *pane.Context, done sorting) {
	first := p.sort.rows == nil
	p.sort.base, p.sort.rows, p.sort.places = done.base, done.rows, done.places
	if first { // What was sorted for is at the top.
		p.row, p.top = p.Pick(c, done.rows[0]), 0
	}
	p.settle(c)
}

// settleSorted puts the cursor where its row is shown; where it is not shown, on the row that
// is at its place now.
func (p *Pane) settleSorted(c *pane.Context) {
	rows := p.sort.rows
	at, ok := p.sort.find(p.row)
	if place, _, stays := p.standsFor(c, p.row, 0); !ok && stays {
		at, ok = p.sort.find(p.list()[place])
	}
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
	Sorting
	snap  *session.Snapshot
	base  []uint32
	folds folds // folds say for which other rows a row stands.

	sorter *Sorter
}

// sortWork is what is needed to sort the rows as they are listed now.
func (p *Pane) sortWork(c *pane.Context, by Sorting) *sortWork {
	list := p.list()
	return &sortWork{Sorting: by, snap: c.Snap, base: list[:len(list):len(list)], folds: p.folds}
}

// sorted are the rows, once the sorter has done its work.
func (w *sortWork) sorted() sorting {
	rows, at := w.sorter.Places()
	for k, place := range rows {
		rows[k] = w.base[place]
	}
	return sorting{base: w.base, rows: rows, places: at}
}

// value is what a row has in the column.
func (w *sortWork) value(row uint32) Value {
	msg, answer := w.folds.line(w.snap, row)
	if msg == session.NoRow || isAnswer(w.snap.Row(row)) {
		msg, answer = row, session.NoRow
	}
	r := w.snap.Row(msg)
	switch w.by {
	case colWhat:
		text := strings.TrimSpace(w.snap.Name(r.Method) + " " + w.snap.Name(r.Target))
		return Value{Text: text, None: text == ""}
	case colLatency:
		ns, ok := w.snap.Latency(msg)
		if r.Kind == session.RowRequest && answer == session.NoRow { // It is at the answer, where that is listed.
			_, listed := slices.BinarySearch(w.base, r.Pair)
			ok = ok && !listed
		}
		return Value{N: ns, None: !ok}
	case colSize:
		n := int64(r.Len)
		if answer != session.NoRow {
			n += int64(w.snap.Row(answer).Len)
		}
		return Value{N: n, None: !sized(r.Kind)}
	case colID:
		text := w.snap.ID(r)
		return Value{Text: text, None: text == ""}
	case colConn:
		return Value{N: -int64(w.snap.Member(int(r.Conn)))<<32 - int64(r.Conn)}
	case colFinding:
		return Value{N: int64(r.Sev), None: r.Sev == session.NoSeverity}
	}
	return Value{N: -int64(row)}
}

// sortRun is how many rows are sorted between two looks at the clock.
const sortRun = 8 << 10

// A Sorter puts the places of a list into an order, a while at a time: a list of a million
// rows takes a second, in which what is shown stays as it was.
type Sorter struct {
	by    Sorting
	value func(place int) Value
	keys  []Value

	from, to []uint32 // from are the places in sorted runs of width, which are merged into to.
	width    int      // width is 0 until the runs are made.
	next     int      // next is the first place of from that was not dealt with in this pass.
	left     int      // left and right are where the merge of the two runs that begin at next
	right    int      // goes on,
	out      int      // and out is where its next place goes.
	rows     int      // rows were dealt with in all passes,
	all      int      // of so many.
}

// A Value is what a row has in the column by which rows are sorted. Greater numbers come
// first, then lesser texts.
type Value struct {
	N    int64
	Text string
	None bool // None: the row has nothing there.
}

// Sorter returns what sorts the places of a list of n rows. Rows without a value are last;
// equal ones stay in their order.
func (s Sorting) Sorter(n int, value func(place int) Value) *Sorter {
	w := &Sorter{by: s, value: value, keys: make([]Value, n), from: make([]uint32, n), to: make([]uint32, n), all: n}
	for width := sortRun; width < n; width *= 2 {
		w.all += n
	}
	return w
}

// Work sorts for about a while, and returns how much is done, in percent: 100 once the
// places are sorted. It can be called in a command, one at a time.
func (w *Sorter) Work(while time.Duration) (percent int) {
	for until := time.Now().Add(while); w.rows < w.all; {
		if w.width == 0 {
			w.begin()
		} else {
			w.merge()
		}
		if time.Now().After(until) {
			break
		}
	}
	if w.all == 0 {
		return 100
	}
	return int(int64(w.rows) * 100 / int64(w.all))
}

// compare says which of two places comes first.
func (w *Sorter) compare(i, j uint32) int {
	a, b := &w.keys[i], &w.keys[j]
	switch {
	case a.None && b.None:
		return cmp.Compare(i, j)
	case a.None:
		return 1
	case b.None:
		return -1
	}
	order := cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Text, b.Text))
	if w.by.turn {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(i, j))
}

// begin makes the next run.
func (w *Sorter) begin() {
	to := min(w.next+sortRun, len(w.from))
	for k := w.next; k < to; k++ {
		w.from[k], w.keys[k] = uint32(k), w.value(k)
	}
	slices.SortFunc(w.from[w.next:to], w.compare)
	w.rows += to - w.next
	if w.next = to; to == len(w.from) {
		w.pass(sortRun)
	}
}

// pass begins to merge runs of a width.
func (w *Sorter) pass(width int) {
	w.width, w.next, w.out, w.left, w.right = width, 0, 0, 0, min(width, len(w.from))
}

// merge writes some rows of the two runs that are merged.
func (w *Sorter) merge() {
	n := len(w.from)
	middle, end := min(w.next+w.width, n), min(w.next+2*w.width, n)
	stop := min(w.out+sortRun, end)
	for ; w.out < stop; w.out++ {
		w.rows++
		if w.right == end || w.left < middle && w.compare(w.from[w.left], w.from[w.right]) < 0 {
			w.to[w.out] = w.from[w.left]
			w.left++
		} else {
			w.to[w.out] = w.from[w.right]
			w.right++
		}
	}
	switch {
	case w.out < end:
	case end < n:
		w.next, w.left, w.right = end, end, min(end+w.width, n)
	default:
		w.from, w.to = w.to, w.from
		w.pass(2 * w.width)
	}
}

// Places returns the sorted places: shown are they in the order in which they are shown, and
// at is where each is in that. Work has returned 100.
func (w *Sorter) Places() (shown, at []uint32) {
	shown, at = w.from, w.to
	for k, place := range shown {
		at[place] = uint32(k)
	}
	return shown, at
}
