package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"wiretea/session"
)

var t0 = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// header is a header of a session that began at t0.
func header() session.Header {
	return session.Header{SID: "00112233445566778899aabbccddeeff", Tool: "wiretea/test", T0: t0, Mode: "run", Trans: "stdio",
		Cmd: []string{"node", "s.js"}, Limits: session.DefaultLimits()}
}

// A step is what a script's next Take answers.
type step struct {
	at      int64 // session time afterwards
	batch   []session.Observation
	backlog int64
}

// A script is a Source that answers step by step, and the session's clock.
type script struct {
	steps []step
	now   int64
	wall  int64                  // how far the wall clock is ahead of the session's
	asked []time.Duration        // the timeouts that Take was called with
	hook  func(w int, now int64) // called before each step
}

func (s *script) Take(timeout time.Duration) ([]session.Observation, int64, error) {
	s.asked = append(s.asked, timeout)
	if len(s.steps) == 0 {
		return nil, 0, io.EOF
	}
	next := s.steps[0]
	s.steps = s.steps[1:]
	s.now = max(s.now, next.at)
	if s.hook != nil {
		s.hook(len(s.asked), s.now)
	}
	return next.batch, next.backlog, nil
}

func (s *script) options() Options {
	return Options{Now: func() int64 { return s.now }, Wall: func() time.Time { return t0.Add(time.Duration(s.now + s.wall)) }}
}

// chunk is an observation of bytes on connection 1.
func chunk(t int64, s session.Stream, data string) session.Observation {
	return session.Observation{Conn: 1, Stream: s, T: t, Data: []byte(data)}
}

// recordAll runs a script into a Sink and returns the session file.
func recordAll(t testing.TB, s *script, sink *Sink) []byte {
	t.Helper()
	w := NewWriter(sink, header(), s.options())
	if err := w.Run(s); err != nil {
		t.Fatalf("Run: %v", err)
	}
	return contents(t, sink)
}

// contents reads a whole log.
func contents(t testing.TB, log Log) []byte {
	t.Helper()
	p := make([]byte, log.Size())
	if n, err := log.ReadAt(p, 0); int64(n) != log.Size() || err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("ReadAt read %d of %d bytes: %v", n, log.Size(), err)
	}
	return p
}

// bytesLog is a finished log in memory.
func bytesLog(p []byte) Log {
	s := NewMemory(int64(len(p)) + 1)
	if len(p) > 0 {
		s.place(p)
	}
	s.publish(int64(len(p)), true)
	return s
}

// A stored record is a Record with memory of its own.
type stored = session.Record

// readAll reads all records of a file, and what the Reader says of the rest.
func readAll(t testing.TB, file []byte) (list []stored, r *Reader, err error) {
	t.Helper()
	r = NewReader(bytesLog(file), 0)
	for {
		var rec session.Record
		if err := r.Next(&rec); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return list, r, err
		}
		rec.Body, rec.Term = bytes.Clone(rec.Body), bytes.Clone(rec.Term)
		list = append(list, rec)
	}
}

// mustRead reads a file that has no fault.
func mustRead(t testing.TB, file []byte) []stored {
	t.Helper()
	list, r, err := readAll(t, file)
	if err != nil || r.Damage().Lines > 0 || r.Torn() > 0 {
		t.Fatalf("reading back: %v, damage %+v, %d bytes torn", err, r.Damage(), r.Torn())
	}
	return list
}

// place identifies a stream of a connection.
type place struct {
	conn   int
	stream session.Stream
}

// streams puts the streams together again.
func streams(list []stored) map[place][]byte {
	out := map[place][]byte{}
	for _, rec := range list {
		if rec.Kind == session.RecFrame || rec.Kind == session.RecRaw {
			at := place{rec.Conn, rec.Stream}
			out[at] = append(append(out[at], rec.Body...), rec.Term...)
		}
	}
	return out
}

// checkLines holds that every line is JSON that any reader understands, and that
// n increases.
func checkLines(t testing.TB, file []byte) {
	t.Helper()
	var last uint64
	for line := range bytes.Lines(file) {
		var rec struct {
			K string
			N *uint64
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatalf("the line %.200q is not JSON: %v", line, err)
		}
		if bytes.ContainsAny(line[:len(line)-1], "\r\n\u2028\u2029") {
			t.Fatalf("the line %.200q has a line separator in it", line)
		}
		if rec.K == "hdr" {
			continue
		}
		if rec.N == nil || *rec.N <= last {
			t.Fatalf("the line %.200q does not follow record %d", line, last)
		}
		last = *rec.N
	}
}

// snapshotOf is the analysis of a log.
func snapshotOf(t testing.TB, log Log) *session.Snapshot {
	t.Helper()
	analyzer := session.NewAnalyzer(session.Config{})
	if err := (&Follower{Log: log, Analyzer: analyzer, Once: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return analyzer.Snapshot()
}
