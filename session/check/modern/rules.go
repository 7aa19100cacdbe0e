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
		removedMethod, serverInitiatedRequest, clientSentResponse,
		serverCancelledRequest, clientProgress, logWithoutOptIn,
		missingCacheHints, badCacheHint, toolOrderUnstable,
	},
	New: func() session.Checker { return &modernConn{} },
}

// Where the specification speaks of what modern messages carry.
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
	ID:       "missing-request-meta",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a modern request lacks its revision, or the client's capabilities",
	Explain: "Revision 2026-07-28 has no handshake: each request carries its revision and the client's capabilities in _meta, an empty object where there are " +
		"none. Without them a server answers -32602, or takes the request for one of an older revision.",
	Hint: "stamp every request with io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities",
	Refs: metaRefs,
}

var requestMetaType = &rule.Rule{
	ID:       "request-meta-type",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "the metadata of a modern request has the wrong type",
	Explain: "The revision is a string, the capabilities are an object, clientInfo has a name and a version, and logLevel is one of debug, info, notice, warning, " +
		"error, critical, alert and emergency. Servers refuse the request.",
	Hint: "write the metadata as the schema's RequestMetaObject has it",
	Refs: metaRefs,
}

var missingClientInfo = &rule.Rule{
	ID:       "missing-client-info",
	Severity: session.Info,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a modern client does not say who it is",
	Explain:  "Each request should carry clientInfo; it is for logs and for finding out who did what. It is reported once a connection.",
	Hint:     "add io.modelcontextprotocol/clientInfo with name and version to the metadata of requests",
	Refs:     metaRefs,
}

var missingServerInfo = &rule.Rule{
	ID:       "missing-server-info",
	Severity: session.Info,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server does not say who it is",
	Explain: "Each result should carry serverInfo in its _meta; it is for logs and for display. Only the result of server/discover is looked at, where clients " +
		"take it from.",
	Hint: "add io.modelcontextprotocol/serverInfo with name and version to the _meta of results",
	Refs: metaRefs,
}

var missingResultType = &rule.Rule{
	ID:       "missing-result-type",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern result does not say of which type it is",
	Explain: "Every result has resultType, so that a client can tell a result from a question. Clients take a result without it for one of an older server, and may " +
		"look for nothing else in it. It is reported only of servers that showed that they are modern.",
	Hint: `add "resultType":"complete" to the result`,
	Refs: resultTypeRefs,
}

var unknownResultType = &rule.Rule{
	ID:       "unknown-result-type",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern result is of a type that the client cannot know",
	Explain: "The types are complete and input_required; extensions add others, where the client declared the extension in that request. A client must treat any other " +
		"result as invalid.",
	Hint: "use complete or input_required; use an extension's type only for requests that declare it",
	Refs: resultTypeRefs,
}

var discoverNotImplemented = &rule.Rule{
	ID:       "discover-not-implemented",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server does not know server/discover",
	Explain: "Clients ask server/discover to find out whether a server is modern. One that answers other modern requests and does not know this one is taken for a " +
		"legacy server: the client sends initialize.",
	Hint:   "implement server/discover",
	Refs:   discoverRefs,
	Breaks: []string{"Go SDK", "Python SDK 2", "TypeScript SDK 2 (auto)"},
}

var discoverShape = &rule.Rule{
	ID:       "discover-shape",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "the result of server/discover lacks something that it must have",
	Explain: "It has supportedVersions, a list, and capabilities, an object. A serverInfo at its top, and not in _meta, is what release candidates had, and an " +
		"information.",
	Hint: "answer supportedVersions, capabilities, resultType, ttlMs and cacheScope; put serverInfo into _meta",
	Refs: discoverRefs,
}

var unsupportedVersionShape = &rule.Rule{
	ID:       "unsupported-version-shape",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server refuses a revision and does not say which ones it has",
	Explain: "The error -32022 has data with supported, a list of revisions, and requested. The client picks one of the list and tries again; without it the client gives " +
		"up. The code -32004 with such a list is that of release candidates, and an information.",
	Hint: `answer code -32022 with "data":{"supported":[…],"requested":"…"}`,
	Refs: revisionRefs,
}

var missingCapabilityErrorShape = &rule.Rule{
	ID:       "missing-capability-error-shape",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server misses a capability and does not say which",
	Explain:  "The error -32021 has data with requiredCapabilities, an object like the client's own. A client that can do it learns there what to declare.",
	Hint:     `answer code -32021 with "data":{"requiredCapabilities":{…}}`,
	Refs:     modernErrorRefs,
}

var reservedErrorCode = &rule.Rule{
	ID:       "reserved-error-code",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern error has a code that is reserved, or that was given up",
	Explain: "-32020 to -32099 belong to the specification, which defines three of them; -32002 and -32042 meant something in older revisions and must not be sent any more. " +
		"Codes from -32000 to -32019 are left to what used them before, and an information.",
	Hint: "use -32602 for what does not exist, and codes outside -32768 to -32000 for your own",
	Refs: modernErrorRefs,
}

var fallbackAfterModernError = &rule.Rule{
	ID:       "fallback-after-modern-error",
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "a client falls back to initialize though the server is modern",
	Explain: "The error -32022 comes from a modern server and lists what it supports. The client is to try again with a revision of that list. It is " +
		"reported where the list has modern revisions only, so that initialize cannot work, and where the client had not given up waiting.",
	Hint: "on -32022 try again with a revision of data.supported; fall back on any other error",
	Refs: bothErasRefs,
}

var modernRequestToLegacyServer = &rule.Rule{
	ID:       "modern-request-to-legacy-server",
	Severity: session.Warning,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a client speaks 2026-07-28 to a server that shows no sign of it",
	Explain: "The server refused server/discover, or answered without resultType, and nothing modern ever came from it. Some servers answer such requests by accident, " +
		"without a handshake and without knowing what the client can do.",
	Hint: "ask server/discover first, and send initialize where it is refused",
	Refs: bothErasRefs,
}

var mixedEra = &rule.Rule{
	ID:       "mixed-era",
	Severity: session.Warning,
	Fault:    rule.Client,
	Title:    "a client speaks in both eras on one connection",
	Explain: "Servers may serve both at once, but the TypeScript and Python servers decide by the first request and refuse the other era afterwards. Probing with " +
		"server/discover decides nothing, and falling back after an error is right.",
	Hint: "stay in the era that the connection began in",
	Refs: bothErasRefs,
}

var removedMethod = &rule.Rule{
	ID:       "removed-method",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V5,
	Title:    "a method is used that 2026-07-28 does not have any more",
	Explain: "Gone are notifications/initialized, ping, logging/setLevel (the metadata of each request has a log level), resources/subscribe (subscriptions/listen), " +
		"tasks/result and tasks/list (the tasks extension), and news of roots and of elicitations.",
	Hint: "use what has taken its place, or nothing",
	Refs: changelogRefs,
}

var serverInitiatedRequest = &rule.Rule{
	ID:       "server-initiated-request",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a server sends a request to a modern client",
	Explain: "From 2026-07-28 on servers send no requests, and clients send no responses. What a server wants to know it puts into a result of type input_required, and the " +
		"client asks again with the answer. Most clients will not answer the request. What a client answers all the same follows from it and is not " +
		"reported.",
	Hint: "answer the client's request with a result of type input_required",
	Refs: patternRefs,
}

var clientSentResponse = &rule.Rule{
	ID:       "client-sent-response",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a modern client sends a response",
	Explain: "From 2026-07-28 on clients send requests and notifications only, not even an error where they could not read a line. Answers to requests that the " +
		"server should not have sent belong to server-initiated-request.",
	Hint: "put answers into inputResponses of the repeated request; drop what cannot be read",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "sending-messages"}},
}

var serverCancelledRequest = &rule.Rule{
	ID:       "server-cancelled-request",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a server cancels a request of a modern client",
	Explain:  "Only subscriptions/listen may be ended so by a server. Any other request is answered, with an error where it cannot be done.",
	Hint:     "answer the request with an error",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/cancellation", Anchor: "behavior-requirements"}},
}

var clientProgress = &rule.Rule{
	ID:       "client-progress",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a modern client reports progress",
	Explain:  "Servers send no requests from 2026-07-28 on, so that there is nothing whose progress a client could report.",
	Hint:     "send no notifications/progress to modern servers",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/progress"}},
}

var logWithoutOptIn = &rule.Rule{
	ID:       "log-without-opt-in",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server sends a log message that nobody asked for",
	Explain: "Log messages belong to a request that has logLevel in its metadata, and come while it is under way. It is reported where no request under way has one, nor " +
		"one that ended within the last second.",
	Hint: "log for requests that ask for it; everything else goes to stderr",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "server/utilities/logging", Anchor: "per-request-log-level"}},
}

var missingCacheHints = &rule.Rule{
	ID:       "missing-cache-hints",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern list, resource or discovery does not say how long it may be kept",
	Explain: "The results of server/discover, tools/list, prompts/list, resources/list, resources/templates/list and resources/read have ttlMs and cacheScope. " +
		"Clients that decode into types fail without them.",
	Hint: `add "ttlMs":0 and "cacheScope":"private" where nothing may be kept`,
	Refs: cachingRefs,
}

var badCacheHint = &rule.Rule{
	ID:       "bad-cache-hint",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a hint for caches has a value that it cannot have",
	Explain:  "ttlMs is a whole number of milliseconds from 0, cacheScope is public or private, and all pages of one listing have the same scope.",
	Hint:     "send ttlMs as an integer from 0, and one of public and private for all pages",
	Refs:     cachingRefs,
}

var toolOrderUnstable = &rule.Rule{
	ID:       "tool-order-unstable",
	Severity: session.Info,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server lists the same tools in another order",
	Explain:  "The order should be the same each time: models are shown the list, and what they have in their cache is void when it changes. It often comes from a map.",
	Hint:     "sort the tools, or keep the order in which they were registered",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "server/tools", Anchor: "capabilities"}},
}
