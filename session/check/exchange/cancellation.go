package exchange

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Cancellation = rule.Family{
	Name:  "cancellation",
	Title: "Cancellation",
	Rules: []*rule.Rule{cancelUnknownRequest, cancelIDMissing, cancelUsedForTask},
	New:   func() session.Checker { return &cancellationConn{} },
}

// cancellationRefs are the references for what may be cancelled.
var cancellationRefs = []rule.Ref{
	{Until: mcp.V4, Page: "basic/utilities/cancellation", Anchor: "behavior-requirements"},
	{Since: mcp.V5, Page: "basic/patterns/cancellation", Anchor: "behavior-requirements"},
}

var cancelUnknownRequest = &rule.Rule{
	ID: "cancel-unknown-request", Severity: session.Warning,
	Title: "cancellation of a request that is not in flight",
	Explain: "A sender cancels its own requests that are still unanswered, by their id with the same JSON type. The receiver ignores any other " +
		"cancellation, so the intended request continues. A response and a cancellation may cross on the wire, for which one second is allowed. " +
		"Cancelling a request that was answered earlier has severity info: the TypeScript SDK 1 cancels all requests that shared an AbortSignal, even " +
		"completed ones.",
	Hint: "keep the ids of requests in flight, exactly as sent, and cancel only those",
	Refs: cancellationRefs,
}

var cancelIDMissing = &rule.Rule{
	ID:       "cancel-id-missing",
	Alone:    true,
	Severity: session.Error,
	Title:    "cancellation without a valid requestId",
	Explain: "notifications/cancelled has a requestId, a string or an integer. Receivers that validate it drop the notification, others look for a request " +
		"without an id. The schema of 2025-11-25 allows requestId to be absent because of tasks: nothing is reported if tasks were declared.",
	Hint: "send the id of the request as params.requestId",
	Refs: cancellationRefs,
}

var cancelUsedForTask = &rule.Rule{
	ID: "cancel-used-for-task", Severity: session.Error, Since: mcp.V4,
	Title: "notifications/cancelled for a request that became a task",
	Explain: "The request was answered when the task was created, so only the task itself can be cancelled, and the work continues. A cancellation that " +
		"crosses the response on the wire is not reported.",
	Hint: "cancel the task with tasks/cancel and its taskId",
	Refs: cancellationRefs,
}
