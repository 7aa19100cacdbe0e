package recorder

import (
	"bytes"
	"slices"

	"wiretea/session"
)

// maxEvents is the number of event records that are kept for a file that cannot be
// written.
const maxEvents = 1000

// lossLedger is what a file lacks since it could not be written: the number of bytes
// and frames of each stream, and the records of events, which are few and are written
// later.
type lossLedger struct {
	gaps   []streamGap // gaps are those of streams that have not ended.
	events []lostEvent // events are in their order.
	parser parser
}

// A lostEvent is the record of an event, or what is missing of a stream that the event
// behind it ends: its reader must know of it before the end.
type lostEvent struct {
	line []byte
	gap  *streamGap // gap is nil for a record.
}

// A streamGap is what is missing of one stream.
type streamGap struct {
	at  origin
	gap session.Gap
}

// add counts what lines, which are whole records, hold.
func (m *lossLedger) add(lines []byte) {
	var rec session.Record
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n') + 1
		if m.parser.parse(lines[:end-1], &rec) == nil {
			m.record(&rec, lines[:end])
		}
		lines = lines[end:]
	}
}

func (m *lossLedger) record(rec *session.Record, line []byte) {
	switch rec.Kind {
	case session.RecFrame:
		g := m.stream(rec)
		g.Bytes += rec.WireSize()
		if g.Frames >= 0 {
			g.Frames++
		}
	case session.RecRaw:
		g := m.stream(rec)
		g.Bytes += int64(len(rec.Body))
		g.Frames = -1
	case session.RecIO, session.RecProc, session.RecGap, session.RecHTTP, session.RecHeader, session.RecEnd, session.RecPath:
		m.end(rec)
		if len(m.events) < maxEvents {
			m.events = append(m.events, lostEvent{line: bytes.Clone(line)})
		}
	case session.RecClock, session.RecUnknown:
		// The next clock record says all that this one did.
	}
}

// end puts the gaps of streams that an event ends before it.
func (m *lossLedger) end(rec *session.Record) {
	m.gaps = slices.DeleteFunc(m.gaps, func(g streamGap) bool {
		over := false
		switch {
		case g.at != origin{rec.Conn, rec.Trip}:
		case rec.Kind == session.RecIO:
			over = g.gap.Stream == rec.Stream && (rec.IO.Event == "eof" || rec.IO.Event == "closed")
		case rec.Kind == session.RecHTTP:
			over = rec.HTTP.Event == "end" || rec.HTTP.Event == "sent" && g.gap.Stream == session.C2S
		}
		if over {
			m.events = append(m.events, lostEvent{gap: &g})
		}
		return over
	})
}

// bytes returns how many bytes are missing.
func (m *lossLedger) bytes() (n int64) {
	for _, g := range m.gaps {
		n += g.gap.Bytes
	}
	for _, e := range m.events {
		if e.gap != nil {
			n += e.gap.gap.Bytes
		}
	}
	return n
}

// stream returns the gap of a record's stream.
func (m *lossLedger) stream(rec *session.Record) *session.Gap {
	at := origin{rec.Conn, rec.Trip}
	for i := range m.gaps {
		if g := &m.gaps[i]; g.at == at && g.gap.Stream == rec.Stream {
			return &g.gap
		}
	}
	m.gaps = append(m.gaps, streamGap{at, session.Gap{Stream: rec.Stream, Why: "disk"}})
	return &m.gaps[len(m.gaps)-1].gap
}
