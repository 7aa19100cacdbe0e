//go:build unix

//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and a fault still meets.

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder/recordertest"
	"wiretea/session/path"
	"wiretea/ui/cli/term"
)

// shortly are arguments with which the kinds of faults take little time.
var shortly = map[string]string{
	"delay": "50ms", "hang": "", "stop": "100ms", "oversize": "100k", "truncate": "",
}

// spec is a fault of a kind that takes little time.
func spec(filter string, k *path.FaultKind) string {
	argument, short := shortly[k.Name]
	if !short {
		argument = k.Argument
	}
	if argument != "" {
		argument = "(" + argument + ")"
	}
	return filter + ": " + k.Name + argument + " n=1 seed=7"
}

// use is a client of the Go SDK that does a little of everything, whatever fails; its
// session is recorded in file.
func use(ctx context.Context, transport sdk.Transport, file string) {
	shy := func(call func(context.Context) error) error { return recordertest.Shy(ctx, file, call) }
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	var s *sdk.ClientSession
	err := shy(func(ctx context.Context) (err error) {
		s, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		return err
	})
	if err != nil {
		return
	}
	call := func(ctx context.Context) error {
		_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
		return err
	}
	_ = shy(func(ctx context.Context) error { _, err := s.ListTools(ctx, nil); return err })
	if shy(call) != nil {
		_ = shy(call) // A client tries again.
	}
	_ = shy(func(ctx context.Context) error { _, err := s.ListResources(ctx, nil); return err })
	_ = s.Close()
}

// faultFilters are the messages that the property tests break.
var faultFilters = []string{"m:tools/call is:request", "m:tools/call is:response", "m:initialize is:response", "m:notifications/initialized"}

// TestFaultsBlameNobody holds, for every kind that works over stdio, that the record labels
// what was done, and that check accuses neither of two healthy peers of it.
func TestFaultsBlameNobody(t *testing.T) {
	t.Parallel()
	for _, k := range path.FaultKinds() {
		for i, filter := range faultFilters {
			if k.Where == path.HTTP {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", k.Name, i), func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				s := spec(filter, &k)
				tee := exec.Command("wiretea", "tee", "--record", file, "--fault", s, "--", "wiretea", "demo", "--server", "healthy")
				use(ctx, &sdk.CommandTransport{Command: tee}, file)
				blamesNobody(t, file, s, &k)
			})
		}
	}
}

// blamesNobody holds that a record labels a fault, if that could apply, and that check finds
// nothing in it.
func blamesNobody(t *testing.T, file, spec string, k *path.FaultKind) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	applies := strings.Contains(spec, "tools/call") && (k.Name != "wrong-id" && k.Name != "result-to-error" || strings.Contains(spec, "is:response"))
	if applies && !bytes.Contains(text, []byte(`"by":"fault: `+k.Name)) {
		t.Errorf("%s: no record says what was done", spec)
	}
	if check := inProcess(t.Context(), "check", file); check.code != term.ExitFine || regexp.MustCompile(`(?m)^\s*(error|warning)`).MatchString(check.out) {
		t.Errorf("%s: check\n%s%s\n%s", spec, check.out, check.err, text)
	}
}
