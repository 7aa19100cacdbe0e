package traffic

import (
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// A search is the rows that hold a text, as far as they have been read. It
// begins at the cursor and goes round once; rows that come later are read when
// they come.
type search struct {
	text   string
	filter *filter.Filter // filter finds the text in a body; nil = nothing is searched for.
	cancel *atomic.Bool   // cancel ends the command under way, and tells its answer from those to earlier ones.
	busy   bool

	todo        [][]uint32 // todo are the rows to be read, in this order.
	done, total int        // done of total rows have been read.
	from, to    uint32     // From row from up to to every row shown has been read.
	round       bool       // round: it has left the rows that begin at from.

	hits    []uint32 // hits are ascending.
	growing []uint32 // growing are rows that had not ended when they were read.

	jump  int  // jump is the direction in which a hit is waited for, 0 = not.
	fresh bool // fresh: the cursor has not been moved to a hit.
}

// searched is the result of a stretch of a search.
type searched struct {
	read    int    // read is how many rows were read.
	last    uint32 // last is the last of them.
	hits    []uint32
	growing []uint32
}

// searchAnew begins the search for the text of the context.
func (p *Pane) searchAnew(c *pane.Context) tea.Cmd {
	s := &p.search
	if s.cancel != nil {
		s.cancel.Store(true)
	}
	*s = search{text: c.Search.Text, cancel: new(atomic.Bool), fresh: true}
	if s.text == "" {
		return nil
	}
	f, err := filter.Parse("b:" + filter.Quote(s.text))
	if err != nil {
		return pane.Tell(pane.SayMsg{Text: "search: " + err.Error(), Severity: session.Error})
	}
	s.filter = f
	list := p.found()
	at, _ := slices.BinarySearch(list, p.row)
	s.add(list[at:])
	s.add(list[:at])
	if at < len(list) {
		s.from = list[at]
	}
	s.to = s.from
	return p.searchOn(c)
}

// searchMore has rows read that are new in the list.
func (p *Pane) searchMore(rows []uint32) {
	if p.search.filter != nil && !p.only {
		p.search.add(rows)
	}
}

func (s *search) add(rows []uint32) {
	if len(rows) > 0 {
		s.todo = append(s.todo, rows)
		s.total += len(rows)
	}
}

// searchOn goes on with a search that has something to read.
func (p *Pane) searchOn(c *pane.Context) tea.Cmd {
	s := &p.search
	if s.filter == nil || s.busy {
		return nil
	}
	s.growing = slices.DeleteFunc(s.growing, func(r uint32) bool {
		ended := !grows(c.Snap.Row(r))
		if ended {
			s.add([]uint32{r})
		}
		return ended
	})
	if len(s.todo) == 0 {
		return nil
	}
	s.busy = true
	work := searchWork{s.filter, s.cancel, p.slice, c.Snap, c.Log, slices.Clone(s.todo)}
	return pane.Work(p, func() pane.Then {
		if out, ok := work.run(); ok {
			return func(c *pane.Context) tea.Cmd {
				if work.cancel != p.search.cancel {
					return nil
				}
				return p.takeSearched(c, out)
			}
		}
		return nil
	})
}

// searchWork is what a command needs to search a stretch.
type searchWork struct {
	filter *filter.Filter
	cancel *atomic.Bool
	slice  time.Duration
	snap   *session.Snapshot
	log    recorder.Log
	todo   [][]uint32
}

// run searches until all is done or time is up. It reports false where it was
// cancelled.
func (w searchWork) run() (out searched, ok bool) {
	read := newBodies(w.log)
	turn := newTurn(w.slice, w.cancel)
	for _, rows := range w.todo {
		for _, i := range rows {
			r := w.snap.Row(i)
			if grows(r) {
				out.growing = append(out.growing, i)
			}
			load := 0
			if metaOf(w.filter, w.snap, i) == filter.Body {
				var hit bool
				if hit, load = read.match(w.filter, w.snap, i); hit {
					out.hits = append(out.hits, i)
				}
			}
			out.read++
			out.last = i
			if turn.over(load) {
				return out, !turn.cancelled
			}
		}
	}
	return out, true
}

// grows reports whether there will be more to search in a row: it has not ended, or there
// is not a response to the HTTP request yet.
func grows(r session.Row) bool {
	return r.Kind == session.RowGrowing || r.Kind == session.RowTrip && r.Pair == session.NoRow
}

// takeSearched takes the result of a command, and goes on.
func (p *Pane) takeSearched(c *pane.Context, msg searched) tea.Cmd {
	s := &p.search
	s.busy = false
	s.done += msg.read
	s.consume(msg.read)
	if msg.last >= s.to && !s.round && msg.read > 0 {
		s.to = msg.last + 1
	} else {
		s.round = true
	}
	s.insert(msg.hits)
	s.growing = append(s.growing, msg.growing...)
	cmd := p.searchOn(c)
	if s.jump == 0 {
		return cmd
	}
	return tea.Batch(cmd, p.hunt(c, s.jump))
}

// consume takes n rows from the front of what is to be read.
func (s *search) consume(n int) {
	for n > 0 && len(s.todo) > 0 {
		k := min(n, len(s.todo[0]))
		n -= k
		if s.todo[0] = s.todo[0][k:]; len(s.todo[0]) == 0 {
			s.todo = s.todo[1:]
		}
	}
}

// insert puts new hits among those there are. They mostly come one after the
// other; what lies together is put in at once.
func (s *search) insert(hits []uint32) {
	for len(hits) > 0 {
		at, has := slices.BinarySearch(s.hits, hits[0])
		if has {
			hits = hits[1:]
			continue
		}
		run := 1
		for run < len(hits) && hits[run] > hits[run-1] && (at == len(s.hits) || hits[run] < s.hits[at]) {
			run++
		}
		s.hits = slices.Insert(s.hits, at, hits[:run]...)
		hits = hits[run:]
	}
}

// running reports whether rows are still to be read.
func (s *search) running() bool { return s.busy || len(s.todo) > 0 }

// step returns the next hit from a row in a direction. known is false while it
// depends on rows that were not read.
func (s *search) step(row uint32, dir int) (hit uint32, wrapped, known bool) {
	all := !s.running()
	at, on := slices.BinarySearch(s.hits, row)
	switch {
	case dir > 0 && on && !s.fresh:
		at++
	case dir < 0:
		at--
	}
	if at >= 0 && at < len(s.hits) {
		hit = s.hits[at]
		low, high := min(row, hit), max(row, hit)
		return hit, false, all || low >= s.from && high < s.to
	}
	if !all || len(s.hits) == 0 {
		return 0, false, false
	}
	if dir > 0 {
		return s.hits[0], true, true
	}
	return s.hits[len(s.hits)-1], true, true
}

// hunt goes to the next hit, as soon as it is known.
func (p *Pane) hunt(c *pane.Context, dir int) tea.Cmd {
	s := &p.search
	hit, wrapped, known := s.step(p.row, dir)
	switch {
	case known:
		s.jump, s.fresh = 0, false
		return p.arrive(c, hit, dir, wrapped)
	case s.running():
		s.jump = dir
		return nil
	}
	s.jump = 0
	return pane.Notify("no frame contains “" + text.Visible([]byte(s.text), 40) + "”")
}

// wrapWords says that a search goes on from the other end.
func wrapWords(down bool) string {
	if down {
		return "no more below; continuing from the top"
	}
	return "no more above; continuing from the bottom"
}

// A seek looks in the list for the next row of some kind. A few thousand rows
// are looked at inline, more in a command. One runs at a time: a new one, or a
// move of the cursor, ends it.
type seek struct {
	cancel *atomic.Bool // cancel ends the command under way; nil = there is none.
}

// A quest says what is looked for.
type quest struct {
	is    func(s *session.Snapshot, i uint32) bool
	dir   int
	wrap  bool   // wrap goes on at the other end.
	until uint32 // until is the last row that is looked at; NoRow = all.
	none  string // none is said when there is none.
}

// sought is the result of a seek.
type sought struct {
	row     uint32
	found   bool
	wrapped bool
	quest   quest
}

// stop ends the seek that is under way.
func (s *seek) stop() {
	if s.cancel != nil {
		s.cancel.Store(true)
		s.cancel = nil
	}
}

// seekRow goes to the next row in the list that is what is looked for.
func (p *Pane) seekRow(c *pane.Context, q quest) tea.Cmd {
	p.seek.stop()
	list := p.found()
	at, found := slices.BinarySearch(list, p.row)
	if !found && q.dir > 0 {
		at--
	}
	w := seekWork{list: list, at: at, quest: q, snap: c.Snap}
	out := sought{quest: q}
	if next := w.look(1, inline, &out); next > w.last() || out.found {
		return p.takeSought(c, out)
	}
	cancel := new(atomic.Bool)
	p.seek.cancel = cancel
	return pane.Work(p, func() pane.Then {
		for k := inline; k <= w.last() && !out.found; k += stretch {
			if cancel.Load() {
				return nil
			}
			w.look(k, k+stretch, &out)
		}
		return func(c *pane.Context) tea.Cmd {
			if p.seek.cancel != cancel {
				return nil
			}
			return p.takeSought(c, out)
		}
	})
}

// takeSought goes to what was found.
func (p *Pane) takeSought(c *pane.Context, msg sought) tea.Cmd {
	p.seek.cancel = nil
	if !msg.found {
		return pane.Notify(msg.quest.none)
	}
	return p.arrive(c, msg.row, msg.quest.dir, msg.wrapped)
}

// seekWork looks at the k-th row from the cursor, k from 1 on.
type seekWork struct {
	list  []uint32
	at    int
	quest quest
	snap  *session.Snapshot
}

// last is the greatest k.
func (w *seekWork) last() int {
	switch {
	case w.quest.wrap:
		return len(w.list)
	case w.quest.dir > 0:
		return len(w.list) - 1 - w.at
	}
	return w.at
}

// look looks at the rows from the k-th up to but without the end-th, and returns
// the next k.
func (w *seekWork) look(k, end int, out *sought) int {
	n := len(w.list)
	for ; k < end && k <= w.last(); k++ {
		pos := w.at + k*w.quest.dir
		wrapped := pos < 0 || pos >= n
		row := w.list[((pos%n)+n)%n]
		if past := int64(row) - int64(w.quest.until); w.quest.until != session.NoRow && past*int64(w.quest.dir) > 0 {
			return w.last() + 1
		}
		if w.quest.is(w.snap, row) {
			out.row, out.found, out.wrapped = row, true, wrapped
			return k + 1
		}
	}
	return k
}

// nextFinding goes to the next row at which something was found, by a rule that was
// not silenced, or that says that its request failed.
func (p *Pane) nextFinding(c *pane.Context, dir int) tea.Cmd {
	return p.seekRow(c, quest{dir: dir, wrap: true, until: session.NoRow, none: "no finding and no error in the rows shown", is: isFound(c.Silenced)})
}

// nextOfOperation goes to the next frame of the operation: of all exchanges that
// belong together, or of the one exchange, with what was notified about it.
func (p *Pane) nextOfOperation(c *pane.Context, dir int) tea.Cmd {
	req, op := operation(c.Snap, p.row)
	q := quest{dir: dir, until: session.NoRow, none: "the last frame of the operation"}
	if dir < 0 {
		q.none = "the first frame of the operation"
	}
	switch resp := c.Snap.Row(req).Pair; {
	case op != 0:
	case dir < 0:
		q.until = req
	case resp != session.NoRow:
		q.until = resp
	}
	q.is = func(s *session.Snapshot, i uint32) bool {
		r, o := operation(s, i)
		return r == req && req != session.NoRow || op != 0 && o == op
	}
	return p.seekRow(c, q)
}

// operation returns the request that row i belongs to, NoRow for none, and the
// number of its operation, 0 for none.
func operation(s *session.Snapshot, i uint32) (req, op uint32) {
	r := s.Row(i)
	req = session.NoRow
	switch r.Kind {
	case session.RowRequest:
		req = i
	case session.RowResult, session.RowError, session.RowNotification:
		req = r.Pair
	}
	if op = r.Op; op == 0 && req != session.NoRow {
		op = s.Row(req).Op
	}
	return req, op
}

// isFound reports whether something was found at a row by a rule that was not silenced, or
// its request failed.
func isFound(silenced []string) func(s *session.Snapshot, i uint32) bool {
	if len(silenced) == 0 {
		return func(s *session.Snapshot, i uint32) bool {
			r := s.Row(i)
			return r.Sev > session.NoSeverity || r.Failed()
		}
	}
	var loud session.RowSet
	return func(s *session.Snapshot, i uint32) bool {
		if r := s.Row(i); r.Sev == session.NoSeverity || r.Failed() {
			return r.Failed()
		}
		if loud == nil {
			loud = s.RowsWhere(func(f *session.Finding) bool { return !slices.Contains(silenced, f.Rule) })
		}
		return loud.Has(i)
	}
}
