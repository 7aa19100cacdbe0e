package features

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Tools = rule.Family{
	Name:  "tools",
	Title: "Tools",
	Rules: []*rule.Rule{
		toolNameFormat, duplicateToolName, invalidInputSchema, invalidOutputSchema, schemaDoesNotCompile, schemaRemoteRef,
		missingStructuredContent, structuredContentMismatch, structuredContentNotObject, missingTextFallback,
		argumentsNotObject, argumentsMismatch, unlistedToolCalled, validationAsProtocolError,
	},
	New: func() session.Checker { return &toolsConn{} },
}

var (
	toolNameRefs = []rule.Ref{{Until: mcp.V3, Page: "server/tools", Anchor: "tool"}, {Since: mcp.V4, Page: "server/tools", Anchor: "tool-names"}}
	toolRefs     = []rule.Ref{{Page: "server/tools", Anchor: "tool"}}
	outputRefs   = []rule.Ref{{Since: mcp.V3, Page: "server/tools", Anchor: "output-schema"}}
	fallbackRefs = []rule.Ref{{Since: mcp.V3, Page: "server/tools", Anchor: "structured-content"}}
	callRefs     = []rule.Ref{{Page: "server/tools", Anchor: "calling-tools"}}
	dialectRefs  = []rule.Ref{{Since: mcp.V4, Page: "basic", Anchor: "json-schema-usage"}}
)

var toolNameFormat = &rule.Rule{
	ID:       "tool-name-format",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "a tool's name has characters, or a length, that names should not have",
	Explain: "From 2025-11-25 on names should have 1 to 128 characters out of A–Z, a–z, 0–9, underscore, hyphen and dot. Before, nothing was said, and " +
		"this is an information; but hosts hand the names to models' interfaces, which refuse others, mostly together with all other tools.",
	Hint: "rename it to letters, digits, _, - and ., at most 128 of them; put the rest into title",
	Refs: toolNameRefs,
}

var duplicateToolName = &rule.Rule{
	ID:       "duplicate-tool-name",
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "a listing has the same tool name twice",
	Explain: "Names should be unique within a server, over all pages of a listing. Clients keep tools by name: one of the two is never called, and " +
		"nobody says which.",
	Hint: "make names unique, for example with a prefix for each module",
	Refs: toolNameRefs[1:],
}

var invalidInputSchema = &rule.Rule{
	ID:       "invalid-input-schema",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "inputSchema must be a schema of type object",
	Explain: "Every tool has an inputSchema, a JSON object whose type is \"object\", in every revision, also where it takes no arguments. Clients check " +
		"the whole list at once: official SDKs throw all tools away for one schema that is missing, null or of another type.",
	Hint: "use {\"type\":\"object\"} at the root; wrap a union or a reference in a property",
	Refs: toolRefs,
}

var invalidOutputSchema = &rule.Rule{
	ID:       "invalid-output-schema",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "outputSchema must be a schema of type object",
	Explain: "An outputSchema is a JSON object; up to 2025-11-25 its type is \"object\", for structuredContent is an object there. Leaving it out is fine, null is " +
		"not. Clients check the whole list at once and throw all tools away for one.",
	Hint: "use \"type\":\"object\" at the root, or leave outputSchema out; have the serializer omit what is not set",
	Refs: outputRefs,
}

var schemaDoesNotCompile = &rule.Rule{
	ID:       "schema-does-not-compile",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "a tool's schema is not valid JSON Schema",
	Explain: "Schemas must be valid in the dialect that they name, and in 2020-12 where they name none. Only what no dialect from draft-06 on allows is " +
		"reported: unknown types, required that is not an array, references to what is not in the schema. A client that compiles the schema fails, some " +
		"of them for the whole list.",
	Hint: "compile every schema in a test, with a validator of the dialect that it names",
	Refs: dialectRefs,
}

var schemaRemoteRef = &rule.Rule{
	ID:       "schema-remote-ref",
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a tool's schema refers to an address on the web",
	Explain: "Clients must not fetch what a $ref leads to by themselves, so that what stands there does not count: the tool cannot be validated, or is " +
		"refused. This program fetches nothing either.",
	Hint: "put the schema into $defs and refer to it there",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic", Anchor: "json-schema-usage"}},
}

var missingStructuredContent = &rule.Rule{
	ID:       "missing-structured-content",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "a tool with an outputSchema answers without structuredContent",
	Explain: "A tool that lists an outputSchema must return structuredContent in every result that is complete and no error. The official SDKs' clients report " +
		"an error instead of the result. Results that are questions or tasks are exempt.",
	Hint: "return structuredContent, or leave outputSchema out of the tool",
	Refs: outputRefs,
}

var structuredContentMismatch = &rule.Rule{
	ID:       "structured-content-mismatch",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "structuredContent does not fit the tool's outputSchema",
	Explain: "What is returned must conform to the schema that was listed last before the call. Clients validate it and report an error instead of the " +
		"result. In a result that says isError it is a warning, for the specification leaves that open and clients differ. Formats are not checked, and " +
		"what the schema's dialect leaves open is not reported. In a flood of calls one in many is looked at.",
	Hint: "mend the handler or the schema; leave structuredContent out of results that are errors",
	Refs: outputRefs,
}

var structuredContentNotObject = &rule.Rule{
	ID:       "structured-content-not-object",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Until:    mcp.V4,
	Title:    "structuredContent must be an object",
	Explain: "Up to 2025-11-25 structuredContent is a JSON object, and left out if empty. Clients that check it refuse the result for an array, a " +
		"string or null. From 2026-07-28 on any value may stand there.",
	Hint: "wrap it: {\"items\":[…]}; have the serializer omit what is not set",
	Refs: fallbackRefs,
}

var missingTextFallback = &rule.Rule{
	ID:       "missing-text-fallback",
	Severity: session.Info,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "a result has structuredContent and no text",
	Explain: "For clients that do not know structuredContent a tool should also return its JSON as a text block. Many hosts give models the content and nothing " +
		"else, which then see an empty result.",
	Hint: "return the same JSON as a text block in content",
	Refs: fallbackRefs,
}

var argumentsNotObject = &rule.Rule{
	ID:       "arguments-not-object",
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "arguments must be an object",
	Explain: "The arguments of a call, or of a prompt, are a JSON object, and left out if empty. Servers refuse null, an array or a string; a string is mostly " +
		"JSON that was encoded twice.",
	Hint: "send {} or leave arguments out; decode what a model wrote before sending it",
	Refs: callRefs,
}

var argumentsMismatch = &rule.Rule{
	ID:       "arguments-mismatch",
	Severity: session.Warning,
	Fault:    rule.Client,
	Title:    "the arguments of a call do not fit the tool's inputSchema",
	Explain: "They are held against the schema that was listed last, unless the list has changed since. Servers that validate refuse the call; others fail in their own " +
		"way. Formats are not checked, and what the schema's dialect leaves open is not reported. Calls that people compose are not accused. In a flood of calls one in many is looked at.",
	Hint: "validate what a model wrote before calling; list the tools again after list_changed",
	Refs: callRefs,
}

var unlistedToolCalled = &rule.Rule{
	ID:       "unlisted-tool-called",
	Severity: session.Info,
	Fault:    rule.Client,
	Title:    "a call of a tool that the last list does not have failed",
	Explain: "The whole list was read and did not change since, and the tool is not in it. The client has it from elsewhere: an older list, another server, or a " +
		"model's fancy. A tool that is not listed and answers is fine.",
	Hint: "call what the last tools/list names; list again after list_changed and after a restart",
}

var validationAsProtocolError = &rule.Rule{
	ID:       "validation-as-protocol-error",
	Severity: session.Info,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "arguments that do not fit were answered with a protocol error",
	Explain: "From 2025-11-25 on arguments that do not fit a tool's schema are answered with a result that says isError: a model sees it and can try again, while " +
		"hosts mostly keep a protocol error to themselves.",
	Hint: "return {\"isError\":true} with a text that says what is wrong with the arguments",
	Refs: []rule.Ref{{Since: mcp.V4, Page: "server/tools", Anchor: "error-handling"}},
}
