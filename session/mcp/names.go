package mcp

import (
	"encoding/base64"
	"strings"
)

// Methods of requests.
const (
	Initialize             = "initialize"
	Ping                   = "ping"
	ServerDiscover         = "server/discover"
	ToolsList              = "tools/list"
	ToolsCall              = "tools/call"
	ResourcesList          = "resources/list"
	ResourcesTemplatesList = "resources/templates/list"
	ResourcesRead          = "resources/read"
	ResourcesSubscribe     = "resources/subscribe"
	ResourcesUnsubscribe   = "resources/unsubscribe"
	SubscriptionsListen    = "subscriptions/listen"
	PromptsList            = "prompts/list"
	PromptsGet             = "prompts/get"
	CompletionComplete     = "completion/complete"
	LoggingSetLevel        = "logging/setLevel"
	RootsList              = "roots/list"
	SamplingCreateMessage  = "sampling/createMessage"
	ElicitationCreate      = "elicitation/create"
	TasksGet               = "tasks/get"
	TasksResult            = "tasks/result"
	TasksList              = "tasks/list"
	TasksCancel            = "tasks/cancel"
	TasksUpdate            = "tasks/update"
	SkillsList             = "skills/list"
	SkillsGet              = "skills/get"
	ResourcesDirectoryRead = "resources/directory/read"
)

// Methods of notifications.
const (
	InitializedNotification          = "notifications/initialized"
	CancelledNotification            = "notifications/cancelled"
	ProgressNotification             = "notifications/progress"
	LogNotification                  = "notifications/message"
	ToolsListChangedNotification     = "notifications/tools/list_changed"
	PromptsListChangedNotification   = "notifications/prompts/list_changed"
	ResourcesListChangedNotification = "notifications/resources/list_changed"
	ResourcesUpdatedNotification     = "notifications/resources/updated"
	RootsListChangedNotification     = "notifications/roots/list_changed"
	TaskStatusNotification           = "notifications/tasks/status"
	TasksNotification                = "notifications/tasks"
	ElicitationCompleteNotification  = "notifications/elicitation/complete"
	AcknowledgedNotification         = "notifications/subscriptions/acknowledged"
)

// Keys of _meta that the protocol defines.
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaRelatedTask        = "io.modelcontextprotocol/related-task"
)

// Identifiers of the extensions that define methods.
const (
	TasksExtension  = "io.modelcontextprotocol/tasks"
	SkillsExtension = "io.modelcontextprotocol/skills"
)

// Header fields of the HTTP transport, in the form that net/http gives to names.
const (
	SessionHeader     = "Mcp-Session-Id"       // SessionHeader is legacy: a session's id.
	VersionHeader     = "Mcp-Protocol-Version" // VersionHeader is the revision, on every request after initialize.
	MethodHeader      = "Mcp-Method"           // MethodHeader is modern, and mirrors the request's method.
	NameHeader        = "Mcp-Name"             // NameHeader is modern, and mirrors params.name, params.uri or params.taskId.
	ParamHeader       = "Mcp-Param-"           // ParamHeader is modern, and the beginning of the fields that mirror a tool's arguments.
	LastEventIDHeader = "Last-Event-Id"        // LastEventIDHeader is legacy: the event after which a stream is resumed.
)

// HeaderText returns what the value of a field that mirrors the body stands for.
func HeaderText(value string) string {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if text, err := base64.StdEncoding.DecodeString(inner); begins && ends && err == nil {
		return string(text)
	}
	return value
}

// LogLevels are the levels of log messages, from the least to the most severe
// (RFC 5424). Callers must not change it.
var LogLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

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
