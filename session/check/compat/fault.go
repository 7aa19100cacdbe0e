package compat

import "wiretea/session/mcp"

// A Fault is a row of the table: something in a server's output to which
// clients react differently. Not all of them violate a rule.
type Fault uint8

const (
	NotJSON Fault = iota
	BlankLine
	Scalar
	NotMessage
	ErrorNullID
	ErrorNoID
	UnknownNotification
	UnknownToken
	UnknownID

	InvalidUTF8
	CRLF
	ManyLines
	ByteOrderMark
	TrailingBytes
	NoNewline
	ContentLength
	IDType
	NullID
	ErrorNull
	ResultAndError
	UnknownKey
	NoVersion
	OtherVersion
	Batch
	LongLine

	NotANumber
	BrokenAnswer
	Interleaved
	UTF16
	TwoMessages
	FinalLine
	OtherNumber
	NoOutcome
	HalfPair
	Deep

	RevisionUnknown
	NoServerInfo
	NoCapabilities
	NullCursor
	NoInputSchema
	NullInputSchema
	EmptyInputSchema
	NoContent
	UnknownContent

	ProbeExit
	ProbeSilent

	NumFaults // NumFaults counts the faults.
)

// LongLineBytes is the length from which a line is a LongLine.
const LongLineBytes = 10 << 20

// DeepLevels is how many levels of arrays and objects pydantic, the parser of the
// Python SDKs, accepts. A message with more is Deep.
const DeepLevels = 201

// A row describes a fault.
type row struct {
	id    string // id is its name in tests and the documentation.
	title string
	rule  string // rule is the id of the rule that reports it, empty = none.
	in    string // in is the method whose response has it; empty = it is between messages.
}

var rows = [NumFaults]row{
	NotJSON:             {"not-json", "a line that is not JSON", "stdout-not-json", ""},
	BlankLine:           {"blank-line", "a blank line", "blank-line", ""},
	Scalar:              {"scalar", "a JSON value that is not an object", "json-not-message", ""},
	NotMessage:          {"not-message", "a JSON object that is not a message", "json-not-message", ""},
	ErrorNullID:         {"error-null-id", "an error whose id is null", "null-response-id", ""},
	ErrorNoID:           {"error-no-id", "an error without id (legal since 2025-11-25)", "", ""},
	UnknownNotification: {"unknown-notification", "a notification of an unknown method", "", ""},
	UnknownToken:        {"unknown-token", "progress with a token that no open request has", "progress-unknown-token", ""},
	UnknownID:           {"unknown-id", "a response to an id that no open request has", "orphan-response", ""},

	InvalidUTF8:    {"invalid-utf8", "bytes inside a string that are not UTF-8", "invalid-utf8", mcp.ToolsList},
	CRLF:           {"crlf", "a line that ends with CR LF", "crlf-line-ending", mcp.ToolsList},
	ManyLines:      {"many-lines", "a message that spans several lines", "embedded-newline", mcp.ToolsList},
	ByteOrderMark:  {"byte-order-mark", "a byte order mark before the message", "utf8-bom", mcp.ToolsList},
	TrailingBytes:  {"trailing-bytes", "text after the message on its line", "stdout-not-json", mcp.ToolsList},
	NoNewline:      {"no-newline", "a message without a line feed", "missing-newline", mcp.ToolsList},
	ContentLength:  {"content-length", "a message framed with Content-Length", "content-length-framing", mcp.ToolsList},
	IDType:         {"id-type", "the id of the request with the other JSON type", "id-type-mismatch", mcp.ToolsList},
	NullID:         {"null-id", "a response whose id is null", "null-response-id", mcp.ToolsList},
	ErrorNull:      {"error-null", `"error":null beside the result`, "result-and-error", mcp.ToolsList},
	ResultAndError: {"result-and-error", "both result and error", "result-and-error", mcp.ToolsList},
	UnknownKey:     {"unknown-key", "an unknown top-level key", "unknown-top-level-key", mcp.ToolsList},
	NoVersion:      {"no-jsonrpc", `a message without "jsonrpc"`, "missing-jsonrpc", mcp.ToolsList},
	OtherVersion:   {"other-jsonrpc", `a "jsonrpc" that is not "2.0"`, "missing-jsonrpc", mcp.ToolsList},
	Batch:          {"batch", "a message in an array (legal in 2025-03-26 only)", "batch-not-supported", mcp.ToolsList},
	LongLine:       {"long-line", "a line longer than 10 MiB", "", mcp.ToolsList},

	NotANumber:   {"not-a-number", "a result with NaN or Infinity in it", "stdout-not-json", mcp.ToolsList},
	BrokenAnswer: {"broken-answer", "a response that is not valid JSON", "stdout-not-json", mcp.ToolsList},
	Interleaved:  {"interleaved", "a response with another message in the middle", "interleaved-write", mcp.ToolsList},
	UTF16:        {"utf-16", "a response in UTF-16", "invalid-utf8", mcp.ToolsList},
	TwoMessages:  {"two-messages", "two messages on one line", "multiple-messages-per-line", mcp.ToolsList},
	FinalLine:    {"final-line", "a message without a line feed at the end of the stream", "unterminated-final-message", mcp.ToolsList},
	OtherNumber:  {"other-number", "the id of the request written as another number, 3.0 for 3", "id-type-mismatch", mcp.ToolsList},
	NoOutcome:    {"no-outcome", "a response with neither result nor error", "response-empty", mcp.ToolsList},
	HalfPair:     {"half-pair", "a string with half a surrogate pair in it", "lone-surrogate", mcp.ToolsList},
	Deep:         {"deep", "a message with more than 201 levels of nesting", "deep-nesting", mcp.ToolsList},

	RevisionUnknown:  {"revision-unknown", "initialize answered with a protocol revision that was never published", "version-answer-unknown", mcp.Initialize},
	NoServerInfo:     {"no-server-info", "initialize answered without serverInfo", "initialize-missing-field", mcp.Initialize},
	NoCapabilities:   {"no-capabilities", "initialize answered without capabilities", "initialize-missing-field", mcp.Initialize},
	NullCursor:       {"null-cursor", "a nextCursor that is null", "null-next-cursor", mcp.ToolsList},
	NoInputSchema:    {"no-input-schema", "a tool without inputSchema", "invalid-input-schema", mcp.ToolsList},
	NullInputSchema:  {"null-input-schema", "a tool whose inputSchema is null", "invalid-input-schema", mcp.ToolsList},
	EmptyInputSchema: {"empty-input-schema", `a tool whose inputSchema has no "type":"object"`, "invalid-input-schema", mcp.ToolsList},
	NoContent:        {"no-content", "a tool's result without content", "", mcp.ToolsCall},
	UnknownContent:   {"unknown-content", "a tool's result with content of an unknown type", "", mcp.ToolsCall},

	ProbeExit:   {"probe-exit", "the server exits on server/discover", "server-exit-on-probe", mcp.ServerDiscover},
	ProbeSilent: {"probe-silent", "the server does not answer server/discover", "server-silent-on-probe", mcp.ServerDiscover},
}

// row returns the row of the fault, an empty one for an unknown fault.
func (f Fault) row() row {
	if f < NumFaults {
		return rows[f]
	}
	return row{id: "?"}
}

// String returns the fault's id: "not-json".
func (f Fault) String() string { return f.row().id }

// Title describes the fault in a few words.
func (f Fault) Title() string { return f.row().title }

// Rule returns the id of the rule that reports it, empty for none.
func (f Fault) Rule() string { return f.row().rule }

// Reported returns the faults that the rule with that id reports.
func Reported(rule string) (s Faults) {
	for f := range NumFaults {
		if rule != "" && f.Rule() == rule {
			s = s.with(f)
		}
	}
	return s
}

// In returns the method in whose response the fault was measured; empty for faults
// between messages.
func (f Fault) In() string { return f.row().in }

// Faults is a set of faults. The zero value is empty.
type Faults uint64

// Faults must fit into 64 bits.
var _ [64 - NumFaults]struct{}

// Of returns the set of these faults.
func Of(list ...Fault) (s Faults) {
	for _, f := range list {
		s = s.with(f)
	}
	return s
}

func (s Faults) with(f Fault) Faults { return s | 1<<f }

// Has reports whether f is in the set.
func (s Faults) Has(f Fault) bool { return s&(1<<f) != 0 }

// All yields the faults of the set, in their order.
func (s Faults) All(yield func(Fault) bool) {
	for f := range NumFaults {
		if s.Has(f) && !yield(f) {
			return
		}
	}
}
