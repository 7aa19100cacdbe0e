package modern

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Family = rule.Family{
	Name:  "modern",
	Title: "Modern envelope",
	Rules: []*rule.Rule{
		missingRequestMeta, requestMetaType, missingClientInfo, missingServerInfo,
		missingResultType, unknownResultType, discoverNotImplemented, discoverShape,
		unsupportedVersionShape, missingCapabilityErrorShape, reservedErrorCode,
		fallbackAfterModernError, modernRequestToLegacyServer, mixedEra,
		removedMethod, ServerInitiatedRequest, clientSentResponse,
		serverCancelledRequest, clientProgress, logWithoutOptIn,
		missingCacheHints, badCacheHint, toolOrderUnstable,
	},
	New: func() session.Checker { return &modernConn{} },
}

// References for the envelope of modern messages.
var (
	metaRefs        = []rule.Ref{{Since: mcp.V5, Page: "basic", Anchor: "_meta"}}
	resultTypeRefs  = []rule.Ref{{Since: mcp.V5, Page: "basic", Anchor: "resulttype"}}
	discoverRefs    = []rule.Ref{{Since: mcp.V5, Page: "server/discover"}}
	modernErrorRefs = []rule.Ref{{Since: mcp.V5, Page: "basic", Anchor: "error-codes"}}
	revisionRefs    = []rule.Ref{{Since: mcp.V5, Page: "basic/versioning", Anchor: "protocol-version-negotiation"}}
	bothErasRefs    = []rule.Ref{{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "backward-compatibility"}}
	patternRefs     = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns"}}
	changelogRefs   = []rule.Ref{{Since: mcp.V5, Page: "changelog"}}
	cachingRefs     = []rule.Ref{{Since: mcp.V5, Page: "server/utilities/caching", Anchor: "cacheable-results"}}
)

var missingRequestMeta = &rule.Rule{
	ID: "missing-request-meta", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title: "modern request without protocolVersion or clientCapabilities",
	Explain: "Revision 2026-07-28 has no handshake: each request has its revision and the client's capabilities in _meta, an empty object if there are " +
		"none. Without them a server answers with -32602, or treats the request as one of an older revision.",
	Hint: "add io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities to the _meta of every request",
	Refs: metaRefs,
}

var requestMetaType = &rule.Rule{
	ID: "request-meta-type", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title: "metadata of a modern request has the wrong type",
	Explain: "protocolVersion is a string, clientCapabilities an object, clientInfo has a name and a version, and logLevel is one of debug, info, notice, " +
		"warning, error, critical, alert and emergency. Servers reject the request otherwise.",
	Hint: "write the metadata as RequestMetaObject of the schema defines it",
	Refs: metaRefs,
}

var missingClientInfo = &rule.Rule{
	ID: "missing-client-info", Severity: session.Info, Fault: rule.Client, Since: mcp.V5,
	Title:   "modern request without clientInfo",
	Explain: "Each request should have clientInfo, which is used for logs and for attribution. It is reported once per connection.",
	Hint:    "add io.modelcontextprotocol/clientInfo with name and version to the metadata of requests",
	Refs:    metaRefs,
}

var missingServerInfo = &rule.Rule{
	ID: "missing-server-info", Severity: session.Info, Fault: rule.Server, Since: mcp.V5,
	Title: "modern server without serverInfo",
	Explain: "Each result should have serverInfo in its _meta, which is used for logs and display. Only the result of server/discover is checked, from " +
		"which clients take it.",
	Hint: "add io.modelcontextprotocol/serverInfo with name and version to the _meta of results",
	Refs: metaRefs,
}

var missingResultType = &rule.Rule{
	ID: "missing-result-type", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "modern result without resultType",
	Explain: "Every result has a resultType, so that a client can distinguish a result from a request for input. Clients treat a result without it as one " +
		"of an older server, and may ignore its modern members. It is reported only for servers that have shown that they are modern.",
	Hint: `add "resultType":"complete" to the result`,
	Refs: resultTypeRefs,
}

var unknownResultType = &rule.Rule{
	ID: "unknown-result-type", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "unknown resultType",
	Explain: "The types are complete and input_required. Extensions add others, which are allowed if the client declared the extension in that request. A " +
		"client must treat any other result as invalid.",
	Hint: "use complete or input_required; use an extension's type only for requests that declare the extension",
	Refs: resultTypeRefs,
}

var discoverNotImplemented = &rule.Rule{
	ID: "discover-not-implemented", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "modern server does not implement server/discover",
	Explain: "Clients send server/discover to find out whether a server is modern. A server that answers other modern requests but not this one is taken " +
		"for a legacy server: the client sends initialize.",
	Hint: "implement server/discover",
	Refs: discoverRefs,
}

var discoverShape = &rule.Rule{
	ID: "discover-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "invalid result of server/discover",
	Explain: "The result has supportedVersions, an array, and capabilities, an object. A top-level serverInfo instead of one in _meta is the form of " +
		"release candidates and has severity info.",
	Hint: "return supportedVersions, capabilities, resultType, ttlMs and cacheScope; put serverInfo into _meta",
	Refs: discoverRefs,
}

var unsupportedVersionShape = &rule.Rule{
	ID: "unsupported-version-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "refused revision without a valid list of supported ones",
	Explain: "The data of the error -32022 has supported, an array of revisions, and requested. The client picks a revision from the list and retries; " +
		"without the list it gives up. The code -32004 with such a list is that of release candidates and has severity info.",
	Hint: `return code -32022 with "data":{"supported":[…],"requested":"…"}`,
	Refs: revisionRefs,
}

var missingCapabilityErrorShape = &rule.Rule{
	ID: "missing-capability-error-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "error for a missing capability does not name it",
	Explain: "The data of the error -32021 has requiredCapabilities, an object with the same form as clientCapabilities. From it a client that has the " +
		"capability learns what to declare.",
	Hint: `return code -32021 with "data":{"requiredCapabilities":{…}}`,
	Refs: modernErrorRefs,
}

var reservedErrorCode = &rule.Rule{
	ID: "reserved-error-code", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "reserved or retired error code",
	Explain: "-32020 to -32099 belong to the specification, which defines three of them. -32002 and -32042 were defined by older revisions and must not be " +
		"sent any more. Codes from -32000 to -32019 are reserved for existing uses and have severity info.",
	Hint: "use -32602 for missing items, and codes outside -32768 to -32000 for your own errors",
	Refs: modernErrorRefs,
}

var fallbackAfterModernError = &rule.Rule{
	ID: "fallback-after-modern-error", Severity: session.Error, Fault: rule.Client,
	Title: "client falls back to initialize although the server is modern",
	Explain: "The error -32022 comes from a modern server and lists the revisions that it supports. The client should retry with one of these. It is " +
		"reported if the list has modern revisions only, so that initialize cannot work, and if the client had not yet given up waiting.",
	Hint: "on -32022 retry with a revision from data.supported; fall back on any other error",
	Refs: bothErasRefs,
}

var modernRequestToLegacyServer = &rule.Rule{
	ID: "modern-request-to-legacy-server", Severity: session.Warning, Fault: rule.Client, Since: mcp.V5,
	Title: "modern request to a server that appears to be legacy",
	Explain: "The server refused server/discover, or answered without resultType, and never sent anything modern. Some servers answer such requests by " +
		"accident, without a handshake and without knowing the client's capabilities.",
	Hint: "send server/discover first, and initialize if it is refused",
	Refs: bothErasRefs,
}

var mixedEra = &rule.Rule{
	ID: "mixed-era", Severity: session.Warning, Fault: rule.Client,
	Title: "client mixes legacy and modern requests on one connection",
	Explain: "Servers may support both at the same time, but the TypeScript and Python servers choose the era at the first request and refuse the other " +
		"one afterwards. A probe with server/discover does not choose an era, and falling back after an error is correct.",
	Hint: "stay in the era in which the connection began",
	Refs: bothErasRefs,
}

var removedMethod = &rule.Rule{
	ID: "removed-method", Severity: session.Error, Since: mcp.V5,
	Title: "method was removed in 2026-07-28",
	Explain: "These were removed: notifications/initialized, ping, logging/setLevel (replaced by a log level in the metadata of each request), " +
		"resources/subscribe (replaced by subscriptions/listen), tasks/result and tasks/list (replaced by the tasks extension), and the notifications " +
		"about roots and elicitations.",
	Hint: "use the replacement if there is one, or omit the message",
	Refs: changelogRefs,
}

var ServerInitiatedRequest = &rule.Rule{
	ID: "server-initiated-request", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "server sends a request to a modern client",
	Explain: "From 2026-07-28 on, servers send no requests and clients send no responses. A server returns its questions in a result of type " +
		"input_required, and the client retries the request with the answers. Most clients will not answer the request. A response that the client " +
		"sends nevertheless is not reported.",
	Hint: "answer the client's request with a result of type input_required",
	Refs: patternRefs,
}

var clientSentResponse = &rule.Rule{
	ID: "client-sent-response", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title: "modern client sends a response",
	Explain: "From 2026-07-28 on, clients send only requests and notifications, not even an error for a line that they could not read. Responses to " +
		"requests that the server should not have sent belong to server-initiated-request.",
	Hint: "put answers into inputResponses of the retried request; drop unreadable input",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "sending-messages"}},
}

var serverCancelledRequest = &rule.Rule{
	ID: "server-cancelled-request", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "server cancels a request of a modern client",
	Explain: "A server may end only subscriptions/listen in this way. It must answer any other request, with an error if it cannot be processed.",
	Hint:    "answer the request with an error",
	Refs:    []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/cancellation", Anchor: "behavior-requirements"}},
}

var clientProgress = &rule.Rule{
	ID: "client-progress", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title:   "modern client reports progress",
	Explain: "From 2026-07-28 on, servers send no requests, so there is nothing whose progress a client could report.",
	Hint:    "send no notifications/progress to modern servers",
	Refs:    []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/progress"}},
}

var logWithoutOptIn = &rule.Rule{
	ID: "log-without-opt-in", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "modern server sends a log message that was not requested",
	Explain: "Log messages belong to a request that has logLevel in its metadata, and arrive while it is in flight. It is reported if no request in flight " +
		"has a logLevel, nor one that ended within the last second.",
	Hint: "send log messages only for requests with a logLevel; write everything else to stderr",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "server/utilities/logging", Anchor: "per-request-log-level"}},
}

var missingCacheHints = &rule.Rule{
	ID: "missing-cache-hints", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "modern result without ttlMs or cacheScope",
	Explain: "The results of server/discover, tools/list, prompts/list, resources/list, resources/templates/list and resources/read have ttlMs and " +
		"cacheScope. Clients that decode results into types fail without them.",
	Hint: `add "ttlMs":0 and "cacheScope":"private" if the result must not be cached`,
	Refs: cachingRefs,
}

var badCacheHint = &rule.Rule{
	ID: "bad-cache-hint", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "invalid cache hint",
	Explain: "ttlMs is a non-negative integer of milliseconds, cacheScope is public or private, and all pages of a listing have the same scope.",
	Hint:    "send a non-negative integer as ttlMs, and the same scope, public or private, on all pages",
	Refs:    cachingRefs,
}

var toolOrderUnstable = &rule.Rule{
	ID: "tool-order-unstable", Severity: session.Info, Fault: rule.Server, Since: mcp.V5,
	Title: "order of the tools changes between listings",
	Explain: "The order should be the same each time: the list is shown to models, and a change invalidates their prompt cache. It is often caused by " +
		"iterating over a map.",
	Hint: "sort the tools, or keep the order in which they were registered",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "server/tools", Anchor: "capabilities"}},
}
