package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    Config
		script string
		items  string
		pages  int
		err    error
	}{
		{
			name: "pages", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a", "n":1.0}],"nextCursor":"x\u0041"}}`,
				`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x\u0041"}}`,
				`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}]}}`),
			items: `{"name":"a", "n":1.0} {"name":"b"}`, pages: 2,
		},
		{
			name: "null is the end", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":null}}`),
			pages: 1,
		},
		{
			name: "the empty cursor is the end in the legacy era", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":""}}`),
			pages: 1,
		},
		{
			name: "and a cursor in the modern one",
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+meta+`}}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":""}}`,
				`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"",`+meta+`}}`,
				`< {"jsonrpc":"2.0","id":3,"result":{"tools":[]}}`),
			pages: 2,
		},
		{
			name: "loop", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{}],"nextCursor":"x"}}`,
				`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
				`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{}],"nextCursor":"x"}}`),
			items: "{} {}", pages: 2, err: ErrCursorLoop,
		},
		{
			name: "the same page under another cursor", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{}],"nextCursor":"x"}}`,
				`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
				`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a"},{}],"nextCursor":"y"}}`),
			items: `{"name":"a"} {} {"name":"a"} {}`, pages: 2, err: ErrPageLoop,
		},
		{
			name: "a page of one item may come twice", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{}],"nextCursor":"x"}}`,
				`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
				`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{}],"nextCursor":"y"}}`,
				`> {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"y"}}`,
				`< {"jsonrpc":"2.0","id":4,"result":{"tools":[{}],"nextCursor":"z"}}`),
			items: "{} {} {}", pages: 3, err: ErrPageLoop,
		},
		{
			name: "never ends", cfg: Config{Era: Legacy},
			script: endless(MaxPages, ""), pages: MaxPages, err: ErrTooManyPages,
		},
		{
			name: "never ends, in long pages", cfg: Config{Era: Legacy},
			script: endless(3, strings.Repeat("x", maxListing/3)), pages: 3, err: ErrTooManyPages,
		},
		{
			name: "error", cfg: Config{Era: Legacy},
			script: lines(
				`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{}],"nextCursor":"x"}}`,
				`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
				`eof`),
			items: "{}", pages: 1, err: ErrClosed,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			connected(t, c.cfg, c.script, func(ctx context.Context, cl *Client) {
				got, err := cl.List(ctx, "tools/list")
				if !errors.Is(err, c.err) || got.Pages != c.pages {
					t.Errorf("%d pages, %v; want %d, %v", got.Pages, err, c.pages, c.err)
				}
				var items []string
				for _, item := range got.Items {
					items = append(items, string(item))
				}
				if got := strings.Join(items, " "); got != c.items {
					t.Errorf("items %s, want %s", got, c.items)
				}
			})
		})
	}
}

// endless are so many pages, none of which is the last, with a text in each.
func endless(pages int, text string) string {
	var steps []string
	params := ""
	for id := 2; id < pages+2; id++ {
		steps = append(steps,
			fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/list"%s}`, id, params),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"tools":[],"nextCursor":"%d","x":"%s"}}`, id, id, text))
		params = fmt.Sprintf(`,"params":{"cursor":"%d"}`, id)
	}
	return lines(steps...)
}

func TestListOfNothing(t *testing.T) {
	connected(t, Config{Era: Legacy}, lines(
		`> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}`,
		`< {"jsonrpc":"2.0","id":2,"result":[]}`,
		`> {"jsonrpc":"2.0","id":3,"method":"prompts/list"}`,
		`< {"jsonrpc":"2.0","id":3,"result":{}}`,
	), func(ctx context.Context, c *Client) {
		for _, want := range []string{"it is the array []", "prompts is absent"} {
			got, err := c.List(ctx, "prompts/list")
			if want = "prompts/list: result cannot be read: " + want; !errors.Is(err, ErrNoResult) || err.Error() != want || got.Pages != 1 {
				t.Errorf("got %+v, %v, want %s", got, err, want)
			}
		}
		if _, err := c.List(ctx, "tools/call"); err == nil {
			t.Error("tools/call was taken for a list")
		}
	})
}

// TestLegs holds how a request goes on that the server wants more input for.
func TestLegs(t *testing.T) {
	const (
		first  = `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a",` + meta + `}}`
		answer = `{"jsonrpc":"2.0","id":3,"result":{"content":[],"resultType":"complete"}}`
	)
	ask := func(id int, result string) string {
		return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required",%s}}`, id, result)
	}
	rootsMeta := strings.Replace(meta, `clientCapabilities":{}`, `clientCapabilities":{"roots":{}}`, 1)
	for _, c := range []struct {
		name   string
		cfg    Config
		params string
		script string
		ids    string
		err    string
	}{
		{
			name: "roots", cfg: Config{Roots: []string{"file:///tea"}}, params: `{"name":"a"}`,
			script: lines(
				strings.Replace(first, meta, rootsMeta, 1),
				ask(2, `"inputRequests":{"k 2":{"method":"roots/list"},"k 1":{"method":"roots/list","params":{}}},"requestState":"s\u0041"`),
				`> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","inputResponses":{"k 2":{"roots":[{"uri":"file:///tea","name":"tea"}]},"k 1":{"roots":[{"uri":"file:///tea","name":"tea"}]}},"requestState":"s\u0041",`+rootsMeta+`}}`,
				"< "+answer),
			ids: "2 3",
		},
		{
			name: "state alone", params: `{"name":"a"}`,
			script: lines(first, ask(2, `"requestState":"s"`),
				`> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","requestState":"s",`+meta+`}}`,
				"< "+answer),
			ids: "2 3",
		},
		{
			name: "roots that we have none of", params: `{"name":"a"}`,
			script: lines(first, ask(2, `"inputRequests":{"k":{"method":"roots/list"}}`)),
			ids:    "2", err: "tools/call: server asks for roots/list, which this client does not answer",
		},
		{
			name: "elicitation", cfg: Config{}, params: `{"name":"a"}`,
			script: lines(first, ask(2, `"inputRequests":{"k":{"method":"sampling/createMessage","params":{}},"l":{"method":"elicitation/create"}}`)),
			ids:    "2", err: "tools/call: server asks for elicitation/create, sampling/createMessage, which this client does not answer",
		},
		{
			name: "by hand", params: `{"name":"a","requestState":"mine"}`,
			script: lines(strings.Replace(first, `"name":"a"`, `"name":"a","requestState":"mine"`, 1), ask(2, `"requestState":"next"`)),
			ids:    "2", err: "tools/call: the server asks for another round",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := modernUp
			if c.cfg.Roots != nil {
				up = strings.Replace(up, meta, rootsMeta, 1)
			}
			scripted(t, c.cfg, lines(up, c.script), func(ctx context.Context, cl *Client) {
				if err := cl.Handshake(ctx); err != nil {
					t.Fatal(err)
				}
				reply, err := cl.Call(ctx, "tools/call", json.RawMessage(c.params))
				if c.err == "" && err != nil || c.err != "" && (!errors.Is(err, ErrInputRequired) || err.Error() != c.err) {
					t.Errorf("got %v, want %q", err, c.err)
				}
				if reply == nil || strings.Join(ids(reply), " ") != c.ids || len(reply.Result) == 0 {
					t.Errorf("got %+v, want ids %s", reply, c.ids)
				}
			})
		})
	}
}

func TestEndlessLegs(t *testing.T) {
	var steps []string
	state := ""
	for id := 2; id < 2+maxLegs; id++ {
		steps = append(steps,
			fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s%s}}`, id, state, meta),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required","requestState":"s"}}`, id))
		state = `"requestState":"s",`
	}
	connected(t, Config{}, lines(steps...), func(ctx context.Context, c *Client) {
		reply, err := c.Call(ctx, "tools/call", nil)
		if !errors.Is(err, ErrInputRequired) || !strings.Contains(err.Error(), "input_required 16 times") || len(ids(reply)) != maxLegs {
			t.Errorf("got %v", err)
		}
	})
}
