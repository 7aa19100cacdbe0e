package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for the state of a connection.
const (
	maxTasks     = 1024 // tasks of each side; the oldest is dropped first
	maxAugmented = 1024 // requests in flight
	maxTaskKeys  = 32   // keys of inputRequests of one task
)

const (
	toolTasks  = "tasks.requests.tools.call"
	statusRace = int64(time.Second)
	fastPolls  = 3
)

// tasksConn follows the tasks of both sides: those of 2025-11-25, which a request
// asks for, and those of the extension, which the server creates.
type tasksConn struct {
	rule.Coverage
	rule.KeySet
	client, server rule.Capabilities // client and server are what the two declared in initialize.
	sides          [2]taskBook       // sides are by the side that runs the task.
	tools          map[string]taskTool
	extended       map[uint32]bool   // extended are modern requests in flight that declare the extension, or may.
	doubts         bool              // doubts: not all of them are stored.
	tokens         map[uint64]tasked // tokens are the progress tokens of requests that became tasks of the extension.
}

// A taskTool is a tool's support for tasks in the latest list.
type taskTool struct {
	support string // support is its taskSupport, empty = none.
	from    int64  // from is when that became known.
}

// A tasked request became a task.
type tasked struct {
	name string
	at   int64
}

// Check implements session.Checker.
func (c *tasksConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind == session.MessageSeen && ev.Method != nil && ev.Frame.Stream != session.Stderr && tasksExist(ev):
		c.message(ev, r)
	case ev.Kind == session.ExchangeGone:
		delete(c.extended, ev.Exchange.Req)
	}
}

// tasksExist reports whether a message can be about tasks.
func tasksExist(ev *session.Event) bool {
	return rule.Version(ev) >= mcp.V4 || ev.Method.Name == mcp.Initialize
}

func (c *tasksConn) message(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch m.Kind {
	case jsonrpc.Request:
		if x != nil && rule.IsNew(ev) {
			c.request(ev, r)
		}
	case jsonrpc.Notification:
		c.notification(ev, r)
	case jsonrpc.Result, jsonrpc.Error:
		switch {
		case !rule.IsAnswer(ev):
		case m.Kind == jsonrpc.Result:
			c.result(ev, r)
		case x.Method == mcp.TasksGet && x.Era == mcp.Modern:
			c.lost(ev, r)
		}
		c.over(x)
	}
}

// over drops the record that a request in flight declared the extension.
func (c *tasksConn) over(x *session.Exchange) {
	if x != nil {
		delete(c.extended, x.Req)
	}
}

// request judges a request of either side.
func (c *tasksConn) request(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	if x.Method == mcp.Initialize {
		if x.Way == session.WayOut {
			return // The client did not send it.
		}
		c.client = rule.CapabilitiesOf(rule.FieldText(ev, m.Field(jsonrpc.ParamCapabilities)), mcp.ClientSide)
		return
	}
	if v := m.Field(jsonrpc.MetaProgressToken); len(c.tokens) > 0 && v.Present() {
		if h, ok := rule.HashID(v.Raw); ok {
			delete(c.tokens, h)
		}
	}
	switch {
	case x.Method == mcp.TasksGet:
		c.poll(ev, r)
	case rule.Version(ev) == mcp.V4:
		if !rule.ByUser(ev) {
			c.augments(ev, r)
		}
	case x.Era == mcp.Modern && x.Sender == session.C2S:
		c.extend(ev)
	}
}

// extend stores whether a request declares the extension.
func (c *tasksConn) extend(ev *session.Event) {
	caps := ev.Message.Field(jsonrpc.MetaCapabilities)
	text := rule.FieldText(ev, caps)
	extensions := lex.Get(text, "extensions")
	if !caps.Present() || text != nil && extensions == nil || jsonrpc.TypeOf(extensions) == jsonrpc.Object && lex.Get(extensions, mcp.TasksExtension) == nil {
		return
	}
	if len(c.extended) >= maxAugmented {
		c.doubts = true
		return
	}
	rule.Put(&c.extended, ev.Exchange.Req, true)
}

// augments judges whether a request may be, or must be, a task.
func (c *tasksConn) augments(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	caps := c.server
	if x.Sender == session.S2C {
		caps = c.client
	}
	if caps == nil {
		return
	}
	asked := ev.Message.Field(jsonrpc.ParamTask).Type == jsonrpc.Object
	path := toolTasks
	switch {
	case x.Method == mcp.ToolsCall:
	case !asked || x.Method != mcp.SamplingCreateMessage && x.Method != mcp.ElicitationCreate:
		return // The TypeScript SDK 1 also sends task where it has no meaning.
	default:
		path = "tasks.requests." + strings.ReplaceAll(x.Method, "/", ".")
	}
	say := func(rule *rule.Rule, format string, args ...any) {
		f := rule.At(ev, format, args...)
		if f.Key = c.Key(x.Target); x.Method != mcp.ToolsCall {
			f.Key, f.Severity = x.Method, session.Warning
		}
		r.Report(f)
	}
	if !caps[path] {
		if asked {
			say(taskUndeclared, "%s asks for a task, but the %s did not declare %s", rule.NameOf(x), x.Sender.Reverse().Sender(), path)
		}
		return
	}
	t, known := c.tools[x.Target]
	if x.Method != mcp.ToolsCall || !known || t.from > x.ReqT || !c.Sees(ev, session.S2C) {
		return
	}
	switch {
	case asked && t.support != "optional" && t.support != "required":
		say(taskUndeclared, "%s asks for a task, but the tool %s has no taskSupport", rule.NameOf(x), rule.Excerpt([]byte(x.Target)))
	case !asked && t.support == "required":
		say(taskRequiredNotUsed, "%s asks for no task, but the tool %s requires one", rule.NameOf(x), rule.Excerpt([]byte(x.Target)))
	}
}

// list stores which tools support tasks.
func (c *tasksConn) list(ev *session.Event) {
	if rule.Version(ev) != mcp.V4 || !c.server[toolTasks] {
		return
	}
	for _, entry := range lex.Items(lex.Get(rule.ResultOf(ev), "tools")) {
		name := lex.Unquote(lex.Get(entry, "name"))
		t := taskTool{support: lex.Unquote(lex.Get(lex.Get(entry, "execution"), "taskSupport")), from: ev.T}
		old, known := c.tools[name]
		switch {
		case !known && len(c.tools) >= rule.MaxTools, !rule.WholeName(name):
			continue
		case known && old.support == t.support:
			continue
		case known:
			t.from += rule.ListGrace
		}
		if len(t.support) > len("forbidden") {
			t.support = ""
		}
		rule.Put(&c.tools, name, t)
	}
}

func (c *tasksConn) notification(ev *session.Event, r session.Reporter) {
	m := ev.Message
	switch ev.Method.Name {
	case mcp.ToolsListChangedNotification:
		c.tools = nil
	case mcp.CancelledNotification:
		c.over(ev.Exchange)
	case mcp.TaskStatusNotification:
		if rule.Version(ev) == mcp.V4 {
			c.state(ev, &c.sides[ev.Frame.Stream], rule.SpanText(ev, m.Params), "", r)
		}
	case mcp.TasksNotification:
		if rule.IsModern(ev) && ev.Frame.Stream == session.S2C {
			c.state(ev, &c.sides[session.S2C], rule.SpanText(ev, m.Params), "", r)
		}
	case mcp.ProgressNotification:
		if len(c.tokens) > 0 && ev.Frame.Stream == session.S2C && rule.IsModern(ev) {
			c.progress(ev, r)
		}
	}
}

// progress judges progress for a request that became a task.
func (c *tasksConn) progress(ev *session.Event, r session.Reporter) {
	h, ok := rule.HashID(ev.Message.Field(jsonrpc.ParamProgressToken).Raw)
	if of, known := c.tokens[h]; ok && known && ev.T-of.at >= rule.ProgressRace {
		r.Report(taskProgress.At(ev, "progress of %s came %s after it became a task", of.name, rule.FormatDuration(ev.T-of.at)))
	}
}

// result judges a result.
func (c *tasksConn) result(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	book := &c.sides[x.Sender.Reverse()]
	isTask := m.Field(jsonrpc.ResultType).Is("task")
	switch {
	case x.Method == mcp.Initialize:
		if x.Way != session.WayOut {
			c.server = rule.CapabilitiesOf(rule.FieldText(ev, m.Field(jsonrpc.ResultCapabilities)), mcp.ServerSide)
		}
	case x.Method == mcp.ToolsList:
		c.list(ev)
	case x.Era == mcp.Modern && isTask:
		c.unsolicited(ev, r)
		c.create(ev, book, rule.SpanText(ev, m.Result), r)
	case x.Method == mcp.TasksGet, x.Method == mcp.TasksCancel && x.Era != mcp.Modern:
		c.state(ev, book, rule.SpanText(ev, m.Result), rule.NameOf(x), r)
	case x.Method == mcp.TasksResult:
		c.related(ev, r)
	case x.Era != mcp.Modern && m.Field(jsonrpc.ResultTaskTaskID).Present():
		c.create(ev, book, lex.Get(rule.SpanText(ev, m.Result), "task"), r)
	}
}

// unsolicited judges whether a modern request may be answered with a task.
func (c *tasksConn) unsolicited(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	switch {
	case x.Method != mcp.ToolsCall:
		r.Report(taskUnsolicited.At(ev, "%s is answered with a task, which is allowed only for tools/call", rule.NameOf(x)))
	case !c.extended[x.Req] && !c.doubts:
		r.Report(taskUnsolicited.At(ev, "%s is answered with a task, but does not declare %s", rule.NameOf(x), mcp.TasksExtension))
	}
}

// related judges whether the result of a task names its task.
func (c *tasksConn) related(ev *session.Event, r session.Reporter) {
	result := rule.SpanText(ev, ev.Message.Result)
	if result == nil || !rule.Unambiguous(ev.Message) || rule.Version(ev) != mcp.V4 {
		return
	}
	if lex.Get(lex.Get(result, "_meta"), mcp.MetaRelatedTask) == nil {
		r.Report(taskRelatedMetaMissing.At(ev, "the result of %s has no related-task in its _meta", rule.NameOf(ev.Exchange)))
	}
}

var taskNeeds = []rule.Need{{Path: "taskId", Type: jsonrpc.String}, {Path: "status", Type: jsonrpc.String}, {Path: "createdAt", Type: jsonrpc.String}, {Path: "lastUpdatedAt", Type: jsonrpc.String}}

// statuses are the valid statuses of a task.
var statuses = []string{"working", "input_required", "completed", "failed", "cancelled"}

// taskFault says what is wrong with a task, empty if nothing is; little: only
// its ttl is missing.
func taskFault(text []byte, modern bool) (fault string, little bool) {
	if lack := rule.Lack(text, taskNeeds); lack != "" {
		return lack, false
	}
	if status := lex.Get(text, "status"); !slices.Contains(statuses, lex.Unquote(status)) {
		return "unknown status " + rule.Short(status), false
	}
	name := "ttl"
	if modern {
		name = "ttlMs"
	}
	if t := jsonrpc.TypeOf(lex.Get(text, name)); t != jsonrpc.Number && t != jsonrpc.Null {
		return name + " is " + rule.TypeName(t) + ", must be a number or null", t == jsonrpc.Absent
	}
	return "", false
}

// millis returns a member of a task that is a duration, in nanoseconds, 0 if
// there is none.
func millis(text []byte, name string) int64 {
	n, err := strconv.ParseFloat(string(lex.Get(text, name)), 64)
	if err != nil || n <= 0 || n > 1e12 {
		return 0
	}
	return int64(n * 1e6)
}

// shape judges the members of a task, and reports whether it can be followed.
func (c *tasksConn) shape(ev *session.Event, text []byte, what string, r session.Reporter) bool {
	if text == nil || !rule.Unambiguous(ev.Message) {
		return false
	}
	isModern := rule.Version(ev) >= mcp.V5
	fault, little := taskFault(text, isModern)
	if fault == "" {
		return true
	}
	if isModern && jsonrpc.TypeOf(lex.Get(text, "task")) == jsonrpc.Object && lex.Get(text, "taskId") == nil {
		fault = "the task is in the member task, must be the result itself"
	}
	f := taskShape.AtPart(ev, "Task", text, []string{"Task."}, "%s: %s", what, fault)
	f.Key = "shape"
	switch {
	case little && isModern:
		f.Severity, f.Key = session.Info, "ttl"
	case little: // SDKs refuse it, at least in notifications/tasks/status.
		f.Severity, f.Key = session.Warning, "ttl"
	}
	r.Report(f)
	return little
}

// payload judges whether a task of the extension has the member that its status
// requires.
func (c *tasksConn) payload(ev *session.Event, text []byte, what string, r session.Reporter) {
	status := lex.Unquote(lex.Get(text, "status"))
	want := map[string]string{"completed": "result", "failed": "error", "input_required": "inputRequests"}[status]
	if want == "" || jsonrpc.TypeOf(lex.Get(text, want)) == jsonrpc.Object {
		return
	}
	fault := fmt.Sprintf("%s has the status %s, but its %s is %s", what, status, want, rule.TypeName(jsonrpc.TypeOf(lex.Get(text, want))))
	if status == "failed" && lex.Get(text, "result") != nil {
		fault = what + " has the status failed but has a result: its status must be completed"
	}
	r.Report(taskStatusPayload.At(ev, "%s", fault).Keyed(status))
}
