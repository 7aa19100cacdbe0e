//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and a policy still meets.

package capture

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/decide/policy"
)

// TestProxyPolicy holds what a client of the Go SDK sees behind a proxy with a policy, with
// bodies that are one JSON text and with event streams: a denied call shows its reason, a
// denied tool is not listed, and a denied request of the server is answered to it.
func TestProxyPolicy(t *testing.T) {
	for name, json := range map[string]bool{"json": true, "events": false} {
		t.Run(name, func(t *testing.T) {
			server := shouter("echo", "shell")
			sdk.AddTool(server, &sdk.Tool{Name: "ask"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
				_, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1})
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}, nil, nil
			})
			file := filepath.Join(t.TempDir(), "p.toml")
			rules := "[[rule]]\nid = \"no-shell\"\nfilter = \"m:tools/call t:shell\"\naction = \"deny\"\nreason = \"by hand only\"\n[[rule]]\nid = \"no-sampling\"\nfilter = \"m:sampling/\"\naction = \"deny\"\n"
			if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := policy.Open(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			proxy, record := proxyTo(t, servingSDK(t, server, json), InPath{Policy: p})
			usePolicedProxy(t, proxy.URL(""), !json)
			if err := proxy.Close("quit"); err != nil {
				t.Error(err)
			}
			blameless(t, record)
		})
	}
}

// usePolicedProxy is the client. asks has the server make a request of its own, for which
// it needs an event stream.
func usePolicedProxy(t *testing.T, endpoint string, asks bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, &sdk.ClientOptions{
		CreateMessageHandler: func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			t.Error("the client was asked")
			return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: "x"}}, nil
		},
	})
	c, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: endpoint}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "shell" {
			t.Error("the denied tool is listed")
		}
	}
	want := map[string]string{"echo": "echo ran", "shell": "denied by policy, rule no-shell: by hand only"}
	if asks {
		want["ask"] = "denied by policy, rule no-sampling"
	}
	for tool, want := range want {
		res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			continue
		}
		if text := res.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, want) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// TestPolicyUnrecorded holds that a policy that closes denies calls once its decisions cannot be
// recorded: here the record has no place.
func TestPolicyUnrecorded(t *testing.T) {
	dir := t.TempDir()
	rules, none := filepath.Join(dir, "p.toml"), filepath.Join(dir, "file")
	for file, text := range map[string]string{rules: "on_error = 'closed'\n", none: ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.Open(rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	bridge, transport := bridgeTo(t, servingSDK(t, shouter("echo"), true), Record{File: filepath.Join(none, "s.mcpcap.jsonl")}, InPath{Policy: p})
	client, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	for said := ""; !strings.Contains(said, "rule on_error: its decisions cannot be recorded"); { // The record begins a moment after the session.
		res, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		said = res.Content[0].(*sdk.TextContent).Text
	}
	if err := client.Ping(ctx, nil); err != nil {
		t.Errorf("a ping: %v", err)
	}
	_ = client.Close()
	if err := bridge.Wait(ctx); err != nil {
		t.Error(err)
	}
}
