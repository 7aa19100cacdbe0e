package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var closedWithoutResponse = &rule.Rule{
	ID: "sse-closed-without-response", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2,
	Title: "event stream ended without the response",
	Explain: "The stream of a request brings its response before it ends. 2025-11-25 lets a server end it earlier if an event had an id, with which the " +
		"client resumes. From 2026-07-28 on, the request is lost, which is an error. Where the connection was closed in the middle of the stream, it is not known who did that, and nobody is accused.",
	Hint: "send the response before ending the stream, also when the handler fails",
	Refs: receivingRefs(),
}

var idleCut = &rule.Rule{
	ID: "sse-idle-cut", Severity: session.Warning, Fault: rule.Nobody,
	Title: "event stream ended after a time of silence",
	Explain: "The stream ended after a silence of 60, 100, 120 or 300 s, which are the usual limits of proxies, load balancers and HTTP clients for a " +
		"connection without traffic. It may also be a limit of the server itself, so nobody is accused, with two exceptions: the stream was broken off and the response shows what is in front of the server; or " +
		"the client closed it after 300 s, as undici, the HTTP client of Node, does.",
	Hint: "send a comment line (:) every 15 to 30 s, or raise the limit for this path, of the server or of a proxy in front of it",
	Refs: modernRefs("receiving-messages"),
}

var buffered = &rule.Rule{
	ID: "sse-buffered", Severity: session.Warning, Fault: rule.Nobody,
	Title: "progress came all at once at the end of the stream",
	Explain: "The request had been sent seconds before, and then all events with their progress came at once with the end. A proxy that buffers responses, or " +
		"compression that waits for more data, on the way or in the server, does that, and so does a server that writes nothing while it works. " +
		"Where the events were held back is not in a recording, so nobody is accused.",
	Hint: "turn off buffering and compression for text/event-stream, on the way and in the server; X-Accel-Buffering: no does it for nginx",
	Refs: modernRefs("receiving-messages"),
}

var dataNotJSON = &rule.Rule{
	ID: "sse-data-not-json", Severity: session.Error, Fault: rule.Server,
	Title:   "event is not a message",
	Explain: "The data of each event is one JSON-RPC message. Clients report an error for any other text, and some close the stream.",
	Hint:    "write one JSON-RPC message per event; use comments to keep the connection open",
	Refs:    receivingRefs(),
}

var notUTF8 = &rule.Rule{
	ID: "sse-not-utf8", Severity: session.Error, Fault: rule.Server,
	Title:   "event stream is not UTF-8",
	Explain: "Event streams are always read as UTF-8: other bytes become replacement characters, which damages the text.",
	Hint:    "encode the stream as UTF-8",
	Refs:    rfc("https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream"),
}

var truncatedEvent = &rule.Rule{
	ID: "sse-truncated-event", Severity: session.Error, Fault: rule.Server,
	Title:   "event stream ended in the middle of an event",
	Explain: "An event ends with an empty line. Clients discard an event that the end of the stream cuts off before its empty line: the message is lost. Where the connection was closed, it is not known who did that, and nobody is accused.",
	Hint:    "write the empty line after each event and flush it; if the server does, a proxy cut the stream",
	Refs:    rfc("https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation"),
}

var eventName = &rule.Rule{
	ID: "sse-event-name", Severity: session.Warning, Fault: rule.Server,
	Title:   "message in an event with another name than message",
	Explain: "The clients of the SDKs read events without a name and those named message. A message in any other event is not received.",
	Hint:    "leave out the event field",
	Refs:    receivingRefs(),
}

var afterResponse = &rule.Rule{
	ID: "sse-after-response", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2,
	Title:   "message came on a stream after its response",
	Explain: "The response is the last message of a request's stream. Clients may have closed it by then.",
	Hint:    "end the stream with the response; send notifications before it",
	Refs:    receivingRefs(),
}

var notEnded = &rule.Rule{
	ID: "sse-not-ended", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2,
	Title:   "stream stays open after its response",
	Explain: "The response should end the stream of its request. Open streams use up connections: a browser has six to one host, and servers and proxies have limits too.",
	Hint:    "end the stream right after the response",
	Refs:    receivingRefs(),
}

var messageUnrelated = &rule.Rule{
	ID: "sse-message-unrelated", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title: "message belongs to another request than its stream",
	Explain: "What comes before the response on a request's stream relates to that request. The usual cause is one transport that several requests share, so " +
		"that progress goes to the stream of the latest. Up to 2025-11-25 the specification says SHOULD, which makes it a warning.",
	Hint: "send progress on the stream of the request that it belongs to",
	Refs: receivingRefs(),
}

var responseOnGet = &rule.Rule{
	ID: "http-response-on-get", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "response came on the GET stream",
	Explain: "The GET stream carries requests and notifications of the server. Responses come there only if the client resumes the stream of a request with Last-Event-ID.",
	Hint:    "answer a request on its own POST",
	Refs:    listeningRefs(),
}

var broadcast = &rule.Rule{
	ID: "http-broadcast", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "server sent a message on two streams",
	Explain: "Each message goes to one stream of a session. A client with several streams gets it twice, and answers a request twice.",
	Hint:    "choose one stream for each message",
	Refs:    legacyRefs("multiple-connections"),
}

var eventIDReused = &rule.Rule{
	ID: "sse-event-id-reused", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "two events have one id",
	Explain: "Ids of events are unique over all streams of a session, because Last-Event-ID alone says which stream to resume. Counters that begin anew on each stream are not.",
	Hint:    "make the stream a part of the id",
	Refs:    resumingRefs(),
}

var primingMissing = &rule.Rule{
	ID: "sse-priming-missing", Severity: session.Info, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4,
	Title:   "stream with ids does not begin with an empty event",
	Explain: "A server that can resume streams should send an event with an id and empty data first, so that the client can resume whenever the connection breaks.",
	Hint:    "send an event with an id and empty data at once",
	Refs:    sendingRefs(),
}

var primingTooEarly = &rule.Rule{
	ID: "sse-priming-too-early", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V3,
	Title:   "event with empty data to a client of an older revision",
	Explain: "Events with an id and empty data came with 2025-11-25. Older clients try to read the empty data as JSON, and fail.",
	Hint:    "send it only if 2025-11-25 was negotiated",
	Refs:    []rule.Ref{{Since: mcp.V4, Until: mcp.V4, Page: "basic/transports", Anchor: "sending-messages-to-the-server"}},
}

var closeWithoutRetry = &rule.Rule{
	ID: "sse-close-without-retry", Severity: session.Info, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4,
	Title:   "stream is ended for polling without retry",
	Explain: "A server that ends a stream before its response lets the client poll. It should send retry first, or each client chooses how soon to come back.",
	Hint:    "send retry: with the time in ms before ending the stream",
	Refs:    sendingRefs(),
}

var retryIgnored = &rule.Rule{
	ID: "sse-retry-ignored", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client reconnects sooner than retry asks",
	Explain: "The field retry is how long the client must wait before it reconnects. A client that does not wait loads the server with requests that find nothing.",
	Hint:    "wait as long as retry says before reconnecting",
	Refs:    sendingRefs(),
}

var resumeNotGet = &rule.Rule{
	ID: "sse-resume-not-get", Severity: session.Warning, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client resumes with POST",
	Explain: "A stream is resumed by GET with Last-Event-ID, whatever began it. A POST is a new message, and a tool may run twice. Up to 2025-06-18 it has severity info.",
	Hint:    "send GET with Last-Event-ID",
	Refs:    resumingRefs(),
}

var lastEventIDUnknown = &rule.Rule{
	ID: "sse-last-event-id-unknown", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client resumes after an event that was never sent",
	Explain: "Last-Event-ID is the id of the latest event that the client received in this session. The server cannot find any other one, and what was missed is lost.",
	Hint:    "send the id exactly as it was received",
	Refs:    resumingRefs(),
}

var replayWrongStream = &rule.Rule{
	ID: "sse-replay-wrong-stream", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "resumed stream brings events of another stream",
	Explain: "Only what would have come on the stream with that event is sent again. Messages of other streams are delivered twice.",
	Hint:    "keep events by stream, and find the stream by Last-Event-ID",
	Refs:    resumingRefs(),
}

var replayRepeats = &rule.Rule{
	ID: "sse-replay-repeats", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "resumed stream repeats what the client has",
	Explain: "A resumed stream begins after the event of Last-Event-ID. An event that comes again is handled twice.",
	Hint:    "begin with the event after Last-Event-ID",
	Refs:    resumingRefs(),
}

var disconnectAsCancel = &rule.Rule{
	ID: "http-disconnect-as-cancel", Severity: session.Info, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client closes a stream and does not cancel its request",
	Explain: "Up to 2025-11-25 a closed connection does not cancel the request: the server continues. The client neither sent notifications/cancelled within 2 s nor resumed the stream.",
	Hint:    "send notifications/cancelled to cancel; from 2026-07-28 on closing is enough",
	Refs:    sendingRefs(),
}

var workAfterClose = &rule.Rule{
	ID: "http-work-after-close", Severity: session.Warning, Fault: rule.Server, Since: mcp.V5,
	Title: "server goes on with a request whose stream the client has closed",
	Explain: "Closing the stream of a request cancels it, and the server must not send further messages for it. Reported for progress that comes on another stream, more than two " +
		"seconds later: on its own stream nothing can come any more. That a server goes on in silence is not noticed.",
	Hint: "stop the handler when its connection is closed",
	Refs: modernRefs("cancellation"),
}

var reconnectStorm = &rule.Rule{
	ID: "sse-reconnect-storm", Severity: session.Warning, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client opens the GET stream again and again",
	Explain: "The client sent GET more than five times within 10 s, or went on after 405, which says that the server has no such stream.",
	Hint:    "wait longer after each failure, and stop on 405",
	Refs:    listeningRefs(),
}

var noKeepalive = &rule.Rule{
	ID: "sse-no-keepalive", Severity: session.Info, Fault: rule.Server, Since: mcp.V2,
	Title:   "open stream is silent for more than a minute",
	Explain: "Proxies and load balancers close connections without traffic, many after 60 s. Comment lines keep a stream open and have no meaning.",
	Hint:    "send a comment line (:) every 15 to 30 s",
	Refs:    modernRefs("receiving-messages"),
}

var noEndpoint = &rule.Rule{
	ID: "sse-no-endpoint", Severity: session.Error, Fault: rule.Server, Until: mcp.V1,
	Title:   "stream does not begin with endpoint",
	Explain: "The client's POST was refused, so it tries HTTP+SSE of 2024-11-05, in which the first event, endpoint, says where messages are posted. Without it the client cannot send anything.",
	Hint:    "send event: endpoint with the URI for messages first, or answer the POST",
	Refs:    oldRefs,
}

var endpointForeign = &rule.Rule{
	ID: "sse-endpoint-foreign", Severity: session.Error, Fault: rule.Server, Until: mcp.V1,
	Title:   "endpoint has another origin than the stream",
	Explain: "Clients refuse to post to another origin, because their credentials would go there. The usual cause is a server behind a proxy that writes its own address.",
	Hint:    "send a path alone, or the address that clients use",
	Refs:    oldRefs,
}

var answerInPost = &rule.Rule{
	ID: "sse-answer-in-post", Severity: session.Error, Fault: rule.Server, Until: mcp.V1,
	Title:   "response in the POST of HTTP+SSE",
	Explain: "With HTTP+SSE, all messages of the server come on the stream. A client does not read the body of the POST, and waits until its timeout.",
	Hint:    "answer on the stream, and the POST with 202",
	Refs:    oldRefs,
}
