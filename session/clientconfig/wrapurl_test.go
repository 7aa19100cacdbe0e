package clientconfig

import (
	"fmt"
	"strings"
	"testing"
)

// TestWrapURL wraps an entry of each client and wants its bytes back.
func TestWrapURL(t *testing.T) {
	for _, c := range All() {
		key := ""
		if f, is := c.format.(jsonFormat); is {
			key = f.quote(f.paths[len(f.paths)-1])
		}
		for _, u := range []string{
			"https://example.com", "https://example.com:8443/mcp/?key=not-to-be-shown&x=%20#top", "http://[::1]:3000/mcp", "https://Example.COM/a~b/${TENANT}/mcp", "${input:url}",
		} {
			text := `{"x":1,` + key + `:{"my server":{"type":"http","timeout":60,"url":"` + u + `","headers":{"Authorization":"Bearer not-to-be-shown"}}}}`
			switch c.ID {
			case "codex":
				text = "[mcp_servers.'my server']\nurl = '" + u + "' # always\ntimeout = 60\r\nhttp_headers = { Authorization = \"Bearer not-to-be-shown\" } # yes\n\n[x]\n"
			case "goose":
				text = "extensions:\n  my server:\n    uri: " + u + " # always\n    headers: {Authorization: Bearer not-to-be-shown}\n"
			case "opencode":
				text = strings.Replace(text, `"http"`, `"remote"`, 1)
			}
			f := parse(c.ID, c.format, []byte(text))
			if f.Err != nil || len(f.Servers) != 1 || f.Servers[0].URL != u {
				t.Fatalf("%s: %v %+v", c.ID, f.Err, f.Servers)
			}
			change, err := f.Wrap(f.Servers[0], binary)
			if refused := c.ID == "goose"; refused || err != nil {
				if !refused || err == nil {
					t.Errorf("%s: %s: %v", c.ID, u, err)
				}
				continue
			}
			args := fmt.Sprintf(`["tee", "--name", "my server", "--header-env=Authorization=WIRETEA_HEADER_1", %q]`, u)
			want := `"command": "` + binary + `", "args": ` + args
			switch c.ID {
			case "codex":
				want = "command = \"" + binary + "\"\nargs = " + args
			case "opencode":
				want = `"command": ["` + binary + `", ` + args[1:]
			}
			after := string(change.After)
			if !strings.Contains(after, want) || !strings.Contains(after, "60") || strings.Contains(change.Diff(), "not-to-be-shown") {
				t.Errorf("%s: the file becomes\n%s\nthe difference is\n%s", c.ID, after, change.Diff())
			}
			roundTrip(t, f, f.Servers[0], change)
		}
	}
}

// TestWrapURLVariables: Codex gives a server only the variables that its entry names.
func TestWrapURLVariables(t *testing.T) {
	f := parse("x", tomlFormat{}, []byte("[mcp_servers.x]\nurl = 'https://a.example'\nbearer_token_env_var = 'TOKEN'\nenv_http_headers = {X-Key = 'KEY'}\n"))
	change, err := f.Wrap(f.Servers[0], binary)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"--header-env=X-Key=KEY", "--token-env=TOKEN", "https://a.example"]`; !strings.Contains(string(change.After), want) || !strings.Contains(string(change.After), `env_vars = ["KEY", "TOKEN"]`) {
		t.Errorf("%s", change.After)
	}
	roundTrip(t, f, f.Servers[0], change)
}

// TestWrapURLRefused: what tee cannot call as the client does is not touched.
func TestWrapURLRefused(t *testing.T) {
	for _, entry := range []string{
		`"url":"https://user:secret@example.com/mcp"`, `"url":"ws://example.com/mcp"`, `"url":""`, `"url":"https://a.example","httpUrl":"https://b.example"`,
		`"url":"https://a.example","url":"https://b.example"`, `"url":"https://a.example","oauth":{"clientId":"x"}`, `"url":"https://a.example","headers":{"A":1}`,
	} {
		f := parse("x", jsonFormat{paths: []string{"mcpServers"}}, []byte(`{"mcpServers":{"x":{`+entry+`}}}`))
		if f.Err != nil {
			t.Fatalf("%s: %v", entry, f.Err)
		}
		if change, err := f.Wrap(f.Servers[0], binary); err == nil || len(change.After) > 0 {
			t.Errorf("%s: became %s", entry, change.After)
		}
	}
	f := parse("x", tomlFormat{}, []byte("[mcp_servers.x]\nurl = 'https://a.example'\n[mcp_servers.x.http_headers]\nA = 'b'\n"))
	if _, err := f.Wrap(f.Servers[0], binary); err == nil || !strings.Contains(err.Error(), "a table of its own") {
		t.Errorf("got %v", err)
	}
}
