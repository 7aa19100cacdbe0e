package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
)

// Merge returns a log with the records of several sessions, in the order of the wall clock. A
// record keeps its line but for its connection, its round trip and its times, which count from
// the beginning of the earliest session; "in" says which session it is of. Clocks of different
// machines are not adjusted to one another.
//
// Records of one session stay in their order, even where their times went back; of equal times
// the session that was given first comes first. Records of live sessions come as they
// arrive.
//
// The merged log is kept in a temporary file. Close ends the reading of the logs, and does not
// close them.
func Merge(logs []Log, names []string) *File {
	ctx, cancel := context.WithCancel(context.Background())
	m := &merger{ctx: ctx, names: names, done: make(chan struct{})}
	logs = logs[:min(len(logs), session.MaxMembers)]
	for i, log := range logs {
		m.members = append(m.members, &member{in: i + 1, of: len(logs), log: log, r: NewReader(log, 0)})
	}
	f := openSpool("", m, closeFunc(func() error { cancel(); <-m.done; return nil }), 0)
	f.live = func() Liveness {
		if slices.ContainsFunc(logs, func(log Log) bool { return !hasEnded(log) }) {
			return Live
		}
		return NotLive
	}
	return f
}

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// A merger is the reader of a merged log.
type merger struct {
	ctx     context.Context
	names   []string
	members []*member
	begun   bool // begun: the headers are written.
	buf     []byte
	read    int // read is how much of buf was read.
	err     error
	done    chan struct{} // done is closed when nothing is read any more.
}

// A member is one session of a merged log.
type member struct {
	in    int // in is its number, from 1,
	of    int // of how many.
	log   Log
	r     *Reader
	rec   session.Record // rec is its next record, while has is set.
	has   bool
	size  int64 // size is how long the log was when it had no next record.
	ended bool  // ended: the log has ended, and is being read to its end.
	over  bool  // over: it was read to its end.
	shift int64 // shift is added to its times to get times on the common clock.
	ahead int64 // ahead is how far the wall clock is ahead of its own: a computer that sleeps stops the latter.
	t     int64 // t is the latest time of its records,
	at    int64 // and at the latest on the wall clock.
}

// Read implements io.Reader.
func (m *merger) Read(p []byte) (int, error) {
	if m.read == len(m.buf) {
		m.buf, m.read = m.buf[:0], 0
		for len(m.buf) < len(p) && m.step() {
		}
	}
	if m.read == len(m.buf) {
		close(m.done)
		return 0, cmp.Or(m.ctx.Err(), m.err, io.EOF)
	}
	n := copy(p, m.buf[m.read:])
	m.read += n
	return n, nil
}

// step appends the next record. It waits for one while nothing was appended, and reports false
// where there is none.
func (m *merger) step() bool {
	var next *member
	for {
		next = nil
		var idle []*member
		waits := false // waits: what comes of a member may go before what is there.
		for _, one := range m.members {
			if !one.has && !one.over {
				m.fetch(one)
			}
			switch file, isFile := one.log.(*File); {
			case one.has && (next == nil || one.key() < next.key()):
				next = one
			case !one.has && !one.over:
				idle = append(idle, one)
				waits = waits || !m.begun || isFile && file.follow == nil && file.live == nil
			}
		}
		switch {
		case m.ctx.Err() != nil:
			return false
		case next != nil && !waits:
			m.write(next)
			return true
		case len(idle) == 0 || len(m.buf) > 0:
			return false
		}
		m.wait(idle)
	}
}

// fetch reads the member's next record, if there is one now.
func (m *merger) fetch(one *member) {
	now, cancel := context.WithCancel(m.ctx)
	cancel()
	for !one.has {
		one.size = one.log.Size()
		err := one.r.Next(&one.rec)
		if err == nil {
			one.has = true
			return
		}
		if errors.Is(err, io.EOF) && !one.ended {
			if err = one.log.Wait(now, one.size); errors.Is(err, ErrFinished) {
				one.ended, err = true, nil
			}
		} else if errors.Is(err, io.EOF) {
			m.end(one)
			return
		}
		switch {
		case errors.Is(err, context.Canceled):
			return
		case err != nil:
			m.err = cmp.Or(m.err, fmt.Errorf("session %s: %w", session.Letter(one.in), err))
			m.end(one)
			return
		}
	}
}

// end takes what a member ends with for its last records.
func (m *merger) end(one *member) {
	one.over = true
	if m.begin(); one.r.Torn() > 0 && one.r.Header() != nil {
		gap := session.Gap{Stream: session.AnyStream, Bytes: one.r.Torn(), Frames: -1, Why: torn}
		line := appendGap(nil, 0, origin{}, one.t, &gap)
		m.buf = one.append(m.buf, line[:len(line)-1], &session.Record{Kind: session.RecGap, T: one.t, T1: one.t})
	}
	line := appendHead(nil, "over", 0, origin{conn: 1}, one.t)
	m.buf = one.append(m.buf, append(line, '}'), &session.Record{Kind: session.RecOver, T: one.t, T1: one.t, Conn: 1})
}

// wait returns when one of the members may have more, or the reading ends.
func (m *merger) wait(idle []*member) {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	var all sync.WaitGroup
	for _, one := range idle {
		all.Go(func() {
			defer cancel()
			_ = one.log.Wait(ctx, one.size) // Whatever it says, the member is looked at.
		})
	}
	all.Wait()
}

// begin writes the header of the merged log, once.
func (m *merger) begin() {
	if m.begun {
		return
	}
	m.begun = true
	merged := session.Header{Mode: "merged", Tool: ToolName, Trans: "http", Limits: session.DefaultLimits()}
	for i := range m.members {
		h, name := m.members[i].r.Header(), ""
		if i < len(m.names) {
			name = m.names[i]
		}
		merged.Members = append(merged.Members, name)
		if h == nil || h.Trans != "http" {
			merged.Trans = "stdio"
		}
		if h != nil && datable(h.T0) && (merged.T0.IsZero() || h.T0.Before(merged.T0)) {
			merged.T0 = h.T0
		}
	}
	for _, one := range m.members {
		if h := one.r.Header(); h != nil && datable(h.T0) {
			one.shift = int64(h.T0.Sub(merged.T0))
		}
	}
	m.buf = appendHeader(m.buf, &merged)
}

// datable reports whether a time can be one of a recording: a file says what it wants.
func datable(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 2200 }

// write appends the member's next record.
func (m *merger) write(one *member) {
	m.begin()
	line := one.r.Line()
	if line == nil { // It stands for what is not kept.
		gap := appendGap(nil, 0, origin{conn: one.rec.Conn}, one.rec.T, &one.rec.Gap)
		line = gap[:len(gap)-1]
	}
	m.buf = one.append(m.buf, line, &one.rec)
	one.has, one.t, one.at = false, max(one.t, one.rec.T), one.key()
	if h := one.r.Header(); one.rec.Kind == session.RecClock && datable(one.rec.Wall) && datable(h.T0) {
		one.ahead = int64(one.rec.Wall.Sub(h.T0)) - one.rec.T
	}
}

// key is where the member's next record is on the wall clock, not before the one that it follows.
func (one *member) key() int64 { return max(one.at, one.rec.T+one.shift+one.ahead) }

// append appends the line of a record as it is in the merged log.
func (one *member) append(dst, line []byte, rec *session.Record) []byte {
	at := len(line)
	if body := VerbatimAt(rec, line); body > 0 {
		at = body - len(verbatimName)
	}
	dst = append(dst, '{')
	first := true
	for key, value := range lex.Members(line[:at]) {
		switch string(key) {
		case `"in"`, `"c"`, `"t"`, `"t1"`, `"trip"`:
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, key...), ':'), value...)
		if first {
			dst, first = one.appendPlace(dst, rec), false
		}
	}
	if dst = append(dst, line[at:]...); at == len(line) {
		dst = append(dst, '}')
	}
	return append(dst, '\n')
}

// appendPlace appends where a record is in the merged log.
func (one *member) appendPlace(dst []byte, rec *session.Record) []byte {
	dst = appendInt(dst, "in", int64(one.in))
	if rec.Kind == session.RecHeader {
		return dst
	}
	dst = appendInt(dst, "c", one.number(rec.Conn))
	if rec.Trip > 0 {
		dst = appendInt(dst, "trip", one.number(rec.Trip))
	}
	dst = appendInt(dst, "t", rec.T+one.shift)
	if rec.T1 != rec.T {
		dst = appendInt(dst, "t1", rec.T1+one.shift)
	}
	return dst
}

// number is the number that a connection or a round trip of the member has in the merged log.
func (one *member) number(own int) int64 {
	if own == 0 {
		return 0
	}
	return min(int64(own-1)*int64(one.of)+int64(one.in), 1<<30)
}

// oneStart is the longest time between the starts of servers that a client starts together.
const oneStart = time.Minute

// OneClient reports whether one client process started the servers of all sessions: they
// have the same parent, and each began within a minute of another. A header may be nil.
func OneClient(headers []*session.Header) bool {
	if len(headers) < 2 {
		return false
	}
	var starts []time.Time
	for _, h := range headers {
		if h == nil || h.PPID <= 1 || h.PPID != headers[0].PPID || h.Mode != headers[0].Mode || !datable(h.T0) {
			return false
		}
		starts = append(starts, h.T0)
	}
	slices.SortFunc(starts, time.Time.Compare)
	for i := range starts[1:] {
		if starts[i+1].Sub(starts[i]) > oneStart {
			return false
		}
	}
	return true
}
