package wire

import (
	"strconv"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// envelopeChecker judges messages as JSON-RPC: their members, types and ids. It
// looks at values that are meant as messages and stand on a line that could be
// read; the others belong to the framing rules.
//
// A fault hides the faults that follow from it: a response with result and error
// is not judged by its error, a notification with an id not by the id, a message
// without "jsonrpc" still is.
type envelopeChecker struct {
	conns rule.PerConn[envelopeConn]
}

// envelopeConn is what is remembered of a connection, by stream where there are
// two of a kind.
type envelopeConn struct {
	keys  [2]rule.KeySet
	oddID [2]bool // oddID: that side sent a request whose id no answer can carry properly.
	cause rule.Provocations
	batch batches
}

// Check implements session.Checker.
func (c *envelopeChecker) Check(ev *session.Event, r session.Reporter) {
	switch ev.Kind {
	case session.FrameSeen:
		f := ev.Frame
		if f.Stream == session.Stderr || f.Part {
			return
		}
		if f.Text.Syntax != jsonrpc.Complete || f.Text.Emitted == 0 {
			conn := c.conns.Get(ev.Conn.ID)
			conn.cause.Frame(f)
			if f.Way != session.WayOut {
				conn.batch.frame(ev, r)
			}
		}
	case session.MessageSeen:
		if s := ev.Frame.Text.Syntax; s != jsonrpc.Complete && s != jsonrpc.Trailing || ev.Frame.Stream == session.Stderr {
			return
		}
		conn := c.conns.Get(ev.Conn.ID)
		if ev.Frame.Way != session.WayOut && rule.IsMessage(ev.Message) {
			conn.message(ev, r)
		}
		conn.cause.Message(ev)
	case session.ConnEnded:
		c.conns.Drop(ev.Conn.ID)
	case session.FrameGrew:
		c.conns.Get(ev.Conn.ID).cause.Grew(ev.Frame)
	case session.FrameStalled, session.ExchangeLate, session.ExchangeGone, session.IOSeen, session.ProcSeen, session.Timer:
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
		r.Report(ResponseEmpty.At(ev, "%s sent a response without result and error, id %s", rule.Writer(ev), rule.RawText(&m.ID)))
	}
}

func reportVersion(ev *session.Event, r session.Reporter) {
	v := &ev.Message.Version
	if !v.Present() {
		r.Report(MissingJSONRPC.At(ev, "%s sent a message without \"jsonrpc\": %s", rule.Writer(ev), rule.Describe(ev)))
		return
	}
	r.Report(MissingJSONRPC.At(ev, "%s sent a message with \"jsonrpc\":%s: %s", rule.Writer(ev), rule.RawText(v), rule.Describe(ev)))
}

// stray reports a member at the top of a message that does not belong there.
func (conn *envelopeConn) stray(ev *session.Event, r session.Reporter, key string) {
	f := unknownTopLevelKey.At(ev, "%s has the member %s at its top", rule.Describe(ev), rule.Excerpt([]byte(key)))
	f.Key = conn.keys[ev.Frame.Stream].Key(key)
	r.Report(f)
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

// maxSafe is the largest integer that a float64 tells from its neighbours.
const maxSafe = 1<<53 - 1

// request judges the ids of a request.
func (conn *envelopeConn) request(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if len(m.Method.Raw) > 15 && string(m.Method.Raw[:15]) == `"notifications/` {
		conn.oddID[ev.Frame.Stream] = true
		r.Report(notificationWithID.At(ev, "%s sent %s with the id %s", rule.Writer(ev), rule.MethodName(m), rule.RawText(&m.ID)))
		return
	}
	small := false // small: the id is an integer that every peer can keep, as nearly always.
	if n, ok := m.ID.Int(); ok {
		small = n <= maxSafe && n >= -maxSafe
	}
	switch {
	case small:
	case m.ID.Type == jsonrpc.Null:
		r.Report(nullRequestID.At(ev, "%s sent the request %s with the id null", rule.Writer(ev), rule.MethodName(m)))
	case !rule.UsableID(&m.ID):
		conn.oddID[ev.Frame.Stream] = true
		r.Report(InvalidIDType.At(ev, "%s sent the request %s with an id that is %s: %s", rule.Writer(ev), rule.MethodName(m), idType(m), rule.RawText(&m.ID)))
	case tooBig(&m.ID):
		r.Report(idPrecisionLoss.At(ev, "%s sent the request %s with the id %s", rule.Writer(ev), rule.MethodName(m), rule.RawText(&m.ID)))
	}
	if token := m.Field(jsonrpc.MetaProgressToken); token.Type == jsonrpc.Number && tooBig(token) {
		f := idPrecisionLoss.At(ev, "%s sent the request %s with the progress token %s", rule.Writer(ev), rule.MethodName(m), rule.RawText(token))
		f.Key = "token"
		r.Report(f)
	}
}

// tooBig reports whether a number is an integer beyond what every peer can
// keep.
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
		r.Report(ResultAndError.At(ev, "%s has %s", rule.Describe(ev), what))
	case m.Kind == jsonrpc.Error:
		reportError(ev, r)
	case m.Result.Type != jsonrpc.Object:
		r.Report(ResultNotObject.At(ev, "the result of %s is %s", rule.Describe(ev), rule.TypeName(m.Result.Type)))
	}
	switch m.ID.Type {
	case jsonrpc.Null, jsonrpc.Absent:
		conn.nameless(ev, r)
	case jsonrpc.Bool, jsonrpc.Number, jsonrpc.String, jsonrpc.Array, jsonrpc.Object:
		// Who is asked with such an id can only answer with it.
		if ev.Exchange == nil && !rule.UsableID(&m.ID) && !conn.oddID[ev.Frame.Stream.Reverse()] {
			r.Report(InvalidIDType.At(ev, "%s sent a response with an id that is %s: %s", rule.Writer(ev), idType(m), rule.RawText(&m.ID)))
		}
	}
}

// nameless judges a response without an id that says what it answers.
func (conn *envelopeConn) nameless(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if conn.cause.Of(ev) == rule.ByNotification {
		return // response-to-notification says more.
	}
	what := "with the id null"
	if m.ID.Type == jsonrpc.Absent {
		what = "without an id"
	}
	switch {
	case m.Result.Type != jsonrpc.Absent:
		f := NullResponseID.At(ev, "%s sent a result %s", rule.Writer(ev), what)
		f.Severity = session.Error
		r.Report(f)
	case m.ID.Type == jsonrpc.Null:
		r.Report(NullResponseID.At(ev, "%s sent an error %s: %s", rule.Writer(ev), what, rule.RawText(m.Field(jsonrpc.ErrorMessage))))
	}
}

// reportError judges the error of a response.
func reportError(ev *session.Event, r session.Reporter) {
	m := ev.Message
	code, text := m.Field(jsonrpc.ErrorCode), m.Field(jsonrpc.ErrorMessage)
	switch {
	case m.Error.Type != jsonrpc.Object:
		r.Report(ErrorShape.At(ev, "the error of %s is %s", rule.Describe(ev), rule.TypeName(m.Error.Type)))
	case !code.Present():
		r.Report(ErrorShape.At(ev, "the error of %s has no code", rule.Describe(ev)))
	case !rule.IsInteger(code):
		r.Report(ErrorShape.At(ev, "the error of %s has the code %s, which is not an integer", rule.Describe(ev), rule.RawText(code)))
	case !text.Present():
		r.Report(ErrorShape.At(ev, "the error of %s has no message", rule.Describe(ev)))
	case text.Type != jsonrpc.String:
		r.Report(ErrorShape.At(ev, "the message of the error of %s is %s", rule.Describe(ev), rule.TypeName(text.Type)))
	default:
		// A legacy server may answer the probe with any error at all, and nobody
		// reads the answer to what was cancelled: the Python SDK 1 gives it code 0.
		probe := ev.Method != nil && ev.Method.Name == mcp.ServerDiscover
		if n, ok := code.Int(); ok && n == 0 && !probe && ev.Match != session.MatchCancelled {
			r.Report(errorCodeZero.At(ev, "%s has the error code 0: %s", rule.Describe(ev), rule.RawText(text)))
		}
	}
}

// idType names the type of an id that is none.
func idType(m *jsonrpc.Message) string {
	if m.ID.Type == jsonrpc.Number {
		return "a fraction"
	}
	return rule.TypeName(m.ID.Type)
}
