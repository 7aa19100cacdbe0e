package mcp

// Header fields of the HTTP transport, in the form that net/http gives to names.
const (
	SessionHeader     = "Mcp-Session-Id"       // SessionHeader is legacy: a session's id.
	VersionHeader     = "Mcp-Protocol-Version" // VersionHeader is the revision, on every request after initialize.
	MethodHeader      = "Mcp-Method"           // MethodHeader is modern, and mirrors the request's method.
	NameHeader        = "Mcp-Name"             // NameHeader is modern, and mirrors params.name, params.uri or params.taskId.
	ParamHeader       = "Mcp-Param-"           // ParamHeader is modern, and the beginning of the fields that mirror a tool's arguments.
	LastEventIDHeader = "Last-Event-Id"        // LastEventIDHeader is legacy: the event after which a stream is resumed.
)
