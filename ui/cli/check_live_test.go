//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

// TestCheckFirstLine holds that the first line says what is wrong and what to
// change, for the reasons why a server most often does not connect.
func TestCheckFirstLine(t *testing.T) {
	t.Parallel()
	sh := func(script string) []string { return []string{"sh", "-c", script} }
	dies := func(words string, code string) []string { return sh("echo '" + words + "' >&2; exit " + code) }
	for name, tt := range map[string]struct {
		flags  []string
		server []string
		code   int
		first  string // first is how the line begins,
		mend   string // and mend how it goes on behind the arrow.
	}{
		"no such command": {
			server: []string{"no-such-server"}, code: term.ExitServer,
			first: `✖ the server could not be started: "no-such-server": command not found in PATH`, mend: "check the spelling",
		},
		"not executable": {
			server: []string{"testdata/faults/healthy.sh"}, code: term.ExitServer,
			first: `✖ the server could not be started: "testdata/faults/healthy.sh": `, mend: "make it executable with chmod +x",
		},
		"python module": {
			server: dies("/usr/bin/python3: No module named nope", "1"), code: term.ExitServer,
			first: "✖ server exited with code 1, ", mend: "install nope in that Python",
		},
		"node module": {
			server: dies("Error: Cannot find module express", "1"), code: term.ExitServer,
			first: "✖ server exited with code 1, ", mend: "install the server",
		},
		"command inside": {
			server: sh("no-such-command --stdio"), code: term.ExitServer,
			first: "✖ server exited with code 127, ", mend: "install no-such-command, or correct its name",
		},
		"variable": {
			server: dies("KeyError: DATABASE_URL", "3"), code: term.ExitServer,
			first: "✖ server exited with code 3, ", mend: "set DATABASE_URL, here with --env DATABASE_URL=…",
		},
		"port": {
			server: dies("Error: listen EADDRINUSE: address already in use :::3000", "1"), code: term.ExitServer,
			first: "✖ server exited with code 1, ", mend: "stop the program that uses port 3000",
		},
		"syntax": {
			server: dies("SyntaxError: invalid syntax", "1"), code: term.ExitServer,
			first: "✖ server exited with code 1, ", mend: "start it with a newer runtime, or correct the line",
		},
		"old runtime": {
			server: dies("npm error Unsupported engine", "1"), code: term.ExitServer,
			first: "✖ server exited with code 1, ", mend: "start it with the version of the runtime",
		},
		"permission": {
			server: dies("Error: EACCES: permission denied, open /data", "1"), code: term.ExitServer,
			first: "✖ server exited with code 1, ", mend: "give the user that starts it access to /data",
		},
		"without a word": {
			server: sh("exit 0"), code: term.ExitServer,
			first: "✖ server exited with code 0, ", mend: "run the command yourself",
		},
		"an echo": {
			server: []string{"cat"}, code: term.ExitServer,
			first: "✖ the server sends back its input", mend: "name the server's program",
		},
		"over http": {
			flags: []string{"--timeout", "2s", "--probe-timeout", "300ms", "--shutdown-grace", "300ms"}, server: sh("echo 'Uvicorn running on http://127.0.0.1:8000' >&2; exec sleep 60"), code: term.ExitTimeout,
			first: "⚠ initialize unanswered for ", mend: "start it with its stdio transport",
		},
		"a short time": {
			flags: []string{"--era", "modern", "--max-time", "1s", "--shutdown-grace", "100ms"}, server: sh("exec sleep 60"), code: term.ExitTimeout,
			first: "✖ server/discover was not answered within 333 ms, ", mend: "run the command yourself",
		},
		"flushes nothing": {
			flags: []string{"--timeout", "1s", "--shutdown-grace", "1m"}, server: sh("read -r a; read -r b; cat >/dev/null; " + `printf '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}\n'`), code: term.ExitTimeout,
			first: "⚠ initialize #3 waited 1 s and was answered ", mend: "flush after every message",
		},
		"prints at its start": {
			server: sh("echo Starting; exec wiretea demo --server healthy"), code: term.ExitFound,
			first: `✖ server wrote text to stdout: "Starting"`, mend: "print start-up messages to stderr",
		},
		"a demo without --server": {
			flags: []string{"--call", `echo {"message":"hi"}`}, server: []string{"wiretea", "demo", "pretty"}, code: term.ExitFound,
			first: "✖ server spread one message over ", mend: "serialize messages without indentation",
		},
		"a list that cannot reach a service": {
			server: sh(failingList(`{"code":-32603,"message":"connect ECONNREFUSED 127.0.0.1:5432"}`)), code: term.ExitFound,
			first: "✖ tools/list: error -32603: connect ECONNREFUSED 127.0.0.1:5432", mend: "start that service",
		},
		"a list without credentials": {
			server: sh(failingList(`{"code":-32603,"message":"Unauthorized: token expired"}`)), code: term.ExitFound,
			first: "✖ tools/list: error -32603: Unauthorized: token expired", mend: "credentials may be missing or wrong",
		},
		"a list behind the handshake": {
			server: sh(failingList(`{"code":-32002,"message":"Server not initialized"}`)), code: term.ExitFound,
			first: "✖ tools/list: error -32002: Server not initialized", mend: "accept requests once notifications/initialized has come",
		},
		"a code of no meaning": {
			server: sh(failingList(`{"code":0,"message":"Missing configuration"}`)), code: term.ExitFound,
			first: "✖ tools/list: error 0: Missing configuration", mend: "try it by hand",
		},
		"an error that is a string": {
			server: sh(failingList(`"boom"`)), code: term.ExitFound,
			first: `✖ the error of the response to tools/list (id 3) is the string "boom"`, mend: "send",
		},
		"a cursor of its own": {
			server: sh(failingList(`{"code":-32602,"message":"Invalid cursor"}`, `{"tools":[],"nextCursor":"a"}`)), code: term.ExitFound,
			first: "✖ tools/list: error -32602: Invalid cursor", mend: "accept a cursor that the server returned itself",
		},
		"log, then a crash": {
			server: sh("echo '[INFO] starting'; echo 'KeyError: DATABASE_URL' >&2; exit 3"), code: term.ExitServer,
			first: "✖ server printed a log line on stdout, then exited with code 3, ", mend: "set DATABASE_URL",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := inProcess(t.Context(), slices.Concat([]string{"check", "--no-record"}, tt.flags, []string{"--"}, tt.server)...)
			first, _, _ := strings.Cut(got.out, "\n")
			what, mend, _ := strings.Cut(first, " → ")
			if !strings.HasPrefix(what, tt.first) || !strings.HasPrefix(mend, tt.mend) || got.code != tt.code {
				t.Errorf("the first line is %q, want %q → %q, exit code %d\n%v", first, tt.first, tt.mend, tt.code, got)
			}
		})
	}
}

// failingList is the script of a server that answers tools/list by pages, and then by an error.
func failingList(failure string, pages ...string) string {
	script := `read -r l; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'; read -r l
echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'; read -r l; read -r l
`
	for i, page := range pages {
		script += fmt.Sprintf("echo '{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}'; read -r l\n", 3+i, page)
	}
	return script + fmt.Sprintf("echo '{\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":%s}'; read -r l; exit 0", 3+len(pages), failure)
}

// TestCheckEras holds what --era both makes of servers that speak both eras, one,
// or none.
func TestCheckEras(t *testing.T) {
	for name, tt := range map[string]struct {
		server   []string
		code     int
		era      string
		versions string
		says     string
	}{
		"both":   {[]string{"wiretea", "demo", "--server", "healthy"}, term.ExitFine, "both", "2025-11-25, 2026-07-28", ""},
		"legacy": {[]string{"wiretea", "demo", "--server", "legacy"}, term.ExitFine, "legacy", "2025-11-25", "the server does not speak the modern era\n"},
		"none":   {[]string{"sh", "-c", "read -r line; exit 1"}, term.ExitServer, "legacy", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "both.mcpcap.jsonl")
			got := inProcess(t.Context(), slices.Concat([]string{"check", "--record", file, "--json", "--era", "both", "--"}, tt.server)...)
			got.err = strings.TrimSuffix(got.err, "recorded: "+file+"\n")
			var r report.Report
			if err := json.Unmarshal([]byte(got.out), &r); err != nil {
				t.Fatalf("%v\n%v", err, got)
			}
			if record, err := os.ReadFile(file); err != nil || !strings.Contains(string(record), `"why":"to try the other era"`) {
				t.Errorf("%v: the record does not say why the server was started twice", err)
			}
			if got.code != tt.code || r.Era != tt.era || r.ProtocolVersion != tt.versions || tt.code == term.ExitFine && got.err != tt.says {
				t.Errorf("era %q, version %q\n%v", r.Era, r.ProtocolVersion, got)
			}
		})
	}
}

// TestCheckEnds holds that check ends whatever the server does, and says so in a
// finding.
func TestCheckEnds(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"hangs":              "exec sleep 300",
		"deaf to everything": "trap '' TERM; while :; do sleep 1; done",
		"floods":             "exec yes \"$(printf %01000d 0)\"",
		"floods one line":    "exec tr '\\0' x </dev/zero",
		"floods stderr":      "exec yes \"$(printf %01000d 0)\" >&2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := wiretea(t, "", "check", "--no-record", "--json", "--max-time", "300ms", "--shutdown-grace", "100ms", "--", "sh", "-c", script)
			var r report.Report
			if err := json.Unmarshal([]byte(o.out), &r); err != nil {
				t.Fatalf("%v\n%v", err, o)
			}
			// A flood may keep the handshake from being written at all.
			if o.code != term.ExitTimeout && o.code != term.ExitServer || r.Diagnosis == "" || len(r.Findings) == 0 {
				t.Errorf("%v", o)
			}
		})
	}
}

// TestCheckProbesHealthy holds that probing accuses nobody of what is right.
func TestCheckProbesHealthy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, server := range map[string][]string{
		"demo":   {"wiretea", "demo", "--server", "healthy"},
		"legacy": {"wiretea", "demo", "--server", "legacy"},
		"go sdk": {"sdkserver", dir},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := inProcess(t.Context(), slices.Concat([]string{"check", "--no-record", "--json", "--max-time", "3m", "--era", "both", "--probe", "--"}, server)...)
			var r report.Report
			if err := json.Unmarshal([]byte(got.out), &r); err != nil {
				t.Fatalf("%v\n%v", err, got)
			}
			if got.code != term.ExitFine || r.Diagnosis != "" || r.Process.State != "exited" {
				t.Errorf("%v", got)
			}
			// Only probes cause errors, and cancel requests.
			if x := r.Exchanges; x.Total == 0 || x.Pending+x.Errors > 0 {
				t.Errorf("requests: %+v", x)
			}
		})
	}
}

// TestCheckLockLive holds the tools of a live server to a file.
func TestCheckLockLive(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "tools.json")
	check := func(server string) outcome {
		return inProcess(t.Context(), "check", "--no-record", "--json", "--tools-lock", lock, "--era", "legacy", "--", "sh", server)
	}
	if got := check("testdata/faults/healthy.sh"); got.code != term.ExitFine || got.err != "tools approved: "+lock+"\n" {
		t.Fatalf("the first time: %v", got)
	}
	if got := check("testdata/faults/healthy.sh"); got.code != term.ExitFine {
		t.Errorf("the second time: %v", got)
	}
	got := check("testdata/faults/empty-input-schema.sh")
	if rules := rulesIn(t, got); !slices.Contains(rules, "tools-drift error") || got.code != term.ExitFound {
		t.Errorf("drift: %v", got)
	}
}

// TestCheckOnTerminal holds that lines are broken at spaces to fit the screen, and
// that NO_COLOR is kept.
func TestCheckOnTerminal(t *testing.T) {
	t.Parallel()
	code, out := onTerminal(t, nil, "check", "--no-record", "--", "sh", "-c", "echo KeyError: DATABASE_URL >&2; exit 3")
	if code != term.ExitServer || strings.Contains(out, "\x1b") || !strings.HasPrefix(out, "✖ server exited with code 3, ") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 80 && !strings.Contains(line, "https://") {
			t.Errorf("%q is wider than the screen", line)
		}
	}
}
