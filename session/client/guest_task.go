package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

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
