package rule

import (
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

// MaxScan bounds how many open exchanges are searched one by one.
const MaxScan = 256

// IsQuick reports whether a method needs so little work that a slow response
// has no excuse. Unknown methods may do anything.
func IsQuick(m *mcp.Method) bool {
	if m == nil || m.Unbounded {
		return false
	}
	switch m.Name {
	case mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead, mcp.ResourcesDirectoryRead, mcp.SkillsGet, mcp.CompletionComplete:
		return false
	}
	return true
}

// TimeoutOf returns the timeout of a request, in nanoseconds.
func TimeoutOf(c *session.Conn, method string) int64 { return int64(c.Limits.For(method)) }

// ProgressRace is how long progress may follow the response to its request,
// since both can be sent at the same moment, in nanoseconds.
const ProgressRace = int64(50 * time.Millisecond)

// TaskEnded reports whether a task's status is final.
func TaskEnded(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// ListGrace is how long a client may call a tool as it was listed before,
// because a model takes time to compose a call, in nanoseconds.
const ListGrace = int64(60e9)
