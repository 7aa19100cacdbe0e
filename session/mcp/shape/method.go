package shape

import (
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A method's types.
type method struct {
	result string      // result is the type of its result, empty = not in the table.
	params string      // params is the type of its params, empty = not in the table.
	only   mcp.Version // only is the one revision whose type is known; NoVersion = all.
}

// methods are the methods with a type in the table: for requests their result, and
// their params if a server sends them; for notifications their params.
var methods = lazy.Value[map[string]method]{New: func() map[string]method {
	return map[string]method{
		mcp.Initialize:             {result: "InitializeResult"},
		mcp.Ping:                   {result: "Result", params: "RootsParams"},
		mcp.ServerDiscover:         {result: "DiscoverResult"},
		mcp.ToolsList:              {result: "ListToolsResult"},
		mcp.ToolsCall:              {result: "CallToolResult"},
		mcp.ResourcesList:          {result: "ListResourcesResult"},
		mcp.ResourcesTemplatesList: {result: "ListResourceTemplatesResult"},
		mcp.ResourcesRead:          {result: "ReadResourceResult"},
		mcp.ResourcesSubscribe:     {result: "Result"},
		mcp.ResourcesUnsubscribe:   {result: "Result"},
		mcp.SubscriptionsListen:    {result: "SubscriptionsListenResult"},
		mcp.PromptsList:            {result: "ListPromptsResult"},
		mcp.PromptsGet:             {result: "GetPromptResult"},
		mcp.CompletionComplete:     {result: "CompleteResult"},
		mcp.LoggingSetLevel:        {result: "Result"},
		mcp.RootsList:              {result: "ListRootsResult", params: "RootsParams"},
		mcp.SamplingCreateMessage:  {result: "CreateMessageResult", params: "CreateMessageRequestParams"},
		mcp.ElicitationCreate:      {result: "ElicitResult", params: "ElicitRequestParams"},
		mcp.TasksGet:               {result: "Task", only: mcp.V4},
		mcp.TasksCancel:            {result: "Task", only: mcp.V4},
		mcp.TasksList:              {result: "ListTasksResult", only: mcp.V4},

		mcp.InitializedNotification:          {params: "NotificationParams"},
		mcp.CancelledNotification:            {params: "CancelledParams"},
		mcp.ProgressNotification:             {params: "ProgressParams"},
		mcp.LogNotification:                  {params: "LoggingParams"},
		mcp.ToolsListChangedNotification:     {params: "NotificationParams"},
		mcp.PromptsListChangedNotification:   {params: "NotificationParams"},
		mcp.ResourcesListChangedNotification: {params: "NotificationParams"},
		mcp.ResourcesUpdatedNotification:     {params: "ResourceUpdatedParams"},
		mcp.RootsListChangedNotification:     {params: "NotificationParams"},
		mcp.TaskStatusNotification:           {params: "Task", only: mcp.V4},
		mcp.ElicitationCompleteNotification:  {params: "ElicitationCompleteParams"},
		mcp.AcknowledgedNotification:         {params: "AcknowledgedParams"},
	}
}}

// Result returns the type of a method's result in a revision; nil if the table has
// none. NoVersion is an unknown revision: what only some revisions require may be
// absent then.
func Result(name string, v mcp.Version) *Type { return revision(v).results[name] }

// Params returns the type of the params of a notification, or of a request that
// servers send; nil if the table has none.
func Params(name string, v mcp.Version) *Type { return revision(v).params[name] }

// Named returns the type of that name in a revision, nil if the table has no such type.
func Named(name string, v mcp.Version) *Type { return revision(v).types[name] }

// has reports whether a revision has a method, and no extension defines it there.
func (c *compiler) has(name string) bool {
	m, known := mcp.Lookup(name)
	only := methods.Get()[name].only
	return known && m.In(c.revision) && m.ExtensionIn(c.revision) == "" && (only == mcp.NoVersion || c.revision == only)
}
