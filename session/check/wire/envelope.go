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
		missingJSONRPC, unknownTopLevelKey,
		resultAndError, responseEmpty, resultNotObject, errorShape, errorCodeZero,
		NullRequestID, invalidIDType, idPrecisionLoss, nullResponseID,
		paramsNotObject, notificationWithID, requestWithoutID,
		batchNotSupported, batchInvalid,
	},
	New: func() session.Checker { return &envelopeConn{} },
}

var missingJSONRPC = &rule.Rule{ID: "missing-jsonrpc", Alone: true, Severity: session.Error}
var unknownTopLevelKey = &rule.Rule{ID: "unknown-top-level-key", Alone: true, Severity: session.Warning}
var resultAndError = &rule.Rule{ID: "result-and-error", Alone: true, Severity: session.Error}
var responseEmpty = &rule.Rule{ID: "response-empty", Alone: true, Severity: session.Error}
var resultNotObject = &rule.Rule{ID: "result-not-object", Alone: true, Severity: session.Error}
var errorShape = &rule.Rule{ID: "error-shape", Alone: true, Severity: session.Error}
var errorCodeZero = &rule.Rule{ID: "error-code-zero", Alone: true, Severity: session.Warning, NeedsAll: true}
var NullRequestID = &rule.Rule{ID: "null-request-id", Alone: true, Severity: session.Error}
var invalidIDType = &rule.Rule{ID: "invalid-id-type", Alone: true, Severity: session.Error, NeedsAll: true}
var idPrecisionLoss = &rule.Rule{ID: "id-precision-loss", Alone: true, Severity: session.Warning}
var nullResponseID = &rule.Rule{ID: "null-response-id", Severity: session.Warning, NeedsAll: true}
var paramsNotObject = &rule.Rule{ID: "params-not-object", Alone: true, Severity: session.Error}
var notificationWithID = &rule.Rule{ID: "notification-with-id", Alone: true, Severity: session.Error}
var requestWithoutID = &rule.Rule{ID: "request-without-id", Alone: true, Severity: session.Error}
var batchNotSupported = &rule.Rule{ID: "batch-not-supported", Alone: true, Severity: session.Error, NeedsAll: true}
var batchInvalid = &rule.Rule{ID: "batch-invalid", Alone: true, Severity: session.Error, Since: mcp.V2, Until: mcp.V2}

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
	if f := ev.Frame; f.Text.Syntax == jsonrpc.Complete && f.Text.Batches == 1 && batchInvalid.In(rule.Version(ev)) {
		r.Report(batchInvalid.At(ev, "%s sent an empty batch", rule.Writer(ev)))
	}
}

// message judges the batch of a message, at its first message, and those that
// wait.
func (b *batches) message(ev *session.Event, r session.Reporter) {
	if len(b.early) > 0 {
		b.settle(ev.Conn.Version, r)
	}
	if ev.Message.Elem < 0 || rule.OverHTTP(ev) && !(ev.Frame.Stream == session.S2C && ev.Frame.Trip.Stream) {
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
	e := earlyBatch{other: batchNotSupported.At(ev, "%s sent messages as a batch", rule.Writer(ev))}
	if initialize {
		e.allowed = batchInvalid.At(ev, "%s sent initialize within a batch", rule.Writer(ev))
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
		f.Ref = batchInvalid.Ref(v)
	case v < mcp.V2:
		f.Severity = session.Warning
	default:
		f.Ref = batchNotSupported.Ref(v)
	}
	if f.Rule != "" {
		r.Report(f)
	}
}
