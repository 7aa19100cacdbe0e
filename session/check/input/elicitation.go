package input

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var elicitationModeUndeclared = &rule.Rule{
	ID: "elicitation-mode-undeclared", Severity: session.Error, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4,
	Title: "elicitation mode that the client did not declare",
	Explain: "Clients declare elicitation.form and elicitation.url; an empty object means forms only. They must answer another mode with an error. From " +
		"2026-07-28 on, input-request-capability covers this.",
	Hint: "check the client's capabilities for elicitation.url and elicitation.form",
	Refs: []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "capabilities"}},
}

var elicitationSchemaComplex = &rule.Rule{
	ID:       "elicitation-schema-complex",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "elicitation schema is not a flat list of simple fields",
	Explain: "The schema is an object whose properties are strings, numbers, integers, booleans or enums; from 2025-11-25 on also arrays of enum values. " +
		"Clients render a form from it, and reject what they cannot render: nested objects, free arrays, references.",
	Hint: "flatten the schema; ask for nested data in several requests",
	Refs: []rule.Ref{{Since: mcp.V3, Page: elicitationPage, Anchor: "requested-schema"}},
}

var elicitationSecret = &rule.Rule{
	ID:       "elicitation-secret",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "elicitation form asks for a secret",
	Explain: "Forms must not ask for passwords, keys or tokens: the input passes through the client, is logged, and may reach a model. The rule recognizes " +
		"secrets by field names, which may be wrong.",
	Hint: "direct the user to a URL of yours (mode url), or read the secret from the environment",
	Refs: []rule.Ref{
		{Since: mcp.V3, Until: mcp.V3, Page: elicitationPage, Anchor: "security-considerations"},
		{Since: mcp.V4, Page: elicitationPage, Anchor: "form-mode-security"},
	},
}

var elicitationURL = &rule.Rule{
	ID:       "elicitation-url",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "unsafe elicitation URL",
	Explain: "The URL must be valid, must use https unless it points to the local machine, and must not contain a user name or a password, because it is " +
		"logged and displayed. In 2025-11-25 it needs an elicitationId, whose absence is an error.",
	Hint: "use https without credentials, and let the page authenticate the user",
	Refs: []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "safe-url-handling"}},
}

var elicitationResult = &rule.Rule{
	ID:       "elicitation-result",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Client,
	Since:    mcp.V3,
	Title:    "answer does not match the elicitation",
	Explain: "An answer has the action accept, decline or cancel; any other action is an error. An accepted form has content that matches the requested " +
		"schema. Content after a refusal, or for a URL, has severity info. Answers that a user of wiretea composes are not checked.",
	Hint: "validate the form before sending it, and send content only with accept",
	Refs: []rule.Ref{{Since: mcp.V3, Page: elicitationPage, Anchor: "response-actions"}},
}

var elicitationCompleteUnknown = &rule.Rule{
	ID: "elicitation-complete-unknown", Severity: session.Warning, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4,
	Title:   "completion of an unknown elicitation",
	Explain: "notifications/elicitation/complete has the elicitationId of an earlier elicitation by URL. Clients ignore any other id and keep waiting.",
	Hint:    "send the elicitationId from the elicitation request or from the error -32042",
	Refs:    []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "completion-notifications-for-url-mode-elicitation"}},
}
