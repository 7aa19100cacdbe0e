package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

func corsRefs() []rule.Ref { return rfc("https://fetch.spec.whatwg.org/#http-cors-protocol") }

var corsPreflight = &rule.Rule{
	ID: "cors-preflight", Severity: session.Warning, Fault: rule.Server,
	Title: "preflight request of a browser is refused",
	Explain: "Before a message, a browser asks with OPTIONS whether the page may send it. It carries no credentials, so it must be answered before " +
		"authorization. A refusal by 403, or without Access-Control-Allow-Origin, may be meant, and has severity info.",
	Hint: "answer OPTIONS before authorization, with Access-Control-Allow-Origin",
	Refs: corsRefs(),
}

var corsAllowHeaders = &rule.Rule{
	ID: "cors-allow-headers", Severity: session.Warning, Fault: rule.Server,
	Title:   "browser may not send a header field that it needs",
	Explain: "The preflight request names the fields, and the browser sends the message only if all are allowed. A wildcard does not allow Authorization.",
	Hint:    "allow Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method and Mcp-Name",
	Refs:    corsRefs(),
}

var corsExposeHeaders = &rule.Rule{
	ID: "cors-expose-headers", Severity: session.Warning, Fault: rule.Server,
	Title:   "browser may not read a header field that it needs",
	Explain: "A page reads only fields that are exposed. Without Mcp-Session-Id it cannot stay in its session; without WWW-Authenticate it cannot find out how to log in.",
	Hint:    "send Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate",
	Refs:    corsRefs(),
}

var corsMethods = &rule.Rule{
	ID: "cors-methods", Severity: session.Info, Fault: rule.Server,
	Title:   "browser may not send a method that it asked for",
	Explain: "GET and POST need no permission. DELETE, which ends a session, must be named in Access-Control-Allow-Methods.",
	Hint:    "send Access-Control-Allow-Methods: GET, POST, DELETE",
	Refs:    corsRefs(),
}
