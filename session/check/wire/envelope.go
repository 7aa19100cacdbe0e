package wire

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Envelope = rule.Family{
	Name:  "envelope",
	Title: "JSON-RPC envelope",
	Rules: []*rule.Rule{
		MissingJSONRPC, unknownTopLevelKey,
		ResultAndError, ResponseEmpty, ResultNotObject, ErrorShape, errorCodeZero,
		nullRequestID, InvalidIDType, idPrecisionLoss, NullResponseID,
		paramsNotObject, notificationWithID, requestWithoutID,
		BatchNotSupported, BatchInvalid,
	},
	New: func() session.Checker { return &envelopeConn{} },
}

var MissingJSONRPC = &rule.Rule{
	ID:       "missing-jsonrpc",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    `a message does not say "jsonrpc":"2.0"`,
	Explain: "Every message must carry the member jsonrpc with the string 2.0. The TypeScript SDKs drop a message without it, so that the request " +
		"times out, and the Python SDKs too; the Go SDK ends the connection.",
	Hint: `add "jsonrpc":"2.0" to every message`,
	Refs: rule.MessageRefs,
}

var unknownTopLevelKey = &rule.Rule{
	ID:       "unknown-top-level-key",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "a message has a member at its top that does not belong there",
	Explain: "A message has jsonrpc, id and either method and params, or result, or error. The specification does not forbid more, but the " +
		"TypeScript SDKs check strictly and drop the message, so that the request times out.",
	Hint: "remove the member; what is additional goes into params or result, or their _meta",
	Refs: rule.MessageRefs,
}

var ResultAndError = &rule.Rule{
	ID:       "result-and-error",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a response has both result and error",
	Explain: "A response has exactly one of the two, and null counts: error:null beside a result is a fault too. The TypeScript SDKs drop such a " +
		"response and the request times out; of the others some take the result and some the error.",
	Hint: "leave out the member that is not used, do not set it to null",
	Refs: rule.ResponseRefs,
}

var ResponseEmpty = &rule.Rule{
	ID:       "response-empty",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a message has an id, but neither method, result nor error",
	Explain:  "A response without result and error answers nothing. A result without content is an empty object, not an absent member.",
	Hint:     `send "result":{} where there is nothing to say`,
	Refs:     rule.ResponseRefs,
}

var ResultNotObject = &rule.Rule{
	ID:       "result-not-object",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "result must be an object",
	Explain:  "Every result of the protocol is an object. JSON-RPC alone would allow null, a list or a string; MCP peers refuse them.",
	Hint:     `send an object, "result":{} where there is nothing to say`,
	Refs:     rule.ResponseRefs,
}

var ErrorShape = &rule.Rule{
	ID:       "error-shape",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "the error of a response lacks an integer code or a text message",
	Explain:  "An error is an object with an integer code and a string message; data is optional. Peers that decode into types fail on anything else.",
	Hint:     `send "error":{"code":-32603,"message":"…"}, with details in data`,
	Refs:     rule.ErrorRefs,
}

var errorCodeZero = &rule.Rule{
	ID:       "error-code-zero",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "the code of an error is 0",
	Explain: "Zero is what a variable is when nobody set it: an unhandled exception was turned into a response. The other side cannot tell " +
		"an unknown method from a crash.",
	Hint: "use a code that says what happened: -32601 for an unknown method, -32602 for bad params, -32603 for an internal error",
	Refs: rule.ErrorRefs,
}

var nullRequestID = &rule.Rule{
	ID:       "null-request-id",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "the id of a request is null",
	Explain:  "MCP forbids null as the id of a request, unlike JSON-RPC. Peers take it for a notification, or answer with an id that fits nothing.",
	Hint:     "number requests with strings or integers; leave out the id in notifications only",
	Refs:     rule.RequestRefs,
}

var InvalidIDType = &rule.Rule{
	ID:       "invalid-id-type",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "an id is neither a string nor an integer",
	Explain:  "Fractions, booleans, arrays and objects are not valid ids. Peers refuse such a message or cannot match the answer to the request.",
	Hint:     "use a string or an integer",
	Refs:     rule.RequestRefs,
}

var idPrecisionLoss = &rule.Rule{
	ID:       "id-precision-loss",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "an integer id or progress token is beyond 2^53-1",
	Explain: "JavaScript and many other peers keep numbers as 64-bit floats. A larger integer comes back as another one, and the answer fits no " +
		"request.",
	Hint: "count from 1, or use strings",
	Refs: rule.RequestRefs,
}

var NullResponseID = &rule.Rule{
	ID:       "null-response-id",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "a response does not say which request it answers",
	Explain: "The id of a response is that of its request. JSON-RPC sets it to null where the request could not be read; MCP knows no null, and " +
		"from 2025-11-25 on lets an error leave the id out then. A result without an id is always a fault. The Go SDK ends the connection on " +
		"an error with a null id.",
	Hint: "echo the id of the request; leave it out only where it could not be read",
	Refs: rule.ResponseRefs,
}

var paramsNotObject = &rule.Rule{
	ID:       "params-not-object",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "params must be an object",
	Explain:  "JSON-RPC allows a list of parameters, MCP does not: params are an object or absent. null is not an object.",
	Hint:     "send an object, or leave params out",
	Refs:     rule.RequestRefs,
}

var notificationWithID = &rule.Rule{
	ID:       "notification-with-id",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a notification has an id",
	Explain: "An id makes it a request: the receiver answers, mostly that it knows no such method, and does not take note of what the " +
		"notification says.",
	Hint: "leave out the id",
	Refs: rule.NotificationRefs,
}

var requestWithoutID = &rule.Rule{
	ID:       "request-without-id",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a request has no id",
	Explain:  "Without an id it is a notification: the receiver never answers it, and its sender waits in vain.",
	Hint:     "add an id, a string or an integer that is not in use",
	Refs:     rule.RequestRefs,
}

var BatchNotSupported = &rule.Rule{
	ID:       "batch-not-supported",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "messages are sent as a batch",
	Explain: "Batches, lists of messages, exist in revision 2025-03-26 only. The TypeScript and Python SDKs drop them whole; the Go SDK accepts them, which hides " +
		"the fault. As 2024-11-05 does not mention batches, this is a warning there.",
	Hint: "send the messages one by one",
	Refs: []rule.Ref{{Since: mcp.V3, Until: mcp.V4, Page: "basic/transports", Anchor: "stdio"}, {Since: mcp.V5, Page: "basic/transports/stdio"}},
}

var BatchInvalid = &rule.Rule{
	ID:       "batch-invalid",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V2,
	Until:    mcp.V2,
	Title:    "a batch is empty, or has initialize in it",
	Explain:  "A batch has at least one message, and initialize must stand alone: before it is answered nobody knows whether batches are understood.",
	Hint:     "send initialize alone, and no empty batches",
	Refs:     []rule.Ref{{Since: mcp.V2, Until: mcp.V2, Page: "basic", Anchor: "batching"}},
}
