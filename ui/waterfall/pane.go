package waterfall

import (
	"cmp"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// busyPart bounds collecting of a session that goes on: it takes at most this part of the
// time.
const busyPart = 10

// A Pane is the page.
type Pane struct {
	list list.List
	got  *chart // got is nil before the session was looked at.
	busy bool   // busy: a command looks at it.

	counted time.Time     // counted is when that was done last,
	took    time.Duration // and took how long it took.

	from, to int64 // from and to are the drawn times at the ends of the window; to is 0 for the whole.
	pointed  int   // pointed counts the moves of the cursor here.
	first    int   // first is the line of the first request, as it was drawn last.
	trip     trip  // trip is the round trip of the request that was selected last.
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane { return &Pane{} }

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if p.got == nil {
		return nil, false
	}
	if p.list.Do(a, len(p.got.requests)) {
		return p.point(c), true
	}
	switch a {
	case keys.Enter:
		if row, ok := p.selected(); ok {
			return pane.Tell(pane.GotoMsg{Row: row}), true
		}
	case keys.ZoomIn:
		p.zoom(c, 0.5)
	case keys.ZoomOut:
		p.zoom(c, 2)
	case keys.PanLeft:
		p.pan(-0.25)
	case keys.PanRight:
		p.pan(0.25)
	case keys.WholeTime:
		p.from, p.to = 0, 0
	case keys.FitTime:
		p.fit(c)
	case keys.RangeTime:
		return p.filter(c), true
	default:
		return nil, false
	}
	return nil, true
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(_ *pane.Context, a keys.Action) string {
	if a == keys.RangeTime && p.to == 0 {
		return "zoom in first: the range that is shown becomes the filter"
	}
	return ""
}

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.Answer:
		return msg.For(p, c)
	case pane.ShownMsg:
		return tea.Batch(p.collect(c), p.readTrip(c))
	case pane.CursorMovedMsg:
		p.follow(c)
		return p.readTrip(c)
	case pane.WheelMsg:
		p.list.Wheel(msg.Lines)
	case pane.ClickMsg:
		if at, ok := p.list.Line(msg.Y - p.first); ok {
			p.list.At = at
			if msg.Double {
				cmd, _ := p.Do(c, keys.Enter)
				return cmd
			}
			return p.point(c)
		}
	}
	return nil
}

// collect returns the command that looks at what is new; nil where nothing is, or one is
// under way.
func (p *Pane) collect(c *pane.Context) tea.Cmd {
	if p.busy || p.got != nil && (p.current(c) || c.Live && time.Since(p.counted) < busyPart*p.took) {
		return nil
	}
	p.busy = true
	first := p.got == nil
	snap, now := c.Snap, int64(0)
	if c.Live {
		now = c.Now
	}
	return pane.Work(p, func() pane.Then {
		begun := time.Now()
		got := collect(snap, now)
		return func(c *pane.Context) tea.Cmd {
			p.busy, p.counted, p.took = false, time.Now(), time.Since(begun)
			p.got = got
			p.list.At = max(0, min(p.list.At, len(got.requests)-1))
			if first {
				p.follow(c)
			}
			return p.readTrip(c)
		}
	})
}

// current reports whether the chart has all rows, and of a session that goes on nearly all
// of its time: how wide idle time is drawn depends on that.
func (p *Pane) current(c *pane.Context) bool {
	return p.got.rows == c.Snap.Len() && (!c.Live || c.Now-p.got.clock < max(int64(time.Second), p.got.clock/10))
}

// selected is the row of the request under the cursor.
func (p *Pane) selected() (uint32, bool) {
	if p.got == nil || p.list.At >= len(p.got.requests) {
		return session.NoRow, false
	}
	return p.got.requests[p.list.At], true
}

// A subject is a request that is drawn.
type subject struct {
	c   *pane.Context
	in  int // in is its session in a merged log, from 1.
	i   uint32
	row session.Row
}

// subject is the request at a row.
func (p *Pane) subject(c *pane.Context, i uint32) subject {
	row := c.Snap.Row(i)
	return subject{c, c.Snap.Member(int(row.Conn)), i, row}
}

// begin is begun.
func (q *subject) begin() int64 { return begun(q.c.Snap, q.i, &q.row) }

// until is end as it is drawn: what waits goes on.
func (q *subject) until() int64 { return until(q.c, q.i, &q.row) }

// point has traffic's cursor follow the one here.
func (p *Pane) point(c *pane.Context) tea.Cmd {
	row, ok := p.selected()
	if !ok {
		return nil
	}
	p.reveal(c)
	// Commands may end in another order than they began: an older one must not move both
	// cursors back.
	p.pointed++
	turn := p.pointed
	point := pane.PointMsg{Row: row, Stale: func() bool { return p.pointed != turn }}
	return tea.Batch(pane.Tell(point), p.readTrip(c))
}

// follow puts the cursor on the request of traffic's row.
func (p *Pane) follow(c *pane.Context) {
	if p.got == nil || c.Cursor == session.NoRow || len(p.got.requests) == 0 {
		return
	}
	row := c.Snap.RequestOf(c.Cursor)
	if row == session.NoRow {
		row = c.Cursor
	}
	p.list.At = p.got.place(row)
	p.reveal(c)
}

// window is the drawn time that is shown.
func (p *Pane) window(c *pane.Context) (from, to int64) {
	if p.to > 0 {
		return p.from, p.to
	}
	end := p.got.axis.end
	if c.Live && !p.got.axis.idle {
		end = max(end, p.got.axis.to(c.Now))
	}
	return 0, max(1, end)
}

// span is the drawn time of the request under the cursor.
func (p *Pane) span(c *pane.Context) (from, to int64, ok bool) {
	at, ok := p.selected()
	if !ok {
		return 0, 0, false
	}
	q := p.subject(c, at)
	return p.got.axis.to(q.begin()), p.got.axis.to(q.until()), true
}

// until is end as it is drawn: what waits goes on.
func until(c *pane.Context, i uint32, row *session.Row) int64 {
	if waits(c, i, row) {
		return max(row.T, c.Now, c.Snap.Clock())
	}
	return end(c.Snap, i, row, c.Snap.Clock(), false)
}

// waits reports whether a request has no answer and may still get one.
func waits(c *pane.Context, i uint32, row *session.Row) bool {
	_, answered := c.Snap.Latency(i)
	return !answered && row.Flags&(session.FlagCancelled|session.FlagLost) == 0 && !c.Dropped(i)
}

// reveal moves the window to where the request under the cursor begins.
func (p *Pane) reveal(c *pane.Context) {
	from, to, ok := p.span(c)
	if !ok || p.to == 0 || from < p.to && to >= p.from {
		return
	}
	size := p.to - p.from
	p.from = max(0, from-size/4)
	p.to = p.from + size
}

// leastWindow is the shortest time that fills the screen, in nanoseconds.
const leastWindow = int64(10 * time.Microsecond)

// zoom shows a time that is longer by a factor, around the selected request where that is
// seen.
func (p *Pane) zoom(c *pane.Context, by float64) {
	from, to := p.window(c)
	middle := (from + to) / 2
	if a, b, ok := p.span(c); ok && (a+b)/2 >= from && (a+b)/2 <= to {
		middle = (a + b) / 2
	}
	size := max(leastWindow, int64(float64(to-from)*by))
	if size >= p.got.axis.end {
		p.from, p.to = 0, 0
		return
	}
	share := float64(middle-from) / float64(to-from)
	p.from = max(0, middle-int64(share*float64(size)))
	p.to = p.from + size
}

// pan moves the window by a part of its length.
func (p *Pane) pan(by float64) {
	if p.to == 0 {
		return
	}
	step := int64(float64(p.to-p.from) * by)
	step = max(-p.from, min(step, max(0, p.got.axis.end-p.to)))
	p.from, p.to = p.from+step, p.to+step
}

// fit has the selected request fill most of the window.
func (p *Pane) fit(c *pane.Context) {
	if from, to, ok := p.span(c); ok {
		room := max(leastWindow, (to-from)/8)
		p.from = max(0, from-room)
		p.to = to + room
	}
}

// filter shows in traffic only what is in the window: of several sessions by the wall clock,
// as each has its own numbers.
func (p *Pane) filter(c *pane.Context) tea.Cmd {
	from, to, snap := p.got.axis.from(p.from), p.got.axis.from(p.to), c.Snap
	if len(snap.Members()) > 0 {
		// A millisecond more at each end makes words that people can read.
		wall := func(t int64, by time.Duration) string {
			return snap.Wall(t).Add(by).UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
		}
		return tea.Batch(pane.Tell(pane.SetFilterMsg{Text: "at>=" + wall(from, 0) + " at<=" + wall(to, time.Millisecond)}), pane.Tell(pane.FocusMsg{Pane: keys.Traffic}))
	}
	return pane.Work(p, func() pane.Then {
		low, high := recordsIn(snap, from, to)
		return func(*pane.Context) tea.Cmd {
			if high == 0 {
				return pane.Notify("nothing happens in this time")
			}
			return tea.Batch(pane.Tell(pane.SetFilterMsg{Text: fmt.Sprintf("n:%d-%d", low, high)}), pane.Tell(pane.FocusMsg{Pane: keys.Traffic}))
		}
	})
}

// recordsIn returns the lowest and the highest record number between two times; 0 where
// there are none.
func recordsIn(s *session.Snapshot, from, to int64) (low, high uint32) {
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.T < from || begin(&row) > to || row.N == 0 {
			continue
		}
		low = cmp.Or(low, row.N)
		low, high = min(low, row.N), max(high, row.N)
	}
	return low, high
}

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	if p.got == nil {
		return "timeline", ""
	}
	from, to := p.window(c)
	whole := c.Snap.Clock()
	begins, ends := p.got.axis.from(from), min(p.got.axis.from(to), whole) // The selected request may have room behind it.
	words := fmt.Sprintf("%s · %s of %s", text.Plural(int64(len(p.got.requests)), "request"), text.Duration(max(0, ends-begins)), text.Duration(whole))
	if p.to == 0 {
		words = fmt.Sprintf("%s · %s", text.Plural(int64(len(p.got.requests)), "request"), text.Duration(whole))
	}
	return "timeline", c.Theme.Dim.Paint(words)
}
