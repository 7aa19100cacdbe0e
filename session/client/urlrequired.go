package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// urlsRequired reads the error by which a legacy server wants the user to visit URLs
// before it does what was asked: [V4] client/elicitation §URL Elicitation Required
// Error. It returns the elicitations, as input requests are written, and their ids. It
// reports false for another error, or where one of them has no URL.
func urlsRequired(err error) (asks []lex.Member, ids map[string]bool, ok bool) {
	rpc, ok := errors.AsType[*RPCError](err)
	if !ok || rpc.Code != mcp.URLElicitation {
		return nil, nil, false
	}
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	_ = json.Unmarshal(rpc.Data, &data) // data of another form has none
	ids = make(map[string]bool)
	for i, params := range data.Elicitations {
		q := Question{Params: params}
		ask := q.Elicitation()
		if ask.Mode != urlMode || ask.ID == "" {
			return nil, nil, false
		}
		ids[ask.ID] = true
		asks = append(asks, lex.Member{Name: fmt.Sprint(i), Value: fmt.Appendf(nil, `{"method":%q,"params":%s}`, mcp.ElicitationCreate, params)})
	}
	return asks, ids, len(asks) > 0
}

// visit puts the URLs that an error requires to the user, once, and waits until the
// server says that all were dealt with, for as long as a request may take: servers need
// not say so. It reports whether the request is to be made again, or returns the error
// where the user does not want to.
func (op *operation) visit(ctx context.Context, visited *Feed, whole *Reply, failed error, limit time.Duration) (bool, error) {
	asks, ids, ok := urlsRequired(failed)
	if !ok || len(whole.Legs) > 1 {
		return false, failed
	}
	began := time.Now()
	defer func() { whole.addAsked(began) }()
	answers, err := op.answer(ctx, asks, Question{Era: mcp.Legacy, For: whole.Legs[0].ID, At: began})
	if errors.Is(err, ErrInputRequired) {
		return false, failed
	}
	if err != nil {
		return false, err
	}
	given, _ := lex.List(answers)
	for _, a := range given {
		var said struct {
			Action string `json:"action"`
		}
		if json.Unmarshal(a.Value, &said) != nil || said.Action != "accept" {
			return false, failed
		}
	}
	waiting, _, stop := op.client.timers.within(ctx, limit, ErrTimeout)
	defer stop()
	for len(ids) > 0 {
		n, err := visited.Next(waiting)
		if err != nil {
			if ctx.Err() == nil && errors.Is(err, ErrTimeout) {
				return true, nil
			}
			return false, err
		}
		var done struct {
			ID string `json:"elicitationId"`
		}
		if json.Unmarshal(n.Params, &done) == nil {
			delete(ids, done.ID)
		}
	}
	return true, nil
}
