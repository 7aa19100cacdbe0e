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

// progressRefs returns where the specification speaks of progress: at a heading,
// and on one page without headings from 2026-07-28 on.
func progressRefs(anchor string) []rule.Ref {
	return []rule.Ref{
		{Until: mcp.V4, Page: "basic/utilities/progress", Anchor: anchor},
		{Since: mcp.V5, Page: "basic/patterns/progress"},
	}
}

var progressNotIncreasing = &rule.Rule{
	ID:       "progress-not-increasing",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "progress stands still or goes back",
	Explain: "Each notification of one token has a greater progress than the one before, also where the total is not known. Progress bars jump back otherwise, " +
		"and clients that take progress for a sign of life cannot tell that a request hangs. Two steps that work at once and count apart look like this.",
	Hint: "count upwards in one place; send nothing where nothing has changed",
	Refs: progressRefs("progress-flow"),
}

var progressUnknownToken = &rule.Rule{
	ID:       "progress-unknown-token",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "progress is reported under a token that nobody gave out",
	Explain: "The token is the one that the request carries in _meta.progressToken; a request without one wants no progress. The TypeScript SDKs report an error for " +
		"any other token, and some hosts end the connection on it. Request ids and invented names are not tokens.",
	Hint: "echo _meta.progressToken of the request; send no progress where it has none",
	Refs: progressRefs("behavior-requirements"),
}

var progressAfterCompletion = &rule.Rule{
	ID:       "progress-after-completion",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "progress is reported of a request that was answered",
	Explain: "Progress must stop with the answer, that of a task with its end. The token is forgotten then: the TypeScript SDKs report an error. It mostly comes from " +
		"progress that is sent without waiting for it. Within 50 ms of the answer the two may only have changed places, which is an information.",
	Hint: "wait until the last progress is written before answering",
	Refs: []rule.Ref{
		{Until: mcp.V3, Page: "basic/utilities/progress", Anchor: "behavior-requirements"},
		{Since: mcp.V4, Until: mcp.V4, Page: "basic/utilities/progress", Anchor: "implementation-notes"},
		{Since: mcp.V5, Page: "basic/patterns/progress"},
	},
}

var duplicateProgressToken = &rule.Rule{
	ID:       "duplicate-progress-token",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "two requests under way have the same progress token",
	Explain: "A token is unique among the requests that its sender has under way. Otherwise nobody can tell whose progress is reported, and most programs show it for " +
		"the later of the two.",
	Hint: "make the token from the id of the request",
	Refs: progressRefs("progress-flow"),
}

var progressTokenType = &rule.Rule{
	ID:       "progress-token-type",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a progress token must be a string or an integer, and keep its type",
	Explain: "Tokens are strings or integers, and are given back as they came: 1 and \"1\" are two tokens. null is not a token; servers that check the request refuse it. " +
		"A token in another type finds its request in some clients and is dropped by others.",
	Hint: "send a string or an integer, or leave progressToken out; keep the token of a request as it came",
	Refs: progressRefs("progress-flow"),
}

var progressOverTotal = &rule.Rule{
	ID:       "progress-over-total",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "progress is beyond its total",
	Explain:  "The total is an estimate and may change, but progress beyond the total of the same notification cannot be shown: bars stop or run over.",
	Hint:     "raise the total with the progress, or leave it out where it is not known",
	Refs:     progressRefs("progress-flow"),
}

var progressFlood = &rule.Rule{
	ID:       "progress-flood",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "progress is reported more than 20 times a second, for seconds",
	Explain: "Nobody sees more than a few steps a second, and each costs both sides a message; hosts that draw each of them slow down. It is reported after three seconds " +
		"in a row with more than 20 notifications of one token each. A short burst is not reported.",
	Hint: "send progress when something visible has changed, and not more often than some times a second",
	Refs: progressRefs("implementation-notes"),
}
