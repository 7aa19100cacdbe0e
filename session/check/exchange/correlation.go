package exchange

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Correlation = rule.Family{
	Name:  "correlation",
	Title: "Correlation and latency",
	Rules: []*rule.Rule{
		duplicateRequestID, OrphanResponse, IDTypeMismatch, duplicateResponse,
		responseToNotification, responseAfterCancel,
		LateResponse, SlowResponse, UnansweredRequest, RequestNeverAnswered,
		heldLineReleased,
	},
	New:        func() session.Checker { return &correlationConn{} },
	EveryFrame: true,
}

// References for cancellation and timeouts.
var (
	cancelRefs = []rule.Ref{
		{Until: mcp.V4, Page: "basic/utilities/cancellation", Anchor: "behavior-requirements"},
		{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "cancellation"},
	}
	timeoutRefs = []rule.Ref{
		{Until: mcp.V1, Page: "basic/lifecycle", Anchor: "error-handling"},
		{Since: mcp.V2, Until: mcp.V4, Page: "basic/lifecycle", Anchor: "timeouts"},
		{Since: mcp.V5, Page: "basic/patterns/cancellation", Anchor: "timeouts"},
	}
)

var duplicateRequestID = &rule.Rule{
	ID: "duplicate-request-id", Severity: session.Error,
	Title: "request id was already used by its sender",
	Explain: "The two responses cannot be told apart, and peers that keep requests in a map by id lose one of them. Up to 2025-11-25, each side may use an " +
		"id once per session; from 2026-07-28 on, an id may be reused after its request was answered.",
	Hint: "take ids from one counter per connection, also for retries",
	Refs: rule.RequestRefs(),
}

var OrphanResponse = &rule.Rule{
	ID: "orphan-response", Severity: session.Error,
	Title: "response with an id that no request used",
	Explain: "A response has the id of the request that it answers. A response with any other id answers nothing: some SDKs report an error, the others " +
		"silently drop it, and the request for which it was intended waits forever. A common cause is a proxy that rewrites ids and does not restore " +
		"them.",
	Hint: "echo the id of the request; a proxy must restore the original ids, separately for each direction",
	Refs: rule.ResponseRefs(),
}

var IDTypeMismatch = &rule.Rule{
	ID: "id-type-mismatch", Severity: session.Error,
	Title: "response id has a different JSON type than the request id",
	Explain: `1 and "1" are different ids. The TypeScript SDKs, the Python SDKs and rmcp accept one for the other, which hides the fault. The Go SDK ` +
		"compares the type as well, and the request times out.",
	Hint: "keep the id as received, preferably as raw JSON, and send it back unchanged",
	Refs: rule.ResponseRefs(),
}

var duplicateResponse = &rule.Rule{
	ID: "duplicate-response", Severity: session.Error,
	Title: "request was answered twice",
	Explain: "Every request has exactly one response. No request waits for the second one: the official SDKs report an error or drop it. It shows that two " +
		"places in the program respond, often an error path that runs after the result was sent.",
	Hint: "respond in one place only; return after sending an error",
	Refs: []rule.Ref{{URL: "https://www.jsonrpc.org/specification#response_object"}},
}

var responseToNotification = &rule.Rule{
	ID: "response-to-notification", Severity: session.Error,
	Title: "response to a notification",
	Explain: "A notification must not be answered, not even with an error for an unknown method. Such a response has no id, a null id or an invented one: " +
		"without an id, or with null, the Go SDK closes the connection; others report an error or drop it. It usually follows " +
		"notifications/initialized, so that the connection ends right after the handshake.",
	Hint: "return early if a message has no id, before looking up its method",
	Refs: rule.NotificationRefs(),
}

var responseAfterCancel = &rule.Rule{
	ID: "response-after-cancel", Severity: session.Info,
	Title: "request was answered after its cancellation",
	Explain: "The two messages may cross on the wire, which is legal; hence the severity info. A response more than one second after the cancellation is a " +
		"warning: the work continued although its result is not wanted. From 2026-07-28 on, nothing may be sent for a cancelled request, so that only " +
		"messages that cross are allowed.",
	Hint: "stop the work when notifications/cancelled arrives, and check for it before responding",
	Refs: cancelRefs,
}

var LateResponse = &rule.Rule{
	ID: "late-response", Severity: session.Info,
	Timed: true,
	Title: "request was answered after its timeout",
	Explain: "The specification sets no timeout. By default, TypeScript clients and Claude Desktop give up after 60 s, so they show an error although the " +
		"work was done. Progress notifications help only with clients that restart their timer when progress arrives.",
	Hint: "shorten the work, send progress, or run it as a task; raise the timeout of the client if possible",
	Refs: timeoutRefs,
}

var SlowResponse = &rule.Rule{
	ID: "slow-response", Severity: session.Info,
	Timed: true,
	Title: "slow response",
	Explain: "A ping took more than 1 s, a list or another request without real work more than 5 s, or a call more than 30 s. Clients read lists at every " +
		"start and wait for them. The time that the server waited for a person is not counted.",
	Hint: "cache lists, answer pings outside the work queue, and move slow work out of the read loop",
}

var UnansweredRequest = &rule.Rule{
	ID: "unanswered-request", Severity: session.Warning,
	Timed: true,
	Title: "request was not answered within its timeout",
	Explain: "Neither a response nor progress arrived: clients give up and show a timeout. Possible causes are a handler that fails without a response, a " +
		"deadlock, and output that is not flushed. Requests that may stay open or wait for a person are exempt, and so are requests that were " +
		"cancelled before the timeout.",
	Hint: "look what the handler waits for: input, a lock, another service; answer every request, with an error if it fails",
	Refs: rule.ResponseRefs(),
}

var RequestNeverAnswered = &rule.Rule{
	ID: "request-never-answered", Severity: session.Error,
	Timed: true,
	Title: "connection ended before a request was answered",
	Explain: "The request needs no long work, no earlier request delayed it, it waited for more than 5 s, and no response came before the connection was " +
		"closed in order. A request sent shortly before the end may stay unanswered, and so may a call that takes its time.",
	Hint: "answer every request, and complete requests in flight before exiting",
	Refs: rule.ResponseRefs(),
}

var heldLineReleased = &rule.Rule{
	ID: "held-line-released", Severity: session.Warning, Fault: rule.Nobody,
	Title: "line was too long to be held back during an injected request",
	Explain: "While an injected request is unanswered, wiretea holds back each line of the server's stdout until it is complete, to remove the response. A " +
		"line of more than 16 MiB is forwarded as it is: if it is that response, the client receives it and reports a response with an unknown id.",
	Check: checkReleased,
	Hint:  "no change is needed; request less data at a time, a page or a part of a resource",
}

// checkReleased reports a line that was forwarded although it should have been
// held back.
func checkReleased(released *rule.Rule, ev *session.Event, r session.Reporter) {
	if ev.Kind == session.IOSeen && ev.IO.Event == "released" {
		r.Report(released.At(ev, "a line of more than %s was forwarded to the client before its end, while a request from wiretea was outstanding", rule.FormatSize(ev.IO.Bytes-1)))
	}
}
