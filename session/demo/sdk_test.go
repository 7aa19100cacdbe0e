package demo

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSDKClient lets the client of the official SDK use the healthy server, in
// both eras.
func TestSDKClient(t *testing.T) {
	for _, c := range []struct{ server, ask, version string }{
		{"healthy", "", "2026-07-28"},
		{"healthy", "2025-06-18", "2025-06-18"},
		{"legacy", "", "2025-11-25"},
		{"paged", "", "2026-07-28"},
	} {
		t.Run(c.server+" "+c.version, func(t *testing.T) {
			stdinR, stdinW := io.Pipe()
			stdoutR, stdoutW := io.Pipe()
			done := make(chan int)
			go func() {
				code := Serve(context.Background(), c.server, stdinR, stdoutW, io.Discard)
				stdoutW.Close()
				done <- code
			}()
			progress := make(chan float64, 10)
			client := sdk.NewClient(&sdk.Implementation{Name: "sdk", Version: "1"}, &sdk.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
					progress <- r.Params.Progress
				},
			})
			cs, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: stdoutR, Writer: stdinW}, &sdk.ClientSessionOptions{ProtocolVersion: c.version})
			if err != nil {
				t.Fatal(err)
			}
			useSDK(t, cs, progress)
			if got := cs.InitializeResult().ProtocolVersion; got != c.version {
				t.Errorf("speaks %s, want %s", got, c.version)
			}
			if err := cs.Close(); err != nil {
				t.Error(err)
			}
			if code := <-done; code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// useSDK calls everything once.
func useSDK(t *testing.T, cs *sdk.ClientSession, progress <-chan float64) {
	ctx := t.Context()
	var names []string
	for tool, err := range cs.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if len(names) != len(toolTable()) {
		t.Errorf("tools %q", names)
	}
	sum, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
	if err != nil || sum.IsError {
		t.Errorf("add: %+v, %v", sum, err)
	} else if got, ok := sum.StructuredContent.(map[string]any); cs.InitializeResult().ProtocolVersion >= "2025-06-18" && (!ok || got["sum"] != 3.0) {
		t.Errorf("add gave %v", sum.StructuredContent)
	}
	slow := &sdk.CallToolParams{Name: "slow", Arguments: map[string]any{"seconds": 0.02, "steps": 3}}
	slow.SetProgressToken("p")
	if _, err := cs.CallTool(ctx, slow); err != nil {
		t.Errorf("slow: %v", err)
	}
	if a, b := <-progress, <-progress; a+b != 3 {
		t.Errorf("progress %v, %v", a, b)
	}
	if failed, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "fail"}); err != nil || !failed.IsError {
		t.Errorf("fail: %+v, %v", failed, err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := cs.CallTool(short, &sdk.CallToolParams{Name: "slow", Arguments: map[string]any{"seconds": 60}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled call: %v", err)
	}
	if got, err := cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: pictureURI}); err != nil || len(got.Contents[0].Blob) == 0 {
		t.Errorf("picture: %+v, %v", got, err)
	}
	if got, err := cs.ListResourceTemplates(ctx, nil); err != nil || len(got.ResourceTemplates) != 1 {
		t.Errorf("templates: %+v, %v", got, err)
	}
	if got, err := cs.GetPrompt(ctx, &sdk.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Ada"}}); err != nil || len(got.Messages) != 1 {
		t.Errorf("prompt: %+v, %v", got, err)
	}
	got, err := cs.Complete(ctx, &sdk.CompleteParams{
		Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: "demo://city/{name}"},
		Argument: sdk.CompleteParamsArgument{Name: "name", Value: "li"},
	})
	if err != nil || len(got.Completion.Values) != 2 {
		t.Errorf("completion: %+v, %v", got, err)
	}
}
