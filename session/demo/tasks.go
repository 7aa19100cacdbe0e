package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

const (
	taskPoll = 500 * time.Millisecond // taskPoll is the poll interval of tasks.
	taskTTL  = 10 * time.Minute       // taskTTL is their time to live.
	maxTasks = 100                    // maxTasks is how many are stored; ended ones are dropped first.
)

// A task is a tool call that is answered at once, and whose result is requested
// later: [V4] basic/utilities/tasks, and the extension of 2026-07-28.
// Everything but its id is guarded by server.smu.
type task struct {
	id               string
	status, message  string
	created, updated time.Time
	ttl              time.Duration
	result           string // result is the members of the tool's result, once it is completed.
	cancel           context.CancelFunc
	waiting          []*request // waiting are the tasks/result requests that wait for its end.
}

// legacyTasks reports whether a request has the revision with tasks in its
// core.
func legacyTasks(r *request) bool { return r.version >= mcp.V4 && !r.modern() }

// taskCapability declares tasks, in the form of each revision that has them.
func taskCapability(r *request) string {
	if r.modern() {
		return `"extensions":{"` + mcp.TasksExtension + `":{}}`
	}
	return r.since(mcp.V4, `"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)
}

// taskRefusal is the error for a tool that is called in the wrong way: [V4]
// basic/utilities/tasks §Tool-Level Negotiation.
func (t *tool) taskRefusal() string {
	if t.task {
		return "The tool " + t.name + " must be run as a task"
	}
	return "The tool " + t.name + " cannot be run as a task"
}

// extended reports whether a modern request declares the extension.
func extended(r *request) bool {
	_, ok := r.meta.Capabilities.Extensions[mcp.TasksExtension]
	return ok
}

// brewing are the steps of making tea.
var brewing = []string{"heating the water", "warming the pot", "steeping", "pouring"}

// brew runs as a task if the client supports tasks; for others it is a slow
// call.
func (s *server) brew(r *request, args json.RawMessage) {
	p := struct {
		Tea     string
		Seconds float64
	}{"green", 4}
	if json.Unmarshal(args, &p) != nil || !slices.Contains([]string{"green", "black", "herbal"}, p.Tea) || p.Seconds < 0 || p.Seconds > 600 {
		s.fail(r, mcp.InvalidParams, "Invalid params: brew takes green, black or herbal tea, and seconds from 0 to 600", "")
		return
	}
	step := time.Duration(p.Seconds * float64(time.Second) / float64(len(brewing)))
	done := `"content":[` + textBlock("A cup of "+p.Tea+" tea.") + `]`
	if !legacyTasks(r) && (!r.modern() || !extended(r)) {
		s.start(r, func(ctx context.Context, wanted func() bool) {
			if steps(ctx, len(brewing), step, func(i int) { s.progress(r, i, len(brewing)) }) {
				s.reply(r, done)
			} else if wanted() {
				s.toolError(r, "Interrupted: the client closed the connection.")
			}
		})
		return
	}
	t, ctx := s.newTask(r)
	if t == nil {
		s.toolError(r, "All kettles are in use: cancel a task first.")
		return
	}
	s.smu.Lock()
	state := t.state(r)
	s.smu.Unlock()
	if r.modern() {
		s.result(r, fmt.Sprintf(`"resultType":"task",%s,"_meta":{"io.modelcontextprotocol/serverInfo":%s}`, state, serverInfo))
	} else {
		s.reply(r, `"task":{`+state+`}`)
	}
	s.workers.Go(func() {
		defer t.cancel()
		if steps(ctx, len(brewing), step, func(i int) { s.tell(t, "working", brewing[i], "") }) {
			s.tell(t, "completed", "", done)
		} else {
			s.tell(t, "cancelled", "", "")
		}
	})
}

// steps runs the steps of brewing, and calls begins for each. It reports false
// if it is cancelled before the end.
func steps(ctx context.Context, n int, each time.Duration, begins func(i int)) bool {
	tick := time.NewTimer(each)
	defer tick.Stop()
	for i := range n {
		begins(i)
		select {
		case <-tick.C:
			tick.Reset(each)
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// newTask makes a task from a call, and the context that ends with it; nil if
// there are too many.
func (s *server) newTask(r *request) (*task, context.Context) {
	var p struct {
		Task struct {
			TTL *float64 `json:"ttl"`
		} `json:"task"`
	}
	_ = r.param(&p) // a ttl that is not a number is ignored
	s.smu.Lock()
	defer s.smu.Unlock()
	for i := 0; len(s.tasks) >= maxTasks; i++ {
		if i == len(s.tasks) {
			return nil, nil
		}
		if s.tasks[i].ended() {
			s.tasks = slices.Delete(s.tasks, i, i+1)
		}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.tasksN++
	now := time.Now()
	t := &task{
		id: fmt.Sprintf("brew-%d", s.tasksN), status: "working", message: brewing[0],
		created: now, updated: now, ttl: taskTTL, cancel: cancel,
	}
	if ms := p.Task.TTL; ms != nil && *ms >= 0 && *ms < float64(taskTTL.Milliseconds()) {
		t.ttl = time.Duration(*ms) * time.Millisecond
	}
	s.tasks = append(s.tasks, t)
	return t, ctx
}

func (t *task) ended() bool { return t.status != "working" }

// tell sets a task's state and answers the requests that wait for its end. It
// reports false if the state is final already, and stays.
func (s *server) tell(t *task, status, message, result string) bool {
	s.smu.Lock()
	var waiting []*request
	open := !t.ended()
	if open {
		t.status, t.message, t.result, t.updated = status, message, result, time.Now()
		if t.ended() {
			waiting, t.waiting = t.waiting, nil
		}
	}
	s.smu.Unlock()
	for _, r := range waiting {
		s.sendResult(r, t)
	}
	return open
}

// state returns a task's state as the members of an object. The caller holds
// smu.
func (t *task) state(r *request) string {
	message := ""
	if t.message != "" {
		message = `"statusMessage":` + lex.Quote(t.message)
	}
	ttl, poll := "ttl", "pollInterval"
	if r.modern() {
		ttl, poll = "ttlMs", "pollIntervalMs"
	}
	return join(
		`"taskId":`+lex.Quote(t.id), `"status":`+lex.Quote(t.status), message,
		`"createdAt":`+lex.Quote(t.created.UTC().Format(time.RFC3339Nano)),
		`"lastUpdatedAt":`+lex.Quote(t.updated.UTC().Format(time.RFC3339Nano)),
		`"`+ttl+`":`+strconv.FormatInt(t.ttl.Milliseconds(), 10),
		`"`+poll+`":`+strconv.FormatInt(taskPoll.Milliseconds(), 10))
}

// task returns the task that a request names. If there is none, or the client
// may not access it, the request is answered and the result is nil.
func (s *server) task(r *request) *task {
	switch {
	case r.modern() && !extended(r):
		s.fail(r, mcp.MissingCapability, "Missing required client capability: the extension "+mcp.TasksExtension,
			`{"requiredCapabilities":{"extensions":{"`+mcp.TasksExtension+`":{}}}}`)
		return nil
	case !r.modern() && !legacyTasks(r):
		s.noMethod(r)
		return nil
	}
	var p struct {
		ID string `json:"taskId"`
	}
	_ = r.param(&p) // an invalid id matches no task
	s.smu.Lock()
	defer s.smu.Unlock()
	for _, t := range s.tasks {
		if t.id == p.ID {
			return t
		}
	}
	s.fail(r, mcp.InvalidParams, "Invalid params: unknown taskId", "")
	return nil
}

func (s *server) getTask(r *request) {
	t := s.task(r)
	if t == nil {
		return
	}
	s.smu.Lock()
	state := t.state(r)
	if r.modern() && t.status == "completed" {
		state = join(state, `"result":{`+r.complete(t.result, "")+`}`)
	}
	s.smu.Unlock()
	s.reply(r, state)
}

// taskResult is answered when the task has ended: [V4] basic/utilities/tasks
// §Retrieving Task Results.
func (s *server) taskResult(r *request) {
	t := s.task(r)
	if t == nil {
		return
	}
	s.smu.Lock()
	wait := !t.ended()
	if wait {
		t.waiting = append(t.waiting, r)
	}
	s.smu.Unlock()
	if !wait {
		s.sendResult(r, t)
	}
}

// sendResult answers tasks/result for a task that has ended.
func (s *server) sendResult(r *request, t *task) {
	s.smu.Lock()
	status, result := t.status, t.result
	s.smu.Unlock()
	if status != "completed" {
		s.fail(r, mcp.InvalidParams, "The task was "+status+": it has no result", "")
		return
	}
	s.reply(r, join(result, `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":`+lex.Quote(t.id)+`}}`))
}

func (s *server) listTasks(r *request) {
	if !legacyTasks(r) {
		s.noMethod(r)
		return
	}
	s.smu.Lock()
	var list []string
	for _, t := range s.tasks {
		list = append(list, "{"+t.state(r)+"}")
	}
	s.smu.Unlock()
	s.reply(r, `"tasks":[`+strings.Join(list, ",")+`]`)
}

// cancelTask cancels a task. In the legacy era it is cancelled when the request
// is answered; an ended task cannot be cancelled there.
func (s *server) cancelTask(r *request) {
	t := s.task(r)
	if t == nil {
		return
	}
	if r.modern() {
		t.cancel()
		s.reply(r, "")
		return
	}
	cancelled := s.tell(t, "cancelled", "", "")
	t.cancel()
	s.smu.Lock()
	state, status := t.state(r), t.status
	s.smu.Unlock()
	if !cancelled {
		s.fail(r, mcp.InvalidParams, "Invalid params: the task is "+status+" already", "")
		return
	}
	s.reply(r, state)
}

// updateTask accepts the client's answers to a task's questions, which the
// demo's tasks do not have.
func (s *server) updateTask(r *request) {
	if s.task(r) != nil {
		s.reply(r, "")
	}
}
