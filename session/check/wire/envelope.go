package wire

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

var Envelope = rule.Family{
	Name:  "envelope",
	Title: "JSON-RPC envelope",
	Rules: []*rule.Rule{
		MissingJSONRPC, unknownTopLevelKey,
		ResultAndError, ResponseEmpty, ResultNotObject, ErrorShape, errorCodeZero,
		NullRequestID, InvalidIDType, idPrecisionLoss, NullResponseID,
		paramsNotObject, notificationWithID, requestWithoutID,
		BatchNotSupported, BatchInvalid,
	},
	New: func() session.Checker { return &envelopeConn{} },
}

var MissingJSONRPC = &rule.Rule{
	ID:       "missing-jsonrpc",
	Alone:    true,
	Severity: session.Error,
	Title:    `message without "jsonrpc":"2.0"`,
	Explain: "Every message must have the member jsonrpc with the string 2.0. The TypeScript and Python SDKs drop a message without it, so that the " +
		"request times out. The Go SDK closes the connection.",
	Hint: `add "jsonrpc":"2.0" to every message`,
	Refs: rule.MessageRefs(),
}

var unknownTopLevelKey = &rule.Rule{
	ID:       "unknown-top-level-key",
	Alone:    true,
	Severity: session.Warning,
	Title:    "unknown top-level member in a message",
	Explain: "A message has jsonrpc, id, and either method and params, or result, or error. The specification does not forbid other members, but the " +
		"TypeScript SDKs validate strictly and drop the message, so that the request times out.",
	Hint: "remove the member; put additional data into params, result, or their _meta",
	Refs: rule.MessageRefs(),
}

var ResultAndError = &rule.Rule{
	ID:       "result-and-error",
	Alone:    true,
	Severity: session.Error,
	Title:    "response with both result and error",
	Explain: `A response has exactly one of the two. A null value counts as present: "error":null beside a result is also a fault. The TypeScript SDKs ` +
		"and rmcp drop such a response and the request times out. The Go and Python SDKs take the error, or the result if the error is null.",
	Hint: "omit the unused member instead of setting it to null",
	Refs: rule.ResponseRefs(),
}

var ResponseEmpty = &rule.Rule{
	ID:       "response-empty",
	Alone:    true,
	Severity: session.Error,
	Title:    "message with an id, but without method, result or error",
	Explain:  "A response without result and error answers nothing. A result without content is an empty object, not an absent member.",
	Hint:     `send "result":{} if there is nothing to return`,
	Refs:     rule.ResponseRefs(),
}

var ResultNotObject = &rule.Rule{
	ID:       "result-not-object",
	Alone:    true,
	Severity: session.Error,
	Title:    "result must be an object",
	Explain:  "Every result in MCP is an object. JSON-RPC itself allows null, an array or a string, but MCP peers reject them.",
	Hint:     `send an object, "result":{} if there is nothing to return`,
	Refs:     rule.ResponseRefs(),
}

var ErrorShape = &rule.Rule{
	ID:       "error-shape",
	Alone:    true,
	Severity: session.Error,
	Title:    "error without an integer code or a message string",
	Explain:  "An error is an object with an integer code and a string message; data is optional. Peers that decode errors into types fail on anything else.",
	Hint:     `send "error":{"code":-32603,"message":"…"}, with details in data`,
	Refs:     rule.ErrorRefs(),
}

var errorCodeZero = &rule.Rule{
	ID:       "error-code-zero",
	Alone:    true,
	Severity: session.Warning,
	Title:    "error code is 0",
	Explain: "Zero is the default value of a variable: an unhandled exception was probably turned into a response. The receiver cannot distinguish an " +
		"unknown method from a crash.",
	Hint: "use a meaningful code: -32601 for an unknown method, -32602 for invalid params, -32603 for an internal error",
	Refs: rule.ErrorRefs(),
}

var NullRequestID = &rule.Rule{
	ID:       "null-request-id",
	Alone:    true,
	Severity: session.Error,
	Title:    "request id is null",
	Explain:  "Unlike JSON-RPC, MCP forbids null as a request id. Peers treat the request as a notification, or send a response that matches nothing.",
	Hint:     "use strings or integers as request ids; omit the id only in notifications",
	Refs:     rule.RequestRefs(),
}

var InvalidIDType = &rule.Rule{
	ID:       "invalid-id-type",
	Alone:    true,
	Severity: session.Error,
	Title:    "id is neither a string nor an integer",
	Explain:  "Fractions, booleans, arrays and objects are not valid ids. Peers reject such a message, or cannot match the response to its request.",
	Hint:     "use a string or an integer",
	Refs:     rule.RequestRefs(),
}

var idPrecisionLoss = &rule.Rule{
	ID:       "id-precision-loss",
	Alone:    true,
	Severity: session.Warning,
	Title:    "integer id or progress token exceeds 2^53-1",
	Explain:  "JavaScript and many other peers store numbers as 64-bit floats. A larger integer loses precision, and the response then matches no request.",
	Hint:     "count ids up from 1, or use strings",
	Refs:     rule.RequestRefs(),
}

var NullResponseID = &rule.Rule{
	ID: "null-response-id", Severity: session.Warning,
	Title: "response does not name the request that it answers",
	Explain: "The id of a response is the id of its request. JSON-RPC uses null if the request could not be read. MCP does not allow null; from 2025-11-25 " +
		"on, an error response may omit the id in that case. Such an error after a line that could not be read is not reported. A result without an id is always a fault. The Go SDK closes the connection when an error " +
		"has a null id.",
	Hint: "echo the id of the request; omit it only if the request could not be read",
	Refs: rule.ResponseRefs(),
}

var paramsNotObject = &rule.Rule{
	ID:       "params-not-object",
	Alone:    true,
	Severity: session.Error,
	Title:    "params must be an object",
	Explain:  "JSON-RPC allows an array of parameters, MCP does not: params is an object or absent. null is not an object.",
	Hint:     "send an object, or omit params",
	Refs:     rule.RequestRefs(),
}

var notificationWithID = &rule.Rule{
	ID:       "notification-with-id",
	Alone:    true,
	Severity: session.Error,
	Title:    "notification with an id",
	Explain:  `With an id the message is a request: the receiver sends a response, usually "method not found", and does not process the notification.`,
	Hint:     "omit the id",
	Refs:     rule.NotificationRefs(),
}

var requestWithoutID = &rule.Rule{
	ID:       "request-without-id",
	Alone:    true,
	Severity: session.Error,
	Title:    "request without an id",
	Explain:  "Without an id the message is a notification: the receiver never responds, and the sender waits in vain.",
	Hint:     "add an id, a string or an integer that is not in use",
	Refs:     rule.RequestRefs(),
}

var BatchNotSupported = &rule.Rule{
	ID:       "batch-not-supported",
	Alone:    true,
	Severity: session.Error,
	Title:    "messages sent as a batch",
	Explain: "Batches (arrays of messages) exist only in revision 2025-03-26. The TypeScript SDKs, the Python SDKs and rmcp drop a whole batch; the Go " +
		"SDK accepts it, which hides the fault. 2024-11-05 does not mention batches, so this is a warning in that revision.",
	Hint: "send each message by itself",
	Refs: []rule.Ref{{Since: mcp.V3, Until: mcp.V4, Page: "basic/transports", Anchor: "stdio"}, {Since: mcp.V5, Page: "basic/transports/stdio"}},
}

var BatchInvalid = &rule.Rule{
	ID:       "batch-invalid",
	Alone:    true,
	Severity: session.Error,
	Since:    mcp.V2,
	Until:    mcp.V2,
	Title:    "batch is empty or contains initialize",
	Explain: "A batch has at least one message. initialize must not be part of a batch, because until it is answered the client cannot know whether the " +
		"server supports batches.",
	Hint: "send initialize by itself, and no empty batches",
	Refs: []rule.Ref{{Since: mcp.V2, Until: mcp.V2, Page: "basic", Anchor: "batching"}},
}

// batches judges batches. Whether they are allowed is known only once the
// revision is known; earlier ones wait.
type batches struct {
	sent  [2]bool // sent: that side sent a batch.
	seen  rule.RowMark
	early []earlyBatch
}

// earlyBatch is a batch that came before the revision was known.
type earlyBatch struct {
	allowed session.Finding // allowed is the finding if batches are allowed; without a rule if there is none.
	other   session.Finding
}

// maxEarly bounds the batches that wait; more of them are not reported.
const maxEarly = 4

// frame judges an empty batch.
func (b *batches) frame(ev *session.Event, r session.Reporter) {
	if f := ev.Frame; f.Text.Syntax == jsonrpc.Complete && f.Text.Batches == 1 && BatchInvalid.In(rule.Version(ev)) {
		r.Report(BatchInvalid.At(ev, "%s sent an empty batch", rule.Writer(ev)))
	}
}

// message judges the batch of a message, at its first message, and those that
// wait.
func (b *batches) message(ev *session.Event, r session.Reporter) {
	if len(b.early) > 0 {
		b.settle(ev.Conn.Version, r)
	}
	if ev.Message.Elem < 0 || rule.OverHTTP(ev) && !(ev.Frame.Stream == session.S2C && ev.Frame.Trip.Events()) {
		return // The rules for HTTP judge what a body must be.
	}
	initialize := ev.Method != nil && ev.Method.Name == mcp.Initialize && ev.Message.Kind == jsonrpc.Request
	from := ev.Frame.Stream
	first := b.seen.Put(ev.Frame.Row)
	if !first && !initialize {
		return
	}
	// Requests in a batch are answered in a batch.
	if b.sent[from.Reverse()] && !b.sent[from] && ev.Message.Kind.Response() {
		return
	}
	b.sent[from] = true
	e := earlyBatch{other: BatchNotSupported.At(ev, "%s sent messages as a batch", rule.Writer(ev))}
	if initialize {
		e.allowed = BatchInvalid.At(ev, "%s sent initialize within a batch", rule.Writer(ev))
	}
	if !first {
		e.other = session.Finding{}
	}
	if v := rule.Version(ev); v != mcp.NoVersion {
		e.report(v, r)
	} else if len(b.early) < maxEarly {
		b.early = append(b.early, e)
	}
}

// settle judges the batches that wait, once the revision is known.
func (b *batches) settle(v mcp.Version, r session.Reporter) {
	if v == mcp.NoVersion {
		return
	}
	for i := range b.early {
		b.early[i].report(v, r)
	}
	b.early = nil
}

func (e *earlyBatch) report(v mcp.Version, r session.Reporter) {
	f := e.other
	switch {
	case v == mcp.V2:
		f = e.allowed
		f.Ref = BatchInvalid.Ref(v)
	case v < mcp.V2:
		f.Severity = session.Warning
	default:
		f.Ref = BatchNotSupported.Ref(v)
	}
	if f.Rule != "" {
		r.Report(f)
	}
}
