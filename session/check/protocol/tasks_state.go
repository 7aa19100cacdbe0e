package protocol

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A taskBook is the tasks that one side runs.
type taskBook struct {
	tasks map[uint64]*task  // tasks are by the hash of their id.
	order rule.Ring[uint64] // order is the keys of tasks.
}

// A task is the known state of a task.
type task struct {
	name    string // name is the request that became the task.
	created int64
	ttl     int64 // ttl is how long it is kept, in nanoseconds, 0 = unlimited or unknown.
	found   bool  // found: tasks/get has found it, or failed once.
	status  string
	ended   int64 // ended is when its status became final, 0 = not yet.

	interval int64 // interval is its poll interval, in nanoseconds, 0 = unknown.
	polled   int64 // polled is when it was last polled, 0 = never.
	fast     int   // fast counts the consecutive polls that came too early.

	keys map[string]uint64 // keys are the hashes of its input requests, by key.
}

// create stores the task that a request became.
func (c *tasksConn) create(ev *session.Event, b *taskBook, text []byte, r session.Reporter) {
	x := ev.Exchange
	if x.ProgressToken != "" && x.Era == mcp.Modern {
		c.keepToken(ev)
	}
	if !c.shape(ev, text, "the task of "+rule.NameOf(x), r) {
		return
	}
	h, ok := rule.HashID(lex.Get(text, "taskId"))
	if !ok {
		return
	}
	if old := b.tasks[h]; old != nil {
		r.Report(taskIDDuplicate.At(ev, "the task of %s has the same id %s as the task of %s", rule.NameOf(x), rule.Short(lex.Get(text, "taskId")), old.name))
		return
	}
	status := lex.Unquote(lex.Get(text, "status"))
	if status != "working" && taskInitialStatus.In(rule.Version(ev)) {
		r.Report(taskInitialStatus.At(ev, "the task of %s begins as %s", rule.NameOf(x), status))
	}
	t := &task{name: rule.NameOf(x), created: ev.T}
	b.put(h, t)
	c.follow(ev, t, text, r)
}

// put stores a task.
func (b *taskBook) put(h uint64, t *task) {
	if old, full := b.order.Push(h, maxTasks); full {
		delete(b.tasks, old)
	}
	rule.Put(&b.tasks, h, t)
}

// keepToken stores the progress token of a completed request.
func (c *tasksConn) keepToken(ev *session.Event) {
	h, ok := rule.HashID(ev.Exchange.ProgressToken)
	if !ok || len(c.tokens) >= maxTasks {
		return
	}
	rule.Put(&c.tokens, h, tasked{name: rule.NameOf(ev.Exchange), at: ev.T})
}

// state judges the state of a task: in the response to the request of that
// name, or if it is empty in a notification.
func (c *tasksConn) state(ev *session.Event, b *taskBook, text []byte, name string, r session.Reporter) {
	what := "the task of a notification"
	if name != "" {
		what = "the task in the answer to " + name
	}
	if !c.shape(ev, text, what, r) {
		return
	}
	if rule.Version(ev) >= mcp.V5 {
		c.payload(ev, text, what, r)
	}
	h, ok := rule.HashID(lex.Get(text, "taskId"))
	if t := b.tasks[h]; ok && t != nil {
		t.found = true
		c.follow(ev, t, text, r)
	}
}

// follow records the status of a task.
func (c *tasksConn) follow(ev *session.Event, t *task, text []byte, r session.Reporter) {
	t.interval = max(millis(text, "pollInterval"), millis(text, "pollIntervalMs"))
	t.ttl = max(millis(text, "ttl"), millis(text, "ttlMs"))
	status := lex.Unquote(lex.Get(text, "status"))
	c.questions(ev, t, lex.Get(text, "inputRequests"), r)
	switch {
	case t.ended == 0:
		if t.status = status; rule.TaskEnded(status) {
			t.ended = max(1, ev.T)
		}
	case status != t.status && !inFlightAt(ev, t.ended):
		r.Report(taskBadTransition.At(ev, "the task of %s changed to %s after it was %s", t.name, status, t.status))
	}
}

// inFlightAt reports whether a message may reflect the state before t: it
// answers an earlier request, or was sent about that time.
func inFlightAt(ev *session.Event, t int64) bool {
	if ev.Message.Kind.Response() {
		return ev.Exchange.ReqT <= t
	}
	return ev.T-t < statusRace
}

// questions records the input requests of a task.
func (c *tasksConn) questions(ev *session.Event, t *task, text []byte, r session.Reporter) {
	asked, ok := rule.ParseObject(text)
	if !ok || rule.Version(ev) < mcp.V5 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		h, ok := valueHash(asked[key])
		old, known := t.keys[key]
		if !ok || len(key) > rule.MaxNameKept || !known && len(t.keys) >= maxTaskKeys {
			continue
		}
		rule.Put(&t.keys, key, h)
		if known && old != h {
			r.Report(taskInputKeyReused.At(ev, "the task of %s asks for something else under the key %s", t.name, rule.Excerpt([]byte(key))))
		}
	}
}

// valueHash returns a hash of a value, whatever its spelling.
func valueHash(text []byte) (uint64, bool) {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return 0, false
	}
	plain, err := json.Marshal(v)
	return maphash.Bytes(rule.Seed.Get(), plain), err == nil
}

// poll judges how often a task is polled.
func (c *tasksConn) poll(ev *session.Event, r session.Reporter) {
	t := c.asked(ev)
	if t == nil || rule.ByUser(ev) {
		return
	}
	gap := ev.T - t.polled
	early := t.polled != 0 && t.interval > 0 && gap < t.interval/5*4 && t.ended == 0
	t.polled = max(1, ev.T)
	if !early {
		t.fast = 0
		return
	}
	if t.fast++; t.fast == fastPolls {
		f := taskPollTooFast.At(ev, "the task of %s was polled again after %s, its poll interval is %s", t.name, rule.FormatDuration(gap), rule.FormatDuration(t.interval))
		r.Report(f.Keyed(c.Key(t.name)))
	}
}

// asked returns the task that a request names, nil if it is unknown.
func (c *tasksConn) asked(ev *session.Event) *task {
	if !rule.WholeName(ev.Exchange.Target) {
		return nil
	}
	id, _ := json.Marshal(ev.Exchange.Target) // A string always encodes.
	h, ok := rule.HashID(id)
	if !ok {
		return nil
	}
	return c.sides[ev.Exchange.Sender.Reverse()].tasks[h]
}

// lost judges an error for an unknown task.
func (c *tasksConn) lost(ev *session.Event, r session.Reporter) {
	t := c.asked(ev)
	if t == nil || t.found {
		return
	}
	t.found = true
	code := string(ev.Message.Field(jsonrpc.ErrorCode).Raw)
	if x := ev.Exchange; code == "-32602" && x.ReqT > t.created && (t.ttl == 0 || ev.T-t.created < t.ttl) && c.Sees(ev, x.Sender.Reverse()) {
		r.Report(taskNotDurable.At(ev, "%s does not find the task of %s, %s after it was created", rule.NameOf(x), t.name, rule.FormatDuration(x.ReqT-t.created)))
	}
}
