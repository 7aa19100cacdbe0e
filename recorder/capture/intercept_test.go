//go:build unix

package capture

import (
	"bytes"
	"context"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	nethttp "net/http"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
)

// shouter is a server of the Go SDK with tools that say their names.
func shouter(tools ...string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	type none struct{}
	for _, tool := range tools {
		sdk.AddTool(server, &sdk.Tool{Name: tool}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: tool + " ran"}}}, nil, nil
		})
	}
	return server
}

// headerOf waits for the header of a session file.
func headerOf(t *testing.T, ctx context.Context, file string) *session.Header {
	t.Helper()
	for {
		if info, err := recorder.Stat(file); err == nil && info.Header != nil {
			return info.Header
		}
		if err := Pause(ctx, 5*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// nextHeld waits until a message is held that was not before.
func nextHeld(t *testing.T, ctx context.Context, place session.Intercept, after uint64) session.Held {
	t.Helper()
	for {
		for _, h := range place.State().Held {
			if h.ID > after {
				return h
			}
		}
		select {
		case _, more := <-place.Changed():
			if !more {
				t.Fatal("the place is closed")
			}
		case <-ctx.Done():
			t.Fatal("nothing is held")
		}
	}
}

// edit releases a held message with another text in place of one.
func edit(t *testing.T, ctx context.Context, place session.Intercept, h session.Held, from, to string, c session.Choice) {
	t.Helper()
	text, err := place.Text(ctx, h.ID)
	if err != nil || !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%q, %v", text, err)
	}
	c.Verb, c.Text = session.Release, bytes.Replace(text, []byte(from), []byte(to), 1)
	if err := place.Decide(ctx, []uint64{h.ID}, c); err != nil {
		t.Fatal(err)
	}
}

// TestProxyHold holds that a call through a proxy, with bodies that are one JSON text and with
// event streams, is held, edited and released from another process's place while pings and
// other calls pass, and so is its answer; that a call is answered in the server's place; that
// the record has the originals; and that nobody is blamed.
func TestProxyHold(t *testing.T) {
	for name, json := range map[string]bool{"json": true, "events": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			server := shouter("echo", "other", "third")
			handler := sdk.NewStreamableHTTPHandler(func(*nethttp.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{JSONResponse: json})
			upstream := httptest.NewServer(handler)
			defer upstream.Close()
			at, err := url.Parse(upstream.URL)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			record := filepath.Join(dir, "s.mcpcap.jsonl")
			proxy, err := StartProxy(ProxyConfig{Servers: []ProxyServer{{URL: at}}, Record: Record{File: record, Dir: dir}})
			if err != nil {
				t.Fatal(err)
			}
			place, err := Intercept(ctx, headerOf(t, ctx, record), "test")
			if err != nil {
				t.Fatal(err)
			}
			client := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil)
			c, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: proxy.URL("")}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			if err != nil {
				t.Fatal(err)
			}
			call := func(tool string) <-chan string {
				got := make(chan string, 1)
				go func() {
					res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
					if err != nil {
						got <- err.Error()
						return
					}
					got <- res.Content[0].(*sdk.TextContent).Text
				}()
				return got
			}
			if err := place.Intercept(ctx, session.Interception{Filter: "t:echo is:request"}); err != nil {
				t.Fatal(err)
			}
			answer := call("echo")
			held := nextHeld(t, ctx, place, 0)
			if held.Method != "tools/call" || held.Target != "echo" || held.Stream != session.C2S {
				t.Errorf("%+v", held)
			}
			if err := c.Ping(ctx, nil); err != nil {
				t.Error(err)
			}
			if got := <-call("third"); got != "third ran" {
				t.Errorf("beside a held call: %s", got)
			}
			edit(t, ctx, place, held, `"echo"`, `"other"`, session.Choice{Follow: true})
			held = nextHeld(t, ctx, place, held.ID)
			if held.Kind != session.RowResult || json != (held.Status == 200) {
				t.Errorf("%+v", held)
			}
			if got := <-call("third"); got != "third ran" {
				t.Errorf("beside a held answer: %s", got)
			}
			edit(t, ctx, place, held, "other ran", "edited", session.Choice{})
			if got := <-answer; got != "edited" {
				t.Errorf("the held call: %s", got)
			}
			answer = call("echo")
			held = nextHeld(t, ctx, place, held.ID)
			choice := session.Choice{Verb: session.Respond, Text: []byte(`{"content":[{"type":"text","text":"by hand: {{params.name}}"}]}`)}
			if err := place.Decide(ctx, []uint64{held.ID}, choice); err != nil {
				t.Fatal(err)
			}
			if got := <-answer; got != "by hand: echo" {
				t.Errorf("answered by hand: %s", got)
			}
			answer = call("echo")
			nextHeld(t, ctx, place, held.ID)
			_ = place.Close() // What it holds goes on.
			if got := <-answer; got != "echo ran" {
				t.Errorf("released by leaving: %s", got)
			}
			c.Close()
			if err := proxy.Close("quit"); err != nil {
				t.Error(err)
			}
			checkHeld(t, record, "edited and released by test", "answered by test", "released, test has left")
		})
	}
}

// checkHeld checks that a record says who decided, has originals, and blames nobody.
func checkHeld(t *testing.T, record string, words ...string) {
	t.Helper()
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range append(words, `"way":"in"`, `"way":"out"`, `"of":`, `"ev":"off","what":"hold"`) {
		if !bytes.Contains(text, []byte(word)) {
			t.Errorf("the record does not say %s:\n%s", word, text)
		}
	}
	f, err := recorder.Open(record)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, _, err := analysis.Read(t.Context(), f, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range s.Findings() {
		if found.Severity >= session.Warning {
			t.Errorf("%+v", found)
		}
	}
}

// TestRunHold holds that a run holds the messages of our own client, and that its server
// starts again behind the same place.
func TestRunHold(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	record := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	// The server echoes what it gets as the result of a request.
	script := `while read -r line; do case "$line" in *'"id"'*) id=${line#*'"id":'}; id=${id%%,*}; case "$line" in
		*initialize*|*discover*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
		*) printf '{"jsonrpc":"2.0","id":%s,"result":{"got":"%s"}}\n' "$id" "$(printf %s "$line" | tr -dc A-Z)";; esac;; esac; done`
	run, err := New(Config{Server: &Process{Argv: []string{"sh", "-c", script}}, Record: Record{File: record}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := run.Release(); err != nil {
			t.Error(err)
		}
	}()
	place, err := run.Intercept(ctx, "screen")
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Intercept(ctx, session.Interception{Filter: "m:x/y is:request"}); err != nil {
		t.Fatal(err)
	}
	after := uint64(0)
	for range 2 {
		c, err := run.Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 1)
		go func() {
			reply, err := c.Call(ctx, "x/y", []byte(`{"a":"CAME"}`))
			if err != nil {
				got <- err.Error()
				return
			}
			got <- string(reply.Result)
		}()
		held := nextHeld(t, ctx, place, after)
		after = held.ID
		edit(t, ctx, place, held, "CAME", "WENT", session.Choice{})
		if answer := <-got; !strings.Contains(answer, "WENT") {
			t.Errorf("%s", answer)
		}
		if err := run.HangUp(ctx); err != nil {
			t.Fatal(err)
		}
	}
	_ = place.Close()
	if err := run.Close(ctx, "quit"); err != nil {
		t.Error(err)
	}
	checkHeld(t, record, "edited and released by screen")
}
