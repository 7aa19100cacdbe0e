package drill

import (
	"testing"
	"time"

	"wiretea/session"
	"wiretea/session/decide/fault"
)

// TestJudge checks the verdicts over what recordings can have.
func TestJudge(t *testing.T) {
	base := side{files: 1, sent: map[string]int{"initialize ": 1, "tools/call echo {}": 1}, reached: map[string]int{"tools/call echo {}": 1}}
	with := func(f func(s *side)) side {
		s := side{files: 1, applied: true, toward: session.C2S, sent: map[string]int{"initialize ": 1, "tools/call echo {}": 1}, reached: map[string]int{"tools/call echo {}": 1}}
		f(&s)
		return s
	}
	twice := func(reached int) func(s *side) {
		return func(s *side) { s.sent["tools/call echo {}"], s.reached["tools/call echo {}"] = 2, reached }
	}
	waits := func(toward session.Stream) func(s *side) {
		return func(s *side) { s.toward, s.waiting, s.waited = toward, "ping (id 5)", 5*time.Second }
	}
	died := func(s *side) { s.died = "exited with code 3" }
	for _, step := range []struct {
		name, fault         string
		got                 side
		server              Verdict
		retries, duplicates int
		restarts            int
	}{
		{"as without", ": drop", with(func(*side) {}), Healthy, 0, 0, 0},
		{"retried, the first was dropped", ": drop", with(twice(1)), Healthy, 1, 0, 0},
		{"retried, both had an effect", ": drop", with(twice(2)), Healthy, 1, 1, 0},
		{"our duplicate is not a retry", ": duplicate", with(func(s *side) { s.reached["tools/call echo {}"] = 2 }), Healthy, 0, 0, 0},
		{"started again", ": kill", with(func(s *side) { s.files, s.sent["initialize "] = 2, 2 }), Ended, 0, 0, 1},
		{"crashed", ": truncate", with(died), Crashed, 0, 0, 0},
		{"ended by a reset", ": reset", with(died), Ended, 0, 0, 0},
		{"ended by what cut the connection", ": status", with(func(s *side) { died(s); s.cut = true }), Ended, 0, 0, 0},
		{"does not answer what was only late", ": delay(1s)", with(waits(session.C2S)), Hung, 0, 0, 0},
		{"does not answer after its response was broken", ": truncate", with(waits(session.S2C)), Hung, 0, 0, 0},
		{"cannot answer after its input was broken", ": truncate", with(waits(session.C2S)), Healthy, 0, 0, 0},
		{"gets nothing", ": hang", with(waits(session.S2C)), Healthy, 0, 0, 0},
		{"takes a little long", ": delay(1s)", with(func(s *side) { waits(session.C2S)(s); s.waited = time.Second }), Healthy, 0, 0, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			f, err := fault.Parse(step.fault)
			if err != nil {
				t.Fatal(err)
			}
			o := outcome{Result: Result{Verdict: Recovered}, quiet: 2 * time.Second}
			got := o.judge(f, step.got, base)
			if got.Server.Verdict != step.server || got.Retries != step.retries || got.Duplicates != step.duplicates || got.Restarts != step.restarts {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestSeries checks that the series has the faults of its transport, each with a seed.
func TestSeries(t *testing.T) {
	for _, over := range []fault.Where{fault.Stdio, fault.HTTP} {
		all, err := Series(over, 7)
		if err != nil || len(all) < 15 || all.Over(over) != nil {
			t.Fatalf("over %v: %d faults, %v", over, len(all), err)
		}
		again, _ := Series(over, 7)
		if all.String() != again.String() {
			t.Errorf("not the same twice:\n%s\n%s", all, again)
		}
	}
}

// TestPick checks which tool is called where none is named.
func TestPick(t *testing.T) {
	for _, step := range []struct{ tools, want string }{
		{``, ``},
		{`{"name":"a","inputSchema":{"required":["x"]}}`, ``},
		{`{"name":"a","execution":{"taskSupport":"required"}} {"name":"b"}`, `{"name":"b","arguments":{}}`},
		{`{"name":"a"} {"name":"b","annotations":{"readOnlyHint":true}}`, `{"name":"b","arguments":{}}`},
		{`17 {"inputSchema":{}} {"name":"c\"","inputSchema":{"required":[]}}`, `{"name":"c\"","arguments":{}}`},
	} {
		if got := string(pick(texts(t, step.tools))); got != step.want {
			t.Errorf("of %s: %s, want %s", step.tools, got, step.want)
		}
	}
}

// TestReason checks which line of a program's stderr says why it failed.
func TestReason(t *testing.T) {
	for _, step := range []struct {
		said []string
		want string
	}{
		{[]string{"connecting", "no tea today"}, "no tea today"},
		{[]string{"file:///client.js:7", "McpError: MCP error -32001: Request timed out", "  code: -32001,", "}", "Node.js v20.20.2"}, "McpError: MCP error -32001: Request timed out"},
		{[]string{"Traceback (most recent call last):", `  File "client.py", line 7`, "mcp.shared.exceptions.McpError: Connection closed"}, "mcp.shared.exceptions.McpError: Connection closed"},
		{[]string{"  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)", "  +-+---------------- 1 ----------------", "    | Traceback (most recent call last):",
			`    |   File "client.py", line 7`, "    | mcp.McpError: out of tea", "    +------------------------------------"}, "mcp.McpError: out of tea"},
		{[]string{"    | anyio.BrokenResourceError", "    +------------------------------------"}, "anyio.BrokenResourceError"},
		{[]string{"   Error: indented", "the last line"}, "the last line"},
	} {
		if got := reason(step.said); got != step.want {
			t.Errorf("of %q: %q", step.said, got)
		}
	}
}
