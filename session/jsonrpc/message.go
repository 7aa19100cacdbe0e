package jsonrpc

import "strings"

// MaxCapture is the most raw bytes of one captured value that are kept.
const MaxCapture = 256

// Kind is what a JSON value is as a JSON-RPC message, told by the keys it has:
// with "method" it is a request (an "id" key, of whatever type, is present) or a
// notification (none); else with "error" it is an error response; else with
// "result" a result response; else it is Invalid.
type Kind uint8

const (
	Invalid      Kind = iota // Invalid is a scalar, an array inside a batch, or an object without method, result and error.
	Request                  // Request has method and id.
	Notification             // Notification has method and no id.
	Result                   // Result has result and no method.
	Error                    // Error has error and no method; it may have result too.
)

// Response reports whether k is a result or an error response.
func (k Kind) Response() bool { return k == Result || k == Error }

// Type is the JSON type of a value. Absent means that there is none.
type Type uint8

const (
	Absent Type = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// TypeOf is the type of a value by the first byte of its text: it does not look
// whether the rest is well-formed. No text is Absent.
func TypeOf(text []byte) Type {
	if len(text) == 0 {
		return Absent
	}
	switch text[0] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Syntax says how a text stands as JSON.
type Syntax uint8

const (
	Empty      Syntax = iota // Empty: nothing but white space.
	Complete                 // Complete: exactly one JSON value, outer white space allowed.
	Incomplete               // Incomplete: the text ends inside a value, more could complete it.
	Malformed                // Malformed: BadAt cannot be part of any JSON text.
	Trailing                 // Trailing: one value or more, then more bytes that are not white space (another value, or text).
)

// Defect is a set of things that JSON allows, or that are wrong below the level
// of syntax, and that matter to peers.
type Defect uint16

const (
	DuplicateKey     Defect = 1 << iota // DuplicateKey: one object has the same key twice, after unescaping.
	InvalidUTF8                         // InvalidUTF8: a byte sequence is not UTF-8 (overlong forms, encoded surrogates, a cut rune).
	LoneSurrogate                       // LoneSurrogate: an escape \uD800–\uDFFF without its other half.
	ByteOrderMark                       // ByteOrderMark: the text begins with EF BB BF. It is skipped for decoding.
	NULByte                             // NULByte: a zero byte is in the text.
	RawLineSeparator                    // RawLineSeparator: a raw CR, LF, U+2028 or U+2029 is in the text.
	OuterSpace                          // OuterSpace: white space before or after the value.
	KeysUnchecked                       // KeysUnchecked: too many keys at once to look for duplicates in all of them.
)

// A Span is where a value is in the text: its type, the offset of its first
// byte and its length in bytes. A Span of type Absent is nowhere.
type Span struct {
	Type     Type
	Off, Len int64
}

// In returns the value's text, nil where there is no value or text ends before it.
func (s Span) In(text []byte) []byte {
	if s.Type == Absent || s.Off < 0 || s.Len <= 0 || s.Off+s.Len > int64(len(text)) {
		return nil
	}
	return text[s.Off : s.Off+s.Len]
}

// A Value is a captured scalar, or the beginning of a captured array or object.
type Value struct {
	Span

	// Raw is the value as it is on the wire, quotes included, cut at MaxCapture
	// bytes. It is valid until the callback that was given it returns.
	Raw []byte

	// Hash is a hash of the whole raw text, equal for equal texts within one
	// process. Zero for Absent.
	Hash uint64
}

// Whole reports whether Raw is the whole value.
func (v *Value) Whole() bool { return v.Len == int64(len(v.Raw)) }

// Present reports whether the value is there, be it null.
func (v *Value) Present() bool { return v.Type != Absent }

// Field names a member that the Scanner captures wherever it is in a
// message. A path is exact: nothing is found by name alone.
type Field uint8

const (
	ParamName             Field = iota // params.name
	ParamURI                           // params.uri
	ParamCursor                        // params.cursor
	ParamLevel                         // params.level
	ParamTaskID                        // params.taskId
	ParamTask                          // params.task
	ParamRequestID                     // params.requestId
	ParamProgressToken                 // params.progressToken
	ParamProgress                      // params.progress
	ParamTotal                         // params.total
	ParamRequestState                  // params.requestState
	ParamInputResponses                // params.inputResponses
	ParamProtocolVersion               // params.protocolVersion
	ParamCapabilities                  // params.capabilities
	ParamClientInfo                    // params.clientInfo
	ParamArguments                     // params.arguments
	ParamNotifications                 // params.notifications
	ParamRefName                       // params.ref.name
	ParamRefURI                        // params.ref.uri
	MetaProgressToken                  // params._meta.progressToken
	MetaProtocolVersion                // params._meta["io.modelcontextprotocol/protocolVersion"]
	MetaCapabilities                   // params._meta["io.modelcontextprotocol/clientCapabilities"]
	MetaClientInfo                     // params._meta["io.modelcontextprotocol/clientInfo"]
	MetaLogLevel                       // params._meta["io.modelcontextprotocol/logLevel"]
	MetaSubscriptionID                 // params._meta["io.modelcontextprotocol/subscriptionId"]
	MetaRelatedTask                    // params._meta["io.modelcontextprotocol/related-task"]
	ResultType                         // result.resultType
	ResultProtocolVersion              // result.protocolVersion
	ResultCapabilities                 // result.capabilities
	ResultServerInfo                   // result.serverInfo
	ResultSupported                    // result.supportedVersions
	ResultNextCursor                   // result.nextCursor
	ResultIsError                      // result.isError
	ResultRequestState                 // result.requestState
	ResultInputRequests                // result.inputRequests
	ResultTTL                          // result.ttlMs
	ResultCacheScope                   // result.cacheScope
	ResultMetaServerInfo               // result._meta["io.modelcontextprotocol/serverInfo"]
	ResultTaskID                       // result.taskId
	ResultTaskTaskID                   // result.task.taskId
	ResultStatus                       // result.status
	ErrorCode                          // error.code
	ErrorMessage                       // error.message
	ErrorSupported                     // error.data.supported
	ErrorRequested                     // error.data.requested
	ErrorRequired                      // error.data.requiredCapabilities
	NumFields                          // NumFields counts the fields.
)

// A Message is one JSON value in the place of a message: the whole text, one of
// several values on a line, or one element of a batch. The Scanner reuses it:
// it is valid until the callback that was given it returns.
type Message struct {
	Kind Kind

	// Span is the value's type and its place in the text. A batch's elements
	// have their own places.
	Span

	// Elem is the element's index in its batch, or -1.
	Elem int

	// Top-level members. Version, ID and Method are captured; the others may be
	// of any size and are only located.
	Version, ID, Method   Value
	Params, Result, Error Span

	// UnknownKey is the first top-level key, unescaped, that JSON-RPC does not
	// know, cut at 64 bytes; empty where there is none.
	UnknownKey string

	Defects Defect // Defects found inside this value.

	fields [NumFields]Value
}

// Field returns the member f. It is never nil; an absent one has type Absent.
func (m *Message) Field(f Field) *Value { return &m.fields[f] }

// Text is what is known of a whole text once it has ended.
type Text struct {
	Syntax  Syntax
	Defects Defect
	Len     int64 // Len is the text's length in bytes.
	Values  int   // Values counts the complete top-level values.
	Batches int   // Batches counts those of them that are arrays.
	Emitted int   // Emitted counts the messages given to the callback.
	BadAt   int64 // BadAt is the offset of the first byte that no JSON text can have there, or -1.
	Depth   int   // Depth is the deepest nesting; a scalar has 0, {} has 1.
}

// Verbatim reports whether the text can be put unchanged into a line of NDJSON
// that every reader understands: one complete value, valid UTF-8, no escape of half a
// surrogate pair, no raw line separators, no outer white space, no byte order mark, at
// most maxDepth deep.
func (t *Text) Verbatim(maxDepth int) bool {
	return t.Syntax == Complete && t.Depth <= maxDepth &&
		t.Defects&(InvalidUTF8|LoneSurrogate|ByteOrderMark|NULByte|RawLineSeparator|OuterSpace) == 0
}

// The words of the enumerations, by value.
var (
	kindWords   = [...]string{"invalid", "request", "notification", "result", "error"}
	syntaxWords = [...]string{"empty", "complete", "incomplete", "malformed", "trailing"}
	typeWords   = [...]string{"absent", "null", "bool", "number", "string", "array", "object"}
)

// String returns the kind's word in lower case.
func (k Kind) String() string { return kindWords[k] }

// String returns the word for s in lower case.
func (s Syntax) String() string { return syntaxWords[s] }

// String returns the word for t in lower case.
func (t Type) String() string { return typeWords[t] }

// defectNames are the words for the defects, by their bit.
var defectNames = [...]string{
	"duplicate key", "invalid UTF-8", "lone surrogate", "byte order mark",
	"NUL byte", "raw line separator", "outer space", "keys unchecked",
}

// String returns the words for the defects in d, with commas between them.
func (d Defect) String() string {
	var words []string
	for bit, name := range defectNames {
		if d&(1<<bit) != 0 {
			words = append(words, name)
		}
	}
	return strings.Join(words, ", ")
}
