package tasks

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Family = rule.Family{
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

// tasksRefs are the references for tasks: a heading of 2025-11-25, and one of the
// extension's own page.
func tasksRefs(core, extension string) []rule.Ref {
	return []rule.Ref{
		{Since: mcp.V4, Until: mcp.V4, Page: "basic/utilities/tasks", Anchor: core},
		{Since: mcp.V5, URL: extensionPage + extension},
	}
}

// coreRefs is the reference to a heading of 2025-11-25.
func coreRefs(heading string) []rule.Ref {
	return []rule.Ref{{Since: mcp.V4, Until: mcp.V4, Page: "basic/utilities/tasks", Anchor: heading}}
}

// extensionRefs is the reference to a heading of the extension's own page.
func extensionRefs(heading string) []rule.Ref {
	return []rule.Ref{{Since: mcp.V5, URL: extensionPage + heading}}
}

const extensionPage = "https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html#"

var taskUndeclared = &rule.Rule{
	ID: "task-undeclared", Severity: session.Error, Since: mcp.V4, Until: mcp.V4,
	Title: "request asks for a task that the receiver does not support",
	Explain: "Support for tasks is declared in tasks.requests, and for a tool also in its execution.taskSupport, optional or required. A tool must not be " +
		"called as a task otherwise: servers answer -32601, or process an ordinary call. For other requests the specification says SHOULD, which " +
		"makes this a warning.",
	Hint: "check the capabilities and the tool's taskSupport, and omit task if it is not supported",
	Refs: coreRefs("tool-level-negotiation"),
}

var taskRequiredNotUsed = &rule.Rule{
	ID: "task-required-not-used", Severity: session.Error, Fault: rule.Client, Since: mcp.V4, Until: mcp.V4,
	Title: "tool that requires a task is called without one",
	Explain: "A tool whose execution.taskSupport is required must be called as a task; servers answer -32601. This is detected with the most recently read " +
		"list, unless it has changed since.",
	Hint: `call it with "task":{}, or do not offer it`,
	Refs: coreRefs("tool-level-negotiation"),
}

var taskUnsolicited = &rule.Rule{
	ID: "task-unsolicited", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "task result for a client that did not declare tasks",
	Explain: "Only tools/call may be answered with a task, and only if the request itself declares the extension io.modelcontextprotocol/tasks. A client " +
		"that does not support tasks treats the result as invalid.",
	Hint: "check the extensions of the request; return -32021 if the call is impossible without a task",
	Refs: extensionRefs("capability-negotiation"),
}

var taskShape = &rule.Rule{
	ID: "task-shape", Severity: session.Error, Since: mcp.V4,
	Title: "task with missing or invalid members",
	Explain: "A task has taskId, status, createdAt, lastUpdatedAt and ttl, which is null for unlimited. From 2026-07-28 on, ttl is named ttlMs, and the " +
		"task is the result itself instead of its member task. If only the ttl is missing, as with serializers that omit null, it is a warning, and " +
		"from 2026-07-28 on the severity is info.",
	Hint: "send taskId, status, createdAt, lastUpdatedAt and ttl (ttlMs), with null for no limit",
	Refs: tasksRefs("task", "tasks-1"),
}

var taskInitialStatus = &rule.Rule{
	ID: "task-initial-status", Severity: session.Error, Since: mcp.V4, Until: mcp.V4,
	Title: "initial status of a task is not working",
	Explain: "In 2025-11-25 each task begins with the status working, even if its work completes at once. Otherwise clients that follow the states do not " +
		"request its result.",
	Hint: "create the task as working, and report the new status in the first tasks/get",
	Refs: coreRefs("task-status-lifecycle"),
}

var taskBadTransition = &rule.Rule{
	ID: "task-bad-transition", Severity: session.Error, Since: mcp.V4,
	Title: "task changes after a final status",
	Explain: "completed, failed and cancelled are final; a cancelled task remains cancelled even if its work completes. Clients forget a task at its end. " +
		"Messages in flight while the task ended are not reported.",
	Hint: "set a final status once, and reject all later changes",
	Refs: tasksRefs("task-status-lifecycle", "task-status"),
}

var taskIDDuplicate = &rule.Rule{
	ID: "task-id-duplicate", Severity: session.Error, Since: mcp.V4,
	Title:   "duplicate task id",
	Explain: "A task id must be unique among all tasks of the side that runs it. Otherwise the client can no longer access the first task.",
	Hint:    "generate random ids, for example UUIDs",
	Refs:    tasksRefs("task-id-requirements", "tasks-1"),
}

var taskRelatedMetaMissing = &rule.Rule{
	ID: "task-related-meta-missing", Severity: session.Error, Since: mcp.V4, Until: mcp.V4,
	Title: "result of a task without related-task metadata",
	Explain: "Messages that belong to a task have io.modelcontextprotocol/related-task in their _meta. The result of tasks/result has the form of the " +
		"original request's result and names its task nowhere else. Only this result is checked.",
	Hint: `add "io.modelcontextprotocol/related-task":{"taskId":"…"} to the _meta of the result`,
	Refs: coreRefs("associating-task-related-messages"),
}

var taskPollTooFast = &rule.Rule{
	ID: "task-poll-too-fast", Severity: session.Warning, Since: mcp.V4,
	Title: "task is polled faster than its poll interval",
	Explain: "pollInterval, from 2026-07-28 on pollIntervalMs, is the number of milliseconds between two tasks/get requests. Servers may reject more " +
		"frequent requests. It is reported after three consecutive polls in less than 80 % of the interval.",
	Hint: "wait for the pollInterval of the last response before polling again",
	Refs: tasksRefs("getting-tasks", "task-polling"),
}

var taskNotDurable = &rule.Rule{
	ID: "task-not-durable", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "task is unknown right after its creation",
	Explain: "A server returns a task only once tasks/get can find it. The first tasks/get was answered with -32602 although the task's ttlMs had not " +
		"expired: the client gives up.",
	Hint: "store the task, and wait until it can be read, before responding",
	Refs: extensionRefs("task-creation"),
}

var taskStatusPayload = &rule.Rule{
	ID: "task-status-payload", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "task without the member that its status requires",
	Explain: "A completed task has result, a failed one error, and one with input_required has inputRequests. A tool result with isError is still a " +
		"result: its task is completed, and failed is for JSON-RPC errors.",
	Hint: "put result, error or inputRequests into the task, according to its status",
	Refs: extensionRefs("task-status"),
}

var taskInputKeyReused = &rule.Rule{
	ID: "task-input-key-reused", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "task reuses a key of inputRequests",
	Explain: "A key of inputRequests is used once in the life of a task. Clients ignore a key that they have already answered, so the second question is " +
		"never asked, or receives the answer to the first.",
	Hint: "use a new key for each question, for example a counter",
	Refs: extensionRefs("task-update-requests"),
}

var taskProgress = &rule.Rule{
	ID: "task-progress", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "progress for a task",
	Explain: "When the request is answered with a task, it is completed, and its progress token is invalid. From 2026-07-28 on, a task reports its " +
		"progress in statusMessage. Within 50 ms of the response the two messages may only have changed order.",
	Hint: "update statusMessage, and send notifications/tasks to subscribed clients",
	Refs: extensionRefs("task-status-notifications"),
}
