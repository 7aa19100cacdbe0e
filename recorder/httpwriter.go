package recorder

import (
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/framing"
)

// originOf returns the connection and the round trip of an observation.
func (w *Writer) originOf(o *session.Observation) origin {
	if o.Trip == 0 {
		return origin{conn: o.Conn}
	}
	at := origin{conn: 1, trip: o.Trip}
	if trip := w.trips[o.Trip]; trip != nil {
		at.conn = trip.Conn
	}
	return at
}

// modeOf returns how the stream of an observation is framed.
func (w *Writer) modeOf(o *session.Observation) framing.Mode {
	if o.Trip == 0 {
		return framing.Lines
	}
	if trip := w.trips[o.Trip]; trip != nil && trip.Stream && o.Stream == session.S2C {
		return framing.Events
	}
	return framing.Whole
}

// http takes an event of a round trip.
func (w *Writer) http(o *session.Observation) {
	switch o.HTTP.Event {
	case "req":
		if w.trips == nil {
			w.trips = map[int]*session.Trip{}
		}
		w.trips[o.Trip] = &session.Trip{Conn: max(1, o.HTTP.Conn)}
	case "sent":
		if raw := w.finishBody(o, session.C2S); !raw {
			return // The frame says it.
		}
	case "received":
		w.finishBody(o, session.S2C)
		return // The frame says it.
	case "res":
		if trip := w.trips[o.Trip]; trip != nil {
			trip.Stream = o.HTTP.IsEvents()
		}
	case "end":
		w.finishBody(o, session.C2S)
		w.finishBody(o, session.S2C)
	}
	w.buf = appendHTTP(w.buf, w.next(), w.originOf(o), o.T, o.HTTP)
	if o.HTTP.Event == "end" {
		delete(w.trips, o.Trip)
	}
}

// finishBody ends a body, and reports whether its last frame is raw.
func (w *Writer) finishBody(o *session.Observation, s session.Stream) (raw bool) {
	for _, way := range [...]session.Way{session.Crossed, session.WayIn, session.WayOut} {
		if t := w.find(w.originOf(o), s, way); t != nil {
			raw = t.raw || t.ahead > 0
			w.finishStream(t)
		}
	}
	return raw
}

// event keeps a part of an event as it is on the wire.
func (t *streamWriter) event(p framing.Piece) {
	if p.Start {
		t.hints.begin()
		t.spans = t.spans[:0]
	}
	t.buf = append(t.buf, p.Pre...)
	if len(p.Data) == 0 {
		return
	}
	t.hints.scanner.Write(p.Data)
	from := len(t.buf)
	t.buf = append(t.buf, p.Data...)
	if n := len(t.spans); n > 0 && t.spans[n-1].to == from {
		t.spans[n-1].to = len(t.buf)
		return
	}
	t.spans = append(t.spans, span{from, len(t.buf)})
}

// event writes an event: one with data is a frame, any other an event of the round trip.
func (w *Writer) event(t *streamWriter, term []byte) {
	verbatim := t.hints.end()
	t.buf = append(t.buf, term...)
	if len(t.spans) == 0 {
		w.buf = appendHTTP(w.buf, w.next(), t.origin, t.last, &session.HTTPEvent{Event: "sse", Text: t.buf})
		return
	}
	if !t.syntaxValid() {
		w.flush(t, len(t.buf))
		return
	}
	w.buf = appendHead(w.buf, "f", w.next(), t.origin, t.last)
	w.buf = appendStream(w.buf, t.last, t.first, t.stream, t.way)
	w.buf = w.appendDecided(w.buf, t.decided)
	w.buf = t.hints.appendHints(w.buf)
	first, last := t.spans[0], t.spans[len(t.spans)-1]
	w.buf = appendSyntax(w.buf, "pre", t.buf[:first.from])
	body := t.buf[first.from:first.to]
	if len(t.spans) > 1 {
		w.buf, body = t.appendMid(w.buf)
	}
	w.buf = appendSyntax(w.buf, "post", t.buf[last.to:])
	w.buf = appendBody(w.buf, body, nil, verbatim)
}

// syntaxValid reports whether all but the data is UTF-8.
func (t *streamWriter) syntaxValid() bool {
	from := 0
	for _, s := range t.spans {
		if !utf8.Valid(t.buf[from:s.from]) {
			return false
		}
		from = s.to
	}
	return utf8.Valid(t.buf[from:])
}

// appendMid appends what stands between the lines of a message, and returns the message.
func (t *streamWriter) appendMid(dst []byte) (record, body []byte) {
	dst = append(appendName(dst, "mid"), '[')
	for i, s := range t.spans {
		if i > 0 {
			if i > 1 {
				dst = append(dst, ',')
			}
			dst = appendCut(dst, session.Cut{Off: len(body), Text: string(t.buf[t.spans[i-1].to:s.from])})
		}
		body = append(body, t.buf[s.from:s.to]...)
	}
	return append(dst, ']'), body
}
