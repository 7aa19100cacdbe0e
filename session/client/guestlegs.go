package client

import (
	"context"
	"encoding/json"
	"sync"
)

// legs makes a request, and makes it again as long as the server asks for input that
// the Asker gives, as Client does.
func (g *Guest) legs(ctx context.Context, v voice, method string, given json.RawMessage, tasking bool) (*Reply, error) {
	exchange := g.exchange
	if tasking {
		exchange = g.begin
	}
	params := given
	var whole *Reply
	for {
		message, err := v.message(method, params, tasking || namesTask(method, params))
		if err != nil {
			return whole, err
		}
		reply, err := exchange(ctx, method, message)
		if reply == nil {
			return whole, err
		}
		if whole == nil {
			whole = &Reply{Sent: reply.Sent}
		}
		whole.take(reply, method)
		more, asks := inputRequired(reply.Result, v.modern)
		if err != nil || reply.withdrawn || !asks || g.Asker == nil {
			return whole, err
		}
		params, err = nextLeg(whole, method, given, more, func(asks []member, about Question) (json.RawMessage, error) {
			return g.fulfil(ctx, method, asks, about)
		})
		if err != nil {
			return whole, err
		}
	}
}

// fulfil puts questions to the Asker, all at once, and returns the inputResponses.
func (g *Guest) fulfil(ctx context.Context, method string, asks []member, about Question) (json.RawMessage, error) {
	answers, err := askAll(ctx, method, asks, about, func(*Question) Asker { return g.Asker }, (*sync.WaitGroup).Wait)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return responses(method, asks, answers)
}
