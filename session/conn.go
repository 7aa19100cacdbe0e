package session

import (
	"slices"
	"strconv"
	"time"

	"wiretea/session/mcp"
)

// maxConns is how many connections a session distinguishes; later ones count as
// the last.
const maxConns = 4096

// maxSignals is how many signals a Conn keeps.
const maxSignals = 64

// A conn is the Analyzer's state of one connection: the state that all may
// read, and what it needs to continue.
type conn struct {
	Conn
	a       *Analyzer
	streams [4]*stream // nil before the first byte, and once the connection ended; the last is what was injected
	peers   [2]*peer   // peers are the two senders of requests, C2S and S2C.
	links   links
	ours    int64 // ours is this connection's part of Totals.Outstanding.
	epipe   bool  // epipe: the server's stdin has no reader.

	stdinOver  bool    // stdinOver: the server's stdin has ended, whichever side ended it.
	stderrOver bool    // stderrOver: the server's stderr has ended.
	onHold     onHold  // onHold has the messages that are held here, or were.
	met        bool    // met: its initialize, or the response, was acted on.
	cut        cutting // cut is what a fault has done to the connection itself.
	overAt     int64   // overAt is until when the end of stderr is waited for, 0 = the rest has not ended yet.
}

// connOf returns the connection of that id, a new one if necessary.
func (a *Analyzer) connOf(id int) *conn {
	if a.last != nil && a.last.ID == id {
		return a.last
	}
	c := a.conns[id]
	if c == nil {
		c = a.newConn(id)
	}
	a.last = c
	return c
}

func (a *Analyzer) newConn(id int) *conn {
	if len(a.order) >= maxConns {
		return a.order[len(a.order)-1]
	}
	c := &conn{a: a, Conn: Conn{
		ID:     id,
		First:  [3]int64{-1, -1, -1},
		LastT:  [3]int64{-1, -1, -1},
		Limits: a.limits,
		Ours:   a.header != nil && a.header.Mode == "run",
	}}
	c.renew()
	if a.anywhere {
		c.Gaps = [3]bool{true, true, true}
	}
	a.conns[id] = c
	a.order, a.all = append(a.order, c), append(a.all, c)
	a.live = append(a.live, c)
	return c
}

// renew resets the connection's state.
func (c *conn) renew() {
	c.streams = [4]*stream{}
	c.peers = [2]*peer{{}, {}}
	c.links = links{}
}

// stream returns the state of one stream.
func (c *conn) stream(id Stream) *stream { return c.streamAt(int(id), id) }

// streamOf returns the state of the stream that a record's bytes belong to.
// Bytes injected into c2s are a stream of their own: they are between the
// client's lines, even between two that form one value.
func (c *conn) streamOf(r *Record) *stream {
	if r.Trip != 0 {
		return c.a.streamOfTrip(c, r)
	}
	if r.Stream > Stderr {
		return nil
	}
	if r.Stream == C2S && r.Way == WayOut {
		return c.streamAt(len(c.streams)-1, C2S)
	}
	return c.stream(r.Stream)
}

func (c *conn) streamAt(i int, id Stream) *stream {
	if c.streams[i] == nil {
		c.streams[i] = newStream(c, id)
	}
	return c.streams[i]
}

// addRow appends the row of an event that is not a frame, named by word and
// what.
func (c *conn) addRow(r *Record, kind RowKind, word, what string) *Row {
	row := Row{
		Off: r.Off, T: c.a.clock, N: rowN(r.N), Pair: NoRow, Conn: rowConn(c.ID), Kind: kind, Stream: r.Stream, Way: r.Way,
		Method: c.a.store.names.method([]byte(word)),
	}
	if what != "" {
		row.Target = c.a.store.names.target([]byte(what))
	}
	return c.a.store.edit(c.a.store.add(row))
}

// addIO adds an event of a stream, which ends an unfinished frame.
func (c *conn) addIO(r *Record) {
	ended := r.IO.Event == "eof" || r.IO.Event == "closed" && r.Stream == C2S
	if ended && c.streams[r.Stream] != nil {
		c.streams[r.Stream].flush()
	}
	switch {
	case ended && r.Stream == C2S:
		c.stdinOver = true
		if r.IO.Event == "eof" && c.StdinEOF == 0 {
			c.StdinEOF = max(1, c.a.clock)
		}
	case ended && r.Stream == S2C && c.StdoutEOF == 0:
		c.StdoutEOF = max(1, c.a.clock)
	case r.IO.Event == "epipe" && r.Stream == C2S:
		c.epipe = true
	case r.Stream == Stderr && (r.IO.Event == "eof" || r.IO.Event == "closed"):
		c.stderrOver = true
	}
	row := c.addRow(r, RowIO, r.IO.Event, r.IO.Side)
	row.Len = clamp32(r.IO.Bytes)
	ev := c.a.event(IOSeen, c)
	ev.IO, ev.Stream = r.IO, r.Stream
	c.a.emit()
	c.endIfOver()
}

// addProc adds an event of the process. A start under a new number begins a
// connection, and ends those before it.
func (a *Analyzer) addProc(r *Record) {
	if _, known := a.conns[r.Conn]; !known && r.Proc.Event == "start" {
		for len(a.live) > 0 {
			a.live[0].finish()
		}
	}
	c := a.connOf(r.Conn)
	p := r.Proc
	what := ""
	switch p.Event {
	case "start":
		c.Started, c.StartT, c.PID = true, a.clock, p.PID
		what = "pid " + strconv.Itoa(p.PID)
	case "exit":
		c.Exited, c.ExitT, c.ExitCode, c.ExitSig = true, a.clock, p.Code, p.Signal
		c.ExitRow = a.store.n // the one that is added below
		what = "code " + strconv.Itoa(p.Code)
		if p.Signal != "" {
			what = p.Signal
		}
	case "signal":
		what = p.Signal
		// Later ones are for the processes that the server left behind.
		if len(c.Signals) < maxSignals && !c.Exited {
			c.Signals = append(c.Signals, p)
		}
	case "failed":
		c.Failed = true
		what = p.Err
	}
	c.addRow(r, RowProc, p.Event, what)
	ev := a.event(ProcSeen, c)
	ev.Proc = p
	a.emit()
	c.endIfOver()
}

// addGap adds a gap of every connection and stream that it may belong to. One that
// stands for lines of the file is reported once.
func (a *Analyzer) addGap(r *Record) {
	switch {
	case r.Gap.Why == "torn":
		a.totals.Torn += r.Gap.Bytes
	case r.Gap.Lines > 0:
		a.totals.Damaged += r.Gap.Lines
	default:
		a.totals.Gap += r.Gap.Bytes
	}
	a.lossy = a.lossy || r.Gap.Why != "ring" && r.Gap.Why != "torn"
	of := []*conn{nil}
	if r.Conn != 0 {
		of[0] = a.connOf(r.Conn)
	} else {
		of, a.anywhere = slices.Clone(a.live), true
		if len(of) == 0 {
			of = []*conn{a.connOf(a.latest())}
		}
	}
	lines := r.Gap.Lines
	for _, c := range of {
		if r.Gap.Why != "torn" {
			c.addGap(r, lines)
			lines = 0 // They are counted once.
		}
	}
	ev := a.event(GapSeen, of[0])
	ev.Gap = r.Gap
	a.emit()
}

// addGap records that bytes of a stream are missing. Their content is unknown:
// the cut line is not a frame, requests that wait may have been answered, and
// responses may belong to requests that were not stored. lines are the lines of the file
// that the row stands for.
func (c *conn) addGap(r *Record, lines int64) {
	row := c.addRow(r, RowGap, "gap", r.Gap.Why)
	row.Len, row.Skip = clamp32(r.Gap.Bytes), clamp32(lines)
	if row.Stream = r.Gap.Stream; row.Stream == AnyStream {
		row.Stream, row.Flags = C2S, FlagAnyStream
	}
	for _, d := range Streams {
		if r.Gap.Stream == d || r.Gap.Stream == AnyStream {
			c.lack(r, d)
		}
	}
}

// lack is addGap for one stream.
func (c *conn) lack(r *Record, d Stream) {
	c.Gaps[d] = true
	c.tear(r, d)
	if d == Stderr {
		return
	}
	for _, x := range c.peers[d.Reverse()].live {
		if x != nil {
			x.unsure = true
			x.drop()
		}
	}
}

// tear cuts the stream that a gap belongs to: that of its round trip, or those of all if
// it is not known which.
func (c *conn) tear(r *Record, d Stream) {
	if r.Trip == 0 && r.Gap.Why == "damage" {
		for _, t := range c.a.trips {
			if t.Conn == c.ID {
				t.tear(d)
			}
		}
	}
	at := *r
	at.Stream = d
	if t := c.a.trips[r.Trip]; t == nil {
		c.stream(d).tear()
	} else if st := c.a.streamOfTrip(c, &at); st != nil {
		st.tear()
		t.Gap = true
	}
}

// stderrWait is how long the end of stderr is waited for when everything else
// has ended: the server's last output may still be in its pipe.
const stderrWait = int64(250 * time.Millisecond)

// endIfOver ends the connection once its process has exited and its streams
// have ended.
func (c *conn) endIfOver() {
	over := c.Exited && c.StdoutEOF != 0 && (c.stdinOver || c.epipe)
	switch {
	case !over || c.Ended:
	case c.stderrOver || c.overAt != 0 && c.a.clock >= c.overAt:
		c.finish()
	case c.overAt == 0:
		c.overAt = c.a.clock + stderrWait
		c.a.wakeAt(c.overAt, c.ID, TimerKey{})
	}
}

// finish ends the connection: unfinished frames end, open requests are lost,
// and its memory is released.
func (c *conn) finish() {
	a := c.a
	for _, st := range c.streams {
		if st != nil {
			st.flush()
		}
	}
	var gone []*exchange
	for sender, p := range c.peers {
		gone = append(gone, p.waiting()...)
		p.loseRest(a)
		c.Open[sender] = nil
	}
	c.Ended = true
	a.totals.Outstanding -= c.ours
	c.ours = 0
	a.live = slices.DeleteFunc(a.live, func(l *conn) bool { return l == c })
	for _, x := range gone {
		c.lose(x)
	}
	a.event(ConnEnded, c)
	a.emit()
	c.renew()
	for _, p := range c.peers {
		p.ids.forgot = true // Later messages are not judged.
	}
}

// publishConns copies the connections for a snapshot.
func (a *Analyzer) publishConns() []Conn {
	out := make([]Conn, len(a.all))
	for i, c := range a.all {
		out[i] = c.Conn
		out[i].Signals = slices.Clip(c.Signals)
		for sender, open := range c.Open {
			shown := make([]*Exchange, min(len(open), OpenShown))
			for j := range shown {
				x := *open[j]
				shown[j] = &x
			}
			out[i].Open[sender] = shown
		}
	}
	return out
}

// setVersion sets the revision in effect, from its text.
func (c *Conn) setVersion(text string) {
	c.VersionText = text
	c.Version, _ = mcp.ParseVersion(text)
}

func rowConn(id int) uint16 { return uint16(min(max(id, 0), 1<<16-1)) }

func rowN(n uint64) uint32 { return uint32(min(n, 1<<32-1)) }

func clamp32(n int64) uint32 { return uint32(min(max(n, 0), 1<<32-1)) }
