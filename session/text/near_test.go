package text

import "testing"

func TestMeant(t *testing.T) {
	for _, tt := range []struct {
		name, by string
		want     bool
	}{
		{"isError", "is_error", true}, {"isError", "IsError", true}, {"mimeType", "mime-type", true}, {"capabilities", "capabilites", true},
		{"content", "contents", true}, {"name", "title", false}, {"uri", "url", false}, {"isError", "", false}, {"", "", true},
		{"inputSchema", "outputSchema", false}, {"inputSchema", "parameters", true},
	} {
		if got := Meant(tt.name, tt.by); got != tt.want {
			t.Errorf("Meant(%q, %q) = %v", tt.name, tt.by, got)
		}
	}
}

func TestNear(t *testing.T) {
	known := []string{"tools/list", "tools/call", "ping"}
	for word, want := range map[string]string{"tool/list": "tools/list", "Ping": "ping", "shutdown": "", "textDocument/hover": ""} {
		if got := Near(word, known); got != want {
			t.Errorf("Near(%q) = %q, want %q", word, got, want)
		}
	}
}
