package session

import (
	"cmp"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for linking the exchanges of a connection. The oldest is dropped
// first.
const (
	maxLegs  = 256
	maxTasks = 4096
)

// links is the state of one connection for finding the exchanges of one user
// action: a probe and the initialize after it, the legs of a multi-round-trip
// request, a task and the requests that name it. Only exact evidence links.
type links struct {
	probe        uint32 // probe is the row of the first server/discover, plus one.
	probeVersion string

	legs  []leg             // legs are results that requested input and were not continued.
	tasks map[uint64]uint32 // tasks are operations by the hash of their task id.
	order []uint64          // order is the tasks, oldest first.
}

// A leg is an exchange whose result requested input.
type leg struct {
	req, resp uint32
	name      uint32
	target    uint32
	state     uint64 // state is the hash of its requestState, 0 = none.
}

// newOperation numbers a new operation that begins with the exchange of row.
func (a *Analyzer) newOperation(row uint32) uint32 {
	if op := a.store.at(row).Op; op != 0 {
		return op
	}
	a.ops++
	r := a.store.edit(row)
	r.Op = a.ops
	if pair := r.Pair; pair != NoRow {
		a.store.edit(pair).Op = a.ops
	}
	return a.ops
}

// join makes x part of an operation.
func (a *Analyzer) join(x *exchange, op uint32) {
	x.Operation = uint64(op)
	a.store.edit(x.Req).Op = op
}

// linkRequest finds the operation that a new request continues.
func (c *conn) linkRequest(x *exchange, m *jsonrpc.Message) {
	l := &c.links
	if x.Sender == C2S {
		switch x.Method {
		case mcp.ServerDiscover:
			l.probe = cmp.Or(l.probe, x.Req+1)
			return
		case mcp.Initialize:
			if l.probe != 0 {
				c.a.join(x, c.a.newOperation(l.probe-1))
				l.probe = 0
			}
			return
		}
		if i := l.legOf(x, m); i >= 0 {
			c.a.join(x, c.a.newOperation(l.legs[i].req))
			resp := c.a.store.edit(l.legs[i].resp)
			resp.Flags = resp.Flags&^FlagAsks | FlagAsked
			l.legs = append(l.legs[:i], l.legs[i+1:]...)
			return
		}
	}
	switch x.Method {
	case mcp.TasksGet, mcp.TasksResult, mcp.TasksCancel, mcp.TasksUpdate:
		if op := l.tasks[taskHash(m.Field(jsonrpc.ParamTaskID), x.Sender)]; op != 0 {
			c.a.join(x, op)
		}
	}
}

// legOf returns the leg that a request continues: the one with its method, its
// target and its requestState; or, for a request with input and no state, the
// only one with its method and target that has none.
func (l *links) legOf(x *exchange, m *jsonrpc.Message) int {
	if len(l.legs) == 0 || x.target == manyName {
		return -1
	}
	state := m.Field(jsonrpc.ParamRequestState)
	if !state.Present() && !m.Field(jsonrpc.ParamInputResponses).Present() {
		return -1
	}
	found := -1
	for i, g := range l.legs {
		if g.name != x.name || g.target != x.target || g.state != hashOf(state) {
			continue
		}
		if found >= 0 && !state.Present() {
			return -1
		}
		found = i
	}
	return found
}

// linkResponse stores a result that the requester may continue.
func (c *conn) linkResponse(x *exchange, m *jsonrpc.Message) {
	if m.Kind != jsonrpc.Result {
		return
	}
	l := &c.links
	kind := m.Field(jsonrpc.ResultType)
	switch {
	case x.Sender == C2S && kind.Is("input_required"):
		if len(l.legs) == maxLegs {
			l.legs = append(l.legs[:0], l.legs[1:]...)
		}
		c.a.store.edit(x.Resp).Flags |= FlagAsks
		l.legs = append(l.legs, leg{x.Req, x.Resp, x.name, x.target, hashOf(m.Field(jsonrpc.ResultRequestState))})
	case m.Field(jsonrpc.ResultTaskTaskID).Present():
		c.newTask(x, m.Field(jsonrpc.ResultTaskTaskID))
	case kind.Is("task") && m.Field(jsonrpc.ResultTaskID).Present():
		c.newTask(x, m.Field(jsonrpc.ResultTaskID))
	}
}

// newTask begins the operation of a task that x created.
func (c *conn) newTask(x *exchange, id *jsonrpc.Value) {
	l := &c.links
	h := taskHash(id, x.Sender)
	if l.tasks == nil {
		l.tasks = make(map[uint64]uint32)
	}
	if len(l.order) == maxTasks {
		delete(l.tasks, l.order[0])
		l.order = append(l.order[:0], l.order[1:]...)
	}
	if _, known := l.tasks[h]; !known {
		l.order = append(l.order, h)
	}
	op := c.a.newOperation(x.Req)
	x.Operation = uint64(op)
	l.tasks[h] = op
}

// taskHash distinguishes the tasks of the two sides, by the requester.
func taskHash(id *jsonrpc.Value, requester Stream) uint64 {
	return id.Hash*2 + uint64(requester)
}

// hashOf returns the hash of a value, 0 if there is none.
func hashOf(v *jsonrpc.Value) uint64 {
	if !v.Present() {
		return 0
	}
	return max(1, v.Hash)
}
