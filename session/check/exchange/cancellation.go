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

// cancellationRefs is where the specification says what may be cancelled.
var cancellationRefs = []rule.Ref{
	{Until: mcp.V4, Page: "basic/utilities/cancellation", Anchor: "behavior-requirements"},
	{Since: mcp.V5, Page: "basic/patterns/cancellation", Anchor: "behavior-requirements"},
}

var cancelUnknownRequest = &rule.Rule{
	ID:       "cancel-unknown-request",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "a cancellation names no request that its sender has under way",
	Explain: "One cancels what one has asked for and still waits for, by its id in the same JSON type. The other side ignores anything else, so that what was meant goes " +
		"on. The answer and the cancellation may cross on the wire, so that a second is excused; what was answered before is an information, for the TypeScript SDK 1 cancels " +
		"all requests that had one AbortSignal, also those that are over.",
	Hint: "keep the ids of requests under way, as they were sent, and cancel those only",
	Refs: cancellationRefs,
}

var cancelIDMissing = &rule.Rule{
	ID:       "cancel-id-missing",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a cancellation does not say what is cancelled",
	Explain: "notifications/cancelled has requestId, a string or an integer. Receivers that check it drop the notification, others look for a request without an id. In " +
		"2025-11-25 its schema lets requestId be absent for the sake of tasks: where tasks were declared nothing is said.",
	Hint: "send the id of the request as params.requestId",
	Refs: cancellationRefs,
}

var cancelUsedForTask = &rule.Rule{
	ID:       "cancel-used-for-task",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Title:    "a request is cancelled that was made a task",
	Explain: "The request was answered when the task was created, so that there is nothing to cancel but the task: the work goes on. What crosses the answer on the wire is " +
		"excused.",
	Hint: "cancel the task with tasks/cancel and its taskId",
	Refs: cancellationRefs,
}
