package framing

import "bytes"

// A Splitter cuts one stream into frames. Its zero value is at the beginning
// of a stream. It is for one goroutine.
//
// Pieces in their order, each Pre, Data and Term, then what Held returns, are exactly the
// bytes that were pushed. Where the chunks end makes no difference to the frames.
type Splitter struct {
	Mode Mode // Mode is set before the first byte.

	done int64  // done counts the bytes of the unfinished frame that were given out.
	left int64  // left counts the bytes of an announced body still to come.
	cr   bool   // cr: a CR is held that may belong to a CRLF.
	head header // head is what may be a header block, all of it held.
	sse  events
}

var (
	cr   = []byte("\r")
	lf   = []byte("\n")
	crlf = []byte("\r\n")
)

// Push takes the next bytes of the stream and gives the pieces they make to
// emit, which must not call the Splitter.
func (s *Splitter) Push(p []byte, emit func(Piece)) {
	switch s.Mode {
	case Whole:
		if len(p) > 0 {
			s.whole(p, emit)
		}
		return
	case Events:
		s.events(p, emit)
		return
	case Lines:
	}
	for len(p) > 0 {
		switch {
		case s.left > 0:
			p = s.body(p, emit)
		case len(s.head.buf) > 0 || s.atStart() && startsHeader(p):
			p = s.header(p, emit)
		default:
			p = s.line(p, emit)
		}
	}
}

// Flush ends the stream: what is unfinished becomes a frame without terminator.
// A header block that did not end is lines. The Splitter then is at the
// beginning of a stream.
func (s *Splitter) Flush(emit func(Piece)) {
	if len(s.head.buf) > 0 {
		s.giveUp(emit)
	}
	if s.sse.at == inCR {
		s.endEventLine(emit)
	}
	if n := s.Pending(); n > 0 {
		last := Piece{Data: s.Held(), Start: s.done == 0, End: true, Kind: s.kind()}
		if s.Mode == Events {
			last.Pre, last.Data = last.Data, nil
		}
		emit(last)
	}
	s.done, s.left, s.cr, s.sse = 0, 0, false, events{hold: s.sse.hold[:0]}
}

// kind is the kind of the unfinished frame.
func (s *Splitter) kind() Kind {
	switch {
	case s.Mode == Events:
		return Event
	case s.Mode == Whole, s.left > 0:
		return Body
	}
	return Line
}

// whole passes on a part of the one frame.
func (s *Splitter) whole(p []byte, emit func(Piece)) {
	start := s.done == 0
	s.done += int64(len(p))
	emit(Piece{Data: p, Start: start, Kind: Body})
}

// Pending returns the length in bytes of the unfinished frame so far, held bytes
// included; 0 at a frame's boundary.
func (s *Splitter) Pending() int64 { return s.done + int64(len(s.Held())) }

// Held returns the bytes that were pushed and are not yet given out: a CR that
// may be half a terminator, or what may be a header block, which can be several
// lines. It is valid until the next call.
func (s *Splitter) Held() []byte {
	switch {
	case s.Mode == Events:
		return s.sse.hold
	case s.cr:
		return cr
	}
	return s.head.buf
}

// Observe takes note of a frame that was cut out of the stream elsewhere, and
// returns its kind. The Splitter then is behind it, as if it had cut it
// itself. Where Pending is not 0, that frame did not end: Flush it before,
// else it is forgotten.
func (s *Splitter) Observe(body, term []byte) Kind {
	kind := Line
	var left int64
	switch {
	case s.Mode != Lines:
		kind = s.kind()
	case len(term) == 0 && s.left > 0 && s.left >= int64(len(body)):
		kind = Body
	case bytes.Count(term, lf) == 2:
		kind = Header
		left, _ = bodyLength(body)
	}
	s.head.reset()
	s.done, s.left, s.cr, s.sse = 0, left, false, events{hold: s.sse.hold[:0], begun: true}
	return kind
}

// atStart reports whether the next byte begins a frame, in line mode.
func (s *Splitter) atStart() bool { return s.done == 0 && !s.cr }

// body passes on what p has of the announced body and returns the rest of p.
func (s *Splitter) body(p []byte, emit func(Piece)) []byte {
	n := int(min(int64(len(p)), s.left))
	start := s.done == 0
	s.done += int64(n)
	s.left -= int64(n)
	end := s.left == 0
	if end {
		s.done = 0
	}
	emit(Piece{Data: p[:n], Start: start, End: end, Kind: Body})
	return p[n:]
}

// line passes on what p has of the line that has begun, or begins here, and
// returns the rest of p.
func (s *Splitter) line(p []byte, emit func(Piece)) []byte {
	if s.cr {
		s.cr = false
		if p[0] == '\n' {
			s.endLine(nil, crlf, emit)
			return p[1:]
		}
		s.part(cr, emit)
	}
	i := bytes.IndexByte(p, '\n')
	if i < 0 {
		if p[len(p)-1] == '\r' {
			s.cr = true
			p = p[:len(p)-1]
		}
		if len(p) > 0 {
			s.part(p, emit)
		}
		return nil
	}
	body := i
	if i > 0 && p[i-1] == '\r' {
		body--
	}
	s.endLine(p[:body], p[body:i+1], emit)
	return p[i+1:]
}

// part gives out a part of a line that goes on.
func (s *Splitter) part(p []byte, emit func(Piece)) {
	start := s.done == 0
	s.done += int64(len(p))
	emit(Piece{Data: p, Start: start})
}

// endLine gives out the last part of a line.
func (s *Splitter) endLine(p, term []byte, emit func(Piece)) {
	start := s.done == 0
	s.done = 0
	emit(Piece{Data: p, Term: term, Start: start, End: true})
}

// MaxHeader is the longest Content-Length header block that is recognised, in
// bytes. A longer one is not a header block but lines.
const MaxHeader = 8 << 10

// A Piece is a part of one frame, in the order of the stream. A frame that lies
// whole in one chunk is one Piece with Start and End both set.
type Piece struct {
	// Pre is before Data in an event stream, and belongs to the frame but not to its
	// body: names of fields, other fields, comments.
	Pre []byte

	// Data is the next part of the frame's body, without terminator. It aliases
	// the chunk given to Push, or the Splitter's own memory, and is valid until
	// emit returns. It may be empty.
	Data []byte

	// Term is the frame's terminator, set with End: "\n" or "\r\n"; after a header
	// block two of them, the last line's and the empty line's; empty where the
	// stream ended in mid-line and after a body. An event's is its empty line, and the
	// end of the line before where it has one. It is valid as long as Data is.
	Term []byte

	Start bool // Start is set on a frame's first piece.
	End   bool // End is set on a frame's last piece.

	Kind Kind
}

// Kind says what a frame is to the framing.
type Kind uint8

const (
	Line   Kind = iota // Line is text up to a line feed, or up to the end of the stream.
	Header             // Header is a Content-Length header block, its lines separated as on the wire.
	Body               // Body is the exact number of bytes that a Header announced, after one that announced 0 none; or the body of an HTTP request or response.
	Event              // Event is a server-sent event up to its empty line. Its body is its data; empty for a comment.
)

// Mode is how a stream is cut.
type Mode uint8

const (
	Lines  Mode = iota // Lines is the framing of stdio: lines, and Content-Length blocks once a peer uses them.
	Whole              // Whole makes one frame of all bytes: a body of HTTP.
	Events             // Events are server-sent events: a body of HTTP of the type text/event-stream.
)
