package shape

// The table has a paragraph for each type. Its first line is the type's name, with one
// of
//
//	= "a" "b"        it is one of these strings
//	by name          an object whose member name says which of the types below it is
//	by name or "a"   the same; without that member it is "a"
//	with a or b      an object that has at least one of these two members as a string
//
// The lines below it are its members, or its types: a name, what it is, and the
// revisions that have it, from 1 for 2024-11-05 to 5 for 2026-07-28: "4" one of them,
// "2-" from there on, "-4" up to there; nothing = all. "!" is a required member. What
// it is is a type of the table or one of
//
//	string boolean number integer object any
//	id          a string or an integer
//	fraction    a number from 0 to 1
//	natural     an integer that is not negative
//	lifetime    an integer or null
//	base64      a string in base64
//	uri         a string that begins with a scheme
//	date        a string that begins with a date
//	timestamp   a string with a date, a time and a time zone
//	"a"         that string
//	[T]         an array of T
//	{T}         an object whose members are all T
//	T/[T]       T or an array of T
const table = `
Result
  _meta ResultMeta

ResultMeta
  io.modelcontextprotocol/serverInfo Implementation 5-

InitializeResult
  protocolVersion string!
  capabilities ServerCapabilities!
  serverInfo Implementation!
  instructions string
  _meta object

DiscoverResult
  resultType string!
  supportedVersions [string]!
  capabilities ServerCapabilities!
  instructions string
  ttlMs natural!
  cacheScope CacheScope!
  _meta ResultMeta

Implementation
  name string!
  title string 3-
  version string!
  description string 4-
  icons [Icon] 4-
  websiteUrl string 4-

Icon
  src string!
  mimeType string
  sizes [string]
  theme Theme

Theme = "light" "dark"
CacheScope = "public" "private"

ServerCapabilities
  experimental {object}
  extensions {object} 5-
  logging object
  completions object 2-
  prompts ListCapability
  resources ResourceCapability
  tools ListCapability
  tasks ServerTasks 4

ListCapability
  listChanged boolean

ResourceCapability
  subscribe boolean
  listChanged boolean

ServerTasks
  list object
  cancel object
  requests ServerTaskRequests

ServerTaskRequests
  tools ToolTaskRequests

ToolTaskRequests
  call object

ListToolsResult
  resultType string! 5-
  tools [Tool]!
  nextCursor string
  ttlMs natural! 5-
  cacheScope CacheScope! 5-
  _meta ResultMeta

Tool
  name string!
  title string 3-
  description string
  inputSchema InputSchema!
  outputSchema OutputSchema 3-
  annotations ToolAnnotations 2-
  execution ToolExecution 4
  icons [Icon] 4-
  _meta object 3-

InputSchema
  type "object"!
  $schema string 4-
  properties {object} -4
  required [string] -4

OutputSchema
  type "object"! 3-4
  $schema string 4-
  properties {object} 3-4
  required [string] 3-4

ToolAnnotations
  title string
  readOnlyHint boolean
  destructiveHint boolean
  idempotentHint boolean
  openWorldHint boolean

ToolExecution
  taskSupport TaskSupport

TaskSupport = "forbidden" "optional" "required"

CallToolResult
  resultType string! 5-
  content [ContentBlock]!
  structuredContent object 3-4
  structuredContent any 5-
  isError boolean
  _meta ResultMeta

ContentBlock by type
  text TextContent
  image ImageContent
  audio AudioContent 2-
  resource_link ResourceLink 3-
  resource EmbeddedResource

TextContent
  type "text"!
  text string!
  annotations Annotations
  _meta object 3-

ImageContent
  type "image"!
  data base64!
  mimeType string!
  annotations Annotations
  _meta object 3-

AudioContent
  type "audio"!
  data base64!
  mimeType string!
  annotations Annotations
  _meta object 3-

ResourceLink
  type "resource_link"!
  uri uri!
  name string!
  title string
  description string
  mimeType string
  size integer
  annotations Annotations
  icons [Icon] 4-
  _meta object

EmbeddedResource
  type "resource"!
  resource ResourceContents!
  annotations Annotations
  _meta object 3-

ResourceContents with text or blob
  uri uri!
  mimeType string
  _meta object 3-
  text string
  blob base64

Annotations
  audience [Role]
  priority fraction
  lastModified timestamp 3-

Role = "user" "assistant"

ListResourcesResult
  resultType string! 5-
  resources [Resource]!
  nextCursor string
  ttlMs natural! 5-
  cacheScope CacheScope! 5-
  _meta ResultMeta

Resource
  uri uri!
  name string!
  title string 3-
  description string
  mimeType string
  size integer
  annotations Annotations
  icons [Icon] 4-
  _meta object 3-

ListResourceTemplatesResult
  resultType string! 5-
  resourceTemplates [ResourceTemplate]!
  nextCursor string
  ttlMs natural! 5-
  cacheScope CacheScope! 5-
  _meta ResultMeta

ResourceTemplate
  uriTemplate string!
  name string!
  title string 3-
  description string
  mimeType string
  annotations Annotations
  icons [Icon] 4-
  _meta object 3-

ReadResourceResult
  resultType string! 5-
  contents [ResourceContents]!
  ttlMs natural! 5-
  cacheScope CacheScope! 5-
  _meta ResultMeta

ListPromptsResult
  resultType string! 5-
  prompts [Prompt]!
  nextCursor string
  ttlMs natural! 5-
  cacheScope CacheScope! 5-
  _meta ResultMeta

Prompt
  name string!
  title string 3-
  description string
  arguments [PromptArgument]
  icons [Icon] 4-
  _meta object 3-

PromptArgument
  name string!
  title string 3-
  description string
  required boolean

GetPromptResult
  resultType string! 5-
  description string
  messages [PromptMessage]!
  _meta ResultMeta

PromptMessage
  role Role!
  content ContentBlock!

CompleteResult
  resultType string! 5-
  completion Completion!
  _meta ResultMeta

Completion
  values [string]!
  total integer
  hasMore boolean

SubscriptionsListenResult
  resultType string!
  _meta SubscriptionMeta!

SubscriptionMeta
  io.modelcontextprotocol/subscriptionId id!
  io.modelcontextprotocol/serverInfo Implementation

Task
  taskId string!
  status TaskStatus!
  statusMessage string
  createdAt date!
  lastUpdatedAt date!
  ttl lifetime!
  pollInterval integer
  _meta object

TaskStatus = "working" "input_required" "completed" "failed" "cancelled"

CreateTaskResult
  task Task!
  _meta object

ListTasksResult
  tasks [Task]!
  nextCursor string
  _meta object

InputRequiredResult
  resultType string!
  inputRequests {InputRequest}
  requestState string
  _meta ResultMeta

InputRequest by method
  sampling/createMessage CreateMessageRequest
  elicitation/create ElicitRequest
  roots/list ListRootsRequest

CreateMessageRequest
  method "sampling/createMessage"!
  params CreateMessageRequestParams!

ElicitRequest
  method "elicitation/create"!
  params ElicitRequestParams!

ListRootsRequest
  method "roots/list"!
  params RootsParams

RootsParams
  _meta RequestMeta -4
  _meta object 5-

CreateMessageRequestParams
  messages [SamplingMessage]!
  modelPreferences ModelPreferences
  systemPrompt string
  includeContext IncludeContext
  temperature number
  maxTokens integer!
  stopSequences [string]
  metadata object
  tools [Tool] 4-
  toolChoice ToolChoice 4-
  task TaskMetadata 4
  _meta RequestMeta -4

IncludeContext = "none" "thisServer" "allServers"

ToolChoice
  mode ToolChoiceMode

ToolChoiceMode = "auto" "none" "required"

TaskMetadata
  ttl integer

RequestMeta
  progressToken id

ModelPreferences
  hints [ModelHint]
  costPriority fraction
  speedPriority fraction
  intelligencePriority fraction

ModelHint
  name string

SamplingMessage
  role Role!
  content SamplingContent/[SamplingContent]!
  _meta object 4-

SamplingContent by type
  text TextContent
  image ImageContent
  audio AudioContent 2-
  tool_use ToolUseContent 4-
  tool_result ToolResultContent 4-

ToolUseContent
  type "tool_use"!
  id string!
  name string!
  input object!
  _meta object

ToolResultContent
  type "tool_result"!
  toolUseId string!
  content [ContentBlock]!
  structuredContent object 4
  structuredContent any 5-
  isError boolean
  _meta object

ElicitRequestParams by mode or "form"
  form ElicitRequestFormParams
  url ElicitRequestURLParams 4-

ElicitRequestFormParams
  mode "form" 4-
  message string!
  requestedSchema RequestedSchema!
  task TaskMetadata 4
  _meta RequestMeta -4

RequestedSchema
  type "object"!
  properties {object}!
  required [string]
  $schema string 4-

ElicitRequestURLParams
  mode "url"!
  message string!
  url string!
  elicitationId string! 4
  task TaskMetadata 4
  _meta RequestMeta -4

CreateMessageResult
  role Role!
  content SamplingContent/[SamplingContent]!
  model string!
  stopReason string
  _meta object

ListRootsResult
  roots [Root]!
  _meta object

Root
  uri string!
  name string
  _meta object 3-

ElicitResult
  action ElicitAction!
  content object
  _meta object

ElicitAction = "accept" "decline" "cancel"

NotificationParams
  _meta NotificationMeta

NotificationMeta
  io.modelcontextprotocol/subscriptionId id 5-

CancelledParams
  requestId id! -3
  requestId id 4
  requestId id! 5-
  reason string
  _meta NotificationMeta

ProgressParams
  progressToken id!
  progress number!
  total number
  message string 2-
  _meta NotificationMeta

LoggingParams
  level LoggingLevel!
  logger string
  data any!
  _meta NotificationMeta

LoggingLevel = "debug" "info" "notice" "warning" "error" "critical" "alert" "emergency"

ResourceUpdatedParams
  uri uri!
  _meta NotificationMeta

ElicitationCompleteParams
  elicitationId string!

AcknowledgedParams
  notifications SubscriptionFilter!
  _meta NotificationMeta

SubscriptionFilter
  toolsListChanged boolean
  promptsListChanged boolean
  resourcesListChanged boolean
  resourceSubscriptions [string]
`
