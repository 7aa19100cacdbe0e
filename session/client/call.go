package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// An answer is what a waiting call gets.
type answer struct {
	result, error json.RawMessage
	at            time.Time
	err           error
}

// A pending call waits for its answer. done has room for it, so that the reader does
// not wait for the caller.
type pending struct {
	id      string
	method  string
	target  string // target is what it acts on; empty = nothing.
	op      *operation
	sent    time.Time // sent is when it was handed to the writer.
	limit   *limit    // limit is its time limit; nil = none.
	seq     uint64
	ignored int // ignored is how many requests of the server's had been ignored before.
	done    chan answer
	settle  func(answer) // settle is called in the place of done, with the client's lock held, where it is set.
}

// give hands over the answer, which is the only one. The client's lock is held.
func (p *pending) give(a answer) {
	if p.settle != nil {
		p.settle(a)
		return
	}
	p.done <- a
}

// Call sends a request and waits for its answer. The parameters go out byte for
// byte, line breaks between tokens aside, with the _meta of the modern era added
// where it is missing; nil = none.
//
// An error response gives both the Reply and an *RPCError. A request that is not
// answered in time, or whose ctx is cancelled, is cancelled at the server too,
// and gives a *TimeoutError or the cause of ctx. *ClosedError and
// *InputRequiredError (with the Reply) are the other errors of note.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (*Reply, error) {
	return c.Do(ctx, method, params, Options{})
}

// single is a request on its own that no user makes.
func (c *Client) single(ctx context.Context, method string, params json.RawMessage, limit time.Duration) (*Reply, error) {
	ctx, op := c.begin(ctx, method, nil, Options{})
	defer c.finish(op)
	return c.roundTrip(ctx, op, method, params, limit)
}

// roundTrip is one request and its answer. params are ready for the wire.
func (c *Client) roundTrip(ctx context.Context, op *operation, method string, params json.RawMessage, limit time.Duration) (*Reply, error) {
	c.mu.Lock()
	id := c.nextIDLocked()
	p, err := c.registerLocked(op, id, method)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return c.exchange(ctx, op, p, c.out.frame(jsonrpc.AppendRequest(nil, id, method, params)), limit)
}

// nextIDLocked returns an id for a request of ours.
func (c *Client) nextIDLocked() string {
	id := strconv.FormatInt(c.next, 10)
	c.next++
	return id
}

// registerLocked makes a call wait for the answer to id.
func (c *Client) registerLocked(op *operation, id, method string) (*pending, error) {
	if err := context.Cause(c.live); err != nil {
		return nil, err
	}
	if _, taken := c.pending[id]; taken {
		return nil, fmt.Errorf("id %s is outstanding already", id)
	}
	c.seq++
	p := &pending{id: id, method: method, op: op, sent: time.Now(), seq: c.seq, ignored: c.ignoredSum, done: make(chan answer, 1)}
	c.pending[id] = p
	if method == op.method {
		p.target = op.target
	}
	op.indexLocked(c, id, method)
	return p, nil
}

// exchange writes a request that is registered and waits for what becomes of it.
func (c *Client) exchange(ctx context.Context, op *operation, p *pending, wire []byte, limit time.Duration) (*Reply, error) {
	late := &TimeoutError{Method: p.method, Target: p.target, ID: p.id, After: limit}
	waiting, running, stop := c.timers.within(ctx, limit, late)
	defer stop()
	c.mu.Lock()
	p.limit = running
	c.mu.Unlock()
	reply := &Reply{Legs: []Leg{{Method: p.method, ID: p.id}}, Sent: time.Now()}
	reply.Legs[0].Sent = reply.Sent
	if err := c.out.put(waiting, wire); err != nil {
		if !c.forget(p) {
			return c.settle(reply, <-p.done)
		}
		if waiting.Err() != nil {
			return nil, err // never sent: nothing to cancel
		}
		return nil, &ClosedError{Cause: err}
	}
	if sent, ok := ctx.Value(sentKey{}).(func()); ok {
		sent()
	}
	for waiting.Err() == nil {
		select {
		case a := <-p.done:
			return c.settle(reply, a)
		case <-op.ready():
			op.deliver()
		case <-waiting.Done():
		}
	}
	if !c.forget(p) {
		return c.settle(reply, <-p.done) // the answer came at the same moment
	}
	err := context.Cause(waiting)
	if err == error(late) {
		late.Ignored = c.ignoredSince(p)
	}
	c.abandon(op, p, err)
	return nil, err
}

// sentKey is the key under which WithSent keeps its function.
type sentKey struct{}

// WithSent returns a context for Call and CallRaw that has sent called as soon as
// a request was handed to the writer, once a leg: several requests that are sent without
// waiting for answers are kept in order by it.
func WithSent(ctx context.Context, sent func()) context.Context {
	return context.WithValue(ctx, sentKey{}, sent)
}

// settle completes a reply with its answer.
func (c *Client) settle(reply *Reply, a answer) (*Reply, error) {
	if a.err != nil {
		return nil, a.err
	}
	reply.Result, reply.Error, reply.Received = a.result, a.error, a.at
	reply.Legs[0].Received = a.at
	if a.error != nil {
		return reply, ParseError(a.error)
	}
	return reply, nil
}

// forget stops waiting. It reports false when an answer has been given already.
func (c *Client) forget(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[p.id] != p {
		return false
	}
	delete(c.pending, p.id)
	return true
}

// abandon tells the server that an answer is no longer wanted. A request that
// is to become a task is cancelled as one, once its answer says which: [V4]
// basic/utilities/cancellation §Cancellation Flow.
func (c *Client) abandon(op *operation, p *pending, why error) {
	if op.opts.Task != nil && p.method == op.method && c.expectTask(p) {
		return
	}
	c.sendCancelled(p.id, p.method, why)
}

// sendCancelled tells the server that an answer is no longer wanted. The spec
// forbids it for initialize; for the probe it would put a notification before
// the handshake, which kills some servers.
func (c *Client) sendCancelled(id, method string, why error) {
	if method == mcp.Initialize || method == mcp.ServerDiscover {
		return
	}
	reason := "cancelled by the user"
	var late *TimeoutError
	if errors.As(why, &late) {
		reason = fmt.Sprintf("no answer within %v", late.After)
	}
	params := fmt.Appendf(nil, `{"requestId":%s,"reason":%s}`, id, lex.Quote(reason))
	// A server that does not read does not get it.
	_ = c.out.offer(jsonrpc.AppendRequest(nil, "", mcp.CancelledNotification, params))
}

// Notify sends a notification. It returns when that is queued. After
// notifications/cancelled the call of the request that it names returns ErrCancelled.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	given, err := oneLine(params)
	if err != nil {
		return err
	}
	err = c.Send(ctx, c.out.frame(jsonrpc.AppendRequest(nil, "", method, given)))
	if err == nil && method == mcp.CancelledNotification {
		c.cancelCall(given)
	}
	return err
}

// cancelCall ends the call that the parameters of a cancellation name, if there is
// one: a server need not answer it any more.
func (c *Client) cancelCall(params json.RawMessage) {
	var named struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &named) != nil || len(named.ID) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pending[string(named.ID)]; p != nil {
		delete(c.pending, p.id)
		p.give(answer{err: ErrCancelled})
	}
}

// Send queues exactly these bytes for the server's stdin, unframed and
// unjudged. Request ids and progress tokens in them are kept clear of by later
// calls.
func (c *Client) Send(ctx context.Context, raw []byte) error {
	jsonrpc.Scan(raw, func(m *jsonrpc.Message) { c.avoid(m) })
	if err := c.out.put(ctx, raw); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return &ClosedError{Cause: err}
	}
	return nil
}

// CallRaw frames one whole message and sends it exactly as it is. If it is a
// request with a usable id, it waits for the answer as Call does; else the Reply
// is nil.
func (c *Client) CallRaw(ctx context.Context, message []byte) (*Reply, error) {
	var id, method string
	var params json.RawMessage
	text := jsonrpc.Scan(message, func(m *jsonrpc.Message) {
		c.avoid(m)
		if m.Kind == jsonrpc.Request && m.Elem < 0 && usableID(&m.ID) {
			id = string(span(message, m.ID.Span))
			method, _ = m.Method.Unquoted()
			params = span(message, m.Params)
		}
	})
	wire := c.out.frame(message)
	if id == "" || text.Values != 1 {
		return nil, c.Send(ctx, wire)
	}
	ctx, op := c.begin(ctx, method, nil, Options{})
	defer c.finish(op)
	op.target = targetOf(method, params)
	c.mu.Lock()
	p, err := c.registerLocked(op, id, method)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return c.exchange(ctx, op, p, wire, c.cfg.timeout(method))
}

// ParseError reads an error object as far as it is one.
func ParseError(raw json.RawMessage) *RPCError {
	at := lex.Get(raw, "code")
	code, err := strconv.ParseInt(string(at), 10, 64)
	if err != nil {
		f, _ := strconv.ParseFloat(string(at), 64)
		code = int64(f)
	}
	malformed, message := "", ""
	switch {
	case jsonrpc.TypeOf(raw) != jsonrpc.Object:
		malformed = "the error is " + jsonrpc.Described(raw)
	case jsonrpc.TypeOf(at) != jsonrpc.Number:
		malformed = "the error's code is " + jsonrpc.Described(at)
	}
	if text := lex.Get(raw, "message"); jsonrpc.TypeOf(text) == jsonrpc.String {
		message = lex.Unquote(text)
	}
	return &RPCError{Code: code, Message: message, Data: bytes.Clone(lex.Get(raw, "data")), Malformed: malformed}
}
