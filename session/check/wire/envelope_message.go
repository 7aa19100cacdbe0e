package wire

import (
	"fmt"
	"strconv"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// envelopeConn judges messages as JSON-RPC: their members, types and ids. It
// looks at values that are meant as messages and are on a line that could be
// read; the framing rules judge the others.
//
// A fault hides those that follow from it: a response with result and error is not
// judged by its error, a notification with an id not by the id. A message without
// "jsonrpc" is judged further.
//
// Arrays of two are indexed by stream.
type envelopeConn struct {
	keys  [2]rule.KeySet
	oddID [2]bool // oddID: that side sent a request with an id that no response can carry correctly.
	cause rule.Unsolicited
	batch batches
}

// Check implements session.Checker.
func (conn *envelopeConn) Check(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	if f == nil || f.Stream == session.Stderr {
		return
	}
	switch ev.Kind {
	case session.FrameSeen:
		if f.Part || f.Text.Syntax == jsonrpc.Complete && f.Text.Emitted > 0 {
			return
		}
		conn.cause.Frame(f)
		if f.Way != session.WayOut {
			conn.batch.frame(ev, r)
		}
	case session.MessageSeen:
		if s := f.Text.Syntax; s != jsonrpc.Complete && s != jsonrpc.Trailing {
			return
		}
		if f.Way != session.WayOut && rule.IsMessage(ev.Message) {
			conn.message(ev, r)
		}
		conn.cause.Message(ev)
	case session.FrameGrew:
		conn.cause.Grew(f)
	}
}

func (conn *envelopeConn) message(ev *session.Event, r session.Reporter) {
	m := ev.Message
	conn.batch.message(ev, r)
	if !m.Version.Is("2.0") {
		reportVersion(ev, r)
	}
	if m.UnknownKey != "" && m.Kind != jsonrpc.Invalid {
		conn.stray(ev, r, m.UnknownKey)
	}
	switch m.Kind {
	case jsonrpc.Request:
		conn.call(ev, r)
		conn.request(ev, r)
	case jsonrpc.Notification:
		conn.call(ev, r)
		if ev.Method != nil && !ev.Method.Notification {
			r.Report(requestWithoutID.At(ev, "%s sent the request %s without an id", rule.Writer(ev), rule.MethodName(m)))
		}
	case jsonrpc.Result, jsonrpc.Error:
		conn.answer(ev, r)
	case jsonrpc.Invalid:
		r.Report(responseEmpty.At(ev, "%s sent a response without result and error, id %s", rule.Writer(ev), rule.RawText(&m.ID)))
	}
}

func reportVersion(ev *session.Event, r session.Reporter) {
	how := "without \"jsonrpc\""
	if v := &ev.Message.Version; v.Present() {
		how = "with \"jsonrpc\":" + rule.RawText(v)
	}
	r.Report(missingJSONRPC.At(ev, "%s sent a message %s: %s", rule.Writer(ev), how, rule.Describe(ev)))
}

// stray reports an unknown top-level member of a message.
func (conn *envelopeConn) stray(ev *session.Event, r session.Reporter, key string) {
	f := unknownTopLevelKey.At(ev, "%s has the unknown top-level member %s", rule.Describe(ev), rule.Excerpt([]byte(key)))
	r.Report(f.Keyed(conn.keys[ev.Frame.Stream].Key(key)))
}

// call judges what requests and notifications have in common.
func (conn *envelopeConn) call(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if m.Error.Type != jsonrpc.Absent {
		conn.stray(ev, r, "error")
	}
	if m.Result.Type != jsonrpc.Absent {
		conn.stray(ev, r, "result")
	}
	if t := m.Params.Type; t != jsonrpc.Absent && t != jsonrpc.Object {
		r.Report(paramsNotObject.At(ev, "the params of %s are %s", rule.Describe(ev), rule.TypeName(t)))
	}
}

// maxSafe is the largest integer that a float64 distinguishes from its
// neighbours.
const maxSafe = 1<<53 - 1

// request judges the ids of a request.
func (conn *envelopeConn) request(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if len(m.Method.Raw) > 15 && string(m.Method.Raw[:15]) == `"notifications/` {
		conn.oddID[ev.Frame.Stream] = true
		r.Report(notificationWithID.At(ev, "%s sent %s with the id %s", rule.Writer(ev), rule.MethodName(m), rule.RawText(&m.ID)))
		return
	}
	switch n, ok := m.ID.Int(); {
	case ok && n <= maxSafe && n >= -maxSafe: // As in nearly all requests.
	case m.ID.Type == jsonrpc.Null:
		conn.oddID[ev.Frame.Stream] = true
		r.Report(NullRequestID.At(ev, "%s sent the request %s with the id null", rule.Writer(ev), rule.MethodName(m)))
	case !rule.UsableID(&m.ID):
		conn.oddID[ev.Frame.Stream] = true
		r.Report(invalidIDType.At(ev, "%s sent the request %s with an id that is %s: %s", rule.Writer(ev), rule.MethodName(m), idType(m), rule.RawText(&m.ID)))
	case tooBig(&m.ID):
		r.Report(idPrecisionLoss.At(ev, "%s sent the request %s with the id %s", rule.Writer(ev), rule.MethodName(m), rule.RawText(&m.ID)))
	}
	if token := m.Field(jsonrpc.MetaProgressToken); token.Type == jsonrpc.Number && tooBig(token) {
		r.Report(idPrecisionLoss.At(ev, "%s sent the request %s with the progress token %s", rule.Writer(ev), rule.MethodName(m), rule.RawText(token)).Keyed("token"))
	}
}

// tooBig reports whether a number is an integer that not every peer can
// represent.
func tooBig(v *jsonrpc.Value) bool {
	if v.Type != jsonrpc.Number {
		return false
	}
	if n, ok := v.Int(); ok {
		return n > maxSafe || n < -maxSafe
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return err != nil && v.Whole() || f > maxSafe || f < -maxSafe
}

// answer judges a response.
func (conn *envelopeConn) answer(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if m.Params.Type != jsonrpc.Absent {
		conn.stray(ev, r, "params")
	}
	switch {
	case m.Kind == jsonrpc.Error && m.Result.Type != jsonrpc.Absent:
		what := "both result and error"
		if m.Error.Type == jsonrpc.Null {
			what = "error:null beside its result"
		}
		r.Report(resultAndError.At(ev, "%s has %s", rule.Describe(ev), what))
	case m.Kind == jsonrpc.Error:
		reportError(ev, r)
	case m.Result.Type != jsonrpc.Object:
		f := resultNotObject.At(ev, "the result of %s is %s", rule.Describe(ev), rule.Described(ev, m.Result))
		if m.Result.Type == jsonrpc.Array && ev.Method != nil && ev.Method.Items != "" {
			f.Hint = fmt.Sprintf(`send {%q:[…]} instead of the bare array`, ev.Method.Items)
		}
		r.Report(f)
	}
	switch {
	case m.ID.Type == jsonrpc.Null, !m.ID.Present():
		conn.nameless(ev, r)
	case ev.Exchange == nil && !rule.UsableID(&m.ID) && !rule.Refused(ev) && !conn.oddID[ev.Frame.Stream.Reverse()]:
		// A request with such an id can only be answered with it.
		r.Report(invalidIDType.At(ev, "%s sent a response with an id that is %s: %s", rule.Writer(ev), idType(m), rule.RawText(&m.ID)))
	}
}

// nameless judges a response whose id is null or absent.
func (conn *envelopeConn) nameless(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if rule.Refused(ev) {
		return // http-error-id reports it.
	}
	switch conn.cause.Of(ev) {
	case rule.ByNotification:
		return // response-to-notification reports it.
	case rule.ByUnreadable:
		if m.Kind == jsonrpc.Error || m.ID.Type == jsonrpc.Null && conn.oddID[ev.Frame.Stream.Reverse()] {
			// "If there was an error in detecting the id in the Request object
			// (e.g. Parse error/Invalid Request), it MUST be Null" (JSON-RPC
			// 2.0, 5): the fault is what could not be read. The id null of a
			// request is echoed.
			return
		}
	}
	switch {
	case m.Result.Type != jsonrpc.Absent && m.ID.Type == jsonrpc.Absent:
		r.Report(nullResponseID.At(ev, "%s sent a result without an id", rule.Writer(ev)).Graded(session.Error))
	case m.Result.Type != jsonrpc.Absent:
		f := nullResponseID.At(ev, "%s sent a result with the id null", rule.Writer(ev)).Graded(session.Error)
		if conn.cause.Side[ev.Frame.Stream.Reverse()].Pending && m.Result.Len == int64(len("{}")) {
			f.Breaks = nil // It may answer the notification, which clients drop.
			f.Hint = "echo the id of the request, and do not answer notifications"
		}
		r.Report(f)
	case m.ID.Type == jsonrpc.Null:
		f := nullResponseID.At(ev, "%s sent an error with the id null: %s", rule.Writer(ev), rule.RawText(m.Field(jsonrpc.ErrorMessage)))
		if c := ev.Conn; !c.ServerLegacy && !c.ServerModern && !c.Initialized {
			f.Hint = "echo the id of the request; what is wrong at the start, before any request, goes to stderr"
		}
		r.Report(f)
	}
}

// reportError judges the error of a response.
func reportError(ev *session.Event, r session.Reporter) {
	m := ev.Message
	code, text := m.Field(jsonrpc.ErrorCode), m.Field(jsonrpc.ErrorMessage)
	said := ""
	if text.Type == jsonrpc.String {
		said = ": " + rule.RawText(text)
	}
	shape := func(what string) { r.Report(errorShape.At(ev, "the error of %s %s%s", rule.Describe(ev), what, said)) }
	switch {
	case m.Error.Type != jsonrpc.Object:
		shape("is " + rule.Described(ev, m.Error) + ", must be an object")
	case !code.Present():
		shape("has no code")
	case !rule.IsInteger(code):
		shape("has the code " + rule.RawText(code) + ", which is not an integer")
	case !text.Present():
		shape("has no message")
	case text.Type != jsonrpc.String:
		shape("has a message that is " + rule.Described(ev, text.Span) + ", must be a string")
	default:
		// A legacy server may answer the probe with any error, and the response
		// to a cancelled request is not read: the Python SDK 1 sends code 0.
		probe := ev.Method != nil && ev.Method.Name == mcp.ServerDiscover
		if n, ok := code.Int(); ok && n == 0 && !probe && ev.Match != session.MatchCancelled {
			r.Report(errorCodeZero.At(ev, "%s has the error code 0: %s", rule.Describe(ev), rule.RawText(text)))
		}
	}
}

// idType returns the type of an invalid id.
func idType(m *jsonrpc.Message) string {
	if m.ID.Type == jsonrpc.Number {
		return "a fraction"
	}
	return rule.TypeName(m.ID.Type)
}
