package transport

import (
	"time"

	"wiretea/session"
)

// parkedFor is how long a line waits for the next one of its stream at most.
const parkedFor = time.Second

// park has what goes on in place of a line wait for the next one, where its Ruling says so.
func (s *lineHold) park(r *session.Ruling, lines [][]byte, about *session.Decided) bool {
	if r.Effect == nil || !r.Effect.Behind || len(lines) == 0 || s.parked != nil {
		return false
	}
	s.parked = s.gate.backTo(s.relay.Stream).after(parkedFor, lines[0], about)
	return true
}

// follow is send for what may follow a parked line.
func (s *lineHold) follow(line []byte, way session.Way, d *session.Decided) (over bool, err error) {
	first := s.parked
	s.parked = nil
	if first == nil || !s.gate.backTo(s.relay.Stream).take(first) { // Or its time has come before.
		return s.send(line, way, d)
	}
	if over, err = s.send(line, way, d); over {
		return over, err
	}
	return s.send(first.line, session.WayOut, first.d)
}

// swallow records bytes that come after the stream was ended by us.
func (s *lineHold) swallow(p []byte) (over bool, err error) {
	if len(p) == 0 {
		return false, nil
	}
	return s.send(p, session.WayIn, &session.Decided{By: *s.cut.Load()})
}

// act does what a Ruling does to the connection, behind a line of a stream.
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
	if e.End == session.Resets {
		g.end(stream, by)
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
