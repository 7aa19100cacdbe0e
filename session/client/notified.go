package client

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Notification is one of the server's.
type Notification struct {
	Method string
	Params json.RawMessage // Params is verbatim; nil = none.
	Raw    json.RawMessage // Raw is the whole message, verbatim.
	At     time.Time       // At is when it had been read.
}

func (n Notification) size() int { return len(n.Params) + len(n.Raw) }

// notification takes one that the server sent. It is called by the reader, so
// that it hands out and does not wait.
func (in *receiver) notification(m *jsonrpc.Message) {
	method, ok := m.Method.Unquoted()
	if !ok || in.long {
		return
	}
	c := in.client
	// Most have no receiver: the parameters are copied only for one.
	n := Notification{Method: method, At: time.Now()}
	params := func() Notification {
		if n.Raw == nil {
			n.Params, n.Raw = bytes.Clone(span(in.text, m.Params)), bytes.Clone(span(in.text, m.Span))
		}
		return n
	}
	switch method {
	case mcp.ProgressNotification:
		if token := m.Field(jsonrpc.ParamProgressToken); token.Whole() {
			c.progressed(string(token.Raw), params)
		}
	case mcp.LogNotification:
		c.logged(params)
	case mcp.CancelledNotification:
		if id := m.Field(jsonrpc.ParamRequestID); id.Whole() {
			c.withdrawn(string(id.Raw))
			c.closedByServer(string(id.Raw))
		}
	case mcp.TaskStatusNotification, mcp.TasksNotification:
		c.taskStatus(params)
	}
	if id := m.Field(jsonrpc.MetaSubscriptionID); id.Present() && id.Whole() {
		c.onSubscription(string(id.Raw), params)
	}
	c.feed(method, params)
}

// progressed gives progress to the operation that has that token.
func (c *Client) progressed(token string, params func() Notification) {
	c.mu.Lock()
	op := byID(c.progress, token)
	c.mu.Unlock()
	if op == nil || op.opts.Progress == nil {
		return
	}
	n := params()
	var p struct {
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	}
	_ = json.Unmarshal(n.Params, &p) // members of a wrong type stay empty
	op.notes.add(note{progress: &Progress{p.Progress, p.Total, p.Message, n.Params, n.At}})
}

// logged gives a log message to all operations that it may be of.
func (c *Client) logged(params func() Notification) {
	c.mu.Lock()
	var to []*operation
	running := 0
	for op := range c.ops {
		m, ok := mcp.Lookup(op.method)
		// A modern server logs only for requests that asked for it.
		if ok && m.Unbounded || c.server.Era == mcp.Modern && op.logs == "" {
			continue
		}
		running++
		if op.opts.Log != nil {
			to = append(to, op)
		}
	}
	c.mu.Unlock()
	if len(to) == 0 {
		return
	}
	l := ParseLog(params())
	l.Alone = running == 1
	for _, op := range to {
		one := l
		op.notes.add(note{log: &one})
	}
}

// ParseLog reads a notifications/message, as far as it is one.
func ParseLog(n Notification) LogMessage {
	var p struct {
		Level  string          `json:"level"`
		Logger string          `json:"logger"`
		Data   json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(n.Params, &p) // members of a wrong type stay empty
	return LogMessage{Level: p.Level, Logger: p.Logger, Data: p.Data, At: n.At}
}

// A Feed is the server's notifications of some methods, in order, as they come.
// If it is not read, the oldest of more than 1024, or of more than 64 MiB, are dropped.
type Feed struct {
	client  *Client
	methods []string
	box     *inbox[Notification]
}

// Watch returns a feed of the notifications of those methods; none = of all. It
// begins now, and must be closed.
func (c *Client) Watch(methods ...string) *Feed {
	f := &Feed{client: c, methods: methods, box: newInbox[Notification]()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.feeds[f] = struct{}{}
	return f
}

// Close ends the feed.
func (f *Feed) Close() {
	f.client.mu.Lock()
	defer f.client.mu.Unlock()
	delete(f.client.feeds, f)
}

// Dropped returns how many notifications were dropped so far.
func (f *Feed) Dropped() int { return f.box.lost() }

func (c *Client) feed(method string, params func() Notification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.feeds {
		if len(f.methods) == 0 || slices.Contains(f.methods, method) {
			f.box.add(params())
		}
	}
}
