package clientconfig

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const testPort = 24817

// urlRoundTrip holds what is true of every URL entry that was wrapped.
func urlRoundTrip(t testing.TB, f File, s Server, c Change) {
	t.Helper()
	w := parse(f.Path, f.format, c.After)
	if w.Err != nil {
		t.Fatalf("the wrapped file cannot be read: %v\n%s", w.Err, c.After)
	}
	ws := w.Servers[slices.IndexFunc(f.Servers, func(o Server) bool { return o.Name == s.Name && o.Folder == s.Folder })]
	d := ws.Detour
	if !ws.Wrapped || d == nil || ws.URL != s.URL || d.Port != testPort || !strings.HasPrefix(s.URL, d.Origin) {
		t.Fatalf("the wrapped entry is %+v with %+v, was %+v", ws, d, s)
	}
	if rest := s.URL[len(d.Origin):]; d.URL != "http://127.0.0.1:24817/"+d.Name+rest || d.Name != url.PathEscape(d.Name) {
		t.Fatalf("the client calls %q with %q", d.URL, d.Name)
	}
	again, err := w.WrapURL(ws, testPort)
	if err != nil || !again.None() {
		t.Fatalf("wrapping again: %v\n%s", err, again.Diff())
	}
	moved, err := w.WrapURL(ws, 80)
	if err != nil || bytes.Count(moved.After, []byte("http://127.0.0.1:80/"+d.Name)) != 1 {
		t.Fatalf("another port: %v\n%s", err, moved.Diff())
	}
	for _, wrapped := range []File{w, parse(f.Path, f.format, moved.After)} {
		back, err := wrapped.Unwrap(ws)
		if err != nil || !bytes.Equal(back.After, f.data) {
			t.Fatalf("unwrapping: %v\n%s", err, unified(f.Path, f.data, back.After))
		}
	}
}

// TestWrapURL wraps an entry of each client and wants its bytes back.
func TestWrapURL(t *testing.T) {
	for _, c := range All() {
		key := ""
		if f, is := c.format.(jsonFormat); is {
			key = f.quote(f.paths[len(f.paths)-1])
		}
		for _, u := range []string{
			"https://example.com", "https://example.com/", "https://example.com:8443/mcp/?key=not-to-be-shown&x=%20#top",
			"http://localhost:3000/sse", "http://[::1]:3000/mcp", "https://Example.COM/a~b/${TENANT}/mcp", "https://example.com?x",
		} {
			text := `{"x":1,` + key + `:{"my server":{"type":"http","url":"` + u + `","headers":{"Authorization":"Bearer not-to-be-shown"}}}}`
			if c.ID == "codex" {
				text = "[mcp_servers.'my server']\nurl = '" + u + "' # always\nhttp_headers = { Authorization = \"Bearer not-to-be-shown\" }\n"
			}
			if c.ID == "goose" {
				text = "extensions:\n  my server:\n    uri: " + u + " # always\n    headers: {Authorization: Bearer not-to-be-shown}\n"
			}
			f := parse(c.ID, c.format, []byte(text))
			if f.Err != nil || len(f.Servers) != 1 || f.Servers[0].URL != u {
				t.Fatalf("%s: %v %+v", c.ID, f.Err, f.Servers)
			}
			change, err := f.WrapURL(f.Servers[0], testPort)
			if err != nil {
				t.Errorf("%s: %s: %v", c.ID, u, err)
				continue
			}
			if diff := change.Diff(); strings.Contains(diff, "not-to-be-shown") || !strings.Contains(diff, "http://127.0.0.1:24817/my-server~") {
				t.Errorf("%s: the difference is\n%s", c.ID, diff)
			}
			urlRoundTrip(t, f, f.Servers[0], change)
		}
	}
}

// TestWrapURLRefused: what would not come back, or what only the client understands, is
// not touched.
func TestWrapURLRefused(t *testing.T) {
	for _, entry := range []string{
		`"url":"https://user:secret@example.com/mcp"`, `"url":"https:\/\/example.com/mcp"`, `"url":"${input:url}"`, `"url":"http://${env:HOST}/mcp"`,
		`"url":"ws://example.com/mcp"`, `"url":"HTTPS://example.com"`, `"url":"https://b\u00fccher.example/mcp"`, `"url":""`,
		`"url":"https://a.example","httpUrl":"https://b.example"`, `"url":"https://a.example","url":"https://b.example"`, `"command":"x","url":"https://a.example"`,
	} {
		f := parse("x", jsonFormat{paths: []string{"mcpServers"}}, []byte(`{"mcpServers":{"x":{`+entry+`}}}`))
		if f.Err != nil {
			t.Fatalf("%s: %v", entry, f.Err)
		}
		change, err := f.WrapURL(f.Servers[0], testPort)
		if err == nil || len(change.After) > 0 {
			t.Errorf("%s: became %s", entry, change.After)
		}
	}
	multi := parse("x", tomlFormat{}, []byte("[mcp_servers.x]\nurl = '''https://a.example'''\n"))
	if _, err := multi.WrapURL(multi.Servers[0], testPort); !errors.Is(err, ErrURLForm) {
		t.Errorf("a TOML string of several lines: %v", err)
	}
}

// TestNoDetour: a local server of the user is not taken for a wrapped one.
func TestNoDetour(t *testing.T) {
	const random = "abcdefghijklmnop"
	for _, u := range []string{
		"http://127.0.0.1:24817/mcp", "http://127.0.0.1:24817/x~" + random + "/mcp", "https://127.0.0.1:24817/x~" + random + "~https:a.example/mcp",
		"http://localhost:24817/x~" + random + "~https:a.example/mcp", "http://127.0.0.1:99999/x~" + random + "~https:a.example/mcp", "http://127.0.0.1/x~" + random + "~https:a.example",
		"http://127.0.0.1:24817/x~" + random + "~ftp:a.example",
	} {
		if d, _ := parseDetour(u); d != nil {
			t.Errorf("%s is %+v", u, d)
		}
	}
	if d, _ := parseDetour("http://127.0.0.1:24817/x~" + random + "~http:=::1=:3000"); d == nil || d.Origin != "http://[::1]:3000" {
		t.Errorf("got %+v", d)
	}
}
