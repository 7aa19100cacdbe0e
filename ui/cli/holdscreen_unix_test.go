//go:build unix

package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/ui/cli/term"
)

// TestAttachScreenHolds holds that a screen on a live proxy holds a request, shows it, and
// releases it by a key; and that what it holds goes on when the screen is killed or left.
func TestAttachScreenHolds(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(text), "OOLONG") {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}))
	defer upstream.Close()
	at, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "tea"+recorder.Suffix)
	proxy, err := capture.StartProxy(capture.ProxyConfig{Servers: []capture.ProxyServer{{URL: at, Name: "tea"}}, Record: capture.Record{File: file, Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	post := func(id, tool string) <-chan string {
		got := make(chan string, 1)
		go func() {
			defer close(got)
			req, err := http.NewRequest(http.MethodPost, proxy.URL("tea"), strings.NewReader(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"`+tool+`","arguments":{}}}`))
			if err != nil {
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			defer res.Body.Close()
			if text, err := io.ReadAll(res.Body); err == nil {
				got <- string(text)
			}
		}()
		return got
	}
	if got := <-post("1", "SENCHA"); !strings.Contains(got, `"id":1`) {
		t.Fatalf("nothing is held: %q", got)
	}
	awaitLive(t, file)
	p := onScreen(t, nil, "wiretea", "attach", "--sessions", dir)
	see(t, p, "SENCHA")
	typeIn(t, p, ":intercept m:tools/call d:c2s\r")
	see(t, p, "NOT TRANSPARENT")
	first := post("1", "ASSAM")
	seeRow(t, p, "▸ →", "tools/call", "◔")
	see(t, p, "1 held (a)") // The keys of the row mean the message from now on.
	pressAll(t, p, "a")     // The row of the held message is selected.
	if got := <-first; !strings.Contains(got, `"id":1`) {
		t.Errorf("released: %q", got)
	}
	unsee(t, p, "◔")
	listed := func() string { return inProcess(t.Context(), "attach", "--list", "--sessions", dir).out }
	typeIn(t, p, ":fault m:prompts/list: drop\r")
	see(t, p, "fault in force")
	if got := listed(); !strings.Contains(got, "  NOT TRANSPARENT: intercept, faults\n") {
		t.Errorf("the list: %s", got)
	}
	second := post("2", "OOLONG")
	seeRow(t, p, "▸ →", "tools/call", "◔")
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if got := <-second; !strings.Contains(got, `"id":2`) {
		t.Errorf("when the screen is killed: %q", got)
	}
	if got := listed(); strings.Contains(got, "TRANSPARENT") {
		t.Errorf("the list, when the screen is killed: %s", got)
	}
	p = onScreen(t, nil, "wiretea", "attach", "--sessions", dir)
	see(t, p, "OOLONG")
	typeIn(t, p, ":intercept m:tools/call d:c2s\r")
	see(t, p, "NOT TRANSPARENT")
	third := post("2", "OOLONG")
	seeRow(t, p, "▸ →", "tools/call", "◔")
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
	if got := <-third; !strings.Contains(got, `"id":2`) {
		t.Errorf("when the screen is left: %q", got)
	}
	if err := proxy.Close("quit"); err != nil {
		t.Error(err)
	}
	if check := inProcess(t.Context(), "check", file); check.code != term.ExitFine {
		t.Errorf("check: %v", check)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"released by screen", "released, screen has left"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("the record does not say %q", word)
		}
	}
}
