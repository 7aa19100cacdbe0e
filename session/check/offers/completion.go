package offers

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

var Completion = rule.Family{
	Name:  "completion",
	Title: "Completion",
	Rules: []*rule.Rule{completionTooMany, completionResultInvalid},
	New:   func() session.Checker { return &completionConn{} },
}

var completionTooMany = &rule.Rule{ID: "completion-too-many", Alone: true, Severity: session.Error, Fault: rule.Server}
var completionResultInvalid = &rule.Rule{ID: "completion-result-invalid", Alone: true, Severity: session.Error, Fault: rule.Server}

// maxValues is the maximum number of values of a completion ([V5]
// server/utilities/completion §Completion Results; the same in all revisions).
const maxValues = 100

// completionConn judges completions. It remembers nothing.
type completionConn struct{}

// Check implements session.Checker.
func (*completionConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind != session.MessageSeen || ev.Method == nil || ev.Method.Name != mcp.CompletionComplete || ev.Message.Kind != jsonrpc.Result || !rule.IsAnswer(ev) {
		return
	}
	result := rule.ResultOf(ev)
	if result == nil {
		return
	}
	count := 0
	for range lex.Items(lex.Get(lex.Get(result, "completion"), "values")) {
		count++
	}
	if count > maxValues {
		r.Report(completionTooMany.At(ev, "the completion has %d values, the maximum is %d", count, maxValues))
	}
}
