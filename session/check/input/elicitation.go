package input

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var elicitationModeUndeclared = &rule.Rule{
	ID:       "elicitation-mode-undeclared",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "an elicitation is of a kind that the client did not declare",
	Explain: "Clients declare elicitation.form and elicitation.url; an empty object means forms alone. They must refuse another kind with an error. From 2026-07-28 on it is " +
		"input-request-capability.",
	Hint: "look for elicitation.url and elicitation.form among the client's capabilities",
	Refs: []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "capabilities"}},
}

var elicitationSchemaComplex = &rule.Rule{
	ID:       "elicitation-schema-complex",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "the form of an elicitation is more than a flat list of simple fields",
	Explain: "The schema is an object whose properties are strings, numbers, integers, booleans or choices; from 2025-11-25 on also lists of choices. Clients draw a form " +
		"from it, and refuse what they cannot draw: nested objects, free lists, references.",
	Hint: "flatten the schema; ask for what is nested in several questions",
	Refs: []rule.Ref{{Since: mcp.V3, Page: elicitationPage, Anchor: "requested-schema"}},
}

var elicitationSecret = &rule.Rule{
	ID:       "elicitation-secret",
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "the form of an elicitation asks for a secret",
	Explain: "Forms must not ask for passwords, keys or tokens: what is typed passes through the client, is logged, and may reach a model. It is told by the name of a field, " +
		"which can be wrong.",
	Hint: "have the user visit an address of yours for it (mode url), or read it from the environment",
	Refs: []rule.Ref{
		{Since: mcp.V3, Until: mcp.V3, Page: elicitationPage, Anchor: "security-considerations"},
		{Since: mcp.V4, Page: elicitationPage, Anchor: "form-mode-security"},
	},
}

var elicitationURL = &rule.Rule{
	ID:       "elicitation-url",
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Title:    "unsafe elicitation URL",
	Explain: "It is a valid address, https but for the user's own machine, and has neither a user name nor a password in it, for it is logged and shown. In 2025-11-25 an elicitationId " +
		"belongs to it, whose lack is an error.",
	Hint: "use https without credentials, and let the page ask who the user is",
	Refs: []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "safe-url-handling"}},
}

var elicitationResult = &rule.Rule{
	ID:       "elicitation-result",
	Severity: session.Warning,
	Fault:    rule.Client,
	Since:    mcp.V3,
	Title:    "the answer to an elicitation does not fit what was asked",
	Explain: "An answer has action accept, decline or cancel; any other is an error. An accepted form has content that fits the schema that was asked for. Content beside a refusal, or beside " +
		"an address, is an information. What people answer by hand here is not judged.",
	Hint: "validate the form before sending it, and send content with accept only",
	Refs: []rule.Ref{{Since: mcp.V3, Page: elicitationPage, Anchor: "response-actions"}},
}

var elicitationCompleteUnknown = &rule.Rule{
	ID:       "elicitation-complete-unknown",
	Severity: session.Warning,
	Fault:    rule.Server,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "an elicitation is reported complete that was never asked",
	Explain:  "notifications/elicitation/complete names the elicitationId of an earlier elicitation by URL. Clients ignore any other, and what waits for it goes on waiting.",
	Hint:     "send the elicitationId that you sent in the elicitation, or in the error -32042",
	Refs:     []rule.Ref{{Since: mcp.V4, Page: elicitationPage, Anchor: "completion-notifications-for-url-mode-elicitation"}},
}
