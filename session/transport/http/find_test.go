package http

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestFind holds that a server is found when a client asks for it, once, and that paths of
// servers that are not found are answered 404.
func TestFind(t *testing.T) {
	w := newWitness(t)
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	var asked []string
	var p *Proxy
	p = startProxy(t, w, ProxyConfig{Find: func(name string) {
		asked = append(asked, name)
		u, err := url.Parse(server.URL + "/mcp")
		if err == nil && name == "late" {
			err = p.Add(Upstream{Name: name, URL: u})
		}
		if err != nil {
			t.Error(err)
		}
	}}, "early="+server.URL+"/mcp")
	client := newClient(t)
	get := func(path string) (int, string) {
		res, err := client.Get("http://" + p.Addr() + path)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		return res.StatusCode, string(text)
	}
	for _, path := range []string{"/", "/none/mcp"} {
		if status, text := get(path); status != http.StatusNotFound || !strings.Contains(text, "no server has this path") {
			t.Errorf("%s is answered %d, %s", path, status, text)
		}
	}
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			if status, text := get("/late/mcp"); status != http.StatusOK || text != "/mcp" {
				t.Errorf("%d, %s", status, text)
			}
		})
	}
	clients.Wait()
	if _, text := get("/early/mcp"); text != "/mcp" {
		t.Errorf("the server that was there gets %s", text)
	}
	if _, text := get("/.well-known/oauth-protected-resource/late/mcp"); text != "/.well-known/oauth-protected-resource/mcp" {
		t.Errorf("its metadata is asked for at %s", text)
	}
	if !slices.Equal(asked, []string{"none", "late"}) {
		t.Errorf("asked for %q", asked)
	}
	if err := p.Add(Upstream{Name: "late", URL: &url.URL{Scheme: "http", Host: "a"}}); err == nil {
		t.Error("a second server of one name is added")
	}
}
