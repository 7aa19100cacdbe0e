package replay

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const (
	legacyHello = `→ {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
	legacyReply = `← {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	initialized = `→ {"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func after(lines ...string) []string {
	return append([]string{legacyHello, legacyReply, initialized}, lines...)
}

func call(id, tool, rest string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"` + rest + `}}`
}

func TestMock(t *testing.T) {
	for _, c := range []struct {
		name     string
		cfg      Mock
		recorded []string
		played   []string
		code     int
		stderr   string
	}{
		{
			name:     "the same client",
			recorded: after("! ready", "→ "+call("1", "echo", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n": 1.0 }}`, "eof", "exit 7"),
			played:   after("→ "+call("1", "echo", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n": 1.0 }}`),
			code:     7, stderr: "ready\n",
		},
		{
			name:     "other ids, other order of members, other metadata, other client",
			recorded: after("→ "+call("1", "echo", `,"arguments":{"a":1,"b":[{"c":2,"d":"é"}]},"_meta":{"x":1}`), `← {"id" : 1,"jsonrpc":"2.0","result":{"é":"\u00e9"}}`),
			played: []string{
				`→ {"method":"initialize","id":"first","jsonrpc":"2.0","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"other","version":"9"}}}`,
				strings.Replace(legacyReply, `"id":0`, `"id":"first"`, 1),
				`→ {"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"arguments":{"b":[{"d":"\u00e9","c":2.0}],"a":1},"name":"echo"}}`,
				`← {"id" : "x","jsonrpc":"2.0","result":{"é":"\u00e9"}}`,
			},
		},
		{
			name: "answers in their order, then the policy",
			recorded: after("→ "+call("1", "n", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n":1}}`,
				"→ "+call("2", "n", ""), `← {"jsonrpc":"2.0","id":2,"result":{"n":2}}`),
			played: after("→ "+call("11", "n", ""), `← {"jsonrpc":"2.0","id":11,"result":{"n":1}}`,
				"→ "+call("12", "n", ""), `← {"jsonrpc":"2.0","id":12,"result":{"n":2}}`,
				"→ "+call("13", "n", ""), `← {"jsonrpc":"2.0","id":13,"error":{"code":-32603,"message":"wiretea mock: the recorded answers to this are used up, the last one was to frame 6; --on-unmatched nearest repeats it"}}`,
				"→ "+call("14", "m", ""), `← {"jsonrpc":"2.0","id":14,"error":{"code":-32603,"message":"wiretea mock: the recording has no tools/call m"}}`,
				"→ "+call("15", "n", `,"arguments":{"a":1}`), `← {"jsonrpc":"2.0","id":15,"error":{"code":-32603,"message":"wiretea mock: not recorded with these parameters; the nearest is frame 4, which --on-unmatched nearest answers with"}}`,
				`→ {"jsonrpc":"2.0","id":16,"method":"prompts/list"}`, `← {"jsonrpc":"2.0","id":16,"error":{"code":-32601,"message":"wiretea mock: the recording has no prompts/list"}}`,
				`→ {"jsonrpc":"2.0","id":17,"method":"ping"}`, `← {"jsonrpc":"2.0","id":17,"result":{}}`),
		},
		{
			name: "the nearest one, again and again",
			cfg:  Mock{Unmatched: Nearest},
			recorded: after("→ "+call("1", "n", `,"arguments":{"a":1,"b":1}`), `← {"jsonrpc":"2.0","id":1,"result":{"n":1}}`,
				"→ "+call("2", "n", `,"arguments":{"a":2,"b":2}`), `← {"jsonrpc":"2.0","id":2,"result":{"n":2}}`),
			played: after("→ "+call("7", "n", `,"arguments":{"a":9,"b":2}`), `← {"jsonrpc":"2.0","id":7,"result":{"n":2}}`,
				"→ "+call("8", "n", `,"arguments":{"a":2,"b":2}`), `← {"jsonrpc":"2.0","id":8,"result":{"n":2}}`,
				"→ "+call("9", "n", `,"arguments":{"a":2,"b":2}`), `← {"jsonrpc":"2.0","id":9,"result":{"n":2}}`,
				"→ "+call("10", "n", `,"arguments":{"a":1,"b":1}`), `← {"jsonrpc":"2.0","id":10,"result":{"n":1}}`,
				"→ "+call("11", "other", ``), `← {"jsonrpc":"2.0","id":11,"error":{"code":-32603,"message":"wiretea mock: the recording has no tools/call other"}}`),
		},
		{
			name:     "an empty result",
			cfg:      Mock{Unmatched: Empty},
			recorded: after(),
			played:   after(`→ {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `← {"jsonrpc":"2.0","id":1,"result":{}}`),
		},
		{
			name: "progress has the client's own token, and is left out where there is none",
			recorded: after("→ "+call("1", "work", `,"_meta":{"progressToken":1}`),
				`← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, `← {"jsonrpc":"2.0","id":1,"result":{}}`,
				"→ "+call("2", "work", `,"_meta":{"progressToken":2}`),
				`← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`, `← {"jsonrpc":"2.0","id":2,"result":{}}`),
			played: after("→ "+call("1", "work", `,"_meta":{"progressToken":"mine"}`),
				`← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1}}`, `← {"jsonrpc":"2.0","id":1,"result":{}}`,
				"→ "+call("2", "work", ``), `← {"jsonrpc":"2.0","id":2,"result":{}}`),
		},
		{
			name: "a question is asked where it was, and its answer awaited",
			recorded: after("→ "+call("1", "ask", ""), `← {"jsonrpc":"2.0","id":"s1","method":"roots/list"}`, `← {"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
				`→ {"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}`, `← {"jsonrpc":"2.0","id":1,"result":{"n":0}}`),
			played: after("→ "+call("5", "ask", ""), `← {"jsonrpc":"2.0","id":"s1","method":"roots/list"}`, `← {"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
				`→ {"jsonrpc":"2.0","id":6,"method":"ping"}`, `← {"jsonrpc":"2.0","id":6,"result":{}}`,
				`→ {"jsonrpc":"2.0","id":"s1","result":{"roots":[{"uri":"file:///"}]}}`, `← {"jsonrpc":"2.0","id":5,"result":{"n":0}}`),
		},
		{
			name: "a question that is asked again has an id of its own",
			cfg:  Mock{Unmatched: Nearest},
			recorded: after("→ "+call("1", "ask", ""), `← {"jsonrpc":"2.0","id":"s1","method":"roots/list"}`,
				`→ {"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}`, `← {"jsonrpc":"2.0","id":1,"result":{"n":0}}`),
			played: after("→ "+call("5", "ask", ""), `← {"jsonrpc":"2.0","id":"s1","method":"roots/list"}`,
				`→ {"jsonrpc":"2.0","id":"s1","result":{}}`, `← {"jsonrpc":"2.0","id":5,"result":{"n":0}}`,
				"→ "+call("6", "ask", ""), `← {"jsonrpc":"2.0","id":"wiretea-mock-1","method":"roots/list"}`,
				`→ {"jsonrpc":"2.0","id":"wiretea-mock-1","result":{}}`, `← {"jsonrpc":"2.0","id":6,"result":{"n":0}}`),
		},
		{
			name: "what the server does wrong",
			recorded: after("→ "+call("3", "a", ""), "← log line", `← {"jsonrpc":"2.0","id":"3","result":{}}\r`, `← {"jsonrpc":"2.0","id":3,"result":{}}`,
				`← {"jsonrpc":"2.0","id":99,"result":{}}`, "→ "+call("4", "silent", ""), "eof", "← bye", "exit 1"),
			played: after("→ "+call("8", "a", ""), "← log line", "← {\"jsonrpc\":\"2.0\",\"id\":\"8\",\"result\":{}}\r", `← {"jsonrpc":"2.0","id":8,"result":{}}`,
				`← {"jsonrpc":"2.0","id":99,"result":{}}`, "→ "+call("9", "silent", ""), "eof", "← bye", "end"),
			code: 1,
		},
		{
			name: "the same, healthy",
			cfg:  Mock{Healthy: true},
			recorded: after("! oops", "→ "+call("3", "a", ""), "← log line", `← {"jsonrpc":"2.0","id":"3","result":{}}\r`, `← {"jsonrpc":"2.0","id":3,"result":{}}`,
				`← {"jsonrpc":"2.0","id":99,"result":{}}`, "→ "+call("4", "silent", ""), "eof", "← bye", "exit 1"),
			played: after("→ "+call("8", "a", ""), `← {"jsonrpc":"2.0","id":"8","result":{}}`,
				"→ "+call("9", "silent", ""), `← {"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"wiretea mock: the recorded server never answered this (frame 10)"}}`),
		},
		{
			name:     "over several lines, framed by header",
			recorded: after("→ "+call("3", "a", ""), `← {`, `←   "id": 3, "jsonrpc": "2.0",`, `← "result": {} }`, "→ "+call("4", "a", ""), "← Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\\0", "← "),
			played:   after("→ "+call("30", "a", ""), `← {`, `←   "id": 30, "jsonrpc": "2.0",`, `← "result": {} }`),
		},
		{
			name:     "it dies in a call",
			recorded: after("→ "+call("1", "die", ""), "! panic", "closed", "exit 3"),
			played:   after("→ "+call("1", "die", ""), "end"),
			code:     3, stderr: "panic\n",
		},
		{
			name:     "a client that did not wait for the end says nothing of the server",
			recorded: after("eof", "signal", "exit -1 SIGTERM"),
			played:   after("eof", "end"),
		},
		{
			name:     "its last words are read after its exit",
			recorded: after("→ "+call("1", "die", ""), "exit 3", "! panic", `← {"jsonrpc":"2.0","method":"notifications/message"}`, "closed", "eof"),
			played:   after("→ "+call("1", "die", ""), `← {"jsonrpc":"2.0","method":"notifications/message"}`, "end"),
			code:     3, stderr: "panic\n",
		},
		{
			name:     "a request given up, then answered",
			recorded: after("→ "+call("1", "slow", ""), `→ {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `← {"jsonrpc":"2.0","id":1,"result":{}}`),
			played: after("→ "+call("7", "slow", ""), `→ {"jsonrpc":"2.0","id":8,"method":"ping"}`, `← {"jsonrpc":"2.0","id":8,"result":{}}`,
				`→ {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"mine"}}`, `← {"jsonrpc":"2.0","id":7,"result":{}}`),
		},
		{
			name: "a batch is answered once all of it was asked",
			recorded: after(`→ [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"prompts/list"}]`,
				`← [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`),
			played: after(`→ [{"jsonrpc":"2.0","id":"a","method":"tools/list"},{"jsonrpc":"2.0","id":"b","method":"prompts/list"}]`,
				`← [{"jsonrpc":"2.0","id":"b","result":{}},{"jsonrpc":"2.0","id":"a","result":{}}]`),
		},
		{
			name: "a subscription names the client's own id",
			recorded: []string{`→ {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
				`← {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`,
				`← {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`,
				"eof", `← {"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":{"b":2},"io.modelcontextprotocol/subscriptionId":1}}}`, "exit 0"},
			played: []string{`→ {"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
				`← {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}`,
				`← {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}`,
				"eof", `← {"jsonrpc":"2.0","id":"L","result":{"_meta":{"a":{"b":2},"io.modelcontextprotocol/subscriptionId":"L"}}}`, "end"},
		},
		{
			name:     "a modern client of a legacy recording",
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{}}`),
			played: []string{
				`→ {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
				`← {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"wiretea mock: the recording is of a session that began with initialize: it has no server/discover"}}`,
				"→ " + call("2", "a", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`),
				`← {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"wiretea mock: the recording has tools/call of the legacy era only (2025-06-18): a request of the modern era cannot be served from it","data":{"supported":["2025-06-18"]}}}`,
			},
		},
		{
			name: "a legacy client of a modern recording",
			recorded: []string{"→ " + call("1", "a", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`),
				`← {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}`},
			played: []string{legacyHello,
				`← {"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"wiretea mock: the recording is of a modern session (2026-07-28), which has no initialize request: it cannot serve a client of the legacy era","data":{"supported":["2026-07-28"]}}}`,
				"→ " + call("2", "a", ""),
				`← {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"wiretea mock: the recording has tools/call of the modern era only (2026-07-28): a request without its _meta cannot be served from it"}}`},
		},
		{
			name: "what was injected did not concern the client",
			recorded: after(`→out {"jsonrpc":"2.0","id":"wiretea-1","method":"tools/list"}`, `←in {"jsonrpc":"2.0","id":"wiretea-1","result":{}}`,
				"→ "+call("1", "a", ""), `←in {"jsonrpc":"2.0","id":1,"result":{"as":"sent"}}`, `←out {"jsonrpc":"2.0","id":1,"result":{"as":"altered"}}`),
			played: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"as":"altered"}}`,
				`→ {"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `← {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"wiretea mock: the recording has no tools/list"}}`),
		},
		{
			name:     "a line that is not a message, answered",
			recorded: after("→ nonsense", `← {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`),
			played:   after("→ nonsense", `← {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, "→ other nonsense"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tk := mocked(t, c.cfg, draw(t, ClientEnd, c.recorded...))
			tk.play(c.played...)
			if tk.exit.Code != c.code || tk.errw.String() != c.stderr {
				t.Errorf("it ended with %d and stderr %q, want %d, %q", tk.exit.Code, &tk.errw, c.code, c.stderr)
			}
		})
	}
}

// TestMockChooses holds that each start is served by the connection that began as
// its client does: one that exits on the probe has a successor.
func TestMockChooses(t *testing.T) {
	discover := `→ {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	lines := append([]string{"! one", discover, "exit 9", "conn 2", "! two"}, after()...)
	scripts := draw(t, ClientEnd, lines...)
	if len(scripts) != 2 {
		t.Fatalf("%d connections, want 2", len(scripts))
	}
	tk := mocked(t, Mock{}, scripts)
	tk.play(discover, "end")
	if tk.exit.Code != 9 || tk.errw.String() != "one\n" {
		t.Errorf("the probed one ended with %d and said %q", tk.exit.Code, &tk.errw)
	}
	tk = mocked(t, Mock{}, scripts)
	tk.play(after()...)
	if tk.exit.Code != 0 || tk.errw.String() != "two\n" {
		t.Errorf("the other one ended with %d and said %q", tk.exit.Code, &tk.errw)
	}
	if !slices.Equal(tk.notes, []string{"serving connection 2 of the recording"}) {
		t.Errorf("noted: %q", tk.notes)
	}
}

// TestMockPace holds that answers take as long as they took, and the end no longer.
func TestMockPace(t *testing.T) {
	lines := after("→ "+call("1", "slow", ""), "+5s", `← {"jsonrpc":"2.0","method":"notifications/message","params":{}}`, "+5s", `← {"jsonrpc":"2.0","id":1,"result":{}}`,
		"→ "+call("2", "slow", ""), "+1h", `← {"jsonrpc":"2.0","id":2,"result":{}}`)
	scripts := draw(t, ClientEnd, lines...)
	synctest.Test(t, func(t *testing.T) {
		tk := mocked(t, Mock{Pace: Recorded}, scripts)
		tk.play(after()[:2]...)
	})
	synctest.Test(t, func(t *testing.T) {
		tk := mocked(t, Mock{Pace: Recorded}, scripts)
		tk.say(strings.TrimPrefix(legacyHello, "→ "))
		tk.hear(strings.TrimPrefix(legacyReply, "← "))
		begin := time.Now()
		tk.say(call("1", "slow", ""))
		tk.hear(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		if d := time.Since(begin).Round(time.Second); d != 5*time.Second {
			t.Errorf("the notification came after %v", d)
		}
		tk.hear(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if d := time.Since(begin).Round(time.Second); d != 10*time.Second {
			t.Errorf("the answer came after %v", d)
		}
		begin = time.Now()
		tk.say(call("2", "slow", ""))
		tk.end(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		if d := time.Since(begin); d > time.Second {
			t.Errorf("the end was held up for %v", d)
		}
	})
}

// TestMockStubborn holds that a server which had to be ended by a signal is played
// as one, and is not left for ever.
func TestMockStubborn(t *testing.T) {
	scripts := draw(t, ClientEnd, after("eof", "+2s", "signal", "exit -1 SIGTERM")...)
	t.Run("signalled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tk := mocked(t, Mock{}, scripts)
			tk.in.Close()
			synctest.Wait()
			select {
			case <-tk.done:
				t.Fatal("it ended with its input")
			default:
			}
			tk.stop()
			tk.rest()
			if tk.exit.Signal != "SIGTERM" {
				t.Errorf("it ended with %+v", tk.exit)
			}
		})
	})
	t.Run("left alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tk := mocked(t, Mock{}, scripts)
			begin := time.Now()
			tk.stop = func() {}
			tk.end()
			if d := time.Since(begin); d != lingerAfterInput {
				t.Errorf("it stayed for %v", d)
			}
		})
	})
}
