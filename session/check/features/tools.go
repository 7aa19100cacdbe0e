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
		toolNameFormat, duplicateToolName, invalidInputSchema, invalidOutputSchema, schemaDoesNotCompile, requiredNotProperty, schemaRemoteRef,
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
	dialectRefs  = []rule.Ref{{Until: mcp.V3, Page: "server/tools", Anchor: "tool"}, {Since: mcp.V4, Page: "basic", Anchor: "json-schema-usage"}}
)

var toolNameFormat = &rule.Rule{
	ID:       "tool-name-format",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "tool name with invalid characters or length",
	Explain: "From 2025-11-25 on, names should have 1 to 128 characters: A–Z, a–z, 0–9, underscore, hyphen and dot. Earlier revisions set no limit, so the " +
		"severity is info. Hosts pass the names to model APIs, which reject other names, usually together with all other tools.",
	Hint: "use only letters, digits, _, - and ., at most 128 of them; put the display name into title",
	Refs: toolNameRefs,
}

var duplicateToolName = &rule.Rule{
	ID:       "duplicate-tool-name",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "duplicate tool name in a listing",
	Explain: "A tool is called by its name, so of two tools with one name one can never be called. From 2025-11-25 on, the specification says that names " +
		"should be unique within a server. All pages of a listing count. A tool that an earlier page had unchanged is item-on-two-pages.",
	Hint: "make names unique, for example with a prefix for each module",
	Refs: toolNameRefs,
}

var invalidInputSchema = &rule.Rule{
	ID:       "invalid-input-schema",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "inputSchema must be a schema of type object",
	Explain: `Every tool has an inputSchema, a JSON object with "type":"object", in every revision, even if the tool takes no arguments. Clients validate ` +
		"the whole list at once: most official SDKs reject all tools because of one schema that is missing, null or of another type.",
	Hint: `use {"type":"object"} at the root; move a union or a reference into a property`,
	Refs: toolRefs,
}

var invalidOutputSchema = &rule.Rule{
	ID:       "invalid-output-schema",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "outputSchema must be a schema of type object",
	Explain: `An outputSchema is a JSON object; up to 2025-11-25 with "type":"object", because structuredContent is an object there. It may be absent but ` +
		"not null. Clients validate the whole list at once and reject all tools because of one schema.",
	Hint: `use "type":"object" at the root, or omit outputSchema; configure the serializer to omit unset fields`,
	Refs: outputRefs,
}

var schemaDoesNotCompile = &rule.Rule{
	ID:       "schema-does-not-compile",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "invalid JSON Schema",
	Explain: "From 2025-11-25 on, schemas must be valid in the dialect that they name, or in 2020-12 if they name none; earlier revisions leave the dialect " +
		"open. Only constructs that no dialect from draft-06 on " +
		"allows are reported: unknown types, a required that is not an array, references that cannot be resolved. Clients that compile the schema " +
		"fail, some of them for the whole list.",
	Hint: "compile every schema in a test, with a validator for its dialect",
	Refs: dialectRefs,
}

var requiredNotProperty = &rule.Rule{
	ID:       "required-not-a-property",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "required argument of a tool is not among its properties",
	Explain: "The root of an inputSchema requires an argument that its properties do not have. Nothing says what the argument is, so models and forms leave " +
		"it out, and servers that validate then reject every call. The API of Gemini rejects the schema, and with it the request with all tools. A schema that " +
		"can have further properties on purpose, through additionalProperties, patternProperties, references or combinations, is not reported.",
	Hint: "add the argument to properties, or remove its name from required",
	Refs: toolRefs,
}

var schemaRemoteRef = &rule.Rule{
	ID:       "schema-remote-ref",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "tool schema refers to a remote URL",
	Explain: "Clients must not fetch the target of a $ref on their own, so the reference is not resolved: arguments cannot be validated, or the tool is " +
		"rejected. wiretea does not fetch anything either.",
	Hint: "move the schema into $defs and refer to it there",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic", Anchor: "json-schema-usage"}},
}

var missingStructuredContent = &rule.Rule{
	ID: "missing-structured-content", Severity: session.Error, Fault: rule.Server, Since: mcp.V3,
	Title: "tool with an outputSchema returns no structuredContent",
	Explain: "A tool that lists an outputSchema must return structuredContent in every complete result that is not an error. Clients of the TypeScript " +
		"and Python SDKs report an error instead of the result. Requests for input and tasks are exempt.",
	Hint: "return structuredContent, or remove outputSchema from the tool",
	Refs: outputRefs,
}

var structuredContentMismatch = &rule.Rule{
	ID: "structured-content-mismatch", Severity: session.Error, Fault: rule.Server, Since: mcp.V3,
	Title: "structuredContent does not match the tool's outputSchema",
	Explain: "structuredContent must conform to the schema that was listed most recently before the call. Clients validate it and report an error instead " +
		"of the result. In a result with isError it is a warning, because the specification leaves it open and clients differ. Formats are not " +
		"checked, nor anything that the schema's dialect leaves undefined. When calls come in large numbers, only samples are checked.",
	Hint: "fix the handler or the schema; omit structuredContent in results with isError",
	Refs: outputRefs,
}

var structuredContentNotObject = &rule.Rule{
	ID: "structured-content-not-object", Severity: session.Error, Fault: rule.Server, Since: mcp.V3, Until: mcp.V4,
	Title: "structuredContent must be an object",
	Explain: "Up to 2025-11-25, structuredContent is a JSON object, or absent. Clients that validate it reject the result if it is an array, a string or " +
		"null. From 2026-07-28 on, any value is allowed.",
	Hint: `wrap the value: {"items":[…]}; configure the serializer to omit unset fields`,
	Refs: fallbackRefs,
}

var missingTextFallback = &rule.Rule{
	ID: "missing-text-fallback", Severity: session.Info, Fault: rule.Server, Since: mcp.V3,
	Title: "structuredContent without text content",
	Explain: "For clients that do not support structuredContent, a tool should also return its JSON as a text block. Many hosts pass only the content to " +
		"the model, which then sees an empty result.",
	Hint: "return the same JSON as a text block in content",
	Refs: fallbackRefs,
}

var argumentsNotObject = &rule.Rule{
	ID:       "arguments-not-object",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "arguments must be an object",
	Explain: "The arguments of a tool call or a prompt are a JSON object, or absent. Servers reject null, an array or a string; a string is usually JSON " +
		"that was encoded twice.",
	Hint: "send {} or omit arguments; decode a model's output before sending it",
	Refs: callRefs,
}

var argumentsMismatch = &rule.Rule{
	ID: "arguments-mismatch", Severity: session.Warning, Fault: rule.Client,
	Title: "arguments do not match the tool's inputSchema",
	Explain: "The arguments are validated with the most recently listed schema, unless the list has changed since. Servers that validate reject the call; " +
		"others fail in their own way. Formats are not checked, nor anything that the schema's dialect leaves undefined. Calls composed by a user are " +
		"not reported. When calls come in large numbers, only samples are checked.",
	Hint: "validate a model's output before calling; list the tools again after list_changed",
	Refs: callRefs,
}

var unlistedToolCalled = &rule.Rule{
	ID: "unlisted-tool-called", Severity: session.Info, Fault: rule.Client,
	Title: "call of an unlisted tool failed",
	Explain: "The whole list was read and has not changed since, and the tool is not in it. The client has the name from elsewhere: an older list, another " +
		"server, or a model's invention. An unlisted tool that returns a result is not reported.",
	Hint: "call only tools from the last tools/list; list again after list_changed and after a restart",
}

var validationAsProtocolError = &rule.Rule{
	ID: "validation-as-protocol-error", Severity: session.Info, Fault: rule.Server, Since: mcp.V4,
	Title: "invalid arguments were answered with a protocol error",
	Explain: "From 2025-11-25 on, arguments that do not match the schema are answered with an isError result: the model sees it and can retry, while hosts " +
		"usually do not show it a protocol error.",
	Hint: `return {"isError":true} with a text that explains what is wrong with the arguments`,
	Refs: []rule.Ref{{Since: mcp.V4, Page: "server/tools", Anchor: "error-handling"}},
}
