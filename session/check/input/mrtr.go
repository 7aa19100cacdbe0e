package input

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var RoundTrips = rule.Family{
	Name:  "mrtr",
	Title: "Multi-round-trip requests",
	Rules: []*rule.Rule{
		inputRequiredNotAllowed, inputRequiredEmpty, inputRequestInvalid, inputRequestCapability,
		mrtrIDReused, mrtrStateAltered, mrtrMissingResponse, mrtrParamsChanged,
	},
	New: func() session.Checker { return &mrtrConn{} },
}

// Where the specification speaks of requests that take several rounds.
var (
	mrtrServerRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "server-requirements-basic-workflow"}}
	mrtrClientRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "client-requirements-basic-workflow"}}
)

var inputRequiredNotAllowed = &rule.Rule{
	ID:       "input-required-not-allowed",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a server asks for input where it may not",
	Explain:  "Only tools/call, prompts/get and resources/read may be answered with input_required. Clients do not expect it of anything else, and take the result for an empty one.",
	Hint:     "answer with a result or an error; ask while a tool, a prompt or a resource is handled",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "supported-requests"}},
}

var inputRequiredEmpty = &rule.Rule{
	ID:       "input-required-empty",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a server asks for input and does not say for which",
	Explain:  "A result of type input_required has inputRequests, requestState or both. Without them the client repeats the very same request, and gets the very same answer.",
	Hint:     "put what is asked into inputRequests; use requestState alone where the client is only to ask again",
	Refs:     mrtrServerRefs,
}

var inputRequestInvalid = &rule.Rule{
	ID:       "input-request-invalid",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "unknown kind of input request",
	Explain: "inputRequests is an object whose values are elicitation/create, sampling/createMessage or roots/list, with the params that these have; requestState is a " +
		"string. Clients cannot answer anything else, and end the request.",
	Hint: "write each value as {\"method\":…,\"params\":…} of one of the three methods",
	Refs: mrtrServerRefs,
}

var inputRequestCapability = &rule.Rule{
	ID:       "input-request-capability",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a server asks for what the request's client cannot do",
	Explain: "The capabilities stand in the metadata of each request, and only those of this one count. An elicitation by URL needs elicitation.url, sampling with tools " +
		"sampling.tools; an empty elicitation object means forms.",
	Hint: "look at the request's clientCapabilities; answer -32021 where it cannot be done without",
	Refs: mrtrServerRefs,
}

var mrtrIDReused = &rule.Rule{
	ID:       "mrtr-id-reused",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a client repeats a request with the id of the first round",
	Explain:  "The rounds are requests of their own, and each has its own id. A server or a proxy that still knows the first one takes the second for a copy.",
	Hint:     "take a new id for each round",
	Refs:     mrtrClientRefs,
}

var mrtrStateAltered = &rule.Rule{
	ID:       "mrtr-state-altered",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a client does not give requestState back as it was",
	Explain: "The state is the server's memory of the earlier rounds. The client gives back the string that it got, and none where it got none. Servers that sign it refuse " +
		"anything else.",
	Hint: "keep requestState as it came and send it back unchanged",
	Refs: mrtrClientRefs,
}

var mrtrMissingResponse = &rule.Rule{
	ID:       "mrtr-missing-response",
	Severity: session.Warning,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a client repeats a request and leaves a question open",
	Explain:  "Each key of inputRequests has its answer under the same key of inputResponses, a refusal too. The server can only ask again.",
	Hint:     "answer every key, with action decline or cancel where the user does not want to",
	Refs:     mrtrClientRefs,
}

var mrtrParamsChanged = &rule.Rule{
	ID:       "mrtr-params-changed",
	Severity: session.Warning,
	Fault:    rule.Client,
	Since:    mcp.V5,
	Title:    "a client repeats a request with other params",
	Explain:  "What is repeated is the original request: the same name or uri, the same arguments. Servers that bind the state to them refuse it. The order of keys does not matter.",
	Hint:     "keep the params of the first round and add inputResponses and requestState to them",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "basic-workflow"}},
}
