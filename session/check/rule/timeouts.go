package rule

import (
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

// MaxScan bounds how many of those that wait are looked at one by one.
const MaxScan = 256

// IsQuick reports whether a method needs no work worth mentioning, so that
// nothing excuses that it takes long. Methods that are not known may do anything.
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

// TimeoutOf is the time in force for a request, in nanoseconds.
func TimeoutOf(c *session.Conn, method string) int64 { return int64(c.Limits.For(method)) }

// ProgressRace is how long progress may follow the end of its request, since the
// two can be sent at the same moment.
const ProgressRace = int64(50 * time.Millisecond)

// TaskEnded reports whether a task's status is its last one.
func TaskEnded(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// ListGrace is how long a client may call a tool as it was listed before: what a
// model composes takes its time.
const ListGrace = int64(60e9)
