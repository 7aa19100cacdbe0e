package features

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var shapeRefs = []rule.Ref{{Page: "schema"}}

var nullMember = &rule.Rule{
	ID:       "null-member",
	Alone:    true,
	Severity: session.Error,
	Title:    "optional member is null instead of absent",
	Explain: "In the schema an optional member is absent or has its type; null is neither. The TypeScript SDKs validate the type and refuse the whole " +
		"result because of one null: a server with one tool whose description is null appears to have no tools. The cause is a serializer that writes " +
		"unset fields: Jackson needs @JsonInclude(NON_NULL), System.Text.Json DefaultIgnoreCondition = WhenWritingNull, serde " +
		"skip_serializing_if = \"Option::is_none\", Go a pointer with omitempty, kotlinx.serialization explicitNulls = false, pydantic " +
		"exclude_none=True. It is an error if a known client refuses the message, and otherwise a warning.",
	Hint: "omit unset fields: Jackson NON_NULL, .NET WhenWritingNull, serde skip_serializing_if, Go omitempty, pydantic exclude_none, Kotlin explicitNulls=false",
	Refs: shapeRefs,
}

var invalidMember = &rule.Rule{
	ID:       "invalid-member",
	Alone:    true,
	Severity: session.Error,
	Title:    "member has the wrong type or an invalid value",
	Explain: "The results of both sides, notifications, and the params of a server's requests are compared with the schema of the session's revision: the " +
		"types of members, required members, enums and formats. Members that the schema does not name are always allowed. What a server writes is an " +
		"error if a known client refuses the message, and otherwise a warning. Members that have a rule of their own are reported there.",
	Hint: "write the member as the schema defines it, or omit it if it is optional",
	Refs: shapeRefs,
}
