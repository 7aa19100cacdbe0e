package http

import (
	"bytes"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for the state of a connection. What does not fit is not judged.
const (
	maxTrips = 4096 // round trips that have not ended
	maxAsks  = 64   // requests in one body
	maxMoved = 16   // URLs that redirect
	maxText  = 200  // bytes of a body that is not a message
)

// httpConn judges the round trips of a connection.
type httpConn struct {
	history *history
	trips   map[int]*trip
	spare   []*trip

	old         bool // old: it speaks HTTP+SSE.
	begun       bool // begun: it is known from its first message.
	refusedPost bool // refusedPost: a message was answered 400, 404 or 405, after which a client tries HTTP+SSE.
	decided     bool // decided: begun is known.

	pages     []page   // pages are those whose place may turn out to speak HTTP+SSE.
	movedFrom []string // movedFrom are the URLs that redirected.

	session life
	token   bearer
	streams streams
	mirror  mirror
	pace    pace
}

// A trip is what is known of a round trip that has not ended.
type trip struct {
	*session.Trip
	ours    bool // ours: wiretea made the request, which is not the client's fault.
	old     bool // old: it belongs to HTTP+SSE.
	what    what
	method  string // method, target, n and id are those of the first message.
	target  string
	n       uint64
	id      string
	era     mcp.Era
	version mcp.Version // version is that of a modern request.
	bare    bool        // bare: its request has no _meta with a revision.
	retry   string      // retry is the member by which the request goes on where an earlier one stopped; empty = it does not.
	asks    []ask
	many    bool // many: there are more than maxAsks.

	session *session.Secret // session is the id in the request's header; nil = none.
	spoilt  string          // spoilt is the beginning of a request's body that is not JSON; empty = it is JSON.
	partly  bool            // partly: what there is of that body may be the beginning of JSON.

	named    bool   // named: it differs in a field that every request has.
	mismatch string // mismatch says what differs between header and body; empty = nothing.

	sent   int64  // sent is when the latest part of the request's body was sent on; 0 = it was held or altered here.
	judged bool   // judged: the response's head was.
	text   []byte // text is the beginning of a body that is not a message.
	whole  []byte // whole is a body of metadata.
	syntax jsonrpc.Syntax
	answer answer
	stream stream
}

// What the body of a request is.
type what uint8

const (
	nothing what = iota
	request
	notification
	response
	batch
	other // other: not a message.
)

// An ask is a request in the body of a POST.
type ask struct {
	id       uint64 // id is the hash of its id, token that of its progress token; 0 = none.
	token    uint64
	row      uint32
	answered bool
	dropped  bool // dropped: it was cancelled, or answered elsewhere.
}

// An answer is what is known of the messages in a response.
type answer struct {
	messages int
	results  int   // results counts the results,
	errors   int   // and errors the error responses.
	code     int64 // code is that of the latest error.
	text     string
	private  bool // private: a result has the cacheScope private.
	last     int64
}

// isRequest reports whether the body has a request.
func (t *trip) isRequest() bool { return len(t.asks) > 0 }

// isMessage reports whether the body is a message.
func (t *trip) isMessage() bool { return t.what != nothing && t.what != other }

// done reports whether each request has its response.
func (t *trip) done() bool {
	return !t.many && !slices.ContainsFunc(t.asks, func(a ask) bool { return !a.answered })
}

// waits reports whether a request waits for its response.
func (t *trip) waits() bool {
	return t.many || slices.ContainsFunc(t.asks, func(a ask) bool { return !a.answered && !a.dropped })
}

// name names the round trip in a message.
func (t *trip) name() string {
	switch {
	case t.what == request || t.what == batch && t.isRequest():
		return rule.RequestName(t.method, t.n, t.id)
	case t.what == notification:
		return rule.Short([]byte(t.method))
	case t.what == response:
		return "the client's response to id " + rule.Short([]byte(t.id))
	}
	return rule.Short([]byte(t.Request.Method + " " + pathOf(t.Request.Target)))
}

// Check implements session.Checker.
func (c *httpConn) Check(ev *session.Event, r session.Reporter) {
	switch ev.Kind {
	case session.HTTPSeen:
		c.http(ev, r)
	case session.FrameSeen, session.MessageSeen:
		if ev.Frame.Trip == nil {
			return
		}
		if t := c.trips[ev.Frame.Trip.Number]; t != nil {
			c.frame(ev, t, r)
		}
	case session.Timer:
		c.timer(ev, r)
	case session.ConnEnded:
		if ev.Conn.Trips > 0 {
			c.over(ev, r)
		}
	}
}

// http takes an event of a round trip.
func (c *httpConn) http(ev *session.Event, r session.Reporter) {
	if ev.HTTP.Event == "req" {
		c.begin(ev, r)
		return
	}
	t := c.trips[ev.Trip.Number]
	if t == nil {
		return
	}
	switch ev.HTTP.Event {
	case "res":
		if ev.HTTP.Status < 200 {
			return
		}
		if ev.Trip.Stream {
			c.issued(ev, t, r)
			c.head(ev, t, r)
			c.opened(ev, t, r)
		}
	case "sse":
		c.syntax(ev, t, ev.HTTP.Text, r)
	case "end":
		c.end(ev, t, r)
		delete(c.trips, t.Number)
		*t = trip{asks: t.asks[:0], text: t.text[:0]}
		c.spare = append(c.spare, t)
	}
}

// begin takes the head of a request. One that wiretea made between the peers is not
// judged: the client does not know of it, nor of its response.
func (c *httpConn) begin(ev *session.Event, r session.Reporter) {
	if len(c.trips) >= maxTrips || ev.Conn.Probe || ev.Trip.Request.Ours {
		return
	}
	t := &trip{}
	if n := len(c.spare); n > 0 {
		t, c.spare = c.spare[n-1], c.spare[:n-1]
	}
	t.Trip, t.ours = ev.Trip, ev.Conn.Ours
	t.session = secretOf(ev.HTTP, "Mcp-Session-Id")
	t.old = c.old || c.history.isOld(t.Request.Target)
	rule.Put(&c.trips, t.Number, t)
	c.carried(ev, t, r)
	c.resumed(ev, t, r)
	c.pace.request(ev, t, r)
}

// frame takes a frame of a body, or a message in it.
func (c *httpConn) frame(ev *session.Event, t *trip, r session.Reporter) {
	f, message := ev.Frame, ev.Kind == session.MessageSeen
	t.stream.acted = t.stream.acted || f.Stream == session.S2C && f.Way != session.Crossed
	if f.Stream == session.C2S {
		if t.sent = 0; f.Way == session.Crossed || f.Way == session.WayOut {
			t.sent = ev.T
		}
	}
	switch {
	case f.Stream == session.C2S && message:
		c.asked(ev, t, r)
	case f.Stream == session.C2S:
		t.ours = t.ours || f.Way == session.WayOut
		if f.Text.Emitted == 0 && f.Len > 0 {
			t.what = other
			if s := f.Text.Syntax; f.Way == session.Crossed && (s == jsonrpc.Incomplete || s == jsonrpc.Malformed) {
				t.spoilt, t.partly = rule.Excerpt(f.Head), s == jsonrpc.Incomplete
			}
		}
	case f.Stream == session.S2C && message:
		c.answered(ev, t, r)
	case f.Stream == session.S2C:
		t.syntax = f.Text.Syntax
		if len(t.text) == 0 {
			t.text = append(t.text[:0], f.Head[:min(len(f.Head), maxText)]...)
		}
		if _, _, is := metadataOf(pathOf(t.Request.Target)); is && t.Request.Method == "GET" && !f.Trip.Stream {
			t.whole = bytes.Clone(f.Whole)
		}
		if f.Trip.Stream {
			c.event(ev, t, r)
		}
	}
}

// asked takes a message of a request's body.
func (c *httpConn) asked(ev *session.Event, t *trip, r session.Reporter) {
	m := ev.Message
	if !rule.IsMessage(m) {
		if t.what == nothing {
			t.what = other
		}
		return
	}
	first := !t.isMessage()
	if first {
		t.begins(ev)
	}
	if ev.Exchange != nil && m.Kind == jsonrpc.Request {
		t.asksFor(ev)
		c.streams.reused(t)
	}
	if m.Method.Is(mcp.CancelledNotification) {
		id, _ := rule.HashID(m.Field(jsonrpc.ParamRequestID).Raw)
		c.streams.cancelled(id)
		c.drop(id)
	}
	if m.Elem >= 0 {
		t.what = batch
	}
	if rule.HasModernMeta(m) {
		t.era = mcp.Modern
	}
	if !c.decided {
		c.decided, c.begun = true, rule.Begins(ev)
	}
	if first {
		c.posted(ev, t, r)
	}
}

// begins takes the first message of a body.
func (t *trip) begins(ev *session.Event) {
	m := ev.Message
	t.what = whatOf(m)
	if ev.Method != nil {
		t.method = ev.Method.Name
	} else {
		t.method = rule.MethodName(m)
	}
	if ev.Exchange != nil {
		t.id = ev.Exchange.ID
	} else {
		t.id = string(m.ID.Raw)
	}
}

// asksFor takes a request of a body.
func (t *trip) asksFor(ev *session.Event) {
	x, m := ev.Exchange, ev.Message
	if ev.Match == session.MatchNone {
		return // It has gone on in place of one that was held or altered.
	}
	if !t.isRequest() {
		t.method, t.target, t.n, t.era = x.Method, x.Target, x.ReqN, x.Era
		if x.Era == mcp.Modern {
			t.version = x.Version
		}
		t.bare = !m.Field(jsonrpc.MetaProtocolVersion).Present()
		switch {
		case m.Field(jsonrpc.ParamInputResponses).Present():
			t.retry = "inputResponses"
		case m.Field(jsonrpc.ParamRequestState).Present():
			t.retry = "requestState"
		}
	}
	if t.many = t.many || len(t.asks) == maxAsks; !t.many {
		id, _ := rule.HashID(m.ID.Raw)
		token, _ := rule.HashID(x.ProgressToken)
		t.asks = append(t.asks, ask{id: id, token: token, row: x.Req})
	}
}

// whatOf returns what a message is.
func whatOf(m *jsonrpc.Message) what {
	switch m.Kind {
	case jsonrpc.Request:
		return request
	case jsonrpc.Notification:
		return notification
	case jsonrpc.Result, jsonrpc.Error:
		return response
	case jsonrpc.Invalid:
	}
	return other
}

// revision returns the revision that a round trip is judged by. Streamable HTTP came
// with 2025-03-26, so an older one that was negotiated over it counts as that. That of an
// initialize is unknown until it is answered: the revision of the connection is that of the
// session before.
func (c *httpConn) revision(ev *session.Event, t *trip) mcp.Version {
	named, _ := mcp.ParseVersion(fieldOf(tripOf(ev).Request, "MCP-Protocol-Version"))
	switch {
	case t.era == mcp.Modern:
		return max(t.version, mcp.V5)
	case t.method == mcp.Initialize && t.answer.messages == 0:
		return mcp.NoVersion
	case ev.Conn.Version != mcp.NoVersion:
		return max(ev.Conn.Version, mcp.V2)
	case named != mcp.NoVersion:
		return max(named, mcp.V2)
	case t.session != nil:
		return mcp.V2
	}
	return mcp.NoVersion
}

// legacy reports whether a round trip is one of 2025-03-26 to 2025-11-25.
func (c *httpConn) legacy(ev *session.Event, t *trip) bool {
	return !t.old && c.revision(ev, t).Era() == mcp.Legacy
}

// left reports whether somebody other than the server ended a round trip before its end:
// the client, or wiretea because it was ended itself.
func left(x *session.Trip) bool { return x.Why == "client" || x.Why == "wiretea" }

// tripOf returns the round trip of an event.
func tripOf(ev *session.Event) *session.Trip {
	if ev.Trip == nil && ev.Frame != nil {
		return ev.Frame.Trip
	}
	return ev.Trip
}

// report reports a finding of a rule at a round trip. Findings with another sentence are
// not merged. What wiretea's user asked for is not the client's fault.
func report(ev *session.Event, t *trip, r session.Reporter, broken *rule.Rule, format string, args ...any) {
	t.report(at(ev, t, broken, format, args...), r)
}

// advise is report with a hint that fits better than the rule's.
func advise(ev *session.Event, t *trip, r session.Reporter, broken *rule.Rule, hint, format string, args ...any) {
	f := at(ev, t, broken, format, args...)
	f.Hint = hint
	t.report(f, r)
}

// reportSince is report for a finding about the time since begun; 0 = about no time.
func reportSince(begun int64, ev *session.Event, t *trip, r session.Reporter, broken *rule.Rule, format string, args ...any) {
	f := at(ev, t, broken, format, args...)
	if begun != 0 {
		f = f.Since(begun)
	}
	t.report(f, r)
}

func at(ev *session.Event, t *trip, broken *rule.Rule, format string, args ...any) session.Finding {
	return broken.At(ev, format, args...).AtRow(t.Row).Keyed(format)
}

func (t *trip) report(f session.Finding, r session.Reporter) {
	if f.Fault != session.Client || !t.ours {
		r.Report(f)
	}
}
