package call

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestWriteTable draws lists of things that servers should not send.
func TestWriteTable(t *testing.T) {
	for _, tt := range []struct{ key, items, want string }{
		{"tools", `[]`, "no tools\n"},
		{"resourceTemplates", `[]`, "no resource templates\n"},
		{"tools", `[{"name":"a\u001b[2J","description":"one\ntwo"}]`, "a␛[2J\n    one\n"},
		{"tools", `[5,{"name":7},{"inputSchema":{"$ref":"#"}}]`, "\n\n\n"},
		{"tools", `[{"name":"測試","description":"日本語日本語日本語日本語日本語日本語日本語","inputSchema":{"properties":{"b":{"type":"string"},"a":{"type":["integer","null"]}},"required":["b"]}}]`,
			"測試  b=<string> [a=<integer or null>]\n    日本語日本語日本語日本語日本語日本語…\n"},
		{"prompts", `[{"name":"p","title":"T","arguments":[{"name":"x","required":true},{"name":"y"}]}]`, "p  x= [y=]\n    T\n"},
		{"resources", `[{"uri":"a://b","name":"B","mimeType":"text/plain"}]`, "a://b  text/plain\n    B\n"},
	} {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(tt.items), &items); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeTable(&b, tt.key, items, 42, false); err != nil || b.String() != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s%v", tt.items, b.String(), tt.want, err)
		}
	}
}
