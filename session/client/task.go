package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// How often the state of a task is asked for.
const (
	MinPoll     = 50 * time.Millisecond // MinPoll is the least time between polls, whatever the server says.
	MaxPoll     = 60 * time.Second      // MaxPoll is the most.
	DefaultPoll = time.Second           // DefaultPoll is for servers that say nothing.
)

// A Task is the state of a task as the server reports it, in either era.
type Task struct {
	ID      string
	Status  string        // Status is working, input_required, completed, failed or cancelled.
	Message string        // Message is the statusMessage.
	Poll    time.Duration // Poll is the server's poll interval, 0 = not said. It is limited to MinPoll … MaxPoll.
	TTL     time.Duration // TTL is how long it is kept; 0 = for ever, or not said.
	State   json.RawMessage
}

// Ended reports whether the status is final.
func (t *Task) Ended() bool {
	return slices.Contains([]string{"completed", "failed", "cancelled"}, t.Status)
}

// pace is how long to wait before the next poll.
func (t *Task) pace() time.Duration {
	if t.Poll <= 0 {
		return DefaultPoll
	}
	return min(max(t.Poll, MinPoll), MaxPoll)
}

// parseTask reads a task's state. It reports false where there is no id.
func parseTask(text json.RawMessage) (Task, bool) {
	var s struct {
		ID      string   `json:"taskId"`
		Status  string   `json:"status"`
		Message string   `json:"statusMessage"`
		Poll    *float64 `json:"pollInterval"`
		PollMs  *float64 `json:"pollIntervalMs"`
		TTL     *float64 `json:"ttl"`
		TTLMs   *float64 `json:"ttlMs"`
	}
	_ = json.Unmarshal(text, &s) // members of a wrong type stay empty
	return Task{
		ID: s.ID, Status: s.Status, Message: s.Message, State: text,
		Poll: milliseconds(s.PollMs, s.Poll), TTL: milliseconds(s.TTLMs, s.TTL),
	}, s.ID != ""
}

// milliseconds is the first number that is not nil, as a duration between 0 and a year.
func milliseconds(of ...*float64) time.Duration {
	const year = 365 * 24 * float64(time.Hour/time.Millisecond)
	for _, ms := range of {
		if ms != nil {
			return time.Duration(min(max(*ms, 0), year) * float64(time.Millisecond))
		}
	}
	return 0
}

// askForTask adds to params what asks a legacy server for a task: [V4]
// basic/utilities/tasks §Creating Tasks. A member that the user wrote stays.
func askForTask(params json.RawMessage, t *TaskOptions) json.RawMessage {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	have, ok := lex.List(params)
	if !ok {
		return params
	}
	wish := json.RawMessage(`{}`)
	if t.TTL > 0 {
		wish = fmt.Appendf(nil, `{"ttl":%d}`, t.TTL.Milliseconds())
	}
	return withMembers(params, have, []lex.Member{{Name: "task", Value: wish}})
}

// namesTask reports whether a request is one that only a client with the tasks
// extension may make.
func namesTask(method string, params json.RawMessage) bool {
	switch method {
	case mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel:
		return true
	case mcp.SubscriptionsListen:
		return bytes.Contains(params, []byte(`"taskIds"`))
	}
	return false
}

// taskCreated reads a result that is a task in the place of an answer.
func taskCreated(result json.RawMessage, modern bool) (Task, bool) {
	var r struct {
		Type string          `json:"resultType"`
		Task json.RawMessage `json:"task"`
	}
	_ = json.Unmarshal(result, &r) // anything but an object is not a task
	if !modern {
		return parseTask(r.Task)
	}
	if r.Type != "task" {
		return Task{}, false
	}
	return parseTask(result)
}

// CancelTask asks the server to cancel a task. In the modern era the server may not do
// so: the state of the task says what became of it.
func (c *Client) CancelTask(ctx context.Context, id string) (*Reply, error) {
	return c.Call(ctx, mcp.TasksCancel, taskParams(id))
}

// Following reports whether a call of ours follows a task.
func (c *Client) Following(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for op := range c.ops {
		if op.task == id {
			return true
		}
	}
	return false
}

// GetTask asks for the state of a task.
func (c *Client) GetTask(ctx context.Context, id string) (Task, error) {
	r, err := c.Call(ctx, mcp.TasksGet, taskParams(id))
	if err != nil {
		return Task{}, err
	}
	return stateOf(r)
}

// stateOf reads the answer to tasks/get.
func stateOf(r *Reply) (Task, error) {
	task, ok := parseTask(r.Result)
	if !ok {
		return task, fmt.Errorf("tasks/get: %w: no taskId", ErrNoResult)
	}
	return task, nil
}

// offerTaskCancel cancels a task that nothing waits for, and does not wait for the
// answer.
func (c *Client) offerTaskCancel(id string) {
	c.mu.Lock()
	request := c.nextIDLocked()
	c.mu.Unlock()
	params := c.stamped(&operation{tasking: true}, taskParams(id))
	// A server that does not read does not get it.
	_ = c.out.offer(jsonrpc.AppendRequest(nil, request, mcp.TasksCancel, params))
}

// maxLate is how many abandoned requests are remembered.
const maxLate = 1024

// expectTask remembers a request that was abandoned before its task was known, to cancel
// the task when it is. It reports false where the request must also be cancelled by its
// id.
func (c *Client) expectTask(p *pending) bool {
	server := c.Server()
	augmented := server.Era == mcp.Legacy && server.Has("tasks")
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.abandoned) < maxLate {
		c.abandoned[p.id] = struct{}{}
	}
	return augmented
}

// lateAnswer takes an answer that no call waits for.
func (c *Client) lateAnswer(id string, a answer) {
	c.mu.Lock()
	_, expected := c.abandoned[id]
	delete(c.abandoned, id)
	c.mu.Unlock()
	if !expected {
		return
	}
	if task, ok := taskCreated(a.result, c.Server().Era == mcp.Modern); ok {
		c.offerTaskCancel(task.ID)
	}
}

// exchange makes one request about the operation's task, its parameters without _meta. The
// Reply is nil if no answer came; an error answer is an error too.
func (op *operation) exchange(ctx context.Context, method string, params json.RawMessage) (*Reply, error) {
	c := op.client
	return c.roundTrip(ctx, op, method, c.stamped(&operation{tasking: true}, params), c.cfg.timeout(method))
}

// await waits until a time, or until a notification has the state of the task,
// which it returns; nil = none was.
func (op *operation) await(ctx context.Context, until time.Time) (*Task, error) {
	for {
		if told := op.client.takeStatus(op); told != nil {
			return told, nil
		}
		if woken, err := op.pause(ctx, time.Until(until)); err != nil || !woken {
			return nil, err
		}
	}
}

// maxTold is how many tasks are remembered before the answer that creates ours.
const maxTold = 16

// taskStatus takes a status notification.
func (c *Client) taskStatus(params func() Notification) {
	c.mu.Lock()
	following := slices.ContainsFunc(c.opsLocked(), func(op *operation) bool { return op.wake != nil })
	c.mu.Unlock()
	if !following {
		return
	}
	task, ok := parseTask(params().Params)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for op := range c.ops {
		// The notification may be read before the answer that creates the task.
		if op.wake == nil || op.task != task.ID && (op.task != "" || len(op.statuses) >= maxTold) {
			continue
		}
		op.statuses[task.ID] = task
		select {
		case op.wake <- struct{}{}:
		default:
		}
	}
}

// takeStatus returns the latest notified status of an operation's task, once.
func (c *Client) takeStatus(op *operation) *Task {
	c.mu.Lock()
	defer c.mu.Unlock()
	told, ok := op.statuses[op.task]
	clear(op.statuses)
	if !ok {
		return nil
	}
	return &told
}
