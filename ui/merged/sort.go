package merged

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/ui/list"
	"wiretea/ui/traffic"
)

// rows are the rows of several sessions in the order in which they are shown. The zero rows
// are none.
type rows struct {
	order *merge.Order

	shown []uint32 // shown are the places of order as they are shown; nil = as they are in it.
	at    []uint32 // at is where each place of order is in shown.
}

// place is the place by the clock of the row in a line.
func (r rows) place(i int) int {
	if r.shown == nil {
		return i
	}
	return int(r.shown[i])
}

// row is the row in a line.
func (r rows) row(i int) merge.Row { return r.order.At(r.place(i)) }

// since is how long before the row in a line the one before it by the clock came, in
// nanoseconds.
func (r rows) since(i int) int64 {
	if i = r.place(i); i == 0 {
		return 0
	}
	return r.order.Time(i) - r.order.Time(i-1)
}

// find returns the line of a row; of one that is not there that of the row before it in its
// session, -1 where there is none or the rows are sorted.
func (r rows) find(row merge.Row) int {
	at, found := r.order.Place(row)
	switch {
	case r.shown == nil:
		return at
	case !found:
		return -1
	}
	return int(r.at[at])
}

// sorting is by what the rows are sorted.
type sorting struct {
	by      traffic.Sorting
	work    *traffic.Sorter // work is what sorts, of which a command does the next part; nil = nothing does.
	percent int             // percent is how much of it is done.
}

// Sort shows the rows in an order, with the cursor on its row.
func (l *List) Sort(by traffic.Sorting) tea.Cmd {
	l.halt()
	l.sort, l.follow, l.moved, l.top = sorting{by: by}, false, true, list.Centre
	l.show(rows{order: l.order})
	return l.resort()
}

// resort sorts the rows where they are other ones than those that were sorted: a few thousand
// at once, more in commands; those that come meanwhile are sorted next.
func (l *List) resort() tea.Cmd {
	if !l.sort.by.On() || l.sort.work != nil || l.order.Len() == 0 || l.rows.shown != nil && l.rows.order == l.order {
		return nil
	}
	order, work := l.order, l.sort.by.Sorter(l.order.Len(), l.valued())
	if order.Len() <= inline {
		work.Work(time.Hour)
		l.show(sortedRows(order, work))
		return nil
	}
	l.sort.work, l.sort.percent = work, 0
	return l.sortOn(order, work)
}

// sortOn does the next part of a sort in a command.
func (l *List) sortOn(order *merge.Order, work *traffic.Sorter) tea.Cmd {
	slice := l.slice
	return func() tea.Msg {
		percent, done := work.Work(slice), rows{}
		if percent == 100 {
			done = sortedRows(order, work)
		}
		return Msg{func() tea.Cmd {
			switch {
			case l.sort.work != work:
				return nil
			case percent < 100:
				l.sort.percent = percent
				return l.sortOn(order, work)
			}
			l.sort.work = nil
			l.show(done)
			return l.resort()
		}}
	}
}

// sortedRows are the rows of an order as they were sorted.
func sortedRows(order *merge.Order, work *traffic.Sorter) rows {
	shown, at := work.Places()
	return rows{order, shown, at}
}

// valued returns what the row at a place by the clock has in the column by which rows are
// sorted. The connections of one session are beside each other.
func (l *List) valued() func(place int) traffic.Value {
	by, order := l.sort.by, l.order
	of := make([]func(uint32) traffic.Value, len(l.tabs))
	for i, t := range l.tabs {
		of[i] = t.Traffic.Valued(&t.Ctx, by)
	}
	return func(place int) traffic.Value {
		if by.Came() {
			return traffic.Value{N: -int64(place)}
		}
		r := order.At(place)
		v := of[r.Session](r.Row)
		if by.ByConnection() {
			v.N -= int64(r.Session) << 32
		}
		return v
	}
}
