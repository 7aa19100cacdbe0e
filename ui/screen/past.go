package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// past is where a tab stands in the time of a session that is over. While it is on,
// the panes see the session as it stood at a moment; the zero past shows the whole.
type past struct {
	h    *session.History // h is nil until it is needed first.
	on   bool
	at   moment // at is the moment that is shown.
	busy bool   // busy: a command goes to another one.
	todo []step // todo are the steps that were asked for meanwhile.
	gen  int    // gen tells the commands of an earlier stay in the past.

	player
}

// A moment is a session when n rows had come and its clock was at clock, in
// nanoseconds.
type moment struct {
	n     uint32
	clock int64
}

// A step leads from a moment to another one. It is taken in a command.
type step func(h *session.History, from moment) arrival

// An arrival is where a step has led.
type arrival struct {
	moment
	row  uint32 // row is to be selected; NoRow = the latest.
	why  string // why says why there is nothing to go to, empty = there is.
	stay bool   // stay: the selection stays where a person has put it.
}

// An arrived brings the session as it stood.
type arrived struct {
	tab  *tab
	gen  int
	h    *session.History
	snap *session.Snapshot
	arrival
}

// noPast says why there is no going back in time, empty = there is.
func (t *tab) noPast() string {
	r, reads := t.source.(source.Reader)
	switch {
	case t.source.Live():
		return "the session goes on: there is going back in time once it is over"
	case reads && r.Reading():
		return "the recording is still being read"
	case !t.past.on && t.ctx.Snap.Len() == 0:
		return "the session is empty"
	}
	return ""
}

// travel goes to other moments: one command at a time takes all steps that were asked
// for since.
func (t *tab) travel(steps ...step) tea.Cmd {
	p := &t.past
	p.todo = append(p.todo, steps...)
	if p.busy || len(p.todo) == 0 {
		return nil
	}
	todo, from, gen, h := p.todo, p.at, p.gen, p.h
	whole, log := t.source.Snapshot, t.source.Log()
	p.busy, p.todo = true, nil
	return func() tea.Msg {
		if h == nil {
			h = session.NewHistory(whole())
		}
		to := arrival{moment: from, row: session.NoRow}
		for _, one := range todo {
			next := one(h, to.moment)
			if next.why != "" {
				to.why = next.why
				continue
			}
			to = next
		}
		snap := h.At(to.n, to.clock)
		readProgress(snap, log)
		return arrived{t, gen, h, snap, to}
	}
}

// enter goes to the past, at the selected row where no step leads elsewhere.
func (t *tab) enterPast(steps ...step) tea.Cmd {
	if t.past.on || t.past.busy {
		return t.travel(steps...)
	}
	row := t.ctx.Cursor
	if row == session.NoRow {
		row = uint32(max(0, t.ctx.Snap.Len()-1))
	}
	return t.travel(append([]step{toRow(row)}, steps...)...)
}

// arriveAt shows the moment that a command has come to.
func (s *Screen) arriveAt(msg arrived) tea.Cmd {
	t := msg.tab
	p := &t.past
	if p.h == nil {
		p.h = msg.h
	}
	if msg.gen != p.gen {
		return nil
	}
	p.busy, p.on, p.at = false, true, msg.moment
	c := &t.ctx
	c.Snap, c.Now, c.Live, c.Past = t.noted(msg.snap), msg.snap.Clock(), true, true
	p.at.clock = c.Now
	var cmds []tea.Cmd
	switch {
	case msg.stay:
		cmds = append(cmds, t.tell(pane.Moved{}))
	case msg.row == session.NoRow:
		t.traffic.Follow(c)
		cmds = append(cmds, t.tell(pane.Moved{}))
	default:
		cmds = append(cmds, t.tell(pane.Moved{}), t.traffic.Goto(c, msg.row), t.sync())
	}
	if msg.why != "" {
		cmds = append(cmds, s.say(session.Info, msg.why))
	}
	return tea.Batch(append(cmds, t.travel(), t.playOn())...)
}

// leavePast shows the whole session again, at the row that was selected.
func (s *Screen) leavePast() tea.Cmd {
	t := s.tab()
	row := t.ctx.Cursor
	t.past = past{h: t.past.h, gen: t.past.gen + 1, player: player{speed: t.past.speed, serial: t.past.serial + 1}}
	t.ctx.Past = false
	t.look()
	return tea.Batch(t.tell(pane.Moved{}), t.traffic.Goto(&t.ctx, row), t.sync())
}

// Steps.

// back goes to the frame before; where time has passed since the latest one, to that.
func back(h *session.History, from moment) arrival {
	switch {
	case from.n > 0 && from.clock > h.TimeAt(from.n):
		return latest(h, from.n)
	case from.n <= 1:
		return arrival{why: "this is the first frame"}
	}
	return latest(h, from.n-1)
}

func on(h *session.History, from moment) arrival {
	if int(from.n) >= h.Len() {
		return arrival{why: "this is the last frame"}
	}
	return latest(h, from.n+1)
}

// latest is the moment at which the n-th row came.
func latest(h *session.History, n uint32) arrival {
	return arrival{moment: moment{n, h.TimeAt(n)}, row: session.NoRow}
}

// toRow goes to when a row came, and selects it.
func toRow(row uint32) step {
	return func(h *session.History, _ moment) arrival {
		a := latest(h, min(row, uint32(max(1, h.Len())-1))+1)
		a.row = row
		return a
	}
}

// toTime goes to a time, in nanoseconds; relative to where it goes from with by.
func toTime(t int64, by bool) step {
	return func(h *session.History, from moment) arrival {
		if by {
			t += from.clock
		}
		t = max(0, min(t, h.Whole().Clock()))
		return arrival{moment: moment{h.RowsAt(t), t}, row: session.NoRow}
	}
}

// toOperation goes to where the next operation ends, or back to where the one before
// did.
func toOperation(dir int) step {
	return func(h *session.History, from moment) arrival {
		i, n := int(from.n), h.Len()
		if dir < 0 {
			i -= 2
		}
		for ; i >= 0 && i < n; i += dir {
			if h.Ends(uint32(i)) {
				return latest(h, uint32(i)+1)
			}
		}
		if dir < 0 {
			return arrival{why: "no operation ended before this"}
		}
		return arrival{why: "no operation ends after this"}
	}
}

// toFinding goes to when something was found next, or before.
func toFinding(dir int) step {
	return func(h *session.History, from moment) arrival {
		n, clock, row, ok := h.Finding(from.n, from.clock, dir)
		switch {
		case ok:
			return arrival{moment: moment{n, clock}, row: row}
		case dir < 0:
			return arrival{why: "nothing was found before this"}
		}
		return arrival{why: "nothing is found after this"}
	}
}

// toMark goes to the next row of a list, or the one before.
func toMark(rows []uint32, dir int) step {
	return func(h *session.History, from moment) arrival {
		for k := range rows {
			row := rows[k]
			if dir < 0 {
				row = rows[len(rows)-1-k]
			}
			if dir > 0 && row >= from.n || dir < 0 && row+1 < from.n {
				return toRow(row)(h, from)
			}
		}
		if dir < 0 {
			return arrival{why: "no mark before this"}
		}
		return arrival{why: "no mark after this"}
	}
}

// mostProgress is of how many exchanges that wait the progress is read.
const mostProgress = 16

// readProgress reads how far the exchanges of a moment had come: that stands in the
// bodies of notifications. What cannot be read is not shown.
func readProgress(snap *session.Snapshot, log recorder.Log) {
	if !snap.Past() {
		return
	}
	left := mostProgress
	for _, c := range snap.Conns() {
		for _, list := range c.Open {
			for _, x := range list {
				if x.Progress == 0 || left == 0 {
					continue
				}
				left--
				const most = 4 << 10
				body, err := recorder.ReadFrame(log, snap.Row(x.LastNote), 0, most)
				if err != nil {
					continue
				}
				jsonrpc.Scan(body, func(m *jsonrpc.Message) {
					x.Done, x.Total = amount(m.Field(jsonrpc.ParamProgress)), amount(m.Field(jsonrpc.ParamTotal))
				})
			}
		}
	}
}

// timeOf is a time of the session as the time of day, zero where that is not known.
func (t *tab) timeOf(ns int64) time.Time {
	if h := t.ctx.Header; h != nil && !h.T0.IsZero() {
		return h.T0.Add(time.Duration(ns)).Local()
	}
	return time.Time{}
}
