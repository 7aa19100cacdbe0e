package traffic

import (
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// isLog reports whether a row is a log message.
func isLog(s *session.Snapshot, r session.Row) bool {
	return r.Kind == session.RowNotification && s.Name(r.Method) == mcp.LogNotification
}

// verbs are short for the methods of messages that have a target.
var verbs = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		mcp.ToolsCall: "call", mcp.ResourcesRead: "read", mcp.PromptsGet: "get prompt", mcp.CompletionComplete: "complete",
		mcp.ResourcesSubscribe: "subscribe", mcp.ResourcesUnsubscribe: "unsubscribe", mcp.LoggingSetLevel: "log level",
		mcp.TasksGet: "get task", mcp.TasksResult: "task result", mcp.TasksCancel: "cancel task",
		mcp.LogNotification: "log", mcp.ProgressNotification: "progress",
	}
}}

// verbOf is a word for a method; empty where there is none that is shorter.
func verbOf(method string) string { return verbs.Get()[method] }
