//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and both eras still speak.

package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/client"
	"wiretea/session/mcp"
)

// guard is how long a test waits for what must come.
const guard = time.Minute

// sdkAsker is a server of the official SDK that does all that a server can ask
// for or tell, by the means of the era that it is spoken to in.
type sdkAsker struct {
	server *sdk.Server
}

func newSDKAsker() *sdkAsker {
	a := &sdkAsker{}
	a.server = sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "1"}, &sdk.ServerOptions{
		CompletionHandler:  a.complete,
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	sdk.AddTool(a.server, &sdk.Tool{Name: "ask"}, a.ask)
	sdk.AddTool(a.server, &sdk.Tool{Name: "work"}, a.work)
	sdk.AddTool(a.server, &sdk.Tool{Name: "grow"}, a.grow)
	sdk.AddTool(a.server, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "tea"}}}, nil
	}
	a.server.AddResource(&sdk.Resource{Name: "r", URI: "x:///r"}, read)
	a.server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "t", URITemplate: "x:///t/{v}"}, read)
	a.server.AddPrompt(&sdk.Prompt{Name: "p", Arguments: []*sdk.PromptArgument{{Name: "city"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: r.Params.Arguments["city"]}}}}, nil
		})
	return a
}

func (a *sdkAsker) serve(in io.ReadCloser, out io.WriteCloser) {
	// The error is the end of the connection, in words.
	_ = a.server.Run(context.Background(), &sdk.IOTransport{Reader: in, Writer: out})
}

func (a *sdkAsker) complete(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	values := []string{r.Params.Argument.Value + "!"}
	if r.Params.Context != nil {
		values = append(values, r.Params.Context.Arguments["country"])
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, Total: 9}}, nil
}

// ask asks all there is to ask, and answers with the answers.
func (a *sdkAsker) ask(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
	if len(r.Params.InputResponses) == 0 {
		return &sdk.CallToolResult{RequestState: "<state>", InputRequests: sdk.InputRequestMap{
			"form": &sdk.ElicitParams{Mode: "form", Message: "Your name?", RequestedSchema: json.RawMessage(
				`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":7}},"required":["name"]}`)},
			"url":    &sdk.ElicitParams{Mode: "url", Message: "Please look", URL: "https://example.org/", ElicitationID: "e"},
			"sample": &sdk.CreateMessageParams{MaxTokens: 5, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "the weather?"}}}},
			"roots":  &sdk.ListRootsParams{},
		}}, nil, nil
	}
	text, err := json.Marshal(r.Params.InputResponses)
	if err != nil {
		return nil, nil, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Params.RequestState + string(text)}}}, nil, nil
}

// work tells of its progress, and logs.
func (a *sdkAsker) work(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
	for i := range 3 {
		if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3}); err != nil {
			return nil, nil, err
		}
		//lint:ignore SA1019 servers that log are what is tested
		if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: i}); err != nil {
			return nil, nil, err
		}
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
}

// grow adds a tool, and says that a resource has changed.
func (a *sdkAsker) grow(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
	a.server.AddTool(&sdk.Tool{Name: "grown", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	if err := a.server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "x:///r"}); err != nil {
		return nil, nil, err
	}
	return &sdk.CallToolResult{}, nil, nil
}

// inBothEras runs a test against the SDK's server in each.
func inBothEras(t *testing.T, cfg client.Config, test func(context.Context, *testing.T, *client.Client)) {
	for _, era := range []client.EraChoice{client.Legacy, client.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), guard)
			defer cancel()
			cfg.Era = era
			test(ctx, t, connect(t, cfg, newSDKAsker().serve))
		})
	}
}

// TestSDKAsks holds that the SDK's questions are answered, by requests in one
// era and by a second leg in the other.
func TestSDKAsks(t *testing.T) {
	answers, err := client.ParseAnswers([]byte(`[
		{"method":"elicitation","mode":"form","message":"name","accept":{"name":"Ada"},"defaults":true},
		{"method":"elicitation","mode":"url","accept":{}},
		{"method":"sampling","message":"weather","text":"Sunny."}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Config{Form: answers, URL: answers, Sampling: answers, Roots: []string{"/tea"}}
	inBothEras(t, cfg, func(ctx context.Context, t *testing.T, c *client.Client) {
		reply, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"ask","arguments":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`state`, `{\"name\":\"Ada\",\"age\":7}`, `\"action\":\"accept\"`, `Sunny.`, `file:///tea`} {
			plain := strings.ReplaceAll(part, `{\"name\":\"Ada\",\"age\":7}`, `\"age\":7,\"name\":\"Ada\"`) // Go sorts keys
			if text := string(reply.Result); !strings.Contains(text, part) && !strings.Contains(text, plain) {
				t.Errorf("no %s in %s", part, text)
			}
		}
		if legs := map[mcp.Era]int{mcp.Legacy: 1, mcp.Modern: 2}[c.Server().Era]; len(reply.Legs) != legs {
			t.Errorf("%d legs", len(reply.Legs))
		}
	})
}

// TestSDKRefused holds that the SDK does not ask a client that has declared
// nothing.
func TestSDKRefused(t *testing.T) {
	inBothEras(t, client.Config{}, func(ctx context.Context, t *testing.T, c *client.Client) {
		_, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"ask","arguments":{}}`))
		var rpc *client.RPCError
		if !errors.As(err, &rpc) && !errors.Is(err, client.ErrInputRequired) {
			t.Errorf("got %v", err)
		}
	})
}

// TestSDKTells holds progress and logs of one call.
func TestSDKTells(t *testing.T) {
	inBothEras(t, client.Config{}, func(ctx context.Context, t *testing.T, c *client.Client) {
		if err := c.SetLogLevel(ctx, "info"); err != nil {
			t.Fatal(err)
		}
		var progress, logs []string
		_, err := c.Do(ctx, "tools/call", json.RawMessage(`{"name":"work","arguments":{}}`), client.Options{
			Progress: func(p client.Progress) { progress = append(progress, fmt.Sprintf("%v/%v", p.Progress, p.Total)) },
			Log:      func(l client.LogMessage) { logs = append(logs, l.Level+string(l.Data)) },
		})
		if err != nil || !slices.Equal(progress, []string{"1/3", "2/3", "3/3"}) || !slices.Equal(logs, []string{"info0", "info1", "info2"}) {
			t.Errorf("%v, progress %q, logs %q", err, progress, logs)
		}
	})
}

// TestSDKOffers holds the catalogue, what is read of it, and completion.
func TestSDKOffers(t *testing.T) {
	inBothEras(t, client.Config{}, func(ctx context.Context, t *testing.T, c *client.Client) {
		all := c.Catalogue(ctx)
		for _, s := range []struct {
			section client.Section
			items   int
		}{{all.Tools, 4}, {all.Prompts, 1}, {all.Resources, 1}, {all.Templates, 1}} {
			if s.section.Err != nil || len(s.section.Items) != s.items {
				t.Errorf("%q, %v", s.section.Items, s.section.Err)
			}
		}
		for method, params := range map[string]string{"resources/read": `{"uri":"x:///t/a"}`, "prompts/get": `{"name":"p","arguments":{"city":"tea"}}`} {
			if reply, err := c.Call(ctx, method, json.RawMessage(params)); err != nil || !strings.Contains(string(reply.Result), `"tea"`) {
				t.Errorf("%s: %+v, %v", method, reply, err)
			}
		}
		for _, ref := range []client.Ref{{Prompt: "p"}, {Resource: "x:///t/{v}"}} {
			got, err := c.Complete(ctx, ref, "city", "Par", map[string]string{"country": "France"})
			if err != nil || !slices.Equal(got.Values, []string{"Par!", "France"}) || got.Total != 9 {
				t.Errorf("%+v: %+v, %v", ref, got, err)
			}
		}
	})
}

// TestSDKCancelled holds that Cancel ends a call of the SDK's, and that the
// connection goes on.
func TestSDKCancelled(t *testing.T) {
	inBothEras(t, client.Config{}, func(ctx context.Context, t *testing.T, c *client.Client) {
		sent := make(chan struct{})
		failed := make(chan error, 1)
		go func() {
			_, err := c.Call(client.WithSent(ctx, func() { close(sent) }), "tools/call", json.RawMessage(`{"name":"wait","arguments":{}}`))
			failed <- err
		}()
		<-sent
		if err := c.Cancel(c.Outstanding()[0]); err != nil {
			t.Error(err)
		}
		if err := <-failed; !errors.Is(err, client.ErrCancelled) {
			t.Errorf("got %v", err)
		}
		if _, err := c.List(ctx, "tools/list"); err != nil {
			t.Error(err)
		}
	})
}

// TestSDKSubscription holds that changes of a resource and of a list are told,
// by the means of each era.
func TestSDKSubscription(t *testing.T) {
	inBothEras(t, client.Config{}, func(ctx context.Context, t *testing.T, c *client.Client) {
		s, err := c.Listen(ctx, client.Filter{Tools: true, URIs: []string{"x:///r"}})
		if err != nil {
			t.Fatal(err)
		}
		if modern := c.Server().Era == mcp.Modern; modern != (len(s.Granted) > 0) {
			t.Errorf("granted %s", s.Granted)
		}
		if _, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"grow","arguments":{}}`)); err != nil {
			t.Error(err)
		}
		want := map[string]bool{"notifications/resources/updated": true, "notifications/tools/list_changed": true}
		for len(want) > 0 {
			n, err := s.Next(ctx)
			if err != nil {
				t.Fatalf("%v, without %v", err, want)
			}
			delete(want, n.Method)
		}
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

// TestSDKFollow holds that the catalogue is listed again when it has changed.
func TestSDKFollow(t *testing.T) {
	inBothEras(t, client.Config{}, func(ctx context.Context, t *testing.T, c *client.Client) {
		grown := errors.New("grown")
		ctx, stop := context.WithCancelCause(ctx)
		times := 0
		err := c.FollowCatalogue(ctx, func(all client.Catalogue) {
			if times++; times == 1 {
				if _, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"grow","arguments":{}}`)); err != nil {
					t.Error(err)
				}
			}
			if len(all.Tools.Items) == 5 {
				stop(grown)
			}
		})
		if !errors.Is(err, grown) || times < 2 {
			t.Errorf("after %d listings: %v", times, err)
		}
	})
}
