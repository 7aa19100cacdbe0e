package detail

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

const (
	maxSeen   = 200     // rows of a kind that are listed
	maxLegs   = 64      // exchanges of an operation that are listed
	lookRows  = 1 << 18 // rows that one command looks at
	excerpt   = 240     // characters of a line that are kept
	noteBytes = 4 << 10 // bytes of a notification that are read
)

// An around is what happened during an exchange. It is gathered by commands,
// and further while the exchange lasts.
type around struct {
	gen       int
	req, resp uint32
	op        uint32
	next      uint32 // next is the first row that was not looked at for notes and errs.
	nextLeg   uint32 // nextLeg is the same for legs.
	busy      bool
	cancel    context.CancelFunc

	notes, errs   []seen
	nNotes, nErrs int      // nNotes and nErrs count those that are not listed too.
	asks          []uint32 // asks are the other side's requests meanwhile, at most maxLegs.
	whole         operation
}

// A seen is a row with the beginning of what it says.
type seen struct {
	row  uint32
	text string
	says string // says is the message of a progress notification.

	done, total float64 // done and total are its progress; 0 = no progress, or no total.
}

// reset begins again with another exchange.
func (a *around) reset(req, resp uint32) {
	if a.req == req && a.gen > 0 {
		a.resp = resp
		return
	}
	a.req, a.resp = req, resp
	a.forget()
}

// forget begins again with the same exchange.
func (a *around) forget() {
	if a.cancel != nil {
		a.cancel()
	}
	*a = around{gen: a.gen + 1, req: a.req, resp: a.resp, next: a.req + 1}
}

// ensureAround has the rows looked at that belong to the exchange.
func (p *Pane) ensureAround(c *pane.Context) tea.Cmd {
	a := &p.around
	if p.tab() != timingTab && p.tab() != contentTab || p.sub.req == session.NoRow {
		return nil
	}
	a.reset(p.sub.req, p.sub.resp)
	if op := c.Snap.Row(a.req).Op; op != a.op {
		a.op, a.nextLeg, a.whole = op, 0, operation{}
	}
	end := uint32(c.Snap.Len())
	if a.busy || a.next >= min(end, a.resp) && (a.op == 0 || a.nextLeg >= end) {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.busy, a.cancel = true, cancel
	from := around{req: a.req, resp: a.resp, op: a.op, next: a.next, nextLeg: a.nextLeg, nNotes: a.nNotes, nErrs: a.nErrs, whole: a.whole}
	from.whole.legs = slices.Clone(a.whole.legs)
	snap, log, gen := c.Snap, c.Log, a.gen
	return pane.Work(p, func() pane.Then {
		defer cancel()
		from.look(ctx, snap, log)
		return func(c *pane.Context) tea.Cmd {
			if gen != p.around.gen {
				return nil
			}
			a := &p.around
			a.busy, p.sheet.dirty = false, true
			a.notes, a.errs = append(a.notes, from.notes...), append(a.errs, from.errs...)
			a.nNotes, a.nErrs, a.next = from.nNotes, from.nErrs, from.next
			a.asks = append(a.asks, from.asks...)
			a.asks = a.asks[:min(len(a.asks), maxLegs)]
			if from.op == a.op {
				a.whole, a.nextLeg = from.whole, from.nextLeg
			}
			return p.ensureAround(c)
		}
	})
}

// look looks at the next rows.
func (a *around) look(ctx context.Context, snap *session.Snapshot, log recorder.Log) {
	end := uint32(snap.Len())
	conn, from := snap.Row(a.req).Conn, snap.Row(a.req).Stream
	last := min(end, a.resp)
	for n := 0; a.next < last && n < lookRows && ctx.Err() == nil; n++ {
		r := snap.Row(a.next)
		switch {
		case r.Kind == session.RowStderr && r.Conn == conn:
			if a.nErrs++; a.nErrs <= maxSeen {
				a.errs = append(a.errs, seen{row: a.next, text: lineText(log, r)})
			}
		case r.Kind == session.RowRequest && r.Conn == conn && r.Stream != from && len(a.asks) < maxLegs:
			a.asks = append(a.asks, a.next)
		case r.Kind == session.RowNotification && r.Pair == a.req:
			if a.nNotes++; a.nNotes <= maxSeen {
				a.notes = append(a.notes, noted(snap, log, a.next))
			}
		}
		a.next++
	}
	if a.op == 0 {
		return
	}
	for n := 0; a.nextLeg < end && n < lookRows && ctx.Err() == nil; n++ {
		if r := snap.Row(a.nextLeg); r.Op == a.op {
			a.whole.add(snap, a.nextLeg, r)
		}
		a.nextLeg++
	}
	a.whole.readStatus(snap, log)
}

// lineText is the beginning of a line of text.
func lineText(log recorder.Log, r session.Row) string {
	body, err := recorder.ReadFrame(log, r, 0, 4*excerpt)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return text.Visible(body, excerpt)
}

// noted is what a notification says: how far it is, and its parameters; and of those the
// message by itself.
func noted(snap *session.Snapshot, log recorder.Log, row uint32) seen {
	r, s := snap.Row(row), seen{row: row}
	method := snap.Name(r.Method)
	body, err := recorder.ReadFrame(log, r, 0, noteBytes)
	if err != nil {
		s.text = text.Visible([]byte(method), excerpt)
		return s
	}
	words := strings.TrimPrefix(method, "notifications/")
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		if done := m.Field(jsonrpc.ParamProgress); done.Present() {
			words += " " + string(done.Raw)
			s.done, _ = strconv.ParseFloat(string(done.Raw), 64)
			if total := m.Field(jsonrpc.ParamTotal); total.Present() {
				words += "/" + string(total.Raw)
				s.total, _ = strconv.ParseFloat(string(total.Raw), 64)
			}
		}
		if from, n := m.Params.Off, m.Params.Len; n > 0 && from >= 0 && from+n <= int64(len(body)) {
			params := body[from : from+n]
			words += "  " + string(params)
			var p struct{ Message string }
			if json.Unmarshal(params, &p) == nil {
				s.says = text.Visible([]byte(p.Message), excerpt)
			}
		}
	})
	s.text = text.Visible([]byte(words), excerpt)
	return s
}
