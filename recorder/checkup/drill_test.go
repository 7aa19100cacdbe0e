package checkup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/path"
)

// TestMain makes this binary a client program too: with the words client, METHOD, WORD and URL
// it makes a request and lists the tools, and where one fails does what the word says.
func TestMain(m *testing.M) {
	if len(os.Args) != 5 || os.Args[1] != "client" {
		os.Exit(m.Run())
	}
	first := post(os.Args[4], 7, os.Args[2])
	if post(os.Args[4], 8, "tools/list") && first {
		os.Exit(0)
	}
	switch os.Args[3] {
	case "hang":
		select {}
	case "crash":
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		select {}
	case "tell":
		fmt.Fprintln(os.Stderr, "no tea today")
	}
	os.Exit(1)
}

// post makes a request, and reports whether it was answered with a response.
func post(at string, id int, method string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", at, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"name":"brew","arguments":{}}}`, id, method)))
	if err != nil {
		return false
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return err == nil && json.Valid(text) && strings.Contains(string(text), `"result"`)
}

// using is a Drill with this binary as the client of a server, which refuses server/discover in
// its own words, and is silent after the second request where it is mute. What wiretea has of this user,
// and the folders of trials, are kept out of the test.
func using(t *testing.T, method, word string, mute bool) (d *Drill, temp string) {
	t.Helper()
	temp = t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", temp)
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.Contains(string(text), "server/discover"):
			http.Error(w, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}`, http.StatusBadRequest)
		case mute && calls.Load() > 1:
			<-r.Context().Done()
		default:
			calls.Add(1)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%c,"result":{"content":[{"type":"text","text":"tea"}]}}`, text[strings.Index(string(text), `"id":`)+5])
		}
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &Drill{
		Client:  func(at []string) []string { return append([]string{os.Args[0], "client", method, word}, at...) },
		Timeout: time.Minute, Quiet: 500 * time.Millisecond, Proxy: &capture.ProxyConfig{Servers: []capture.ProxyServer{{URL: at}}},
	}, temp
}

// tried is a trial under a fault; empty = none.
func tried(t *testing.T, d *Drill, spec string) Trial {
	t.Helper()
	var f *path.Fault
	if spec != "" {
		var err error
		if f, err = path.ParseFault(spec); err != nil {
			t.Fatal(err)
		}
	}
	got, err := d.Try(t.Context(), f)
	if err != nil {
		t.Fatalf("%q: %v", spec, err)
	}
	return got
}

// TestClients checks how the clients of trials end.
func TestClients(t *testing.T) {
	const fails, never = "m:tools/call is:request: status(503)", "m:prompts/get: drop"
	for _, step := range []struct {
		word, fault string
		want        Acted
		code        int
		fine        bool
	}{
		{"tell", "", Acted{Survived, "exit code 0"}, 0, true},
		{"tell", never, Acted{Survived, "exit code 0"}, 0, true},
		{"tell", fails, Acted{Survived, "exit code 1: no tea today"}, 1, true},
		{"silent", fails, Acted{Survived, "exit code 1"}, 1, true},
		{"silent", "is:response: result-to-error", Acted{Survived, "exit code 1"}, 1, true},
		{"hang", fails, Acted{Hung, "still ran after 2s"}, -1, false},
		{"crash", fails, Acted{Verdict: Crashed}, -1, false},
	} {
		d, temp := using(t, "tools/call", step.word, false)
		if step.word == "hang" {
			d.Timeout = 2 * time.Second // It does not end, however long it is waited for.
		}
		got := tried(t, d, step.fault)
		if got.Client.Verdict != step.want.Verdict || step.want.Said != "" && got.Client.Said != step.want.Said || got.ExitCode != step.code ||
			got.Server.Verdict != Survived || got.Fine() != step.fine || got.Applied != (step.fault != "" && step.fault != never) || got.Fault != step.fault {
			t.Errorf("%s, %q: %+v, want %+v", step.word, step.fault, got, step.want)
		}
		if left, err := filepath.Glob(filepath.Join(temp, "wiretea-drill-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// TestServerHangs checks that a server which does not answer is seen, where the fault has kept
// nothing from it; and that one which refuses a request in whatever words does answer.
func TestServerHangs(t *testing.T) {
	for spec, want := range map[string]Verdict{
		"": Hung, "m:tools/call is:request: drop": Hung,
		"m:tools/call is:request: truncate": Survived, "m:tools/call is:request: hang": Survived,
	} {
		d, _ := using(t, "tools/call", "silent", true)
		if got := tried(t, d, ""); !got.Fine() {
			t.Fatalf("%+v", got)
		}
		if got := tried(t, d, spec); got.Server.Verdict != want || got.Fine() != (want == Survived) {
			t.Errorf("%q: %+v, want %s", spec, got, want)
		}
	}
	d, _ := using(t, "server/discover", "silent", false)
	d.Quiet = 0
	if got := tried(t, d, ""); got.Server.Verdict != Survived || got.ExitCode != 1 {
		t.Errorf("refused: %+v", got)
	}
}

// TestNoTrial checks that a client which does not use the server is an error, and so is ctrl-c.
func TestNoTrial(t *testing.T) {
	d, _ := using(t, "tools/call", "silent", false)
	d.Client = func([]string) []string { return []string{os.Args[0], "-test.run=^$"} }
	if _, err := d.Try(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "did not use the server") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d.Client = func([]string) []string {
		cancel()
		return []string{os.Args[0], "-test.run=^$"}
	}
	if _, err := d.Try(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
