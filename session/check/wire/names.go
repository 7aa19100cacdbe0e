package wire

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Names = rule.Family{
	Name:  "names",
	Title: "Methods, parameters and metadata",
	Rules: []*rule.Rule{
		unknownMethod, methodWrongDirection, missingRequiredParam, wrongUnknownMethodError,
		reservedMetaPrefix, metaKeyFormat, extensionIDFormat,
	},
	New: func() session.Checker { return &namesConn{} },
}

var unknownMethod = &rule.Rule{
	ID: "unknown-method", Severity: session.Warning,
	Title: "unknown method",
	Explain: "No revision and no known extension defines the method. The receiver rejects such a request and silently ignores such a notification, which " +
		"is why a notification has severity info. Usual causes are LSP method names, typing errors and private events. Nothing is reported if either " +
		"side declared experimental capabilities or extensions.",
	Hint: "use the method names of the specification; declare your own under experimental or extensions",
	Refs: rule.MessageRefs(),
}

var methodWrongDirection = &rule.Rule{
	ID: "method-wrong-direction", Severity: session.Error,
	Title: "method sent by the wrong side",
	Explain: "Servers do not call tools and clients do not request sampling. The receiver rejects the method as unknown. Client and server are mixed up, " +
		"or messages are echoed back to their sender.",
	Hint: "use the methods of your side; check that input is not echoed to output",
	Refs: rule.MessageRefs(),
}

var missingRequiredParam = &rule.Rule{
	ID:       "missing-required-param",
	Alone:    true,
	Severity: session.Error,
	Title:    "required parameter is missing or has the wrong type",
	Explain: "Peers decode parameters into types and reject anything else: a request is answered with -32602, and a notification is silently dropped. " +
		"Parameters with a rule of their own, such as those of initialize, are reported there.",
	Hint: "send every parameter that the method requires, with the right type",
	Refs: []rule.Ref{{Page: "schema"}},
}

var wrongUnknownMethodError = &rule.Rule{
	ID: "wrong-unknown-method-error", Severity: session.Warning,
	Title: "unknown method is not answered with -32601",
	Explain: "The code -32601 tells the caller that a method does not exist, so that it can continue without it. Other codes look like a temporary " +
		"failure. The rule recognizes such an error by its message. -32602 for a method that is not part of the protocol has severity info. The code " +
		"0 has its own rule, and any error is a valid answer to server/discover.",
	Hint: "return -32601 from the default branch of the dispatcher, before looking at parameters",
	Refs: rule.ErrorRefs(),
}

var reservedMetaPrefix = &rule.Rule{
	ID:       "reserved-meta-prefix",
	Alone:    true,
	Severity: session.Warning,
	Since:    mcp.V3,
	Title:    "key of _meta uses a reserved prefix",
	Explain: "Prefixes whose second label is modelcontextprotocol or mcp (in 2025-06-18 the second to last label) are reserved for the protocol: " +
		"com.mcp.tools/, dev.mcp/. Unknown keys under io.modelcontextprotocol may belong to an extension and have severity info. Of each side, 4,096 " +
		"messages with _meta and 16 MiB in total are checked.",
	Hint: "use your own prefix, such as your domain name in reverse order",
	Refs: []rule.Ref{{Since: mcp.V3, Page: "basic", Anchor: "_meta"}},
}

var metaKeyFormat = &rule.Rule{
	ID:       "meta-key-format",
	Alone:    true,
	Severity: session.Warning,
	Since:    mcp.V3,
	Title:    "malformed key in _meta",
	Explain: "A key is a name, or labels separated by dots, a slash and a name. A label begins with a letter, ends with a letter or a digit, and may " +
		"contain hyphens. A name begins and ends with a letter or a digit, and may contain hyphens, underscores and dots. Of each side, 4,096 " +
		"messages with _meta and 16 MiB in total are checked.",
	Hint: "write keys as com.example/name",
	Refs: []rule.Ref{{Since: mcp.V3, Page: "basic", Anchor: "_meta"}},
}

var extensionIDFormat = &rule.Rule{
	ID:       "extension-id-format",
	Alone:    true,
	Severity: session.Warning,
	Since:    mcp.V5,
	Title:    "extension name without a prefix",
	Explain: "An extension name has a prefix and a slash, like keys of _meta, so that extensions of different vendors cannot collide. Peers look " +
		"extensions up by that full name.",
	Hint: "write the name as com.example/name",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/versioning", Anchor: "extension-negotiation"}},
}
