package protocol

import (
	"bytes"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for the state of a connection.
const (
	maxNoted   = 1024 // special requests in flight
	maxScopes  = 256  // pages whose scope is kept
	maxOrdered = 512  // tools whose order is kept
)

const (
	logGrace     = int64(time.Second)     // logGrace is how long after the end of its request a log message may still arrive.
	probePatient = int64(4 * time.Second) // probePatient is how long every known client waits for the response to a probe.
)

// modernConn judges what messages must have from 2026-07-28 on, and which era
// is used when.
//
// A server is judged as modern if it has shown that it is (Conn.ServerModern)
// and the connection is modern. If a legacy server answers a modern request by
// accident, that is the client's fault. Responses to requests without metadata
// are not judged, because such requests belong to an older revision.
type modernConn struct {
	rule.Coverage

	noted    map[uint32]noted // noted are special requests in flight, by row.
	overflow bool             // overflow: not all of them could be stored.
	logEnd   int64            // logEnd is when a request with a logLevel last ended, 0 = never.

	nameless bool  // nameless: missing-client-info was reported.
	agreed   bool  // agreed: initialize was answered with a result.
	worked   bool  // worked: a modern request was answered like a modern server does.
	refusedT int64 // refusedT is when a revision was refused with a list of modern ones only, 0 = never, or retried since.

	undiscovered *session.Finding // undiscovered is the finding that server/discover is unknown, if the server may be modern.

	scopes map[page]string // scopes are the cache scopes of listings, by their next page.
	tools  []string        // tools is the order of the latest complete list.
}

// A noted request is a special request in flight.
type noted struct {
	bare       bool // bare: it has no protocolVersion.
	logs       bool // logs: it has a logLevel.
	extensions bool // extensions: the client declared extensions.
	page       page // page is the requested page; zero = none.
}

// A page is a page of a listing, by the hash of its cursor.
type page struct {
	method string
	cursor uint64
}

// Check implements session.Checker.
func (c *modernConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind == session.MessageSeen && ev.Frame.Stream != session.Stderr && rule.IsMessage(ev.Message):
		c.message(ev, r)
	case ev.Kind == session.ExchangeGone:
		delete(c.noted, ev.Exchange.Req)
	}
}

func (c *modernConn) message(ev *session.Event, r session.Reporter) {
	fromClient := ev.Frame.Stream == session.C2S
	switch ev.Message.Kind {
	case jsonrpc.Request:
		switch {
		case !fromClient:
			c.serverRequest(ev, r)
		case rule.IsNew(ev):
			c.request(ev, r)
		}
	case jsonrpc.Notification:
		if fromClient {
			c.clientNotification(ev, r)
		} else {
			c.serverNotification(ev, r)
		}
	case jsonrpc.Result, jsonrpc.Error:
		switch {
		case fromClient:
			if rule.ByClient(ev) && rule.IsModern(ev) && !rule.OverHTTP(ev) && ev.Message.Kind == jsonrpc.Error && !ev.Message.ID.Present() {
				r.Report(clientSentResponse.At(ev, "the client sent an error: %s", rule.RawText(ev.Message.Field(jsonrpc.ErrorMessage))))
			}
		case ev.Exchange != nil && ev.Match != session.MatchDuplicate && ev.Match != session.MatchNone:
			c.answer(ev, r)
		}
	case jsonrpc.Invalid:
	}
}

// request judges a client request, and stores what its response is judged by.
func (c *modernConn) request(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	legacyOnly := ev.Method != nil && !ev.Method.In(mcp.V5)
	if rule.ByClient(ev) {
		c.era(ev, r)
		switch {
		case x.Method == mcp.Initialize:
		case legacyOnly:
			c.removed(ev, r)
		case x.Era == mcp.Modern || x.Method == mcp.ServerDiscover || rule.HasModernMeta(m) && !c.agreed && ev.Conn.Phase != session.PhaseInitialize:
			c.meta(ev, r)
		}
	}
	n := noted{
		bare:       m.Field(jsonrpc.MetaProtocolVersion).Type != jsonrpc.String,
		logs:       m.Field(jsonrpc.MetaLogLevel).Present(),
		extensions: bytes.Contains(rule.FieldText(ev, m.Field(jsonrpc.MetaCapabilities)), []byte(`"extensions"`)),
	}
	if cursor := m.Field(jsonrpc.ParamCursor); cursor.Type == jsonrpc.String {
		n.page = page{x.Method, rule.CursorOf(cursor)}
	}
	if n == (noted{}) || x.Era == mcp.Legacy {
		return
	}
	if len(c.noted) >= maxNoted {
		c.overflow = true
		return
	}
	rule.Put(&c.noted, x.Req, n)
}

// meta judges the metadata of a request.
func (c *modernConn) meta(ev *session.Event, r session.Reporter) {
	m := ev.Message
	version, caps, info, level := m.Field(jsonrpc.MetaProtocolVersion), m.Field(jsonrpc.MetaCapabilities), m.Field(jsonrpc.MetaClientInfo), m.Field(jsonrpc.MetaLogLevel)
	what := rule.NameOf(ev.Exchange)
	lacks := func(keys string) { r.Report(missingRequestMeta.At(ev, "%s has no %s in its _meta", what, keys)) }
	switch {
	case m.Params.Type != jsonrpc.Object && m.Params.Type != jsonrpc.Absent:
		return
	case !version.Present() && !caps.Present():
		lacks("protocolVersion and no clientCapabilities")
	case !version.Present():
		lacks("protocolVersion")
	case !caps.Present():
		lacks("clientCapabilities")
	case !info.Present() && !c.nameless:
		c.nameless = true
		r.Report(missingClientInfo.At(ev, "%s has no clientInfo in its _meta", what))
	}
	wrong := func(key, is string) { r.Report(requestMetaType.At(ev, "%s of %s is %s", key, what, is).Keyed(key)) }
	if version.Present() && version.Type != jsonrpc.String {
		wrong("protocolVersion", rule.TypeName(version.Type))
	}
	if caps.Present() && caps.Type != jsonrpc.Object {
		wrong("clientCapabilities", rule.TypeName(caps.Type))
	}
	if level.Present() && !slices.ContainsFunc(mcp.LogLevels, level.Is) {
		wrong("logLevel", rule.RawText(level))
	}
	switch {
	case !info.Present():
	case info.Type != jsonrpc.Object:
		wrong("clientInfo", rule.TypeName(info.Type))
	default:
		if who, ok := rule.ParseObject(rule.FieldText(ev, info)); ok {
			_, name := who.Text("name")
			_, number := who.Text("version")
			if !name || !number {
				wrong("clientInfo", "an object without a name or a version")
			}
		}
	}
}

// era judges whether the client stays in one era.
func (c *modernConn) era(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	version, _ := ev.Message.Field(jsonrpc.MetaProtocolVersion).Unquoted()
	v, _ := mcp.ParseVersion(version)
	switch {
	case x.Method == mcp.ServerDiscover:
		c.refusedT = 0
	case x.Method != mcp.Initialize:
		if v.Era() != mcp.Modern {
			return
		}
		c.refusedT = 0
		if c.agreed && !rule.OverHTTP(ev) {
			r.Report(mixedEra.At(ev, "%s is a modern request on a connection that was initialized", rule.NameOf(x)))
		}
	case c.refusedT != 0:
		c.refusedT = 0
		r.Report(fallbackAfterModernError.At(ev, "%s was sent after the server had named modern revisions only", rule.NameOf(x)))
	case c.worked && !rule.OverHTTP(ev):
		r.Report(mixedEra.At(ev, "%s was sent on a connection on which modern requests were answered", rule.NameOf(x)))
	}
}

// removed reports a method that was removed in the modern era.
func (c *modernConn) removed(ev *session.Event, r session.Reporter) {
	if !rule.IsModern(ev) || ev.Method == nil || ev.Method.In(mcp.V5) || ev.Method.Since > mcp.V4 {
		return
	}
	r.Report(removedMethod.At(ev, "%s is not part of %s", rule.MethodName(ev.Message), mcp.V5).Keyed(ev.Method.Name))
}

func (c *modernConn) clientNotification(ev *session.Event, r session.Reporter) {
	if x := ev.Exchange; x != nil && x.Cancel != 0 {
		c.take(ev, x) // It was cancelled.
	}
	switch {
	case !rule.ByClient(ev) || !rule.IsModern(ev):
	case ev.Message.Method.Is(mcp.ProgressNotification):
		r.Report(clientProgress.At(ev, "the client sent notifications/progress"))
	default:
		c.removed(ev, r)
	}
}

// take removes and returns what was noted of a completed request.
func (c *modernConn) take(ev *session.Event, x *session.Exchange) noted {
	n, ok := c.noted[x.Req]
	if ok {
		delete(c.noted, x.Req)
		if n.logs {
			c.logEnd = max(1, ev.T)
		}
	}
	return n
}

func (c *modernConn) serverRequest(ev *session.Event, r session.Reporter) {
	if rule.IsModern(ev) && rule.IsNew(ev) && !c.agreed {
		f := serverInitiatedRequest.At(ev, "the server sent the request %s", rule.NameOf(ev.Exchange))
		r.Report(f.Keyed(methodKey(ev)))
	}
}

// methodKey is the Key of a finding that is about a method. All unknown methods
// share one.
func methodKey(ev *session.Event) string {
	if ev.Method == nil {
		return ""
	}
	return ev.Method.Name
}

func (c *modernConn) serverNotification(ev *session.Event, r session.Reporter) {
	if !rule.IsModern(ev) || c.agreed {
		return
	}
	m := ev.Message
	switch {
	case m.Method.Is(mcp.LogNotification):
		c.log(ev, r)
	case m.Method.Is(mcp.CancelledNotification):
		c.cancelled(ev, r)
	default:
		c.removed(ev, r)
	}
}

// log judges whether a log message was requested.
func (c *modernConn) log(ev *session.Event, r session.Reporter) {
	if ev.Message.Field(jsonrpc.MetaSubscriptionID).Present() || c.overflow || !c.Reads(ev, session.C2S) ||
		c.logEnd != 0 && ev.T-c.logEnd < logGrace {
		return
	}
	for _, n := range c.noted {
		if n.logs {
			return
		}
	}
	r.Report(logWithoutOptIn.At(ev, "a log message came while no request in flight had a logLevel"))
}

// cancelled judges a cancellation by the server.
func (c *modernConn) cancelled(ev *session.Event, r session.Reporter) {
	if ev.Exchange != nil {
		return // It is a subscription, or the server's own request.
	}
	id := ev.Message.Field(jsonrpc.ParamRequestID)
	for _, x := range ev.Conn.Open[session.C2S] {
		if id.Whole() && x.ID == string(id.Raw) {
			r.Report(serverCancelledRequest.At(ev, "the server cancelled %s", rule.NameOf(x)))
			return
		}
	}
}
