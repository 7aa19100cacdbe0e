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

// tasksRefs returns where the specification speaks of tasks: a heading of
// 2025-11-25, and one of the extension, which has a page of its own. An empty
// heading leaves its side out.
func tasksRefs(core, extension string) []rule.Ref {
	var refs []rule.Ref
	if core != "" {
		refs = append(refs, rule.Ref{Since: mcp.V4, Until: mcp.V4, Page: "basic/utilities/tasks", Anchor: core})
	}
	if extension != "" {
		refs = append(refs, rule.Ref{Since: mcp.V5, URL: "https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html#" + extension})
	}
	return refs
}

var taskUndeclared = &rule.Rule{
	ID:       "task-undeclared",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "a request is to be a task where the other side has no tasks",
	Explain: "What can be made a task is declared under tasks.requests, and for a tool also by its execution.taskSupport, optional or required. A tool must not be called as a task " +
		"otherwise: servers answer -32601, or run it as a plain call. For other requests it is a should, and a warning.",
	Hint: "look at the capabilities and at the tool's taskSupport, and leave task out if it is not supported",
	Refs: tasksRefs("tool-level-negotiation", ""),
}

var taskRequiredNotUsed = &rule.Rule{
	ID:       "task-required-not-used",
	Severity: session.Error,
	Fault:    rule.Client,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "a tool that only runs as a task is called without one",
	Explain:  "A tool with execution.taskSupport required must be called as a task; servers answer -32601. It is told by the list that was read last, unless it has changed since.",
	Hint:     `call it with "task":{}, or do not offer it`,
	Refs:     tasksRefs("tool-level-negotiation", ""),
}

var taskUnsolicited = &rule.Rule{
	ID:       "task-unsolicited",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server answers with a task where its client knows none",
	Explain: "Only tools/call may be answered with a task, and only where that very request declares the extension io.modelcontextprotocol/tasks. A client that does not know tasks " +
		"treats the result as invalid.",
	Hint: "look at the extensions of the request; answer -32021 where it cannot be done without a task",
	Refs: tasksRefs("", "capability-negotiation"),
}

var taskShape = &rule.Rule{
	ID:       "task-shape",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Title:    "a task lacks something that tasks have",
	Explain: "A task has taskId, status, createdAt, lastUpdatedAt and ttl, which is null where it is kept for ever; from 2026-07-28 on the last is ttlMs, and the task stands in the result itself " +
		"and not under task. A ttl that is only left out, as serializers do that drop null, is an information.",
	Hint: "send all of taskId, status, createdAt, lastUpdatedAt and ttl (ttlMs), null for no limit",
	Refs: tasksRefs("task", "tasks-1"),
}

var taskInitialStatus = &rule.Rule{
	ID:       "task-initial-status",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "a task does not begin as working",
	Explain:  "In 2025-11-25 each task begins in the status working, also where its work is done at once. Clients that follow the states do not ask for its result otherwise.",
	Hint:     "create the task as working, and let the first tasks/get say more",
	Refs:     tasksRefs("task-status-lifecycle", ""),
}

var taskBadTransition = &rule.Rule{
	ID:       "task-bad-transition",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Title:    "a task changes after its end",
	Explain: "completed, failed and cancelled are final; a task that was cancelled stays so even when its work completes. Clients forget a task at its end. What was under way while " +
		"the task ended is excused.",
	Hint: "set a final status once, and refuse all later changes",
	Refs: tasksRefs("task-status-lifecycle", "task-status"),
}

var taskIDDuplicate = &rule.Rule{
	ID:       "task-id-duplicate",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Title:    "two tasks have the same id",
	Explain:  "The id of a task is unique among all tasks of whoever runs it. The client cannot ask for the first one any more.",
	Hint:     "make ids at random, for example UUIDs",
	Refs:     tasksRefs("task-id-requirements", "tasks-1"),
}

var taskRelatedMetaMissing = &rule.Rule{
	ID:       "task-related-meta-missing",
	Severity: session.Error,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Until:    mcp.V4,
	Title:    "the result of a task does not say whose it is",
	Explain: "What belongs to a task carries io.modelcontextprotocol/related-task in its _meta. The result of tasks/result, which has the shape of the request that was made a task, " +
		"names its task nowhere else. Only that is looked at.",
	Hint: `add "io.modelcontextprotocol/related-task":{"taskId":"…"} to the _meta of the result`,
	Refs: tasksRefs("associating-task-related-messages", ""),
}

var taskPollTooFast = &rule.Rule{
	ID:       "task-poll-too-fast",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Since:    mcp.V4,
	Title:    "a task is asked after more often than it wants",
	Explain: "pollInterval, from 2026-07-28 on pollIntervalMs, says how many milliseconds lie between two tasks/get. Servers may refuse who asks more often. It is reported after three times " +
		"in a row in less than 80 % of it.",
	Hint: "wait for the pollInterval of the last answer before asking again",
	Refs: tasksRefs("getting-tasks", "task-polling"),
}

var taskNotDurable = &rule.Rule{
	ID:       "task-not-durable",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a task is not known right after it was created",
	Explain:  "A server answers with a task only when tasks/get would find it. The first tasks/get was answered with -32602, although the task's ttlMs was not over: the client gives up.",
	Hint:     "store the task, and wait until it can be read, before answering",
	Refs:     tasksRefs("", "task-creation"),
}

var taskStatusPayload = &rule.Rule{
	ID:       "task-status-payload",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a task does not bring what its status says",
	Explain: "A task that is completed has result, one that failed has error, one that is input_required has inputRequests. A tool's result with isError is a result: its task is completed, and failed " +
		"is for JSON-RPC errors.",
	Hint: "put result, error or inputRequests into the task, by its status",
	Refs: tasksRefs("", "task-status"),
}

var taskInputKeyReused = &rule.Rule{
	ID:       "task-input-key-reused",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a task asks two things under the same key",
	Explain: "A key of inputRequests is used once in the life of a task. Clients that have answered it do not look at it again, so that the second question is never asked, or gets the " +
		"first one's answer.",
	Hint: "make a new key for each question, for example with a counter",
	Refs: tasksRefs("", "task-update-requests"),
}

var taskProgress = &rule.Rule{
	ID:       "task-progress",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "progress is reported of a task",
	Explain: "With the answer that it was made a task the request is over, and with it its progress token. From 2026-07-28 on a task tells how it goes in statusMessage. Within 50 ms the two may have " +
		"changed places.",
	Hint: "write statusMessage, and send notifications/tasks to who listens for them",
	Refs: tasksRefs("", "task-status-notifications"),
}
