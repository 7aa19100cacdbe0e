package session

import "testing"

// TestFailed holds which responses say that their request failed, now and at an
// earlier moment.
func TestFailed(t *testing.T) {
	toolError := `{"content":[{"type":"text","text":"out of tea"}],"isError":true}`
	for name, c := range map[string]struct {
		method, params, answer string
		failed                 bool
		flag                   Flags
	}{
		"a tool's error":                {"tools/call", `{"name":"pour"}`, result("1", toolError), true, FlagToolError},
		"a tool's result":               {"tools/call", `{"name":"pour"}`, result("1", `{"content":[],"isError":false}`), false, 0},
		"a task's error":                {"tasks/result", `{"taskId":"a"}`, result("1", toolError), true, FlagToolError},
		"isError of another method":     {"acme/pour", `{}`, result("1", toolError), false, 0},
		"isError is a string":           {"tools/call", `{"name":"pour"}`, result("1", `{"isError":"true"}`), false, 0},
		"an error response":             {"tools/call", `{"name":"pour"}`, failure("1", -32602), true, 0},
		"a legacy server and a probe":   {"server/discover", `{}`, failure("1", -32601), false, FlagProbe},
		"a modern server and its fault": {"server/discover", `{}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := play(t, Config{}, client(1, request("1", c.method, c.params)), server(2, c.answer), client(3, request("2", "ping", "")))
			s := a.Snapshot()
			row := s.Row(1)
			if row.Failed() != c.failed || row.Flags&(FlagToolError|FlagProbe) != c.flag {
				t.Errorf("failed %v, flags %b", row.Failed(), row.Flags)
			}
			errors := int64(0)
			if c.failed {
				errors = 1
			}
			if got := s.Totals().Errors; got != errors {
				t.Errorf("%d errors in all", got)
			}
			for _, m := range s.Methods() {
				if m.Name == c.method && m.Errors != errors {
					t.Errorf("%d errors of %s", m.Errors, m.Name)
				}
			}
		})
	}
}
