package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"wiretea/session/mcp"
)

// maxLegs is how often one request is repeated because the server wants more
// input.
const maxLegs = 16

// legs makes a request, and makes it again as long as the server asks for input
// that we can give: [V5] basic/patterns/mrtr §Basic Workflow. Each leg has the
// original parameters and an id of its own. In the legacy era it is made again,
// once, when the user has visited the URLs that the server wanted visited first.
func (c *Client) legs(ctx context.Context, op *operation, method string, given json.RawMessage) (*Reply, error) {
	limit := c.legLimit(op, method)
	if c.cfg.URL != nil && c.Server().Era == mcp.Legacy {
		// That a URL was visited may be told right behind the error that wants it.
		op.visited = c.Watch(mcp.ElicitationCompleteNotification)
		defer op.visited.Close()
	}
	params := given
	var whole Reply
	for leg := 1; ; leg++ {
		reply, err := c.roundTrip(ctx, op, method, c.stamped(op, params), limit)
		switch {
		case reply == nil && leg == 1:
			return nil, err
		case reply == nil:
			return &whole, err
		case leg == 1:
			whole.Sent = reply.Sent
		}
		whole.take(reply, method)
		var more bool
		if err != nil {
			params = given
			more, err = c.afterError(ctx, op, &whole, err, limit)
		} else {
			params, more, err = c.afterResult(ctx, op, &whole, given)
		}
		if err != nil || !more {
			return &whole, err
		}
	}
}

// afterError reports whether a request that failed is to be made again.
func (c *Client) afterError(ctx context.Context, op *operation, whole *Reply, failed error, limit time.Duration) (bool, error) {
	urls, ok := op.urlsRequired(failed)
	if !ok || len(whole.Legs) > 1 {
		return false, failed
	}
	began := time.Now()
	defer func() { whole.asked(began) }()
	again, err := c.visit(ctx, op, urls, Question{Era: mcp.Legacy, For: whole.IDs[0], At: began}, limit)
	if err == nil && !again {
		err = failed
	}
	return again, err
}

// afterResult returns the parameters with which a request is to be made again,
// and whether it is.
func (c *Client) afterResult(ctx context.Context, op *operation, whole *Reply, given json.RawMessage) (params json.RawMessage, again bool, err error) {
	more, ok := inputRequired(whole.Result, c.Server().Era == mcp.Modern)
	if !ok {
		return nil, false, nil
	}
	params, err = nextLeg(whole, op.method, given, more, func(asks []member, about Question) (json.RawMessage, error) {
		return c.fulfil(ctx, op, asks, about)
	})
	return params, true, err
}

// take adds a leg, whose answer is that of the whole for now.
func (r *Reply) take(one *Reply, method string) {
	r.leg(one, method)
	r.Result, r.Error, r.Received, r.withdrawn = one.Result, one.Error, one.Received, one.withdrawn
}

// legLimit is how long one leg may take; 0 = for ever.
func (c *Client) legLimit(op *operation, method string) time.Duration {
	switch d := op.opts.Timeout; {
	case d > 0:
		return d
	case d < 0:
		return 0
	}
	return c.cfg.timeout(method)
}

// A moreInput is a result of type input_required.
type moreInput struct {
	requests []member        // requests are the inputRequests in the server's order, each key once.
	state    json.RawMessage // state is the requestState, verbatim; nil = none.
}

// asked are the methods of input requests, each once, sorted.
func asked(requests []member) []string {
	var methods []string
	for _, r := range requests {
		method, _ := inputAsk(r.value)
		methods = append(methods, method)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// inputRequired reads a result that asks for input.
func inputRequired(result json.RawMessage, modern bool) (*moreInput, bool) {
	// Results may be long and hardly ever ask: look before decoding.
	if !modern || !bytes.Contains(result, []byte("input_required")) {
		return nil, false
	}
	var r struct {
		ResultType string          `json:"resultType"`
		Requests   json.RawMessage `json:"inputRequests"`
		State      json.RawMessage `json:"requestState"`
	}
	if json.Unmarshal(result, &r) != nil || r.ResultType != "input_required" {
		return nil, false
	}
	return &moreInput{inputRequests(r.Requests), notNull(r.State)}, true
}

// inputRequests returns the members of such an object, each key once: of a key
// that is there twice the last one counts, as for most decoders.
func inputRequests(text json.RawMessage) []member {
	all, _ := members(text)
	var list []member
	for _, m := range all {
		if i := slices.IndexFunc(list, func(l member) bool { return l.key == m.key }); i >= 0 {
			list[i] = m
			continue
		}
		list = append(list, m)
	}
	return list
}

// nextLeg returns the parameters of the leg behind those of whole, whose last one
// asks for more; fulfil gives the inputResponses. The error is an
// *InputRequiredError where there is a question that nobody answers, where the user
// drives the legs by hand, or where there were too many.
func nextLeg(whole *Reply, method string, given json.RawMessage, more *moreInput, fulfil func([]member, Question) (json.RawMessage, error)) (json.RawMessage, error) {
	leg := len(whole.Legs)
	if len(given) == 0 {
		given = json.RawMessage(`{}`)
	}
	have, ok := members(given)
	byHand := slices.ContainsFunc(have, func(m member) bool { return m.key == "inputResponses" || m.key == "requestState" })
	if leg == maxLegs || !ok || byHand || len(more.requests) == 0 && more.state == nil {
		return nil, &InputRequiredError{Method: method, Asks: asked(more.requests), Legs: leg}
	}
	var add []member
	if len(more.requests) > 0 {
		began := time.Now()
		answers, err := fulfil(more.requests, Question{Era: mcp.Modern, For: whole.IDs[leg-1], At: began})
		whole.asked(began)
		if stuck, ok := errors.AsType[*InputRequiredError](err); ok {
			stuck.Legs = leg
		}
		if err != nil {
			return nil, err
		}
		add = append(add, member{key: "inputResponses", value: answers})
	}
	if more.state != nil {
		add = append(add, member{key: "requestState", value: more.state})
	}
	return withMembers(given, have, add), nil
}
