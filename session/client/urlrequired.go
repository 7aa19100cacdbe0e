package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wiretea/session/mcp"
)

// A urlsRequired is the error by which a legacy server wants the user to visit
// URLs before it does what was asked: [V4] client/elicitation §URL Elicitation
// Required Error.
type urlsRequired struct {
	asks []member // asks are the elicitations, as input requests are written.
	ids  map[string]bool
}

// urlsRequired reads an error. It reports false where it is another one, or where
// it asks for something that is no URL.
func (op *operation) urlsRequired(err error) (*urlsRequired, bool) {
	var rpc *RPCError
	if op.visited == nil || !errors.As(err, &rpc) || rpc.Code != mcp.URLElicitation {
		return nil, false
	}
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(rpc.Data, &data) != nil || len(data.Elicitations) == 0 {
		return nil, false
	}
	u := &urlsRequired{ids: make(map[string]bool)}
	for i, params := range data.Elicitations {
		q := Question{Params: params}
		ask := q.Elicitation()
		if ask.Mode != urlMode || ask.ID == "" {
			return nil, false
		}
		u.ids[ask.ID] = true
		u.asks = append(u.asks, member{key: fmt.Sprint(i), value: fmt.Appendf(nil, `{"method":%q,"params":%s}`, ElicitationMethod, params)})
	}
	return u, true
}

// visit puts the URLs to the user, and waits until the server says that all have
// been dealt with, for as long as a request may take: that is optional for
// servers. It reports false where the user does not want to.
func (c *Client) visit(ctx context.Context, op *operation, u *urlsRequired, about Question, limit time.Duration) (bool, error) {
	answers, err := c.fulfil(ctx, op, u.asks, about)
	var refused *InputRequiredError
	if errors.As(err, &refused) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	given, _ := members(answers)
	for _, a := range given {
		var said struct {
			Action string `json:"action"`
		}
		if json.Unmarshal(a.value, &said) != nil || said.Action != "accept" {
			return false, nil
		}
	}
	waiting, stop := c.patience.within(ctx, limit, ErrTimeout)
	defer stop()
	for len(u.ids) > 0 {
		n, err := op.visited.Next(waiting)
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
			delete(u.ids, done.ID)
		}
	}
	return true, nil
}
