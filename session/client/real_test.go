package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/client"
	"wiretea/session/demo"
	"wiretea/session/mcp"
)

// connect starts serve as the server of a client, and returns the client after
// its handshake. Both have ended when the test has.
func connect(t *testing.T, cfg client.Config, serve func(in io.ReadCloser, out io.WriteCloser)) *client.Client {
	t.Helper()
	stdinR, stdinW := io.Pipe()
	stdoutR, stdoutW := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		serve(stdinR, stdoutW)
		stdinR.Close()
		stdoutW.Close()
	}()
	c, err := client.Connect(t.Context(), cfg, stdinW, stdoutR)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		<-c.Drained()
		<-done
	})
	return c
}

// sdkServer is a server of the official SDK that has one tool of each kind.
func sdkServer(in io.ReadCloser, out io.WriteCloser) {
	s := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "1"}, &sdk.ServerOptions{PageSize: 1})
	type args struct {
		Message string `json:"message"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, a args) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Message}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	sdk.AddTool(s, &sdk.Tool{Name: "roots"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		//lint:ignore SA1019 servers that ask for roots are what is tested
		roots, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: roots.Roots[0].URI}}}, nil, nil
	})
	// The error is the end of the connection, in words.
	_ = s.Run(context.Background(), &sdk.IOTransport{Reader: in, Writer: out})
}

// TestSDKServer speaks to a server of the official SDK in both eras.
func TestSDKServer(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  client.Config
		era  mcp.Era
	}{
		{"auto", client.Config{}, mcp.Modern},
		{"modern", client.Config{Era: client.Modern}, mcp.Modern},
		{"legacy", client.Config{Era: client.Legacy}, mcp.Legacy},
		{"2024-11-05", client.Config{ProtocolVersion: "2024-11-05"}, mcp.Legacy},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Roots = []string{"/tea"}
			cl := connect(t, c.cfg, sdkServer)
			if s := cl.Server(); s.Era != c.era || s.Name != "sdk" || !s.Has("tools") {
				t.Errorf("server is %+v", s)
			}
			tools, err := cl.List(t.Context(), "tools/list")
			if err != nil || len(tools.Items) != 3 || tools.Pages != 3 {
				t.Errorf("tools: %+v, %v", tools, err)
			}
			if text, err := callText(cl, `{"name":"echo","arguments":{"message":"<hi>"}}`); err != nil || text != "<hi>" {
				t.Errorf("echo: %q, %v", text, err)
			}
			if c.era == mcp.Legacy {
				if text, err := callText(cl, `{"name":"roots","arguments":{}}`); err != nil || text != "file:///tea" {
					t.Errorf("roots: %q, %v", text, err)
				}
			}
			var rpc *client.RPCError
			if _, err := cl.Call(t.Context(), "no/such", nil); !errors.As(err, &rpc) {
				t.Errorf("no/such: %v", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := cl.Call(ctx, "tools/call", json.RawMessage(`{"name":"wait","arguments":{}}`)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("wait: %v", err)
			}
		})
	}
}

// callText calls a tool and returns the text it gave.
func callText(cl *client.Client, params string) (string, error) {
	reply, err := cl.Call(context.Background(), "tools/call", json.RawMessage(params))
	if err != nil {
		return "", err
	}
	var r struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(reply.Result, &r); err != nil || len(r.Content) == 0 {
		return string(reply.Result), err
	}
	return r.Content[0].Text, nil
}

func demoServer(name string) func(io.ReadCloser, io.WriteCloser) {
	return func(in io.ReadCloser, out io.WriteCloser) {
		demo.Serve(context.Background(), name, in, out, io.Discard)
	}
}

// TestDemoRoots asks the demo's tool that asks back, in both eras: by a request
// in one, by a second leg in the other.
func TestDemoRoots(t *testing.T) {
	for _, era := range []client.EraChoice{client.Legacy, client.Modern} {
		cl := connect(t, client.Config{Era: era, Roots: []string{"/tea"}}, demoServer("healthy"))
		text, err := callText(cl, `{"name":"roots"}`)
		if want := `Your roots: {"roots":[{"uri":"file:///tea","name":"tea"}]}`; err != nil || text != want {
			t.Errorf("%v: %q, %v", era, text, err)
		}
	}
}

// copes are the misbehaving servers that a client can get its answers from.
var copes = strings.Fields(`healthy legacy paged log-line log-object pretty content-length two-on-a-line interleaved
	no-last-newline blank-lines crlf bom latin1 half-emoji duplicate-key huge-line latin1-stderr chatty
	no-jsonrpc extra-key result-and-error empty-answer null-id null-request-id float-id big-id params-list
	notification-id ping-without-id batch answers-twice orphan string-id answers-notification`)

// TestCopes holds that none of the faults that can be overlooked keeps the
// client from its answer.
func TestCopes(t *testing.T) {
	for _, name := range copes {
		t.Run(name, func(t *testing.T) {
			cl := connect(t, client.Config{}, demoServer(name))
			for range 2 {
				text, err := callText(cl, `{"name":"echo","arguments":{"message":"hi"}}`)
				if err != nil || !strings.HasSuffix(text, "hi") {
					t.Errorf("echo: %.80q, %v", text, err)
				}
			}
			if tools, err := cl.List(t.Context(), "tools/list"); err != nil || len(tools.Items) < 5 {
				t.Errorf("tools: %d, %v", len(tools.Items), err)
			}
		})
	}
}

// TestTourCalls holds that every line of every behaviour can be typed.
func TestTourCalls(t *testing.T) {
	for _, b := range demo.Names() {
		for _, call := range b.Calls {
			if method, _, err := client.ParseLine(call); err != nil || method == "" {
				t.Errorf("%s: %q: %v", b.Name, call, err)
			}
		}
	}
}

func TestExitOnProbe(t *testing.T) {
	stdinR, stdinW := io.Pipe()
	stdoutR, stdoutW := io.Pipe()
	done := make(chan int)
	go func() {
		code := demo.Serve(context.Background(), "exit-on-probe", stdinR, stdoutW, io.Discard)
		stdinR.Close()
		stdoutW.Close()
		done <- code
	}()
	if _, err := client.Connect(t.Context(), client.Config{}, stdinW, stdoutR); !errors.Is(err, client.ErrExitedOnProbe) {
		t.Errorf("got %v", err)
	}
	if code := <-done; code != 1 {
		t.Errorf("exit code %d", code)
	}
	// A fresh one, spoken to in the legacy way, works.
	cl := connect(t, client.Config{Era: client.Legacy}, demoServer("exit-on-probe"))
	if text, err := callText(cl, `{"name":"echo","arguments":{"message":"hi"}}`); err != nil || text != "Echo: hi" {
		t.Errorf("echo: %q, %v", text, err)
	}
}
