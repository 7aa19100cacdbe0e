package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"wiretea/session/mcp"
)

// maxLegs is how often one request is repeated because the server wants more
// input.
const maxLegs = 16

// legs makes a request, and makes it again as long as the server asks for input
// that we can give: [V5] basic/patterns/mrtr §Basic Workflow. Each leg has the
// original parameters and an id of its own.
func (c *Client) legs(ctx context.Context, method string, given json.RawMessage) (*Reply, error) {
	limit := c.cfg.timeout(method)
	params := given
	var whole Reply
	for leg := 1; ; leg++ {
		reply, err := c.roundTrip(ctx, method, c.stamped(params), limit)
		if reply == nil {
			return nil, err
		}
		if leg == 1 {
			whole.Sent = reply.Sent
		}
		whole.IDs = append(whole.IDs, reply.IDs...)
		whole.Result, whole.Error, whole.Received = reply.Result, reply.Error, reply.Received
		if err != nil {
			return &whole, err
		}
		ask, ok := c.inputRequired(reply.Result)
		if !ok {
			return &whole, nil
		}
		params, ok = c.nextLeg(given, ask)
		if !ok || leg == maxLegs {
			return &whole, &InputRequiredError{Method: method, Asks: ask.methods(), Legs: leg}
		}
	}
}

// An inputRequest is a result of type input_required.
type inputRequest struct {
	ResultType string `json:"resultType"`
	Requests   map[string]struct {
		Method string `json:"method"`
	} `json:"inputRequests"`
	State json.RawMessage `json:"requestState"`
}

// methods are what the server asks for, each once, sorted.
func (r *inputRequest) methods() []string {
	set := make(map[string]bool)
	for _, ask := range r.Requests {
		set[ask.Method] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// inputRequired reads a result that asks for input.
func (c *Client) inputRequired(result json.RawMessage) (*inputRequest, bool) {
	// Results may be long and hardly ever ask: look before decoding.
	if c.Server().Era != mcp.Modern || !bytes.Contains(result, []byte("input_required")) {
		return nil, false
	}
	var ask inputRequest
	if json.Unmarshal(result, &ask) != nil || ask.ResultType != "input_required" {
		return nil, false
	}
	return &ask, true
}

// nextLeg returns the parameters of the next leg, or false where the server
// asks for something other than roots, or where the user drives the legs by
// hand.
func (c *Client) nextLeg(given json.RawMessage, ask *inputRequest) (json.RawMessage, bool) {
	if len(given) == 0 {
		given = json.RawMessage(`{}`)
	}
	have, ok := members(given)
	if !ok || slices.ContainsFunc(have, func(m member) bool { return m.key == "inputResponses" || m.key == "requestState" }) {
		return nil, false
	}
	var add []member
	if len(ask.Requests) > 0 {
		var answers []member
		for _, key := range slices.Sorted(maps.Keys(ask.Requests)) {
			if ask.Requests[key].Method != "roots/list" || c.roots == nil {
				return nil, false
			}
			answers = append(answers, member{key: key, value: fmt.Appendf(nil, `{"roots":%s}`, c.roots)})
		}
		add = append(add, member{key: "inputResponses", value: withMembers([]byte(`{}`), nil, answers)})
	}
	if len(ask.State) > 0 {
		add = append(add, member{key: "requestState", value: ask.State})
	}
	if len(add) == 0 {
		return nil, false // neither is set: the server wants nothing that can be given
	}
	return withMembers(given, have, add), true
}
