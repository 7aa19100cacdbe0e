//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"wiretea/ui/cli/term"
)

// TestCallTroubles calls servers that are dead, silent or broken, and wants the
// cause in the first line, the exit code, and the likely reason.
func TestCallTroubles(t *testing.T) {
	t.Parallel()
	sh := func(script string) []string { return []string{"sh", "-c", script} }
	demo := func(name string) []string { return []string{"wiretea", "demo", "--server", name} }
	silent := []string{"--timeout", "initialize=1s", "--probe-timeout", "1s", "--shutdown-grace", "1s"}
	// answers shakes hands in the legacy era, then does as it is told.
	answers := func(then string) []string {
		return sh(`IFS= read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
IFS= read -r line; IFS= read -r line
` + then)
	}
	legacy := []string{"--era", "legacy"}
	for name, tt := range map[string]struct {
		flags  []string
		server []string
		words  []string // words are the request; nil = tools/list.
		code   int
		first  string   // first is the first line, behind "wiretea: ".
		says   []string // says are lines that must be there, without their numbers.
	}{
		"no such command": {
			server: []string{"no-such-server"}, code: term.ExitServer,
			first: `starting "no-such-server": command not found in PATH`,
			says:  []string{"  hint: check the spelling"},
		},
		"no such folder": {
			flags: []string{"--cwd", "/no/such/folder"}, server: []string{"cat"}, code: term.ExitServer,
			first: `starting "cat": working directory: `,
		},
		"ends at once": {
			server: sh("exit 0"), code: term.ExitServer,
			first: "server exited with code 0, ",
			says:  []string{"  came: nothing", "  server: exited with code 0, ", "  likely: the program is not an MCP server over stdio"},
		},
		"a module is missing": {
			server: sh(`echo "Error: Cannot find module '/app/dist/index.js'" >&2; exit 1`), code: term.ExitServer,
			first: "server exited with code 1, ",
			says:  []string{"  stderr: Error: Cannot find module '/app/dist/index.js'", "  likely: the file /app/dist/index.js does not exist", "  hint: build the server"},
		},
		"a key is missing": {
			server: sh(`echo "KeyError: 'API_KEY'" >&2; exit 1`), code: term.ExitServer,
			first: "server exited with code 1, ",
			says:  []string{"  likely: the environment variable API_KEY is not set", "  hint: set API_KEY, here with --env API_KEY=…"},
		},
		"killed": {
			flags: legacy, server: answers(`kill -KILL $$`), code: term.ExitServer,
			first: "server was killed by SIGKILL, ",
		},
		"silent": {
			flags: silent, server: sh("exec sleep 300"), code: term.ExitTimeout,
			first: "the server did not answer initialize within 1s",
			says:  []string{"  sent: server/discover (id 1), initialize (id 2)", "  came: nothing", "  server: was alive", "  likely: the server has written nothing", "  hint: try the command by hand"},
		},
		"only stderr": {
			flags: silent, server: sh("echo listening on stdio >&2; while read -r line; do :; done"), code: term.ExitTimeout,
			first: "the server did not answer initialize within 1s",
			says:  []string{"  stderr: listening on stdio", "  likely: the server wrote to stderr only"},
		},
		"prints text": {
			flags: silent, server: sh("echo Welcome to my server; while read -r line; do echo '> '; done"), code: term.ExitTimeout,
			first: "the server did not answer initialize within 1s",
			says:  []string{`  came: "Welcome to my server", `, "  likely: server wrote text to stdout"},
		},
		"an echo": {
			server: []string{"cat"}, code: term.ExitServer,
			first: "the server sends back its input",
			says:  []string{"  likely: it repeats what it is sent, like cat or a terminal", "  hint: name the server's program"},
		},
		"refuses": {
			flags: []string{"--era", "modern"}, server: demo("legacy"), code: term.ExitServer,
			first: "the server refuses the handshake: server/discover: error -32601: ",
			says:  []string{"  hint: the server may speak the other era: --era auto tries both"},
		},
		"another version": {
			flags: legacy, code: term.ExitServer,
			server: sh(`read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'; cat >/dev/null`),
			first:  "connecting: initialize: no common protocol version: asked for 2025-11-25, server offers 1999-01-01",
			says:   []string{"  hint: --protocol-version asks for another one"},
		},
		"crashes in a call": {
			flags: legacy, server: demo("crash"), words: []string{"tool", "echo", "message=hi"}, code: term.ExitServer,
			first: "server exited with code 3, ",
			says:  []string{"  came: the result of initialize (id 1), the result of tools/list (id 2)", "  stderr: RuntimeError: out of tea", "  hint: look at /app/tools.py, line 7, where it failed"},
		},
		"never answers a call": {
			flags: []string{"--timeout", "tools/call=300ms"}, server: demo("no-answer"), words: []string{"tool", "echo", "message=hi"}, code: term.ExitTimeout,
			first: "the server did not answer tools/call echo within 300ms",
			says:  []string{"  server: was alive; exited with code 0 once its stdin was closed", "  likely: the server answers other requests", "  hint: --timeout tools/call=2m waits longer"},
		},
		"answers without an id": {
			flags: append(legacy, "--timeout", "tools/list=300ms"), server: answers(`echo '{"jsonrpc":"2.0","id":null,"result":{"tools":[]}}'; while read -r line; do :; done`), code: term.ExitTimeout,
			first: "the server did not answer tools/list within 300ms",
			says:  []string{"  likely: server sent a result with the id null", "  hint: echo the id of the request"},
		},
		"greets in Python": {
			flags: silent, server: sh(`read -r line; echo "{'jsonrpc': '2.0', 'id': 1, 'result': {}}"; while read -r line; do :; done`), code: term.ExitTimeout,
			first: "the server did not answer initialize within 1s",
			says:  []string{"  likely: server wrote text to stdout: "},
		},
		"closes its stdout": {
			flags: append(legacy, "--shutdown-grace", "300ms"), server: answers(`exec >&-; exec sleep 300`), code: term.ExitServer,
			first: "server closed its stdout but keeps running, with tools/list unanswered",
		},
		"does not read": {
			flags: append(legacy, "--timeout", "tools/list=300ms", "--shutdown-grace", "300ms"), server: answers(`exec sleep 300`), code: term.ExitTimeout,
			first: "the server did not answer tools/list within 300ms",
		},
		"asks for what is not answered": {
			flags: []string{"--era", "modern", "--capabilities", `{"roots":{}}`}, server: demo("healthy"), words: []string{"tool", "roots"}, code: term.ExitFound,
			first: "tools/call: server asks for roots/list, which this client does not answer",
			says:  []string{"  hint: --elicitation, --sampling and --root set the responses"},
		},
		"asks in vain": {
			flags: legacy, server: []string{"sdkserver"}, words: []string{"tool", "roots"}, code: term.ExitFound,
			first: "tools/call roots: error -32601: ",
			says:  []string{"  hint: the server asked for roots/list, and got an error; --elicitation, --sampling and --root set the responses"},
		},
		"cannot be a task": {
			flags: append(legacy, "--task"), words: []string{"tool", "now"}, code: term.ExitUsage,
			server: answers(`echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"now","inputSchema":{"type":"object"},"execution":{"taskSupport":"forbidden"}}]}}'; exec cat >/dev/null`),
			first:  "tools/call now: the tool cannot be run as a task: its taskSupport is forbidden; without --task it runs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := tt.words
			if words == nil {
				words = []string{"tools/list"}
			}
			args := append(append([]string{"call", "--no-record"}, words...), tt.flags...)
			o := wiretea(t, "", append(append(args, "--"), tt.server...)...)
			if o.code != tt.code || o.out != "" || !strings.HasPrefix(o.err, "wiretea: "+tt.first) {
				t.Errorf("want exit code %d and %q first:\n%v", tt.code, tt.first, o)
			}
			for _, line := range tt.says {
				if !strings.Contains(o.err, "\n"+line) {
					t.Errorf("%q is not said:\n%v", line, o)
				}
			}
		})
	}
}

// TestCallInterrupted holds that ctrl-c cancels the request at the server, ends
// the server and not a success.
func TestCallInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	cmd := exec.Command("wiretea", "call", "tool", "slow", "seconds=60", "steps=1", "--era", "legacy", "--record", file, "--", "wiretea", "demo", "--server", "healthy")
	var errw strings.Builder
	cmd.Stderr = &errw
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	wait := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer wait.Stop()
	untilRecorded(t, file, `"m":"tools/call"`)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != term.ExitInterrupted || !strings.HasPrefix(errw.String(), "wiretea: tools/call slow: cancelled by you; the server was told") {
		t.Errorf("exit code %d: %s", code, errw.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"method":"notifications/cancelled"`, `"ev":"exit"`, `"why":"quit"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the record lacks %s:\n%s", want, text)
		}
	}
}

// untilRecorded waits until a session file holds a text.
func untilRecorded(t *testing.T, file, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		got, _ := os.ReadFile(file) // it may not be there yet
		if strings.Contains(string(got), text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not recorded:\n%s", text, got)
		}
	}
}

// onTerminal runs wiretea with a terminal of its own and gives back all that it
// wrote there. typed are prompts and what is typed at each, in their order.
func onTerminal(t *testing.T, typed [][2]string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command("wiretea", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	guard := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer guard.Stop()
	var all strings.Builder
	seen := 0
	for buf := make([]byte, 4096); ; {
		n, err := tty.Read(buf)
		all.Write(buf[:n])
		for len(typed) > 0 {
			at := strings.Index(all.String()[seen:], typed[0][0])
			if at < 0 {
				break
			}
			seen += at + len(typed[0][0])
			if _, err := tty.Write([]byte(typed[0][1] + "\n")); err != nil {
				t.Error(err)
			}
			typed = typed[1:]
		}
		if err != nil {
			break // the program has ended
		}
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), strings.ReplaceAll(all.String(), "\r\n", "\n")
}

// stays is what is left of an output once the line that is shown while somebody waits
// long, which a busy machine makes them do, has been taken away.
func stays(out string) string {
	const erase = "\r\x1b[K"
	if at := strings.LastIndex(out, erase); at >= 0 {
		return out[at+len(erase):]
	}
	return out
}

// TestCallOnTerminal holds what people see: indented JSON, a table of a list, the
// progress, which is gone at the end, and nothing that a server could make the
// terminal do.
func TestCallOnTerminal(t *testing.T) {
	t.Parallel()
	t.Run("pretty", func(t *testing.T) {
		t.Parallel()
		code, out := onTerminal(t, nil, "call", "--no-record", "ping", "--era", "legacy", "--", "wiretea", "demo", "--server", "healthy")
		if code != term.ExitFine || stays(out) != "{}\n" {
			t.Errorf("exit code %d: %q", code, out)
		}
		code, out = onTerminal(t, nil, "call", "--no-record", "tool", "echo", "message=hi", "--era", "legacy", "--", "wiretea", "demo", "--server", "healthy")
		if code != term.ExitFine || stays(out) != "{\n  \"content\": [\n    {\n      \"type\": \"text\",\n      \"text\": \"Echo: hi\"\n    }\n  ]\n}\n" {
			t.Errorf("exit code %d: %q", code, out)
		}
	})
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		code, out := onTerminal(t, nil, "call", "--no-record", "tools", "--", "wiretea", "demo", "--server", "healthy")
		if code != term.ExitFine {
			t.Errorf("exit code %d", code)
		}
		compareGolden(t, "testdata/call/tools.golden", stays(out))
	})
	t.Run("progress", func(t *testing.T) {
		t.Parallel()
		code, out := onTerminal(t, nil, "call", "--no-record", "tool", "slow", "seconds=1", "steps=5", "--text", "--", "wiretea", "demo", "--server", "healthy")
		shown := strings.LastIndex(out, "\r\x1b[K")
		if code != term.ExitFine || !strings.Contains(out, "tools/call slow  ") || !strings.Contains(out, "█") || shown < 0 || strings.Contains(out[shown:], "█") {
			t.Errorf("exit code %d: %q", code, out)
		}
	})
	t.Run("escapes", func(t *testing.T) {
		t.Parallel()
		code, out := onTerminal(t, nil, "call", "--no-record", "tool", "echo", "message=\x1b]0;owned\x07", "--text", "--", "wiretea", "demo", "--server", "healthy")
		if code != term.ExitFine || stays(out) != "Echo: ␛]0;owned␇\n" {
			t.Errorf("exit code %d: %q", code, out)
		}
	})
}

// compareGolden compares with a file, which WIRETEA_UPDATE=1 writes anew.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	if os.Getenv("WIRETEA_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// shell runs a line as a user would, and returns what it printed.
func shell(t *testing.T, env []string, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}
