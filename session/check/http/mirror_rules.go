package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var mcpHeaders = &rule.Rule{
	ID: "http-mcp-headers", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title: "Mcp-Method or Mcp-Name is missing or differs from the body",
	Explain: "Mcp-Method repeats the method; Mcp-Name repeats the name or the URI of tools/call, prompts/get and resources/read, and the taskId of the tasks " +
		"extension. Intermediaries route by them, so servers refuse a request whose fields differ from its body.",
	Hint: "set both from the body; write a value that is not plain ASCII as =?base64?…?=",
	Refs: modernRefs("standard-request-headers"),
}

var paramHeaders = &rule.Rule{
	ID: "http-param-headers", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title: "Mcp-Param field is missing or differs from its argument",
	Explain: "A tool can mark parameters with x-mcp-header, which clients repeat in Mcp-Param fields. The field is left out if the argument is null or absent. A " +
		"missing field is reported only while the list of tools is valid by its ttlMs.",
	Hint: "set Mcp-Param fields from the arguments, as the latest tools/list wants",
	Refs: modernRefs("custom-headers-from-tool-parameters"),
}

var mismatchAccepted = &rule.Rule{
	ID: "http-mismatch-accepted", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "server accepts header fields that differ from the body",
	Explain: "An intermediary acts on the fields and the server on the body: if they may differ, a client can pass a rule with one and do the other.",
	Hint:    "compare the fields with the body, and answer 400 with the error -32020 if they differ",
	Refs:    validationRefs(),
}

var errorStatus = &rule.Rule{
	ID: "http-error-status", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "error has the wrong status",
	Explain: "An unknown method is answered 404, and 400 goes with -32020, -32021, -32022 and a missing _meta. Intermediaries and clients that look for the server's era see only the status.",
	Hint:    "answer 404 with -32601, and 400 with -32020, -32021, -32022 and a missing _meta",
	Refs:    modernRefs("protocol-version-header"),
}

var errorBodyMissing = &rule.Rule{
	ID: "http-error-body-missing", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "400 or 404 without a JSON-RPC error",
	Explain: "The error is what tells a method that the server does not know from a path that it does not have, and a modern server from an older one. Without it clients fall back to initialize.",
	Hint:    "answer with a JSON-RPC error that has the id of the request",
	Refs:    validationRefs(),
}

var duplicateHeader = &rule.Rule{
	ID: "http-duplicate-header", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title:   "header field was sent more than once",
	Explain: "MCP-Protocol-Version, Mcp-Method, Mcp-Name and each Mcp-Param field have one value. Receivers take the first, the last, or both joined by a comma.",
	Hint:    "set the field, instead of adding to it",
	Refs:    rfc("https://www.rfc-editor.org/rfc/rfc9110#section-5.3"),
}

var headerUnneeded = &rule.Rule{
	ID: "http-header-unneeded", Severity: session.Info, Fault: rule.Client, Since: mcp.V5,
	Title:   "header field has nothing to repeat",
	Explain: "Mcp-Name on a method without a name, or an Mcp-Param field that the tool does not ask for. Servers ignore it.",
	Hint:    "leave the field out",
	Refs:    modernRefs("standard-request-headers"),
}

var headerInvalid = &rule.Rule{
	ID: "x-mcp-header-invalid", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "x-mcp-header of a tool is invalid",
	Explain: "The value is a part of a field's name: not empty, only the characters of a token, and unique in the tool without regard to case. It annotates a " +
		"property of the type string, integer or boolean that properties alone lead to. Clients leave out a tool that breaks this.",
	Hint: "annotate only plain properties, each with its own name of letters, digits and hyphens",
	Refs: modernRefs("schema-extension"),
}

var invalidToolUsed = &rule.Rule{
	ID: "http-invalid-tool-used", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title:   "client calls a tool whose x-mcp-header is invalid",
	Explain: "Over HTTP a client must leave such a tool out of its list, because it cannot set the fields that the server expects.",
	Hint:    "drop tools with an invalid x-mcp-header from the list",
	Refs:    modernRefs("schema-extension"),
}

var mismatchNoRefresh = &rule.Rule{
	ID: "http-mismatch-no-refresh", Severity: session.Info, Fault: rule.Client, Since: mcp.V5,
	Title:   "client repeats a call whose header fields were refused",
	Explain: "After the error -32020 the client's list of tools may be out of date. It should request tools/list before it calls again.",
	Hint:    "send tools/list after -32020, and set the fields by its result",
	Refs:    modernRefs("client-behavior"),
}

var noBufferingHeader = &rule.Rule{
	ID: "sse-no-buffering-header", Severity: session.Info, Fault: rule.Server, Since: mcp.V5,
	Title: "event stream without X-Accel-Buffering: no",
	Explain: "nginx and other reverse proxies collect a response before they pass it on, unless this field tells them not to. Progress then comes with the response. " +
		"nginx removes the field from the response, so nothing is reported about a response that came through a known proxy.",
	Hint: "send X-Accel-Buffering: no with every event stream",
	Refs: modernRefs("receiving-messages"),
}

var cacheConflict = &rule.Rule{
	ID: "http-cache-conflict", Severity: session.Warning, Fault: rule.Server, Since: mcp.V5,
	Title:   "private result may be cached by everyone",
	Explain: "The result says cacheScope private, and Cache-Control lets a shared cache keep it: it may be given to another user.",
	Hint:    "send Cache-Control: private or no-store with results that are private",
	Refs:    []rule.Ref{{Since: mcp.V5, Page: "server/utilities/caching", Anchor: "cache-scope-field"}},
}

var cacheServedRetry = &rule.Rule{
	ID: "http-cache-served-retry", Severity: session.Error, Fault: rule.Intermediary, Since: mcp.V5,
	Title: "retry was answered from a cache",
	Explain: "A request with inputResponses or requestState goes on where an earlier one stopped: its response is its own, and is never taken from a cache, which " +
		"would answer one user with what another one said. Reported where the response says that it was not made for this request: by Age of a second or more, by hit in Cache-Status, or by " +
		"HIT in X-Cache or CF-Cache-Status. A cache that says nothing is not noticed.",
	Hint: "have the cache in front of the server pass POST requests on",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "server/utilities/caching", Anchor: "cache-key"}},
}

var legacyArtifacts = &rule.Rule{
	ID: "http-legacy-artifacts", Severity: session.Info, Fault: rule.Client, Since: mcp.V5,
	Title:   "something that 2026-07-28 no longer has over HTTP",
	Explain: "Sessions, GET streams, DELETE, ids of events and notifications/cancelled belong to earlier revisions. Servers and clients of 2026-07-28 ignore them or answer 405.",
	Hint:    "leave it out if both sides speak 2026-07-28",
	Refs:    modernRefs("earlier-streamable-http-revisions"),
}
