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
	New: func() session.Checker { return &correlationConn{} },
}

// Where the specification speaks of cancellation and of timeouts.
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
	ID:       "duplicate-request-id",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a request has an id that its sender has used before",
	Explain: "The two answers cannot be told apart, and peers that keep requests in a map by id lose one of them. To 2025-11-25 an id may be used " +
		"once in a session by each side; from 2026-07-28 on it may be used again once its request was answered.",
	Hint: "take ids from one counter for each connection, also for retries",
	Refs: rule.RequestRefs,
}

var OrphanResponse = &rule.Rule{
	ID:       "orphan-response",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a response has an id that nobody asked with",
	Explain: "A response carries the id of the request it answers. One with another id answers nothing: the Go SDK drops it in silence, the others " +
		"report an error, and where it was meant for a request that one waits for ever. Proxies that rewrite ids and forget to write them " +
		"back are a common cause.",
	Hint: "echo the id of the request; a proxy must map ids back, those of both directions apart",
	Refs: rule.ResponseRefs,
}

var IDTypeMismatch = &rule.Rule{
	ID:       "id-type-mismatch",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a response has the right id in another JSON type",
	Explain: "1 and \"1\" are different ids. The TypeScript SDKs and newer Python SDKs accept one for the other, which hides the fault; the Go SDK and " +
		"rmcp compare the type too and wait until they time out.",
	Hint: "keep the id as it came, best as raw JSON, and write it back unchanged",
	Refs: rule.ResponseRefs,
}

var duplicateResponse = &rule.Rule{
	ID:       "duplicate-response",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a request was answered twice",
	Explain: "Every request has one response. The second one finds nobody who waits: official SDKs report an error or drop it. It shows that two " +
		"places in the program answer, often an error path that runs after the result was sent.",
	Hint: "answer in one place only; return after sending an error",
	Refs: []rule.Ref{{URL: "https://www.jsonrpc.org/specification#response_object"}},
}

var responseToNotification = &rule.Rule{
	ID:       "response-to-notification",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a notification was answered",
	Explain: "Nobody may answer a notification, not even with an error that it is not known. Such an answer has no id, or a null or made-up " +
		"one: the Go SDK ends the connection on it, others report an error. It mostly follows notifications/initialized, so that the server " +
		"fails right after the handshake.",
	Hint:   "return early when a message has no id, before looking its method up",
	Refs:   rule.NotificationRefs,
	Breaks: []string{"Go SDK"},
}

var responseAfterCancel = &rule.Rule{
	ID:       "response-after-cancel",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a request was answered after it had been cancelled",
	Explain: "The two may cross on the wire, which is legal and why this is an information. An answer that comes more than a second after the " +
		"cancellation is a warning: the work went on although nobody wants its result. From 2026-07-28 on nothing more may be sent for a " +
		"cancelled request, so that only a crossing is excused.",
	Hint: "stop the work when notifications/cancelled comes, and check for it before answering",
	Refs: cancelRefs,
}

var LateResponse = &rule.Rule{
	ID:       "late-response",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a request was answered after the timeout in force",
	Explain: "The specification sets no time. TypeScript clients and Claude Desktop give up after 60 s unless told otherwise, so they show an error " +
		"for work that was done. Progress notifications help only with clients that restart their timer on them.",
	Hint: "make the work shorter, send progress, or run it as a task; raise the client's timeout where that can be done",
	Refs: timeoutRefs,
}

var SlowResponse = &rule.Rule{
	ID:       "slow-response",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a request took long",
	Explain: "A ping took more than 1 s, a list or another request that needs no work more than 5 s, or a call more than 30 s. Lists are " +
		"read at every start of a client, which waits for them. Time in which the server waited for a human is not counted.",
	Hint: "cache lists, answer pings outside the work queue, and move slow work out of the reading loop",
}

var UnansweredRequest = &rule.Rule{
	ID:       "unanswered-request",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "a request was not answered in the time in force",
	Explain: "Nothing came, no progress either: clients give the request up and show a timeout. A handler that fails without an answer, a deadlock, " +
		"and output that is not flushed look like this. Requests that may stay open or wait for people are exempt, as are those that were " +
		"cancelled before the time was over.",
	Hint: "answer every request, with an error where it fails; let the dispatcher answer for a handler that panics",
	Refs: rule.ResponseRefs,
}

var RequestNeverAnswered = &rule.Rule{
	ID:       "request-never-answered",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "the connection ended before a request was answered that should have been",
	Explain: "The request needs no long work, nothing stood before it, it had more than 5 s, and its answer did not come until the connection was " +
		"closed in order. A request that is sent shortly before the end may stay unanswered, and so may a call that takes its time.",
	Hint: "answer every request, and drain what is under way before exiting",
	Refs: rule.ResponseRefs,
}
