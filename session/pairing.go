package session

import (
	"strconv"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// settle finds what a message of frame f belongs to, updates the era and
// reports the message. first: the frame's row shows this message.
func (a *Analyzer) settle(c *conn, f *Frame, m *jsonrpc.Message, first bool) {
	s := pairing{a: a, c: c, f: f, m: m, first: first}
	switch m.Kind {
	case jsonrpc.Request:
		s.request()
	case jsonrpc.Notification:
		s.notification()
	case jsonrpc.Result, jsonrpc.Error:
		s.response()
	case jsonrpc.Invalid:
	}
	if f.acted && m.Kind != jsonrpc.Invalid {
		awaited := m.Kind == jsonrpc.Result || m.Kind == jsonrpc.Error || f.Stream == C2S && m.Method.Is(mcp.InitializedNotification)
		c.onHold.take(f, awaited || m.Kind == jsonrpc.Request, awaited)
	}
	if s.x != nil && f.acted {
		s.x.Acted = true
		c.met = c.met || s.x.Method == mcp.Initialize
	}
	if !f.early {
		ev := a.event(MessageSeen, c)
		ev.Frame, ev.Message, ev.Match, ev.Method = f, m, s.match, s.method
		if s.x != nil {
			ev.Exchange = &s.x.Exchange
		}
		a.emit()
	}
	if s.done != nil {
		a.recycle(s.done)
	}
}

// pairing is the processing of one message.
type pairing struct {
	a     *Analyzer
	c     *conn
	f     *Frame
	m     *jsonrpc.Message
	first bool

	match  Match
	x      *exchange
	method *mcp.Method
	done   *exchange // done is completed, and can be reused after the event.
}

// request pairs a request's id with those its sender used.
func (s *pairing) request() {
	a, c, m := s.a, s.c, s.m
	name, table := a.methodOf(m)
	target := a.targetOf(m, table)
	s.method = table
	var era mcp.Era
	var version mcp.Version
	switch {
	case s.f.Way == WayOut:
		era, version = c.eraOfInjected(m)
	case s.f.Stream == C2S:
		era, version = c.eraOfRequest(m, a.store.names.list[name])
	default:
		era, version = c.Era, c.Version
	}
	hash, ok := hashID(&m.ID)
	id := a.store.ids.ref(m.ID.Raw)
	s.show(id, name, target)
	if !ok {
		return
	}
	p := c.peers[s.f.Stream]
	entry := p.ids.find(hash)
	var older *exchange
	s.match = MatchNew
	if entry == nil {
		entry = p.ids.insert(hash)
	} else {
		older = p.of(entry)
		waits := entry.at == idWaiting || older != nil && older.State == Pending && !older.unsure
		if waits && s.f.of != 0 {
			s.match, s.x = MatchNone, older // It replaces the one that waits.
			older.Kept, older.Went = false, max(1, s.f.T)
			return
		}
		if s.match = MatchReused; waits {
			s.match = MatchClash
		}
		if !waits {
			older = nil // It was cancelled, or its response may be in a gap: it stays, its id is taken.
		}
	}
	x := a.newExchange()
	x.hash, x.table, x.name, x.target = hash, table, name, target
	if older != nil {
		x.join(older)
	}
	x.Exchange = Exchange{
		Conn: c.ID, Sender: s.f.Stream, ID: a.idText.text(m.ID.Raw),
		Method: a.store.names.list[name], Target: a.store.names.list[target],
		Req: s.f.Row, ReqN: s.f.N, ReqT: s.f.T, Resp: NoRow, Era: era, Version: version, Way: s.f.Way,
		Kept: s.f.acted && s.f.Way == WayIn,
	}
	p.put(x)
	entry.row, entry.at = s.f.Row, x.at
	s.x = x
	s.begin(p)
}

// begin makes the new exchange wait.
func (s *pairing) begin(p *peer) {
	a, c, x := s.a, s.c, s.x
	if v := s.m.Field(jsonrpc.MetaProgressToken); v.Present() {
		if token, ok := hashID(v); ok {
			x.token, x.ProgressToken = token, a.idText.text(v.Raw)
			if p.tokens == nil {
				p.tokens = make(map[uint64]*exchange)
			}
			p.tokens[token] = x
		}
	}
	x.stats = a.stats.of(statsKey{x.name, x.Sender}, x.Method)
	x.stats.Count++
	x.stats.Pending++
	x.stats.BytesOut += s.f.Len
	a.totals.Exchanges++
	a.totals.Pending++
	if x.Way == WayOut {
		a.totals.Outstanding++
		c.ours++
	}
	x.since = x.ReqT
	if (x.table == nil || !x.table.Unbounded) && !c.ForHuman(&x.Exchange) {
		timeout := int64(a.limits.Timeout)
		if len(a.limits.Timeouts) > 0 {
			timeout = int64(a.limits.For(x.Method))
		}
		a.deadlineOf(timeout).add(x)
		a.dueBy(x.ReqT + timeout + 1)
	}
	if x.trip = s.f.Trip; x.trip != nil {
		x.trip.open.pending++
	}
	c.linkRequest(x, s.m)
	p.wait(x)
	if len(p.open) > maxWaiting {
		p.forgetOldest(a)
	}
	c.Open[x.Sender] = p.open
}

// forgetOldest removes the oldest waiting exchange, which is then known only by
// its row.
func (p *peer) forgetOldest(a *Analyzer) {
	x := p.live[p.open[0].at]
	if e := p.ids.find(x.hash); e != nil && e.at == x.at {
		e.at = idWaiting
	}
	p.leave(x)
	a.recycle(x)
}

// leave removes x from all look-up tables.
func (p *peer) leave(x *exchange) {
	if x.trip != nil {
		x.trip.open.pending--
	}
	x.drop()
	x.part()
	p.unwait(x)
	p.remove(x)
	if x.token != 0 && p.tokens[x.token] == x {
		delete(p.tokens, x.token)
	}
}

// notification processes the notifications that name a request.
func (s *pairing) notification() {
	a, c, m := s.a, s.c, s.m
	name, table := a.methodOf(m)
	target := a.targetOf(m, table)
	s.method = table
	s.show(0, name, target)
	switch a.store.names.list[name] {
	case mcp.InitializedNotification:
		if s.f.Stream == C2S && s.f.Way != WayOut {
			c.Initialized = true
		}
	case mcp.CancelledNotification:
		s.cancelled()
	case mcp.ProgressNotification:
		s.progress()
	default:
		if v := m.Field(jsonrpc.ParamTaskID); v.Present() {
			if op := c.links.tasks[taskHash(v, s.f.Stream.Reverse())]; op != 0 {
				a.store.edit(s.f.Row).Op = op
			}
		}
	}
}

// cancelled marks the request that the notification names. A request is
// cancelled by its sender; a listen may be ended by the server too.
func (s *pairing) cancelled() {
	hash, ok := hashID(s.m.Field(jsonrpc.ParamRequestID))
	if !ok {
		return
	}
	p := s.c.peers[s.f.Stream]
	x := p.named(hash)
	if x == nil && s.f.Stream == S2C {
		p = s.c.peers[C2S]
		if x = p.named(hash); x != nil && x.Method != mcp.SubscriptionsListen {
			x = nil
		}
	}
	if x == nil {
		return
	}
	s.x = x
	s.pointAt(x)
	if x.State != Pending {
		return
	}
	s.c.humanUntil(x, s.f.T)
	a := s.a
	x.State, x.Cancel = Cancelled, max(1, s.f.T)
	x.drop()
	p.unwait(x)
	s.c.Open[x.Sender] = p.open
	a.store.edit(x.Req).Flags |= FlagCancelled
	a.totals.Pending--
	a.totals.Cancelled++
	x.stats.Pending--
	x.stats.Cancelled++
	p.cancelled = append(p.cancelled, x)
	if len(p.cancelled) > maxCancelled {
		oldest := p.cancelled[0]
		p.cancelled = p.cancelled[:copy(p.cancelled, p.cancelled[1:])]
		if e := p.ids.find(oldest.hash); e != nil && e.at == oldest.at {
			e.at = idCancelled
		}
		p.leave(oldest)
		a.recycle(oldest)
	}
}

// named returns the exchange in memory that has an id.
func (p *peer) named(hash uint64) *exchange {
	if e := p.ids.find(hash); e != nil {
		return p.of(e)
	}
	return nil
}

// progress counts a progress notification for the request with its token.
func (s *pairing) progress() {
	hash, ok := hashID(s.m.Field(jsonrpc.ParamProgressToken))
	if !ok {
		return
	}
	x := s.c.peers[s.f.Stream.Reverse()].tokens[hash]
	if x == nil {
		return
	}
	x.Progress++
	x.LastProgress, x.LastNote = s.f.T, s.f.Row
	x.Done, x.Total = amount(s.m.Field(jsonrpc.ParamProgress)), amount(s.m.Field(jsonrpc.ParamTotal))
	s.x = x
	s.pointAt(x)
}

// amount returns the value of a number; 0 if there is none.
func amount(v *jsonrpc.Value) float64 {
	if v.Type != jsonrpc.Number || !v.Whole() {
		return 0
	}
	n, err := strconv.ParseFloat(string(v.Raw), 64)
	if err != nil {
		return 0 // too large
	}
	return n
}

// pointAt makes the notification's row point to the request that it names.
func (s *pairing) pointAt(x *exchange) {
	if s.first {
		row := s.a.store.edit(s.f.Row)
		row.Pair, row.Target, row.Op = x.Req, x.target, uint32(x.Operation)
	}
}

// show writes a message into the row of its frame.
func (s *pairing) show(id IDRef, name, target uint32) {
	if s.first {
		row := s.a.store.edit(s.f.Row)
		row.ID, row.Method, row.Target = id, name, target
	}
}

// markLate records that an exchange's timeout has passed. The time in which the
// server waits for a person does not count.
func (a *Analyzer) markLate(x *exchange) {
	d := x.deadline
	x.drop()
	if a.excused(x) {
		d.add(x)
		return
	}
	x.Late = true
	a.store.edit(x.Req).Flags |= FlagLate
	a.totals.Late++
	ev := a.event(ExchangeLate, a.conns[x.Conn])
	ev.Exchange, ev.Method = &x.Exchange, x.table
	a.emit()
}

// lose ends an exchange whose connection ended. If its response may be in
// missing bytes, there is no event.
func (c *conn) lose(x *exchange) { c.loseIn(x, nil) }

// loseIn is lose for an exchange whose round trip ended; nil means that its connection did.
func (c *conn) loseIn(x *exchange, t *Trip) {
	a := c.a
	x.drop()
	x.State = Lost
	a.mirror(c, x, t != nil && t.open.acted)
	a.store.edit(x.Req).Flags |= FlagLost
	a.totals.Pending--
	a.totals.Lost++
	x.stats.Pending--
	if !x.unsure {
		ev := a.event(ExchangeGone, c)
		ev.Exchange, ev.Method, ev.Trip = &x.Exchange, x.table, t
		a.emit()
	}
	a.recycle(x)
}

// micros returns a time in whole microseconds, the unit of Row.Dur.
func micros(ns int64) uint32 { return clamp32(ns / int64(time.Microsecond)) }
