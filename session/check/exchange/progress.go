package exchange

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Progress = rule.Family{
	Name:  "progress",
	Title: "Progress",
	Rules: []*rule.Rule{
		progressNotIncreasing, progressUnknownToken, progressAfterCompletion, duplicateProgressToken,
		progressTokenType, progressOverTotal, progressFlood,
	},
	New: func() session.Checker { return &progressConn{} },
}

// progressRefs returns the references for progress: a heading, or from
// 2026-07-28 on a page without headings.
func progressRefs(anchor string) []rule.Ref {
	return []rule.Ref{
		{Until: mcp.V4, Page: "basic/utilities/progress", Anchor: anchor},
		{Since: mcp.V5, Page: "basic/patterns/progress"},
	}
}

var progressNotIncreasing = &rule.Rule{
	ID: "progress-not-increasing", Severity: session.Error,
	Title: "progress does not increase",
	Explain: "Each notification for a token must have a greater progress value than the previous one, even if the total is unknown. Otherwise progress " +
		"bars jump back, and clients that use progress as a sign of activity cannot detect that a request hangs. Two concurrent steps with separate " +
		"counters look like this.",
	Hint: "count upwards in one place; send nothing if nothing has changed",
	Refs: progressRefs("progress-flow"),
}

var progressUnknownToken = &rule.Rule{
	ID: "progress-unknown-token", Severity: session.Error,
	Title: "progress for an unknown token",
	Explain: "The token is the one in _meta.progressToken of the request; a request without a token wants no progress. The TypeScript SDKs report an error " +
		"for any other token, and some hosts close the connection. Request ids and invented names are not tokens.",
	Hint: "echo _meta.progressToken of the request; send no progress if it has none",
	Refs: progressRefs("behavior-requirements"),
}

var progressAfterCompletion = &rule.Rule{
	ID: "progress-after-completion", Severity: session.Error,
	Title: "progress for a completed request",
	Explain: "Progress must stop when the request is answered, and for a task when the task ends. The client forgets the token then: the TypeScript SDKs " +
		"report an error. It is usually caused by progress that is sent asynchronously. Within 50 ms of the response the two messages may only have " +
		"changed order, which has severity info.",
	Hint: "wait until the last progress notification is written before responding",
	Refs: []rule.Ref{
		{Until: mcp.V3, Page: "basic/utilities/progress", Anchor: "behavior-requirements"},
		{Since: mcp.V4, Until: mcp.V4, Page: "basic/utilities/progress", Anchor: "implementation-notes"},
		{Since: mcp.V5, Page: "basic/patterns/progress"},
	},
}

var duplicateProgressToken = &rule.Rule{
	ID: "duplicate-progress-token", Severity: session.Error,
	Title: "two requests in flight share a progress token",
	Explain: "A token must be unique among the requests that its sender has in flight. Otherwise progress cannot be attributed to a request, and most " +
		"programs show it for the later one.",
	Hint: "derive the token from the request id",
	Refs: progressRefs("progress-flow"),
}

var progressTokenType = &rule.Rule{
	ID:       "progress-token-type",
	Alone:    true,
	Severity: session.Error,
	Title:    "progress token must be a string or an integer and keep its type",
	Explain: `Tokens are strings or integers and are echoed as received: 1 and "1" are two tokens. null is not a token, and servers that validate the ` +
		"request reject it. Some clients accept a token with another type, others drop the notification.",
	Hint: "send a string or an integer, or omit progressToken; echo the token of a request unchanged",
	Refs: progressRefs("progress-flow"),
}

var progressOverTotal = &rule.Rule{
	ID:       "progress-over-total",
	Alone:    true,
	Severity: session.Info,
	Title:    "progress exceeds its total",
	Explain:  "The total is an estimate and may change, but progress beyond the total of the same notification cannot be displayed: progress bars stop or overflow.",
	Hint:     "raise the total together with the progress, or omit it if it is unknown",
	Refs:     progressRefs("progress-flow"),
}

var progressFlood = &rule.Rule{
	ID: "progress-flood", Severity: session.Warning,
	Title: "more than 20 progress notifications per second",
	Explain: "A user cannot see more than a few steps per second, and each step costs both sides a message; hosts that draw each of them slow down. The " +
		"rule reports three consecutive seconds with more than 20 notifications per token each. A short burst is not reported.",
	Hint: "send progress when something visible has changed, at most a few times per second",
	Refs: progressRefs("implementation-notes"),
}
