package diff

import (
	"strings"
	"testing"

	"wiretea/session/json/diff"
)

const legacyUp = `
c> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}
s> {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1.0"},"instructions":"Be kind."}}
c> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

// meta is the metadata of a modern request.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"progressToken":7}`

// TestDifferences tells two sessions and what differs between them. The first
// session is the second one with each "old|new" read as old, and the second with
// it read as new.
func TestDifferences(t *testing.T) {
	for _, test := range []struct{ name, session, want string }{
		{"nothing", legacyUp, ""},
		{"who speaks", strings.NewReplacer(`"version":"1.0"`, `"version":"«1.0|1.1»"`, "Be kind.", "Be «kind|quick».").Replace(legacyUp),
			"server version: 1.0 → 1.1\ninstructions: Be kind. → Be quick.\n"},
		{"another protocol version", strings.ReplaceAll(legacyUp, "2025-06-18", "«2025-06-18|2025-03-26»"), "protocol version: 2025-06-18 → 2025-03-26\n"},
		{"capabilities", strings.NewReplacer(`"tools":{}`, `"tools":{«|"listChanged":true»}`, `"roots":{}`, `«"roots":{}|»`).Replace(legacyUp),
			"server added .tools.listChanged\nclient removed .roots\n"},
		{"tools", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
s> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","description":"«Says it|Says it again»","inputSchema":{"type":"object","properties":{"m":{"type":"«string|number»","description":"what"}}}},{"name":"«add|sum»","inputSchema":{"type":"object"}}]}}`, `
tools changed echo prose +1 tokens
    changed .description "Says it" → "Says it again" prose
    changed .inputSchema.properties.m.type "string" → "number"
tools removed add -12 tokens
tools added sum +12 tokens
tools 45 → 46 tokens
`},
		{"a parameter's description", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
s> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"m":{"description":"«a|b»"}}}}]}}`, `
tools changed echo prose
    changed .inputSchema.properties.m.description "a" → "b" prose
tools 22 → 22 tokens
`},
		{"the order of tools, and of keys, and how the pages fall", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
s> {"jsonrpc":"2.0","id":1,"result":{"tools":[«{"name":"a","inputSchema":{"type":"object","x":1.0}}|{"name":"b","inputSchema":{"type":"object"}}»],"nextCursor":"«p|qq»"}}
c> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"«p|qq»"}}
s> {"jsonrpc":"2.0","id":2,"result":{"tools":[«{"name":"b","inputSchema":{"type":"object"}}|{"inputSchema":{"x":1,"type":"object"},"name":"a"}»]}}`, ""},
		{"resources and prompts", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"resources/list"}
s> {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"x://«a|b»","name":"n"}]}}
c> {"jsonrpc":"2.0","id":2,"method":"resources/templates/list"}
s> {"jsonrpc":"2.0","id":2,"result":{"resourceTemplates":[{"uriTemplate":"x://{id}","name":"«n|m»"}]}}
c> {"jsonrpc":"2.0","id":3,"method":"prompts/list"}
s> {"jsonrpc":"2.0","id":3,"result":{"prompts":[{"name":"p"}«|,{"name":"q"}»]}}`, `
prompts added q
resources removed x://a
resources added x://b
resourceTemplates changed x://{id}
    changed .name "n" → "m"
`},
		{"outcomes", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
s> {"jsonrpc":"2.0","id":1,«"result":{"content":[]}|"error":{"code":-32603,"message":"boom"}»}
c> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}
s> {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"«fine|no such file»"}]«|,"isError":true»}}
c> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"c"}}
s> {"jsonrpc":"2.0","id":3,"error":{"code":«-32602|-32603»,"message":"bad"}}
c> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"d"}}
s> {"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":{"n":«1|2»}}}`, `
changed tools/call a ×1: a result → an error -32603 boom
changed tools/call b ×1: a result → a tool error no such file
changed tools/call c ×1: an error -32602 bad → an error -32603 bad
changed tools/call d ×1: a result → a result
    changed .result.structuredContent.n 1 → 2
`},
		{"equal differences are told once", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
s> {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":«1|2»}}}
c> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}
s> {"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"n":«1|2»}}}`, `
changed tools/call a ×2: a result → a result
    changed .result.structuredContent.n 1 → 2
`},
		{"what every session has anew", legacyUp + `
c> {"jsonrpc":"2.0","id":«1|"x-1"»,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"«p|q»"},"task":{"ttl":1000}}}
s> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"«p|q»","progress":1}}
s> {"jsonrpc":"2.0","id":«1|"x-1"»,"result":{"task":{"taskId":"«t1|t2»","status":"working","createdAt":"2026-11-20T10:00:00Z","lastUpdatedAt":"x«1|2»"},"_meta":{"k":«1|2»}}}
c> {"jsonrpc":"2.0","id":«2|"x-2"»,"method":"tasks/get","params":{"taskId":"«t1|t2»"}}
s> {"jsonrpc":"2.0","id":«2|"x-2"»,"result":{"taskId":"«t1|t2»","status":"working","createdAt":"a«1|2»"}}
«|c> {"jsonrpc":"2.0","id":"x-2b","method":"tasks/get","params":{"taskId":"t2"}}
s> {"jsonrpc":"2.0","id":"x-2b","result":{"taskId":"t2","status":"working"}}
»
c> {"jsonrpc":"2.0","id":«3|"x-3"»,"method":"tasks/get","params":{"taskId":"«t1|t2»"}}
s> {"jsonrpc":"2.0","id":«3|"x-3"»,"result":{"taskId":"«t1|t2»","status":"completed"}}
«c> {"jsonrpc":"2.0","id":9,"method":"ping"}
s> {"jsonrpc":"2.0","id":9,"result":{}}
|»
c> {"jsonrpc":"2.0","id":«4|"x-4"»,"method":"resources/read","params":{"uri":"x://a"}}
s> {"jsonrpc":"2.0","id":«4|"x-4"»,"result":{"contents":[{"uri":"x://a","text":"«2026-11-20T10:00:00Z|2026-11-21T11:30:00.5+01:00»"}]}}`, ""},
		{"how a task came out", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"«t1|t2»"}}
s> {"jsonrpc":"2.0","id":1,"result":{"taskId":"«t1|t2»","status":"«completed|failed»"}}`, `
changed tasks/get «t1» ×1: a result → a result
    changed .result.status "completed" → "failed"
`},
		{"something else was asked", legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":«1|2»}}}
s> {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"«one|two»"}]}}`, `
changed tools/call a ×1: a result → a result
    changed .params.arguments.n 1 → 2
`},
		{"calls of one side", legacyUp + `
«c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
s> {"jsonrpc":"2.0","id":1,"result":{"content":[]}}|c> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"b"}}»`, `
removed tools/call a ×1: a result → —
added prompts/get b ×1: — → no answer
`},
		{"the server's questions", legacyUp + `
s> {"jsonrpc":"2.0","id":1,"method":"roots/list"}
c> {"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///«a|b»"}]}}`, `
changed roots/list  ×1: a result → a result
    removed .result.roots[0] {"uri":"file:///a"} → 
    added .result.roots[0]  → {"uri":"file:///b"}
`},
		{"notifications", legacyUp + `
«s> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}|»
s> {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"«a|b»"}}`, "server notifications/tools/list_changed 1 → 0\nfinding removed undeclared-list-changed\n"},
		{"findings", legacyUp + `
s> «hello|{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}»`, `
server notifications/message 0 → 1
finding removed stdout-not-json
finding added log-without-capability
`},
		{"the process", legacyUp + "exit «0|3»", "server process: ended well → exit code 3\nfinding added server-exited\n"},
		{"a modern session", `
c> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}
s> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"«1|2»"}}}}
c> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}
s> {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"«a|b»","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"}}`,
			"server version: 1 → 2\ntools removed a -12 tokens\ntools added b +12 tokens\ntools 12 → 12 tokens\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := choose(test.session, 0), choose(test.session, 1)
			r := compared(t, a, b, Options{})
			want := strings.TrimPrefix(strings.NewReplacer("«", "", "»", "").Replace(test.want), "\n")
			if got := brief(r); got != want {
				t.Errorf("there differs\n%s\nwant\n%s", got, want)
			}
			if r.Same != (want == "") {
				t.Errorf("Same is %v, with %d differences", r.Same, r.Differences)
			}
			for i, text := range []string{a, b} {
				if r := compared(t, text, text, Options{Strict: true}); !r.Same {
					t.Errorf("session %d differs from itself:\n%s", i, brief(r))
				}
			}
		})
	}
}

// choose takes one of each «first|second».
func choose(text string, which int) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "«")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		both, after, _ := strings.Cut(rest, "»")
		parts := strings.SplitN(both, "|", 2)
		b.WriteString(parts[which])
		text = after
	}
}

// TestEras holds that between the eras what the protocol changed is not a difference
// of the server.
func TestEras(t *testing.T) {
	legacy := legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
s> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}
c> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://a"}}
s> {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"x://a","text":"t"}]}}`
	modern := `
c> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}
s> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","instructions":"Be kind.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1.0"}}}}
c> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}
s> {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"}}
c> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x://a",` + meta + `}}
s> {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","contents":[{"uri":"x://a","text":"t"}],"ttlMs":5,"cacheScope":"private"}}`
	r := compared(t, legacy, modern, Options{Skip: map[Part]bool{Capabilities: true, Findings: true}})
	const want = "era: legacy → modern\nprotocol version: 2025-06-18 → 2026-07-28\nsupported versions:  → 2026-07-28\n"
	if got := brief(r); got != want {
		t.Errorf("there differs\n%s\nwant\n%s", got, want)
	}
}

func TestIgnored(t *testing.T) {
	text := legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
s> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"«x|y»","inputSchema":{"type":"object"}}]}}
c> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"at":«1|2»}}}
s> {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"«q|r»"}]}}
s> {"jsonrpc":"2.0","method":"notifications/«message|tools/list_changed»"}
exit «0|1»`
	a, b := choose(text, 0), choose(text, 1)
	var ignore []diff.Path
	for _, p := range []string{".result.tools[*].description", ".params.arguments.at", "..text"} {
		path, err := diff.ParsePath(p)
		if err != nil {
			t.Fatal(err)
		}
		ignore = append(ignore, path)
	}
	r := compared(t, a, b, Options{Ignore: ignore, Skip: map[Part]bool{Notifications: true, Findings: true, Process: true, Latencies: true}})
	if !r.Same || r.Latencies != nil {
		t.Errorf("what is ignored differs:\n%s", brief(r))
	}
	if r := compared(t, a, b, Options{}); r.Differences < 4 {
		t.Errorf("without it only this differs:\n%s", brief(r))
	}
}

// TestLongAnswers holds that answers count that the analysis does not keep.
func TestLongAnswers(t *testing.T) {
	long := func(end string) string {
		return legacyUp + `
c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"m":"` + strings.Repeat("q", 2<<20) + `"}}}
s> {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 3<<20) + end + `"}]}}`
	}
	if r := compared(t, long("a"), long("a"), Options{}); !r.Same {
		t.Errorf("equal long answers differ:\n%.300s", brief(r))
	}
	r := compared(t, long("a"), long("b"), Options{})
	if len(r.Calls) != 1 || len(r.Calls[0].Changes) != 1 || r.Calls[0].Changes[0].Path != ".result.content[0].text" {
		t.Errorf("long answers that differ at their end: %.300s", brief(r))
	}
}

// TestBatches holds that the messages of a batch are told apart.
func TestBatches(t *testing.T) {
	text := legacyUp + `
c> [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}]
s> [{"jsonrpc":"2.0","id":2,"result":{"content":[],"x":«1|2»}},{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]`
	r := compared(t, choose(text, 0), choose(text, 1), Options{Skip: map[Part]bool{Findings: true}})
	const want = "changed tools/call b ×1: a result → a result\n    changed .result.x 1 → 2\n"
	if got := brief(r); got != want {
		t.Errorf("there differs\n%s\nwant\n%s", got, want)
	}
}
