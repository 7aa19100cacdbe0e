package plain

import (
	"fmt"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/lazy"
	"wiretea/session/text"
)

// excerpt is how much of a text frame a line shows, in characters.
const excerpt = 96

// Column widths, in characters.
const (
	timeWidth   = 9
	methodWidth = 38
	idWidth     = 8
)

// line writes one row for people:
//
//	n      time  dir kind method target      id   latency     size
func (p *Printer) line(s *session.Snapshot, i uint32) string {
	r := s.Row(i)
	head := fmt.Sprintf("%5d %*.3f ", r.N, timeWidth, float64(r.T)/1e9)
	switch r.Kind {
	case session.RowStderr:
		return p.dim(head+"┆ err  ") + p.text(r, excerpt)
	case session.RowProc, session.RowIO, session.RowGap:
		return p.dim(head) + p.event(r)
	case session.RowTrip, session.RowTripResponse, session.RowTripEnd:
		return p.trip(s, i, head)
	}
	method := methodWords(s, r)
	id, latency := s.ID(r), p.latency(s, i)
	what, columns := padRight(method, methodWidth), fmt.Sprintf(" %s %9s", padLeft(text.Visible([]byte(id), 24), idWidth), latency)
	if method == "" && r.Kind != session.RowBlank {
		wide := methodWidth + 1 + idWidth + 1 + 9
		if id != "" {
			wide = methodWidth
		} else {
			columns = ""
		}
		what = padRight(p.text(r, wide), wide)
	}
	tail := columns + fmt.Sprintf(" %9s", text.Size(int64(r.Len)))
	kind := kindWords.Get()[r.Kind]
	if r.Failed() {
		kind = kindWords.Get()[session.RowError]
	}
	line := p.dim(head) + p.tint(r, r.Arrow()+" "+kind+"  ") + what + p.dim(tail) + p.paint(yellow, p.decided(r)) + p.tripWord(r)
	if r.Sev != session.NoSeverity {
		line += "  " + p.paint(severityColour(r.Sev), severitySign(r.Sev))
	}
	return line
}

// trip writes a row of a round trip.
func (p *Printer) trip(s *session.Snapshot, i uint32, head string) string {
	words := "◇ " + s.TripWords(i)
	if row := s.Row(i); row.Failed() {
		return p.dim(head) + p.paint(red, words)
	}
	return p.dim(head + words)
}

// wayWord is what an arrow with a bar says; empty for what crossed.
func wayWord(r session.Row) string {
	switch {
	case r.Way == session.WayOut && r.Stream == session.S2C:
		return "  sent to the client by wiretea"
	case r.Way == session.WayOut:
		if r.Flags&session.FlagDecided != 0 {
			return "  sent to the server by wiretea"
		}
		return "  injected, not the client's"
	case r.Way == session.WayIn && r.Stream == session.S2C:
		return "  taken out, the client did not get it"
	case r.Way == session.WayIn:
		return "  held back, the server did not get it"
	}
	return ""
}

// decided says what became of a frame, and who decided; empty for one that crossed, and on
// which nobody did.
func (p *Printer) decided(r session.Row) string {
	by, word := p.by(r), wayWord(r)
	if strings.HasSuffix(by, session.ByAsked) || strings.HasSuffix(by, session.ByHeld) {
		// When it is printed nobody has decided yet.
		word = "  waits for a decision"
	}
	if by != "" {
		word += " (" + text.Visible([]byte(by), 0) + ")"
	}
	return word
}

// by is who decided on a frame, as its record says it.
func (p *Printer) by(r session.Row) string {
	var rec session.Record
	if r.Flags&session.FlagDecided == 0 || recorder.NewReader(p.Log, r.Off).Next(&rec) != nil {
		return ""
	}
	return rec.By
}

// kindWords are the kinds of frames in three letters.
var kindWords = lazy.Value[map[session.RowKind]string]{New: func() map[session.RowKind]string {
	return map[session.RowKind]string{
		session.RowRequest: "req", session.RowNotification: "ntf", session.RowResult: "res", session.RowError: "err", session.RowBatch: "bat",
		session.RowPart: "…  ", session.RowHeader: "hdr", session.RowBlank: "nul", session.RowGrowing: "cut", session.RowText: "txt",
	}
}}

// methodWords is the method with its target, empty for a frame that has none.
func methodWords(s *session.Snapshot, r session.Row) string {
	switch r.Kind {
	case session.RowRequest, session.RowNotification, session.RowResult, session.RowError:
		return text.Visible([]byte(strings.TrimSpace(s.Name(r.Method)+"  "+s.Name(r.Target))), methodWidth)
	case session.RowBatch:
		return text.Visible([]byte(strings.TrimSpace(s.Name(r.Method)+" …")), methodWidth)
	default:
		return ""
	}
}

// text is the beginning of a body, at most max characters.
func (p *Printer) text(r session.Row, max int) string {
	return text.Visible(p.body(r, int64(4*max)), max)
}

// latency is shown with the response.
func (p *Printer) latency(s *session.Snapshot, i uint32) string {
	kind := s.Row(i).Kind
	if ns, ok := s.Latency(i); ok && (kind == session.RowResult || kind == session.RowError) {
		return text.Duration(ns)
	}
	return ""
}

// event words what happened to the process or to a stream, from its record.
func (p *Printer) event(r session.Row) string {
	var rec session.Record
	if err := recorder.NewReader(p.Log, r.Off).Next(&rec); err != nil {
		return r.Kind.String()
	}
	switch words := rec.Words(); rec.Kind {
	case session.RecProc:
		if len(rec.Proc.FDs) > 0 {
			words += text.Visible([]byte(" ("+strings.Join(rec.Proc.FDs, " ")+")"), 0)
		}
		return p.paint(bold, "● "+words)
	case session.RecGap:
		if rec.Gap.Why != recorder.Rolled {
			return p.paint(red, "✖ "+words)
		}
		return p.dim("○ " + words)
	case session.RecIO:
		return p.dim("○ " + words)
	case session.RecPath:
		return p.paint(bold, "● "+words)
	default:
		return r.Kind.String()
	}
}

func severitySign(sev session.Severity) string {
	switch sev {
	case session.Error:
		return "✖"
	case session.Warning:
		return "⚠"
	case session.Info, session.NoSeverity:
	}
	return "ℹ"
}

// padRight and padLeft fill a text up to a width in cells. A longer one stays as it is.
func padRight(text string, w int) string { return text + cells.Spaces(w-cells.Width(text)) }

func padLeft(text string, w int) string { return cells.Spaces(w-cells.Width(text)) + text }
