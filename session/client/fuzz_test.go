package client

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// FuzzAnswers holds that no file and no question brings a policy down, and that
// what it answers can be sent.
func FuzzAnswers(f *testing.F) {
	f.Add(`[{"method":"elicitation","defaults":true,"accept":{"a":1}}]`, `{"message":"m","requestedSchema":{"properties":{"b":{"default":[1.0]}}}}`)
	f.Add(`[{"method":"sampling","message":"x","text":"y"}]`, `{"messages":[{"content":[{"text":"x"}]}]}`)
	f.Add(`[{"decline":true}]`, `{"$ref":"#"}`)
	f.Add(`[{"method":"elicitation","accept":{}}]`, `{"mode":"url"}`)
	f.Fuzz(func(t *testing.T, file, params string) {
		a, err := ParseAnswers([]byte(file))
		if err != nil {
			return
		}
		for _, method := range []string{mcp.ElicitationCreate, mcp.SamplingCreateMessage, mcp.RootsList} {
			answer := a.Ask(context.Background(), Question{Method: method, Params: json.RawMessage(params)})
			if b := response("1", &answer); !json.Valid(b) || bytes.ContainsAny(b, "\r\n") {
				t.Errorf("%q", b)
			}
		}
	})
}

// FuzzForm holds the same of what is done with a server's schema, and that the
// defaults of a form are one object.
func FuzzForm(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","default":"x"}}}`, `{"b":1}`)
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Add(`{"$Ref":"#"}`, `{}`)
	f.Add(`{"properties":{"a":{"default":{"$ref":"#"}}},"allOf":[{"not":{}}]}`, `null`)
	f.Fuzz(func(t *testing.T, schema, given string) {
		content, err := FormDefaults(json.RawMessage(schema), json.RawMessage(given))
		if err == nil {
			if _, ok := lex.List(content); !ok {
				t.Errorf("defaults %q", content)
			}
		}
		_ = validateForm(json.RawMessage(schema), json.RawMessage(given))
	})
}

// FuzzNotifications holds that whatever a server sends while operations of every
// kind are under way, the client goes on.
func FuzzNotifications(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"wiretea-1","progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":7,"data":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","pollIntervalMs":-1e308}}`,
		`{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"t"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"a":{},"a":{"method":1}}}}`,
	} {
		f.Add([]byte(seed + "\n"))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, era := range []EraChoice{Legacy, Modern} {
			c, err := newClient(Config{Era: era, Form: Agreeable, URL: Decliner, Sampling: Canned("x")})
			if err != nil {
				t.Fatal(err)
			}
			c.out = newWriter(discard{}, NDJSON, func(error) {})
			c.setServer(Server{Era: map[EraChoice]mcp.Era{Legacy: mcp.Legacy, Modern: mcp.Modern}[era], Version: ""})
			feed := c.Watch()
			_, op := c.begin(context.Background(), "tools/call", nil, Options{
				Progress: func(Progress) {}, Log: func(LogMessage) {}, LogLevel: "info", Task: &TaskOptions{},
			})
			c.subs["2"] = &Subscription{ID: "2", client: c, box: newInbox[Notification](), ended: make(chan struct{})}
			c.abandoned["3"] = struct{}{}
			p, err := c.registerLocked(op, "4", "tools/call")
			if err != nil {
				t.Fatal(err)
			}
			c.receive(bytes.NewReader(stream))
			if a := <-p.done; a.err == nil {
				inputRequired(a.result, era == Modern)
				taskCreated(a.result, era == Modern)
			}
			c.finish(op)
			feed.Close()
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
