//go:build unix

package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	nethttp "net/http"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/mcp"
)

// headerOf waits for the header of a session file.
func headerOf(t *testing.T, ctx context.Context, file string) *session.Header {
	t.Helper()
	for {
		if info, err := recorder.Stat(file); err == nil && info.Header != nil {
			return info.Header
		}
		if err := Pause(ctx, 5*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// nextHeld waits until a message is held that was not before.
func nextHeld(t *testing.T, ctx context.Context, place session.Intercept, after uint64) session.Held {
	t.Helper()
	for {
		for _, h := range place.State().Held {
			if h.ID > after {
				return h
			}
		}
		select {
		case _, more := <-place.Changed():
			if !more {
				t.Fatal("the place is closed")
			}
		case <-ctx.Done():
			t.Fatal("nothing is held")
		}
	}
}

// edit releases a held message with another text in place of one.
func edit(t *testing.T, ctx context.Context, place session.Intercept, h session.Held, from, to string, c session.Choice) {
	t.Helper()
	text, err := place.Text(ctx, h.ID)
	if err != nil || !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%q, %v", text, err)
	}
	c.Verb, c.Text = session.Release, bytes.Replace(text, []byte(from), []byte(to), 1)
	if err := place.Decide(ctx, []uint64{h.ID}, c); err != nil {
		t.Fatal(err)
	}
}

// A user is a client of a server of shouter, and a place between the two.
type user struct {
	place session.Intercept
	ping  func(ctx context.Context) error
	call  func(ctx context.Context, tool string) (text string, err error)
	close func() error

	waits func() []client.Waiting // waits are the requests of our own client; nil = it is another.
}

// viaSDK is a client of the Go SDK.
func viaSDK(t *testing.T, ctx context.Context, transport sdk.Transport) *user {
	client := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil)
	c, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	return &user{
		ping: func(ctx context.Context) error { return c.Ping(ctx, nil) },
		call: func(ctx context.Context, tool string) (string, error) {
			res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
			if err != nil {
				return "", err
			}
			return res.Content[0].(*sdk.TextContent).Text, nil
		},
		close: c.Close,
	}
}

// viaProxy is a client behind a proxy.
func viaProxy(t *testing.T, ctx context.Context, at *url.URL, record Record) *user {
	proxy, err := StartProxy(ProxyConfig{Servers: []ProxyServer{{URL: at}}, Record: record})
	if err != nil {
		t.Fatal(err)
	}
	place, err := Intercept(ctx, headerOf(t, ctx, record.File), "test")
	if err != nil {
		t.Fatal(err)
	}
	u := viaSDK(t, ctx, &sdk.StreamableClientTransport{Endpoint: proxy.URL("")})
	leave := u.close
	u.place, u.close = place, func() error { return errors.Join(leave(), proxy.Close("quit")) }
	return u
}

// viaBridge is a client over stdio in front of a tee to a URL.
func viaBridge(t *testing.T, ctx context.Context, at *url.URL, record Record) *user {
	bridge, client := bridgeTo(t, at, record, InPath{})
	place, err := Intercept(ctx, headerOf(t, ctx, record.File), "test")
	if err != nil {
		t.Fatal(err)
	}
	u := viaSDK(t, ctx, client)
	leave := u.close
	u.place, u.close = place, func() error { return errors.Join(leave(), bridge.Wait(ctx)) }
	return u
}

// viaRun is our own client.
func viaRun(t *testing.T, ctx context.Context, at *url.URL, record Record) *user {
	remote, err := NewRemote(http.Options{URL: at})
	if err != nil {
		t.Fatal(err)
	}
	run, err := New(Config{Server: remote, Client: client.Config{Era: client.Legacy}, Record: record, Intercepts: true})
	if err != nil {
		t.Fatal(err)
	}
	place, err := run.Intercept(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	c, err := run.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return &user{
		place: place, waits: c.Waiting,
		ping: func(ctx context.Context) error {
			_, err := c.Call(ctx, "ping", nil)
			return err
		},
		call: func(ctx context.Context, tool string) (string, error) {
			reply, err := c.Call(ctx, "tools/call", fmt.Appendf(nil, `{"name":%q,"arguments":{}}`, tool))
			if err != nil {
				return "", err
			}
			var result sdk.CallToolResult
			if err := json.Unmarshal(reply.Result, &result); err != nil {
				return "", err
			}
			return result.Content[0].(*sdk.TextContent).Text, nil
		},
		close: func() error { return errors.Join(run.Close(ctx, "quit"), run.Release()) },
	}
}

// TestHoldOverHTTP holds that a call through a proxy, a tee to a URL, and of our own client,
// with bodies that are one JSON text and with event streams, is held, edited and released from
// a place while pings and other calls pass, and so is its answer; that a call is answered in
// the server's place; that the record has the originals; and that nobody is blamed.
func TestHoldOverHTTP(t *testing.T) {
	ways := map[string]func(*testing.T, context.Context, *url.URL, Record) *user{"proxy": viaProxy, "tee": viaBridge, "run": viaRun}
	for name, via := range ways {
		for form, json := range map[string]bool{"json": true, "events": false} {
			t.Run(name+" "+form, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				record := recordIn(t)
				u := via(t, ctx, servingSDK(t, shouter("echo", "other", "third"), json), record)
				u.use(t, ctx, json)
				if err := u.close(); err != nil {
					t.Error(err)
				}
				checkHeld(t, record.File, "edited and released by test", "answered by test", "released, test has left")
			})
		}
	}
}

// use has calls held.
func (u *user) use(t *testing.T, ctx context.Context, json bool) {
	place := u.place
	call := func(tool string) <-chan string {
		got := make(chan string, 1)
		go func() {
			text, err := u.call(ctx, tool)
			if err != nil {
				text = err.Error()
			}
			got <- text
		}()
		return got
	}
	if err := place.Intercept(ctx, session.Interception{Filter: "t:echo is:request"}); err != nil {
		t.Fatal(err)
	}
	answer := call("echo")
	held := nextHeld(t, ctx, place, 0)
	if held.Method != "tools/call" || held.Target != "echo" || held.Stream != session.C2S {
		t.Errorf("%+v", held)
	}
	switch {
	case u.waits == nil && held.Deadline.IsZero():
		t.Error("the clock of another client stands still")
	case u.waits == nil:
	case !held.Deadline.IsZero(), !held.Timeout.IsZero(), u.waits()[0].Limit == 0, !u.waits()[0].Due.IsZero():
		t.Errorf("our own client's clock runs: %+v, %+v", held, u.waits())
	}
	if err := u.ping(ctx); err != nil {
		t.Error(err)
	}
	if got := <-call("third"); got != "third ran" {
		t.Errorf("beside a held call: %s", got)
	}
	edit(t, ctx, place, held, `"echo"`, `"other"`, session.Choice{Follow: true})
	held = nextHeld(t, ctx, place, held.ID)
	if held.Kind != session.RowResult || json != (held.Status == 200) {
		t.Errorf("%+v", held)
	}
	if got := <-call("third"); got != "third ran" {
		t.Errorf("beside a held answer: %s", got)
	}
	edit(t, ctx, place, held, "other ran", "edited", session.Choice{})
	if got := <-answer; got != "edited" {
		t.Errorf("the held call: %s", got)
	}
	answer = call("echo")
	held = nextHeld(t, ctx, place, held.ID)
	choice := session.Choice{Verb: session.Respond, Text: []byte(`{"content":[{"type":"text","text":"by hand: {{params.name}}"}]}`)}
	if err := place.Decide(ctx, []uint64{held.ID}, choice); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got != "by hand: echo" {
		t.Errorf("answered by hand: %s", got)
	}
	answer = call("echo")
	nextHeld(t, ctx, place, held.ID)
	_ = place.Close() // What it holds goes on.
	if got := <-answer; got != "echo ran" {
		t.Errorf("released by leaving: %s", got)
	}
}

// TestClientTimeout holds that a request is held for 80 % of the time that its client waits,
// which is the default where nobody has said it, and that every client of which it is known
// waits for that.
func TestClientTimeout(t *testing.T) {
	for _, known := range mcp.Clients() {
		if known.Timeout != 0 && known.Timeout != (InPath{}).limits().Timeout {
			t.Errorf("%s waits %v: the hold must know that", known.Name, known.Timeout)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for limit, said := range map[time.Duration]time.Duration{time.Minute: 0, 10 * time.Minute: 10 * time.Minute} {
		proxy, record := proxyTo(t, serving(t, nethttp.NotFoundHandler()), InPath{ClientTimeout: said})
		header := headerOf(t, ctx, record)
		place, err := Intercept(ctx, header, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := place.Intercept(ctx, session.Interception{Filter: "m:tools/call"}); err != nil {
			t.Fatal(err)
		}
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			if res, err := nethttp.Post(proxy.URL(""), "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew"}}`)); err == nil {
				res.Body.Close()
			}
		}()
		held := nextHeld(t, ctx, place, 0)
		if waits, goesOn := held.Timeout.Sub(held.Since), held.Deadline.Sub(held.Since); waits != limit || goesOn != limit*8/10 || header.Limits.Timeout != limit {
			t.Errorf("the client waits %v, held for %v, limit %v; want %v", waits, goesOn, header.Limits.Timeout, limit)
		}
		if err := place.Close(); err != nil {
			t.Error(err)
		}
		<-answered
		if err := proxy.Close("quit"); err != nil {
			t.Error(err)
		}
	}
}

// TestHoldHead holds that the status and the fields of a held response go on as edited: fields
// are changed, added and removed; those with several values, and credentials, which are not
// shown, stay as they are; and the record has both heads.
func TestHoldHead(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"cups":2}}`
	at := serving(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		for name, values := range map[string][]string{
			"Content-Type": {"application/json"}, "Mcp-Session-Id": {"s3cr3t-session"}, "Set-Cookie": {"a=hush", "b=hush"}, "Vary": {"Origin", "Accept"}, "X-Pot": {"green"}, "X-Gone": {"1"},
			"Location": {"/tea?token=hush"},
		} {
			w.Header()[name] = values
		}
		_, _ = io.WriteString(w, answer)
	}))
	proxy, record := proxyTo(t, at, InPath{})
	place, err := Intercept(ctx, headerOf(t, ctx, record), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Intercept(ctx, session.Interception{Filter: "is:response"}); err != nil {
		t.Fatal(err)
	}
	got := make(chan *nethttp.Response, 1)
	go func() {
		defer close(got)
		if res, err := nethttp.Post(proxy.URL(""), "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew"}}`)); err == nil {
			got <- res
		}
	}()
	held := nextHeld(t, ctx, place, 0)
	var fields []session.HTTPField
	for _, f := range held.Header {
		if f.Secret != nil || f.Name == "Mcp-Session-Id" || f.Name == "Set-Cookie" || f.Name == "Location" {
			t.Errorf("a credential is shown: %+v", f)
		}
		switch f.Name {
		case "X-Pot":
			f.Value = "black"
		case "X-Gone":
			continue
		}
		fields = append(fields, f)
	}
	if held.Status != 200 {
		t.Errorf("%+v", held)
	}
	fields = append(fields, session.HTTPField{Name: "retry-after", Value: "7"})
	edit(t, ctx, place, held, `"cups":2`, `"cups":12`, session.Choice{Status: 503, Header: fields})
	res := <-got
	if res == nil {
		t.Fatal("the response is missing")
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if want := strings.Replace(answer, "2}", "12}", 1); err != nil || string(body) != want || res.StatusCode != 503 || res.ContentLength != int64(len(want)) {
		t.Errorf("%d %s (%d bytes), %v", res.StatusCode, body, res.ContentLength, err)
	}
	for name, want := range map[string][]string{
		"X-Pot": {"black"}, "X-Gone": nil, "Retry-After": {"7"}, "Vary": {"Origin", "Accept"}, "Set-Cookie": {"a=hush", "b=hush"}, "Mcp-Session-Id": {"s3cr3t-session"},
		"Location": {"/tea?token=hush"}, "Content-Type": {"application/json"},
	} {
		if !slices.Equal(res.Header[name], want) {
			t.Errorf("%s: %q, want %q", name, res.Header[name], want)
		}
	}
	if err := errors.Join(place.Close(), proxy.Close("quit")); err != nil {
		t.Error(err)
	}
	wantHeads(t, record)
}

// wantHeads wants the head of a response in the record as it came, and as it went on.
func wantHeads(t *testing.T, record string) {
	t.Helper()
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	heads := 0
	for line := range strings.Lines(string(text)) {
		var r struct {
			Ev      string
			Status  int
			Changed []session.HTTPField
		}
		if json.Unmarshal([]byte(line), &r) != nil || r.Ev != "res" {
			continue
		}
		heads++
		for _, f := range r.Changed {
			changed = append(changed, f.Name+"="+f.Value)
		}
	}
	if want := []string{":status=503", "X-Gone=", "Retry-After=7", "X-Pot=black"}; heads != 2 || !slices.Equal(changed, want) {
		t.Errorf("%d heads, changed %q, want %q", heads, changed, want)
	}
	if strings.Contains(string(text), "hush") || strings.Contains(string(text), "s3cr3t") {
		t.Error("the record has a credential")
	}
}

// checkHeld checks that a record says who decided, has originals, and blames nobody.
func checkHeld(t *testing.T, record string, words ...string) {
	t.Helper()
	text := blameless(t, record)
	for _, word := range append(words, `"way":"in"`, `"way":"out"`, `"of":`, `"ev":"off","what":"hold"`) {
		if !bytes.Contains(text, []byte(word)) {
			t.Errorf("the record does not say %s:\n%s", word, text)
		}
	}
}

// TestRunHold holds that a run holds the messages of our own client, and that its server
// starts again behind the same place.
func TestRunHold(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	record := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	// The server echoes what it gets as the result of a request.
	script := `while read -r line; do case "$line" in *'"id"'*) id=${line#*'"id":'}; id=${id%%,*}; case "$line" in
		*initialize*|*discover*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
		*) printf '{"jsonrpc":"2.0","id":%s,"result":{"got":"%s"}}\n' "$id" "$(printf %s "$line" | tr -dc A-Z)";; esac;; esac; done`
	run, err := New(Config{Server: &Process{Argv: []string{"sh", "-c", script}}, Record: Record{File: record}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := run.Release(); err != nil {
			t.Error(err)
		}
	}()
	place, err := run.Intercept(ctx, "screen")
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Intercept(ctx, session.Interception{Filter: "m:x/y is:request"}); err != nil {
		t.Fatal(err)
	}
	after := uint64(0)
	for range 2 {
		c, err := run.Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 1)
		go func() {
			reply, err := c.Call(ctx, "x/y", []byte(`{"a":"CAME"}`))
			if err != nil {
				got <- err.Error()
				return
			}
			got <- string(reply.Result)
		}()
		held := nextHeld(t, ctx, place, after)
		after = held.ID
		edit(t, ctx, place, held, "CAME", "WENT", session.Choice{})
		if answer := <-got; !strings.Contains(answer, "WENT") {
			t.Errorf("%s", answer)
		}
		if err := run.HangUp(ctx); err != nil {
			t.Fatal(err)
		}
	}
	_ = place.Close()
	if err := run.Close(ctx, "quit"); err != nil {
		t.Error(err)
	}
	checkHeld(t, record, "edited and released by screen")
}
