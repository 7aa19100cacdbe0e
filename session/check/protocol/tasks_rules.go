package protocol

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Tasks = rule.Family{
	Name:  "tasks",
	Title: "Tasks",
	Rules: []*rule.Rule{
		taskUndeclared, taskRequiredNotUsed, taskUnsolicited,
		taskShape, taskInitialStatus, taskBadTransition, taskIDDuplicate,
		taskRelatedMetaMissing, taskPollTooFast,
		taskNotDurable, taskStatusPayload, taskInputKeyReused, taskProgress,
	},
	New: func() session.Checker { return &tasksConn{} },
}

var taskUndeclared = &rule.Rule{ID: "task-undeclared", Severity: session.Error, Since: mcp.V4, Until: mcp.V4}
var taskRequiredNotUsed = &rule.Rule{ID: "task-required-not-used", Severity: session.Error, Fault: rule.Client, Since: mcp.V4, Until: mcp.V4, NeedsAll: true}
var taskUnsolicited = &rule.Rule{ID: "task-unsolicited", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var taskShape = &rule.Rule{ID: "task-shape", Severity: session.Error, Since: mcp.V4}
var taskInitialStatus = &rule.Rule{ID: "task-initial-status", Severity: session.Error, Since: mcp.V4, Until: mcp.V4}
var taskBadTransition = &rule.Rule{ID: "task-bad-transition", Severity: session.Error, Since: mcp.V4}
var taskIDDuplicate = &rule.Rule{ID: "task-id-duplicate", Severity: session.Error, Since: mcp.V4}
var taskRelatedMetaMissing = &rule.Rule{ID: "task-related-meta-missing", Severity: session.Error, Since: mcp.V4, Until: mcp.V4}
var taskPollTooFast = &rule.Rule{ID: "task-poll-too-fast", Severity: session.Warning, Since: mcp.V4}
var taskNotDurable = &rule.Rule{ID: "task-not-durable", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var taskStatusPayload = &rule.Rule{ID: "task-status-payload", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var taskInputKeyReused = &rule.Rule{ID: "task-input-key-reused", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var taskProgress = &rule.Rule{ID: "task-progress", Severity: session.Error, Fault: rule.Server, Since: mcp.V5, NeedsAll: true}
