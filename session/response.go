package session

import (
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// response pairs a response with the request it answers.
func (s *pairing) response() {
	a, c, m := s.a, s.c, s.m
	hash, ok := hashID(&m.ID)
	if s.first {
		a.store.edit(s.f.Row).ID = a.store.ids.ref(m.ID.Raw)
	}
	p := c.peers[s.f.Stream.Reverse()]
	if !ok {
		if x := s.refused(p); x != nil {
			s.answer(p, p.ids.find(x.hash), x)
			return
		}
		s.evidence(nil)
		return
	}
	entry := p.ids.find(hash)
	if entry == nil {
		s.unknown(p, hash)
		return
	}
	if x := p.of(entry); x != nil {
		s.answer(p, entry, x)
		return
	}
	s.known(entry)
}

// refused returns the only request of a round trip that HTTP refused, which an error without
// an id, or with an id that was never used, then answers: servers that refuse a request by its
// head have not read its id, and some make one up. It returns nil for any other response.
func (s *pairing) refused(p *peer) *exchange {
	t := s.f.Trip
	if s.m.Kind != jsonrpc.Error || t == nil || t.open.pending != 1 || t.Response == nil || t.Response.Status < 400 || s.f.Stream != S2C {
		return nil
	}
	for _, x := range p.waiting() {
		if x.trip == t {
			return x
		}
	}
	return nil
}

// answer ends an exchange that is in memory. If several wait with one id, the one whose
// round trip has the response gets it, else the oldest.
func (s *pairing) answer(p *peer, entry *idEntry, x *exchange) {
	newest := x
	if x.clash != nil {
		x = x.clash.of(s.f.Trip)
	}
	s.x, s.method = x, x.table
	x.Operation = uint64(s.a.store.at(x.Req).Op)
	switch {
	case x.Cancel != 0:
		s.match = MatchCancelled
	case x.Late:
		s.match = MatchLate
	default:
		s.match = MatchAnswer
	}
	left := uint32(idAnswered) // left is the newest that still waits.
	if x.older != nil {
		left = x.older.at
	}
	s.complete(p, x)
	if x == newest {
		entry.at = left
	}
}

// complete ends an exchange and removes it from memory.
func (s *pairing) complete(p *peer, x *exchange) {
	a, c := s.a, s.c
	if x.Cancel != 0 {
		a.totals.Cancelled--
		x.stats.Cancelled--
		for i, o := range p.cancelled {
			if o == x {
				p.cancelled = append(p.cancelled[:i], p.cancelled[i+1:]...)
				break
			}
		}
	} else {
		a.totals.Pending--
		x.stats.Pending--
	}
	p.leave(x)
	c.Open[x.Sender] = p.open
	c.humanUntil(x, s.f.T)
	s.close(x)
	s.done = x
}

// close writes the response into x, the statistics and the rows.
func (s *pairing) close(x *exchange) {
	x.Resp, x.RespT1, x.RespT = s.f.Row, s.f.T1, s.f.T
	x.State = Answered
	if s.m.Kind == jsonrpc.Error {
		x.State = Failed
	}
	x.stats.BytesIn += s.f.Len
	s.a.mirror(s.c, x, s.f.acted)
	if !x.Acted && !(s.f.acted && s.f.Way == WayOut) {
		x.stats.answered(x.RespT - x.ReqT) // Else it was held on the way, or nobody has answered it.
	}
	if x.Way == WayOut && s.c.ours > 0 {
		s.a.totals.Outstanding--
		s.c.ours--
	}
	s.evidence(&x.Exchange)
	s.c.linkResponse(x, s.m)
	s.pairRows(x)
	outcome := s.outcome(x)
	if s.first {
		s.a.store.edit(s.f.Row).Flags |= outcome
	}
	if outcome == FlagProbe && s.f.Trip != nil {
		s.f.Trip.open.probe = true
	}
	if x.State == Failed && outcome != FlagProbe || outcome == FlagToolError {
		s.a.totals.Errors++
		x.stats.Errors++
	}
}

// outcome returns the flag of a response that is more, or less, than its kind says.
func (s *pairing) outcome(x *exchange) Flags {
	switch x.Method {
	case mcp.ServerDiscover:
		if x.State == Failed && !s.c.ServerModern {
			return FlagProbe
		}
	case mcp.ToolsCall, mcp.TasksResult:
		if string(s.m.Field(jsonrpc.ResultIsError).Raw) == "true" {
			return FlagToolError
		}
	}
	return 0
}

// pairRows links the rows of a request and its response.
func (s *pairing) pairRows(x *exchange) {
	store := &s.a.store
	req := store.edit(x.Req)
	req.Op = uint32(x.Operation)
	if x.Late {
		req.Flags |= FlagLate
	}
	if req.Pair == NoRow {
		req.Pair = s.f.Row
	}
	flags := req.Flags & (FlagLate | FlagCancelled)
	if s.first {
		row := store.edit(s.f.Row)
		row.Pair, row.Method, row.Target, row.Op = x.Req, x.name, x.target, uint32(x.Operation)
		row.Flags |= flags
	}
}

// known processes a response to an id whose exchange is not in memory: it was
// answered before, or is one of very many that wait. What is known of it is in
// its row.
func (s *pairing) known(entry *idEntry) {
	a := s.a
	x := s.fromRow(entry)
	s.x, s.method, s.done = x, x.table, x
	if entry.at == idAnswered {
		s.match = MatchDuplicate
		if s.f.of != 0 {
			s.match = MatchNone // It replaces the one that was not forwarded.
			if s.first {
				row := s.a.store.edit(s.f.Row)
				row.Method, row.Target, row.Op = x.name, x.target, uint32(x.Operation)
			}
		}
		s.evidence(&x.Exchange)
		return
	}
	x.stats = a.stats.of(statsKey{x.name, x.Sender}, x.Method)
	if entry.at == idCancelled {
		s.match = MatchCancelled
		a.totals.Cancelled--
		x.stats.Cancelled--
	} else {
		s.match = MatchAnswer
		a.totals.Pending--
		x.stats.Pending--
		bounded := x.table == nil || !x.table.Unbounded
		if bounded && s.f.T-x.ReqT > int64(a.limits.For(x.Method)) {
			s.match, x.Late = MatchLate, true
			a.totals.Late++
		}
	}
	entry.at = idAnswered
	s.close(x)
}

// fromRow makes an exchange from its rows.
func (s *pairing) fromRow(entry *idEntry) *exchange {
	a := s.a
	row := a.store.at(entry.row)
	x := a.newExchange()
	x.hash, x.name, x.target = entry.hash, row.Method, row.Target
	if row.Kind == RowBatch {
		x.name, x.target = noName, noName // The row shows the batch's first message.
	}
	if int(x.name) < len(a.methods) {
		x.table = a.methods[x.name]
	}
	x.Exchange = Exchange{
		Conn: s.c.ID, Sender: s.f.Stream.Reverse(), ID: a.idText.text(s.m.ID.Raw),
		Method: a.store.names.list[x.name], Target: a.store.names.list[x.target],
		Req: entry.row, ReqN: uint64(row.N), ReqT: row.T, Resp: row.Pair,
		Era: s.c.Era, Version: s.c.Version, Operation: uint64(row.Op), Way: row.Way,
	}
	if resp := a.store.at(row.Pair); row.Pair != NoRow {
		x.State = Answered
		if resp.Kind == RowError {
			x.State = Failed
		}
		x.RespT, x.RespT1 = resp.T, resp.T-int64(resp.Dur)*1000
	}
	x.Acted = (row.Flags|a.store.at(row.Pair).Flags)&FlagDecided != 0
	if row.Flags&FlagCancelled != 0 {
		x.Cancel = max(1, row.T)
	}
	x.Late = row.Flags&FlagLate != 0
	return x
}

// unknown processes a response to an id that was never used. If ids were
// dropped or bytes are missing, this means nothing.
func (s *pairing) unknown(p *peer, hash uint64) {
	if entry := p.ids.find(otherType(hash)); entry != nil && entry.at != idAnswered {
		if x := p.of(entry); x != nil {
			s.answer(p, entry, x)
		} else {
			s.known(entry)
		}
		s.match = MatchType
		return
	}
	if x := s.refused(p); x != nil {
		s.answer(p, p.ids.find(x.hash), x)
		return
	}
	s.evidence(nil)
	if p.ids.forgot {
		return
	}
	s.match = MatchOrphan
}

// evidence records the evidence of a server's response about its era.
func (s *pairing) evidence(x *Exchange) {
	if s.f.Stream != S2C || s.f.Way == WayOut {
		return // wiretea's own response says nothing of the server.
	}
	if x == nil {
		x = &Exchange{}
	}
	s.c.eraOfAnswer(x, s.m)
}
