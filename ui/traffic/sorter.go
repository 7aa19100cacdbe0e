package traffic

import (
	"cmp"
	"slices"
	"time"
)

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
