package http

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

const (
	keptGrace   = int64(250 * time.Millisecond) // keptGrace is how long after a 404 a request may still carry its session: they crossed.
	keptReport  = int64(10 * time.Second)       // keptReport is how long such requests are counted before they are reported.
	renewWithin = int64(30 * time.Second)       // renewWithin is how soon after a 404 a client initializes again.
	leftOpen    = int64(2 * time.Second)        // leftOpen is how long before the end a client that left closed its last stream.
	youngWithin = int64(2 * time.Second)        // youngWithin is how soon after its begin no session is over.
	weakLength  = 16                            // weakLength is the least length of a session id that is hard to guess, in bytes.
	flaps       = 3                             // flaps is how many sessions
	flapWithin  = int64(time.Minute)            // that end within this time are too many,
	shortIdle   = int64(10 * time.Minute)       // and this the idle time that a session should survive.
)

// life is the session of a connection.
type life struct {
	id      *session.Secret // id is what the server issued, or the first request carried; nil = none.
	issued  int64           // issued is when the server issued it here; 0 = not.
	agreed  bool            // agreed: initialize was answered here.
	path    string          // path is where a message was accepted.
	last    int64           // last is when a round trip of it last ended well.
	latest  int64           // latest is when the latest request began.
	gone    int64           // gone is when it was answered 404; 0 = not.
	lost    *session.Finding
	kept    *session.Finding
	keptT   int64
	calls   int   // calls counts the requests that were lost.
	refused bool  // refused: the server does not know it any more.
	deleted int64 // deleted is when a DELETE was accepted; 0 = not.
	left    int64 // left is when the client closed its GET stream; 0 = not.
}

// is reports whether a session is that of the connection.
func (l *life) is(s *session.Secret) bool { return l.id != nil && s != nil && l.id.Hash == s.Hash }

// carried judges the header of a new request for its session.
func (c *httpConn) carried(ev *session.Event, t *trip, r session.Reporter) {
	l, x := &c.session, ev.Trip
	l.latest, l.left = ev.T, 0
	if l.id == nil {
		l.id = t.session
	}
	if t.session == nil || !l.is(t.session) || l.gone == 0 || t.old || x.Request.Method == "DELETE" || t.ours || ev.T-l.gone <= keptGrace {
		if x.Request.Method != "POST" {
			c.unposted(ev, t, r)
		}
		return
	}
	if l.keptT = ev.T; l.kept == nil {
		f := sessionNotRenewed.At(ev, "")
		l.kept = &f
		r.At(ev.T+keptReport, ev.Conn.ID, session.TimerKey{Rule: sessionNotRenewed.ID})
	}
}

// unposted judges the header of a GET or DELETE.
func (c *httpConn) unposted(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	listens := x.Request.Method == "GET" && accepts(fieldOf(x.Request, "Accept"), typeEvents) && pathOf(x.Request.Target) == c.session.path
	if t.old || !listens && t.session == nil || x.Request.Method != "GET" && x.Request.Method != "DELETE" {
		return
	}
	c.identified(ev, t, r)
	if c.legacy(ev, t) {
		c.versioned(ev, t, r)
	}
}

// identified reports a request without the session that the server issued.
func (c *httpConn) identified(ev *session.Event, t *trip, r session.Reporter) {
	l := &c.session
	if t.isMessage() && !c.begun && l.id == nil {
		// A connection of its own: its caller may have a session on another one.
		if l = c.history.callers[callerOf(tripOf(ev).Request)]; l == nil {
			return
		}
	}
	if t.session == nil && l.issued != 0 && tripOf(ev).ReqT > l.issued && t.method != mcp.Initialize && t.era != mcp.Modern && l.deleted == 0 && l.gone == 0 {
		report(ev, t, r, sessionMissing, "%s has no Mcp-Session-Id, although the server issued %s", t.name(), nick(l.id))
	}
}

// versioned judges MCP-Protocol-Version in the legacy era.
func (c *httpConn) versioned(ev *session.Event, t *trip, r session.Reporter) {
	x := tripOf(ev)
	named := fieldOf(x.Request, "MCP-Protocol-Version")
	switch v := ev.Conn.Version; {
	case v < mcp.V3 || v > mcp.V4 || !c.session.agreed || t.method == mcp.Initialize:
	case named == "":
		report(ev, t, r, versionHeader, "%s has no MCP-Protocol-Version, although %s was agreed on", t.name(), v)
	case named != ev.Conn.VersionText:
		f := versionHeader.At(ev, "%s has MCP-Protocol-Version %s, although %s was agreed on", t.name(), rule.Excerpt([]byte(named)), v).Graded(session.Warning).Keyed("other")
		if !t.ours {
			r.Report(f)
		}
	}
}

// posted judges the first message of a POST.
func (c *httpConn) posted(ev *session.Event, t *trip, r session.Reporter) {
	x := tripOf(ev)
	if t.old || x.Request.Method != "POST" || !t.isMessage() {
		return
	}
	c.pace.posted(ev, t, r)
	if t.era == mcp.Modern {
		c.mirrored(ev, t, r)
		return
	}
	c.identified(ev, t, r)
	v := c.revision(ev, t)
	switch {
	case t.method == mcp.Initialize && t.what == request:
		c.history.initialized = ev.T
		if t.session != nil {
			report(ev, t, r, sessionOnInitialize, "%s carries %s", t.name(), nick(t.session))
		}
	case v.Era() == mcp.Modern && t.what == response:
		report(ev, t, r, responsePost, "the client posted a response, with the id %s", rule.Short([]byte(t.id)))
	case v.Era() == mcp.Modern && t.method == mcp.CancelledNotification:
		report(ev, t, r, legacyArtifacts, "the client sent notifications/cancelled, which HTTP does not have: closing the stream cancels")
	}
	if t.what == batch && v >= mcp.V3 {
		report(ev, t, r, batchPost, "the client posted a batch")
	}
	if v.Era() == mcp.Legacy {
		c.versioned(ev, t, r)
	}
	if has(x.Request, "Last-Event-Id") && v.Era() == mcp.Legacy {
		f := resumeNotGet.At(ev, "%s carries Last-Event-ID on a POST", t.name())
		if v < mcp.V4 {
			f.Severity = session.Info
		}
		if !t.ours {
			r.Report(f)
		}
	}
}

// issued judges the session in the head of a response.
func (c *httpConn) issued(ev *session.Event, t *trip, r session.Reporter) {
	x, l := ev.Trip, &c.session
	hello := t.method == mcp.Initialize && t.what == request && x.Response.Status < 300
	l.agreed = l.agreed || hello
	id := secretOf(x.Response, "Mcp-Session-Id")
	if id == nil || id.Len == 0 || t.old {
		return
	}
	if id.Odd {
		report(ev, t, r, sessionCharset, "the id of %s has characters other than visible ASCII", nick(id))
	}
	switch {
	case t.era == mcp.Modern:
		f := legacyArtifacts.At(ev, "the response to %s has Mcp-Session-Id", t.name())
		f.Fault = session.Server
		r.Report(f.Keyed("session"))
	case hello:
		l.id, l.issued = id, max(1, ev.T)
		c.history.issue(ev, t, l, r)
	case l.is(id), t.session != nil && t.session.Hash == id.Hash:
	case t.session == nil && !l.agreed:
	case t.session == nil && l.id == nil:
		report(ev, t, r, sessionLate, "the response to %s has the first Mcp-Session-Id, %s", t.name(), nick(id))
		l.id = id
	case t.session != nil:
		report(ev, t, r, sessionLate, "the response to %s changes the id of %s to that of %s", t.name(), nick(t.session), nick(id))
	}
}

// seen takes a round trip that ended.
func (l *life) seen(ev *session.Event, t *trip) {
	x := ev.Trip
	if x.Response == nil || x.Response.Status >= 300 || !t.isMessage() && !x.Stream {
		return
	}
	if l.is(t.session) && x.ReqT > l.gone { // A 404 before, as to a GET, was about something else.
		l.gone, l.kept, l.lost = 0, nil, nil
	}
	if l.last = ev.T; t.isMessage() {
		l.path = pathOf(x.Request.Target)
	}
	if x.Request.Method == "GET" && x.Why == "client" && ev.Conn.OpenTrips == 0 {
		l.left = max(1, ev.T)
	}
}

// sessionWords are what an answer says of a session that it does not know.
var sessionWords = []string{"not found", "invalid", "expired", "unknown", "no valid", "not exist", "terminated", "closed", "not recogni", "missing", "required"}

// unknownSession reports whether an answer says that its session is unknown.
func unknownSession(t *trip) bool {
	text := bytes.ToLower([]byte(t.answer.text))
	if len(text) == 0 {
		text = bytes.ToLower(t.text)
	}
	if !bytes.Contains(text, []byte("session")) {
		return false
	}
	return slices.ContainsFunc(sessionWords, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// sessionRefused judges a refusal because of the session, and reports whether it is one.
func (c *httpConn) sessionRefused(ev *session.Event, t *trip, r session.Reporter) bool {
	x, l := ev.Trip, &c.session
	status := x.Response.Status
	if !c.legacy(ev, t) && (t.era == mcp.Modern || !l.agreed) || t.method == mcp.Initialize {
		return false
	}
	over := l.is(t.session) && l.deleted != 0 && x.ReqT > l.deleted
	switch {
	case t.session == nil && status == 400 && l.agreed && l.issued == 0 && unknownSession(t):
		f := sessionLate.At(ev, "%s was refused by 400 for lack of a session, although initialize was answered without Mcp-Session-Id%s", t.name(), said(t)).Graded(session.Error)
		f.Hint = "send Mcp-Session-Id with the result of initialize, or require none"
		r.Report(f.AtRow(t.Row).Keyed("never"))
	case t.session == nil:
		if status < 400 || status >= 500 || status == 400 || status == 401 || status == 403 || l.issued == 0 && !unknownSession(t) {
			return false
		}
		report(ev, t, r, sessionRequiredCode, "%s without Mcp-Session-Id was answered %d, should be 400", t.name(), status)
	case status == 404 && (t.answer.code == mcp.MethodNotFound || l.path != "" && pathOf(x.Request.Target) != l.path):
		return false // The method is unknown, or the path.
	case status == 404 && l.young(x, t):
		if l.gone = max(1, ev.T); !c.history.flapping {
			c.history.flapping = true
			f := sessionFlap.At(ev, "%s was answered 404 for %s, %s after its begin%s", t.name(), nick(t.session), rule.FormatDuration(x.ReqT-l.issued), said(t)).Graded(session.Error)
			f.Hint = manyProcesses
			r.Report(f.AtRow(t.Row).Keyed("young"))
		}
	case status == 404:
		c.refusedSession(ev, t, r)
		return x.Response.MediaType() != "text/html"
	case over && status < 300:
		report(ev, t, r, sessionAlive, "%s was answered %d in %s, which was ended by DELETE %s before", t.name(), status, nick(t.session), rule.FormatDuration(x.ReqT-l.deleted))
	case status == 401 || status == 403 || status < 400 && t.answer.errors == 0, !over && !unknownSession(t):
		return false
	default:
		l.refused = l.refused || l.is(t.session)
		f := sessionExpiredCode.At(ev, "%s was answered %d for %s, must be 404%s", t.name(), status, nick(t.session), said(t)).AtRow(t.Row)
		if f.Key = "code"; l.young(x, t) {
			f.Hint += "; as it has just begun, " + manyProcesses
		}
		r.Report(f)
	}
	return true
}

// manyProcesses is the hint where a session is unknown that has just begun.
const manyProcesses = "several processes may serve the URL, each with sessions of its own: run one, send each session to its process (sticky sessions), or share the sessions"

// young reports whether a session is unknown that has just begun.
func (l *life) young(x *session.Trip, t *trip) bool {
	return l.is(t.session) && l.issued != 0 && l.deleted == 0 && x.ReqT-l.issued <= youngWithin && unknownSession(t)
}

// refusedSession takes a 404 for a session.
func (c *httpConn) refusedSession(ev *session.Event, t *trip, r session.Reporter) {
	l, x := &c.session, ev.Trip
	if !l.is(t.session) || l.deleted != 0 {
		return
	}
	if t.isRequest() {
		l.calls++
	}
	if l.gone != 0 {
		return
	}
	l.gone = max(1, ev.T)
	if l.last != 0 {
		c.history.flap(ev, l.id, x.ReqT-l.last, r)
	}
	if !t.isRequest() || t.ours {
		return
	}
	f := sessionLostCall.At(ev, "%s was lost: %s was answered 404, and the client did not initialize again within %s", t.name(), nick(l.id), rule.FormatDuration(renewWithin))
	l.lost = &f
	r.At(ev.T+renewWithin, ev.Conn.ID, session.TimerKey{Rule: sessionLostCall.ID})
}

// lostCall reports a call that was lost with its session, unless the client began again.
func (c *httpConn) lostCall(r session.Reporter) {
	if l := &c.session; l.lost != nil && l.kept == nil && c.history.initialized < l.gone {
		r.Report(l.lost.Since(l.gone))
	}
	c.session.lost = nil
}

// keptSession reports that a client went on with a session that was gone.
func (c *httpConn) keptSession(r session.Reporter) {
	l := &c.session
	if l.kept == nil || l.kept.Rule == "" {
		return
	}
	l.kept.Message = fmt.Sprintf("client kept %s for %s after its 404; %s lost", nick(l.id), rule.FormatDuration(l.keptT-l.gone), calls(l.calls))
	r.Report(l.kept.Since(l.gone))
	l.kept.Rule = "" // It is reported.
}

// calls writes a number of calls.
func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return strconv.Itoa(n) + " calls"
}

// deleted judges the response to a DELETE.
func (c *httpConn) deleted(ev *session.Event, t *trip, r session.Reporter) {
	x, l := ev.Trip, &c.session
	switch status := x.Response.Status; {
	case c.revision(ev, t).Era() == mcp.Modern:
		report(ev, t, r, legacyArtifacts, "the client sent DELETE, which 2026-07-28 does not have")
	case status < 300:
		if l.is(t.session) && l.deleted == 0 {
			l.deleted = max(1, ev.T)
		}
	case l.refused, status == 404, status == 405, status == 401, status == 403, status == 429, status >= 300 && status < 400, status == 500, status > 501:
	default:
		report(ev, t, r, sessionDeleteStatus, "DELETE of %s was answered %d", nick(t.session), status)
	}
}

// over judges the end of the connection.
func (c *httpConn) over(ev *session.Event, r session.Reporter) {
	l := &c.session
	c.keptSession(r)
	c.noOldStream(r)
	if l.issued != 0 && l.deleted == 0 && l.gone == 0 && l.left != 0 && ev.T-l.left >= leftOpen && !ev.Conn.Ours {
		r.Report(sessionNotDeleted.At(ev, "the client left %s without DELETE", nick(l.id)))
	}
	c.history.leave(c)
}

// timer takes a time that was requested.
func (c *httpConn) timer(ev *session.Event, r session.Reporter) {
	switch ev.Timer.Rule {
	case sessionNotRenewed.ID:
		c.keptSession(r)
	case sessionLostCall.ID:
		c.lostCall(r)
	case htmlBody.ID:
		c.noOldStream(r)
	case prmMissing.ID:
		c.history.noLogin(ev, r)
	case notEnded.ID, noKeepalive.ID, disconnectAsCancel.ID:
		c.streamTimer(ev, r)
	}
}
