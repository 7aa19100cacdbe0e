package session

import (
	"time"

	"wiretea/session/mcp"
)

// What is held or dropped here keeps others waiting, and not only for that message: a server whose
// question is held cannot answer the call that it asks for. That time is nobody's fault.

const (
	// maxOnHold is how many messages are remembered that have not gone on.
	maxOnHold = 4096

	// soon is within which time a message goes on, or is answered, that nobody is kept waiting by.
	soon = int64(100 * time.Millisecond)
)

// A detained message came, and has not gone on.
type detained struct {
	t      int64
	asker  Stream // asker is the side that waits for it, or for the response to it.
	awaits bool   // awaits: it is a request, a response or notifications/initialized, without which a server does not begin.
}

// onHold is what of a connection is held here, or was.
type onHold struct {
	now   map[uint64]detained // now is what has not gone on, and was not answered, by record number. What was dropped stays.
	until [2]int64            // until is when, by the sender of the request, one that was held for longer went on last, or its response.
	acted int64               // acted is when something was decided last; 0 = nothing was.
}

// take takes a message that was decided on. awaits: somebody waits; awaited: its receiver does.
func (h *onHold) take(f *Frame, awaits, awaited bool) {
	d := detained{f.T, f.Stream, awaits}
	if awaited {
		d.asker = f.Stream.Reverse()
	}
	if f.Way == WayIn {
		if h.now == nil {
			h.now = map[uint64]detained{}
		}
		if len(h.now) < maxOnHold {
			h.now[f.N] = d
		}
		return
	}
	if was, ok := h.now[f.of]; ok {
		delete(h.now, f.of)
		if was.awaits && f.T-was.t >= soon {
			h.until[was.asker] = f.T
		}
	}
}

// keeps returns until when a sender's requests, or the responses to them, were held; t while one
// of them is.
func (h *onHold) keeps(asker Stream, t int64) int64 {
	for _, d := range h.now {
		if d.awaits && d.asker == asker {
			return t
		}
	}
	return h.until[asker]
}

// detains reports whether the time that a finding is about is that of something that was held or
// dropped here.
func (a *Analyzer) detains(f *Finding) bool {
	for _, c := range a.order {
		if c.ID != f.Conn && !a.bridged() || c.onHold.acted == 0 {
			continue
		}
		if f.Begun != 0 {
			if len(c.onHold.now) > 0 || c.onHold.acted > f.Begun {
				return true
			}
			continue
		}
		if f.Row >= a.store.n {
			continue
		}
		req := a.store.at(f.Row)
		if req.Kind != RowRequest && req.Pair < a.store.n {
			req = a.store.at(req.Pair)
		}
		if req.Kind == RowRequest && c.onHold.keeps(req.Stream.Reverse(), a.clock) >= req.T {
			return true
		}
	}
	return false
}

// ForHuman reports whether an exchange is a question of the server that a
// person answers: sampling and elicitation, and roots if wiretea is the client.
func (c *Conn) ForHuman(x *Exchange) bool {
	if x.Sender != S2C {
		return false
	}
	m, known := mcp.Lookup(x.Method)
	return known && (m.Unbounded || c.Ours && m.Name == mcp.RootsList)
}

// HumanWait returns how many questions of the server wait for a person, and
// since when the oldest one does, in nanoseconds of the session. As long as
// there are any, no client request is late. It checks the OpenShown oldest
// requests of the server.
func (c *Conn) HumanWait() (since int64, n int) {
	open := c.Open[S2C]
	for _, x := range open[:min(len(open), OpenShown)] {
		if !c.ForHuman(x) {
			continue
		}
		if n++; n == 1 {
			since = x.ReqT
		}
	}
	return since, n
}

// humanUntil records the end of x.
func (c *conn) humanUntil(x *exchange, t int64) {
	if c.ForHuman(&x.Exchange) {
		c.People = t
	}
}

// excused reports whether an exchange whose timeout has passed is not late
// because a person was waited for, or because something was held here: its timeout
// then begins anew.
func (a *Analyzer) excused(x *exchange) bool {
	c := a.conns[x.Conn]
	if c == nil {
		return false
	}
	since := max(x.Went, c.onHold.keeps(x.Sender.Reverse(), a.until))
	if x.Kept {
		since = a.until
	}
	if x.Sender == C2S {
		since = max(since, c.People)
		if _, n := c.HumanWait(); n > 0 {
			since = a.until // The wait lasts until the next record at least, which may be many timeouts.
		}
	}
	if since <= x.since {
		return false
	}
	x.since = since
	return true
}
