package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// maxTasks is how many tasks are remembered; the oldest is forgotten first.
const maxTasks = 1000

// maxState is the longest answer that is looked into for a task, in bytes: in the
// modern era it has the result in it.
const maxState = 4 << 20

// A task is one that the user asked the other side for.
type task struct {
	conn   uint16
	op     uint32         // op is its operation, 0 = none is known.
	from   session.Stream // from is who asked for it.
	id     string
	row    uint32 // row is the request that began it, or where it was heard of first,
	n      uint32 // and n its number.
	reqID  string // reqID is the raw text of the id of that request; empty = it is not known.
	method string // method and name are what it runs, empty = not known.
	name   string
	began  int64
	ended  int64 // ended is when it was heard of that its state is final, 0 = it is not.

	status  string
	message string // message is its latest statusMessage.
	at      int64  // at is when its state was told last,
	stateAt uint32 // and stateAt the row of that.
	polls   int
	facts   string          // facts are its pace and how long it is kept, in the server's words.
	state   json.RawMessage // state is its latest state, verbatim, where it is not long.

	resultAt uint32 // resultAt is the row of its result, session.NoRow where none came.
}

// ofTask reports whether a row may be about a task.
func ofTask(s *session.Snapshot, r session.Row) bool {
	switch method := s.Name(r.Method); method {
	case "tasks/get", "tasks/result", "tasks/cancel", "tasks/list":
		return r.Kind == session.RowResult || r.Kind == session.RowError
	case "notifications/tasks/status", "notifications/tasks":
		return r.Kind == session.RowNotification
	case "initialize", "server/discover", "tasks/update":
		return false
	}
	// An answer that is part of an operation is a task's, or a leg's.
	return r.Kind == session.RowResult && r.Op != 0
}

// task takes note of a row.
func (k *collecting) task(row uint32, r session.Row) {
	s := k.snap
	method := s.Name(r.Method)
	from := r.Stream.Reverse() // answers go to who asked, and so do notifications
	switch method {
	case "tasks/list":
		if r.Kind == session.RowResult {
			k.taskList(row, r)
		} else {
			k.got.sections[tasks].failed, k.got.sections[tasks].refusal = r.N, k.refusal(row)
		}
		return
	case "tasks/get", "tasks/cancel", "tasks/result", "notifications/tasks/status", "notifications/tasks":
		t := k.taskOf(r, from, s.Name(r.Target))
		if t == nil {
			t = k.addTask(task{conn: r.Conn, op: r.Op, from: from, id: s.Name(r.Target), row: row, n: r.N, began: r.T})
		}
		switch {
		case method == "tasks/result":
			t.resultAt = row
		case r.Kind == session.RowError:
			t.message = k.refusal(row)
		default:
			if method == "tasks/get" {
				t.polls++
			}
			k.states[t.key()] = row // Of many states the last one counts.
		}
		return
	}
	body, err := k.body(row, maxState)
	if err != nil {
		return
	}
	result := recorder.Members(recorder.Members(body)["result"])
	state := result["task"]
	if state == nil && recorder.TextOf(result["resultType"]) == "task" {
		state = recorder.Members(body)["result"]
	}
	id := recorder.TextOf(recorder.Members(state)["taskId"])
	if id == "" {
		return
	}
	req := s.Row(r.Pair)
	made := task{
		conn: r.Conn, op: r.Op, from: from, id: id, row: r.Pair, n: req.N, reqID: s.ID(req),
		method: method, name: s.Name(r.Target), began: req.T,
	}
	t := k.taskOf(r, from, id)
	switch {
	case t == nil:
		t = k.addTask(made)
	case t.method == "": // Its state was told before its answer came.
		made.resultAt, made.stateAt, made.polls = t.resultAt, t.stateAt, t.polls
		*t = made
	}
	delete(k.states, t.key()) // What was told before is older.
	t.tell(state, row, r)
}

// key tells a task from all others.
func (t *task) key() string { return fmt.Sprintf("%d %s %s", t.conn, t.from, t.id) }

// taskOf returns the task of an operation, or of an id.
func (k *collecting) taskOf(r session.Row, from session.Stream, id string) *task {
	for i := range k.got.tasks {
		if t := &k.got.tasks[i]; t.conn == r.Conn && t.from == from && (r.Op != 0 && t.op == r.Op || t.id == id) {
			return t
		}
	}
	return nil
}

// addTask remembers a task, and returns where.
func (k *collecting) addTask(t task) *task {
	t.resultAt, t.stateAt = session.NoRow, session.NoRow
	k.got.tasks = slices.Insert(k.got.tasks, 0, t)
	k.got.tasks = k.got.tasks[:min(len(k.got.tasks), maxTasks)]
	return &k.got.tasks[0]
}

// taskList takes the tasks that the server lists.
func (k *collecting) taskList(row uint32, r session.Row) {
	s := &k.got.sections[tasks]
	s.listed, s.failed, s.refusal, s.row, s.n, s.conn = true, 0, "", row, r.N, r.Conn
	body, err := k.body(row, maxState)
	if err != nil {
		return
	}
	result := recorder.Members(recorder.Members(body)["result"])
	list := recorder.Elements(result["tasks"])
	s.next, s.more = result["nextCursor"], recorder.TextOf(result["nextCursor"]) != ""
	for _, state := range slices.Backward(list[:min(len(list), maxTasks)]) {
		id := recorder.TextOf(recorder.Members(state)["taskId"])
		if id == "" {
			continue
		}
		t := k.taskOf(session.Row{Conn: r.Conn}, r.Stream.Reverse(), id)
		if t == nil {
			t = k.addTask(task{conn: r.Conn, from: r.Stream.Reverse(), id: id, row: row, n: r.N, began: r.T})
		}
		t.tell(state, row, r)
	}
}

// readStates reads the latest states that were told of tasks.
func (k *collecting) readStates() {
	for i := range k.got.tasks {
		t := &k.got.tasks[i]
		row, told := k.states[t.key()]
		if !told {
			continue
		}
		r := k.snap.Row(row)
		body, err := k.body(row, maxState)
		if err != nil {
			t.message = "the state is too long to read"
			continue
		}
		state := recorder.Members(body)["result"]
		if r.Kind == session.RowNotification {
			state = recorder.Members(body)["params"]
		}
		t.tell(state, row, r)
	}
}

// maxKept is the longest state that is kept, in bytes.
const maxKept = 64 << 10

// tell takes a state of the task.
func (t *task) tell(state json.RawMessage, row uint32, r session.Row) {
	m := recorder.Members(state)
	status := recorder.TextOf(m["status"])
	if status == "" {
		return // an acknowledgement
	}
	t.status, t.at, t.stateAt, t.state = status, r.T, row, nil
	if len(state) <= maxKept {
		t.state = state
	}
	t.message = text.Visible([]byte(recorder.TextOf(m["statusMessage"])), maxBrief)
	var facts []string
	for _, f := range []struct{ say, key string }{{"polled each", "pollInterval"}, {"polled each", "pollIntervalMs"}, {"kept for", "ttl"}, {"kept for", "ttlMs"}} {
		var ms float64
		if raw := m[f.key]; json.Unmarshal(raw, &ms) == nil && len(raw) > 0 && string(raw) != "null" && ms < 1e12 {
			facts = append(facts, f.say+" "+text.Duration(int64(ms*1e6)))
		}
	}
	t.facts = strings.Join(facts, ", ")
	switch {
	case !finalStates.Get()[status]:
		t.ended = 0
	case t.ended == 0:
		t.ended = max(1, r.T)
	}
	if t.resultAt == session.NoRow && len(m["result"])+len(m["error"]) > 0 {
		t.resultAt = row // The modern era has the result in the state.
	}
}

var finalStates = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"completed": true, "failed": true, "cancelled": true}
}}

// title is what a task runs.
func (t *task) title() string {
	return text.Visible([]byte(cmp.Or(t.name, t.method, t.id)), maxName)
}

// open reports whether a task is not known to have ended, and its connection
// lives.
func (t *task) open(s *session.Snapshot) bool { return t.ended == 0 && !connOver(s, t.conn) }

// sign is the state of a task as a sign.
func (t *task) sign(c *pane.Context) string {
	switch {
	case t.status == "completed":
		return "✔"
	case t.status == "failed":
		return "✖"
	case t.status == "cancelled":
		return "⊘"
	case !t.open(c.Snap):
		return "✖"
	case t.status == "input_required":
		return "?"
	}
	return "▸"
}

// word is the state of a task in a word.
func (t *task) word(c *pane.Context) string {
	switch {
	case t.ended == 0 && connOver(c.Snap, t.conn):
		return "lost: connection closed"
	case t.status == "":
		return "not known"
	}
	return text.Visible([]byte(strings.ReplaceAll(t.status, "_", " ")), 40)
}

// age is how long a task has taken, or takes.
func (t *task) age(c *pane.Context) string {
	until := c.Now
	switch {
	case t.ended > 0:
		return text.Duration(max(0, t.ended-t.began))
	case !t.open(c.Snap):
		until = max(t.at, t.began)
	}
	return lasting(until - t.began)
}

// brief is a task's state, as a sign and in a few words.
func (t *task) brief(c *pane.Context) (sign, words string) {
	words = t.word(c) + ", " + t.age(c)
	if t.message != "" {
		words += ": " + t.message
	}
	return t.sign(c), words
}

// about is the details of a task.
func (t *task) about(c *pane.Context) []line {
	lines := []line{{strong, t.sign(c) + " " + t.word(c) + ", " + t.age(c)}}
	if t.message != "" {
		lines = append(lines, line{plain, t.message})
	}
	begun := fmt.Sprintf("started %s by #%d", ago(c, t.began), t.n)
	if t.method == "" {
		begun = fmt.Sprintf("first seen %s in #%d", ago(c, t.began), t.n)
	}
	if t.from == session.S2C {
		begun += ", by the server at the client"
	}
	lines = append(lines, line{dim, "id " + text.Visible([]byte(t.id), 0)}, line{dim, begun})
	told := text.Plural(int64(t.polls), "poll")
	if t.at > 0 {
		told += ", its state was told " + ago(c, t.at)
	}
	lines = append(lines, line{dim, told})
	if t.facts != "" {
		lines = append(lines, line{dim, t.facts})
	}
	switch {
	case t.resultAt != session.NoRow:
		lines = append(lines, line{plain, fmt.Sprintf("✔ its result is #%d", c.Snap.Row(t.resultAt).N)})
	case t.status == "completed":
		lines = append(lines, line{warning, "the result was not requested"})
	}
	if c.Live && t.open(c.Snap) && t.from == session.C2S {
		lines = append(lines, line{strong, "ctrl-x cancels it, enter shows it in the traffic"})
	}
	return lines
}
