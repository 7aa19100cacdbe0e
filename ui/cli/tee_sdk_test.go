//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/ui/cli/term"
)

// captured is the client's end of a server's streams, with a copy of what passes.
type captured struct {
	in, out bytes.Buffer
	cmd     *exec.Cmd
}

// Connect starts the server.
func (c *captured) Connect(ctx context.Context) (sdk.Connection, error) {
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	return (&sdk.IOTransport{
		Reader: io.NopCloser(io.TeeReader(stdout, &c.out)),
		Writer: copying{io.MultiWriter(stdin, &c.in), stdin},
	}).Connect(ctx)
}

type copying struct {
	io.Writer
	io.Closer
}

// TestTeeGoSDK lets the official client talk to a server of the official SDK, with
// a tee between them and without, in both eras: the answers are the same, and the
// recording has what either end has.
func TestTeeGoSDK(t *testing.T) {
	t.Parallel()
	for era, version := range map[string]string{"legacy": "2025-11-25", "oldest": "2024-11-05", "modern": "2026-07-28"} {
		for _, capture := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/capture=%v", era, capture), func(t *testing.T) {
				t.Parallel()
				dir, plainDir := t.TempDir(), t.TempDir()
				file := filepath.Join(dir, "session.mcpcap.jsonl")
				direct := exec.Command("sdkserver", plainDir)
				behind := exec.Command("wiretea", "tee", "--record", file, "--", "sdkserver", dir)
				if !capture {
					lengths := []int{3, 70_000} // Longer ones are compared as bytes, below.
					want, without := useSDKClient(t, &sdk.CommandTransport{Command: direct}, version, lengths)
					got, with := useSDKClient(t, &sdk.CommandTransport{Command: behind}, version, lengths)
					if got != want {
						t.Errorf("behind the tee:\n%s\nwithout it:\n%s", got, want)
					}
					for again := 1; with > without+time.Second; again++ {
						// A busy machine may take long for an end: once it must not.
						if again == 10 {
							t.Errorf("the end takes %v, and without the tee %v", with, without)
							break
						}
						dir := t.TempDir()
						_, with = useSDKClient(t, &sdk.CommandTransport{
							Command: exec.Command("wiretea", "tee", "--record", filepath.Join(dir, filepath.Base(file)), "--", "sdkserver", dir),
						}, version, lengths)
					}
					if !behind.ProcessState.Success() {
						t.Errorf("the tee ended with %v", behind.ProcessState)
					}
				} else {
					ends := &captured{cmd: behind}
					useSDKClient(t, ends, version, []int{3, 70_000, 600_000})
					if err := behind.Wait(); err != nil {
						t.Error(err)
					}
					for stream, want := range map[string]string{"c2s": ends.in.String(), "s2c": ends.out.String()} {
						if got := recorded(t, file, stream); got != want || want == "" {
							t.Errorf("%s is recorded as\n%s\nat the client's end it was\n%s", stream, got, want)
						}
					}
				}
				for stream, name := range map[string]string{"c2s": "in", "s2c": "out", "stderr": "err"} {
					want, err := os.ReadFile(filepath.Join(dir, name))
					if err != nil {
						t.Fatal(err)
					}
					if got := recorded(t, file, stream); got != string(want) || len(want) == 0 {
						t.Errorf("%s is recorded as\n%s\nat the server's end it was\n%s", stream, got, want)
					}
				}
				if got := inProcess(t.Context(), "check", file); got.code != term.ExitFine {
					t.Errorf("check: %v", got)
				}
			})
		}
	}
}

// useSDKClient uses all that the server has, with texts of those lengths, and returns the
// answers and how long the end took.
func useSDKClient(t *testing.T, transport sdk.Transport, version string, lengths []int) (answers string, end time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	note := func(what string, answer any, err error) {
		text, merr := json.Marshal(answer)
		if merr != nil {
			t.Error(merr)
		}
		fmt.Fprintf(&all, "%s: %s %v\n", what, text, err)
	}
	for tool, err := range s.Tools(ctx, nil) {
		note("tool", tool, err)
	}
	for prompt, err := range s.Prompts(ctx, nil) {
		note("prompt", prompt, err)
	}
	for _, name := range []string{"work", "fail", "no such tool"} {
		answer, err := s.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]any{}})
		note(name, answer, err)
	}
	for _, length := range lengths {
		answer, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"message": string(bytes.Repeat([]byte("é"), length))}})
		note("echo", answer, err)
	}
	menu, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: "tea://menu"})
	note("menu", menu, err)
	offer, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: "offer"})
	note("offer", offer, err)
	begin := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return all.String(), time.Since(begin)
}
