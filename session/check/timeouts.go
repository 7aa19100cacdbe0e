package check

import (
	"time"
	"wiretea/session"
	"wiretea/session/mcp"
)

// maxScan bounds how many of those that wait are looked at one by one.
const maxScan = 256

// quickMethod reports whether a method needs no work worth mentioning, so that
// nothing excuses that it takes long. Methods that are not known may do anything.
func quickMethod(m *mcp.Method) bool {
	if m == nil || m.Unbounded {
		return false
	}
	switch m.Name {
	case "tools/call", "prompts/get", "resources/read", "resources/directory/read", "skills/get", "completion/complete":
		return false
	}
	return true
}

// limitOf is the time in force for a request, in nanoseconds.
func limitOf(c *session.Conn, method string) int64 { return int64(c.Limits.For(method)) }

// progressRace is how long progress may follow the end of its request, since the
// two can be sent at the same moment.
const progressRace = int64(50 * time.Millisecond)

// final reports whether a task's status is its last one.
func final(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// patience is how long a client may call a tool as it was listed before: what a
// model composes takes its time.
const patience = int64(60e9)
