//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and a policy still meets.

package capture

import (
	"context"
	"io"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/path"
)

// TestProxyPolicy holds what a client of the Go SDK sees behind a proxy with a policy, with
// bodies that are one JSON text and with event streams: a denied call shows its reason,
// and a denied request of the server is answered to it.
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
			p, err := path.OpenPolicy(file)
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
	p, err := path.OpenPolicy(rules)
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

// TestPolicyBodies holds that a policy that closes decides on every body, whatever its method, on
// events of every name, and on nothing that a peer could read in another way.
func TestPolicyBodies(t *testing.T) {
	shell := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"shell"}}`
	echo := strings.Replace(shell, "shell", "echo", 1)
	file := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(file, []byte("on_error = 'closed'\n[[rule]]\nfilter = 't:shell'\naction = 'deny'\n[[rule]]\nfilter = 'm:roots/'\naction = 'deny'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := path.OpenPolicy(file)
	if err != nil {
		t.Fatal(err)
	}
	var read atomic.Value
	const asks = "event: other\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n"
	const endpoint = "event: endpoint\ndata: /messages\n\n"
	at := serving(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, _ := io.ReadAll(r.Body)
		read.Store(string(body))
		if w.Header().Set("Content-Type", "application/json"); r.Method == "GET" && len(body) == 0 {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, endpoint+asks+"event: endpoint\n"+asks[len("event: other\n"):])
		}
	}))
	proxy, _ := proxyTo(t, at, InPath{Policy: p})
	ask := func(method, name, body string) (answer string) {
		req, err := nethttp.NewRequestWithContext(t.Context(), method, proxy.URL(""), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
		read.Store("")
		res, err := nethttp.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return string(text)
	}
	for _, method := range []string{"POST", "post", "PUT", "PATCH", "DELETE", "GET", "OPTIONS", "FOO"} {
		for body, want := range map[string]string{shell: "", echo: echo} {
			if ask(method, "", body); read.Load() != want {
				t.Errorf("%s: the server read %q, want %q", method, read.Load(), want)
			}
		}
	}
	for _, tt := range []struct {
		name, body string
		passes     bool
	}{
		{"echo", echo, true}, {"=?base64?ZWNobw==?=", echo, true}, {"shell", echo, false},
		{"", strings.Replace(echo, "echo", "shel\xff", 1), false},
		{"", strings.Replace(echo, "s/c", "s\xc0\xafc", 1), false},
		{"x", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, true}, // A ping has no name.
	} {
		if ask("POST", tt.name, tt.body); (read.Load() == tt.body) != tt.passes {
			t.Errorf("%s beside %q: the server read %q", tt.name, tt.body, read.Load())
		}
	}
	if got := ask("GET", "", ""); got != endpoint {
		t.Errorf("the client got the events %q", got)
	}
	if err := proxy.Close("quit"); err != nil {
		t.Error(err)
	}
}

// TestPolicyLongBody holds what becomes of a request of more than 8 MiB, which a policy cannot read: closed, it
// is refused and no byte of it is forwarded; open, all of it is.
func TestPolicyLongBody(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":"` + strings.Repeat("x", 8<<20) + `"}}`
	for rules, want := range map[string]struct {
		status int
		read   int64
	}{"on_error = 'closed'\n": {nethttp.StatusRequestEntityTooLarge, 0}, "on_error = 'open'\n": {nethttp.StatusOK, int64(len(body))}} {
		var read atomic.Int64
		at := serving(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			read.Add(n)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		}))
		file := filepath.Join(t.TempDir(), "p.toml")
		if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := path.OpenPolicy(file)
		if err != nil {
			t.Fatal(err)
		}
		proxy, _ := proxyTo(t, at, InPath{Policy: p})
		req, err := nethttp.NewRequestWithContext(t.Context(), nethttp.MethodPost, proxy.URL(""), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := nethttp.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", rules, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err := proxy.Close("quit"); err != nil {
			t.Error(err)
		}
		if res.StatusCode != want.status || read.Load() != want.read {
			t.Errorf("%s: status %d, %d bytes were forwarded; want %d and %d", rules, res.StatusCode, read.Load(), want.status, want.read)
		}
	}
}
