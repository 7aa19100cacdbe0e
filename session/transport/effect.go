package transport

import (
	"time"

	"wiretea/session"
)

const (
	// parkedFor is how long a line waits for the next one of its stream at most.
	parkedFor = time.Second

	// pieceGap is the time between two pieces of a line, and maxPieces how many there are at
	// most: the rest is written at once.
	pieceGap  = 2 * time.Millisecond
	maxPieces = 1000

	// shapeStep is how often what is written slowly looks whether the stream has ended.
	shapeStep = 20 * time.Millisecond
)

// A kept is a line that waits for the next one of its stream, or for its time.
type kept struct {
	late *lateLine
	join bool // join: both are written at once.
}

// park has what goes on in place of a line wait for the next one, where its Fate says so.
func (s *lineHold) park(fate *Fate, about *session.Decided) bool {
	e := fate.Effect
	if e == nil || !e.Join && !e.Behind || len(fate.Line) == 0 || s.parked != nil {
		return false
	}
	s.parked = &kept{s.gate.backTo(s.relay.Stream).after(parkedFor, fate.Line, about), e.Join}
	return true
}

// follow is send for what may follow a parked line.
func (s *lineHold) follow(line []byte, way session.Way, d *session.Decided) (over bool, err error) {
	p := s.parked
	if p == nil {
		return s.send(line, way, d)
	}
	s.parked = nil
	if !s.gate.backTo(s.relay.Stream).take(p.late) {
		return s.send(line, way, d) // Its time has come before.
	}
	first := p.late
	if p.join {
		s.relay.Tap.PutDecided(s.relay.Conn, s.relay.Stream, session.WayOut, *first.d, first.line)
		s.relay.lead = first.line
		return s.send(line, way, d)
	}
	if over, err = s.send(line, way, d); over {
		return over, err
	}
	return s.send(first.line, session.WayOut, first.d)
}

// shape sets how the relay writes.
func (s *lineHold) shape(e *session.Effect) {
	if e != nil && e.Rate == 0 && e.Piece == 0 {
		e = nil
	}
	s.relay.shape = e
}

// writeShaped writes bytes behind what leads them, in pieces and as slowly as the shape says.
func (r *Relay) writeShaped(p []byte) (n int, err error) {
	lead, e := len(r.lead), r.shape
	if lead > 0 {
		p = append(r.lead, p...)
		r.lead = nil
	}
	if e == nil {
		n, err = r.to.Write(p)
		return max(0, n-lead), err
	}
	begun := time.Now()
	for pieces := 0; n < len(p); pieces++ {
		size := len(p) - n
		switch {
		case pieces >= maxPieces && e.Rate == 0 || r.released.Load() || r.abandoned.Load():
		case e.Piece > 0:
			size = min(size, e.Piece)
		case e.Rate > 0:
			size = min(size, max(1, int(int64(e.Rate)*int64(shapeStep)/int64(time.Second))))
		}
		wrote, err := r.to.Write(p[n : n+size])
		if n += wrote; err != nil {
			return max(0, n-lead), err
		}
		if n == len(p) {
			break
		}
		if e.Rate > 0 {
			r.wait(begun.Add(time.Duration(float64(n) / float64(e.Rate) * float64(time.Second))))
		} else {
			time.Sleep(pieceGap)
		}
	}
	return n - lead, nil
}

// wait waits for a time, or until the stream is to end.
func (r *Relay) wait(until time.Time) {
	for left := time.Until(until); left > 0 && !r.released.Load() && !r.abandoned.Load(); left = time.Until(until) {
		time.Sleep(min(left, shapeStep))
	}
}

// swallow records bytes that come after the stream was ended by us.
func (s *lineHold) swallow(p []byte) (over bool, err error) {
	if len(p) == 0 {
		return false, nil
	}
	return s.send(p, session.WayIn, &session.Decided{By: *s.cut.Load()})
}

// act does what a Fate does to the connection, behind a line of a stream.
func (g *Gate) act(stream session.Stream, e *session.Effect, by string) {
	r := g.relays[stream].Load()
	r.Tap.Cut(r.Conn, by)
	if server := g.server.Load(); server != nil {
		if e.Kill {
			(*server).Kill()
		}
		if e.Stop > 0 {
			(*server).Suspend(e.Stop)
		}
	}
	if e.End != session.StaysOpen {
		g.end(stream, by)
	}
	if e.End == session.Resets {
		g.end(stream.Reverse(), by)
		for s := range g.relays {
			if r := g.relays[s].Load(); r != nil {
				r.Release()
			}
		}
	}
}

// end ends a stream: its reader sees the end, and its writer may go on.
func (g *Gate) end(stream session.Stream, by string) {
	s := &g.asked
	if stream == session.S2C {
		s = &g.out
	}
	s.cut.Store(&by)
	if r := g.relays[stream].Load(); r != nil {
		r.Abandon()
	}
}

// resume ends what a stop does to the server, because the session ends.
func (g *Gate) resume() {
	if server := g.server.Load(); server != nil {
		(*server).Resume()
	}
}
