package statistics_test

import (
	"strings"
	"testing"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/panetest"
)

// TestRefusedWords holds which clients are said to refuse a list, because of which tools.
func TestRefusedWords(t *testing.T) {
	const bare, null = `{"name":"b\u001bare"}`, `{"name":"null","inputSchema":null}`
	for name, tt := range map[string]struct {
		version mcp.Version
		tools   []string
		want    string
	}{
		"well-formed": {mcp.V4, []string{search, search}, ""},
		"one": {mcp.V4, []string{search, bare},
			"TypeScript SDK 1, TypeScript SDK 2, Python SDK 1, Python SDK 2 refuse the whole list because of 1 of 2 tools: b␛are"},
		"by some clients": {mcp.V4, []string{`{"name":"d","description":null,"inputSchema":{"type":"object"}}`},
			"TypeScript SDK 1, TypeScript SDK 2 refuse the whole list because of 1 of 1 tool: d"},
		"different tools": {mcp.V5, []string{bare, `{"name":"d","description":null,"inputSchema":{"type":"object"}}`},
			"TypeScript SDK 2 refuses the whole list because of 2 of 2 tools: b␛are, d; Python SDK 2 refuses the whole list because of 1 of 2 tools: b␛are"},
		"many":             {mcp.V4, []string{bare, null, null, null, bare}, "TypeScript SDK 1, TypeScript SDK 2, Python SDK 1, Python SDK 2 refuse the whole list because of 5 of 5 tools: b␛are, null, null and 2 more"},
		"unknown revision": {mcp.NoVersion, []string{bare}, ""},
		"no tool at all":   {mcp.V4, []string{`7`, `{`}, "TypeScript SDK 1, TypeScript SDK 2, Python SDK 1, Python SDK 2, Go SDK refuse the whole list because of 1 of 2 tools: one without a name"},
	} {
		t.Run(name, func(t *testing.T) {
			var tools []statistics.Definition
			var conn session.Conn
			conn.Version = tt.version
			for _, tool := range tt.tools {
				tools = append(tools, statistics.DefinitionOf([]byte(tool)))
			}
			if got := strings.Join(statistics.RefusedWords(tools, &conn), "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if got := statistics.RefusedWords([]statistics.Definition{statistics.DefinitionOf([]byte(bare))}, nil); got != nil {
		t.Errorf("without a connection: %q", got)
	}
	s := panetest.New(t)
	greeted(s, "")
	listed(s, 1, "", search, null)
	c := s.Context()
	if got := statistics.ReadContext(c.Log, c.Snap, nil).Refused; len(got) != 1 || !strings.Contains(got[0], "1 of 2 tools: null") {
		t.Errorf("of a session: %q", got)
	}
}
