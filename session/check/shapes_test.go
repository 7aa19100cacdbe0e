package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
	"wiretea/session/mcp/shape/shapetest"
)

// modernMeta is the metadata of a modern request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{}}}`

// shapeConversation is a conversation in which the server sends a text where a sample
// has its own.
func shapeConversation(s shapetest.Sample, v mcp.Version, text string) string {
	var c strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&c, format+"\n", args...) }
	say(`1ms proc start`)
	meta := ""
	switch {
	case s.Method == mcp.Initialize:
	case v == mcp.V5:
		meta = modernMeta + ","
		say(`10ms c2s {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{%s}}`, modernMeta)
		if s.Method != mcp.ServerDiscover {
			say(`30ms s2c {"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},` +
				`"prompts":{"listChanged":true},"completions":{},"logging":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}`)
		}
	default:
		say(`10ms c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{},"tasks":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		say(`30ms s2c {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},` +
			`"completions":{},"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}}`)
		say(`31ms c2s {"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	say(`40ms c2s {"jsonrpc":"2.0","id":"w","method":"tools/call","params":{%s"name":"w","arguments":{}}}`, strings.Replace(meta, `"_meta":{`, `"_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"debug",`, 1))
	requests := map[string]string{
		mcp.ToolsCall: `"name":"a","arguments":{}`, mcp.PromptsGet: `"name":"a"`, mcp.ResourcesRead: `"uri":"file:///a"`, mcp.TasksGet: `"taskId":"t"`,
		mcp.CompletionComplete:  `"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""}`,
		mcp.SubscriptionsListen: `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]}`,
		mcp.Initialize:          `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`,
	}
	method, known := mcp.Lookup(s.Method)
	switch {
	case s.Method == mcp.ServerDiscover:
		say(`50ms s2c {"jsonrpc":"2.0","id":0,"result":%s}`, text)
	case !s.Params:
		say(`50ms c2s {"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, s.Method, strings.TrimSuffix(meta+requests[s.Method], ","))
		say(`51ms s2c {"jsonrpc":"2.0","id":1,"result":%s}`, text)
	case known && method.Notification:
		if v == mcp.V5 {
			say(`44ms c2s {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{%s%s}}`, meta, requests[mcp.SubscriptionsListen])
		}
		say(`50ms s2c {"jsonrpc":"2.0","method":%q,"params":%s}`, s.Method, text)
	default:
		say(`50ms s2c {"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, s.Method, text)
	}
	return c.String()
}

// shapeFindings are the rules of the findings of a conversation with a text.
func shapeFindings(t *testing.T, s shapetest.Sample, v mcp.Version, text string) []string {
	c := parseConversation(t, shapeConversation(s, v, text))
	var said []string
	for _, f := range analyze(number(c.raw())).Findings() {
		said = append(said, fmt.Sprintf("%s %s: %s", f.Rule, f.Severity, f.Message))
	}
	return said
}

// Each text that the schema does not allow has one finding, and a text that it allows
// has none that says otherwise.
func TestShapeMutations(t *testing.T) {
	var j shape.Judge
	for v, samples := range map[mcp.Version][]shapetest.Sample{mcp.V4: shapetest.Legacy(), mcp.V5: shapetest.Modern()} {
		for _, s := range samples {
			healthy := map[string]bool{}
			for _, said := range shapeFindings(t, s, v, s.Text) {
				healthy[said] = true
			}
			is := shape.Result(s.Method, v)
			switch {
			case s.Params:
				is = shape.Params(s.Method, v)
			case strings.Contains(s.Text, "inputRequests"):
				is = shape.Named("InputRequiredResult", v)
			}
			for _, m := range shapetest.Mutations(s.Text) {
				faults := slices.DeleteFunc(j.Faults(is, m.Text), func(f shape.Fault) bool { return f.Foreign })
				checkShapeMutation(t, s, v, m, len(faults), healthy)
			}
		}
	}
}

func checkShapeMutation(t *testing.T, s shapetest.Sample, v mcp.Version, m shapetest.Mutation, faults int, healthy map[string]bool) {
	t.Helper()
	var told, types []string
	for _, said := range shapeFindings(t, s, v, string(m.Text)) {
		if healthy[said] {
			continue
		}
		told = append(told, said)
		if strings.Contains(said, ", must be ") {
			types = append(types, said)
		}
	}
	if faults > 0 && len(told) != 1 || faults == 0 && len(types) > 0 && !strings.HasPrefix(told[0], "schema-does-not-compile") {
		t.Errorf("%v %s: %s is %s, %d faults: %q", v, s.Method, m.Path, m.How, faults, told)
	}
}
