package capture

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/session/client"
)

// Trials sends requests of a recording, each to a server that is started for it and
// ended afterwards. Its methods are safe for concurrent use; the zero value is ready.
type Trials struct {
	mu   sync.Mutex // mu guards what follows.
	over bool
	work sync.WaitGroup
	ends []context.CancelFunc
}

// A Tried is the answer to a request of Trials.
type Tried struct {
	Error  bool   // Error: Body is an error.
	Body   []byte // Body is the result or the error, verbatim.
	Took   time.Duration
	Server string // Server is the name and the version of the server, verbatim; empty = it sent none.
}

// ErrEnded is returned when a request comes after End.
var ErrEnded = errors.New("the recording has been closed")

// A ConnectError says why a trial got no session with its server.
type ConnectError struct{ Err error }

func (e *ConnectError) Error() string { return e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

// begin registers one trial, which ends with t.
func (t *Trials) begin(ctx context.Context) (context.Context, func(), error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, nil, ErrEnded
	}
	ctx, cancel := context.WithCancel(ctx)
	t.work.Add(1)
	t.ends = append(t.ends, cancel)
	return ctx, func() { cancel(); t.work.Done() }, nil
}

// End ends all trials, and returns when their servers have exited.
func (t *Trials) End() {
	t.mu.Lock()
	t.over = true
	for _, cancel := range t.ends {
		cancel()
	}
	t.mu.Unlock()
	t.work.Wait()
}

// Do starts the server that cfg describes, sends the request and ends the server. An
// error that the server answers is a Tried. Do fails with ErrEnded, a *ConnectError,
// context.Canceled, or what went wrong with the request.
func (t *Trials) Do(ctx context.Context, cfg Config, req recorder.Request) (got Tried, err error) {
	ctx, done, err := t.begin(ctx)
	if err != nil {
		return got, err
	}
	defer done()
	run, err := New(cfg)
	if err != nil {
		return got, err
	}
	defer func() {
		err = errors.Join(err, run.Close(ctx, "quit"), run.Release())
		if ctx.Err() != nil {
			err = context.Canceled
		}
	}()
	c, err := run.Connect(ctx)
	if err != nil {
		return got, &ConnectError{err}
	}
	got.Server = strings.TrimSpace(c.Server().Name + " " + c.Server().Build)
	begun := time.Now()
	reply, err := c.Do(ctx, req.Method, json.RawMessage(req.Params), client.Options{})
	got.Took = time.Since(begun)
	if reply != nil {
		got.Took = reply.Received.Sub(reply.Sent)
	}
	var answer *client.RPCError
	switch {
	case errors.As(err, &answer):
		got.Error, got.Body = true, errorBody(reply, answer)
		return got, nil
	case err != nil:
		return got, err
	}
	got.Body = reply.Result
	return got, nil
}

// errorBody is an error answer, as it came where that is known.
func errorBody(reply *client.Reply, answer *client.RPCError) []byte {
	if reply != nil && len(reply.Error) > 0 {
		return reply.Error
	}
	body, err := json.Marshal(struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{answer.Code, answer.Message, answer.Data})
	if err != nil {
		return []byte("{}") // its data is not JSON
	}
	return body
}
