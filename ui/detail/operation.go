package detail

import (
	"encoding/json"
	"fmt"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// An operation is one act of the user over several exchanges: the legs of a
// multi-round-trip request, a task and its polls, a probe and initialize.
type operation struct {
	legs      []leg
	exchanges int    // exchanges counts the requests, those that are not listed too.
	polls     int    // polls counts the requests for the state of a task.
	begin     uint32 // begin is the row of the first request.
	end       uint32 // end is the row of the latest response.
	ended     bool   // ended: there is an end.

	statusRow uint32 // statusRow is the row that told the state of a task last; read is whether it was read.
	tells     bool   // tells: there is one.
	read      bool
	status    string // status is the state of the task, in the server's word; empty = there is none.
	message   string // message is what the server says of it.
}

// A leg is one exchange of an operation, or several polls of a task in a row.
type leg struct {
	row, last uint32 // row is the first request, last the latest.
	n         int
}

// maxStatus is the longest response that is looked at for a task's state, in
// bytes.
const maxStatus = 64 << 10

// add takes a row of the operation. Polls in a row are one leg.
func (o *operation) add(snap *session.Snapshot, i uint32, r session.Row) {
	method := snap.Name(r.Method)
	switch r.Kind {
	case session.RowRequest:
		if o.exchanges == 0 {
			o.begin = i
		}
		o.exchanges++
		if method == "tasks/get" {
			o.polls++
			if n := len(o.legs); n > 0 && snap.Name(snap.Row(o.legs[n-1].row).Method) == method {
				o.legs[n-1].last = i
				o.legs[n-1].n++
				return
			}
		}
		if len(o.legs) < maxLegs {
			o.legs = append(o.legs, leg{i, i, 1})
		}
	case session.RowResult, session.RowError:
		o.end, o.ended = i, true
	default:
	}
	tells := r.Kind == session.RowResult && method != "tasks/result" || r.Kind == session.RowNotification && strings.HasPrefix(method, "notifications/tasks")
	if tells && r.Len <= maxStatus {
		o.statusRow, o.tells, o.read = i, true, false
	}
}

// readStatus reads the state of the task where one was told.
func (o *operation) readStatus(snap *session.Snapshot, log recorder.Log) {
	if !o.tells || o.read {
		return
	}
	o.read = true
	body, err := recorder.ReadFrame(log, snap.Row(o.statusRow), 0, maxStatus)
	if err != nil {
		return
	}
	type state struct {
		TaskID, Status, StatusMessage string
	}
	var m struct {
		Params state
		Result struct {
			state
			Task state
		}
	}
	if json.Unmarshal(body, &m) != nil {
		return
	}
	for _, s := range []state{m.Params, m.Result.state, m.Result.Task} {
		if s.TaskID != "" && s.Status != "" {
			o.status, o.message = text.Visible([]byte(s.Status), 40), text.Visible([]byte(s.StatusMessage), excerpt)
		}
	}
}

// over reports whether nothing of the operation is to come.
func (o *operation) over(snap *session.Snapshot) bool {
	if o.status != "" {
		return o.status == "completed" || o.status == "failed" || o.status == "cancelled"
	}
	last := snap.Row(o.legs[len(o.legs)-1].last)
	return last.Pair != session.NoRow && snap.Row(last.Pair).Flags&session.FlagAsks == 0 || last.Flags&(session.FlagCancelled|session.FlagLost) != 0
}

// operation says what belongs together: how long all of it took, and each leg.
func (p *Pane) operation(c *pane.Context, s *sheet) {
	o := &p.around.whole
	if o.exchanges < 2 && o.status == "" || len(o.legs) == 0 {
		return
	}
	th, snap := c.Theme, c.Snap
	s.heading(th, "operation", part{th.Dim, "  " + text.Plural(int64(o.exchanges), "exchange")})
	from := snap.Row(o.begin).T
	if o.status != "" {
		words := o.status
		if o.message != "" {
			words += ": " + o.message
		}
		s.fact(th, "task", part{th.Strong, " " + words}, part{th.Dim, "  " + text.Plural(int64(o.polls), "poll")}).row = o.statusRow
	}
	until, style, note := snap.Clock(), th.Warning, "  so far"
	if c.Live {
		until = c.Now
	}
	if o.over(snap) && o.ended {
		until, style, note = snap.Row(o.end).T, th.Strong, ""
	}
	busy := int64(0) // busy is how long the listed legs waited for the server.
	for _, l := range o.legs {
		// Between polls the server works too, or not: it is not known.
		if ns, ok := snap.Latency(l.row); ok && l.n == 1 {
			busy += ns
		}
	}
	if pause := until - from - busy; pause > 0 && len(o.legs) > 1 && o.polls == 0 {
		note += "  = " + text.Duration(busy) + " the server + " + text.Duration(pause) + " between"
	}
	s.fact(th, "total", part{style, right(text.Duration(max(0, until-from)), 12)}, part{th.Dim, note})
	for i, l := range o.legs {
		if i > 0 {
			p.between(c, s, o.legs[i-1], l)
		}
		p.leg(c, s, l, from)
	}
	if last := snap.Row(snap.Row(o.legs[len(o.legs)-1].last).Pair); c.Live && last.Flags&session.FlagAsks != 0 {
		s.line(part{th.Dim, cells.Spaces(23)}, part{th.Warning, right(text.Duration(until-last.T), 8)}, part{th.Warning, "  ⚠ waiting for input"})
	}
	rest := o.exchanges
	for _, l := range o.legs {
		rest -= l.n
	}
	if rest > 0 {
		s.line(part{th.Dim, fmt.Sprintf("  … and %s more", text.Count(int64(rest)))})
	}
}

// between says how long the client took between two legs: over a question that
// is the user's time.
func (p *Pane) between(c *pane.Context, s *sheet, before, l leg) {
	snap := c.Snap
	resp := snap.Row(snap.Row(before.last).Pair)
	if snap.Row(before.last).Pair == session.NoRow || snap.Name(snap.Row(l.row).Method) != snap.Name(snap.Row(before.last).Method) {
		return
	}
	if ns := snap.Row(l.row).T - resp.T; ns > 0 {
		s.line(part{c.Theme.Dim, cells.Spaces(23)}, part{c.Theme.Asks, right(text.Duration(ns), 8)}, part{c.Theme.Dim, "  until the input was given"})
	}
}

// leg writes one leg: when it began, how long it took, what it was.
func (p *Pane) leg(c *pane.Context, s *sheet, l leg, from int64) {
	th, snap := c.Theme, c.Snap
	r := snap.Row(l.row)
	took := "…"
	if ns, ok := snap.Latency(l.last); ok {
		took = text.Duration(snap.Row(l.last).T + ns - r.T)
	}
	sign := "  "
	if l.row <= p.sub.req && p.sub.req <= l.last && r.Op == snap.Row(p.sub.req).Op && (l.n > 1 || l.row == p.sub.req) {
		sign = "● "
	}
	name := strings.TrimSpace(snap.Name(r.Method) + " " + snap.Name(r.Target))
	if l.n > 1 {
		name = fmt.Sprintf("%s ×%d", snap.Name(r.Method), l.n)
	}
	s.exchange(th, part{th.Accent, sign}, r, from, took, name).row = l.row
}

// exchange adds the line of an exchange: its sign, its request's number, when that was
// sent after from, how long the response took, and its name.
func (s *sheet) exchange(th *style.Theme, sign part, r session.Row, from int64, took, name string) *item {
	return s.line(sign, part{th.Dim, right(number(r), 7) + " " + right("+"+text.Duration(r.T-from), 11) + "  "},
		part{th.Text, right(took, 8) + "  "}, part{th.Text, text.Visible([]byte(name), 0)})
}

// peopleTime is for how long, during the exchange, the server waited for people,
// in nanoseconds. Questions that were open at the same time count once.
func (p *Pane) peopleTime(snap *session.Snapshot) (sum int64) {
	if p.sub.req == session.NoRow || p.sub.resp == session.NoRow || snap.Row(p.sub.req).Stream != session.C2S {
		return 0
	}
	end := snap.Row(p.sub.resp).T
	until := snap.Row(p.sub.req).T
	for _, row := range p.around.asks { // in the order in which they were asked
		r := snap.Row(row)
		conn := session.Conn{}
		if h := snap.Header(); h != nil {
			conn.Ours = h.Mode == "run"
		}
		if !conn.ForHuman(&session.Exchange{Sender: r.Stream, Method: snap.Name(r.Method)}) {
			continue
		}
		to := end
		if ns, ok := snap.Latency(row); ok {
			to = min(end, r.T+ns)
		}
		if from := max(until, r.T); to > from {
			sum += to - from
			until = to
		}
	}
	return sum
}

// questions lists what the other side asked during the exchange.
func (p *Pane) questions(c *pane.Context, s *sheet) {
	if len(p.around.asks) == 0 || p.sub.req == session.NoRow {
		return
	}
	th, snap := c.Theme, c.Snap
	who := "the server asked meanwhile"
	if snap.Row(p.sub.req).Stream == session.S2C {
		who = "the client asked meanwhile"
	}
	s.heading(th, who, part{th.Dim, "  " + text.Count(int64(len(p.around.asks)))})
	from := snap.Row(p.sub.req).T
	for _, row := range p.around.asks {
		r := snap.Row(row)
		took := "…"
		if ns, ok := snap.Latency(row); ok {
			took = text.Duration(ns)
		}
		name := strings.TrimSpace(snap.Name(r.Method) + " " + snap.Name(r.Target))
		s.exchange(th, part{th.Asks, "⇠ "}, r, from, took, name).row = row
	}
}
