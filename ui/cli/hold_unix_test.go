//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// askPolicy asks about add, holds echo, and denies erase.
const askPolicy = `on_exit = "deny"
[[rule]]
filter = "m:tools/call t~^erase$"
action = "deny"
[[rule]]
id = "sums"
filter = "m:tools/call t~^add$"
action = "ask"
reason = "sums are secret"
[[rule]]
id = "words"
filter = "m:tools/call t~^echo$ is:request"
action = "hold"
`

// heldTee starts a tee with a policy in front of the demo server, or of another one, for a client
// of the Go SDK. Its processes inherit the files.
func heldTee(t *testing.T, ctx context.Context, version string, server []string, files ...*os.File) (s *sdk.ClientSession, tee *exec.Cmd, file string) {
	t.Helper()
	dir := t.TempDir()
	rules := filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(rules, []byte(askPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	if server == nil {
		server = []string{"wiretea", "demo", "--server", "healthy"}
	}
	tee = exec.Command("wiretea", append([]string{"tee", "--name", "tea", "--sessions", dir, "--policy", rules, "--"}, server...)...)
	tee.ExtraFiles = files
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(ctx, &sdk.CommandTransport{Command: tee}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	until(t, ctx, func() bool {
		live, err := capture.LiveSessions(dir)
		if err == nil && len(live) == 1 && live[0].Header.Sock != "" {
			file = live[0].Path
		}
		return file != ""
	})
	return s, tee, file
}

// waits waits until the call of a tool is held, and returns the number of the message.
func waits(t *testing.T, ctx context.Context, place session.Intercept, tool string) (id uint64) {
	t.Helper()
	until(t, ctx, func() bool {
		for _, h := range place.State().Held {
			if h.Target == tool {
				id = h.ID
			}
		}
		return id != 0
	})
	return id
}

// screenAt opens a place in a live session, as a screen does.
func screenAt(t *testing.T, ctx context.Context, file string) session.Intercept {
	t.Helper()
	info, err := recorder.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	place, err := capture.Intercept(ctx, info.Header, "screen")
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// releaseEdited releases the one message that is held, with another text in place of one.
func releaseEdited(t *testing.T, ctx context.Context, place session.Intercept, from, to string) {
	t.Helper()
	held := place.State().Held
	if len(held) != 1 {
		t.Fatalf("%d messages are held", len(held))
	}
	text, err := place.Text(ctx, held[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), from, to, 1)
	if err := place.Decide(ctx, []uint64{held[0].ID}, session.Choice{Verb: session.Release, Text: []byte(edited)}); err != nil {
		t.Fatal(err)
	}
}

// TestTeeHold holds that what a policy asks about waits for a screen in another process
// while pings and other calls pass; that a held call is edited and released by a viewer; that
// a denied one shows its reason; that the record says who decided; and that nobody is blamed.
func TestTeeHold(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s, _, file := heldTee(t, ctx, version, nil)
			place := screenAt(t, ctx, file)
			defer place.Close()
			call := func(tool string, arguments map[string]any) <-chan string {
				got := make(chan string, 1)
				go func() { got <- asked(ctx, s, tool, arguments) }()
				return got
			}
			sum, echo := map[string]any{"a": 1, "b": 2}, map[string]any{"message": "CAME"}
			answer := call("add", sum)
			id := waits(t, ctx, place, "add")
			if version == "2025-11-25" {
				if err := s.Ping(ctx, nil); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.ListTools(ctx, nil); err != nil {
				t.Error(err)
			}
			if err := place.Decide(ctx, []uint64{id}, session.Choice{Verb: session.Release, Reason: "fine"}); err != nil {
				t.Error(err)
			}
			if got := <-answer; !strings.Contains(got, "3") || strings.Contains(got, "isError") {
				t.Errorf("allowed: %s", got)
			}
			if err := place.Decide(ctx, []uint64{id}, session.Choice{Verb: session.Release}); !errors.Is(err, session.ErrNotHeld) {
				t.Errorf("a second time: %v", err)
			}
			until(t, ctx, func() bool { return len(place.State().Held) == 0 })
			answer = call("add", sum)
			waits(t, ctx, place, "add")
			if h := place.State().Held[0]; h.Stream != session.C2S || h.Kind != session.RowRequest || h.Method != "tools/call" || !h.Deny || h.By != "policy: sums" || h.Rule != "sums" || !h.Ask || h.Reason != "sums are secret" {
				t.Errorf("held: %+v", h)
			}
			if err := place.Decide(ctx, nil, session.Choice{Verb: session.Deny, Reason: "not today"}); err != nil {
				t.Error(err)
			}
			if got := <-answer; !strings.Contains(got, "denied by policy, rule sums: not today") || !strings.Contains(got, `"isError":true`) {
				t.Errorf("denied: %s", got)
			}
			answer = call("echo", echo)
			waits(t, ctx, place, "echo")
			releaseEdited(t, ctx, place, "CAME", "WENT")
			if got := <-answer; !strings.Contains(got, "WENT") {
				t.Errorf("edited: %s", got)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			record, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{
				`"by":"policy: sums; allowed by screen: fine"`, `"by":"policy: sums; denied by screen: not today"`, `"by":"policy: words; edited and released by screen"`, `"ev":"decided","what":"held"`,
			} {
				if !strings.Contains(string(record), word) {
					t.Errorf("the record does not say %s", word)
				}
			}
			if check := inProcess(t.Context(), "check", file); check.code != term.ExitFine {
				t.Errorf("check: %v", check)
			}
		})
	}
}

// TestTeeHoldKilled holds that the server has read nothing of what waits or was denied when the
// tee is killed, and that on_exit decides when a signal ends it.
func TestTeeHoldKilled(t *testing.T) {
	for how, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "asked to end": syscall.SIGTERM} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			alive, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer alive.Close()
			read := filepath.Join(t.TempDir(), "read") // What the server reads.
			s, tee, file := heldTee(t, ctx, "2025-11-25", []string{"sh", "-c", `tee "$0" | wiretea demo --server healthy`, read}, theirs)
			theirs.Close()
			place := screenAt(t, ctx, file)
			defer place.Close()
			if got := asked(ctx, s, "erase", map[string]any{"message": "denied"}); !strings.Contains(got, "denied by policy") {
				t.Errorf("it was not denied: %s", got)
			}
			go func() { _ = asked(ctx, s, "echo", map[string]any{"message": "uncrossed"}) }()
			waits(t, ctx, place, "echo")
			go func() { _ = asked(ctx, s, "add", map[string]any{"a": 1, "b": 2}) }()
			waits(t, ctx, place, "add")
			_ = tee.Process.Signal(signal)
			_ = s.Close()
			_ = alive.SetDeadline(time.Now().Add(patience))
			if _, err := io.Copy(io.Discard, alive); err != nil {
				t.Fatalf("the server lives on: %v", err)
			}
			got, err := os.ReadFile(read)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), "notifications/initialized") || strings.Contains(string(got), "tools/call") {
				t.Errorf("the server has read\n%s", got)
			}
			record, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(record)) {
				if strings.Contains(line, "uncrossed") && (!strings.Contains(line, `"way":"in"`) || !strings.Contains(line, `"d":"c2s"`)) {
					t.Errorf("the record says that it has crossed: %s", line)
				}
			}
			if signal != syscall.SIGKILL && !strings.Contains(string(record), "denied, the session ends") {
				t.Errorf("on_exit has not decided:\n%s", record)
			}
		})
	}
}
