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

	// Asker answers the server's questions in the modern era: in results, and in the
	// states of our tasks. nil = none: a result that asks for input is the result, and a
	// task that asks is polled until it has been answered elsewhere. In the legacy era
	// questions are requests, which the client gets and answers.
	Asker Asker

	mu      sync.Mutex // mu guards follows.
	follows map[*guestTask]struct{}
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
// client would. tasks declares the tasks extension in the modern era, also where
// params say otherwise; else the client's declaration of it is left out, because
// nothing would follow the task.
func (v identity) message(method string, params json.RawMessage, tasks bool) ([]byte, error) {
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	switch {
	case IsNotification(method):
		return notificationJSON(method, given), nil
	case !v.modern || v.request == nil:
	case tasks:
		given, _ = CopyClientMeta(given, v.request)
		given = within(given, capabilitiesPath, func(caps json.RawMessage) json.RawMessage { return withTasks(caps, true) })
	default:
		where := append([]string{"params"}, capabilitiesPath...)
		given, _ = CopyClientMeta(given, within(v.request, where, func(caps json.RawMessage) json.RawMessage { return withTasks(caps, false) }))
	}
	return requestJSON("0", method, given), nil
}

// Message makes a request, or a notification, as the client would. The id is 0, which
// the Control replaces.
func (g *Guest) Message(method string, params json.RawMessage) ([]byte, error) {
	return g.identity().message(method, params, namesTask(method, params))
}

// Do sends a request, or a notification, and waits for the answer, as Client.Do
// does: in the modern era it is made again when the server asks for input and there
// is an Asker. task has it run as a task, which is followed to its end; nil = it is
// not.
//
// A task that is abandoned is cancelled at the server, for which Do takes up to two
// seconds more; also one that a cancelled request became. Errors of the Control, such as session.ErrGone, are returned as they are,
// session.ErrWithdrawn as ErrCancelled, session.ErrBusy about a task only when that
// has lasted.
func (g *Guest) Do(ctx context.Context, method string, params json.RawMessage, task *TaskOptions) (*Reply, error) {
	v := g.identity()
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	if task != nil && !v.modern && !IsNotification(method) {
		given = askForTask(given, task)
	}
	exchange := g.exchange
	if task != nil {
		exchange = g.exchangeForTask
	}
	r := request{method: method, params: given, modern: v.modern, answer: g.answers(method)}
	r.send = func(ctx context.Context, params json.RawMessage) (*Reply, error) {
		message, err := v.message(method, params, task != nil || namesTask(method, params))
		if err != nil {
			return nil, err
		}
		return exchange(ctx, method, message)
	}
	reply, err := r.do(ctx)
	if err != nil || task == nil {
		return reply, err
	}
	made, ok := taskCreated(reply.Result, v.modern)
	switch {
	case ok && reply.withdrawn:
		g.cancelAbandoned(ctx, v, made.ID)
		return reply, ErrCancelled
	case ok:
		return g.follow(ctx, v, task, reply, made)
	}
	return reply, nil
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

// exchangeForTask sends a request that may become a task. After the end of ctx it waits
// a moment longer for the answer: it has the id by which the task is cancelled.
func (g *Guest) exchangeForTask(ctx context.Context, method string, message []byte) (*Reply, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	longer, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(closingGrace):
			end(context.Cause(ctx))
		case <-longer.Done():
		}
	})()
	return g.exchange(longer, method, message)
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

// A guestTask is a task that a Guest follows.
type guestTask struct {
	guest *Guest
	voice identity
	id    string
	call  string    // call is the method of the request that has become it.
	told  chan Task // told has room for one state, from CancelTask.
	end   context.CancelCauseFunc
}

// follow waits for the end of a task, and returns what the request came to.
func (g *Guest) follow(ctx context.Context, v identity, opts *TaskOptions, reply *Reply, made Task) (*Reply, error) {
	t := &guestTask{guest: g, voice: v, id: made.ID, call: reply.Legs[0].Method, told: make(chan Task, 1)}
	followed, end := context.WithCancelCause(ctx)
	defer end(nil)
	t.end = end
	g.mu.Lock()
	if g.follows == nil {
		g.follows = make(map[*guestTask]struct{})
	}
	g.follows[t] = struct{}{}
	g.mu.Unlock()
	f := following{host: t, status: opts.Status, reply: reply, modern: v.modern}
	err := f.run(followed, made)
	g.mu.Lock()
	delete(g.follows, t)
	g.mu.Unlock()
	if ctx.Err() != nil && !f.task.Ended() {
		g.cancelAbandoned(ctx, v, made.ID)
	}
	return reply, err
}

// cancelAbandoned cancels a task that nothing waits for, and waits a moment for the
// answer: the end of its ctx would withdraw the request.
func (g *Guest) cancelAbandoned(ctx context.Context, v identity, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closingGrace)
	defer stop()
	if message, err := v.message(mcp.TasksCancel, taskParams(id), true); err == nil {
		_, _ = g.exchange(ctx, mcp.TasksCancel, message) // its answer shows in the session
	}
}

// CancelTask asks the server to cancel a task, ours or the client's. If the answer says
// that it has ended, the call that follows it is told.
func (g *Guest) CancelTask(ctx context.Context, id string) error {
	reply, err := g.Do(ctx, mcp.TasksCancel, taskParams(id), nil)
	if err != nil {
		return err
	}
	state, ok := parseTask(reply.Result)
	if !ok || !state.Ended() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range g.follows {
		if t.id != id {
			continue
		}
		select {
		case t.told <- state:
		default: // it was told before
		}
		// A call that waits for tasks/result gets the answer to that, if there is one.
		time.AfterFunc(closingGrace, func() { t.end(ErrCancelled) })
	}
	return nil
}

// GetTask asks for the state of a task.
func (g *Guest) GetTask(ctx context.Context, id string) (Task, error) {
	reply, err := g.Do(ctx, mcp.TasksGet, taskParams(id), nil)
	if err != nil {
		return Task{}, err
	}
	return stateOf(reply)
}

// Following reports whether a call of ours follows a task.
func (g *Guest) Following(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range g.follows {
		if t.id == id {
			return true
		}
	}
	return false
}

// exchange implements taskHost. While the stream to the server is busy, it is tried again
// for as long as a poll may be late.
func (t *guestTask) exchange(ctx context.Context, method string, params json.RawMessage) (*Reply, error) {
	message, err := t.voice.message(method, params, true)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(MaxPoll); ; {
		reply, err := t.guest.exchange(ctx, method, message)
		if !errors.Is(err, session.ErrBusy) || !time.Now().Before(until) {
			return reply, err
		}
		if err := sleep(ctx, DefaultPoll); err != nil {
			return nil, err
		}
	}
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await implements taskHost. Notifications go to the client: only CancelTask tells a
// state.
func (t *guestTask) await(ctx context.Context, until time.Time) (*Task, error) {
	select {
	case told := <-t.told:
		return &told, nil
	case <-time.After(time.Until(until)):
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// answer implements taskHost.
func (t *guestTask) answer(ctx context.Context, asks []lex.Member, about Question) (json.RawMessage, error) {
	answer := t.guest.answers(t.call)
	if answer == nil {
		return nil, nil
	}
	return answer(ctx, asks, about)
}
