package client

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Guest makes requests in the session of another client, in the name of that client.
// Each of them goes out through a session.Control, which chooses the ids; what the
// server sends, except the answers, goes to the client. A Guest starts no goroutines
// that outlive a call. Its methods may be called from any goroutine, and its fields are
// set before the first call.
type Guest struct {
	Control session.Control

	// Speaks returns the era of the session, and in the modern one a request of the
	// client, whose _meta describes it; nil = none is known. It may take its time.
	Speaks func() (era mcp.Era, request json.RawMessage)

	// Timeout returns how long a request of that method may take, as that of Config
	// does. nil = the default for all.
	Timeout func(method string) time.Duration

	// Asker answers the server's questions in results, in the modern era. nil = none: a
	// result that asks for input is the result. In the legacy era questions are requests,
	// which the client gets and answers.
	Asker Asker
}

// A voice is in whose name an operation of a Guest speaks.
type identity struct {
	modern  bool
	request json.RawMessage // request is one of the client's; nil = none is known.
}

func (g *Guest) identity() identity {
	era, request := g.Speaks()
	return identity{modern: era == mcp.Modern, request: request}
}

// message makes a request, or a notification where the method is one, as the
// client would. A request about a task declares the tasks extension in the modern era, also
// where params say otherwise; else the client's declaration of it is left out, because
// nothing would follow the task.
func (v identity) message(method string, params json.RawMessage) ([]byte, error) {
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	switch {
	case IsNotification(method):
		return jsonrpc.AppendRequest(nil, "", method, given), nil
	case !v.modern || v.request == nil:
	case namesTask(method, params):
		given, _ = CopyClientMeta(given, v.request)
		given = within(given, capabilitiesPath, func(caps json.RawMessage) json.RawMessage { return withTasks(caps, true) })
	default:
		where := append([]string{"params"}, capabilitiesPath...)
		given, _ = CopyClientMeta(given, within(v.request, where, func(caps json.RawMessage) json.RawMessage { return withTasks(caps, false) }))
	}
	return jsonrpc.AppendRequest(nil, "0", method, given), nil
}

// Message makes a request, or a notification, as the client would. The id is 0, which
// the Control replaces.
func (g *Guest) Message(method string, params json.RawMessage) ([]byte, error) {
	return g.identity().message(method, params)
}

// Do sends a request, or a notification, and waits for the answer, as Client.Do
// does: in the modern era it is made again when the server asks for input and there
// is an Asker. Errors of the Control, such as session.ErrGone, are returned as they are,
// session.ErrWithdrawn as ErrCancelled.
func (g *Guest) Do(ctx context.Context, method string, params json.RawMessage) (*Reply, error) {
	v := g.identity()
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	r := request{method: method, params: given, modern: v.modern, answer: g.answers(method)}
	r.send = func(ctx context.Context, params json.RawMessage) (*Reply, error) {
		message, err := v.message(method, params)
		if err != nil {
			return nil, err
		}
		return g.exchange(ctx, method, message)
	}
	return r.do(ctx)
}

// answers returns what puts questions to the Asker, for a request of that method; nil
// where there is none.
func (g *Guest) answers(method string) func(ctx context.Context, asks []lex.Member, about Question) (json.RawMessage, error) {
	if g.Asker == nil {
		return nil
	}
	return func(ctx context.Context, asks []lex.Member, about Question) (json.RawMessage, error) {
		return askAll(ctx, method, asks, about, func(*Question) Asker { return g.Asker }, (*sync.WaitGroup).Wait)
	}
}

// Deliver sends a whole message as it is, but for its id, and waits for the answer
// if there is one.
func (g *Guest) Deliver(ctx context.Context, message []byte) (*Reply, error) {
	method := ""
	jsonrpc.Scan(message, func(m *jsonrpc.Message) { method, _ = m.Method.Unquoted() })
	return g.exchange(ctx, method, message)
}

// exchange sends a message and waits for its answer. What is not answered in time
// is withdrawn.
func (g *Guest) exchange(ctx context.Context, method string, message []byte) (*Reply, error) {
	limit := (&Config{Timeout: g.Timeout}).timeout(method)
	late := &TimeoutError{Method: method, After: limit}
	waiting, stop := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		waiting, stop = context.WithTimeoutCause(ctx, limit, late)
	}
	defer stop()
	reply := &Reply{Sent: time.Now()}
	out, err := g.Control.Send(waiting, message)
	switch {
	case err == nil:
	case errors.Is(err, session.ErrWithdrawn):
		return nil, ErrCancelled
	case waiting.Err() == nil:
		return nil, err
	case errors.Is(context.Cause(waiting), error(late)):
		late.ID = out.ID
		return nil, late
	default:
		return nil, context.Cause(waiting)
	}
	reply.Received, reply.withdrawn = time.Now(), out.Withdrawn
	reply.Legs = []Leg{{Method: method, ID: out.ID, Sent: reply.Sent, Received: reply.Received}}
	jsonrpc.Scan(out.Answer, func(m *jsonrpc.Message) {
		reply.Result, reply.Error = span(out.Answer, m.Result), notNull(span(out.Answer, m.Error))
	})
	if reply.Error != nil {
		return reply, ParseError(reply.Error)
	}
	return reply, nil
}
