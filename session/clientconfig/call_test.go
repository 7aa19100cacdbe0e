package clientconfig_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"wiretea/session/clientconfig"
)

// TestCall holds how clients call servers at URLs: what they fill in, and that values stand
// nowhere but in what is sent.
func TestCall(t *testing.T) {
	type call struct {
		url    string
		fields []string
		read   []string
	}
	for name, tt := range map[string]struct {
		client, path, text string
		want               call
	}{
		"cursor": {
			"cursor", ".cursor/mcp.json", `{"mcpServers":{"a":{"url":"https://a.example${env:WHERE}/mcp","headers":{"Authorization":"Bearer ${env:TOKEN}","X-Team":"tea"}}}}`,
			call{"https://a.example/srv/mcp", []string{"Authorization: Bearer s3cret", "X-Team: tea"}, []string{"WHERE", "TOKEN"}},
		},
		"codex": {
			"codex", ".codex/config.toml", "[mcp_servers.a]\nurl = \"https://a.example/mcp\"\nbearer_token_env_var = \"TOKEN\"\nhttp_headers = { X-Team = \"tea\" }\nenv_http_headers = { X-Where = \"WHERE\" }\n",
			call{"https://a.example/mcp", []string{"X-Team: tea", "X-Where: /srv", "Authorization: Bearer s3cret"}, []string{"WHERE", "TOKEN"}},
		},
	} {
		p := placeOf(t)
		f, s := only(t, p, tt.client, filepath.Join(p.Home, filepath.FromSlash(tt.path)), tt.text)
		c, err := f.Call(s, p)
		got := call{url: c.URL, read: c.Read}
		for _, field := range c.Fields {
			got.fields = append(got.fields, field.Name+": "+field.Value)
		}
		if err != nil || got.url != tt.want.url || !slices.Equal(got.fields, tt.want.fields) || !slices.Equal(got.read, tt.want.read) {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
	p := placeOf(t)
	f, s := only(t, p, "vscode", filepath.Join(p.Project, ".vscode", "mcp.json"), `{"servers":{"a":{"url":"https://a.example/mcp","headers":{"X-Key":"${input:key}"}}}}`)
	var placeholder *clientconfig.PlaceholderError
	if _, err := f.Call(s, p); !errors.As(err, &placeholder) {
		t.Errorf("a value that only the client knows: %v", err)
	}
}
