package panetest

import (
	"errors"
	"io"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A Session is a session that is written by hand. Times are in milliseconds of
// the session.
type Session struct {
	t      testing.TB
	header session.Header
	seen   []session.Observation
	conn   int
	over   bool
	marks  int64 // marks counts those that tell a line which one it replaces.
}

// T0 is when the sessions begin.
var T0 = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// New returns a session in which nothing has happened.
func New(t testing.TB) *Session {
	return &Session{t: t, conn: 1, header: session.Header{
		SID: "00112233445566778899aabbccddeeff", Tool: "wiretea/test", T0: T0, Mode: "run", Trans: "stdio",
		Cmd: []string{"node", "server.js"}, Cwd: "/home/ann/project", Limits: session.DefaultLimits(),
	}}
}

// Cleanup calls f when the session's test ends.
func (s *Session) Cleanup(f func()) { s.t.Cleanup(f) }

// Header gives the session's header to be changed.
func (s *Session) Header() *session.Header { return &s.header }

// Conn makes what follows belong to connection n.
func (s *Session) Conn(n int) { s.conn = n }

// End says that the session is over.
func (s *Session) End() { s.over = true }

// Client writes a line of the client's.
func (s *Session) Client(ms float64, line string) { s.bytes(ms, session.C2S, line+"\n") }

// Server writes a line to stdout.
func (s *Session) Server(ms float64, line string) { s.bytes(ms, session.S2C, line+"\n") }

// Injected writes a line to the server that its client did not send.
func (s *Session) Injected(ms float64, line string) {
	s.bytes(ms, session.C2S, line+"\n")
	s.seen[len(s.seen)-1].Way = session.WayOut
}

// Taken writes a line to stdout that the client did not get.
func (s *Session) Taken(ms float64, line string) {
	s.bytes(ms, session.S2C, line+"\n")
	s.seen[len(s.seen)-1].Way = session.WayIn
}

// Decided writes a line that did not cross as it came: by says who decided on it.
func (s *Session) Decided(ms float64, stream session.Stream, way session.Way, by, line string) {
	s.seen = append(s.seen, session.Observation{Kind: session.ObsDecided, Conn: s.conn, Stream: stream, Way: way, T: nanos(ms), Decided: session.Decided{By: by}})
	s.bytes(ms, stream, line+"\n")
	s.seen[len(s.seen)-1].Way = way
}

// Replaced writes a line that went on in place of the latest one that was decided on, or answers it.
func (s *Session) Replaced(ms float64, stream session.Stream, by, line string) {
	for i := len(s.seen) - 1; i >= 0; i-- {
		if seen := &s.seen[i]; seen.Kind == session.ObsDecided {
			s.marks++
			seen.Decided.Mark = s.marks
			break
		}
	}
	s.Decided(ms, stream, session.WayOut, by, line)
	s.seen[len(s.seen)-2].Decided.Of = s.marks
}

// Stderr writes a line to stderr.
func (s *Session) Stderr(ms float64, line string) { s.bytes(ms, session.Stderr, line+"\n") }

// Bytes writes to a stream as it is.
func (s *Session) Bytes(ms float64, stream session.Stream, text string) { s.bytes(ms, stream, text) }

// IO lets something happen on a stream.
func (s *Session) IO(ms float64, stream session.Stream, ev session.IOEvent) {
	s.seen = append(s.seen, session.Observation{Kind: session.ObsIO, Conn: s.conn, Stream: stream, T: nanos(ms), IO: ev})
}

// Proc lets something happen to the process.
func (s *Session) Proc(ms float64, ev session.Proc) {
	s.seen = append(s.seen, session.Observation{Kind: session.ObsProc, Conn: s.conn, T: nanos(ms), Proc: ev})
}

// Path lets something happen to what decides on messages.
func (s *Session) Path(ms float64, ev session.PathEvent) {
	s.seen = append(s.seen, session.Observation{Kind: session.ObsPath, Conn: s.conn, T: nanos(ms), Path: ev})
}

func (s *Session) bytes(ms float64, stream session.Stream, text string) {
	s.seen = append(s.seen, session.Observation{Conn: s.conn, Stream: stream, T: nanos(ms), Data: []byte(text)})
}

func nanos(ms float64) int64 { return int64(ms * 1e6) }

// Context records and analyses the session as far as it is written, and returns
// what a pane sees of it, in a theme without colours. It is at no row. The
// rows of an earlier Context are those of a later one.
func (s *Session) Context() *pane.Context {
	s.t.Helper()
	c := &pane.Context{Theme: style.New("", true, true), Cursor: session.NoRow}
	s.Update(c)
	return c
}

// Update puts what was written since into a Context.
func (s *Session) Update(c *pane.Context) {
	s.t.Helper()
	sink := recorder.NewMemory(256 << 20)
	s.t.Cleanup(func() { _ = sink.Close() }) // a memory tail closes without error
	var now int64
	if len(s.seen) > 0 {
		now = s.seen[len(s.seen)-1].T
	}
	w := recorder.NewWriter(sink, s.header, recorder.Options{Now: func() int64 { return now }, Wall: func() time.Time { return T0.Add(time.Duration(now)) }})
	if err := w.Run(&once{s.seen}); err != nil {
		s.t.Fatal(err)
	}
	a := session.NewAnalyzer(session.Config{Checkers: check.New()})
	r := recorder.NewReader(sink, 0)
	var rec session.Record
	for {
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if rec.Kind != session.RecEnd || s.over {
			a.Add(&rec)
		}
	}
	if s.over {
		a.Close()
	}
	c.Snap, c.Log, c.Now, c.Live = a.Snapshot(), sink, now, !s.over
	c.Lived = c.Lived || c.Live
	c.Header = c.Snap.Header()
}

// once is a recorder.Source that gives everything at once.
type once struct{ batch []session.Observation }

func (o *once) Take(time.Duration) ([]session.Observation, int64, error) {
	if o.batch == nil {
		return nil, 0, io.EOF
	}
	batch := o.batch
	o.batch = nil
	return batch, 0, nil
}
