package session

import (
	"time"
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

// onHold has the messages of a connection that are held, or were.
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
