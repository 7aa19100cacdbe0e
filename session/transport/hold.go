package transport

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"wiretea/session"
)

// A lineHold is the part of a gate that holds a stream line by line: the one from the
// server while answers of it have to be removed, and both while a Judge decides.
type lineHold struct {
	gate   *Gate
	stream session.Stream
	filter ResponseFilter // filter is nil in the stream to the server.
	judge  atomic.Pointer[session.Judge]
	limit  int                   // limit is the longest line that is held, in bytes.
	active atomic.Bool           // active: lines are filtered. It is set before the request that they answer is sent.
	opened atomic.Pointer[Relay] // opened is relay, for who does not have mu.

	mu        sync.Mutex
	relay     *Relay
	atLineEnd bool   // atLineEnd: what was forwarded ends with a line.
	begun     bool   // begun: in the stream to the server, it was in use. Only the relay uses it.
	overlong  bool   // overlong: the current line was too long to be held.
	dropped   string // dropped is who decided that it is not forwarded either; empty = it is.
	held      []byte // held is the beginning of a line whose end has not come.
	over      bool   // over: nothing more is forwarded; err is the reason.
	err       error
	reported  bool // reported: the filter knows that it is over.

	parked *lateLine              // parked is a line that waits for the next one; nil = none does.
	cut    atomic.Pointer[string] // cut is who ended the stream, so that nothing more is forwarded; nil = nobody has.
}

func (s *lineHold) open(r *Relay) {
	s.mu.Lock()
	s.relay = r
	s.mu.Unlock()
	s.opened.Store(r)
}

// leave ends the use in the stream to the server, unless something of a line is held or the
// rest of one is dropped, and reports whether it has. Only the relay may call it.
func (s *lineHold) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) > 0 || s.overlong || s.over || s.on() {
		return false
	}
	s.begun = false
	return true
}

// ended tells the Judge that the stream ends. It does not wait for a reader of the stream.
func (s *lineHold) ended() {
	if j, r := s.judge.Load(), s.opened.Load(); j != nil && r != nil {
		(*j).Ended(r.Conn, r.Stream)
	}
}

// between reports whether a line can be given now: the stream has not ended, and is at the
// end of a line.
func (s *lineHold) between() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.atLineEnd && !s.over
}

// on reports whether whole lines are looked at.
func (s *lineHold) on() bool { return s.active.Load() || s.judge.Load() != nil }

// carry forwards a chunk, without the lines that are Ours, and as the Judge decides.
func (s *lineHold) carry(r *Relay, chunk []byte) (over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return true, s.err
	}
	if s.cut.Load() != nil {
		return s.swallow(chunk)
	}
	if !s.on() && len(s.held) == 0 && s.dropped == "" {
		if s.overlong {
			return s.forwardRest(chunk)
		}
		s.atLineEnd = chunk[len(chunk)-1] == '\n'
		return s.send(chunk, session.Crossed, nil)
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
func (s *lineHold) forwardRest(p []byte) (over bool, err error) {
	way, d := session.Crossed, (*session.Decided)(nil)
	if s.overlong {
		end := bytes.IndexByte(p, '\n') + 1
		if s.overlong = end == 0; s.overlong {
			end = len(p)
		}
		if s.filter != nil {
			s.filter.TooLong(p[:end], !s.overlong)
		}
		if s.dropped != "" {
			way, d = session.WayIn, &session.Decided{By: s.dropped}
		}
		if !s.overlong {
			s.dropped = ""
		}
	}
	s.atLineEnd = p[len(p)-1] == '\n'
	return s.send(p, way, d)
}

// lines filters the lines that end in p, which begins at the beginning of a line or
// continues the held one. Consecutive lines for the client are forwarded together. The
// beginning of the last line is held.
func (s *lineHold) lines(p []byte) (over bool, err error) {
	if end := bytes.IndexByte(p, '\n') + 1; len(s.held) > 0 && end > 0 {
		s.held = append(s.held, p[:end]...)
		if over, err = s.line(s.held); over {
			return over, err
		}
		s.drop()
		p = p[end:]
		if s.cut.Load() != nil {
			return s.swallow(p)
		}
	}
	from, at := 0, 0 // p[from:at] is for the client.
	for len(s.held) == 0 {
		n := bytes.IndexByte(p[at:], '\n') + 1
		if n == 0 {
			break
		}
		line := p[at : at+n]
		ours := s.ours(line, false)
		ruling := session.Ruling{}
		if !ours {
			ruling = s.decide(line)
		}
		if ours || ruling.By != "" || s.parked != nil {
			if over, err = s.pass(p[from:at]); over {
				return over, err
			}
			if over, err = s.end(line, ours, ruling); over {
				return over, err
			}
			from = at + n
			if s.cut.Load() != nil {
				return s.swallow(p[from:])
			}
		}
		at += n
	}
	if over, err = s.pass(p[from:at]); over {
		return over, err
	}
	return s.hold(p[at:])
}

// line passes on one line, unless it is Ours, as the Judge decides.
func (s *lineHold) line(line []byte) (over bool, err error) {
	if s.ours(line, s.keepable()) {
		return s.end(line, true, session.Ruling{})
	}
	return s.end(line, false, s.decide(line))
}

// decide asks the Judge, if there is one.
func (s *lineHold) decide(line []byte) session.Ruling {
	if j := s.judge.Load(); j != nil {
		return (*j).Decide(session.Carried{Conn: s.relay.Conn, Stream: s.relay.Stream, Text: bytes.TrimRight(line, "\r\n")})
	}
	return session.Ruling{}
}

// ours reports whether a line is an answer of ours.
func (s *lineHold) ours(line []byte, keep bool) bool {
	return s.filter != nil && s.filter.Ours(line, keep)
}

// end removes a line of ours, or does with another one as was decided.
func (s *lineHold) end(line []byte, ours bool, r session.Ruling) (over bool, err error) {
	switch {
	case ours:
		return s.send(line, session.WayIn, nil)
	case r.By == "":
		return s.follow(line, session.Crossed, nil)
	case r.Whole():
		return s.follow(line, session.Crossed, &session.Decided{By: r.By})
	}
	mark := s.relay.Tap.Mark()
	if over, err = s.send(line, session.WayIn, &session.Decided{By: r.By, Mark: mark}); over {
		return over, err
	}
	term := bytes.Clone(line[len(bytes.TrimRight(line, "\r\n")):])
	if r.Verb == session.Hold {
		if len(term) == 0 {
			term = []byte{'\n'} // Others may follow it.
		}
		r.Await(func(r session.Ruling, written func()) { s.settled(mark, &r, term, written) })
		return false, nil
	}
	about := &session.Decided{By: r.By, Of: mark}
	if len(r.Back) > 0 {
		s.gate.backTo(s.relay.Stream.Reverse()).push(backOf(&r), about)
	}
	outs := linesOf(&r, term)
	if s.park(&r, outs, about) {
		return false, nil
	}
	for _, out := range outs {
		if r.Delay > 0 {
			s.gate.backTo(s.relay.Stream).after(r.Delay, out, about)
		} else if over, err = s.follow(out, session.WayOut, about); over {
			return over, err
		}
	}
	if r.Effect != nil && r.Effect.Lasts {
		s.gate.act(s.relay.Stream, r.Effect, r.By)
	}
	return false, nil
}

// linesOf are the lines that go on in place of a line with a terminator.
func linesOf(r *session.Ruling, term []byte) (lines [][]byte) {
	if len(r.Text) > 0 {
		first := term
		if len(term) == 0 && (len(r.More) > 0 || r.Delay > 0) {
			first = []byte{'\n'} // Others may follow it.
		}
		lines = append(lines, slices.Concat(r.Text, first))
	}
	for _, more := range r.More {
		lines = append(lines, slices.Concat(more, term))
	}
	return lines
}

// backOf are the lines for the sender of a line.
func backOf(r *session.Ruling) (lines []byte) {
	for _, back := range r.Back {
		lines = append(append(lines, back...), '\n')
	}
	return lines
}

// settled does with a line that was held, and has the mark in the record, as was decided.
func (s *lineHold) settled(mark int64, r *session.Ruling, term []byte, written func()) {
	about := &session.Decided{By: r.By, Of: mark}
	if len(r.Back) > 0 {
		s.gate.backTo(s.stream.Reverse()).add(backLine{line: backOf(r), d: about})
	}
	if e := r.Effect; e != nil && e.Lasts {
		told := written
		written = func() {
			told()
			s.gate.act(s.stream, e, r.By)
		}
	}
	lines := linesOf(r, term)
	for i, line := range lines {
		switch out := (backLine{line: line, d: about}); {
		case r.Delay > 0:
			s.gate.backTo(s.stream).after(r.Delay, out.line, about)
		case i == len(lines)-1:
			out.written = written
			s.gate.backTo(s.stream).add(out)
		default:
			s.gate.backTo(s.stream).add(out)
		}
	}
	if len(lines) == 0 || r.Delay > 0 {
		written()
	}
}

// pass forwards lines that nobody decided on.
func (s *lineHold) pass(p []byte) (over bool, err error) {
	if len(p) == 0 {
		return false, nil
	}
	return s.send(p, session.Crossed, nil)
}

// send forwards bytes, or only records them where they end here.
func (s *lineHold) send(p []byte, way session.Way, d *session.Decided) (over bool, err error) {
	switch {
	case s.relay.Stream == session.C2S:
		return s.gate.in.carryLines(s.relay, p, way, d)
	case d == nil:
		return s.relay.forward(p, way)
	}
	return s.relay.forwardDecided(p, way, *d)
}

// give writes a line to the reader of the stream, between two others. It reports false
// while the stream is within a line. After the end of the stream nothing is written.
func (s *lineHold) give(line []byte, d *session.Decided) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.relay == nil || s.relay.to == nil || s.cut.Load() != nil {
		return true
	}
	if !s.atLineEnd {
		return false
	}
	s.over, s.err = s.relay.forwardDecided(line, session.WayOut, *d)
	return true
}

// hold keeps the beginning of a line, or forwards it once it is too long.
func (s *lineHold) hold(p []byte) (over bool, err error) {
	if s.held = append(s.held, p...); len(s.held) <= s.limit {
		return false, nil
	}
	held := s.held
	s.overlong = true
	s.held = nil
	if j := s.judge.Load(); j != nil {
		s.dropped = (*j).TooLong()
	}
	if s.dropped != "" {
		return s.forwardRest(held)
	}
	s.relay.Tap.IO(s.relay.Conn, s.relay.Stream, session.IOEvent{Event: "released", Side: s.relay.reader(), Bytes: int64(len(held))})
	return s.forwardRest(held)
}

// keepHeld is the most memory that is kept for the next line, in bytes.
const keepHeld = 256 << 10

// drop empties held.
func (s *lineHold) drop() {
	if s.keepable() {
		s.held = nil
	}
	s.held = s.held[:0]
}

// keepable reports whether held's memory will not be reused.
func (s *lineHold) keepable() bool { return cap(s.held) > keepHeld }

// release forwards the held beginning of a line, unless lines are filtered again.
func (s *lineHold) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on() {
		s.forwardHeld()
	}
}

// flush forwards what is held, unless it is Ours, and as the Judge decides.
func (s *lineHold) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) > 0 && !s.over {
		ours, ruling := s.ours(s.held, s.keepable()), session.Ruling{}
		if !ours {
			ruling = s.decide(s.held)
		}
		if ours || ruling.By != "" {
			s.over, s.err = s.end(s.held, ours, ruling)
			s.drop()
		}
	}
	s.forwardHeld()
}

// forwardHeld forwards what is held.
func (s *lineHold) forwardHeld() {
	if held := s.held; len(held) > 0 && !s.over {
		s.held = nil
		s.over, s.err = s.forwardRest(held)
	}
}

// tear ends a stream that has ended within a line: nothing can follow it.
func (s *lineHold) tear() {
	s.mu.Lock()
	s.over = s.over || !s.atLineEnd
	s.mu.Unlock()
}

// shut ends the stream.
func (s *lineHold) shut() {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if !s.reported && s.filter != nil {
		s.reported = true
		s.filter.Ended()
	}
}
