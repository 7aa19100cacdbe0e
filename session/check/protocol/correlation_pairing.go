package protocol

import (
	"fmt"

	"bytes"
	"slices"
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// correlationConn judges how requests and responses belong together, and how
// long responses take.
//
// One fault causes one finding. The finding that explains the other comes
// first:
//
//	the server ended, or closed its stdout    the process rules; not unanswered-request, request-never-answered
//	the server does not read its stdin        server-not-reading; not unanswered-request
//	the first answer of a process             slow-startup; not slow-response, late-response
//	an answer that only the end brought out   stdout-buffering; not slow-response, late-response
//	a probe that is not answered              server-silent-on-probe; not unanswered-request
//	an answer that could not be read          the framing rules; not unanswered-request, request-never-answered
//	an answer to a notification               response-to-notification; not orphan-response, null-response-id
//	unanswered-request was reported           not late-response, request-never-answered
//	late-response                             not slow-response
//	response-after-cancel                     not late-response, unanswered-request if it comes soon
//
// A missing response is not reported if the sender did not wait for it: if it
// cancelled the request early, or ended the connection while the request was in
// flight and may take its time.
type correlationConn struct {
	cause rule.Unsolicited
	end   rule.Ending
	wait  waiting
	begun bool // begun: over HTTP, the client sent initialize.

	respells [2]bool // respells: that side writes ids in another spelling, by stream.

	refused []string // refused are the ids of the latest requests that HTTP has refused.
}

// Check implements session.Checker.
func (conn *correlationConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Conn.Ended && ev.Kind != session.ExchangeGone && ev.Kind != session.ConnEnded {
		return
	}
	switch ev.Kind {
	case session.FrameSeen:
		conn.frame(ev.Frame)
	case session.FrameGrew:
		conn.cause.Grew(ev.Frame)
	case session.MessageSeen:
		conn.message(ev, r)
		conn.cause.Message(ev)
	case session.ExchangeLate:
		conn.wait.again(ev, r, ev.Exchange) // It gets some more time.
	case session.Timer:
		if ev.Timer.Rule == UnansweredRequest.ID {
			conn.wait.expired(ev, r, &conn.end)
		}
	case session.IOSeen, session.ProcSeen:
		conn.end.Note(ev)
		conn.wait.deaf = conn.wait.deaf || ev.Kind == session.IOSeen && ev.Stream == session.C2S && ev.IO.Event == "closed" && ev.IO.Side == "server"
	case session.ExchangeGone:
		switch {
		case ev.Trip != nil:
			conn.refuse(ev.Trip, ev.Exchange)
			conn.wait.closed(ev, r)
		case ev.Conn.Trips == 0: // The end of a recording says nothing of a round trip.
			conn.wait.gone(ev)
		}
	case session.ConnEnded:
		conn.wait.ended(ev, r, &conn.end)
	}
}

// jsonrpcWord is in every message, even a malformed one.
var jsonrpcWord = []byte("jsonrpc")

// frame records what could not be read: it may contain a response.
func (conn *correlationConn) frame(f *session.Frame) {
	if f.Stream == session.Stderr || f.Part || f.Text.Syntax == jsonrpc.Complete && f.Text.Emitted > 0 {
		return
	}
	conn.cause.Frame(f)
	// It may be in UTF-16, or quoted in a way that JSON does not allow.
	if bytes.Contains(rule.WithoutZeros(f.Head), jsonrpcWord) {
		conn.wait.garbled[f.Stream] = max(1, f.T)
	}
}

func (conn *correlationConn) message(ev *session.Event, r session.Reporter) {
	m := ev.Message
	switch m.Kind {
	case jsonrpc.Request:
		conn.begun = conn.begun || ev.Method != nil && ev.Method.Name == mcp.Initialize
		if ev.Exchange != nil && ev.Frame.Way != session.WayOut && !noAnswer(ev.Conn, ev.Exchange) {
			conn.reuse(ev, r)
		}
	case jsonrpc.Notification:
		if ev.Exchange != nil {
			conn.wait.cancelled(ev, r, &conn.end)
		}
	case jsonrpc.Result, jsonrpc.Error:
		if ev.Frame.Way != session.WayOut && rule.IsMessage(m) {
			conn.response(ev, r)
		}
		if ev.Exchange != nil {
			conn.refuse(ev.Frame.Trip, ev.Exchange)
			conn.wait.answered(ev, r)
		}
	case jsonrpc.Invalid:
	}
}

// maxRefused is how many refused requests are known.
const maxRefused = 16

// refuse notes a request that HTTP has refused, perhaps with an error in the body.
func (conn *correlationConn) refuse(t *session.Trip, x *session.Exchange) {
	if t != nil && t.Response != nil && t.Response.Status >= 300 {
		rule.Push(&conn.refused, x.ID, maxRefused)
	}
}

// reuse judges the id of a request. What HTTP has refused, by a redirect or for want of a
// token, may be sent again as it is.
func (conn *correlationConn) reuse(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	if i := slices.Index(conn.refused, x.ID); i >= 0 && ev.Match == session.MatchReused {
		conn.refused = slices.Delete(conn.refused, i, i+1)
		return
	}
	if rule.OverHTTP(ev) && (ev.Frame.Stream == session.S2C || !inSession(ev.Frame.Trip)) {
		return // Several clients may look like one, and a server's request may be sent again or on two streams.
	}
	switch ev.Match {
	case session.MatchClash:
		r.Report(duplicateRequestID.At(ev, "%s has the id %s of a request that is still waiting", rule.NameOf(x), rule.Short([]byte(x.ID))))
	case session.MatchReused:
		// In the legacy era "the request ID MUST NOT have been previously used
		// by the requestor within the same session". A session begins with
		// initialize: an id that a probe used before does not count.
		if x.Era == mcp.Legacy && x.Method != mcp.Initialize {
			r.Report(duplicateRequestID.At(ev, "%s has the id %s, which was used before in this session", rule.NameOf(x), rule.Short([]byte(x.ID))))
		}
	}
}

// inSession reports whether a request of HTTP carries the id of its session.
func inSession(t *session.Trip) bool {
	_, ok := t.Request.Field("Mcp-Session-Id")
	return ok
}

// response judges which request a response answers. Over HTTP, the rules for HTTP judge a
// response by its round trip.
func (conn *correlationConn) response(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	if t := ev.Frame.Trip; t != nil && ev.Frame.Stream == session.S2C {
		unasked := ev.Match == session.MatchNone || ev.Match == session.MatchOrphan
		again := ev.Match == session.MatchDuplicate && (t.Request.Method != "POST" || x.ReqT < t.ReqT)
		if unasked {
			conn.respelled(ev, r)
		}
		if unasked || again {
			return
		}
	}
	switch ev.Match {
	case session.MatchNone:
		conn.nameless(ev, r)
	case session.MatchOrphan:
		conn.orphan(ev, r)
	case session.MatchType:
		r.Report(idTypeMismatch.At(ev, "%s has the id %s, its response the id %s", rule.NameOf(x), rule.Short([]byte(x.ID)), rule.RawText(&ev.Message.ID)))
	case session.MatchDuplicate:
		if conn.unknownNotification(ev) {
			conn.answeredNotification(ev, r, "with the id "+rule.RawText(&ev.Message.ID)+" of an earlier request")
			return
		}
		r.Report(duplicateResponse.At(ev, "%s answered %s (id %s) twice", rule.Writer(ev), rule.NameOf(x), rule.RawText(&ev.Message.ID)))
	case session.MatchCancelled:
		reportCancelled(ev, r)
	}
}

// nameless judges a response whose id cannot name a request.
func (conn *correlationConn) nameless(ev *session.Event, r session.Reporter) {
	if conn.cause.Of(ev) != rule.ByNotification {
		return // null-response-id and invalid-id-type report the others.
	}
	switch ev.Message.ID.Type {
	case jsonrpc.Null:
		conn.answeredNotification(ev, r, "with the id null")
	case jsonrpc.Absent:
		conn.answeredNotification(ev, r, "without an id")
	}
}

func (conn *correlationConn) answeredNotification(ev *session.Event, r session.Reporter, how string) {
	what := "a result"
	if ev.Message.Kind == jsonrpc.Error {
		what = "an error"
	}
	f := responseToNotification.At(ev, "%s answered a notification with %s %s", rule.Writer(ev), what, how)
	if f.Fault == session.Server && !rule.UsableID(&ev.Message.ID) {
		f.Breaks = rule.BreaksNameless(ev)
	}
	r.Report(f)
}

// unknownNotification reports whether a second response to an id is actually
// the answer to a notification, from a program that uses 0 or the last id if
// there is none.
func (conn *correlationConn) unknownNotification(ev *session.Event) bool {
	s := &conn.cause.Side[ev.Frame.Stream.Reverse()]
	code, ok := ev.Message.Field(jsonrpc.ErrorCode).Int()
	return ok && code == mcp.MethodNotFound && s.Pending && s.Latest && ev.Exchange.Resp != session.NoRow && ev.Exchange.RespT < s.Notification
}

// orphan judges a response to an id that was never used.
func (conn *correlationConn) orphan(ev *session.Event, r session.Reporter) {
	id := &ev.Message.ID
	if rule.OverHTTP(ev) && (ev.Conn.Phase != session.PhaseLegacy || !conn.begun) {
		return // The server may have asked before the recording began; 2026-07-28 has no such response at all.
	}
	s := &conn.cause.Side[ev.Frame.Stream.Reverse()]
	switch {
	case s.Unreadable > 0:
		// The request may be in something that could not be read.
	case !rule.UsableID(id):
		// invalid-id-type reports it.
	case conn.respells[ev.Frame.Stream] && bytes.ContainsAny(id.Raw, ".eE"):
		// A cancelled request may have had this id.
	case s.Pending && s.Latest:
		conn.answeredNotification(ev, r, "with the id "+rule.Short(id.Raw)+", which no request used")
	default:
		if conn.respelled(ev, r) {
			return
		}
		r.Report(orphanResponse.At(ev, "%s sent a response with the id %s, which no request used", rule.Writer(ev), rule.Short(id.Raw)))
	}
}

// respelled judges a response whose id is that of a request in another spelling, and
// reports whether it is.
func (conn *correlationConn) respelled(ev *session.Event, r session.Reporter) bool {
	id := &ev.Message.ID
	x := sameNumber(ev.Conn.Open[ev.Frame.Stream.Reverse()], id)
	if x != nil {
		conn.respells[ev.Frame.Stream] = true
		conn.wait.excuse(x.Req)
		r.Report(idTypeMismatch.At(ev, "%s has the id %s, its response the id %s", rule.NameOf(x), rule.Short([]byte(x.ID)), rule.Short(id.Raw)).Graded(session.Warning))
	}
	return x != nil
}

// sameNumber returns the exchange whose id is the same number in another
// spelling, such as 1 and 1.0.
func sameNumber(open []*session.Exchange, id *jsonrpc.Value) *session.Exchange {
	want, err := strconv.ParseFloat(string(id.Raw), 64)
	if id.Type != jsonrpc.Number || err != nil {
		return nil
	}
	for _, x := range scanned(open) {
		if got, err := strconv.ParseFloat(x.ID, 64); err == nil && got == want {
			return x
		}
	}
	return nil
}

// scanned returns the open exchanges that are compared one by one.
func scanned(open []*session.Exchange) []*session.Exchange {
	return open[:min(len(open), rule.MaxScan)]
}

// Within this time a response and a cancellation may cross on the wire.
const (
	cancelRace       = int64(time.Second)
	modernCancelRace = int64(100 * time.Millisecond)
)

// reportCancelled judges the answer to a request that was cancelled.
func reportCancelled(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	// Cancelling initialize has no effect, and a listen ends with a response, a
	// cancellation, or both.
	if x.Method == mcp.Initialize || x.Method == mcp.SubscriptionsListen {
		return
	}
	after := ev.Frame.T1 - x.Cancel
	if after <= 0 {
		return // The response had begun before.
	}
	f := responseAfterCancel.At(ev, "%s was answered %s after it was cancelled", rule.NameOf(x), rule.FormatDuration(after))
	if limit := rule.TimeoutOf(ev.Conn, x.Method); x.Cancel-x.ReqT >= limit-limit/20 {
		f.Message += fmt.Sprintf(": it took %s, the limit was %s", rule.FormatDuration(ev.Frame.T1-x.ReqT), rule.FormatDuration(limit))
		f.Hint = "answer within the limit, or send progress; a client that may wait longer needs a longer timeout (--timeout here)"
	}
	race := cancelRace
	if x.Era == mcp.Modern {
		race = modernCancelRace
	}
	if after > race {
		f.Severity, f.Key = session.Warning, "late"
	}
	r.Report(f)
}
