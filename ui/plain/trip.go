package plain

import (
	"wiretea/session"
	"wiretea/session/text"
)

// An exchange over HTTP is three to five rows: the heads of the request and the response,
// their messages, the end of a stream. Where a head and its message follow one another they
// are one line, that of the message, so that an exchange is two lines as over stdio.

// joined reports whether row i is printed on the line of its neighbour. What it says there is
// in p.beside.
func (p *Printer) joined(s *session.Snapshot, i uint32) bool {
	r, next := s.Row(i), p.following(s, i)
	if p.beside != "" { // The head before it is.
		return false
	}
	switch r.Kind {
	case session.RowTrip:
		if next.Kind == session.RowRequest || next.Kind == session.RowNotification {
			p.beside = text.Visible([]byte(s.Name(r.Method)+" "+s.Name(r.Target)), 0)
		}
		return p.beside != ""
	case session.RowTripResponse:
		if s.Trip(s.TripRow(i)).Stream && (next.Kind == session.RowResult || next.Kind == session.RowError) {
			p.beside, p.streamed = s.Name(r.Method)+" stream", s.TripRow(i)+1
			return true
		}
		return p.answered == s.TripRow(i)+1
	case session.RowTripEnd:
		return p.streamed == s.TripRow(i)+1 && s.Name(r.Method) == "eof"
	case session.RowResult, session.RowError:
		if next.Kind == session.RowTripResponse && !s.Trip(s.TripRow(i)).Stream {
			p.beside, p.answered = s.Name(next.Method), s.TripRow(i)+1
		}
	default:
	}
	return false
}

// following is the row behind row i if it belongs to the same round trip and is printed;
// else its Kind is RowText.
func (p *Printer) following(s *session.Snapshot, i uint32) session.Row {
	trip := s.TripRow(i)
	if trip == session.NoRow || i+1 >= uint32(s.Len()) || s.TripRow(i+1) != trip || !p.selects(s, i+1) {
		return session.Row{Kind: session.RowText}
	}
	return s.Row(i + 1)
}

// early reports whether what row i, the latest, is printed with comes at once: the message of
// a POST, and the head of a response that has ended.
func early(s *session.Snapshot, i uint32) bool {
	trip := s.TripRow(i)
	if trip == session.NoRow || i+1 < uint32(s.Len()) || s.Trip(trip).Over {
		return false
	}
	r := s.Row(i)
	answer := r.Kind == session.RowResult || r.Kind == session.RowError
	return r.Kind == session.RowTrip && s.Name(r.Method) == "POST" || answer && s.Trip(trip).ResponseRow.Kind != session.RowTripResponse
}

// tripWord is what the line of a message says of its round trip.
func (p *Printer) tripWord(r session.Row) string {
	if p.beside == "" {
		return ""
	}
	word := "  " + p.beside
	p.beside = ""
	if r.Failed() {
		return p.paint(red, word)
	}
	return p.dim(word)
}
