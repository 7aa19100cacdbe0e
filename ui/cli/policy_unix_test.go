//go:build unix

package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/ui/cli/term"
)

// policyOf writes a policy that denies a tool, for this reason.
func policyOf(t *testing.T, file, tool, reason string) {
	t.Helper()
	replace(t, file, "[[rule]]\nid = \"no-"+tool+"\"\nfilter = \"m:tools/call t~^"+tool+"$\"\naction = \"deny\"\nreason = \""+reason+"\"\n")
}

// replace replaces a file by a rename, as editors do it, so that no half of it is read.
func replace(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// asked is what a client of the Go SDK is told when it calls a tool.
func asked(ctx context.Context, s *sdk.ClientSession, tool string, arguments map[string]any) string {
	res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(res)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestTeePolicy holds that a denied call shows its reason in a client of the Go SDK, that
// a changed policy takes effect in mid-session and a broken one
// does not, and that nobody is blamed for it.
func TestTeePolicy(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			policy, file := filepath.Join(dir, "policy.toml"), filepath.Join(dir, "session.mcpcap.jsonl")
			policyOf(t, policy, "add", "sums are secret")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			tee := exec.Command("wiretea", "tee", "--policy", policy, "--record", file, "--", "wiretea", "demo", "--server", "healthy")
			says := &said{}
			tee.Stderr = says
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			s, err := client.Connect(ctx, &sdk.CommandTransport{Command: tee}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			sum, echo := map[string]any{"a": 1, "b": 2}, map[string]any{"message": "hi"}
			if got := asked(ctx, s, "add", sum); !strings.Contains(got, "denied by policy, rule no-add: sums are secret") || !strings.Contains(got, `"isError":true`) {
				t.Errorf("add: %s", got)
			}
			if got := asked(ctx, s, "echo", echo); !strings.Contains(got, "Echo: hi") {
				t.Errorf("echo: %s", got)
			}
			policyOf(t, policy, "echo", "quiet, please")
			until(t, ctx, func() bool { return strings.Contains(asked(ctx, s, "echo", echo), "quiet, please") })
			if got := asked(ctx, s, "add", sum); !strings.Contains(got, "3") || strings.Contains(got, "isError") {
				t.Errorf("add is allowed now: %s", got)
			}
			replace(t, policy, "[[rule")
			until(t, ctx, func() bool {
				return strings.Contains(says.String(), "wiretea: the policy cannot be used, the last one stays in force: ")
			})
			if got := asked(ctx, s, "echo", echo); !strings.Contains(got, "quiet, please") {
				t.Errorf("echo, with a broken policy: %s", got)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if got := recorded(t, file, "c2s"); !strings.Contains(got, "tools/call") {
				t.Errorf("the record has no call: %s", got)
			}
			check := inProcess(t.Context(), "check", file)
			if check.code != term.ExitFine {
				t.Errorf("check: %v", check)
			}
			if test := inProcess(t.Context(), "policy", policyFor(t, dir), file); test.code != term.ExitFound || !strings.Contains(test.out, "policy: no-add") {
				t.Errorf("policy: %v", test)
			}
		})
	}
}

// policyFor is a policy that denies add.
func policyFor(t *testing.T, dir string) string {
	file := filepath.Join(dir, "other.toml")
	policyOf(t, file, "add", "")
	return file
}

// said is what a process writes, which may be read meanwhile.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until waits for something to hold.
func until(t *testing.T, ctx context.Context, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatal("it did not happen in time")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestTeeFaults holds what a client of the Go SDK sees of faults: an error in place of a
// result, and an answer that comes late while others pass; that the record has both sides of
// each; and that nobody is blamed.
func TestTeeFaults(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tee := exec.Command("wiretea", "tee", "--record", file, "--fault", "t:add is:response: result-to-error(out of tea) n=1",
		"--fault", "m:resources/list is:request: delay(500ms)", "--", "wiretea", "demo", "--server", "healthy")
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(ctx, &sdk.CommandTransport{Command: tee}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	late := make(chan error, 1)
	go func() {
		_, err := s.ListResources(ctx, nil)
		late <- err
	}()
	sum := map[string]any{"a": 1, "b": 2}
	if got := asked(ctx, s, "add", sum); !strings.Contains(got, "out of tea") {
		t.Errorf("the first sum: %s", got)
	}
	if got := asked(ctx, s, "add", sum); !strings.Contains(got, "3") {
		t.Errorf("the second sum: %s", got)
	}
	if err := <-late; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"fault: result-to-error(out of tea)", "fault: delay(500ms)"} {
		if n := strings.Count(string(text), `"by":"`+by); n != 2 {
			t.Errorf("%d records say %s", n, by)
		}
	}
	if check := inProcess(t.Context(), "check", file); check.code != term.ExitFine {
		t.Errorf("check: %v", check)
	}
	if bad := inProcess(t.Context(), "tee", "--fault", "m:x: explode", "--", "true"); bad.code != term.ExitUsage || !strings.Contains(bad.err, "result-to-error") {
		t.Errorf("a wrong kind: %v", bad)
	}
}
