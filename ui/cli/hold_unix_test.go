//go:build unix

package cli

import (
	"context"
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
func heldTee(t *testing.T, ctx context.Context, version string, server []string, files ...*os.File) (s *sdk.ClientSession, tee *exec.Cmd, dir, file string) {
	t.Helper()
	dir = t.TempDir()
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
	return s, tee, dir, file
}

// waits waits until approve lists a message, and returns its number.
func waits(t *testing.T, ctx context.Context, dir, word string) string {
	t.Helper()
	number := ""
	until(t, ctx, func() bool {
		list := inProcess(ctx, "approve", "--sessions", dir, "--list")
		for line := range strings.Lines(list.out) {
			if strings.Contains(line, word) {
				number = strings.Fields(line)[0]
			}
		}
		return number != ""
	})
	return number
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

// TestTeeHold holds that what a policy asks about waits for wiretea approve in another shell
// while pings and other calls pass; that a held call is edited and released by a viewer; that
// a denied one shows its reason; that the record says who decided; and that nobody is blamed.
func TestTeeHold(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s, _, dir, file := heldTee(t, ctx, version, nil)
			call := func(tool string, arguments map[string]any) <-chan string {
				got := make(chan string, 1)
				go func() { got <- asked(ctx, s, tool, arguments) }()
				return got
			}
			sum, echo := map[string]any{"a": 1, "b": 2}, map[string]any{"message": "CAME"}
			answer := call("add", sum)
			number := waits(t, ctx, dir, "add")
			if version == "2025-11-25" {
				if err := s.Ping(ctx, nil); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.ListTools(ctx, nil); err != nil {
				t.Error(err)
			}
			if got := inProcess(ctx, "approve", "--sessions", dir, "--allow", number, "--reason", "fine", "tea"); got.code != term.ExitFine {
				t.Errorf("approve: %v", got)
			}
			if got := <-answer; !strings.Contains(got, "3") || strings.Contains(got, "isError") {
				t.Errorf("allowed: %s", got)
			}
			if got := inProcess(ctx, "approve", "--sessions", dir, "--allow", number); got.code != term.ExitFound || !strings.Contains(got.err, "no such message is held") {
				t.Errorf("a second time: %v", got)
			}
			answer = call("add", sum)
			waits(t, ctx, dir, "add")
			if got := inProcess(ctx, "approve", "--sessions", dir, "--list", "--json"); !strings.Contains(got.out, `"from":"client","kind":"request","method":"tools/call","target":"add"`) ||
				!strings.Contains(got.out, `"then":"deny","by":"policy: sums","rule":"sums","ask":true,"reason":"sums are secret"`) {
				t.Errorf("as JSON: %s", got.out)
			}
			if got := inProcess(ctx, "approve", "--sessions", dir, "--deny", "all", "--reason", "not today"); got.code != term.ExitFine {
				t.Errorf("approve: %v", got)
			}
			if got := <-answer; !strings.Contains(got, "denied by policy, rule sums: not today") || !strings.Contains(got, `"isError":true`) {
				t.Errorf("denied: %s", got)
			}
			place := screenAt(t, ctx, file)
			defer place.Close()
			answer = call("echo", echo)
			until(t, ctx, func() bool { return len(place.State().Held) == 1 })
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
				`"by":"policy: sums; allowed by approve: fine"`, `"by":"policy: sums; denied by approve: not today"`, `"by":"policy: words; edited and released by screen"`, `"ev":"decided","what":"held"`,
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
			s, tee, dir, file := heldTee(t, ctx, "2025-11-25", []string{"sh", "-c", `tee "$0" | wiretea demo --server healthy`, read}, theirs)
			theirs.Close()
			if got := asked(ctx, s, "erase", map[string]any{"message": "denied"}); !strings.Contains(got, "denied by policy") {
				t.Errorf("it was not denied: %s", got)
			}
			go func() { _ = asked(ctx, s, "echo", map[string]any{"message": "uncrossed"}) }()
			waits(t, ctx, dir, "echo")
			go func() { _ = asked(ctx, s, "add", map[string]any{"a": 1, "b": 2}) }()
			waits(t, ctx, dir, "add")
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
