package recorder

import (
	"bytes"

	"wiretea/session"
)

// maxEvents is the number of event records that are kept for a file that cannot be
// written.
const maxEvents = 1000

// lossLedger is what a file lacks since it could not be written: the number of bytes
// and frames of each stream, and the records of events, which are few and are written
// later.
type lossLedger struct {
	gaps   []streamGap
	events [][]byte
	parser parser
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
		g.Bytes += int64(wireSize(rec))
		if g.Frames >= 0 {
			g.Frames++
		}
	case session.RecRaw:
		g := m.stream(rec)
		g.Bytes += int64(len(rec.Body))
		g.Frames = -1
	case session.RecIO, session.RecProc, session.RecGap, session.RecHTTP, session.RecHeader, session.RecEnd, session.RecPath:
		if len(m.events) < maxEvents {
			m.events = append(m.events, bytes.Clone(line))
		}
	case session.RecClock, session.RecUnknown:
		// The next clock record says all that this one did.
	}
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
