package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// maxLegs is how often one request is repeated because the server wants more
// input.
const maxLegs = 16

// A request is made again as long as the server asks for input that we can give:
// [V5] basic/patterns/mrtr §Basic Workflow. Each leg has the original parameters and
// an id of its own.
type request struct {
	method string
	params json.RawMessage
	modern bool

	// send makes one leg. The Reply is nil where no answer came.
	send func(ctx context.Context, params json.RawMessage) (*Reply, error)

	// answer returns the inputResponses; nil = there is no Asker: a result that asks for
	// input is the result.
	answer func(ctx context.Context, asks []lex.Member, about Question) (json.RawMessage, error)

	// retry reports whether the request is to be made again after an error, or what
	// the error is then; nil = it is not.
	retry func(ctx context.Context, whole *Reply, failed error) (bool, error)
}

// do makes all legs. The Reply is nil where the first one got no answer.
func (r *request) do(ctx context.Context) (*Reply, error) {
	var whole *Reply
	for params := r.params; ; {
		reply, err := r.send(ctx, params)
		if reply == nil {
			return whole, err
		}
		if whole == nil {
			whole = &Reply{Sent: reply.Sent}
		}
		whole.leg(reply, r.method)
		whole.Result, whole.Error, whole.Received, whole.withdrawn = reply.Result, reply.Error, reply.Received, reply.withdrawn
		again := false
		if err != nil && r.retry != nil {
			params = r.params
			again, err = r.retry(ctx, whole, err)
		} else if more, asks := inputRequired(reply.Result, r.modern); err == nil && asks && r.answer != nil && !reply.withdrawn {
			again = true
			params, err = r.next(ctx, whole, more)
		}
		if err != nil || !again {
			return whole, err
		}
	}
}

// next returns the parameters of the leg after those of whole. The error is an
// *InputRequiredError where there is a question without an Asker, where the user
// sends the legs by hand, or where there were too many.
func (r *request) next(ctx context.Context, whole *Reply, more *moreInput) (json.RawMessage, error) {
	leg, given := len(whole.Legs), r.params
	if len(given) == 0 {
		given = json.RawMessage(`{}`)
	}
	have, ok := lex.List(given)
	byHand := slices.ContainsFunc(have, func(m lex.Member) bool { return m.Name == "inputResponses" || m.Name == "requestState" })
	if leg == maxLegs || !ok || byHand || len(more.requests) == 0 && more.state == nil {
		return nil, &InputRequiredError{Method: r.method, Asks: inputMethods(more.requests), Legs: leg}
	}
	var add []lex.Member
	if len(more.requests) > 0 {
		began := time.Now()
		answers, err := r.answer(ctx, more.requests, Question{Era: mcp.Modern, For: whole.Legs[leg-1].ID, At: began})
		whole.addAsked(began)
		if stuck, ok := errors.AsType[*InputRequiredError](err); ok {
			stuck.Legs = leg
		}
		if err != nil {
			return nil, err
		}
		add = append(add, lex.Member{Name: "inputResponses", Value: answers})
	}
	if more.state != nil {
		add = append(add, lex.Member{Name: "requestState", Value: more.state})
	}
	return withMembers(given, have, add), nil
}

// A moreInput is a result of type input_required.
type moreInput struct {
	requests []lex.Member    // requests are the inputRequests in the server's order, each key once.
	state    json.RawMessage // state is the requestState, verbatim; nil = none.
}

// inputMethods are the methods of input requests, each once, sorted.
func inputMethods(requests []lex.Member) []string {
	var methods []string
	for _, r := range requests {
		method, _ := inputAsk(r.Value)
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
func inputRequests(text json.RawMessage) []lex.Member {
	all, _ := lex.List(text)
	var list []lex.Member
	for _, m := range all {
		if i := slices.IndexFunc(list, func(l lex.Member) bool { return l.Name == m.Name }); i >= 0 {
			list[i] = m
			continue
		}
		list = append(list, m)
	}
	return list
}
