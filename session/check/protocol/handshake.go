package protocol

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// lifecycleConn judges the handshake of 2024-11-05 to 2025-11-25, and whether
// the two sides keep to its result.
//
// If bytes of a stream are missing, or a line of it could not be read, no
// message is reported as missing from it.
//
//	a server that is asked in the modern era       the modern rules; none of these
//	a request before initialize                    not missing-initialized
//	wrong-initialized-method, missing-initialized  not server-request-before-initialized
//	an answered revision that does not exist       not version-answer-ignored
type lifecycleConn struct {
	rule.Coverage

	asked    bool   // asked: initialize was sent and has not been refused since.
	agreed   bool   // agreed: it was answered with a result.
	refused  bool   // refused: the latest attempt was refused.
	wanted   string // wanted is the requested revision, empty = none or not a string.
	misnamed bool   // misnamed: the client sent notifications/initialized under a wrong name.

	early []session.Finding // early are findings of notifications that came before the era was known.
	ready readiness

	client, server rule.Capabilities // client and server are what the two declared.
	newer          bool              // newer: the server answered with a newer revision than requested.
}

// A readiness follows a request that was sent without
// notifications/initialized.
type readiness struct {
	finding session.Finding
	waits   bool // waits: the notification may still come.
	told    bool // told: the finding was reported.
}

const (
	initializedWithin = int64(time.Second) // initializedWithin is how long after a request notifications/initialized counts as late instead of missing.
	maxEarlyNotes     = 16
)

// Check implements session.Checker.
func (c *lifecycleConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind == session.MessageSeen && ev.Frame.Stream != session.Stderr && rule.IsMessage(ev.Message):
		c.message(ev, r)
	case ev.Kind == session.Timer && ev.Timer.Rule == missingInitialized.ID, ev.Kind == session.ConnEnded:
		c.ready.over(r)
	}
}

func (c *lifecycleConn) message(ev *session.Event, r session.Reporter) {
	fromClient := ev.Frame.Stream == session.C2S
	if kind := ev.Message.Kind; kind.Response() {
		if ev.Exchange != nil && ev.Match != session.MatchDuplicate {
			c.answer(ev, r)
		}
		return
	}
	switch request := ev.Message.Kind == jsonrpc.Request; {
	case ev.Message.Kind == jsonrpc.Invalid, fromClient && ev.Frame.Way == session.WayOut:
	case fromClient && request:
		c.clientRequest(ev, r)
	case fromClient:
		c.clientNotification(ev, r)
	case request:
		c.serverRequest(ev, r)
	default:
		c.serverNotification(ev, r)
	}
}

func (c *lifecycleConn) clientRequest(ev *session.Event, r session.Reporter) {
	if !rule.IsNew(ev) {
		return
	}
	method := ev.Exchange.Method
	if method == mcp.Initialize {
		c.initialize(ev, r)
		return
	}
	c.revisionInMeta(ev, r)
	switch {
	case method == mcp.Ping, method == mcp.ServerDiscover:
		return
	case strings.HasPrefix(method, "notifications/"):
		c.misnamed = c.misnamed || method == mcp.InitializedNotification
		return // It is meant as a notification.
	}
	if rule.ByClient(ev) && !rule.HasModernMeta(ev.Message) && ev.Exchange.Era != mcp.Modern {
		c.order(ev, r)
	}
	c.use(ev, r)
}

// order judges the position of a client request relative to the handshake.
func (c *lifecycleConn) order(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	switch {
	case !c.Reads(ev, session.C2S):
	case !c.asked && c.refused:
		r.Report(requestBeforeInitialize.At(ev, "%s was sent although initialize was refused", rule.NameOf(x)))
	case !c.asked:
		if ev.Conn.Started && !ev.Conn.ServerModern {
			r.Report(requestBeforeInitialize.At(ev, "%s was sent before initialize", rule.NameOf(x)))
		}
	case !c.agreed:
		if c.Reads(ev, session.S2C) {
			r.Report(requestDuringInitialize.At(ev, "%s was sent before initialize was answered", rule.NameOf(x)))
		}
	case ev.Conn.Initialized || c.misnamed || x.Method == mcp.LoggingSetLevel:
	default:
		c.ready.begin(missingInitialized.At(ev, "%s was sent, but notifications/initialized never was", rule.NameOf(x)), ev, r)
	}
	if c.newer && c.agreed {
		c.newer = false
		r.Report(versionAnswerIgnored.At(ev, "the server answered %s although %s was requested, and the client continues", ev.Conn.Version, c.wanted))
	}
}

func (n *readiness) begin(f session.Finding, ev *session.Event, r session.Reporter) {
	if n.waits || n.told {
		return
	}
	n.finding, n.waits = f, true
	r.At(ev.T+initializedWithin, ev.Conn.ID, session.TimerKey{Rule: missingInitialized.ID})
}

// over reports that notifications/initialized did not come.
func (n *readiness) over(r session.Reporter) {
	if n.waits {
		n.waits, n.told = false, true
		r.Report(n.finding)
	}
}

// came reports that notifications/initialized came after the request.
func (n *readiness) came(r session.Reporter) {
	if n.waits {
		n.finding.Severity = session.Warning
		n.finding.Message = strings.TrimSuffix(n.finding.Message, ", but notifications/initialized never was") + " before notifications/initialized"
		n.over(r)
	}
}

func (c *lifecycleConn) clientNotification(ev *session.Event, r session.Reporter) {
	m := ev.Message
	switch {
	case m.Method.Is(mcp.InitializedNotification):
		c.ready.came(r)
	case m.Method.Is(mcp.CancelledNotification):
		if x := ev.Exchange; x != nil && x.Method == mcp.Initialize && x.Sender == session.C2S && x.Way != session.WayOut && rule.ByClient(ev) {
			r.Report(initializeCancelled.At(ev, "%s was cancelled", rule.NameOf(x)))
		}
	case slices.ContainsFunc(rule.InitializedMisnomers, m.Method.Is):
		if rule.ByClient(ev) && c.asked && !ev.Conn.Initialized && ev.Conn.Era != mcp.Modern {
			c.misnamed = true
			r.Report(wrongInitializedMethod.At(ev, "%s is not notifications/initialized", rule.MethodName(m)))
		}
	case ev.Method != nil:
		c.use(ev, r)
	}
}

func (c *lifecycleConn) serverRequest(ev *session.Event, r session.Reporter) {
	if !rule.IsNew(ev) || ev.Conn.Era == mcp.Modern {
		return
	}
	if x := ev.Exchange; x.Method != mcp.Ping && !ev.Conn.Initialized && !c.misnamed && !c.ready.waits && !c.ready.told &&
		c.Sees(ev, session.C2S) && ev.Conn.Phase != session.PhaseProbing { // A probe may show that the server is modern.
		r.Report(serverRequestBeforeInitialized.At(ev, "%s was sent before notifications/initialized", rule.NameOf(x)))
	}
	c.use(ev, r)
}

func (c *lifecycleConn) serverNotification(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if ev.Conn.Era != mcp.Modern && !c.agreed && ev.Exchange == nil && c.Sees(ev, session.S2C) &&
		!m.Method.Is(mcp.LogNotification) && bytes.HasPrefix(m.Method.Raw, []byte(`"notifications/`)) {
		f := notificationBeforeInitializeResponse.At(ev, "%s was sent before initialize was answered", rule.MethodName(m))
		if c.asked {
			r.Report(f)
		} else if len(c.early) < maxEarlyNotes {
			c.early = append(c.early, f)
		}
	}
	c.use(ev, r)
}
