package merged

import (
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/session"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
	"wiretea/ui/traffic"
)

// A List is the rows of several sessions with a cursor.
type List struct {
	tabs []*host.Tab

	order *merge.Order // order is that of the clock; nil before it was made first.
	given [][]uint32   // given are the rows that it was made of, or is being made of.
	base  time.Time    // base is when its clock began.
	busy  bool         // busy: a command makes the next one.

	rows  rows // rows are those that are shown.
	sort  sorting
	slice time.Duration // slice is how long a command sorts before the screen says how much is done.

	row    merge.Row // row is the selected one.
	at     int       // at is its place, or that of the row before it.
	top    int       // top is the first line shown; list.Centre = around the cursor.
	moved  bool      // moved: somebody has moved the cursor; before that it is on the first row.
	follow bool      // follow: the cursor stays on the newest row.

	seek *atomic.Bool // seek ends the command that looks for a row; nil = there is none.
	hunt int          // hunt is the direction in which the next hit of a search is awaited, 0 = it is not.

	table traffic.Table // table is the columns as they were drawn last,
	left  int           // left is the cell at which they begin,
	w, h  int           // and w and h are the size, without the heads.
}

// A Msg is the result of a command of a List. Whoever gets it calls Take.
type Msg struct{ Take func() tea.Cmd }

// New returns the list of the sessions of some tabs, which is at the end of sessions that
// go on.
func New(tabs []*host.Tab) *List {
	l := &List{tabs: tabs, slice: 25 * time.Millisecond, row: merge.Row{Session: 0, Row: session.NoRow}}
	l.follow = l.live()
	return l
}

// live reports whether a session goes on.
func (l *List) live() bool {
	return slices.ContainsFunc(l.tabs, func(t *host.Tab) bool { return t.Ctx.Live })
}

// Row returns the row that is selected; session.NoRow of the first session while there is
// none.
func (l *List) Row() merge.Row { return l.row }

// Following reports whether the cursor stays on the newest row.
func (l *List) Following() bool { return l.follow }

// Base is when the clock of the sessions began.
func (l *List) Base() time.Time { return l.base }

// Refresh returns the command that puts into order what the panes show; nil where that is
// known, or a command is under way. Whoever shows the list calls it when something may have
// changed.
func (l *List) Refresh() tea.Cmd {
	if l.busy {
		return nil
	}
	sessions, rows := make([]merge.Session, len(l.tabs)), make([][]uint32, len(l.tabs))
	for i, t := range l.tabs {
		rows[i] = t.Traffic.Rows()
		sessions[i] = merge.Session{Snap: t.Ctx.Snap, Rows: rows[i]}
	}
	base := merge.Base(sessions)
	if l.order != nil && base.Equal(l.base) && slices.EqualFunc(rows, l.given, same) {
		return nil
	}
	l.busy, l.given, l.base = true, rows, base
	last := l.order
	return func() tea.Msg {
		order := last.Extend(sessions)
		return Msg{func() tea.Cmd { l.busy = false; return l.take(order) }}
	}
}

// same reports whether two lists are the same memory: what is in it never changes.
func same(a, b []uint32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// take shows another order of the clock. Where the rows are sorted by something else, those
// that were there stay in sight until the new ones are.
func (l *List) take(order *merge.Order) tea.Cmd {
	l.order = order
	if !l.sort.by.On() || l.rows.shown == nil {
		l.show(rows{order: order})
	}
	return l.resort()
}

// show shows rows, with the cursor on its row.
func (l *List) show(r rows) {
	l.rows = r
	switch n := r.order.Len(); {
	case n == 0:
	case l.follow:
		l.at = n - 1
		l.row = r.row(l.at)
	case !l.moved || l.row.Row == session.NoRow:
		l.at, l.row = 0, r.row(0)
	default:
		l.settle()
	}
}

// settle puts the cursor on its row.
func (l *List) settle() {
	if at := l.rows.find(l.row); at >= 0 {
		l.at = at
	}
	l.at = max(0, min(l.at, l.rows.order.Len()-1))
}

// Select puts the cursor on a row, where its session's pane has gone.
func (l *List) Select(r merge.Row) {
	if r == l.row || r.Row == session.NoRow {
		return
	}
	l.row, l.follow, l.moved = r, false, true
	l.settle()
}

// moveTo puts the cursor on a place.
func (l *List) moveTo(at int) {
	n := l.rows.order.Len()
	if n == 0 {
		return
	}
	l.halt()
	l.moved = true
	l.at = max(0, min(at, n-1))
	l.row = l.rows.row(l.at)
	l.follow = l.follow && l.at == n-1
}

// halt ends what would move the cursor later.
func (l *List) halt() {
	l.hunt = 0
	if l.seek != nil {
		l.seek.Store(true)
		l.seek = nil
	}
}

// Do carries out an action that concerns all sessions. It reports false for one that is for
// the session of the selected row.
func (l *List) Do(a keys.Action) (tea.Cmd, bool) {
	if step, moves := list.Step(a, l.rows.order.Len(), l.h); moves {
		if l.moveTo(l.at + step); a == keys.Bottom {
			l.follow = l.live() && !l.sort.by.On() // The end of a live session is followed.
		}
		return nil, true
	}
	switch a {
	case keys.Follow:
		if !l.live() {
			return nil, false // A pane says why not.
		}
		l.Sort(traffic.Sorting{}) // What is new is at the end of the rows by the clock.
		l.moveTo(l.rows.order.Len() - 1)
		l.follow = true
		return nil, true
	case keys.FindNext, keys.MarkNext:
		return l.next(a, 1), true
	case keys.FindPrev, keys.MarkPrev:
		return l.next(a, -1), true
	case keys.SearchNext:
		return l.Hunt(1), true
	case keys.SearchPrev:
		return l.Hunt(-1), true
	}
	return nil, false
}

// Hunt goes to the next hit of the search, once there is one.
func (l *List) Hunt(dir int) tea.Cmd {
	l.halt()
	l.hunt = dir
	return l.Hunting()
}

// Hunting goes on with a Hunt, when more may have been found.
func (l *List) Hunting() tea.Cmd {
	if l.hunt == 0 || l.busy || slices.ContainsFunc(l.tabs, func(t *host.Tab) bool { return t.Traffic.Searching() }) {
		return nil
	}
	a := keys.SearchNext
	if l.hunt < 0 {
		a = keys.SearchPrev
	}
	return l.next(a, l.hunt)
}

// inline is how many rows are looked at without a command.
const inline = 4 << 10

// next goes to the next row, in a direction, that an action looks for.
func (l *List) next(a keys.Action, dir int) tea.Cmd {
	l.halt()
	is := make([]func(uint32) bool, len(l.tabs))
	for i, t := range l.tabs {
		is[i] = t.Traffic.Sought(&t.Ctx, a)
	}
	rows, from := l.rows, l.at
	look := func(k, to int) (int, bool) {
		for n := rows.order.Len(); k < to; k++ {
			r := rows.row(((from+k*dir)%n + n) % n)
			if is[r.Session](r.Row) {
				return k, true
			}
		}
		return to, false
	}
	n := rows.order.Len()
	if k, found := look(1, min(n, inline)); found || k == n || n == 0 {
		return l.arrive(rows, from+k*dir, found)
	}
	cancel := new(atomic.Bool)
	l.seek = cancel
	return func() tea.Msg {
		k, found := inline, false
		for k < n && !found && !cancel.Load() {
			k, found = look(k, min(n, k+16*inline))
		}
		return Msg{func() tea.Cmd {
			if l.seek != cancel {
				return nil
			}
			l.seek = nil
			return l.arrive(rows, from+k*dir, found)
		}}
	}
}

// arrive puts the cursor on what was found among rows, at a place that goes on beyond their
// ends.
func (l *List) arrive(rows rows, at int, found bool) tea.Cmd {
	if !found {
		return pane.Notify("there is no other in the rows shown")
	}
	n := rows.order.Len()
	l.Select(rows.row((at%n + n) % n))
	if at < 0 || at >= n {
		return pane.Notify("searched on from the other end")
	}
	return nil
}

// Click selects the row in a line of the list, and reports whether there is one.
func (l *List) Click(y int) bool {
	if at := l.top + y - l.table.Headed(); at >= l.top && at < min(l.top+l.h, l.rows.order.Len()) {
		l.moveTo(at)
		return true
	}
	return false
}

// Wheel moves the window, and the cursor as far as it must to stay within.
func (l *List) Wheel(lines int) {
	n := l.rows.order.Len()
	if n == 0 || l.follow && lines > 0 {
		return
	}
	l.top = max(0, min(l.where()+lines, n-l.h))
	l.moveTo(max(l.top, min(l.at, l.top+l.h-1)))
	l.follow = false
}

// where is the first line that is shown.
func (l *List) where() int {
	n := l.rows.order.Len()
	if l.follow {
		return max(0, n-l.h)
	}
	return list.Around(l.top, l.at, n, l.h)
}
