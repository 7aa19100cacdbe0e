package session

import (
	"strconv"
	"strings"
	"time"

	"wiretea/session/framing"
	"wiretea/session/mcp"
)

// A Trip is one request of HTTP and its response. Take builds it from records; the Analyzer and
// Snapshot.Trip set the rows, and Snapshot.Trip only what rows say. Times are in nanoseconds of
// the session, 0 for what has not come. A Checker reads the Analyzer's during its call.
type Trip struct {
	Number   int
	Conn     int
	Request  *HTTPEvent // Request is the request's head.
	Link     *HTTPEvent // Link is the connection that it took; nil before.
	Response *HTTPEvent // Response is the response's head; nil before.
	End      *HTTPEvent // End is its end; nil before.
	Err      string     // Err is why it failed; empty if it did not.
	Why      string     // Why is how it ended; empty before: see HTTPEvent.
	Status   int        // Status is the response's status code; 0 before, and if there is none.
	Stream   bool       // Stream: the response is an event stream.
	Over     bool       // Over: it has ended.

	ReqT  int64 // ReqT is when the request's head came.
	LinkT int64 // LinkT is when the connection was found.
	SentT int64 // SentT is when the request had been read.
	ResT  int64 // ResT is when the response's head came.
	LastT int64 // LastT is when the latest byte of the response's body came.
	EndT  int64 // EndT is when it ended.

	Bytes   [2]int64 // Bytes counts the bytes of its bodies, by stream, as far as they were recorded.
	Frames  [2]int64 // Frames counts the frames of its bodies, by stream. Only the Analyzer does.
	EventID string   // EventID is the latest id of an event; empty if there was none. Only the Analyzer has it.
	Gap     bool     // Gap: bytes of its bodies are missing. Only the Analyzer has it.

	// Row is the row of the request's head. RequestRow is that row, ResponseRow the row of the
	// response's head, and EndRow the row of the end of an event stream; zero before, and from
	// the Analyzer.
	Row                             uint32
	RequestRow, ResponseRow, EndRow Row

	open *openTrip // open is what the Analyzer needs of it.
}

// An openTrip is the state of the analysis of a Trip.
type openTrip struct {
	acted   bool // acted: a frame of its bodies has FlagDecided.
	probe   bool // probe: a legacy server answered server/discover in it.
	streams [2]*stream
	resOff  int64 // resOff and resN are the record of the response's head, or of the failure.
	resN    uint64
	pending int    // pending counts the requests in it that wait for their response.
	head    uint32 // head is the row of its response's head, NoRow before.
}

// Took is how long a trip took that is Over.
func (t *Trip) Took() int64 { return t.EndT - t.ReqT }

// Take adds the next record of the trip. Of the bodies it takes times and sizes.
func (t *Trip) Take(r *Record) {
	switch {
	case r.Kind == RecHTTP:
		t.take(r, r.T)
		return
	case r.Stream == C2S:
		t.SentT = r.T
	case r.Stream == S2C:
		t.LastT = r.T
	default:
		return
	}
	if r.Kind == RecFrame || r.Kind == RecRaw {
		t.Bytes[r.Stream] += r.WireSize()
	}
}

// take takes an event that came at a time.
func (t *Trip) take(r *Record, now int64) {
	switch ev := r.HTTP; ev.Event {
	case "req":
		t.Number, t.Conn, t.Request, t.ReqT = r.Trip, r.Conn, ev, now
	case "conn":
		t.Link, t.LinkT = ev, now
	case "sent":
		t.SentT = now
	case "res":
		t.Response, t.ResT, t.Status, t.Stream = ev, now, ev.Status, ev.IsEvents()
	case "sse":
		t.LastT = now
		t.Bytes[S2C] += int64(len(ev.Text))
	case "err":
		if t.Err == "" || !strings.HasPrefix(ev.Why, NotDecoded) {
			t.Err = ev.Why // Why the request failed says more than why a copy was not decoded.
		}
	case "end":
		t.End, t.EndT, t.Why, t.Over = ev, now, ev.Why, true
	}
}

// addHTTP adds an event of a round trip.
func (a *Analyzer) addHTTP(r *Record) {
	ev := r.HTTP
	t := a.trips[r.Trip]
	if t == nil {
		t = &Trip{Number: r.Trip, Conn: r.Conn, Row: NoRow, ReqT: a.clock, Request: &HTTPEvent{Event: "req"}, open: &openTrip{head: NoRow}}
		a.trips[r.Trip] = t
	}
	c := a.connOf(r.Conn)
	t.take(r, a.clock)
	switch ev.Event {
	case "req":
		t.Row, _ = c.addTripRow(r, t, RowTrip, ev.Method)
		row := a.store.edit(t.Row)
		row.Skip, row.Len = uint32(t.Number), clamp32(int64(len(ev.Head())))
		c.Probe = c.Probe || ev.Probe
		c.Trips++
		c.OpenTrips++
		c.TripT = a.clock
	case "sent":
		t.flush(C2S)
	case "res":
		c.TripT = a.clock
		t.open.resOff, t.open.resN = r.Off, r.N
		c.session(t)
		if t.Stream {
			c.OpenStreams++
			c.respond(r, t)
		}
	case "sse":
		c.TripT = a.clock
	case "err":
		t.Err = Refusal(t.Err)
		t.open.resOff, t.open.resN = r.Off, r.N
	case "end":
		c.endTrip(r, t)
	}
	c.seeHTTP(t, ev)
	if t.Over {
		delete(a.trips, t.Number)
		a.releaseStreams(t)
	}
}

// seeHTTP tells the checkers of an event of a round trip.
func (c *conn) seeHTTP(t *Trip, e *HTTPEvent) {
	if e.Event == "sse" {
		if f := framing.EventFields(e.Text); f.HasID {
			t.EventID = f.ID
		}
	}
	ev := c.a.event(HTTPSeen, c)
	ev.Trip, ev.HTTP = t, e
	c.a.emit()
}

// addTripRow appends a row of a round trip.
func (c *conn) addTripRow(r *Record, t *Trip, kind RowKind, word string) (uint32, *Row) {
	c.addRow(r, kind, word, t.Request.Target)
	i := c.a.store.n - 1
	row := c.a.store.edit(i)
	if kind != RowTrip {
		row.Stream = S2C
		c.a.store.setTrip(i, t.Row)
	} else {
		c.a.store.setTrip(i, i)
	}
	return i, row
}

// respond appends the row of a response's head.
func (c *conn) respond(r *Record, t *Trip) {
	word, head := "no response", &HTTPEvent{Event: "err", Why: t.Err}
	if t.Response != nil {
		head = t.Response
		word = strconv.Itoa(head.Status)
	}
	i, row := c.addTripRow(r, t, RowTripResponse, word)
	row.Skip = uint32(max(0, head.Status))
	if t.Over {
		row.Pair = t.Row // The response to an event stream has the row of its end.
	}
	if t.open.resOff != 0 {
		row.Off, row.N, row.Len = t.open.resOff, rowN(t.open.resN), clamp32(int64(len(head.Head())))
	}
	if head.Status == 405 && t.Request.Method != "POST" {
		row.Flags |= FlagProbe // The server offers no stream, or does not let a client end the session.
	}
	t.open.head = i
	c.a.store.edit(t.Row).Pair = t.open.head
}

// endTrip ends a round trip: its bodies end, and the requests in it that have no response
// are lost, unless the stream can be resumed.
func (c *conn) endTrip(r *Record, t *Trip) {
	t.flush(C2S)
	t.flush(S2C)
	c.OpenTrips--
	if t.Stream {
		c.OpenStreams--
		i, row := c.addTripRow(r, t, RowTripEnd, t.Why)
		row.Len, row.Pair = clamp32(t.Bytes[S2C]), t.Row
		c.a.store.edit(t.open.head).Pair = i
	} else {
		c.respond(r, t)
	}
	if t.Why != "eof" {
		c.a.store.edit(t.open.head).Flags |= FlagLost
	}
	if t.open.probe {
		c.probed(t)
	}
	if t.open.pending == 0 || t.EventID != "" || t.Gap || t.accepted(c) {
		return
	}
	if t.Response != nil && t.Response.Status == 202 && c.OpenStreams > 0 {
		return // HTTP+SSE answers on its stream
	}
	for _, x := range c.peers[C2S].waiting() {
		if x.trip == t {
			c.leaveTrip(x, t)
		}
	}
}

// accepted reports whether the server only said that it took the message, so that the
// response may come on another stream, as it does in HTTP+SSE.
func (t *Trip) accepted(c *conn) bool {
	if t.Response == nil || t.Stream {
		return false
	}
	return t.Response.Status == 202 || t.Response.Status/100 == 2 && c.OpenStreams > 0
}

// leaveTrip ends an exchange whose round trip ended without its response.
func (c *conn) leaveTrip(x *exchange, t *Trip) {
	p := c.peers[C2S]
	if e := p.ids.find(x.hash); e != nil && e.at == x.at {
		e.at = idAnswered
	}
	p.leave(x)
	c.Open[C2S] = p.open
	if x.Way == WayOut && c.ours > 0 {
		c.a.totals.Outstanding--
		c.ours--
	}
	if x.Method == mcp.ServerDiscover && !c.ServerModern {
		c.probed(t)
	}
	c.loseIn(x, t)
}

// probed marks the response of a round trip in which a legacy server said that it does not
// know server/discover. Other statuses, such as 401 or 500, do not say that.
func (c *conn) probed(t *Trip) {
	if t.Response != nil && (t.Response.Status == 400 || t.Response.Status == 404 || t.Response.Status == 405) {
		c.a.store.edit(t.open.head).Flags |= FlagProbe
	}
}

// maxIdle is how many streams of ended round trips are kept for reuse.
const maxIdle = 64

// newTripStream returns a stream, if possible one of a round trip that has ended: its
// scanner is large.
func (a *Analyzer) newTripStream(c *conn, id Stream) *stream {
	n := len(a.idle)
	if n == 0 {
		return newStream(c, id)
	}
	st := a.idle[n-1]
	a.idle = a.idle[:n-1]
	*st = stream{
		c: c, a: a, id: id, take: st.take, scan: st.scan, held: st.held, raws: st.raws[:0],
		cur: incoming{buf: st.cur.buf[:0], syntax: st.cur.syntax[:0]},
	}
	return st
}

// releaseStreams keeps the streams of a round trip that has ended.
func (a *Analyzer) releaseStreams(t *Trip) {
	for i, st := range t.open.streams {
		if st != nil && len(a.idle) < maxIdle {
			a.idle = append(a.idle, st)
		}
		t.open.streams[i] = nil
	}
}

// flush ends a body.
func (t *Trip) flush(s Stream) {
	if st := t.open.streams[s]; st != nil {
		st.flush()
	}
}

// tear records that bytes of a body may be missing.
func (t *Trip) tear(s Stream) {
	t.Gap = true
	if s <= S2C && t.open.streams[s] != nil {
		t.open.streams[s].tear()
	}
}

// streamOfTrip returns the state of the body that a record's bytes belong to.
func (a *Analyzer) streamOfTrip(c *conn, r *Record) *stream {
	t := a.trips[r.Trip]
	if t == nil || r.Stream > S2C {
		return nil
	}
	if t.open.streams[r.Stream] == nil {
		st := a.newTripStream(c, r.Stream)
		st.trip = t
		st.split.Mode = framing.Whole
		if r.Stream == S2C && t.Stream {
			st.split.Mode = framing.Events
		}
		t.open.streams[r.Stream] = st
	}
	return t.open.streams[r.Stream]
}

// TripRow returns the row of the request's head of the round trip that row i belongs to,
// or NoRow.
func (s *Snapshot) TripRow(i uint32) uint32 {
	if i >= s.n || int(i>>chunkBits) >= len(s.trips) || s.trips[i>>chunkBits] == nil {
		return NoRow
	}
	return s.trips[i>>chunkBits][i%chunkRows] - 1
}

// session notes the session id that a response brings.
func (c *conn) session(t *Trip) {
	for i := range t.Response.Fields {
		if f := &t.Response.Fields[i]; f.Secret != nil && strings.EqualFold(f.Name, "Mcp-Session-Id") && c.Session == "" {
			c.Session = f.Secret.Hash
		}
	}
}

// Refused reports whether row i is a request that HTTP answered with a status of 300 or
// more, and nothing else did: it was refused, or redirected.
func (s *Snapshot) Refused(i uint32) bool {
	r := s.Row(i)
	if r.Kind != RowRequest || r.Flags&FlagLost == 0 {
		return false
	}
	trip := s.TripRow(i)
	return trip != NoRow && s.Trip(trip).Status >= 300
}

// Refusals counts the requests that were Refused.
func (s *Snapshot) Refusals() (n int64) {
	for i := uint32(0); i < s.n && s.totals.Lost > n; i++ {
		if s.Refused(i) {
			n++
		}
	}
	return n
}

// Trip returns the trip whose request's head is row i, as far as rows say it.
func (s *Snapshot) Trip(i uint32) Trip {
	t := Trip{Row: i, RequestRow: s.Row(i)}
	t.Number, t.Conn, t.ReqT = int(t.RequestRow.Skip), int(t.RequestRow.Conn), t.RequestRow.T
	if t.RequestRow.Pair == NoRow {
		return t
	}
	t.ResponseRow = s.Row(t.RequestRow.Pair)
	t.Status = int(t.ResponseRow.Skip)
	switch next := t.ResponseRow.Pair; {
	case next == i:
		t.EndT, t.Over = t.ResponseRow.T, true
	case next != NoRow:
		t.EndRow, t.Stream = s.Row(next), true
		t.EndT, t.Over = t.EndRow.T, true
	default:
		t.Stream = true
	}
	return t
}

// A TripPhase is a part of a trip's time. Its ends are in nanoseconds of the session.
type TripPhase struct {
	Name     string // Name is queued, DNS, connect, TLS, request, first byte, body, stream, failed or waiting.
	From, To int64
}

// Phases are the parts of the trip's time, as far as it has come. now is the time of a session
// that goes on; 0 for one that is over.
func (t *Trip) Phases(now int64) []TripPhase {
	at := t.ReqT
	var list []TripPhase
	add := func(name string, ns int64, always bool) {
		if ns > 0 || always {
			list = append(list, TripPhase{name, at, at + max(0, ns)})
		}
		at += max(0, ns)
	}
	if l := t.Link; l != nil {
		setup := l.DNS + l.Dial + l.TLS
		if queue := t.LinkT - at - setup; queue >= int64(time.Millisecond) {
			add("queued", queue, false)
		}
		add("DNS", l.DNS, false)
		add("connect", l.Dial, false)
		add("TLS", l.TLS, false)
		at = max(at, t.LinkT)
	}
	if t.SentT > at {
		add("request", t.SentT-at, false)
	}
	last := "body"
	if t.Stream {
		last = "stream"
	}
	switch {
	case t.ResT > 0:
		add("first byte", t.ResT-at, true)
		add(last, max(t.EndT, t.ResT)-at, t.EndT > 0)
		if t.EndT == 0 && now > at {
			add(last, now-at, true)
		}
	case t.EndT > 0:
		add("failed", t.EndT-at, true)
	default:
		add("waiting", now-at, true)
	}
	return list
}
