package traffic

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/pane"
)

const (
	inline  = 4 << 10  // rows that Update looks at itself
	stretch = 16 << 10 // rows between two looks at the clock
	weight  = 4 << 20  // bytes of bodies between two looks at the clock
	maxOpen = 64 << 10 // least of the open rows that are judged again; of more the latest
	recent  = 4 << 10  // rows back to which a text may still become part of a message
)

// A judge decides which rows are shown.
type judge struct {
	filter *filter.Filter // filter is nil for all rows.
	stderr bool           // stderr: the filter asks for it.
}

// stderrWords are the words of a filter that can only mean rows of stderr too.
var stderrWords = []string{"d:err", "d:stderr", "is:stderr", "rule:", "n:"}

func newJudge(f *filter.Filter) judge {
	j := judge{filter: f}
	if f != nil {
		for word := range strings.FieldsSeq(f.String()) {
			word = strings.TrimLeft(word, "(-!")
			for _, w := range stderrWords {
				j.stderr = j.stderr || strings.HasPrefix(word, w)
			}
		}
	}
	return j
}

// meta judges a row by its metadata. The line of an HTTP request stands for the head of
// its response too, which has none.
func (j judge) meta(s *session.Snapshot, i uint32) filter.Verdict {
	switch r := s.Row(i); {
	case !j.stderr && isStderr(r), r.Kind == session.RowTripResponse:
		return filter.No
	case j.filter == nil:
		return filter.Yes
	}
	return metaOf(j.filter, s, i)
}

// metaOf judges a row by its metadata, or by those of the response's head for which it
// stands.
func metaOf(f *filter.Filter, s *session.Snapshot, i uint32) filter.Verdict {
	v := f.Meta(s, i)
	if r := s.Row(i); v != filter.Yes && r.Kind == session.RowTrip && r.Pair != session.NoRow {
		return max(v, f.Meta(s, r.Pair))
	}
	return v
}

// isStderr reports whether a row shows what the server wrote to stderr.
func isStderr(r session.Row) bool {
	return r.Stream == session.Stderr && r.Kind.HasBody()
}

// A scan is how far the rows of the session have been judged. Below its length
// rows is never written to again, so that commands may read it.
type scan struct {
	judge
	cancel *atomic.Bool // cancel ends the command under way, and tells its answer from those to earlier ones.
	busy   bool
	next   uint32   // next is the first row that was not judged.
	rows   []uint32 // rows are those shown, ascending.
	unsure unsure
	found  int64 // found counts the reports of findings that have been seen to.
}

// unsure is what may have to be judged again although it has been. It belongs to
// the command that is under way.
type unsure struct {
	open  []open
	lasts []uint32 // lasts are the latest rows of the findings known.
}

// An open row may still change: a request that waits, a frame that grows, a text
// that may turn out to be the beginning of a message.
type open struct {
	row uint32
	was session.Row
}

// add takes one more row; beyond twice as many as are kept the oldest go.
func (u *unsure) add(o open) {
	if len(u.open) >= 2*maxOpen {
		u.open = append(u.open[:0], u.open[maxOpen:]...)
	}
	u.open = append(u.open, o)
}

// A turned row was judged again.
type turned struct {
	row   uint32
	shown bool
}

// scanned is the result of a stretch of a scan.
type scanned struct {
	next   uint32
	rows   []uint32
	turned []turned
	unsure unsure
}

// Hides reports whether a filter, or that only marks are shown, keeps a row off the list.
// known is false while that is being found out.
func (p *Pane) Hides(row uint32) (hidden, known bool) {
	if row >= p.scan.next {
		return false, false
	}
	_, listed := slices.BinarySearch(p.found(), row)
	return !listed, true
}

// Filtered returns what reports whether the filter lets a row of a snapshot through; nil without
// a filter. What is returned can be called in a command, and by one goroutine.
func (p *Pane) Filtered(c *pane.Context) func(s *session.Snapshot, row uint32) bool {
	if p.scan.filter == nil {
		return nil
	}
	w, read := scanWork{judge: p.scan.judge}, newBodies(c.Log)
	return func(s *session.Snapshot, row uint32) bool {
		w.snap = s
		shown, _ := w.shown(read, row)
		return shown
	}
}

// restart begins to judge all rows again.
func (s *scan) restart(f *filter.Filter) {
	if s.cancel != nil {
		s.cancel.Store(true)
	}
	*s = scan{judge: newJudge(f), cancel: new(atomic.Bool)}
}

// extend judges the rows that are new: a few at once, more in a command. With a
// filter it is always a command, which also judges again what has changed.
func (p *Pane) extend(c *pane.Context) tea.Cmd {
	s, n := &p.scan, uint32(c.Snap.Len())
	if s.busy {
		return nil
	}
	if s.filter == nil {
		end := min(n, s.next+inline)
		for ; s.next < end; s.next++ {
			if s.meta(c.Snap, s.next) == filter.Yes {
				s.rows = append(s.rows, s.next)
			}
		}
	}
	t := c.Snap.Totals()
	found := t.Findings[session.Info] + t.Findings[session.Warning] + t.Findings[session.Error] + t.Repeats
	if s.next == n && len(s.unsure.open) == 0 && (s.filter == nil || found == s.found) {
		return nil
	}
	s.found = found
	s.busy = true
	work := scanWork{s.judge, s.cancel, p.slice, c.Snap, c.Log, s.next, s.unsure}
	s.unsure = unsure{}
	return pane.Work(p, func() pane.Then {
		if out, ok := work.run(); ok {
			return func(c *pane.Context) tea.Cmd {
				if work.cancel != p.scan.cancel {
					return nil
				}
				return p.takeScanned(c, out)
			}
		}
		return nil
	})
}

// scanWork is what a command needs to judge a stretch of rows.
type scanWork struct {
	judge  judge
	cancel *atomic.Bool
	slice  time.Duration
	snap   *session.Snapshot
	log    recorder.Log
	next   uint32
	unsure unsure
}

// run judges rows until all are done or time is up. It reports false where it was
// cancelled.
func (w scanWork) run() (out scanned, ok bool) {
	out.next = w.next
	read := newBodies(w.log)
	if w.judge.filter != nil {
		out.unsure, out.turned = w.again(read)
	}
	turn := newTurn(w.slice, w.cancel)
	n := uint32(w.snap.Len())
	for out.next < n {
		i := out.next
		shown, bytes := w.shown(read, i)
		if shown {
			out.rows = append(out.rows, i)
		}
		if w.judge.filter != nil && w.isOpen(i) {
			out.unsure.add(open{i, w.snap.Row(i)})
		}
		out.next++
		if turn.over(bytes) {
			break
		}
	}
	return out, !turn.cancelled
}

// A turn is how long a command works before it shows what it has.
type turn struct {
	until     time.Time
	cancel    *atomic.Bool
	rows      int // rows and load are what was done since the clock was looked at.
	load      int
	cancelled bool
}

func newTurn(slice time.Duration, cancel *atomic.Bool) turn {
	return turn{until: time.Now().Add(slice), cancel: cancel}
}

// over takes note of one row, of whose body so many bytes were read. It reports whether
// the command has to end: as time is up, or it was cancelled.
func (t *turn) over(bytes int) bool {
	t.rows++
	if t.load += bytes; t.rows < stretch && t.load < weight {
		return false
	}
	t.rows, t.load, t.cancelled = 0, 0, t.cancel.Load()
	return t.cancelled || time.Now().After(t.until)
}

// shown judges one row, and says how many bytes of body that took.
func (w *scanWork) shown(read *bodies, i uint32) (shown bool, bytes int) {
	switch w.judge.meta(w.snap, i) {
	case filter.Yes:
		return true, 0
	case filter.No:
		return false, 0
	case filter.Body:
	}
	return read.match(w.judge.filter, w.snap, i)
}

// isOpen reports whether row i may still change.
func (w *scanWork) isOpen(i uint32) bool {
	r := w.snap.Row(i)
	if trip := w.snap.TripRow(i); trip != session.NoRow && w.snap.Row(trip).Pair == session.NoRow {
		return true // The filter may ask for the status of its response.
	}
	switch r.Kind {
	case session.RowRequest:
		return r.Pair == session.NoRow && r.Flags&session.FlagLost == 0
	case session.RowGrowing:
		return true
	case session.RowText:
		return i+recent >= uint32(w.snap.Len()) && w.snap.End() == nil
	default:
		return false
	}
}

// again judges what was unsure.
func (w *scanWork) again(read *bodies) (rest unsure, out []turned) {
	for _, o := range w.unsure.open {
		now := w.snap.Row(o.row)
		// What time alone changes, the metadata decide.
		if v := w.judge.meta(w.snap, o.row); v != filter.Body || now != o.was || !w.isOpen(o.row) {
			shown, _ := w.shown(read, o.row)
			out = append(out, turned{o.row, shown})
		}
		if w.isOpen(o.row) {
			rest.add(open{o.row, now})
		}
	}
	rest.lasts = w.unsure.lasts
	for i, f := range w.snap.Findings() {
		if i == len(rest.lasts) {
			rest.lasts = append(rest.lasts, session.NoRow)
			out = w.found(read, f.Row, out)
		}
		if rest.lasts[i] != f.Last {
			rest.lasts[i] = f.Last
			out = w.found(read, f.Last, out)
		}
	}
	slices.SortStableFunc(out, func(a, b turned) int { return cmp.Compare(a.row, b.row) })
	return rest, slices.CompactFunc(out, func(a, b turned) bool { return a.row == b.row })
}

// found judges a row again at which something was found.
func (w *scanWork) found(read *bodies, row uint32, out []turned) []turned {
	if row >= w.next {
		return out
	}
	shown, _ := w.shown(read, row)
	return append(out, turned{row, shown})
}

// takeScanned takes the result of a command, and goes on.
func (p *Pane) takeScanned(c *pane.Context, msg scanned) tea.Cmd {
	s := &p.scan
	s.busy = false
	s.unsure = msg.unsure
	came, gone := s.turn(msg.turned)
	if len(came)+len(gone) > 0 {
		p.folds.restart()
	}
	if len(gone) > 0 {
		p.search.hits = slices.DeleteFunc(p.search.hits, func(row uint32) bool {
			_, is := slices.BinarySearch(gone, row)
			return is
		})
	}
	p.searchMore(came)
	old := len(s.rows)
	s.rows = append(s.rows, msg.rows...)
	s.next = max(s.next, msg.next)
	p.searchMore(s.rows[old:])
	var cmd tea.Cmd
	if s.next < uint32(c.Snap.Len()) {
		cmd = p.extend(c)
	} else if p.base == session.NoRow {
		p.base = p.end()
	}
	cmd = tea.Batch(cmd, p.extendFolds(c))
	p.settle(c)
	return tea.Batch(cmd, p.goOn(c))
}

// turn takes rows in and out that were judged again, and returns them.
func (s *scan) turn(list []turned) (came, gone []uint32) {
	for _, t := range list {
		_, has := slices.BinarySearch(s.rows, t.row)
		switch {
		case has && !t.shown:
			gone = append(gone, t.row)
		case !has && t.shown:
			came = append(came, t.row)
		}
	}
	if len(came)+len(gone) == 0 {
		return nil, nil
	}
	rows := make([]uint32, 0, len(s.rows)+len(came)+inline)
	in, out := came, gone
	for _, r := range s.rows {
		for len(in) > 0 && in[0] < r {
			rows, in = append(rows, in[0]), in[1:]
		}
		if len(out) > 0 && out[0] == r {
			out = out[1:]
			continue
		}
		rows = append(rows, r)
	}
	s.rows = append(rows, in...)
	return came, gone
}
