package mcp

// Error codes that JSON-RPC and the protocol define.
const (
	ParseError         int64 = -32700
	InvalidRequest     int64 = -32600
	MethodNotFound     int64 = -32601
	InvalidParams      int64 = -32602
	InternalError      int64 = -32603
	ResourceNotFound   int64 = -32002 // ResourceNotFound is V1–V4; modern servers answer InvalidParams.
	URLElicitation     int64 = -32042 // URLElicitation is V4 only: the user must visit a URL first.
	UserRejected       int64 = -1     // UserRejected is the specification's example for a refused sampling request.
	HeaderMismatch     int64 = -32020 // HeaderMismatch and the next two are modern.
	MissingCapability  int64 = -32021
	UnsupportedVersion int64 = -32022

	// Codes of release candidates of the modern revision. Other programs use
	// the same numbers for their own errors.
	CandidateHeaderMismatch     int64 = -32001
	CandidateMissingCapability  int64 = -32003
	CandidateUnsupportedVersion int64 = -32004
)

// ErrorName returns the name of a defined error code, or of the range that the
// code is in. It is empty for application codes.
func ErrorName(code int64) string {
	if name, ok := errorNames[code]; ok {
		return name
	}
	switch {
	case code >= -32019 && code <= -32000:
		return "server error"
	case code >= -32099 && code <= -32023:
		return "reserved"
	case code >= -32768 && code <= -32100:
		return "reserved by JSON-RPC"
	}
	return ""
}

var errorNames = map[int64]string{
	ParseError:         "parse error",
	InvalidRequest:     "invalid request",
	MethodNotFound:     "method not found",
	InvalidParams:      "invalid params",
	InternalError:      "internal error",
	ResourceNotFound:   "resource not found",
	URLElicitation:     "URL elicitation required",
	UserRejected:       "user rejected",
	HeaderMismatch:     "header mismatch",
	MissingCapability:  "missing client capability",
	UnsupportedVersion: "unsupported protocol version",
}
