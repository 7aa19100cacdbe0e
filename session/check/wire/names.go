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
	ID:       "unknown-method",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "a method is used that no revision and no known extension has",
	Explain: "The other side answers a request that it does not know the method, and drops a notification without a word, which is why a notification is an information. Names of LSP, typing " +
		"mistakes and events of one's own are the usual cause. Where either side declared something experimental, or extensions, nothing is said.",
	Hint: "use the method's name as the specification writes it; declare what is your own under experimental or extensions",
	Refs: rule.MessageRefs,
}

var methodWrongDirection = &rule.Rule{
	ID:       "method-wrong-direction",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a method is sent by the side that must not send it",
	Explain: "Servers do not call tools and clients do not ask for samplings. The other side answers that it does not know the method. Client and server are " +
		"mixed up, or a line comes back to who sent it.",
	Hint: "use the method for your side; see that input is not echoed to output",
	Refs: rule.MessageRefs,
}

var missingRequiredParam = &rule.Rule{
	ID:       "missing-required-param",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a parameter is missing, or of the wrong type, that the method must have",
	Explain: "Peers decode parameters into types and refuse what does not fit: a request is answered with -32602, and a notification is dropped without a word. Parameters that have a rule of their " +
		"own, such as those of initialize, are told there.",
	Hint: "send every parameter that the method requires, in its type",
	Refs: []rule.Ref{{Page: "schema"}},
}

var wrongUnknownMethodError = &rule.Rule{
	ID:       "wrong-unknown-method-error",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "an unknown method is not answered with -32601",
	Explain: "By the code -32601 the other side sees that a method is not there, and goes on without it. Other codes look like a failure that may pass. It is told by the words of the error. -32602 for a method " +
		"that the protocol does not have is an information; the code 0 has a rule of its own, and refusing server/discover with anything is right.",
	Hint: "answer -32601 from the default branch of the dispatcher, before looking at parameters",
	Refs: rule.ErrorRefs,
}

var reservedMetaPrefix = &rule.Rule{
	ID:       "reserved-meta-prefix",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Since:    mcp.V3,
	Title:    "a key of _meta has a prefix that belongs to the protocol",
	Explain: "Prefixes with modelcontextprotocol or mcp as their second label (in 2025-06-18, the last but one) are kept for the protocol: com.mcp.tools/, dev.mcp/. Keys below io.modelcontextprotocol that are " +
		"not known here may be those of an extension, and are an information. The first messages of each side are looked at, 4,096 with _meta and 16 MiB of all.",
	Hint: "use a prefix of your own, the name of a domain backwards",
	Refs: []rule.Ref{{Since: mcp.V3, Page: "basic", Anchor: "_meta"}},
}

var metaKeyFormat = &rule.Rule{
	ID:       "meta-key-format",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Since:    mcp.V3,
	Title:    "a key of _meta is not written as keys are",
	Explain: "A key is a name, or labels with dots between them, a slash and a name. A label begins with a letter and ends with a letter or a digit, with hyphens inside; a name begins and ends with a letter or a digit and may " +
		"have hyphens, underscores and dots inside. The first messages of each side are looked at, 4,096 with _meta and 16 MiB of all.",
	Hint: "write keys as com.example/name",
	Refs: []rule.Ref{{Since: mcp.V3, Page: "basic", Anchor: "_meta"}},
}

var extensionIDFormat = &rule.Rule{
	ID:       "extension-id-format",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Since:    mcp.V5,
	Title:    "an extension is declared under a name without a prefix",
	Explain:  "The name of an extension has a prefix and a slash, as keys of _meta have, so that two vendors' extensions cannot be mixed up. Others do not find it otherwise.",
	Hint:     "write the name as com.example/name",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "basic/versioning", Anchor: "extension-negotiation"}},
}
