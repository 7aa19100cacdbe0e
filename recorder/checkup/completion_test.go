package checkup

import (
	"encoding/json"
	"strings"
	"testing"

	"wiretea/session/client"
	"wiretea/session/mcp"
)

func TestCompletable(t *testing.T) {
	list := func(items ...string) (list []json.RawMessage) {
		for _, item := range items {
			list = append(list, json.RawMessage(item))
		}
		return list
	}
	tests := []struct {
		prompts, templates []json.RawMessage
		want               string
	}{
		{nil, nil, ``},
		{list(`{"name":"p"}`, `{"name":"q","arguments":null}`, `{"arguments":[{"name":"a"}]}`, `{"name":"r","arguments":[{"name":1}]}`), nil, ``},
		{nil, list(`{"uriTemplate":"x:a"}`, `{"uriTemplate":3}`, `{"name":"{a}"}`), ``},
		{list(`{"name":"p"}`, `{"name":"\"q","arguments":[{"name":"ä"},{"name":"b"}]}`), list(`{"uriTemplate":"x:{a}"}`),
			`{"ref":{"type":"ref/prompt","name":"\"q"},"argument":{"name":"ä","value":""}}`},
		{nil, list(`{"uriTemplate":"x:a"}`, `{"uriTemplate":"file:///{+path*}{?q}"}`), `{"ref":{"type":"ref/resource","uri":"file:///{+path*}{?q}"},"argument":{"name":"path","value":""}}`},
		{nil, list(`{"uriTemplate":"x{?from,to}"}`), `{"ref":{"type":"ref/resource","uri":"x{?from,to}"},"argument":{"name":"from","value":""}}`},
	}
	for _, tt := range tests {
		got := completable(map[string][]json.RawMessage{"prompts/list": tt.prompts, "resources/templates/list": tt.templates})
		if string(got) != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.prompts, tt.templates, got, tt.want)
		}
	}
}

// TestRefusedHint holds that credentials are named only where an error is about them.
func TestRefusedHint(t *testing.T) {
	for text, wants := range map[string]bool{"Unauthorized": true, "403 Forbidden": true, "Invalid token": true, "authentication is not supported": false} {
		hint := RefusedHint(&client.RPCError{Code: mcp.InvalidParams, Message: text})
		if strings.HasPrefix(hint, "credentials may be missing or wrong: ") != wants {
			t.Errorf("%s: %s", text, hint)
		}
	}
}
