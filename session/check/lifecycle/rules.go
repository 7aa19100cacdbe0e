package lifecycle

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Family = rule.Family{
	Name:  "lifecycle",
	Title: "Legacy lifecycle",
	Rules: []*rule.Rule{
		requestBeforeInitialize, requestDuringInitialize, serverRequestBeforeInitialized,
		notificationBeforeInitializeResponse, missingInitialized, wrongInitializedMethod,
		duplicateInitialize, initializeCancelled, initializeMissingField,
		VersionAnswerUnknown, versionRefusedWithError, versionAnswerIgnored,
		modernVersionInInitialize, draftVersion,
		FeatureNewerThanVersion, CapabilityNotNegotiated, DeclaredButUnimplemented, ServedButUndeclared,
		undeclaredListChanged, pingBadResult,
	},
	New: func() session.Checker { return &lifecycleConn{} },
}

// References for the handshake.
var (
	initializationRefs = []rule.Ref{{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "initialization"}}
	negotiationRefs    = []rule.Ref{{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "version-negotiation"}}
	operationRefs      = []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "operation"},
		{Since: mcp.V5, Page: "basic", Anchor: "_meta"},
	}
)

var requestBeforeInitialize = &rule.Rule{
	ID: "request-before-initialize", Severity: session.Error, Fault: rule.Client, Until: mcp.V4,
	Title: "client sends a request before initialize",
	Explain: "Up to 2025-11-25, initialize is the first message; only pings may precede it. Servers answer any other request with an error, or exit. A " +
		"request with the metadata of 2026-07-28 needs no handshake, and server/discover asks whether one is needed.",
	Hint: "send initialize first and wait for its result, or add the metadata of 2026-07-28 to each request",
	Refs: initializationRefs,
}

var requestDuringInitialize = &rule.Rule{
	ID: "request-during-initialize", Severity: session.Warning, Fault: rule.Client, Until: mcp.V4,
	Title: "client sends a request before initialize is answered",
	Explain: "Until the result arrives, neither the revision nor the server's capabilities are known, and many servers reject requests that arrive in " +
		"between. Pings are allowed.",
	Hint: "wait for the result of initialize before sending the next request",
	Refs: initializationRefs,
}

var serverRequestBeforeInitialized = &rule.Rule{
	ID: "server-request-before-initialized", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4,
	Title: "server sends a request before notifications/initialized",
	Explain: "Before notifications/initialized a client may not be ready to respond; a server may only ping and log. Often the server requests roots from " +
		"within the handler of initialize: with clients that process one message at a time, both sides then wait for each other.",
	Hint: "send the request from the handler of notifications/initialized, or later",
	Refs: initializationRefs,
}

var notificationBeforeInitializeResponse = &rule.Rule{
	ID: "notification-before-initialize-response", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4,
	Title: "server sends a notification before the result of initialize",
	Explain: "The specification restricts only requests here, but clients that take the first message as the result of initialize fail. Log messages are " +
		"allowed, and so is progress for initialize itself.",
	Hint: "register tools, prompts and resources before connecting, and report changes only after notifications/initialized",
	Refs: initializationRefs,
}

var missingInitialized = &rule.Rule{
	ID: "missing-initialized", Severity: session.Error, Fault: rule.Client, Until: mcp.V4,
	Title: "client sends requests without notifications/initialized",
	Explain: "After the result of initialize the client reports that it is ready. Servers that wait for this reject requests, or never request roots and " +
		"never report changes. If the notification follows within a second of the first request, the two were only sent in the wrong order, which is " +
		"a warning. Known clients set the log level first, which is not reported.",
	Hint: "send notifications/initialized as soon as the result of initialize arrives, before any request",
	Refs: initializationRefs,
}

var wrongInitializedMethod = &rule.Rule{
	ID: "wrong-initialized-method", Severity: session.Error, Fault: rule.Client, Until: mcp.V4,
	Title:   "client sends notifications/initialized under a wrong name",
	Explain: "The method is notifications/initialized. If it has another name, as LSP libraries send it, the server never learns that the client is ready.",
	Hint:    "use the method name notifications/initialized",
	Refs:    initializationRefs,
}

var duplicateInitialize = &rule.Rule{
	ID: "duplicate-initialize", Severity: session.Warning, Fault: rule.Client, Until: mcp.V4,
	Title: "client sends initialize twice on one connection",
	Explain: "A connection has one handshake. Servers answer the second one with an error, or discard the result of the first. A second attempt after a " +
		"refused one is not a fault. Proxies that forward the handshake of each of their clients look like this.",
	Hint: "start a new process for a new session; a proxy must keep the result of the first handshake",
	Refs: initializationRefs,
}

var initializeCancelled = &rule.Rule{
	ID: "initialize-cancelled", Severity: session.Error, Fault: rule.Client, Until: mcp.V4,
	Title:   "client cancels initialize",
	Explain: "The session cannot continue without the handshake, so initialize must not be cancelled. The usual cause is a timeout that treats all requests alike.",
	Hint:    "close the connection instead; use a longer timeout for initialize if servers start slowly",
	Refs:    []rule.Ref{{Until: mcp.V4, Page: "basic/utilities/cancellation", Anchor: "behavior-requirements"}},
}

var initializeMissingField = &rule.Rule{
	ID: "initialize-missing-field", Severity: session.Error, Until: mcp.V4,
	Title: "required member of initialize or its result is missing",
	Explain: "The request has protocolVersion, capabilities and clientInfo, the result protocolVersion, capabilities and serverInfo; clientInfo and " +
		"serverInfo have a name and a version. Most SDKs validate these and give up the connection.",
	Hint: "send protocolVersion, capabilities (an empty object is enough) and clientInfo or serverInfo with name and version",
	Refs: initializationRefs,
}

var VersionAnswerUnknown = &rule.Rule{
	ID: "version-answer-unknown", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4,
	Title: "initialize is answered with an invalid revision",
	Explain: "Clients compare the answer with the revisions that they support, and disconnect. The usual cause is a constant, such as the version of the " +
		"server, or an echo of whatever the client requested.",
	Hint: "answer with the requested revision if it is supported, else with the latest supported one",
	Refs: negotiationRefs,
}

var versionRefusedWithError = &rule.Rule{
	ID: "version-refused-with-error", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4,
	Title: "revision is refused with an error instead of an alternative",
	Explain: "A server that does not support the requested revision answers with the latest one that it supports, and the client decides. An error ends a " +
		"connection that might have worked. Elsewhere the specification shows such an error as an example, hence a warning. A server that supports no " +
		"handshake at all, and says so, is not at fault.",
	Hint: "answer initialize with the latest revision that you support",
	Refs: negotiationRefs,
}

var versionAnswerIgnored = &rule.Rule{
	ID: "version-answer-ignored", Severity: session.Info, Fault: rule.Client, Until: mcp.V4,
	Title: "client accepts a newer revision than it requested",
	Explain: "Clients should request the newest revision that they support, so a newer answer is one that they do not support, and they should disconnect. " +
		"A client that requested an older revision than necessary may still support the newer one; hence the severity info.",
	Hint: "compare the answered revision with those that you support, and disconnect if it is not among them",
	Refs: negotiationRefs,
}

var modernVersionInInitialize = &rule.Rule{
	ID: "modern-version-in-initialize", Severity: session.Warning, Fault: rule.Client, Until: mcp.V4,
	Title:   "client requests 2026-07-28 in initialize",
	Explain: "Revision 2026-07-28 has no handshake: each request names its revision. A server cannot answer initialize with it, and at best offers an older one.",
	Hint:    "request 2025-11-25 in initialize; to use 2026-07-28, begin with server/discover",
	Refs:    []rule.Ref{{Since: mcp.V5, Page: "basic/versioning", Anchor: "terminology"}},
}

var draftVersion = &rule.Rule{
	ID: "draft-version", Severity: session.Info,
	Title:   "draft revision",
	Explain: "Drafts were in use for some weeks, and few peers know their names: DRAFT-2025-v3, DRAFT-2026-v1, and 2024-10-07, which preceded the first release.",
	Hint:    "update the SDK, and use a published revision",
}

var FeatureNewerThanVersion = &rule.Rule{
	ID: "feature-newer-than-version", Severity: session.Warning, Until: mcp.V4,
	Title: "feature is newer than the negotiated revision",
	Explain: "The two sides agreed on a revision, and the method was added later. The receiver may not know it, and answer with the error -32601, method " +
		"not found. If the receiver declared the capability anyway, the severity is info. The same applies to a request that asks for a task: older " +
		"servers process it as an ordinary call.",
	Hint: "check the negotiated revision before using newer features",
	Refs: operationRefs,
}

var CapabilityNotNegotiated = &rule.Rule{
	ID: "capability-not-negotiated", Severity: session.Error,
	Title: "request needs a capability that the receiver did not declare",
	Explain: "Only declared capabilities may be used: servers declare tools, prompts, resources, completions and logging, clients sampling, elicitation " +
		"and roots. Up to 2025-03-26 the specification says SHOULD, which makes this a warning. Well-known clients request every list regardless, " +
		"which has severity info.",
	Hint: "check the capabilities of the other side first; if it supports the feature, it must declare it",
	Refs: operationRefs,
}

var DeclaredButUnimplemented = &rule.Rule{
	ID: "declared-but-unimplemented", Severity: session.Warning, Fault: rule.Server,
	Title: "server does not implement a capability that it declared",
	Explain: "A capability promises its methods. Clients that go by the capabilities use it and receive -32601: a list fails, or completion never offers " +
		"anything. From 2026-07-28 on this is an error, because servers must respond then.",
	Hint: "remove the capability, or answer with an empty list",
	Refs: []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "capability-negotiation"},
		{Since: mcp.V5, Page: "server/tools", Anchor: "capabilities"},
	},
}

var ServedButUndeclared = &rule.Rule{
	ID: "served-but-undeclared", Severity: session.Error, Fault: rule.Server,
	Title: "server has tools, prompts or resources without declaring the capability",
	Explain: "A client reads from the capabilities what a server has. One that goes by them does not request a list whose capability is missing, and its " +
		"user sees nothing of what the server offers; others request it anyway. An empty list is not reported.",
	Hint: `declare the capability, as in "capabilities":{"tools":{}}`,
	Refs: []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "capability-negotiation"},
		{Since: mcp.V5, Page: "server/tools", Anchor: "capabilities"},
	},
}

var undeclaredListChanged = &rule.Rule{
	ID: "undeclared-list-changed", Severity: session.Warning, Fault: rule.Server,
	Title: "server reports list changes without declaring listChanged",
	Explain: "Servers declare with listChanged:true that they report changes. Clients may not listen for changes that were not declared, and keep showing " +
		"the old list.",
	Hint: `declare "listChanged":true, or send no such notifications`,
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "capabilities"}},
}

var pingBadResult = &rule.Rule{
	ID: "ping-bad-result", Severity: session.Warning, Until: mcp.V4,
	Title: "ping is answered with an error or a non-empty result",
	Explain: "The answer to a ping is an empty object. An error makes the other side assume that the connection is dead, and some clients then close it. " +
		"Most ignore the content of the result.",
	Hint: `answer ping with "result":{}, at any time`,
	Refs: []rule.Ref{{Until: mcp.V4, Page: "basic/utilities/ping", Anchor: "behavior-requirements"}},
}
