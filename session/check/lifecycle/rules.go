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
		FeatureNewerThanVersion, capabilityNotNegotiated, DeclaredButUnimplemented,
		undeclaredListChanged, pingBadResult,
	},
	New: func() session.Checker { return &lifecycleConn{} },
}

// Where the specification speaks of the handshake.
var (
	initializationRefs = []rule.Ref{{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "initialization"}}
	negotiationRefs    = []rule.Ref{{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "version-negotiation"}}
	operationRefs      = []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "operation"},
		{Since: mcp.V5, Page: "basic", Anchor: "_meta"},
	}
)

var requestBeforeInitialize = &rule.Rule{
	ID:       "request-before-initialize",
	Severity: session.Error,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client sends a request before it has initialized",
	Explain: "To 2025-11-25 initialize is the first thing that is said; only pings may come before it. Servers answer anything else with an error, or " +
		"end. A request with the metadata of 2026-07-28 needs no handshake, and server/discover asks whether one is needed.",
	Hint: "send initialize first and wait for its result, or stamp each request with the metadata of 2026-07-28",
	Refs: initializationRefs,
}

var requestDuringInitialize = &rule.Rule{
	ID:       "request-during-initialize",
	Severity: session.Warning,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client sends a request before initialize was answered",
	Explain: "Until its result is there neither the revision nor the server's capabilities are known, and many servers refuse what comes in between. " +
		"Pings are free.",
	Hint: "wait for the result of initialize before sending the next request",
	Refs: initializationRefs,
}

var serverRequestBeforeInitialized = &rule.Rule{
	ID:       "server-request-before-initialized",
	Severity: session.Warning,
	Fault:    rule.Server,
	Until:    mcp.V4,
	Title:    "a server asks before the client has initialized",
	Explain: "Until notifications/initialized a client may not be ready to answer; a server may only ping and log. The question is often for roots, asked " +
		"from within the handler of initialize: clients that read one message after the other then wait for each other.",
	Hint: "ask from the handler of notifications/initialized, or later",
	Refs: initializationRefs,
}

var notificationBeforeInitializeResponse = &rule.Rule{
	ID:       "notification-before-initialize-response",
	Severity: session.Warning,
	Fault:    rule.Server,
	Until:    mcp.V4,
	Title:    "a server notifies before initialize is answered",
	Explain: "The specification names requests only, but clients that take the first message for the result of initialize fail on anything else. Log " +
		"messages are expected there, and progress of initialize itself.",
	Hint: "register tools, prompts and resources before connecting, and report changes only after notifications/initialized",
	Refs: initializationRefs,
}

var missingInitialized = &rule.Rule{
	ID:       "missing-initialized",
	Severity: session.Error,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client goes on without notifications/initialized",
	Explain: "After the result of initialize the client says that it is ready. Servers that wait for it refuse requests, or never ask for roots nor report " +
		"changes. Where it comes within a second after the first request, the two were only sent in the wrong order, which is a warning. Setting the log " +
		"level first is what known clients do.",
	Hint: "send notifications/initialized as soon as the result of initialize is there, before any request",
	Refs: initializationRefs,
}

var wrongInitializedMethod = &rule.Rule{
	ID:       "wrong-initialized-method",
	Severity: session.Error,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client says that it is initialized by a name that nobody knows",
	Explain:  "The method is notifications/initialized. Under another name, which LSP libraries send, the server never learns that the client is ready.",
	Hint:     "name the method notifications/initialized",
	Refs:     initializationRefs,
}

var duplicateInitialize = &rule.Rule{
	ID:       "duplicate-initialize",
	Severity: session.Warning,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client initializes twice on one connection",
	Explain: "A connection has one handshake. Servers answer the second one with an error, or forget what was agreed. A second attempt after a refused one " +
		"is not a fault. Proxies that forward the handshake of each of their clients look like this.",
	Hint: "start a new process for a new session; a proxy must keep the result of the first handshake",
	Refs: initializationRefs,
}

var initializeCancelled = &rule.Rule{
	ID:       "initialize-cancelled",
	Severity: session.Error,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client cancels initialize",
	Explain:  "There is nothing to go on with when the handshake is cancelled, which is why it must not be. It mostly comes from a timeout that treats all requests alike.",
	Hint:     "close the connection instead; give initialize a longer timeout where servers start slowly",
	Refs:     []rule.Ref{{Until: mcp.V4, Page: "basic/utilities/cancellation", Anchor: "behavior-requirements"}},
}

var initializeMissingField = &rule.Rule{
	ID:       "initialize-missing-field",
	Severity: session.Error,
	Fault:    rule.Sender,
	Until:    mcp.V4,
	Title:    "initialize, or its result, lacks something that it must have",
	Explain: "The request has protocolVersion, capabilities and clientInfo, the result protocolVersion, capabilities and serverInfo; whoever names itself " +
		"gives a name and a version. SDKs check all of it, so that the connection ends here.",
	Hint: "send protocolVersion, capabilities (an empty object will do) and clientInfo or serverInfo with name and version",
	Refs: initializationRefs,
}

var VersionAnswerUnknown = &rule.Rule{
	ID:       "version-answer-unknown",
	Severity: session.Warning,
	Fault:    rule.Server,
	Until:    mcp.V4,
	Title:    "initialize is answered with a revision that cannot be",
	Explain: "Clients compare the answer with the revisions that they know, and end the connection. The usual cause is a constant of one's own, such as the " +
		"version of the server, or an echo of whatever the client asked for.",
	Hint: "answer the revision that was asked for where it is supported, else the latest one that is",
	Refs: negotiationRefs,
}

var versionRefusedWithError = &rule.Rule{
	ID:       "version-refused-with-error",
	Severity: session.Warning,
	Fault:    rule.Server,
	Until:    mcp.V4,
	Title:    "a revision is refused with an error, and no other one offered",
	Explain: "A server that does not know the revision asked for answers with the latest one it knows, and the client decides. An error ends a connection that " +
		"would have worked. The specification shows such an error as an example elsewhere, hence a warning. A server that knows no handshake at " +
		"all and says so is not at fault.",
	Hint: "answer initialize with the latest revision that you support",
	Refs: negotiationRefs,
}

var versionAnswerIgnored = &rule.Rule{
	ID:       "version-answer-ignored",
	Severity: session.Info,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client goes on in a revision newer than the one it asked for",
	Explain: "Clients should ask for the newest revision that they know, so that a newer answer is one that they do not know, and disconnect then. One that asked " +
		"for an older one than it had to may know it all the same, which is why this is an information.",
	Hint: "compare the answered revision with those that you support, and disconnect if you do not support it",
	Refs: negotiationRefs,
}

var modernVersionInInitialize = &rule.Rule{
	ID:       "modern-version-in-initialize",
	Severity: session.Warning,
	Fault:    rule.Client,
	Until:    mcp.V4,
	Title:    "a client asks for 2026-07-28 in initialize",
	Explain: "Revision 2026-07-28 has no handshake: each request names its revision. A server cannot answer initialize with it, and offers an older one at " +
		"best.",
	Hint: "ask for 2025-11-25 in initialize; to speak 2026-07-28 begin with server/discover",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/versioning", Anchor: "terminology"}},
}

var draftVersion = &rule.Rule{
	ID:       "draft-version",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a revision is named that was a draft",
	Explain:  "Drafts were in circulation for weeks, and few peers know their names: DRAFT-2025-v3, DRAFT-2026-v1, and 2024-10-07, which came before the first release.",
	Hint:     "update the SDK, and name a published revision",
}

var FeatureNewerThanVersion = &rule.Rule{
	ID:       "feature-newer-than-version",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Until:    mcp.V4,
	Title:    "something is used that the revision agreed on does not have",
	Explain: "The two sides agreed on a revision, and the method was added later. The other side may not know it, and answers with error -32601, method not found. " +
		"Where it said that it can do it all the same, this is an information; so is a request that is made a task, which older servers do as a plain call.",
	Hint: "look at the revision that initialize agreed on before using what is newer",
	Refs: operationRefs,
}

var capabilityNotNegotiated = &rule.Rule{
	ID:       "capability-not-negotiated",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a request needs a capability that the other side did not declare",
	Explain: "Only what was declared may be used: servers declare tools, prompts, resources, completions and logging, clients sampling, elicitation and roots. " +
		"To 2025-03-26 the sentence says should, which makes it a warning. Well-known clients ask for every list without looking, which is an information.",
	Hint: "look at the capabilities of the other side first; where it can do it, let it say so",
	Refs: operationRefs,
}

var DeclaredButUnimplemented = &rule.Rule{
	ID:       "declared-but-unimplemented",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "a server does not know a method that it declared",
	Explain: "A capability promises its methods. Clients that read the capabilities ask for the list, get -32601 and show the server as broken. From 2026-07-28 on it is " +
		"an error, as servers must answer then.",
	Hint: "remove the capability, or answer with an empty list",
	Refs: []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "capability-negotiation"},
		{Since: mcp.V5, Page: "server/tools", Anchor: "capabilities"},
	},
}

var undeclaredListChanged = &rule.Rule{
	ID:       "undeclared-list-changed",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "a server reports changes of a list though it did not say that it would",
	Explain: "Servers say with listChanged:true that they report changes. Clients that were told nothing do not listen: the list they show " +
		"stays the old one.",
	Hint: `declare "listChanged":true, or report nothing`,
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "capabilities"}},
}

var pingBadResult = &rule.Rule{
	ID:       "ping-bad-result",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Until:    mcp.V4,
	Title:    "a ping is answered with an error, or with something in it",
	Explain: "The answer to a ping is an empty object. An error makes the other side believe that the connection is dead; some clients end it then. What " +
		"stands in the result is ignored by most.",
	Hint: `answer ping with "result":{}, at any time`,
	Refs: []rule.Ref{{Until: mcp.V4, Page: "basic/utilities/ping", Anchor: "behavior-requirements"}},
}
