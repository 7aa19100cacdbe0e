package content

import (
	"strings"
	"testing"
	"unicode"
)

func TestGist(t *testing.T) {
	for _, tt := range []struct{ method, target, body, want string }{
		{"tools/call", "echo", `{"params":{"name":"echo","arguments":{"message":"hi","n":[1,2]},"_meta":{"progressToken":1}}}`, `message="hi" n=[1,2]`},
		{"tools/call", "echo", `{"params":{"name":"echo","task":{"ttl":5}}}`, `task={ttl=5}`},
		{"tools/call", "echo", `{"result":{"content":[{"type":"text","text":"Echo: hi"},{"type":"image","mimeType":"image/png","data":"AA=="}]}}`, `"Echo: hi" image/png`},
		{"tools/call", "sum", `{"result":{"content":[],"structuredContent":{"sum":3}}}`, `sum=3`},
		{"tools/call", "divide", `{"result":{"content":[{"type":"text","text":"Error calling tool 'divide': division by zero"}],"isError":true}}`, `"division by zero"`},
		{"tools/call", "divide", `{"result":{"content":[{"type":"text","text":"Error executing tool divide: division by zero"}],"isError":true}}`, `"division by zero"`},
		{"tools/call", "f", `{"result":{"content":[{"type":"text","text":"{\"days\": [{\"city\":\"Rome\",\"max\":3.0},{}],\"_meta\":1}"}],"structuredContent":{"days":[]}}}`, `days=[{city="Rome" max=3.0},{}] _meta=1`},
		{"tools/call", "f", `{"result":{"content":[{"type":"text","text":"{\"days\":[{\"city\":\"Ro`, `days=[{city="Ro…"}]`},
		{"tools/call", "f", `{"result":{"content":[{"type":"text","text":"[1] see below"}]}}`, `"[1] see below"`},
		{"tools/call", "f", `{"params":{"arguments":{"deep":[[[[[{"a":1}]]]]],"places":[{"city":"Rome"},[1,2]]}}}`, `deep=[[[[[{"a":1}]]]]] places=[{city="Rome"},[1,2]]`},
		{"tools/call", "x", `{"error":{"code":-32602,"message":"no\nsuch\u001b[31mtool","data":1}}`, `-32602 no␊such␛[31mtool`},
		{"tools/call", "x", `{"result":{"resultType":"input_required","_meta":{}}}`, `resultType="input_required"`},
		{"resources/read", "file:///x", `{"params":{"uri":"file:///x"}}`, ""},
		{"resources/read", "file:///x", `{"result":{"contents":[{"uri":"file:///x","mimeType":"text/plain","text":"one"}]}}`, `"one"`},
		{"resources/read", "file:///x", `{"result":{"contents":[{"uri":"file:///x","mimeType":"image/png","blob":"AA"}]}}`, "image/png"},
		{"prompts/get", "p", `{"result":{"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}]}}`, `"What is it?"`},
		{"tools/list", "", `{"result":{"tools":[{"name":"a"},{"name":"b"}]}}`, "a, b"},
		{"roots/list", "", `{"result":{"roots":[{"uri":"file:///r"}]}}`, "file:///r"},
		{"initialize", "", `{"params":{"clientInfo":{"name":"c","version":"1"},"protocolVersion":"2025-11-25"}}`, "c 1 · 2025-11-25"},
		{"completion/complete", "p", `{"params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"city","value":"R"}}}`, `city="R"`},
		{"completion/complete", "p", `{"result":{"completion":{"values":["Rome","Riga"]}}}`, "Rome, Riga"},
		{"sampling/createMessage", "", `{"params":{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"text","text":"b"}}]}}`, `"b"`},
		{"elicitation/create", "", `{"params":{"message":"Who?","requestedSchema":{}}}`, `"Who?"`},
		{"elicitation/create", "", `{"result":{"action":"accept","content":{"name":"Bo"}}}`, `accept name="Bo"`},
		{"notifications/progress", "t", `{"params":{"progressToken":1,"progress":2,"total":4,"message":"half"}}`, `2/4 "half"`},
		{"notifications/message", "info", `{"params":{"level":"info","logger":"db","data":{"a":1}}}`, `db: {"a":1}`},
		{"ping", "", ` {"result":{}}`, ""},
		{"ping", "", `{"result":{"content":[{"type":"text","text":"cut o`, `"cut o…"`},
		{"tools/list", "", `{"result":{"tools":[{"name":"a","inputSchema":{"type":"obj`, "a"},
		{"ping", "", `[`, ""},
	} {
		if got := Gist([]byte(tt.body), tt.method, tt.target); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.body, got, tt.want)
		}
	}
}

// FuzzGist holds that a gist is one short line that is safe to print, whatever the message.
func FuzzGist(f *testing.F) {
	for _, s := range []string{`{"result":{"content":[{"type":"text","text":"\u001b[31m\u202e"}]}}`, `{"params":{"arguments":{"a\u009b":"\n"}}}`, `{"error":{"code":"\u0007"}}`} {
		f.Add([]byte(s), "tools/call", "x")
	}
	f.Fuzz(func(t *testing.T, body []byte, method, target string) {
		got := Gist(body, method, target)
		if strings.ContainsFunc(got, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) || len([]rune(got)) > 12*GistLen {
			t.Fatalf("%q", got)
		}
	})
}
