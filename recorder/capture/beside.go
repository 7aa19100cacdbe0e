package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/jsonrpc"
)

// beside acts on the server of a live Proxy. It speaks through the proxy in an MCP session
// of its own, beside those of the real clients, which it cannot touch. The proxy records
// it like any client.
type beside struct {
	opt http.Options

	mu  sync.Mutex
	run *Run // run keeps nothing: the proxy records. It is nil before it is needed.
}

// newBeside returns what acts on the session of a proxy at a URL.
func newBeside(via string, opt http.Options) (*beside, error) {
	u, err := url.Parse(via)
	if err != nil {
		return nil, errors.New("the proxy's URL cannot be read")
	}
	opt.URL = u
	return &beside{opt: opt}, nil
}

// Send implements session.Control. The id of the outcome is that of the request in the
// session of its own.
func (b *beside) Send(ctx context.Context, message []byte) (session.Outcome, error) {
	var method string
	var params json.RawMessage
	jsonrpc.Scan(message, func(m *jsonrpc.Message) {
		method, _ = m.Method.Unquoted()
		params = m.Params.In(message)
	})
	if method == "" {
		return session.Outcome{}, fmt.Errorf("%w: only a request or a notification can be sent", session.ErrRefused)
	}
	c, err := b.client(ctx)
	if err != nil {
		return session.Outcome{}, err
	}
	if client.IsNotification(method) {
		return session.Outcome{}, c.Notify(ctx, method, params)
	}
	reply, err := c.Call(ctx, method, params)
	var answer *client.RPCError
	switch {
	case errors.Is(err, client.ErrCancelled):
		return session.Outcome{Withdrawn: true}, session.ErrWithdrawn
	case err != nil && !errors.As(err, &answer):
		return session.Outcome{}, err
	}
	id := "null"
	if n := len(reply.Legs); n > 0 {
		id = reply.Legs[n-1].ID
	}
	value := reply.Result
	if reply.Error != nil {
		value = reply.Error
	}
	return session.Outcome{ID: id, Answer: jsonrpc.AppendAnswer(nil, id, reply.Error != nil, value)}, nil
}

// client is connected when it is first needed.
func (b *beside) client(ctx context.Context) (*client.Client, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run != nil {
		return b.run.Client(), nil
	}
	remote, err := NewRemote(b.opt)
	if err != nil {
		return nil, err
	}
	run, err := New(Config{Server: remote, Record: Record{None: true}})
	if err != nil {
		return nil, err
	}
	c, err := run.Connect(ctx)
	if err != nil {
		_ = run.Close(ctx, "error")
		_ = run.Release()
		return nil, fmt.Errorf("through the proxy: %w", err)
	}
	b.run = run
	return c, nil
}

// Cancel implements session.Control: it cancels what was sent from here.
func (b *beside) Cancel(_ context.Context, id, _ string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run != nil && b.run.Client().Cancel(id) == nil {
		return nil
	}
	return fmt.Errorf("%w: the request is a client's, and only what was sent from here can be cancelled", session.ErrRefused)
}

// End implements session.Control.
func (b *beside) End(context.Context) error {
	return fmt.Errorf("%w: the server is not ours to end", session.ErrRefused)
}

// Close ends the session of its own.
func (b *beside) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run == nil {
		return nil
	}
	err := errors.Join(b.run.Close(context.Background(), "quit"), b.run.Release())
	b.run = nil
	return err
}
