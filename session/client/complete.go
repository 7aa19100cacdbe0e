package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A Ref names what an argument belongs to: one of the two is set.
type Ref struct {
	Prompt   string // Prompt is the name of a prompt.
	Resource string // Resource is the URI of a resource template, with its braces.
}

// A Completion is what a server proposes for an argument.
type Completion struct {
	Values []string
	Total  int  // Total is how many there are; 0 where the server does not say.
	More   bool // More says that there are more than Values.
	Reply  *Reply
}

// Complete asks for values of an argument of a prompt, or of a variable of a
// resource template, that go on from value. known are the other arguments that
// have a value already; versions before 2025-06-18 do not have them.
//
// Errors are those of Call. A server that declared no completions answers with
// one; see Server.Has("completions").
func (c *Client) Complete(ctx context.Context, ref Ref, argument, value string, known map[string]string) (*Completion, error) {
	const method = mcp.CompletionComplete
	target := fmt.Appendf(nil, `{"type":"ref/prompt","name":%s}`, lex.Quote(ref.Prompt))
	if ref.Resource != "" {
		target = fmt.Appendf(nil, `{"type":"ref/resource","uri":%s}`, lex.Quote(ref.Resource))
	}
	params := fmt.Appendf(nil, `{"ref":%s,"argument":{"name":%s,"value":%s}`, target, lex.Quote(argument), lex.Quote(value))
	if v, ok := mcp.ParseVersion(c.Server().Version); len(known) > 0 && (!ok || v >= mcp.V3) {
		params = fmt.Appendf(params, `,"context":{"arguments":%s}`, stringsJSON(known))
	}
	reply, err := c.Call(ctx, method, append(params, '}'))
	if err != nil {
		return &Completion{Reply: reply}, err
	}
	var r struct {
		Completion struct {
			Values []string `json:"values"`
			Total  int      `json:"total"`
			More   bool     `json:"hasMore"`
		} `json:"completion"`
	}
	if err := json.Unmarshal(reply.Result, &r); err != nil {
		return &Completion{Reply: reply}, fmt.Errorf("%s: %w: %s", method, ErrNoResult, whyUnreadable(err))
	}
	return &Completion{r.Completion.Values, r.Completion.Total, r.Completion.More, reply}, nil
}

// stringsJSON returns an object of strings, sorted by key.
func stringsJSON(of map[string]string) json.RawMessage {
	var list []lex.Member
	for key, value := range of {
		list = append(list, lex.Member{Name: key, Value: json.RawMessage(lex.Quote(value))})
	}
	slices.SortFunc(list, func(a, b lex.Member) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return lex.AppendObject(nil, list...)
}
