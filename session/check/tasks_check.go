package check

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// tasksChecker follows the tasks of both sides: those of 2025-11-25, which are made
// by whoever asks, and those of the extension, which are made by the server.
type tasksChecker struct {
	conns perConn[tasksConn]
}

// Bounds of what is kept of a connection.
const (
	maxTasks     = 1024 // tasks of each side; the oldest is forgotten first
	maxAugmented = 1024 // requests under way
	maxTaskKeys  = 32   // keys of inputRequests of one task
)

const (
	toolTasks       = "tasks.requests.tools.call"
	tasksCapability = "io.modelcontextprotocol/tasks"
	statusRace      = int64(time.Second)
	fastPolls       = 3
)

type tasksConn struct {
	coverage
	keySet
	client, server capabilities // client and server are what the two declared in initialize.
	sides          [2]taskBook  // sides are by who runs the task.
	tools          map[string]taskTool
	extended       map[uint32]bool   // extended are modern requests under way that declare the extension, or may.
	doubts         bool              // doubts: not all of them are kept.
	tokens         map[uint64]tasked // tokens are those of requests that were made tasks of the extension.
}

// A taskTool is what the last list says of a tool.
type taskTool struct {
	support string // support is its taskSupport, empty = none.
	from    int64  // from is from when on that is known.
}

// A tasked request was made a task.
type tasked struct {
	name string
	at   int64
}

// Check implements session.Checker.
func (c *tasksChecker) Check(ev *session.Event, r session.Reporter) {
	switch ev.Kind {
	case session.FrameSeen:
		if f := ev.Frame; f.Text.Emitted != 1 {
			c.conns.get(ev.Conn.ID).frame(f)
		}
	case session.MessageSeen:
		if ev.Method != nil && ev.Frame.Stream != session.Stderr && tasksExist(ev) {
			c.conns.get(ev.Conn.ID).message(ev, r)
		}
	case session.ExchangeGone:
		delete(c.conns.get(ev.Conn.ID).extended, ev.Exchange.Req)
	case session.ConnEnded:
		c.conns.drop(ev.Conn.ID)
	case session.FrameGrew, session.FrameStalled, session.ExchangeLate, session.IOSeen, session.ProcSeen, session.Timer:
	}
}

// tasksExist reports whether a message can have to do with tasks.
func tasksExist(ev *session.Event) bool {
	return version(ev) >= mcp.V4 || ev.Method.Name == "initialize"
}

func (c *tasksConn) message(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch m.Kind {
	case jsonrpc.Request:
		if x != nil && isNew(ev) {
			c.request(ev, r)
		}
	case jsonrpc.Notification:
		c.notification(ev, r)
	case jsonrpc.Result:
		if isAnswer(ev) {
			c.result(ev, r)
		}
		delete(c.extended, exchangeRow(x))
	case jsonrpc.Error:
		if isAnswer(ev) && x.Method == "tasks/get" && x.Era == mcp.Modern {
			c.lost(ev, r)
		}
		delete(c.extended, exchangeRow(x))
	case jsonrpc.Invalid:
	}
}

func exchangeRow(x *session.Exchange) uint32 {
	if x == nil {
		return session.NoRow
	}
	return x.Req
}

// request judges a request of either side.
func (c *tasksConn) request(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	if x.Method == "initialize" {
		if x.Way == session.WayOut {
			return // It is not the client that asks.
		}
		c.client = capabilitiesOf(fieldText(ev, m.Field(jsonrpc.ParamCapabilities)), mcp.ClientSide)
		return
	}
	if v := m.Field(jsonrpc.MetaProgressToken); len(c.tokens) > 0 && v.Present() {
		if h, ok := hashID(v.Raw); ok {
			delete(c.tokens, h)
		}
	}
	switch {
	case x.Method == "tasks/get":
		c.poll(ev, r)
	case version(ev) == mcp.V4:
		if !byUser(ev) {
			c.augments(ev, r)
		}
	case x.Era == mcp.Modern && x.Sender == session.C2S:
		c.extend(ev)
	}
}

// extend keeps whether a request declares the extension.
func (c *tasksConn) extend(ev *session.Event) {
	caps := ev.Message.Field(jsonrpc.MetaCapabilities)
	text := fieldText(ev, caps)
	if caps.Present() && text != nil && !bytes.Contains(text, []byte(`"extensions"`)) || !caps.Present() {
		return
	}
	if text != nil {
		root, _ := parseObject(text)
		if extensions, ok := root.object("extensions"); ok && !extensions.has(tasksCapability) {
			return
		}
	}
	if len(c.extended) >= maxAugmented {
		c.doubts = true
		return
	}
	if c.extended == nil {
		c.extended = map[uint32]bool{}
	}
	c.extended[ev.Exchange.Req] = true
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
	case x.Method == "tools/call":
	case !asked || x.Method != "sampling/createMessage" && x.Method != "elicitation/create":
		return // The TypeScript SDK 1 also sends task where it means nothing.
	default:
		path = "tasks.requests." + strings.ReplaceAll(x.Method, "/", ".")
	}
	say := func(rule *Rule, format string, args ...any) {
		f := rule.at(ev, format, args...)
		if f.Key = c.key(x.Target); x.Method != "tools/call" {
			f.Key, f.Severity = x.Method, session.Warning
		}
		r.Report(f)
	}
	if !caps[path] {
		if asked {
			say(taskUndeclared, "%s asks for a task, and the %s did not declare %s", nameOf(x), x.Sender.Reverse().Sender(), path)
		}
		return
	}
	t, known := c.tools[x.Target]
	if x.Method != "tools/call" || !known || t.from > x.ReqT || !c.sees(ev, session.S2C) {
		return
	}
	switch {
	case asked && t.support != "optional" && t.support != "required":
		say(taskUndeclared, "%s asks for a task, and the tool %s has no taskSupport", nameOf(x), excerpt([]byte(x.Target)))
	case !asked && t.support == "required":
		say(taskRequiredNotUsed, "%s asks for no task, and the tool %s only runs as one", nameOf(x), excerpt([]byte(x.Target)))
	}
}

// list keeps which tools may be tasks.
func (c *tasksConn) list(ev *session.Event) {
	if version(ev) != mcp.V4 || !c.server[toolTasks] {
		return
	}
	for w := newWalk(member(resultOf(ev), "tools")); ; {
		_, entry, ok := w.next()
		if !ok {
			return
		}
		name := unquote(member(entry, "name"))
		t := taskTool{support: unquote(member(member(entry, "execution"), "taskSupport")), from: ev.T}
		old, known := c.tools[name]
		switch {
		case !known && len(c.tools) >= maxTools, !wholeName(name):
			continue
		case known && old.support == t.support:
			continue
		case known:
			t.from += listGrace
		}
		if len(t.support) > len("forbidden") {
			t.support = ""
		}
		if c.tools == nil {
			c.tools = map[string]taskTool{}
		}
		c.tools[name] = t
	}
}

func (c *tasksConn) notification(ev *session.Event, r session.Reporter) {
	m := ev.Message
	switch ev.Method.Name {
	case "notifications/tools/list_changed":
		c.tools = nil
	case "notifications/cancelled":
		delete(c.extended, exchangeRow(ev.Exchange))
	case "notifications/tasks/status":
		if version(ev) == mcp.V4 {
			c.state(ev, &c.sides[ev.Frame.Stream], spanText(ev, m.Params), "", r)
		}
	case "notifications/tasks":
		if isModern(ev) && ev.Frame.Stream == session.S2C {
			c.state(ev, &c.sides[session.S2C], spanText(ev, m.Params), "", r)
		}
	case "notifications/progress":
		if len(c.tokens) > 0 && ev.Frame.Stream == session.S2C && isModern(ev) {
			c.progress(ev, r)
		}
	}
}

// progress judges progress of a request that was made a task.
func (c *tasksConn) progress(ev *session.Event, r session.Reporter) {
	h, ok := hashID(ev.Message.Field(jsonrpc.ParamProgressToken).Raw)
	if of, known := c.tokens[h]; ok && known && ev.T-of.at >= progressRace {
		r.Report(taskProgress.at(ev, "progress of %s came %s after it was made a task", of.name, formatDuration(ev.T-of.at)))
	}
}

// result judges a result.
func (c *tasksConn) result(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	book := &c.sides[x.Sender.Reverse()]
	isTask := m.Field(jsonrpc.ResultType).Is("task")
	switch {
	case x.Method == "initialize":
		if x.Way != session.WayOut {
			c.server = capabilitiesOf(fieldText(ev, m.Field(jsonrpc.ResultCapabilities)), mcp.ServerSide)
		}
	case x.Method == "tools/list":
		c.list(ev)
	case x.Era == mcp.Modern && isTask:
		c.unsolicited(ev, r)
		c.create(ev, book, spanText(ev, m.Result), r)
	case x.Method == "tasks/get", x.Method == "tasks/cancel" && x.Era != mcp.Modern:
		c.state(ev, book, spanText(ev, m.Result), nameOf(x), r)
	case x.Method == "tasks/result":
		c.related(ev, r)
	case x.Era != mcp.Modern && m.Field(jsonrpc.ResultTaskTaskID).Present():
		c.create(ev, book, member(spanText(ev, m.Result), "task"), r)
	}
}

// unsolicited judges whether a modern request may be answered with a task.
func (c *tasksConn) unsolicited(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	switch {
	case x.Method != "tools/call":
		r.Report(taskUnsolicited.at(ev, "%s is answered with a task, and only tools/call may be", nameOf(x)))
	case !c.extended[x.Req] && !c.doubts:
		r.Report(taskUnsolicited.at(ev, "%s is answered with a task, and does not declare %s", nameOf(x), tasksCapability))
	}
}

// related judges whether the result of a task names it.
func (c *tasksConn) related(ev *session.Event, r session.Reporter) {
	result := spanText(ev, ev.Message.Result)
	if result == nil || !unambiguous(ev.Message) || version(ev) != mcp.V4 {
		return
	}
	if member(member(result, "_meta"), "io.modelcontextprotocol/related-task") == nil {
		r.Report(taskRelatedMetaMissing.at(ev, "the result of %s has no related-task in its _meta", nameOf(ev.Exchange)))
	}
}

// statuses are those of a task.
var statuses = []string{"working", "input_required", "completed", "failed", "cancelled"}

// taskFault says what a task lacks, empty where it has everything; little tells
// that only its ttl is left out.
func taskFault(text []byte, modern bool) (fault string, little bool) {
	for _, name := range []string{"taskId", "status", "createdAt", "lastUpdatedAt"} {
		if t := jsonrpc.TypeOf(member(text, name)); t != jsonrpc.String {
			return name + " is " + typeName(t) + ", must be a string", false
		}
	}
	if status := member(text, "status"); !slices.Contains(statuses, unquote(status)) {
		return "status is " + short(status) + ", which there is not", false
	}
	name := "ttl"
	if modern {
		name = "ttlMs"
	}
	if t := jsonrpc.TypeOf(member(text, name)); t != jsonrpc.Number && t != jsonrpc.Null {
		return name + " is " + typeName(t) + ", must be a number or null", t == jsonrpc.Absent
	}
	return "", false
}

// millis returns a member of a task that is a time, in nanoseconds, 0 where there
// is none.
func millis(text []byte, name string) int64 {
	n, err := strconv.ParseFloat(string(member(text, name)), 64)
	if err != nil || n <= 0 || n > 1e12 {
		return 0
	}
	return int64(n * 1e6)
}

// shape judges the members of a task, and reports whether it can be followed.
func (c *tasksConn) shape(ev *session.Event, text []byte, what string, r session.Reporter) bool {
	if text == nil || !unambiguous(ev.Message) {
		return false
	}
	isModern := version(ev) >= mcp.V5
	fault, little := taskFault(text, isModern)
	if fault == "" {
		return true
	}
	if isModern && jsonrpc.TypeOf(member(text, "task")) == jsonrpc.Object && member(text, "taskId") == nil {
		fault = "the task stands under task, must stand in the result itself"
	}
	f := taskShape.at(ev, "%s: %s", what, fault)
	f.Key = "shape"
	if little {
		f.Severity, f.Key = session.Info, "ttl"
	}
	r.Report(f)
	return little
}

// payload judges whether a task of the extension has what its status says.
func (c *tasksConn) payload(ev *session.Event, text []byte, what string, r session.Reporter) {
	status := unquote(member(text, "status"))
	want := map[string]string{"completed": "result", "failed": "error", "input_required": "inputRequests"}[status]
	if want == "" || jsonrpc.TypeOf(member(text, want)) == jsonrpc.Object {
		return
	}
	fault := fmt.Sprintf("%s is %s, its %s is %s", what, status, want, typeName(jsonrpc.TypeOf(member(text, want))))
	if status == "failed" && member(text, "result") != nil {
		fault = what + " is failed and has a result: it is completed"
	}
	f := taskStatusPayload.at(ev, "%s", fault)
	f.Key = status
	r.Report(f)
}
