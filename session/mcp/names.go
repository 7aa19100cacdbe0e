package mcp

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
