package cause_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/check/cause"
)

// A story is a session, one step a line:
//
//	5 c2s {"jsonrpc":"2.0",…}    a line of a stream, at that millisecond
//	5 proc start | exit 3 | exit SIGKILL | failed WHY
//	5 eof s2c                    the stream ended
//	5 tick                       time passes
//	conn 2                       what follows is another connection
//	cmd python3                  the first line: the command of the server; tee = the client is another one
func tell(t *testing.T, story string) (*session.Snapshot, cause.Lines) {
	t.Helper()
	a := session.NewAnalyzer(session.Config{Checkers: check.New()})
	header := &session.Header{Mode: "run", Limits: session.DefaultLimits()}
	if cmd, rest, ok := strings.Cut(strings.TrimPrefix(story, "cmd "), "\n"); ok && len(rest) < len(story)-len(cmd)-1 {
		if header.Cmd, story = strings.Fields(cmd), rest; cmd == "tee" {
			header.Mode = cmd
		}
	}
	a.Add(&session.Record{Kind: session.RecHeader, N: 1, Header: header})
	bodies, conn, n := map[int64]string{}, 1, uint64(1)
	for line := range strings.Lines(story) {
		words := append(strings.SplitN(strings.TrimSpace(line), " ", 3), "", "")
		switch {
		case words[0] == "":
			continue
		case words[0] == "conn":
			conn, _ = strconv.Atoi(words[1])
			continue
		}
		at, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		n++
		now := int64(at) * int64(time.Millisecond)
		rec := session.Record{N: n, Off: int64(n), Conn: conn, T: now, T1: now}
		switch words[1] {
		case "tick":
			a.Advance(now)
			continue
		case "proc":
			rec.Kind, rec.Proc = session.RecProc, proc(words[2])
		case "eof":
			stream, _ := session.ParseStream(words[2])
			rec.Kind, rec.Stream, rec.IO = session.RecIO, stream, session.IOEvent{Event: "eof", Side: "server"}
			if stream == session.C2S {
				rec.IO.Side = "client"
			}
		default:
			stream, ok := session.ParseStream(words[1])
			if !ok {
				t.Fatalf("%s: no step", line)
			}
			rec.Kind, rec.Stream, rec.Body, rec.Term = session.RecFrame, stream, []byte(words[2]), []byte("\n")
			bodies[rec.Off] = words[2]
		}
		a.Add(&rec)
	}
	return a.Snapshot(), func(row session.Row) []byte { return []byte(bodies[row.Off]) }
}

func proc(text string) session.Proc {
	event, rest, _ := strings.Cut(text, " ")
	p := session.Proc{Event: event, PID: 7, Err: rest}
	if event == "exit" {
		var err error
		if p.Code, err = strconv.Atoi(rest); err != nil {
			p.Code, p.Signal = -1, rest
		}
	}
	return p
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	hello       = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	discover    = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`
	list        = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	tools       = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`
	strange     = `{"jsonrpc":"2.0","id":2,"method":"custom/thing"}`
	goodbye     = "\n500 eof c2s\n510 eof s2c\n511 eof err\n512 proc exit 0\n"
	greeting    = "1 proc start\n10 c2s " + initialize + "\n30 s2c " + hello + "\n31 c2s " + initialized + "\n"
)

// dies is a server that ends before it has answered initialize: after 51 ms, with
// that code and those words.
func dies(code string, words ...string) string {
	return "1 proc start\n10 c2s " + initialize + "\n" + lastLines(60, code, words...)
}

func lastLines(at int, code string, words ...string) string {
	story := ""
	for _, w := range words {
		story += fmt.Sprintf("%d err %s\n", at, w)
	}
	return story + fmt.Sprintf("%d eof s2c\n%d eof err\n%d proc exit %s\n%d eof c2s\n", at+1, at+1, at+1, code, at+2)
}

// TestSentences holds what is said of servers that do not work, and that nothing
// is of one that does.
func TestSentences(t *testing.T) {
	for name, tt := range map[string]struct {
		story    string
		sentence string // sentence is the whole; empty = there is no diagnosis.
		mend     string // mend is in what to change.
		cause    string
	}{
		"healthy": {story: greeting + "40 c2s " + list + "\n50 s2c " + tools + goodbye},
		"healthy, with stderr that sounds bad": {
			story: greeting + "32 err error: cannot find module cache, ignoring it\n40 c2s " + list + "\n50 s2c " + tools + goodbye,
		},
		"nothing but infos": {story: greeting + "40 c2s " + list + "\n49 s2c  \n50 s2c " + tools + goodbye},
		"not a word yet":    {story: "1 proc start\n10 c2s " + initialize},
		"nothing":           {},
		"the issue's own": {
			story: "1 proc start\n9 s2c 2026-01-01 12:00:00 INFO starting\n10 c2s " + initialize + "\n" +
				lastLines(60, "3", "Traceback (most recent call last):", `  File "s.py", line 3, in <module>`, "KeyError: 'DATABASE_URL'"),
			sentence: "server printed a log line on stdout, then exited with code 3, 60 ms after its start: KeyError: 'DATABASE_URL'",
			mend:     "set DATABASE_URL, here with --env DATABASE_URL=…", cause: "missing-variable",
		},
		"what it wrote before the request it died in": {
			story:    greeting + "40 err Error: cannot find module cache\n50 c2s " + list + "\n" + lastLines(60, "SIGSEGV"),
			sentence: "server was killed by SIGSEGV, 11 ms after tools/list",
			mend:     "native code crashed", cause: "server-exited",
		},
		"a crash just before the next request": {
			story:    greeting + "49 err Traceback (most recent call last):\n49 err   File \"s.py\", line 9, in <module>\n49 err KeyError: 'DATABASE_URL'\n50 c2s " + list + "\n" + lastLines(51, "1"),
			sentence: "server exited with code 1, 2 ms after tools/list: KeyError: 'DATABASE_URL'",
			mend:     "set DATABASE_URL", cause: "missing-variable",
		},
		"a crash before the latest answer": {
			story:    "1 proc start\n10 c2s " + initialize + "\n11 err KeyError: 'DATABASE_URL'\n30 s2c " + hello + "\n31 c2s " + initialized + "\n50 c2s " + list + "\n" + lastLines(51, "1"),
			sentence: "server exited with code 1, 2 ms after tools/list",
			mend:     "run the command yourself", cause: "server-exited",
		},
		"an exception that is not answered": {
			story:    greeting + "40 c2s " + list + "\n41 err Traceback (most recent call last):\n42 err   File \"s.py\", line 3, in f\n43 err KeyError: 'a'\n90000 tick\n",
			sentence: "tools/list unanswered for 60 s; the server wrote: KeyError: 'a'",
			mend:     "catch exceptions in handlers", cause: "unanswered-request",
		},
		"a handler that waits for a login": {
			story:    greeting + "35 err INFO starting\n40 c2s " + list + "\n41 err Please log in at https://example.com/device\n90000 tick\n",
			sentence: "tools/list unanswered for 60 s; the server wrote: Please log in at https://example.com/device",
			mend:     "look what the handler waits for", cause: "unanswered-request",
		},
		"a handler that waits and says nothing": {
			story:    greeting + "35 err INFO starting\n40 c2s " + list + "\n90000 tick\n",
			sentence: "tools/list unanswered for 60 s",
			mend:     "look what the handler waits for", cause: "unanswered-request",
		},
		"python -m nope": {
			story: "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1", "/usr/bin/python3: No module named nope") +
				"conn 2\n100 proc start\n101 c2s " + initialize + "\n" + lastLines(150, "1", "/usr/bin/python3: No module named nope"),
			sentence: "server exited with code 1, 51 ms after its start: /usr/bin/python3: No module named nope",
			mend:     "install nope in that Python", cause: "missing-python-module",
		},
		"python -m nope, probed only": {
			story:    "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1", "/usr/bin/python3: No module named nope"),
			sentence: "server exited with code 1, 60 ms after its start: /usr/bin/python3: No module named nope",
			mend:     "install nope", cause: "missing-python-module",
		},
		"says nothing, twice": {
			story: "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1") +
				"conn 2\n100 proc start\n101 c2s " + initialize + "\n" + lastLines(150, "1"),
			sentence: "server exited with code 1, 51 ms after its start, and wrote nothing to stderr",
			mend:     "run the command yourself", cause: "server-exited",
		},
		"ends on the probe, goes on without": {
			story: "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1", "Error: expected initialize request") +
				"conn 2\n100 proc start\n110 c2s " + initialize + "\n130 s2c " + hello + "\n131 c2s " + initialized + goodbye,
			sentence: "server exited with code 1, 51 ms after server/discover: Error: expected initialize request",
			mend:     "answer unknown methods with -32601", cause: "server-exit-on-probe",
		},
		"a node module": {
			story: dies("1", "node:internal/modules/cjs/loader:1228", "  throw err;", "Error: Cannot find module '/app/dist/index.js'", "    at Function._resolve {",
				"  code: 'MODULE_NOT_FOUND'", "}", "Node.js v22.1.0"),
			sentence: "server exited with code 1, 60 ms after its start: Error: Cannot find module '/app/dist/index.js'",
			mend:     "build the server", cause: "missing-js-module",
		},
		"a port": {
			story:    dies("1", "Error: listen EADDRINUSE: address already in use :::3000", "Emitted 'error' event on Server instance at:", "  port: 3000"),
			sentence: "server exited with code 1, 60 ms after its start: Error: listen EADDRINUSE: address already in use :::3000",
			mend:     "stop the program that uses port 3000", cause: "port-in-use",
		},
		"inside npx": {
			story:    dies("127", "sh: 1: tsx: not found"),
			sentence: "server exited with code 127, 60 ms after its start: sh: 1: tsx: not found",
			mend:     "install tsx,", cause: "command-not-found",
		},
		"old node": {
			story:    dies("1", "/app/a.js:3", "  a ??= b", "    ^^^", "SyntaxError: Unexpected token '??='"),
			sentence: "server exited with code 1, 60 ms after its start: SyntaxError: Unexpected token '??=' (/app/a.js:3: a ??= b)",
			mend:     "start it with the version of the runtime", cause: "old-runtime",
		},
		"syntax": {
			story:    dies("1", `  File "s.py", line 3`, "    def f(:", "IndentationError: unexpected indent"),
			sentence: "server exited with code 1, 60 ms after its start: IndentationError: unexpected indent (s.py, line 3: def f(:)",
			mend:     "correct s.py, line 3", cause: "syntax",
		},
		"permission": {
			story:    dies("126", "sh: 1: ./server: Permission denied"),
			sentence: "server exited with code 126, 60 ms after its start: sh: 1: ./server: Permission denied",
			mend:     "access", cause: "permission",
		},
		"an unknown crash": {
			story:    greeting + "40 c2s " + list + "\n" + lastLines(60, "2", "panic: assignment to entry in nil map"),
			sentence: "server exited with code 2, 21 ms after tools/list: panic: assignment to entry in nil map",
			mend:     "read the last lines on stderr", cause: "server-exited",
		},
		"an unknown crash on stdout": {
			story:    greeting + "40 c2s " + list + "\n41 s2c TypeError: x is undefined\n41 s2c     at f (/s.js:1:2)\n" + lastLines(60, "1"),
			sentence: "server printed text on stdout, then exited with code 1, 21 ms after tools/list: TypeError: x is undefined",
			mend:     "look at /s.js:1, where it failed; catch exceptions", cause: "server-exited",
		},
		"a known crash on stdout": {
			story:    greeting + "40 c2s " + list + "\n41 s2c Traceback (most recent call last):\n41 s2c   File \"s.py\", line 1, in f\n41 s2c ModuleNotFoundError: No module named 'nope'\n" + lastLines(60, "1"),
			sentence: "server printed a stack trace on stdout, then exited with code 1, 21 ms after tools/list: ModuleNotFoundError: No module named 'nope'",
			mend:     "install nope in that Python", cause: "missing-python-module",
		},
		"an exception on stdout": {
			story: greeting + "40 c2s " + list + "\n41 s2c Traceback (most recent call last):\n41 s2c   File \"s.py\", line 1, in f\n41 s2c KeyError: 'x'\n41 s2c \n" +
				"41 s2c During handling of the above exception, another exception occurred:\n41 s2c \n41 s2c Traceback (most recent call last):\n41 s2c   File \"s.py\", line 3, in g\n" +
				"41 s2c ValueError: no x\n41 s2c Traceback (most recent call last):\n41 s2c   File \"s.py\", line 9, in h\n41 s2c OSError: a later one\n" +
				"42 s2c {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}\n",
			sentence: `server wrote a stack trace to stdout, which ends in "ValueError: no x"`,
			mend:     "print exceptions to stderr", cause: "stdout-not-json",
		},
		"an exception on stdout that a message interrupts": {
			story: greeting + "40 c2s " + list + "\n41 s2c Traceback (most recent call last):\n41 s2c   File \"s.py\", line 1, in f\n" +
				"42 s2c {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}\n43 s2c Traceback (most recent call last):\n43 s2c   File \"s.py\", line 9, in h\n43 s2c OSError: a later one\n",
			sentence: `server wrote text to stdout: "Traceback (most recent call last):" (5 times)`,
			mend:     "print exceptions to stderr", cause: "stdout-not-json",
		},
		"a line of a log within a string": {
			story: greeting + "40 c2s " + list + "\n41 s2c {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"INFO: request handled\n42 s2c echo\",\"inputSchema\":{\"type\":\"object\"}}]}}\n" +
				"500 eof c2s\n510 eof s2c\n511 eof err\n512 proc exit 0\n",
			sentence: `server wrote a line feed in the middle of a string: "…{"tools":[{"name":"INFO: request handled\necho","inputSchema":{"type":"objec…"`,
			mend:     "two writers share the stream", cause: "embedded-newline",
		},
		"killed": {
			story:    greeting + "40 c2s " + list + "\n" + lastLines(60, "SIGKILL"),
			sentence: "server was killed by SIGKILL, 21 ms after tools/list",
			mend:     "memory", cause: "server-exited",
		},
		"not started": {
			story:    "1 proc failed starting \"no-such\": command not found in PATH (check the spelling; PATH is /mnt/c/Program Files (x86)/a)",
			sentence: `the server could not be started: "no-such": command not found in PATH`,
			mend:     "check the spelling; PATH is /mnt/c/Program Files (x86)/a", cause: "not-started",
		},
		"silent": {
			story:    "1 proc start\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s, and the server has written nothing",
			mend:     "run the command yourself", cause: "unanswered-request",
		},
		"over http": {
			story:    "1 proc start\n5 err INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s; the server wrote: Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
			mend:     "stdio transport", cause: "http-transport",
		},
		"the address of a setting, and a service that is down": {
			story: "1 proc start\n5 err transport: stdio, code_sandbox_url: 'http://localhost:8888'\n6 err requests.exceptions.ConnectionError: ('localhost', 8888): Connection refused\n" +
				"10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s; the server wrote: requests.exceptions.ConnectionError: ('localhost', 8888): Connection refused",
			mend:     "start that service", cause: "service-unreachable",
		},
		"asks for a key": {
			story:    "1 proc start\n5 err Enter your API key: \n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s; the server wrote: Enter your API key:",
			mend:     "by an environment variable", cause: "asks",
		},
		"waits for a login": {
			story:    "1 proc start\n5 err Please open https://login.example.com/device?code=A in your browser\n6 err Waiting for it...\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s; the server wrote: Please open https://login.example.com/device?code=A in your browser",
			mend:     "log in at https://login.example.com/device?code=A", cause: "authorization",
		},
		"names its documentation": {
			story:    "1 proc start\n5 err For help, visit https://example.com/docs\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s, and the server has written only to stderr: For help, visit https://example.com/docs",
			mend:     "flush stdout", cause: "unanswered-request",
		},
		"connects": {
			story:    "1 proc start\n5 err connecting to 10.255.255.1:5432 ...\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s; the server wrote: connecting to 10.255.255.1:5432 ...",
			mend:     "check that 10.255.255.1:5432 can be reached", cause: "connecting",
		},
		"has connected": {
			story:    "1 proc start\n5 err connecting to db:5432\n6 err connected\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s, and the server has written only to stderr: connected",
			mend:     "flush stdout", cause: "unanswered-request",
		},
		"the client's message came first": {
			story: "cmd tee\n" + greeting + "40 c2s {\n41 c2s   \"jsonrpc\": \"2.0\", \"id\": 2,\n42 c2s   \"method\": \"tools/list\"\n43 c2s }\n" +
				"44 s2c {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null,\"result\":1}\n60000 tick\n130000 tick",
			sentence: "client spread one message over 4 lines",
			mend:     "serialize messages without indentation", cause: "embedded-newline",
		},
		"an interpreter without a script": {
			story:    "cmd python3\n1 proc start\n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s, and the server has written nothing",
			mend:     "name the server's script: python3 alone reads", cause: "unanswered-request",
		},
		"npx asks": {
			story:    "1 proc start\n5 err Need to install the following packages:\n6 err everything@1.0\n7 err Ok to proceed? (y) \n10 c2s " + initialize + "\n130000 tick",
			sentence: "initialize unanswered for 60 s; the server wrote: Ok to proceed? (y)",
			mend:     "npx -y", cause: "npx-asks",
		},
		"given up": {
			story:    "1 proc start\n10 c2s " + initialize + "\n58000 eof c2s\n58020 eof s2c\n58021 eof err\n58022 proc exit 0",
			sentence: "initialize was not answered in the 58 s until the connection was ended, and the server has written nothing",
			mend:     "run the command yourself", cause: "request-never-answered",
		},
		"left before its time": {
			story: "1 proc start\n10 c2s " + initialize + "\n9000 eof c2s\n9010 eof s2c\n9011 eof err\n9012 proc exit 0",
		},
		"an echo": {
			story:    "1 proc start\n10 c2s " + initialize + "\n11 s2c " + initialize + "\n130000 tick",
			sentence: "the server sends back its input", mend: "name the server's program", cause: "echo",
		},
		"text, then silence": {
			story:    "1 proc start\n5 s2c Welcome to my server\n10 c2s " + initialize + "\n130000 tick",
			sentence: `server wrote text to stdout: "Welcome to my server"`,
			mend:     "stderr", cause: "stdout-not-json",
		},
		"over http, told on stdout": {
			story:    "1 proc start\n5 s2c Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...\n10 c2s " + initialize + "\n130000 tick",
			sentence: `server wrote text to stdout: "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ..."`,
			mend:     "stdio transport", cause: "http-transport",
		},
		"escape sequences are shown": {
			story:    dies("1", "Error: \x1b]0;owned\x07"),
			sentence: `server exited with code 1, 60 ms after its start: Error: \x1b]0;owned\a`,
			mend:     "read what it wrote to stderr", cause: "server-exited",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, stderr := tell(t, tt.story)
			d := cause.Among(s, stderr, nil)
			if d.Sentence != tt.sentence || !strings.Contains(d.Mend, tt.mend) || d.Cause != tt.cause {
				t.Errorf("got %q, %q, %q\nwant %q, %q, %q", d.Sentence, d.Mend, d.Cause, tt.sentence, tt.mend, tt.cause)
				for _, f := range s.Findings() {
					t.Logf("%s conn %d: %s", f.Rule, f.Conn, f.Message)
				}
			}
			if d.Empty() != (tt.sentence == "") || d.Empty() != (d.String() == "") {
				t.Errorf("Empty is %v, String is %q", d.Empty(), d.String())
			}
			if one := strings.Count(d.String(), "\n"); one > 0 {
				t.Errorf("it has %d line feeds", one)
			}
			inGroups(t, s, &d)
		})
	}
}

// inGroups wants every finding in one group or refuted, once.
func inGroups(t *testing.T, s *session.Snapshot, d *cause.Diagnosis) {
	t.Helper()
	seen := map[int]int{}
	for _, i := range d.Refuted {
		seen[i]++
	}
	for n, g := range d.Groups {
		if n == 0 && d.Finding >= 0 && g.Root != d.Finding {
			t.Errorf("the first group is that of finding %d, the diagnosis that of %d", g.Root, d.Finding)
		}
		for _, i := range append([]int{g.Root}, g.Follows...) {
			seen[i]++
		}
	}
	for i, f := range s.Findings() {
		if seen[i] != 1 {
			t.Errorf("finding %d, %s, stands in %d places", i, f.Rule, seen[i])
		}
	}
}

// TestGroups holds which findings follow from which.
func TestGroups(t *testing.T) {
	for name, tt := range map[string]struct{ story, groups string }{
		"a server that ends takes what is open with it": {
			story:  greeting + "40 c2s " + list + "\n130000 tick\n" + lastLines(130100, "2", "panic: x"),
			groups: "server-exited < unanswered-request",
		},
		"the probe is not to blame": {
			story: "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1") +
				"conn 2\n100 proc start\n101 c2s " + initialize + "\n" + lastLines(150, "1"),
			groups: "server-exited < server-exited",
		},
		"the probe is to blame": {
			story: "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1") +
				"conn 2\n100 proc start\n101 c2s " + initialize + "\n130 s2c " + hello + "\n",
			groups: "server-exit-on-probe; refuted server-exited",
		},
		"it lived without the probe before": {
			story: greeting + "40 c2s " + list + "\n50 s2c " + tools + goodbye +
				"conn 2\n600 proc start\n601 c2s " + discover + "\n" + lastLines(650, "1"),
			groups: "server-exit-on-probe",
		},
		"an unknown method, without which it lives longer": {
			story: greeting + "40 c2s " + list + "\n50 s2c " + tools + goodbye +
				"conn 2\n600 proc start\n610 c2s " + initialize + "\n630 s2c " + hello + "\n631 c2s " + strange + "\n" + lastLines(632, "1"),
			groups: "server-exit-on-unknown-method",
		},
		"an unknown method, and a timer": {
			story: greeting + "40 c2s " + list + "\n50 s2c " + tools + "\n52 eof c2s\n53 eof s2c\n54 eof err\n55 proc exit 0\n" +
				"conn 2\n600 proc start\n610 c2s " + initialize + "\n630 s2c " + hello + "\n890 c2s " + strange + "\n" + lastLines(900, "1"),
			groups: "server-exited",
		},
		"an unknown method, and a third message": {
			story: greeting + "40 c2s " + list + "\n" + lastLines(41, "1") +
				"conn 2\n600 proc start\n610 c2s " + initialize + "\n612 s2c " + hello + "\n613 c2s " + initialized + "\n613 c2s " + strange + "\n" + lastLines(614, "1"),
			groups: "server-exited < server-exited",
		},
		"silent whatever it is asked": {
			story:  "1 proc start\n10 c2s " + initialize + "\n130000 tick\nconn 2\n130100 proc start\n130101 c2s " + discover + "\n300000 tick",
			groups: "unanswered-request < server-silent-on-probe",
		},
		"started again, and gone again": {
			story: "1 proc start\n10 c2s " + discover + "\n" + lastLines(60, "1", "/usr/bin/python3: No module named nope") +
				"conn 2\n100 proc start\n101 c2s " + initialize + "\n" + lastLines(150, "1", "/usr/bin/python3: No module named nope"),
			groups: "server-exited < server-exited",
		},
		"noise and silence are two things": {
			story:  greeting + "35 s2c hello\n36 s2c [INFO] ready\n40 c2s " + list + "\n130000 tick",
			groups: "stdout-not-json < stdout-not-json; unanswered-request",
		},
		"what a server refuses line by line was one message": {
			story: "cmd tee\n" + greeting + "40 c2s {\n41 c2s   \"jsonrpc\": \"2.0\", \"id\": 2,\n42 c2s   \"method\": \"tools/list\"\n43 c2s }\n" +
				strings.Repeat("44 s2c {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null}\n", 4),
			groups: "embedded-newline",
		},
		"headers make answers unheard": {
			story:  "1 proc start\n10 c2s " + initialize + "\n20 s2c Content-Length: 5000\n130000 tick",
			groups: "content-length-framing < unanswered-request",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, stderr := tell(t, tt.story)
			d := cause.Among(s, stderr, nil)
			rule := func(i int) string { return s.Findings()[i].Rule }
			var groups []string
			for _, g := range d.Groups {
				words := rule(g.Root)
				for _, i := range g.Follows {
					words += " < " + rule(i)
				}
				groups = append(groups, words)
			}
			for _, i := range d.Refuted {
				groups = append(groups, "refuted "+rule(i))
			}
			if got := strings.Join(groups, "; "); got != tt.groups {
				t.Errorf("got %s\nwant %s", got, tt.groups)
			}
			inGroups(t, s, &d)
		})
	}
}

// TestReads holds that few lines of stderr are read, whatever there is.
func TestReads(t *testing.T) {
	var story strings.Builder
	story.WriteString("1 proc start\n10 c2s " + initialize + "\n")
	for i := range 5000 {
		fmt.Fprintf(&story, "%d err y\n", 20+i)
	}
	story.WriteString(lastLines(6000, "1"))
	s, stderr := tell(t, story.String())
	reads := 0
	d := cause.Among(s, func(row session.Row) []byte {
		reads++
		return stderr(row)
	}, nil)
	if d.Cause != "server-exited" || reads == 0 || reads > 500 {
		t.Errorf("%d reads for %+v", reads, d)
	}
}

// TestManyFindings holds that the work is bounded by what there is.
func TestManyFindings(t *testing.T) {
	var story strings.Builder
	story.WriteString(greeting + "40 c2s " + list + "\n50 s2c " + tools + "\n")
	for i := range 3000 {
		fmt.Fprintf(&story, "%d s2c {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{},\"k%d\":1}\n", 60+i, i)
	}
	s, stderr := tell(t, story.String())
	if d := cause.Among(s, stderr, nil); d.Cause != "duplicate-response" {
		t.Errorf("got %+v", d)
	} else {
		inGroups(t, s, &d)
	}
}

// TestRules holds that the rules that this package names exist.
func TestRules(t *testing.T) {
	for _, file := range []string{"diagnosis.go", "follow.go", "root.go", "sentence.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range regexp.MustCompile(`(?:Rule|id) [!=]= "([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			if check.Lookup(named[1]) == nil {
				t.Errorf("%s: there is no rule %s", file, named[1])
			}
		}
	}
}
