package traffic

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane is the list of the rows of one session.
type Pane struct {
	scan   scan
	folds  folds
	search search
	seek   seek
	texts  excerpts
	only   bool // only the rows of there are shown.

	rules []pane.RowColour // rules are the colour rules by which texts were read.

	columns []slot // columns are those chosen; nil = the usual ones.
	sort    sorting

	answers bool // answers: of an exchange in one line the answer is selected.

	marks    []uint32          // marks are the marked rows, ascending; never written to.
	comments map[uint32]string // comments are what was said about rows; never written to.
	noted    []uint32          // noted are the rows of both, ascending; never written to.
	there    []uint32          // there are those of noted that the snapshot has.
	last     *session.Snapshot // last is the snapshot that was seen last; nil = none was.

	row    uint32 // row is the one selected; where it was not judged yet, it is waited for.
	at     int    // at is its place in the list, -1 while it has none.
	top    int    // top is the first line shown; centre = around the cursor.
	follow bool   // follow: the cursor is on the newest row.
	base   uint32 // base is the row after the last one that was listed when following ended, session.NoRow = not known.
	begun  bool   // begun: the first snapshot has come.

	slice time.Duration // slice is how long a command works before it shows what it has.

	table Table // table is the columns as they were drawn last,
	left  int   // and left the cell at which they begin: before them is the letter of the session.

	w, h  int   // w and h are the size that was drawn last, without the heads.
	lines []int // lines are the places in the list of the lines drawn, -1 for other lines.
}

// centre as Pane.top has the cursor in the middle.
const centre = list.Centre

var _ pane.Pane = (*Pane)(nil)

// New returns the pane of a session.
func New() *Pane {
	p := &Pane{row: session.NoRow, at: -1, slice: 25 * time.Millisecond, folds: folds{all: true}}
	p.scan.restart(nil)
	return p
}

// Cursor returns the row that is selected, session.NoRow for none.
func (p *Pane) Cursor() uint32 {
	if p.at < 0 && p.judged(p.row) {
		return session.NoRow
	}
	return p.row
}

// Follow selects the newest row from now on.
func (p *Pane) Follow(c *pane.Context) {
	p.halt()
	p.sort = sorting{} // What is new is at the end of the rows as they came.
	p.follow, p.top = true, centre
	p.settle(c)
}

// Goto selects a row, or, where it is not shown, the nearest one, and says so.
func (p *Pane) Goto(c *pane.Context, row uint32) tea.Cmd {
	if row == session.NoRow || c.Snap.Len() == 0 {
		return nil
	}
	p.halt()
	row = standIn(c.Snap, row)
	if _, noted := slices.BinarySearch(p.noted, row); p.only && !noted {
		p.only = false
	}
	if row >= uint32(c.Snap.Len()) {
		return tea.Batch(p.moveTo(c, len(p.list())-1), pane.Notify("that row came after the pause"))
	}
	p.unfollow()
	p.row, p.top = row, p.where(max(p.h, 1))
	cmd := p.reveal(c, row)
	p.settle(c)
	if p.at < 0 || p.row == row {
		return tea.Batch(cmd, p.load(c))
	}
	why := "is hidden by the filter; " + c.Keys.WordOf(keys.FilterOff, keys.Traffic) + " shows all rows"
	if r := c.Snap.Row(row); isStderr(r) && !p.scan.stderr {
		why = "is stderr, which is not listed here; the filter d:err lists it"
	}
	return tea.Batch(p.load(c), pane.Notify(fmt.Sprintf("#%d %s", c.Snap.Row(row).N, why)))
}

// halt ends what would move the cursor later.
func (p *Pane) halt() {
	p.seek.stop()
	p.search.jump = 0
}

// unfollow ends following; what comes from now on is new.
func (p *Pane) unfollow() {
	if p.follow {
		p.follow, p.base = false, p.end()
	}
}

// end is the row after the last one that is listed.
func (p *Pane) end() uint32 {
	if list := p.list(); len(list) > 0 {
		return list[len(list)-1] + 1
	}
	return 0
}

// judged reports whether it is known if a row is shown.
func (p *Pane) judged(row uint32) bool {
	return p.only || row < p.scan.next && p.folds.cancel == nil || row == session.NoRow
}

// settle puts the cursor where it belongs after the list has changed.
func (p *Pane) settle(c *pane.Context) {
	list := p.list()
	switch {
	case len(list) == 0:
		p.at = -1
	case p.isSorted() && !p.follow:
		p.settleSorted(c)
	case p.follow:
		p.at = p.newest(c, list)
		if p.only || c.Snap.Len()-int(p.scan.next) < stretch { // The list goes nearly to the session's end.
			p.row = p.Pick(c, list[p.at])
		}
	case p.row == session.NoRow:
		p.at, p.row = 0, p.Pick(c, list[0])
	default:
		at, shown := slices.BinarySearch(list, p.row)
		if !shown && !p.judged(p.row) {
			p.at = -1
			return
		}
		if !shown && !p.only {
			var stays bool
			if at, shown, stays = p.standsFor(c, p.row, at); stays {
				p.at = at
				return
			}
		}
		if !shown && (at == len(list) || at > 0 && p.row-list[at-1] <= list[at]-p.row) {
			at--
		}
		if p.at = at; p.row != list[at] {
			p.row = p.Pick(c, list[at])
		}
	}
}

// newest is the place in the list, which is not empty, of the row that following selects: the
// last one, or, where ends of streams or requests without a message come last, the message or
// what happened to the process before them, which says more. Where an answer came last, it is
// the line that stands for it, if that is in sight.
func (p *Pane) newest(c *pane.Context, list []uint32) int {
	const most = 4 // streams end, and stdin can end on both sides
	s, found, last := c.Snap, p.found(), len(list)-1
	at := last
	quiet := func(i uint32) bool {
		r := s.Row(i)
		v := s.Trip(i)
		return isEnd(s, r) || r.Kind == session.RowTrip && carried(s, i) == session.NoRow && r.Sev == session.NoSeverity && !v.ResponseRow.Failed()
	}
	k := len(found) - 1
	for k > max(0, len(found)-most) && (quiet(found[k]) || s.Row(found[k]).Kind == session.RowTripEnd) {
		k--
	}
	if place, _, stays := p.standsFor(c, found[k], 0); stays && found[k] > list[last] && place > last-p.h {
		return place
	}
	for at > 0 && at > last-most && quiet(list[at]) {
		at--
	}
	r := s.Row(list[at])
	if at < last && r.Conn == s.Row(list[last]).Conn && (r.Kind == session.RowProc || s.TripRow(list[at]) != session.NoRow && !quiet(list[at])) {
		return at
	}
	return last
}

// moveTo puts the cursor on a place in the list, or on its end.
func (p *Pane) moveTo(c *pane.Context, at int) tea.Cmd {
	list := p.shown()
	if len(list) == 0 {
		return nil
	}
	if at = max(0, min(at, len(list)-1)); at != p.newest(c, list) || p.isSorted() {
		p.unfollow()
	}
	p.at, p.row = at, p.Pick(c, list[at])
	return p.load(c)
}

// arrive puts the cursor on a row of the list that was looked for in a direction, and says
// where the search has gone on at the other end.
func (p *Pane) arrive(c *pane.Context, row uint32, dir int, wrapped bool) tea.Cmd {
	var cmd tea.Cmd
	stays := row == p.row
	if _, found := slices.BinarySearch(p.found(), row); found {
		p.unfollow()
		p.row = row
		cmd = p.reveal(c, row)
		p.settle(c)
	}
	cmd = tea.Batch(cmd, p.load(c))
	switch {
	case wrapped && stays:
		cmd = tea.Batch(cmd, pane.Notify("there is no other"))
	case wrapped:
		cmd = tea.Batch(cmd, pane.Notify(wrapWords(dir > 0)))
	}
	return cmd
}

// where returns the first line that is shown in h lines: the place that was
// drawn last, moved as little as the cursor needs, or around it where that is
// far away.
func (p *Pane) where(h int) int {
	n := len(p.shown())
	switch {
	case p.at < 0:
		return max(0, min(p.top, n-h))
	case p.follow:
		return max(0, n-h)
	}
	return list.Around(p.top, p.at, n, h)
}
