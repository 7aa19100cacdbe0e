package transport

import (
	"bytes"
	"sync"
	"sync/atomic"

	"wiretea/session"
)

// A responseHold is the gate in the stream from the server.
type responseHold struct {
	filter ResponseFilter
	limit  int         // limit is the longest line that is held, in bytes.
	active atomic.Bool // active: lines are filtered. It is set before the request that they answer is sent.

	mu        sync.Mutex
	relay     *Relay
	atLineEnd bool   // atLineEnd: what was forwarded ends with a line.
	overlong  bool   // overlong: the current line was too long to be held.
	held      []byte // held is the beginning of a line whose end has not come.
	over      bool   // over: nothing more is forwarded; err is the reason.
	err       error
	reported  bool // reported: the filter knows that it is over.
}

func (s *responseHold) open(r *Relay) {
	s.mu.Lock()
	s.relay = r
	s.mu.Unlock()
}

// carry forwards a chunk of the server's, without the lines that are Ours.
func (s *responseHold) carry(r *Relay, chunk []byte) (over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return true, s.err
	}
	if !s.active.Load() && len(s.held) == 0 {
		if s.overlong {
			return s.forwardRest(chunk)
		}
		s.atLineEnd = chunk[len(chunk)-1] == '\n'
		return r.forward(chunk, session.Crossed)
	}
	if !s.atLineEnd {
		end := bytes.IndexByte(chunk, '\n') + 1
		if end == 0 || end == len(chunk) {
			return s.forwardRest(chunk)
		}
		if over, err = s.forwardRest(chunk[:end]); over {
			return over, err
		}
		chunk = chunk[end:]
	}
	return s.lines(chunk)
}

// forwardRest forwards bytes of a line whose beginning was forwarded, and perhaps what
// comes after that line.
func (s *responseHold) forwardRest(p []byte) (over bool, err error) {
	if s.overlong {
		end := bytes.IndexByte(p, '\n') + 1
		if s.overlong = end == 0; s.overlong {
			end = len(p)
		}
		s.filter.TooLong(p[:end], !s.overlong)
	}
	s.atLineEnd = p[len(p)-1] == '\n'
	return s.relay.forward(p, session.Crossed)
}

// lines filters the lines that end in p, which begins at the beginning of a line or
// continues the held one. Consecutive lines for the client are forwarded together. The
// beginning of the last line is held.
func (s *responseHold) lines(p []byte) (over bool, err error) {
	if end := bytes.IndexByte(p, '\n') + 1; len(s.held) > 0 && end > 0 {
		s.held = append(s.held, p[:end]...)
		if over, err = s.pass(s.held, s.filter.Ours(s.held, s.keepable())); over {
			return over, err
		}
		s.drop()
		p = p[end:]
	}
	from, at := 0, 0 // p[from:at] is for the client.
	for len(s.held) == 0 {
		n := bytes.IndexByte(p[at:], '\n') + 1
		if n == 0 {
			break
		}
		if line := p[at : at+n]; s.filter.Ours(line, false) {
			if over, err = s.pass(p[from:at], false); over {
				return over, err
			}
			if over, err = s.pass(line, true); over {
				return over, err
			}
			from = at + n
		}
		at += n
	}
	if over, err = s.pass(p[from:at], false); over {
		return over, err
	}
	return s.hold(p[at:])
}

// pass forwards bytes, or removes a line.
func (s *responseHold) pass(p []byte, ours bool) (over bool, err error) {
	switch {
	case len(p) == 0:
		return false, nil
	case ours:
		return s.relay.forward(p, session.WayIn)
	}
	return s.relay.forward(p, session.Crossed)
}

// hold keeps the beginning of a line, or forwards it once it is too long.
func (s *responseHold) hold(p []byte) (over bool, err error) {
	if s.held = append(s.held, p...); len(s.held) <= s.limit {
		return false, nil
	}
	held := s.held
	s.overlong = true
	s.relay.Tap.IO(s.relay.Conn, s.relay.Stream, session.IOEvent{Event: "released", Side: s.relay.reader(), Bytes: int64(len(held))})
	s.held = nil
	return s.forwardRest(held)
}

// keepHeld is the most memory that is kept for the next line, in bytes.
const keepHeld = 256 << 10

// drop empties held.
func (s *responseHold) drop() {
	if s.keepable() {
		s.held = nil
	}
	s.held = s.held[:0]
}

// keepable reports whether held's memory will not be reused.
func (s *responseHold) keepable() bool { return cap(s.held) > keepHeld }

// release forwards the held beginning of a line, unless lines are filtered again.
func (s *responseHold) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.active.Load() {
		s.forwardHeld()
	}
}

// flush forwards what is held, unless it is Ours.
func (s *responseHold) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) > 0 && s.filter.Ours(s.held, s.keepable()) {
		_, _ = s.pass(s.held, true) // It writes nothing.
		s.drop()
	}
	s.forwardHeld()
}

// forwardHeld forwards what is held.
func (s *responseHold) forwardHeld() {
	if held := s.held; len(held) > 0 && !s.over {
		s.held = nil
		s.over, s.err = s.forwardRest(held)
	}
}

// shut ends the stream.
func (s *responseHold) shut() {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if !s.reported {
		s.reported = true
		s.filter.Ended()
	}
}
