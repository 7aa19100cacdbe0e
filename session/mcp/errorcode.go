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
