package features

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

var completionRefs = []rule.Ref{{Page: "server/utilities/completion", Anchor: "completion-results"}}

var completionTooMany = &rule.Rule{
	ID:       "completion-too-many",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "completion with more than 100 values",
	Explain: "A completion has at most 100 values; total and hasMore tell that there are more. Clients that validate it reject the whole completion and " +
		"offer nothing.",
	Hint: "return the best 100 values, and set hasMore",
	Refs: completionRefs,
}

var completionResultInvalid = &rule.Rule{
	ID:       "completion-result-invalid",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "completion.values must be an array of strings",
	Explain: "The result has an object completion with an array values of strings, empty if there is nothing to offer. Clients that validate it report an " +
		"error while the user is typing.",
	Hint: `return at least {"completion":{"values":[]}}; write numbers as strings`,
	Refs: completionRefs,
}

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
