package session

import (
	"strconv"
	"strings"

	"wiretea/session/framing"
	"wiretea/session/mcp"
)

// A Trip is a round trip of HTTP as rules see it, from its request's head to its end. It
// belongs to the Analyzer; a Checker reads it during its call.
type Trip struct {
	Number   int
	Conn     int
	Row      uint32     // Row is the row of its request's head.
	Request  *HTTPEvent // Request is that head.
	Link     *HTTPEvent // Link is the connection that it took; nil before.
	Response *HTTPEvent // Response is the response's head; nil before.
	Err      string     // Err is why it failed; empty if it did not.
	Why      string     // Why is how it ended; empty before: see HTTPEvent.
	ReqT     int64      // ReqT is when the request's head came, in nanoseconds of the session.
	ResT     int64      // ResT is when the response's head came; 0 before.
	LastT    int64      // LastT is when the latest byte of the response's body came; 0 before.
	EndT     int64      // EndT is when it ended; 0 before.
	Bytes    [2]int64   // Bytes counts the bytes of its bodies, by stream, as far as they were recorded.
	Frames   [2]int64   // Frames counts the frames of its bodies, by stream.
	EventID  string     // EventID is the latest id of an event; empty if there was none.
	Gap      bool       // Gap: bytes of its bodies are missing.

	acted   bool // acted: a frame of its bodies has FlagDecided.
	probe   bool // probe: a legacy server answered server/discover in it.
	streams [2]*stream
	resOff  int64 // resOff and resN are the record of the response's head, or of the failure.
	resN    uint64
	pending int    // pending counts the requests in it that wait for their response.
	head    uint32 // head is the row of its response's head, NoRow before.
}

// Events reports whether the response is an event stream.
func (t *Trip) Events() bool { return t.Response != nil && t.Response.IsEvents() }

// addHTTP adds an event of a round trip.
func (a *Analyzer) addHTTP(r *Record) {
	ev := r.HTTP
	t := a.trips[r.Trip]
	if t == nil {
		t = &Trip{Number: r.Trip, Conn: r.Conn, Row: NoRow, head: NoRow, ReqT: a.clock, Request: &HTTPEvent{Event: "req"}}
		a.trips[r.Trip] = t
	}
	c := a.connOf(r.Conn)
	switch ev.Event {
	case "req":
		t.Request = ev
		t.Row, _ = c.addTripRow(r, t, RowTrip, ev.Method)
		row := a.store.edit(t.Row)
		row.Skip, row.Len = uint32(t.Number), clamp32(int64(len(ev.Head())))
		c.Probe = c.Probe || ev.Probe
		c.Trips++
		c.OpenTrips++
		c.TripT = a.clock
	case "conn":
		t.Link = ev
	case "sent":
		t.flush(C2S)
	case "res":
		t.Response, t.ResT, c.TripT = ev, a.clock, a.clock
		t.resOff, t.resN = r.Off, r.N
		c.session(t)
		if ev.IsEvents() {
			c.OpenStreams++
			c.respond(r, t)
		}
	case "sse":
		t.LastT, c.TripT = a.clock, a.clock
		t.Bytes[S2C] += int64(len(ev.Text))
	case "err":
		if t.Err == "" || !strings.HasPrefix(ev.Why, NotDecoded) {
			t.Err = Refusal(ev.Why) // Why the request failed says more than why a copy was not decoded.
		}
		t.resOff, t.resN = r.Off, r.N
	case "end":
		c.endTrip(r, t)
	}
	c.seeHTTP(t, ev)
	if t.EndT != 0 {
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
	if t.EndT != 0 {
		row.Pair = t.Row // The response to an event stream has the row of its end.
	}
	if t.resOff != 0 {
		row.Off, row.N, row.Len = t.resOff, rowN(t.resN), clamp32(int64(len(head.Head())))
	}
	if head.Status == 405 && t.Request.Method != "POST" {
		row.Flags |= FlagProbe // The server offers no stream, or does not let a client end the session.
	}
	t.head = i
	c.a.store.edit(t.Row).Pair = t.head
}

// endTrip ends a round trip: its bodies end, and the requests in it that have no response
// are lost, unless the stream can be resumed.
func (c *conn) endTrip(r *Record, t *Trip) {
	t.EndT, t.Why = c.a.clock, r.HTTP.Why
	t.flush(C2S)
	t.flush(S2C)
	c.OpenTrips--
	if t.Events() {
		c.OpenStreams--
		i, row := c.addTripRow(r, t, RowTripEnd, t.Why)
		row.Len, row.Pair = clamp32(t.Bytes[S2C]), t.Row
		c.a.store.edit(t.head).Pair = i
	} else {
		c.respond(r, t)
	}
	if t.Why != "eof" {
		c.a.store.edit(t.head).Flags |= FlagLost
	}
	if t.probe {
		c.probed(t)
	}
	if t.pending == 0 || t.EventID != "" || t.Gap || t.accepted(c) {
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
	if t.Response == nil || t.Events() {
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
		c.a.store.edit(t.head).Flags |= FlagProbe
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
	for i, st := range t.streams {
		if st != nil && len(a.idle) < maxIdle {
			a.idle = append(a.idle, st)
		}
		t.streams[i] = nil
	}
}

// flush ends a body.
func (t *Trip) flush(s Stream) {
	if st := t.streams[s]; st != nil {
		st.flush()
	}
}

// tear records that bytes of a body may be missing.
func (t *Trip) tear(s Stream) {
	t.Gap = true
	if s <= S2C && t.streams[s] != nil {
		t.streams[s].tear()
	}
}

// streamOfTrip returns the state of the body that a record's bytes belong to.
func (a *Analyzer) streamOfTrip(c *conn, r *Record) *stream {
	t := a.trips[r.Trip]
	if t == nil || r.Stream > S2C {
		return nil
	}
	if t.streams[r.Stream] == nil {
		st := a.newTripStream(c, r.Stream)
		st.trip = t
		st.split.Mode = framing.Whole
		if r.Stream == S2C && t.Events() {
			st.split.Mode = framing.Events
		}
		t.streams[r.Stream] = st
	}
	return t.streams[r.Stream]
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

// A TripView is what the rows of a round trip say of it.
type TripView struct {
	Request  Row // Request is the row of the request's head. Its Skip is the number of the round trip.
	Response Row // Response is the row of the response's head; its Kind is RowText before.
	End      Row // End is the row of the end of an event stream; its Kind is RowText before, and for other bodies.
	Status   int // Status is the response's status code; 0 before, and if there was none.
	Took     int64
	Over     bool // Over: the round trip has ended, after Took ns.
	Stream   bool // Stream: the response is an event stream.
}

// Trip returns the round trip whose request's head is row i.
func (s *Snapshot) Trip(i uint32) TripView {
	v := TripView{Request: s.Row(i)}
	if v.Request.Pair == NoRow {
		return v
	}
	v.Response = s.Row(v.Request.Pair)
	v.Status = int(v.Response.Skip)
	switch next := v.Response.Pair; {
	case next == i:
		v.Took, v.Over = v.Response.T-v.Request.T, true
	case next != NoRow:
		v.End, v.Stream = s.Row(next), true
		v.Took, v.Over = v.End.T-v.Request.T, true
	default:
		v.Stream = true
	}
	return v
}
