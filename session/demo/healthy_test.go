package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// modern returns a request of the modern era. meta is what its _meta has more
// than it must.
func modern(id int, method, params, meta string) string {
	all := join(`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`, meta)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, id, method, join(params, `"_meta":{`+all+`}`))
}

// tasking is a request of the modern era whose client knows tasks.
func tasking(request string) string {
	return strings.Replace(request, `{"roots":{}}`, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1)
}

func legacy(id int, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s"%s}`, id, method, params)
}

func initialize(version, caps string) string {
	return legacy(1, "initialize", `{"protocolVersion":"`+version+`","capabilities":`+caps+`,"clientInfo":{"name":"test","version":"0"}}`)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// conversations are what a client can do with the healthy server; what it says
// is in testdata/healthy.
var conversations = map[string][]string{
	"modern": {
		modern(1, "server/discover", "", ""),
		modern(2, "tools/list", "", ""),
		modern(3, "tools/call", `"name":"add","arguments":{"a":0.5,"b":2}`, ""),
		modern(4, "tools/call", `"name":"slow","arguments":{"seconds":0.2,"steps":2}`, `"progressToken":7`),
		modern(5, "resources/templates/list", "", ""),
		modern(6, "resources/read", `"uri":"demo://city/Lima"`, ""),
		modern(7, "resources/read", `"uri":"demo://nowhere"`, ""),
		modern(8, "resources/read", `"uri":"demo://picture"`, ""),
		modern(9, "prompts/get", `"name":"haiku"`, ""),
	},
	"modern-log": {
		modern(1, "tools/call", `"name":"log","arguments":{"level":"warning","text":"not wanted"}`, ""),
		modern(2, "tools/call", `"name":"log","arguments":{"level":"warning","text":"wanted"}`, `"io.modelcontextprotocol/logLevel":"info"`),
		modern(3, "tools/call", `"name":"log","arguments":{"level":"debug","text":"too small"}`, `"io.modelcontextprotocol/logLevel":"info"`),
	},
	"modern-roots": {
		modern(1, "tools/call", `"name":"roots"`, ""),
		modern(2, "tools/call", `"name":"roots","inputResponses":{"roots":{"roots":[{"uri":"file:///tea"}]}},"requestState":"demo-roots"`, ""),
	},
	"modern-subscription": {
		modern(1, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://note"]}`, ""),
		modern(2, "subscriptions/listen", `"notifications":{}`, ""),
		modern(3, "tools/call", `"name":"touch"`, ""),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		modern(4, "tools/call", `"name":"touch"`, ""),
	},
	"modern-refusals": {
		legacy(1, "tools/list", ""),
		legacy(2, "server/discover", ""),
		strings.Replace(modern(3, "tools/list", "", ""), "2026-07-28", "2030-01-01", 1),
		modern(4, "ping", "", ""),
		modern(5, "tools/call", `"name":"nothing"`, ""),
		modern(6, "subscriptions/listen", "", ""),
	},
	"legacy-2024-11-05": {
		initialize("2024-11-05", "{}"),
		initialized,
		legacy(2, "tools/list", ""),
		legacy(3, "tools/call", `{"name":"add","arguments":{"a":1,"b":2}}`),
		legacy(4, "tools/call", `{"name":"slow","arguments":{"seconds":0.2,"steps":2},"_meta":{"progressToken":"p"}}`),
	},
	"legacy-batch": {
		initialize("2025-03-26", "{}"),
		"[" + initialized + "," + legacy(2, "ping", "") + "," + legacy(3, "resources/read", `{"uri":"demo://note"}`) + "]",
		"[]",
	},
	"legacy-counter-offer": {
		initialize("2030-01-01", "{}"),
	},
	"legacy-refusals": {
		legacy(1, "ping", ""),
		initialize("2025-06-18", "{}"),
		initialized,
		`{"jsonrpc":"2.0","id":2,"method":"no/such"}`,
		legacy(3, "logging/setLevel", `{"level":"loud"}`),
		legacy(4, "tools/call", `{"name":"echo","arguments":{}}`),
		legacy(5, "tools/call", `{"name":"add","arguments":{"a":"one"}}`),
		legacy(6, "tools/call", `{"name":"roots"}`),
		legacy(7, "resources/read", `{"uri":"demo://nowhere"}`),
		legacy(8, "prompts/get", `{"name":"greet"}`),
		legacy(9, "prompts/get", `{"name":"nothing"}`),
		legacy(10, "completion/complete", ""),
	},
	"legacy-unreadable": {
		initialize("2025-11-25", "{}"),
		initialized,
		"this is no JSON",
		"",
		"[" + legacy(2, "ping", "") + "]",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		legacy(3, "ping", ""),
	},
	"legacy-unreadable-before-2025-11-25": {
		initialize("2025-06-18", "{}"),
		"this is no JSON",
		legacy(3, "ping", ""),
	},
	"legacy-roots": {
		initialize("2025-11-25", `{"roots":{}}`),
		initialized,
		legacy(2, "tools/call", `{"name":"roots"}`),
		`{"jsonrpc":"2.0","id":"demo-1","result":{"roots":[{"uri":"file:///tea"}]}}`,
		legacy(3, "tools/call", `{"name":"roots"}`),
		`{"jsonrpc":"2.0","id":"demo-2","error":{"code":-32601,"message":"no"}}`,
		legacy(4, "tools/call", `{"name":"roots"}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`,
		legacy(5, "tools/call", `{"name":"roots"}`),
	},
	"legacy-questions": {
		initialize("2025-11-25", `{"sampling":{},"elicitation":{"form":{},"url":{}}}`),
		initialized,
		legacy(2, "tools/call", `{"name":"order"}`),
		`{"jsonrpc":"2.0","id":"demo-1","result":{"action":"accept","content":{"tea":"green","cups":2}}}`,
		legacy(3, "tools/call", `{"name":"order"}`),
		`{"jsonrpc":"2.0","id":"demo-2","result":{"action":"decline"}}`,
		legacy(4, "tools/call", `{"name":"pay"}`),
		`{"jsonrpc":"2.0","id":"demo-3","result":{"action":"cancel"}}`,
		legacy(5, "tools/call", `{"name":"think"}`),
		`{"jsonrpc":"2.0","id":"demo-4","result":{"role":"assistant","content":{"type":"text","text":"Leaves fall."},"model":"me"}}`,
		legacy(6, "tools/call", `{"name":"think"}`),
		`{"jsonrpc":"2.0","id":"demo-5","error":{"code":-1,"message":"no"}}`,
	},
	"legacy-questions-undeclared": {
		initialize("2025-11-25", `{"elicitation":{}}`),
		initialized,
		legacy(2, "tools/call", `{"name":"order"}`),
		`{"jsonrpc":"2.0","id":"demo-1","error":{"code":-32601,"message":"no"}}`,
		legacy(3, "tools/call", `{"name":"pay"}`),
		legacy(4, "tools/call", `{"name":"think"}`),
	},
	"legacy-subscription": {
		initialize("2025-11-25", "{}"),
		initialized,
		legacy(2, "tools/call", `{"name":"touch"}`),
		legacy(3, "resources/subscribe", `{"uri":"demo://note"}`),
		legacy(4, "tools/call", `{"name":"touch"}`),
		legacy(5, "resources/unsubscribe", `{"uri":"demo://note"}`),
		legacy(6, "tools/call", `{"name":"touch"}`),
	},
	"legacy-task": {
		initialize("2025-11-25", "{}"),
		initialized,
		legacy(2, "tools/call", `{"name":"brew","arguments":{"seconds":4},"task":{"ttl":60000}}`), // to 5.4 s
		legacy(3, "tasks/get", `{"taskId":"brew-1"}`),
		legacy(4, "tasks/result", `{"taskId":"brew-1"}`),
		legacy(5, "tools/call", `{"name":"brew","arguments":{"seconds":60},"task":{}}`),
		legacy(6, "tasks/cancel", `{"taskId":"brew-2"}`),
		legacy(7, "tasks/list", ""),
		legacy(8, "tasks/cancel", `{"taskId":"brew-1"}`),
		legacy(9, "tasks/cancel", `{"taskId":"brew-2"}`),
		legacy(10, "tasks/result", `{"taskId":"brew-2"}`),
		legacy(11, "tasks/get", `{"taskId":"brew-3"}`),
		legacy(12, "tools/call", `{"name":"brew"}`),
		legacy(13, "tools/call", `{"name":"echo","arguments":{"message":"hi"},"task":{}}`),
		legacy(14, "tools/call", `{"name":"brew","arguments":{"tea":"oolong"},"task":{}}`),
	},
	"legacy-task-before-2025-11-25": {
		initialize("2025-06-18", "{}"),
		initialized,
		legacy(2, "tools/call", `{"name":"brew","arguments":{"seconds":0.4},"_meta":{"progressToken":1}}`),
		legacy(3, "tasks/list", ""),
	},
	"modern-task": {
		tasking(modern(1, "tools/call", `"name":"brew","arguments":{"seconds":4}`, "")), // to 4.0 s
		tasking(modern(2, "tasks/get", `"taskId":"brew-1"`, "")),
		modern(3, "tasks/get", `"taskId":"brew-1"`, ""),
		tasking(modern(4, "tasks/update", `"taskId":"brew-1","inputResponses":{}`, "")),
		tasking(modern(5, "tools/call", `"name":"brew","arguments":{"seconds":60}`, "")),
		tasking(modern(6, "tasks/cancel", `"taskId":"brew-2"`, "")),
		tasking(modern(7, "tasks/get", `"taskId":"brew-1"`, "")),
		tasking(modern(8, "tasks/get", `"taskId":"brew-2"`, "")),
		tasking(modern(9, "tasks/get", `"taskId":"brew-3"`, "")),
		modern(10, "tools/call", `"name":"brew","arguments":{"seconds":0.4}`, `"progressToken":7`),
		tasking(modern(11, "tasks/list", "", "")),
	},
	"legacy-log": {
		initialize("2025-11-25", "{}"),
		initialized,
		legacy(2, "tools/call", `{"name":"log"}`),
		legacy(3, "logging/setLevel", `{"level":"error"}`),
		legacy(4, "tools/call", `{"name":"log"}`),
	},
	"legacy-cancel": {
		initialize("2025-11-25", "{}"),
		initialized,
		legacy(2, "tools/call", `{"name":"slow","arguments":{"seconds":60,"steps":2}}`),
		legacy(3, "ping", ""),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
	},
	"legacy-end-while-slow": {
		initialize("2025-11-25", "{}"),
		initialized,
		legacy(2, "tools/call", `{"name":"slow","arguments":{"seconds":60,"steps":2}}`),
	},
}

func TestConversations(t *testing.T) {
	for name, lines := range conversations {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				golden(t, filepath.Join("testdata", "healthy", name+".txt"), play("healthy", lines).text.String())
			})
		})
	}
}

func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		golden(t, filepath.Join("testdata", "healthy", "pages.txt"), play("paged", []string{
			modern(1, "tools/list", "", ""),
			modern(2, "tools/list", `"cursor":"tools-from-3"`, ""),
			modern(3, "tools/list", `"cursor":"tools-from-6"`, ""),
			modern(4, "tools/list", `"cursor":"tools-from-9"`, ""),
			modern(5, "tools/list", `"cursor":"something else"`, ""),
		}).text.String())
	})
}

// FuzzHealthy holds that whatever comes in, the healthy server writes nothing
// but messages, one a line, and leaves with exit code 0.
func FuzzHealthy(f *testing.F) {
	for _, lines := range conversations {
		f.Add([]byte(strings.Join(lines, "\n") + "\n"))
	}
	f.Fuzz(func(t *testing.T, stdin []byte) {
		var out bytes.Buffer
		if code := Serve(t.Context(), "healthy", bytes.NewReader(stdin), &out, io.Discard); code != 0 {
			t.Errorf("exit code %d", code)
		}
		for line := range bytes.Lines(out.Bytes()) {
			var m struct{ JSONRPC string }
			if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" || line[len(line)-1] != '\n' {
				t.Errorf("wrote %q: %v", line, err)
			}
		}
	})
}
