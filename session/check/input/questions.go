package input

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Questions = rule.Family{
	Name:  "questions",
	Title: "Sampling, elicitation and roots",
	Rules: []*rule.Rule{
		serverRequestUnassociated, rootNotFileURI,
		samplingShape, samplingToolsUndeclared, samplingToolBalance, includeContextDeprecated,
		elicitationModeUndeclared, elicitationSchemaComplex, elicitationSecret, elicitationURL,
		elicitationResult, elicitationCompleteUnknown, urlRequiredErrorShape,
	},
	New: func() session.Checker { return &questionsConn{} },
}

// Where the specification speaks of what servers ask.
const (
	samplingPage    = "client/sampling"
	elicitationPage = "client/elicitation"
)

var serverRequestUnassociated = &rule.Rule{
	ID:       "server-request-unassociated",
	Severity: session.Info,
	Fault:    rule.Server,
	Until:    mcp.V4,
	Title:    "a server asks while no request of its client is under way",
	Explain: "A sampling or an elicitation that comes out of nothing cannot be shown where it belongs, and later revisions allow none. To 2025-11-25 nothing forbids it on " +
		"stdio, which makes it an information. Questions about roots may come at any time, and those of a task belong to it.",
	Hint: "ask while a tool, a prompt or a resource is handled",
	Refs: []rule.Ref{{URL: "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2260"}},
}

var rootNotFileURI = &rule.Rule{
	ID:       "root-not-file-uri",
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "root URI must use the file: scheme",
	Explain: "The answer to roots/list has an array roots, and each of them a uri that begins with file://. Servers that check it refuse all of them for one; a bare path, or " +
		"C:\\ on Windows, is the usual mistake.",
	Hint: "write paths as file:// addresses, with the library's own function",
	Refs: []rule.Ref{{Page: "client/roots", Anchor: "root"}},
}

var samplingShape = &rule.Rule{
	ID:       "sampling-shape",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "a sampling lacks its messages or their limit, or a message is wrong",
	Explain: "sampling/createMessage has an array messages and a number maxTokens, and each message a role, user or assistant, and its content. The role system does not exist: that text is " +
		"systemPrompt. Clients that check it answer with an error. From 2026-07-28 on what is missing altogether is input-request-invalid.",
	Hint: "send messages with role and content, and maxTokens; put instructions into systemPrompt",
	Refs: []rule.Ref{{Page: samplingPage, Anchor: "creating-messages"}},
}

var samplingToolsUndeclared = &rule.Rule{
	ID:       "sampling-tools-undeclared",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "a sampling has tools, and the client did not declare sampling.tools",
	Explain: "A client that can let a model call tools says so with sampling.tools; others answer with an error, or drop the tools without a word. From 2026-07-28 on it is " +
		"input-request-capability.",
	Hint: "look for sampling.tools among the client's capabilities, and do without tools where it is not there",
	Refs: []rule.Ref{{Since: mcp.V4, Page: samplingPage, Anchor: "tools-in-sampling"}},
}

var samplingToolBalance = &rule.Rule{
	ID:       "sampling-tool-balance",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "tool calls and results in a sampling do not fit together",
	Explain: "Each tool_use of an assistant is answered by a tool_result with its id in the very next message, and a message with tool_result has nothing else in it. " +
		"Models' interfaces refuse the whole conversation otherwise.",
	Hint: "answer all calls of a message in the next one; put text into a message of its own",
	Refs: []rule.Ref{{Since: mcp.V4, Page: samplingPage, Anchor: "message-content-constraints"}},
}

var includeContextDeprecated = &rule.Rule{
	ID:       "include-context-deprecated",
	Severity: session.Info,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "a sampling asks for the context of servers, which is deprecated",
	Explain:  "The values thisServer and allServers of includeContext are on their way out, and few clients ever followed them.",
	Hint:     "leave includeContext out, and put what the model must know into the messages",
	Refs:     []rule.Ref{{Since: mcp.V4, Page: samplingPage, Anchor: "capabilities"}},
}

var urlRequiredErrorShape = &rule.Rule{
	ID:       "url-required-error-shape",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "an error asks for an address to be visited and does not say which",
	Explain: "The error -32042 has data.elicitations, a list that is not empty, of elicitations with mode url, elicitationId, url and message. Clients learn there what the user must " +
		"open before the request is tried again.",
	Hint: `answer "data":{"elicitations":[{"mode":"url","elicitationId":…,"url":…,"message":…}]}`,
	Refs: []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "url-elicitation-required-error"}},
}
