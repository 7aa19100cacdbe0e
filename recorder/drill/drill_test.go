package drill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/client"
	remote "wiretea/session/client/http"
	"wiretea/session/decide/fault"
)

// TestMain makes this binary a client program too: with DRILL_CLIENT it sends a call of a
// tool to the URL of the proxy, and where that fails does what the variable says.
func TestMain(m *testing.M) {
	word, is := os.LookupEnv("DRILL_CLIENT")
	if !is {
		os.Exit(m.Run())
	}
	if status, err := post(os.Getenv("DRILL_URL")); err == nil && status == http.StatusOK {
		os.Exit(0)
	}
	switch word {
	case "hang":
		select {}
	case "crash":
		panic("out of tea")
	case "tell":
		fmt.Fprintln(os.Stderr, "no tea today")
	}
	os.Exit(1)
}

// post calls a tool.
func post(at string) (status int, err error) {
	req, err := http.NewRequest("POST", at, strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"brew","arguments":{}}}`))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// serve is a small server of 2025-11-25. got, unless nil, is called before each response.
func serve(t *testing.T, got func(ctx context.Context, method string)) *capture.ProxyConfig {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var msg struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.NewDecoder(r.Body).Decode(&msg); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if got != nil {
			got(r.Context(), msg.Method)
		}
		result := "{}"
		switch msg.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"brew","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			result = `{"content":[{"type":"text","text":"tea"}]}`
		}
		if len(msg.ID) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, result)
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &capture.ProxyConfig{Servers: []capture.ProxyServer{{URL: at}}}
}

// own is our client, which waits for long.
func own() *Own {
	return &Own{Config: client.Config{Name: "drill", Version: "1", Era: client.Legacy}, Timeout: time.Minute, Remote: func(at string) (capture.Server, error) {
		u, err := url.Parse(at)
		if err != nil {
			return nil, err
		}
		return capture.NewRemote(remote.Options{URL: u})
	}}
}

// program is this binary as a client program.
func program(word string) *Program {
	return &Program{Timeout: time.Minute, Command: func(at Place) (argv, env []string) {
		return []string{os.Args[0]}, []string{"DRILL_CLIENT=" + word, "DRILL_URL=" + at.URL}
	}}
}

func faults(t *testing.T, specs ...string) (all fault.Faults) {
	t.Helper()
	for _, spec := range specs {
		f, err := fault.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func texts(t *testing.T, stream string) (all []json.RawMessage) {
	t.Helper()
	for dec := json.NewDecoder(strings.NewReader(stream)); ; {
		var text json.RawMessage
		switch err := dec.Decode(&text); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, text)
	}
}

// isolate keeps what wiretea has of this user, and the folders of trials, out of the test.
func isolate(t *testing.T) (temp string) {
	t.Helper()
	temp = t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", temp)
	return temp
}

// TestOwn checks what becomes of our client, twice the same with one seed.
func TestOwn(t *testing.T) {
	temp := isolate(t)
	specs := []string{
		"m:tools/call is:request: status(503) n=1", "m:tools/call is:response: result-to-error(no tea)", "m:tools/call is:request: delay(1ms)",
		"m:prompts/get: drop", "is:request: result-to-error", "m:tools/call is:response: result-to-error p=0.5", "m:tools/call is:request: duplicate",
	}
	line := func(seed uint64) string {
		all := faults(t, specs...)
		for i, f := range all {
			f.Seed(seed + uint64(i))
		}
		d := Drill{Faults: all, Client: own(), Proxy: serve(t, nil), Timeout: time.Minute}
		got, err := d.Run(t.Context())
		if err != nil || !got.Fine() {
			t.Fatalf("%v: %+v", err, got)
		}
		var b strings.Builder
		for _, trial := range got.Trials {
			fmt.Fprintln(&b, trial.Fault, trial.Applied, trial.Client.Verdict, trial.Server.Verdict, trial.Retries, trial.Duplicates)
		}
		return b.String()
	}
	first := line(7)
	if again := line(7); first != again {
		t.Errorf("with one seed:\n%s\n%s", first, again)
	}
	for _, want := range []string{
		"status(503) n=1 seed=7 true told healthy 0 0\n", "result-to-error(no tea) seed=8 true told healthy 0 0\n", "delay(1ms) seed=9 true recovered healthy 0 0\n",
		"drop seed=10 false recovered healthy 0 0\n", "duplicate seed=13 true recovered healthy 0 0\n",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "wiretea-drill-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// retrier is a client that repeats a call until it succeeds.
type retrier struct{}

func (retrier) Try(_ context.Context, at Place) (Result, error) {
	for range 3 {
		if status, err := post(at.URL); err == nil && status == http.StatusOK {
			return Result{Verdict: Recovered}, nil
		}
	}
	return Result{Told, "no tea"}, nil
}

// TestRetries checks that a call that is repeated after it had its effect is a duplicate one.
func TestRetries(t *testing.T) {
	isolate(t)
	var calls atomic.Int64
	d := Drill{Client: retrier{}, Timeout: time.Minute, Proxy: serve(t, func(context.Context, string) { calls.Add(1) }),
		Faults: faults(t, "m:tools/call is:response: status(502) n=1", "m:tools/call is:request: status(503) n=1", "m:tools/call is:response: status(502) n=2")}
	got, err := d.Run(t.Context())
	if err != nil || len(got.Trials) != 3 {
		t.Fatalf("%v: %+v", err, got)
	}
	for i, want := range [][2]int{{1, 1}, {1, 0}, {2, 2}} {
		if trial := got.Trials[i]; trial.Client.Verdict != Recovered || [2]int{trial.Retries, trial.Duplicates} != want {
			t.Errorf("%s: %+v, want %v", trial.Fault, trial, want)
		}
	}
	if n := calls.Load(); n != 1+2+1+3 {
		t.Errorf("the server was called %d times", n)
	}
}

// TestPrograms checks what becomes of client programs.
func TestPrograms(t *testing.T) {
	isolate(t)
	for word, want := range map[string]Result{"tell": {Told, "no tea today"}, "silent": {Failed, "exit code 1"}, "crash": {Verdict: Crashed}, "hang": {Verdict: Hung}} {
		p := program(word)
		d := Drill{Client: p, Timeout: time.Minute, Proxy: serve(t, nil), Faults: faults(t, "m:tools/call is:request: status(503)")}
		d.Begins = func(i int, _ string) {
			if i == 1 && word == "hang" {
				p.Timeout = 300 * time.Millisecond // It does not end, however long it is waited for.
			}
		}
		got, err := d.Run(t.Context())
		if err != nil || len(got.Trials) != 1 {
			t.Fatalf("%s: %v: %+v", word, err, got)
		}
		c := got.Trials[0].Client
		if c.Verdict != want.Verdict || want.Said != "" && c.Said != want.Said || got.Fine() != (word == "tell" || word == "silent") {
			t.Errorf("%s: %+v, want %+v", word, got.Trials[0], want)
		}
	}
}

// TestServerHangs checks that a server which does not answer after a fault is seen.
func TestServerHangs(t *testing.T) {
	isolate(t)
	var pings atomic.Int64
	c := own()
	d := Drill{Client: c, Timeout: time.Minute, Faults: faults(t, "m:tools/call is:request: delay(1ms)"), Proxy: serve(t, func(ctx context.Context, method string) {
		if method == "ping" && pings.Add(1) > 1 {
			<-ctx.Done()
		}
	})}
	d.Begins = func(i int, _ string) {
		if i == 1 {
			c.Timeout, d.Timeout = time.Second, time.Second
		}
	}
	got, err := d.Run(t.Context())
	if err != nil || len(got.Trials) != 1 || got.Fine() {
		t.Fatalf("%v: %+v", err, got)
	}
	if trial := got.Trials[0]; trial.Server.Verdict != Hung || trial.Client.Verdict != Told {
		t.Errorf("got %+v", trial)
	}
}

// TestRefusedProbe checks that a server which refuses the question for its era, in whatever
// words, is not said to leave it without a response.
func TestRefusedProbe(t *testing.T) {
	isolate(t)
	for _, refusal := range []string{`{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}`, "Bad Request"} {
		cfg := serve(t, nil)
		front := httputil.NewSingleHostReverseProxy(cfg.Servers[0].URL)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Method") == "server/discover" {
				http.Error(w, refusal, http.StatusBadRequest)
				return
			}
			front.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		var err error
		if cfg.Servers[0].URL, err = url.Parse(server.URL); err != nil {
			t.Fatal(err)
		}
		c := own()
		c.Config.Era = client.Auto
		d := Drill{Client: c, Timeout: time.Minute, Proxy: cfg}
		side, got, err := d.try(t.Context(), 0, nil)
		if err != nil || got.Verdict != Recovered || side.sent["server/discover "] != 1 || side.waiting != "" {
			t.Errorf("with %q: %+v, %+v, %v", refusal, got, side, err)
		}
	}
}

// TestNoTrial checks what is said where there is nothing to compare with.
func TestNoTrial(t *testing.T) {
	isolate(t)
	unused := &Program{Timeout: time.Minute, Command: func(Place) (argv, env []string) { return []string{os.Args[0], "-test.run=^$"}, nil }}
	d := Drill{Client: unused, Timeout: time.Minute, Proxy: serve(t, nil), Faults: faults(t, ": drop")}
	if _, err := d.Run(t.Context()); !errors.Is(err, ErrUnused) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d = Drill{Client: own(), Timeout: time.Minute, Proxy: serve(t, nil), Faults: faults(t, "m:ping is:request: delay(1ms)", "m:ping is:request: delay(2ms)")}
	d.Begins = func(i int, _ string) {
		if i == 2 {
			cancel()
		}
	}
	if got, err := d.Run(ctx); !errors.Is(err, context.Canceled) || len(got.Trials) != 1 || !got.Plain.Fine() {
		t.Errorf("got %+v, %v", got, err)
	}
}
