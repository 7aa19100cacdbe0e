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

// Pages of the specification.
const (
	samplingPage    = "client/sampling"
	elicitationPage = "client/elicitation"
)

var serverRequestUnassociated = &rule.Rule{
	ID: "server-request-unassociated", Severity: session.Info, Fault: rule.Server, Until: mcp.V4,
	Title: "server sends a request while no client request is in flight",
	Explain: "A sampling or elicitation request without a related client request cannot be shown in context, and later revisions do not allow it. Up to " +
		"2025-11-25 nothing forbids it on stdio; hence the severity info. Requests for roots may arrive at any time, and those of a task belong to " +
		"it.",
	Hint: "send such requests while handling a tool, a prompt or a resource",
	Refs: []rule.Ref{{URL: "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2260"}},
}

var rootNotFileURI = &rule.Rule{
	ID:       "root-not-file-uri",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "root URI must use the file: scheme",
	Explain: "The answer to roots/list has an array roots, and each root a uri that begins with file://. Servers that validate it reject all roots because " +
		"of one. The usual mistake is a plain path, such as C:\\ on Windows.",
	Hint: "convert paths to file:// URIs with a library function",
	Refs: []rule.Ref{{Page: "client/roots", Anchor: "root"}},
}

var samplingShape = &rule.Rule{
	ID:       "sampling-shape",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "sampling/createMessage without messages or maxTokens, or with an invalid message",
	Explain: "sampling/createMessage has an array messages and a number maxTokens, and each message has a role, user or assistant, and content. The role " +
		"system does not exist: use systemPrompt. Clients that validate the request answer with an error. From 2026-07-28 on, missing members are " +
		"reported by input-request-invalid.",
	Hint: "send messages with role and content, and maxTokens; put instructions into systemPrompt",
	Refs: []rule.Ref{{Page: samplingPage, Anchor: "creating-messages"}},
}

var samplingToolsUndeclared = &rule.Rule{
	ID: "sampling-tools-undeclared", Severity: session.Error, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4,
	Title: "sampling with tools, but the client did not declare sampling.tools",
	Explain: "A client that lets its model call tools declares sampling.tools. Others answer with an error, or silently drop the tools. From 2026-07-28 " +
		"on, input-request-capability covers this.",
	Hint: "check the client's capabilities for sampling.tools, and omit tools otherwise",
	Refs: []rule.Ref{{Since: mcp.V4, Page: samplingPage, Anchor: "tools-in-sampling"}},
}

var samplingToolBalance = &rule.Rule{
	ID: "sampling-tool-balance", Severity: session.Error, Fault: rule.Server, Since: mcp.V4,
	Title: "tool calls and results in a sampling request do not match",
	Explain: "Each tool_use of an assistant message needs a tool_result with its id in the next message, and a message with tool_result contains nothing " +
		"else. Otherwise model APIs reject the whole conversation.",
	Hint: "answer all calls of a message in the next one; put text into a message of its own",
	Refs: []rule.Ref{{Since: mcp.V4, Page: samplingPage, Anchor: "message-content-constraints"}},
}

var includeContextDeprecated = &rule.Rule{
	ID: "include-context-deprecated", Severity: session.Info, Fault: rule.Server, Since: mcp.V4,
	Title:   "deprecated value of includeContext",
	Explain: "The values thisServer and allServers of includeContext are deprecated, and few clients ever supported them.",
	Hint:    "omit includeContext, and put what the model needs into the messages",
	Refs:    []rule.Ref{{Since: mcp.V4, Page: samplingPage, Anchor: "capabilities"}},
}

var urlRequiredErrorShape = &rule.Rule{
	ID: "url-required-error-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4,
	Title: "error -32042 without a valid list of elicitations",
	Explain: "The data of the error -32042 has elicitations, a non-empty array of elicitations with mode url, elicitationId, url and message. From it " +
		"clients learn what the user must open before they retry the request.",
	Hint: `return "data":{"elicitations":[{"mode":"url","elicitationId":…,"url":…,"message":…}]}`,
	Refs: []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "url-elicitation-required-error"}},
}
