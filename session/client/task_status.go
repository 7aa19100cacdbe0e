package client

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// exchange implements taskHost.
func (op *operation) exchange(ctx context.Context, method string, params json.RawMessage) (*Reply, error) {
	c := op.client
	return c.roundTrip(ctx, op, method, c.stamped(&operation{tasking: true}, params), c.cfg.timeout(method))
}

// await implements taskHost.
func (op *operation) await(ctx context.Context, until time.Time) (*Task, error) {
	for {
		if told := op.client.takeStatus(op); told != nil {
			return told, nil
		}
		if woken, err := op.pause(ctx, time.Until(until)); err != nil || !woken {
			return nil, err
		}
	}
}

// maxTold is how many tasks are remembered before the answer that creates ours.
const maxTold = 16

// taskStatus takes a status notification.
func (c *Client) taskStatus(params func() Notification) {
	c.mu.Lock()
	following := slices.ContainsFunc(c.opsLocked(), func(op *operation) bool { return op.wake != nil })
	c.mu.Unlock()
	if !following {
		return
	}
	task, ok := parseTask(params().Params)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for op := range c.ops {
		// The notification may be read before the answer that creates the task.
		if op.wake == nil || op.task != task.ID && (op.task != "" || len(op.statuses) >= maxTold) {
			continue
		}
		op.statuses[task.ID] = task
		select {
		case op.wake <- struct{}{}:
		default:
		}
	}
}

// takeStatus returns the latest notified status of an operation's task, once.
func (c *Client) takeStatus(op *operation) *Task {
	c.mu.Lock()
	defer c.mu.Unlock()
	told, ok := op.statuses[op.task]
	clear(op.statuses)
	if !ok {
		return nil
	}
	return &told
}
