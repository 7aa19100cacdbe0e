package capture

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// breakRecorder makes the recorder of a session panic, with an event that lacks its content.
func breakRecorder(tap *transport.Tap) { tap.HTTP(1, nil) }

// policed is a path with a policy.
func policed(t *testing.T, rules string) InPath {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := path.OpenPolicy(file)
	if err != nil {
		t.Fatal(err)
	}
	return InPath{Policy: p}
}

// told takes, line by line, what the user is told.
type told chan string

// Write implements io.Writer.
func (c told) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// TestProxyRecorderFails holds that a fault of ours in the recorder is told to the user, that the
// traffic goes on as on_error says, and that the proxy ends.
func TestProxyRecorderFails(t *testing.T) {
	for how, want := range map[string]string{"open": "echo ran", "closed": "denied by policy, rule on_error: its decisions cannot be recorded"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			said := make(told, 16)
			to := recordIn(t)
			proxy, err := StartProxy(ProxyConfig{Servers: []ProxyServer{{URL: servingSDK(t, shouter("echo"), true)}}, Record: to, InPath: policed(t, "on_error = '"+how+"'\n"), Errors: said})
			if err != nil {
				t.Fatal(err)
			}
			c, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{Endpoint: proxy.URL("")}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			if err != nil {
				t.Fatal(err)
			}
			breakRecorder(proxy.taps[0])
			select {
			case line := <-said:
				if !strings.HasPrefix(line, "wiretea: a part of this session is not recorded: the rest is not kept: internal error in the recorder: ") {
					t.Errorf("the user is told %q", line)
				}
			case <-ctx.Done():
				t.Fatal("the user is not told")
			}
			res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{}})
			if err != nil {
				t.Fatal(err)
			}
			if text := res.Content[0].(*sdk.TextContent).Text; text != want {
				t.Errorf("the call says %q, want %q", text, want)
			}
			if err := c.Ping(ctx, nil); err != nil {
				t.Errorf("a ping: %v", err)
			}
			f, err := recorder.Open(to.File)
			if err != nil {
				t.Fatal(err)
			}
			if f.Live() == recorder.Live {
				t.Error("the file is locked, though nothing more is written")
			}
			f.Close()
			_ = c.Close()
			if err := proxy.Close("quit"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRunRecorderFails is the same for a session of our own client: its end says what has failed.
func TestRunRecorderFails(t *testing.T) {
	for how, want := range map[string]string{"open": "echo ran", "closed": "denied by policy, rule on_error: its decisions cannot be recorded"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			remote, err := NewRemote(http.Options{URL: servingSDK(t, shouter("echo"), true)})
			if err != nil {
				t.Fatal(err)
			}
			said := make(told, 16)
			run, err := New(Config{Server: remote, Client: client.Config{Era: client.Legacy}, Record: recordIn(t), InPath: policed(t, "on_error = '"+how+"'\n"), Warn: said})
			if err != nil {
				t.Fatal(err)
			}
			c, err := run.Connect(ctx)
			if err != nil {
				t.Fatal(err)
			}
			breakRecorder(run.tap)
			select {
			case line := <-said:
				if !strings.HasPrefix(line, "wiretea: internal error in the recorder: ") {
					t.Errorf("the user is told %q", line)
				}
			case <-ctx.Done():
				t.Fatal("the user is not told")
			}
			reply, err := c.Call(ctx, "tools/call", []byte(`{"name":"echo","arguments":{}}`))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(reply.Result), want) {
				t.Errorf("the call says %s, want %q", reply.Result, want)
			}
			if err := run.Close(ctx, "quit"); err == nil || !strings.Contains(err.Error(), "recorder: internal error") {
				t.Errorf("the session ends with %v", err)
			}
			if err := run.Release(); err != nil {
				t.Error(err)
			}
		})
	}
}
