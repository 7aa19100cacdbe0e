package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var accept = &rule.Rule{
	ID: "http-accept", Severity: session.Error, Fault: rule.Client, Since: mcp.V2,
	Title: "Accept does not list the types that the server may answer with",
	Explain: "A POST lists application/json and text/event-stream, because the server chooses between the two; a GET lists text/event-stream. A wildcard " +
		"does not list them: many servers compare the names, and answer 406.",
	Hint: "send Accept: application/json, text/event-stream",
	Refs: sendingRefs(),
}

var notAccepted = &rule.Rule{
	ID: "http-406", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title: "request was answered 406, Not Acceptable",
	Explain: "The server did not find in Accept what it answers with. If a type is missing there, the client is at fault, or a wrapper or an edge that " +
		"dropped or replaced the field. If both types are listed, the server compares them in a wrong way.",
	Hint: "compare media ranges one by one, not the whole text of Accept",
	Refs: sendingRefs(),
}

var requestContentType = &rule.Rule{
	ID: "http-request-content-type", Severity: session.Warning, Fault: rule.Client, Since: mcp.V2,
	Title:   "message was posted without Content-Type: application/json",
	Explain: "The specification does not demand the field, but the servers of the official SDKs answer 415 without it.",
	Hint:    "send Content-Type: application/json",
}

var requestNotJSON = &rule.Rule{
	ID: "http-request-not-json", Severity: session.Error, Fault: rule.Client,
	Title:   "body of a POST is not valid JSON",
	Explain: "The body of a POST is a JSON-RPC message. The server cannot read any other one, and its answer has no id.",
	Hint:    "write the message with a JSON library, and all of it; count its bytes, not its characters, for Content-Length",
	Refs:    sendingRefs(),
}

var contentType = &rule.Rule{
	ID: "http-content-type", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title: "request was answered with neither JSON nor an event stream",
	Explain: "A request is answered with application/json or text/event-stream. Clients choose by that type how to read the body, and report an error for any other. " +
		"JSON in a body of the type text/event-stream is not an event: clients skip it, and wait.",
	Hint: "answer with Content-Type: application/json or text/event-stream",
	Refs: sendingRefs(),
}

var contentEncoding = &rule.Rule{
	ID: "http-content-encoding", Severity: session.Error, Fault: rule.Server,
	Title:   "body does not have the content coding that its head names",
	Explain: "Clients decode the body as Content-Encoding says before they read it, and fail where it has another form. A handler that sets the field without compressing, or a proxy that decompresses and keeps the field, causes this.",
	Hint:    "let one place compress, and have it set Content-Encoding and Content-Length",
	Refs:    rfc("https://www.rfc-editor.org/rfc/rfc9110#section-8.4"),
}

var request202 = &rule.Rule{
	ID: "http-request-202", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title: "request was answered without a response in the body",
	Explain: "202 is the answer to notifications and responses. A request gets its response on its own POST, in JSON or in an event stream; a client that " +
		"receives an empty body waits until its timeout.",
	Hint: "answer the request on its own POST",
	Refs: sendingRefs(),
}

var notificationStatus = &rule.Rule{
	ID: "http-notification-status", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title:   "notification or response was accepted other than by 202 without a body",
	Explain: "A server that accepts a notification or a response answers 202 with an empty body. Clients read the body of any other success, and some fail on its type.",
	Hint:    "answer 202 with an empty body",
	Refs:    sendingRefs(),
}

var jsonBodyShape = &rule.Rule{
	ID: "http-json-body-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title: "JSON body is not exactly one response",
	Explain: "A response of the type application/json is one JSON-RPC object. A list, several values, text after the object or another kind of JSON cannot " +
		"be read by clients. 2025-03-26 allows a list.",
	Hint: "write exactly one JSON-RPC object",
	Refs: sendingRefs(),
}

var htmlBody = &rule.Rule{
	ID: "http-html-body", Severity: session.Error, Fault: rule.Server,
	Title: "message was answered with an HTML page",
	Explain: "The page comes from something other than the MCP handler: a login page, a firewall, the start page of a web application, or the error page " +
		"of a framework that has no handler at this path. The request may never have reached the handler.",
	Hint: "find out what wrote the page: a proxy or middleware in front of the handler, or the handler of another path",
}

var wrongExchange = &rule.Rule{
	ID: "http-response-wrong-exchange", Severity: session.Error, Fault: rule.Server, Since: mcp.V2,
	Title: "response came on the POST of another request",
	Explain: "A POST brings the responses to its own requests. A server that keeps requests by their id alone, or one transport for several clients, sends " +
		"a response to whoever asked last, also to another client. Within one session of 2025-03-26 to 2025-11-25 it is a warning, because clients " +
		"look up the id in all their requests.",
	Hint: "keep one transport for each session and request, and look up the exchange, never the bare id",
	Refs: rule.ResponseRefs(),
}

var errorID = &rule.Rule{
	ID: "http-error-id", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2,
	Title: "error does not have the id of its request",
	Explain: "The request could be read, so the error has its id. Clients that look up the id cannot tell which request failed, and report only the status. " +
		"An id that is null or absent has severity info.",
	Hint: "echo the id of the request in the error",
	Refs: rule.ErrorRefs(),
}

var redirect = &rule.Rule{
	ID: "http-redirect", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2,
	Title: "endpoint redirects",
	Explain: "After 301, 302 and 303 most clients send GET in the place of POST, and the message is lost; after a redirect to another origin they drop " +
		"Authorization. Both are errors. The usual case is a slash at the end of the path, which a framework adds or removes.",
	Hint: "give the client the final URL; if that is a page to log in, send credentials with the request",
	Refs: rfc("https://www.rfc-editor.org/rfc/rfc9110#section-15.4"),
}

var rateLimited = &rule.Rule{
	ID: "http-rate-limited", Severity: session.Info, Fault: rule.Server,
	Title: "refusal for a time is not timed",
	Explain: "With 429 the server says that the client sends too much. Without Retry-After the client has to guess when to try again. A client that tries " +
		"again sooner than Retry-After says is at fault, which is a warning.",
	Hint: "send Retry-After",
	Refs: rfc("https://www.rfc-editor.org/rfc/rfc6585#section-4"),
}

var serverError = &rule.Rule{
	ID: "http-server-error", Severity: session.Error, Fault: rule.Server,
	Title: "request was answered with a 5xx status",
	Explain: "The handler failed outside of JSON-RPC, or a gateway did not get an answer from the server: 502 it could not connect or the connection broke, " +
		"503 no server is available, 504 it did not wait any longer.",
	Hint: "read the server's log at that time; answer a failure with a JSON-RPC error",
}

var noResponse = &rule.Rule{
	ID: "http-no-response", Severity: session.Error, Fault: rule.Server,
	Title:   "request got no response",
	Explain: "The connection could not be made, or was closed before the head of a response came: the server does not run or listens elsewhere, it crashed, or something on the way refuses.",
	Hint:    "check that the server runs and listens at that address, and read its log",
}

var longHead = &rule.Rule{
	ID: "http-long-head", Severity: session.Warning, Fault: rule.Server,
	Title:   "head of a response is longer than clients read",
	Explain: "Clients refuse a response whose header fields are too long: Node reads 16 KiB, Python's h11 64 KiB, Go 1 MiB or more.",
	Hint:    "put into the header what clients need, and leave the rest to the body",
}

var getStatus = &rule.Rule{
	ID: "http-get-status", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "GET was answered with neither an event stream nor 405",
	Explain: "A server that offers no stream of its own answers GET with 405, and clients stop asking. They take other answers for a failure, and try again and again.",
	Hint:    "answer GET with 405 if no stream is offered",
	Refs:    listeningRefs(),
}

var batchPost = &rule.Rule{
	ID: "http-batch-post", Severity: session.Error, Fault: rule.Client, Since: mcp.V3,
	Title:   "client posted a batch",
	Explain: "The body of a POST is a single message. Only 2025-03-26 has batches.",
	Hint:    "send each message in its own POST",
	Refs:    sendingRefs(),
}

var responsePost = &rule.Rule{
	ID: "http-response-post", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title:   "client posted a response",
	Explain: "From 2026-07-28 on, servers send no requests: what they want to know is in the result, and the client sends its request again with inputResponses.",
	Hint:    "send the request again with inputResponses",
	Refs:    sendingRefs(),
}

var versionHeader = &rule.Rule{
	ID: "http-version-header", Severity: session.Error, Fault: rule.Client, Since: mcp.V3,
	Title: "MCP-Protocol-Version is missing or wrong",
	Explain: "After initialize, each request names the revision that was agreed on; a server that misses the field assumes 2025-03-26. Another revision is a " +
		"warning. From 2026-07-28 on, each POST has it, equal to the revision in _meta, and the server refuses any other.",
	Hint: "send MCP-Protocol-Version with the revision in effect: after initialize, and from 2026-07-28 on with every request",
	Refs: versionRefs,
}

var versionHeaderCode = &rule.Rule{
	ID: "http-version-header-code", Severity: session.Error, Fault: rule.Server, Since: mcp.V3,
	Title:   "server accepts an invalid MCP-Protocol-Version",
	Explain: "A revision that is invalid or not supported is answered 400, so that the client learns of it instead of talking in another revision than it believes.",
	Hint:    "answer 400 to a revision that you do not support; from 2026-07-28 on with the error -32022",
	Refs:    versionRefs,
}
