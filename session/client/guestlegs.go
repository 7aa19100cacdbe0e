package client

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"wiretea/session/mcp"
)

// legs makes a request, and makes it again as long as the server asks for input that
// the Asker gives, as Client does. withdrawn says that the last leg was cancelled
// meanwhile, where it was to become a task.
func (g *Guest) legs(ctx context.Context, v voice, method string, given json.RawMessage, tasking bool) (whole *Reply, withdrawn bool, err error) {
	params := given
	for leg := 1; ; leg++ {
		message, err := v.message(method, params, tasking || namesTask(method, params))
		if err != nil {
			return whole, false, err
		}
		var reply *Reply
		if tasking {
			reply, withdrawn, err = g.begin(ctx, method, message)
		} else {
			reply, err = g.exchange(ctx, method, message)
		}
		if reply == nil {
			return whole, false, err
		}
		if whole == nil {
			whole = &Reply{Sent: reply.Sent}
		}
		whole.leg(reply, method)
		whole.Result, whole.Error, whole.Received = reply.Result, reply.Error, reply.Received
		more, asks := inputRequired(reply.Result, v.modern)
		if err != nil || withdrawn || !asks || g.Asker == nil {
			return whole, withdrawn, err
		}
		if leg == maxLegs {
			return whole, false, &InputRequiredError{Method: method, Asks: asked(more.requests), Legs: leg}
		}
		began := time.Now()
		about := Question{Era: mcp.Modern, For: whole.IDs[leg-1], At: began}
		params, err = nextLeg(method, given, more, func(asks []member) (json.RawMessage, error) {
			defer whole.asked(began)
			return g.fulfil(ctx, method, asks, about)
		})
		if err != nil {
			return whole, false, err
		}
	}
}

// fulfil puts questions to the Asker, all at once, and returns the inputResponses.
func (g *Guest) fulfil(ctx context.Context, method string, asks []member, about Question) (json.RawMessage, error) {
	if len(asks) > maxQuestions {
		return nil, fmt.Errorf("%s: server asks %d questions at a time, which is too many", method, len(asks))
	}
	answers := make([]Answer, len(asks))
	var all sync.WaitGroup
	for i, one := range asks {
		q := about
		q.Key = one.key
		q.Method, q.Params = inputAsk(one.value)
		all.Go(func() { answers[i] = ask(ctx, g.Asker, &q) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return responses(method, asks, answers)
}
