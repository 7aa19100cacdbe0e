package check

import (
	"time"
	"wiretea/session"
	"wiretea/session/mcp"
)

// maxScan bounds how many of those that wait are looked at one by one.
const maxScan = 256

// isQuick reports whether a method needs no work worth mentioning, so that
// nothing excuses that it takes long. Methods that are not known may do anything.
func isQuick(m *mcp.Method) bool {
	if m == nil || m.Unbounded {
		return false
	}
	switch m.Name {
	case "tools/call", "prompts/get", "resources/read", "resources/directory/read", "skills/get", "completion/complete":
		return false
	}
	return true
}

// timeoutOf is the time in force for a request, in nanoseconds.
func timeoutOf(c *session.Conn, method string) int64 { return int64(c.Limits.For(method)) }

// progressRace is how long progress may follow the end of its request, since the
// two can be sent at the same moment.
const progressRace = int64(50 * time.Millisecond)

// taskEnded reports whether a task's status is its last one.
func taskEnded(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// listGrace is how long a client may call a tool as it was listed before: what a
// model composes takes its time.
const listGrace = int64(60e9)
