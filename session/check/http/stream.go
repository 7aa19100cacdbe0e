package http

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for what is known of the streams of a connection.
const (
	maxEventIDs = 8192
	maxBroken   = 16
	maxRecent   = 16
)

const (
	endsWithin     = int64(5 * time.Second)  // endsWithin is how soon after its response a stream ends.
	aliveWithin    = int64(65 * time.Second) // aliveWithin is how long a stream may be silent: no proxy waits longer by default.
	cancelWithin   = int64(2 * time.Second)  // cancelWithin is how soon notifications/cancelled follows a disconnect.
	stopsWithin    = int64(2 * time.Second)  // stopsWithin is how long after a disconnect messages may still be on their way.
	broadcastRace  = int64(20 * time.Millisecond)
	cutSlack       = int64(2 * time.Second)
	burstWithin    = int64(50 * time.Millisecond) // burstWithin is how close together buffered events come,
	burstAfter     = int64(2 * time.Second)       // at least so long after the head of the response.
	burstEvents    = 4
	burstProgress  = 3
	retrySlack     = int64(50 * time.Millisecond)
	mostRetryWaits = int64(time.Hour)
)

// cuts are how long what commonly stands between two peers lets a stream be silent.
var cuts = []struct {
	after time.Duration
	who   string
}{
	{60 * time.Second, "nginx and AWS load balancers by default"},
	{100 * time.Second, "Cloudflare"},
	{120 * time.Second, "Cloudflare, and of some proxies by default"},
	{300 * time.Second, "undici, the HTTP client of Node, and of some proxies by default"},
}

// stream is what is known of the event stream of a response.
type stream struct {
	opened     int64 // opened is when the head of the response came.
	root       int   // root is the round trip that began the stream: another one if this one resumes it.
	resumes    bool  // resumes: it was requested with Last-Event-ID,
	cursor     int   // and this is the number of that event; 0 = unknown.
	acted      bool  // acted: an event of it was held or altered here, which may be why it is late, or ends.
	events     int   // events counts those with data,
	progress   int   // and the notifications of progress among them.
	begun      bool  // begun: an event came.
	first      int64 // first and last are when the first and the latest of those with data came.
	last       int64
	bytes      int64 // bytes is when the latest bytes came; 0 = none.
	primed     bool
	bare       bool   // bare: it begins with a message that is in no event.
	torn       string // torn is the beginning of an event that the end of the stream cut; empty = none.
	whole      bool   // whole: its data is a whole message.
	retry      int64  // retry is the reconnection time, in nanoseconds; 0 = none.
	unprimed   bool   // unprimed, after, quiet, waiting: that finding was reported.
	after      bool
	quiet      bool
	waiting    bool
	idReported bool
}

// streams is what is known of all streams of a connection.
type streams struct {
	ids    map[uint64]eventID
	forgot bool // forgot: not all ids are known.
	seq    int
	broken []brokenStream
	recent []sentMessage
	left   []leftRequest
	closed []closedRequest
	watch  int64 // watch is when the streams are looked at next; 0 = not at all.
}

// An eventID is an event that had an id.
type eventID struct {
	root int
	seq  int
	body uint64
}

// A brokenStream ended before its response and can be resumed.
type brokenStream struct {
	id    uint64
	at    int64
	retry int64
}

// A sentMessage is a message of the server, to find it again on another stream.
type sentMessage struct {
	hash uint64
	trip int
	at   int64
	get  bool
}

// A leftRequest is a request whose stream the client closed before the response.
type leftRequest struct {
	found session.Finding
	id    uint64
	root  int
	due   int64
}

// A closedRequest is one of 2026-07-28 that the client has cancelled by closing its stream.
type closedRequest struct {
	token uint64 // token is the hash of its progress token.
	name  string
	at    int64
}

func hashOf[T string | []byte](text T) uint64 { return maphash.String(rule.Seed.Get(), string(text)) }

// opened judges the head of an event stream.
func (c *httpConn) opened(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	// A server of the legacy era answers a probe as it likes. nginx, which the field is for, removes it.
	if t.era == mcp.Modern && t.method != mcp.ServerDiscover && gateway(x.Response) == "" && !strings.EqualFold(fieldOf(x.Response, "X-Accel-Buffering"), "no") {
		report(ev, t, r, noBufferingHeader, "the stream of %s has no X-Accel-Buffering: no", t.name())
	}
	if t.stream.opened = max(1, ev.T); c.listens(ev, t) {
		c.watch(ev.T+aliveWithin, ev, r)
	}
}

// listens reports whether a stream stays open for what the server has to say by itself.
func (c *httpConn) listens(ev *session.Event, t *trip) bool {
	return t.era == mcp.Modern && t.method == mcp.SubscriptionsListen || t.what == nothing && c.legacy(ev, t)
}

// event judges an event with data.
func (c *httpConn) event(ev *session.Event, t *trip, r session.Reporter) {
	f, s := ev.Frame, &t.stream
	fields := framing.EventFields(f.Syntax)
	name := fields.Name
	first := !s.begun
	s.begun, s.bytes = true, ev.T
	switch {
	case len(f.Term) == 0:
		s.torn, s.whole = rule.Excerpt(f.Head), f.Text.Syntax == jsonrpc.Complete && f.Text.Emitted > 0
		return
	case name == "endpoint":
		c.endpoint(ev, t, r)
		return
	case first:
		c.unannounced(ev, t, r)
	}
	message := f.Text.Syntax == jsonrpc.Complete && f.Text.Emitted > 0
	switch {
	case name != "" && name != "message":
		if message && rule.StartsMessage(f.Head) && bytes.Contains(f.Head, []byte(`"jsonrpc"`)) {
			report(ev, t, r, eventName, "a message came in an event named %s, which clients do not read", rule.Excerpt([]byte(name)))
		}
		return
	case f.Text.Defects&jsonrpc.InvalidUTF8 != 0:
		report(ev, t, r, notUTF8, "an event of %s is not UTF-8: %s", t.name(), rule.Excerpt(f.Head))
	case !message && !t.isMessage() && t.session == nil && !c.begun:
		// It may be a stream of something else.
	case !message:
		report(ev, t, r, dataNotJSON, "an event of %s is not a JSON-RPC message: %s", t.name(), rule.Excerpt(f.Head))
	}
	if s.events++; s.events == 1 {
		s.first = ev.T
	}
	s.last = ev.T
	if fields.HasID || fields.HasRetry {
		c.fields(ev, t, fields, hashOf(f.Head), r)
	}
}

// syntax judges what is in a stream between its messages.
func (c *httpConn) syntax(ev *session.Event, t *trip, text []byte, r session.Reporter) {
	s := &t.stream
	s.bare = s.bare || s.bytes == 0 && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && bytes.Contains(text, []byte(`"jsonrpc"`))
	s.bytes = ev.T
	fields := framing.EventFields(text)
	empty := false
	for line := range bytes.FieldsFuncSeq(text, func(b rune) bool { return b == '\n' || b == '\r' }) {
		empty = empty || string(bytes.TrimRight(line, ": ")) == "data"
	}
	if v := c.revision(ev, t); empty && v >= mcp.V2 && v <= mcp.V3 && c.session.agreed && !t.old {
		report(ev, t, r, primingTooEarly, "the stream of %s has an event with empty data, which %s does not know", t.name(), v)
	}
	if empty && fields.HasID && !s.begun {
		s.primed = true
	}
	s.begun = s.begun || empty
	c.fields(ev, t, fields, 0, r)
}

// onStream judges a message by the stream that it comes on.
func (c *httpConn) onStream(ev *session.Event, t *trip, r session.Reporter) {
	x, m := ev.Frame.Trip, ev.Message
	if !x.Stream || t.old {
		return
	}
	v := c.revision(ev, t)
	switch get := x.Request.Method == "GET"; {
	case m.Kind.Response():
		if get && !t.stream.resumes && rule.UsableID(&m.ID) && v.Era() == mcp.Legacy {
			report(ev, t, r, responseOnGet, "%s came on the GET stream", rule.Describe(ev))
		}
		if id, ok := rule.HashID(m.ID.Raw); ok && get {
			c.drop(id)
		}
		if t.isRequest() && !get {
			c.watch(ev.T+endsWithin, ev, r)
		}
		return
	case !get && t.isRequest() && t.done() && !t.stream.after:
		t.stream.after = true
		report(ev, t, r, afterResponse, "%s came after the response to %s", rule.Describe(ev), t.name())
	case v.Era() == mcp.Legacy && !t.stream.resumes:
		c.sentTwice(ev, t, get, r)
	}
	if ev.Method != nil && ev.Method.Name == mcp.ProgressNotification {
		t.stream.progress++
		if !c.afterClose(ev, t, r) {
			c.related(ev, t, v, r)
		}
	}
}

// related judges whether progress belongs to the request whose stream it comes on.
func (c *httpConn) related(ev *session.Event, t *trip, v mcp.Version, r session.Reporter) {
	of := ev.Exchange
	if of == nil || of.Sender != session.C2S || !t.isRequest() || t.many || t.stream.resumes || slices.ContainsFunc(t.asks, func(a ask) bool { return a.row == of.Req }) {
		return
	}
	token, _ := rule.HashID(of.ProgressToken)
	if slices.ContainsFunc(t.asks, func(a ask) bool { return a.token == token }) {
		return // Both have that token.
	}
	f := messageUnrelated.At(ev, "progress of %s came on the stream of %s", rule.NameOf(of), t.name())
	if v < mcp.V5 {
		f.Severity = session.Warning
	}
	r.Report(f)
}

// sentTwice judges whether a message of the server came on another stream too.
func (c *httpConn) sentTwice(ev *session.Event, t *trip, get bool, r session.Reporter) {
	asks := ev.Message.Kind == jsonrpc.Request
	if !asks && !get || ev.Frame.Whole == nil {
		return
	}
	now := sentMessage{hash: hashOf(ev.Frame.Whole), trip: t.Number, at: ev.T, get: get}
	for _, s := range c.streams.recent {
		if s.hash == now.hash && s.trip != now.trip && (asks || get && s.get && now.at-s.at <= broadcastRace) {
			report(ev, t, r, broadcast, "%s came on two streams", rule.Describe(ev))
			return
		}
	}
	rule.Push(&c.streams.recent, now, maxRecent)
}

// get judges the response to a GET.
func (c *httpConn) get(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	res := x.Response
	named := t.session != nil || has(x.Request, "MCP-Protocol-Version")
	listens := accepts(fieldOf(x.Request, "Accept"), typeEvents)
	if !listens {
		// Clients send the revision, and some the session, also where they look for the metadata of a login.
		if _, _, login := metadataOf(pathOf(x.Request.Target)); named && !login && !t.old && (t.session != nil || pathOf(x.Request.Target) == c.session.path) {
			if res.Status == 406 {
				f := notAccepted.At(ev, "406 for %s: the client's Accept lacks %s", t.name(), typeEvents)
				f.Fault, f.Breaks, f.Hint = session.Client, nil, "send Accept: text/event-stream"
				if !t.ours {
					r.Report(f)
				}
				return
			}
			advise(ev, t, r, accept, "send Accept: text/event-stream", "%s: the client's Accept lacks %s", t.name(), typeEvents)
		}
		return
	}
	v := c.revision(ev, t)
	if t.old || pathOf(x.Request.Target) != c.session.path && t.session == nil || v == mcp.NoVersion {
		return
	}
	switch status := res.Status; {
	case v.Era() == mcp.Modern:
		report(ev, t, r, legacyArtifacts, "the client sent GET, which 2026-07-28 does not have")
	case x.Stream && status < 300:
	case status == 405:
		c.pace.notOffered(ev, t, r)
	case status == 406:
		report(ev, t, r, notAccepted, "406 for %s, although the client's Accept lists %s", t.name(), typeEvents)
	case status >= 300 && status < 400:
		c.redirected(ev, t, r)
	case status == 404 && t.session != nil:
		c.refusedSession(ev, t, r)
	case status == 400, status == 401, status == 403, status == 429:
	case status >= 500 && status != 501:
		failed(ev, t, r)
	default:
		how := strconv.Itoa(status)
		if status < 300 && res.MediaType() != "" {
			how += " with the type " + rule.Short([]byte(res.MediaType()))
		}
		report(ev, t, r, getStatus, "%s was answered %s, must be an event stream or 405", t.name(), how)
	}
}
