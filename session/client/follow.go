package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A following is a task that is followed to its end.
type following struct {
	op     *operation
	status func(Task) // status is given each new state; nil = it is not.
	reply  *Reply
	task   Task
	modern bool
	polled time.Time       // polled is when its state was last asked for.
	done   map[string]bool // done are the keys of the input requests that were answered.
}

// follow waits for the end of a task, as the server's pace has it, and returns
// what the request came to.
func (op *operation) follow(ctx context.Context, reply *Reply, task Task, modern bool) (*Reply, error) {
	op.client.mu.Lock()
	op.task = task.ID
	op.client.mu.Unlock()
	f := following{op: op, status: op.opts.Task.Status, reply: reply, modern: modern}
	err := f.run(ctx, task)
	if ctx.Err() != nil && !f.task.Ended() {
		op.client.offerTaskCancel(task.ID)
	}
	return reply, err
}

// run follows the task that a request has become: it asks for its state until it has
// ended, and for its result.
func (f *following) run(ctx context.Context, task Task) error {
	f.polled, f.done = time.Now(), make(map[string]bool)
	f.reply.Result = nil // what it has is the task; the request has no result yet
	f.setState(task)
	for {
		switch {
		case f.modern && f.task.Ended():
			return f.finish()
		case f.modern && f.task.Status == "input_required":
			if err := f.update(ctx); err != nil {
				return err
			}
		case f.task.Status == "cancelled":
			return &TaskError{Task: f.task}
		case f.task.Ended(), f.task.Status == "input_required" && !f.modern:
			// The server's questions come while tasks/result waits: [V4]
			// basic/utilities/tasks §Input Required Status.
			return f.result(ctx)
		}
		if err := f.wait(ctx); err != nil {
			return err
		}
		if f.task.Ended() && !f.modern {
			continue // a notification said so, and tasks/result has the outcome
		}
		if err := f.poll(ctx); err != nil {
			return err
		}
	}
}

// setState takes a state of the task.
func (f *following) setState(t Task) {
	changed := t.Status != f.task.Status || t.Message != f.task.Message
	f.task = t
	f.reply.Task = &f.task
	if changed && f.status != nil {
		f.status(t)
	}
}

// wait waits until the state is to be asked for: after the server's pace, or at
// once when a notification says that the task has ended or asks for input. Any other
// notification postpones the poll, but not for ever: a server need not send any ([V4] basic/utilities/tasks §Task Status
// Notification).
func (f *following) wait(ctx context.Context) error {
	next := f.polled.Add(f.task.pace())
	last := f.polled.Add(max(MaxPoll, f.task.pace()))
	for {
		told, err := f.op.await(ctx, next)
		if told == nil || err != nil {
			return err
		}
		f.setState(*told)
		if told.Ended() || told.Status == "input_required" {
			// A server that notifies all the time does not set the pace.
			for next = f.polled.Add(MinPoll); time.Until(next) > 0; {
				if _, err := f.op.await(ctx, next); err != nil {
					return err
				}
			}
			return nil
		}
		if next = time.Now().Add(f.task.pace()); next.After(last) {
			next = last
		}
	}
}

// exchange is one request of ours about the task.
func (f *following) exchange(ctx context.Context, method string, params json.RawMessage) (*Reply, error) {
	r, err := f.op.exchange(ctx, method, params)
	if r != nil {
		f.reply.leg(r, method)
		f.reply.Received = r.Received
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", method, err)
	}
	return r, nil
}

func taskParams(id string) json.RawMessage { return fmt.Appendf(nil, `{"taskId":%s}`, lex.Quote(id)) }

func (f *following) poll(ctx context.Context) error {
	r, err := f.exchange(ctx, mcp.TasksGet, taskParams(f.task.ID))
	f.polled = time.Now()
	if err != nil {
		return err
	}
	task, err := stateOf(r)
	if err != nil {
		return err
	}
	task.ID = f.task.ID
	f.setState(task)
	return nil
}

// result asks for what a legacy task came to. It waits for as long as the task
// does.
func (f *following) result(ctx context.Context) error {
	r, err := f.exchange(ctx, mcp.TasksResult, taskParams(f.task.ID))
	if r == nil {
		return err
	}
	f.reply.Result, f.reply.Error = r.Result, r.Error
	if answer, ok := errors.AsType[*RPCError](err); ok {
		return answer // the error is that of the request itself
	}
	return err
}

// finish takes what a modern task came to out of its last state.
func (f *following) finish() error {
	var s struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(f.task.State, &s) // it has been read before
	f.reply.Result, f.reply.Error = notNull(s.Result), notNull(s.Error)
	switch {
	case f.task.Status == "completed" && f.reply.Result != nil:
		return nil
	case f.reply.Error != nil:
		return ParseError(f.reply.Error)
	}
	return &TaskError{Task: f.task}
}

// update answers what a modern task asks: [ext tasks] §Task Update Requests. A
// key that was answered is not answered again, however often it comes. While a
// question is open the task is not polled.
func (f *following) update(ctx context.Context) error {
	var s struct {
		Requests json.RawMessage `json:"inputRequests"`
	}
	_ = json.Unmarshal(f.task.State, &s) // it has been read before
	asks := slices.DeleteFunc(inputRequests(s.Requests), func(m lex.Member) bool { return f.done[m.Name] })
	if len(asks) == 0 {
		return nil
	}
	began := time.Now()
	answers, err := f.op.answer(ctx, asks, Question{Era: mcp.Modern, For: f.reply.Legs[0].ID, Task: f.task.ID, At: began})
	if err != nil {
		f.reply.addAsked(began)
		return err
	}
	for _, ask := range asks {
		f.done[ask.Name] = true
	}
	if answers == nil {
		return nil
	}
	f.reply.addAsked(began)
	_, err = f.exchange(ctx, mcp.TasksUpdate, fmt.Appendf(nil, `{"taskId":%s,"inputResponses":%s}`, lex.Quote(f.task.ID), answers))
	return err
}
