package rehearsal

import (
	"bytes"
	"fmt"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/decide"
)

// longest is the longest message that is read, in bytes: a longer one cannot be decided on.
const longest = 16 << 20

// An Outcome is what a policy would have done to one frame.
type Outcome struct {
	N        uint64         // N is the record number of the frame.
	Stream   session.Stream // Stream is the frame's.
	Method   string         // Method and Target are those of the frame's row, of a batch its first message's.
	Target   string
	Denied   bool   // Denied: it, or a message of a batch, would not have been forwarded. Else it would, altered or noted.
	Altered  bool   // Altered: it would have been forwarded with a part left out.
	Answered bool   // Answered: it would not have been forwarded, and answered in its receiver's place.
	Held     bool   // Held: it would have waited for a person; the rest says what follows where that person allows it.
	By       string // By is what decides, as the record would say it.
}

// A Result is what a policy would have done to a session.
type Result struct {
	Messages int // Messages counts the frames that have messages.
	Denied   int // Denied counts those that would not have been forwarded,
	Altered  int // Altered those that would have been forwarded with a part left out,
	Answered int // Answered those that would have been answered in their receiver's place,
	Held     int // and Held those that would have waited for a person.
	Outcomes []Outcome
}

// Test decides on the messages of a session in their order. The error is one of reading.
func Test(s *session.Snapshot, log recorder.Log, by decide.Decider) (Result, error) {
	var res Result
	var path decide.Path
	path.Use(by)
	err := each(s, log, func(row session.Row, body []byte) {
		ruling := decide.Ruling{By: "policy: on_error", Pass: true}
		if body == nil && path.TooLong() != "" {
			ruling.Denied = 1
		}
		if body != nil {
			ruling = path.Text(int(row.Conn), row.Stream, body)
		}
		res.Messages++
		held := ruling.Held
		if held != nil {
			res.Held++
			ruling = path.Release(held, body, held.By)
			ruling.Pass = bytes.Equal(ruling.Text, body)
		}
		o := Outcome{Held: held != nil, N: uint64(row.N), Stream: row.Stream, Method: s.Name(row.Method), Target: s.Name(row.Target), By: ruling.By}
		switch {
		case ruling.By == "":
			return
		case ruling.Denied > 0:
			o.Denied = true
			res.Denied++
		case !ruling.Pass && len(ruling.Text) == 0 && len(ruling.Back) > 0:
			o.Answered = true
			res.Answered++
		case !ruling.Pass:
			o.Altered = true
			res.Altered++
		}
		res.Outcomes = append(res.Outcomes, o)
	})
	return res, err
}

// each calls f for each frame with messages that a peer has sent; its body is nil where it
// is too long.
func each(s *session.Snapshot, log recorder.Log, f func(row session.Row, body []byte)) error {
	bodies := recorder.NewBodies(log)
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		switch row.Kind {
		case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
		default:
			continue
		}
		if row.Stream == session.Stderr || row.Way == session.WayOut {
			continue
		}
		if row.Len > longest {
			f(row, nil)
			continue
		}
		body, err := bodies.ReadValue(s, i, longest)
		if err != nil {
			return fmt.Errorf("reading record %d: %w", row.N, err)
		}
		f(row, body)
	}
	return nil
}
