package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// An operation is one act of the user: a request with all its legs.
type operation struct {
	client  *Client
	opts    Options
	method  string
	target  string // target is what the request acts on, such as the tool's name; empty = nothing.
	logs    string // logs is the log level asked for in the modern era; empty = none.
	token   string // token is the raw text of the progress token; empty = none.
	ours    bool   // ours: the token is not the user's.
	tasking bool   // tasking: the legs declare the tasks extension.
	end     context.CancelCauseFunc
	notes   *inbox[note] // notes is nil where no option asks for them.

	// Guarded by Client.mu:
	legs     map[string]struct{} // legs are the request ids that name the operation; nil = it has no name.
	first    string              // first is the first of them.
	poll     string              // poll is the one of them that is a task's latest poll.
	task     string              // task is the id of its task; empty = none yet.
	wake     chan struct{}       // wake has a token when a notification had the task's status.
	statuses map[string]Task     // statuses are the latest from notifications, by task; only those of task, once that is known.
}

// A note is a notification for an operation.
type note struct {
	progress *Progress
	log      *LogMessage
}

func (n note) size() int {
	if n.log != nil {
		return len(n.log.Data)
	}
	return len(n.progress.Params)
}

// Do sends a request as Call does, with options.
func (c *Client) Do(ctx context.Context, method string, params json.RawMessage, opts Options) (*Reply, error) {
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	ctx, op := c.begin(ctx, method, given, opts)
	defer c.finish(op)
	era, limit := c.Server().Era, op.limit()
	r := request{method: method, params: c.withTaskRequest(op, given), modern: era == mcp.Modern, answer: op.answer}
	r.send = func(ctx context.Context, params json.RawMessage) (*Reply, error) {
		return c.roundTrip(ctx, op, method, c.stamped(op, params), limit)
	}
	if c.cfg.URL != nil && era == mcp.Legacy {
		// The notification of a visit may come right after the error that requires it.
		visited := c.Watch(mcp.ElicitationCompleteNotification)
		defer visited.Close()
		r.retry = func(ctx context.Context, whole *Reply, failed error) (bool, error) {
			return op.visit(ctx, visited, whole, failed, limit)
		}
	}
	if method == mcp.ToolsCall && era == mcp.Modern {
		r.retry = c.relisted
	}
	reply, err := r.do(ctx)
	if err != nil || opts.Task == nil {
		return reply, err
	}
	if task, ok := taskCreated(reply.Result, r.modern); ok {
		return op.follow(ctx, reply, task, r.modern)
	}
	return reply, nil
}

// limit is how long one leg may take; 0 = for ever.
func (op *operation) limit() time.Duration {
	if d := op.opts.Timeout; d != 0 {
		return max(d, 0)
	}
	return op.client.cfg.timeout(op.method)
}

// begin enters an operation into the tables by which notifications find it.
func (c *Client) begin(ctx context.Context, method string, given json.RawMessage, opts Options) (context.Context, *operation) {
	op := c.operation(method, given, opts)
	ctx, op.end = context.WithCancelCause(ctx)
	if opts.Progress != nil || opts.Log != nil {
		op.notes = newInbox[note]()
	}
	if opts.Task != nil {
		op.wake, op.statuses = make(chan struct{}, 1), make(map[string]Task)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prepareLocked(op, given)
	if op.ours {
		c.tokens++
	}
	if op.token != "" {
		c.progress[op.token] = op
	}
	c.ops[op] = struct{}{}
	return ctx, op
}

// operation returns an operation that is in no table.
func (c *Client) operation(method string, given json.RawMessage, opts Options) *operation {
	return &operation{
		client: c, opts: opts, method: method, target: targetOf(method, given), legs: make(map[string]struct{}),
		tasking: opts.Task != nil || namesTask(method, given),
	}
}

// targetOf returns the text of the parameter that names what a request acts on.
func targetOf(method string, params json.RawMessage) string {
	m, known := mcp.Lookup(method)
	if !known || m.Target == "" {
		return ""
	}
	return lex.Unquote(lex.Get(params, m.Target))
}

// prepareLocked gives an operation the log level and the progress token that its
// requests carry. A token of ours is the next one, and not taken by that.
func (c *Client) prepareLocked(op *operation, given json.RawMessage) {
	if op.logs = op.opts.LogLevel; op.logs == "" {
		op.logs = c.logLevel
	}
	if op.opts.Progress == nil {
		return
	}
	if op.token = givenToken(given); op.token == "" {
		op.token, op.ours = progressToken(c.tokens+1), true
	}
}

// finish removes it from the tables, and delivers the rest of its notes.
func (c *Client) finish(op *operation) {
	op.end(nil)
	c.mu.Lock()
	delete(c.ops, op)
	if c.progress[op.token] == op {
		delete(c.progress, op.token)
	}
	for id := range op.legs {
		delete(c.byLeg, id)
	}
	c.mu.Unlock()
	op.deliver()
}

// givenToken returns the raw text of the progress token in params; empty = none.
func givenToken(params json.RawMessage) string {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // anything but an object has no token
	return string(p.Meta.Token)
}

// stamped returns params as the era in use and the operation need them.
func (c *Client) stamped(op *operation, params json.RawMessage) json.RawMessage {
	server := c.Server()
	var add []lex.Member
	if server.Era == mcp.Modern {
		add = c.meta(server.Version, op.tasking)
		if op.logs != "" {
			add = append(add, lex.Member{Name: mcp.MetaLogLevel, Value: json.RawMessage(lex.Quote(op.logs))})
		}
	}
	if op.ours {
		add = append(add, lex.Member{Name: "progressToken", Value: json.RawMessage(op.token)})
	}
	if len(add) == 0 {
		return params
	}
	return stamp(params, add)
}

// indexLocked enters the id of a request under which the operation can be found.
// Of polls only the last one is.
func (op *operation) indexLocked(c *Client, id, method string) {
	if op.legs == nil {
		return
	}
	if method == mcp.TasksGet {
		delete(op.legs, op.poll)
		delete(c.byLeg, op.poll)
		op.poll = id
	}
	op.first = cmp.Or(op.first, id)
	op.legs[id] = struct{}{}
	c.byLeg[id] = op
}

// ready rings when there are notes; nil = never.
func (op *operation) ready() <-chan struct{} {
	if op.notes == nil {
		return nil
	}
	return op.notes.ready
}

// deliver calls the user's functions with the notes that wait.
func (op *operation) deliver() {
	if op.notes == nil {
		return
	}
	for {
		n, ok := op.notes.take()
		switch {
		case !ok:
			return
		case n.progress != nil:
			op.opts.Progress(*n.progress)
		case n.log != nil:
			op.opts.Log(*n.log)
		}
	}
}

// pause waits for a time, or until wake or ctx ends it, and delivers notes meanwhile.
// woken says that it was wake.
func (op *operation) pause(ctx context.Context, d time.Duration) (woken bool, err error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return false, nil
		case <-op.wake:
			return true, nil
		case <-op.ready():
			op.deliver()
		case <-op.client.live.Done():
			return false, context.Cause(op.client.live)
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// leg adds an exchange to a reply that is under way. Polls in a row are one leg:
// a task may live for days.
func (r *Reply) leg(one *Reply, method string) {
	l := one.Legs[0]
	l.Received = one.Received
	if l.Method = method; method == mcp.TasksGet {
		l.Polls = 1
		if last := len(r.Legs) - 1; last >= 0 && r.Legs[last].Polls > 0 && r.Legs[last].Asked == 0 {
			l.Sent, l.Polls = r.Legs[last].Sent, r.Legs[last].Polls+1
			r.Legs[last] = l
			return
		}
	}
	r.Legs = append(r.Legs, l)
}

// addAsked adds to the last leg how long its questions took.
func (r *Reply) addAsked(since time.Time) {
	if last := len(r.Legs) - 1; last >= 0 {
		r.Legs[last].Asked += time.Since(since)
	}
}

// opsLocked returns the operations under way.
func (c *Client) opsLocked() []*operation { return slices.Collect(maps.Keys(c.ops)) }

// Cancel cancels an operation by the id, as raw text, of one of its requests
// that waits: with notifications/cancelled, or where it runs as a task, with
// tasks/cancel. Its call returns ErrCancelled; a subscription is closed. An id
// that no call waits for is an error, ErrNotOutstanding.
func (c *Client) Cancel(id string) error {
	c.mu.Lock()
	op, sub := c.byLeg[id], c.subs[id]
	c.mu.Unlock()
	if sub != nil {
		return sub.Close(c.live)
	}
	if op == nil {
		return fmt.Errorf("%w: id %s", ErrNotOutstanding, id)
	}
	op.end(ErrCancelled)
	return nil
}

// Outstanding returns the raw texts of the ids of the requests that wait for an
// answer, oldest first.
func (c *Client) Outstanding() []string {
	var ids []string
	for _, w := range c.Waiting() {
		ids = append(ids, w.ID)
	}
	return ids
}

// A Waiting is a request that waits for its answer.
type Waiting struct {
	ID     string // ID is the id's raw text.
	Method string
	Target string // Target is what it acts on, such as the tool's name; empty = nothing.
	Sent   time.Time
	Limit  time.Duration // Limit is how long it may wait; 0 = for ever.
	Due    time.Time     // Due is when its time is up; zero = never, or not while a question of the server or Hold stops the clock.
}

// Waiting returns the requests that wait for an answer, oldest first.
func (c *Client) Waiting() []Waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Waiting
	for _, p := range c.waitingLocked() {
		all = append(all, Waiting{ID: p.id, Method: p.method, Target: p.target, Sent: p.sent, Limit: p.limit.whole(), Due: p.limit.until()})
	}
	return all
}

// Hold stops the time limits of requests, like a question of the server does, until
// release is called.
func (c *Client) Hold() (release func()) {
	c.timers.hold()
	return sync.OnceFunc(c.timers.release)
}

// waitingLocked returns the calls that wait, oldest first.
func (c *Client) waitingLocked() []*pending {
	return slices.SortedFunc(maps.Values(c.pending), func(a, b *pending) int { return int(a.seq) - int(b.seq) })
}
