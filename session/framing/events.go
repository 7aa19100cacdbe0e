package framing

import "bytes"

// dataName is the name of the field whose values are the message.
const dataName = "data"

var bom = []byte("\xef\xbb\xbf")

// position is where an event stream is in its line.
type position uint8

const (
	inName  position = iota // inName: at the beginning, or in what may be the name "data".
	inColon                 // inColon: behind "data:", where one space is not part of the value.
	inValue                 // inValue: in a value of data.
	inOther                 // inOther: in a line that is not data.
	inCR                    // inCR: behind a CR, which may be half of a CRLF.
)

// events is the state of a stream of server-sent events: HTML §9.2.5.
type events struct {
	at    position
	hold  []byte // hold is what was pushed and not given out: the end of the line before, and the beginning of this one.
	end   int    // end is how many bytes of hold are the end of the line before.
	blank bool   // blank: the line that inCR is behind is empty.
	data  bool   // data: the event has a line of data.
	begun bool   // begun: the stream's first line has ended, before which a byte order mark may be.
}

// events takes the next bytes of an event stream.
func (s *Splitter) events(p []byte, emit func(Piece)) {
	e := &s.sse
	for len(p) > 0 {
		switch e.at {
		case inName:
			p = s.eventName(p, emit)
		case inColon:
			if p[0] == ' ' {
				e.hold, p = append(e.hold, ' '), p[1:]
			}
			s.beginValue(emit)
		case inCR:
			if p[0] == '\n' {
				e.hold, p = append(e.hold, '\n'), p[1:]
			}
			s.endEventLine(emit)
		case inValue, inOther:
			n := bytes.IndexAny(p, "\r\n")
			if n < 0 {
				n = len(p)
			}
			if n > 0 && e.at == inValue {
				s.give(Piece{Data: p[:n]}, emit)
			} else if n > 0 {
				s.give(Piece{Pre: p[:n]}, emit)
			}
			if p = p[n:]; len(p) > 0 {
				p = s.eventLineEnd(p, false, emit)
			}
		}
	}
}

// eventName holds the beginning of a line until it is known whether it is data.
func (s *Splitter) eventName(p []byte, emit func(Piece)) []byte {
	e := &s.sse
	if p[0] == '\n' || p[0] == '\r' {
		switch name := e.name(); {
		case len(e.hold) == e.end:
			return s.eventLineEnd(p, true, emit)
		case string(name) == dataName:
			s.beginValue(emit)
		default:
			s.giveHold(emit)
		}
		return s.eventLineEnd(p, false, emit)
	}
	e.hold = append(e.hold, p[0])
	switch name := string(e.name()); {
	case name == dataName+":":
		e.at = inColon
	case len(name) <= len(dataName) && name == dataName[:len(name)]:
	default:
		e.at = inOther
		s.giveHold(emit)
	}
	return p[1:]
}

// name is what is held of the line's name. Of a byte order mark that may not be whole
// yet it is nothing.
func (e *events) name() []byte {
	line := e.hold[e.end:]
	if !e.begun && bytes.HasPrefix(bom, line) {
		return nil
	}
	if !e.begun {
		line = bytes.TrimPrefix(line, bom)
	}
	return line
}

// beginValue begins a value of data. The end of the line before it is a part of the
// message where that has had data.
func (s *Splitter) beginValue(emit func(Piece)) {
	e := &s.sse
	e.at = inValue
	if e.data {
		s.give(Piece{Pre: e.hold[:e.end-1], Data: e.hold[e.end-1 : e.end]}, emit)
		e.hold = append(e.hold[:0], e.hold[e.end:]...)
		e.end = 0
	}
	e.data = true
	s.giveHold(emit)
}

// eventLineEnd takes the line end at which p begins.
func (s *Splitter) eventLineEnd(p []byte, blank bool, emit func(Piece)) []byte {
	e := &s.sse
	e.hold, e.blank = append(e.hold, p[0]), blank
	if e.at = inCR; p[0] == '\n' {
		s.endEventLine(emit)
	}
	return p[1:]
}

// endEventLine ends a line, whose end is held. An empty line ends the event.
func (s *Splitter) endEventLine(emit func(Piece)) {
	e := &s.sse
	e.at, e.begun = inName, true
	if !e.blank {
		e.end = len(e.hold)
		return
	}
	start := s.done == 0
	s.done = 0
	emit(Piece{Term: e.hold, Start: start, End: true, Kind: Event})
	e.hold, e.end, e.data = e.hold[:0], 0, false
}

// giveHold gives out what is held, as syntax.
func (s *Splitter) giveHold(emit func(Piece)) {
	e := &s.sse
	if len(e.hold) > 0 {
		s.give(Piece{Pre: e.hold}, emit)
	}
	e.hold, e.end = e.hold[:0], 0
}

// give gives out a part of an event.
func (s *Splitter) give(p Piece, emit func(Piece)) {
	p.Kind, p.Start = Event, s.done == 0
	s.done += int64(len(p.Pre) + len(p.Data))
	emit(p)
}

// Fields are the fields of an event that are not its message.
type Fields struct {
	Name     string // Name is that of the event; empty for message.
	ID       string
	Retry    string // Retry is the text of the reconnection time, in ms.
	HasID    bool
	HasRetry bool
}

// EventFields reads the fields of an event from its syntax, which may have its data in it.
func EventFields(syntax []byte) (f Fields) {
	for line := range bytes.FieldsFuncSeq(syntax, func(r rune) bool { return r == '\n' || r == '\r' }) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		text := string(bytes.TrimPrefix(value, []byte(" ")))
		switch string(bytes.TrimPrefix(name, bom)) {
		case "event":
			f.Name = text
		case "id":
			f.ID, f.HasID = text, true
		case "retry":
			f.Retry, f.HasRetry = text, true
		}
	}
	return f
}
