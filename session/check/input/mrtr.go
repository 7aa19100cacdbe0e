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

// References for multi-round-trip requests.
var (
	mrtrServerRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "server-requirements-basic-workflow"}}
	mrtrClientRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "client-requirements-basic-workflow"}}
)

var inputRequiredNotAllowed = &rule.Rule{
	ID: "input-required-not-allowed", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "input_required result for a method that does not allow it",
	Explain: "Only tools/call, prompts/get and resources/read may be answered with input_required. For other methods clients do not expect it and treat " +
		"the result as empty.",
	Hint: "return a result or an error; request input only while handling a tool, a prompt or a resource",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "supported-requests"}},
}

var inputRequiredEmpty = &rule.Rule{
	ID: "input-required-empty", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "input_required result without inputRequests and requestState",
	Explain: "A result of type input_required has inputRequests, requestState, or both. Without them the client repeats the same request and gets the same answer.",
	Hint:    "put the questions into inputRequests; use requestState alone if the client should only retry",
	Refs:    mrtrServerRefs,
}

var inputRequestInvalid = &rule.Rule{
	ID: "input-request-invalid", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "invalid input request",
	Explain: "inputRequests is an object whose values have the method elicitation/create, sampling/createMessage or roots/list, with the params of that " +
		"method; requestState is a string. Clients cannot answer anything else, and abort the request.",
	Hint: `write each value as {"method":…,"params":…} with one of the three methods`,
	Refs: mrtrServerRefs,
}

var inputRequestCapability = &rule.Rule{
	ID: "input-request-capability", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "server requests input that the client cannot provide",
	Explain: "The capabilities are in the metadata of each request, and only those of this request count. An elicitation by URL needs elicitation.url, " +
		"sampling with tools needs sampling.tools; an empty elicitation object means forms only.",
	Hint: "check the clientCapabilities of the request; return -32021 if the input is indispensable",
	Refs: mrtrServerRefs,
}

var mrtrIDReused = &rule.Rule{
	ID: "mrtr-id-reused", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title:   "client retries a request with the same id",
	Explain: "Each round is a request of its own and needs its own id. A server or a proxy that still has the first request treats the second one as a duplicate.",
	Hint:    "use a new id for each round",
	Refs:    mrtrClientRefs,
}

var mrtrStateAltered = &rule.Rule{
	ID: "mrtr-state-altered", Severity: session.Error, Fault: rule.Client, Since: mcp.V5,
	Title: "client does not return requestState unchanged",
	Explain: "requestState is the server's memory of the earlier rounds. The client returns the string that it received, and none if it received none. " +
		"Servers that sign it reject anything else.",
	Hint: "keep requestState as received and send it back unchanged",
	Refs: mrtrClientRefs,
}

var mrtrMissingResponse = &rule.Rule{
	ID: "mrtr-missing-response", Severity: session.Warning, Fault: rule.Client, Since: mcp.V5,
	Title:   "client retries a request without answering all input requests",
	Explain: "Each key of inputRequests needs an answer under the same key of inputResponses, even if the user refuses. Otherwise the server can only ask again.",
	Hint:    "answer every key, with the action decline or cancel if the user refuses",
	Refs:    mrtrClientRefs,
}

var mrtrParamsChanged = &rule.Rule{
	ID: "mrtr-params-changed", Severity: session.Warning, Fault: rule.Client, Since: mcp.V5,
	Title: "client retries a request with different params",
	Explain: "The client retries the original request: the same name or URI and the same arguments. Servers that bind the state to them reject anything " +
		"else. The order of keys does not matter.",
	Hint: "keep the params of the first round, and add inputResponses and requestState to them",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/mrtr", Anchor: "basic-workflow"}},
}
