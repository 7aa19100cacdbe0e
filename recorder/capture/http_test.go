package capture_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/demo"
)

// demoURL is the URL of the healthy server.
func demoURL(t *testing.T) *url.URL {
	t.Helper()
	server, err := demo.NewHTTP("healthy", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.Close(); server.Close() })
	u, err := url.Parse(web.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// judged is what a session file says.
func judged(t *testing.T, path string) *session.Snapshot {
	t.Helper()
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	snap, _, err := analysis.Read(t.Context(), f, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func recordingIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+recorder.Suffix))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// TestProxyRecords runs a session of each era through a proxy, and finds it in the record
// as two connections without findings.
func TestProxyRecords(t *testing.T) {
	dir := t.TempDir()
	proxy, err := capture.StartProxy(capture.ProxyConfig{
		Servers: []capture.ProxyServer{{URL: demoURL(t), Label: "tea"}}, RandomPath: true, Record: capture.Record{Dir: dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(proxy.URL(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, era := range []client.EraChoice{client.Legacy, client.Modern} {
		remote, err := capture.NewRemote(http.Options{URL: at})
		if err != nil {
			t.Fatal(err)
		}
		run, err := capture.New(capture.Config{Server: remote, Client: client.Config{Era: era}, Record: capture.Record{None: true}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := run.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reply, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"message":"through"}}`))
		if err != nil || !strings.Contains(string(reply.Result), "through") {
			t.Errorf("%v, %s", err, reply.Result)
		}
		if err := run.Close(t.Context(), "quit"); err != nil {
			t.Error(err)
		}
		_ = run.Release()
	}
	// A viewer's request goes through the proxy too, in a session of its own.
	control, refused := capture.Dial(&session.Header{Via: proxy.URL("")}, http.Options{UserAgent: "viewer"})
	if control == nil {
		t.Fatal(refused)
	}
	out, err := control.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"echo","arguments":{"message":"beside"}}}`))
	if err != nil || !strings.Contains(string(out.Answer), "beside") || control.Cancel(t.Context(), `"none"`, "") == nil {
		t.Errorf("%v, %s", err, out.Answer)
	}
	if err := control.(io.Closer).Close(); err != nil {
		t.Error(err)
	}
	if err := proxy.Close("quit"); err != nil {
		t.Error(err)
	}
	snap := judged(t, recordingIn(t, dir))
	if h := snap.Header(); h.Mode != "proxy" || h.Via != proxy.URL("") || h.Trans != "http" || h.Name != "tea" || h.PPID != 0 || !strings.HasSuffix(h.URL, "/mcp") {
		t.Errorf("the header is %+v", h)
	}
	var eras []string
	for _, c := range snap.Conns() {
		eras = append(eras, c.Era.String())
		if c.OpenTrips != 0 || c.Trips == 0 {
			t.Errorf("connection %d has %d round trips, %d open", c.ID, c.Trips, c.OpenTrips)
		}
	}
	if strings.Join(eras, " ") != "legacy modern modern" || len(snap.Findings()) > 0 {
		t.Errorf("the eras are %s, the findings %+v", eras, snap.Findings())
	}
}

// TestBridge holds that a client over stdio and a server over HTTP understand each other,
// and that each is judged once, where it speaks.
func TestBridge(t *testing.T) {
	dir := t.TempDir()
	in, clientOut := io.Pipe()
	clientIn, out := io.Pipe()
	bridge, err := capture.StartBridge(capture.BridgeConfig{
		Server: http.Options{URL: demoURL(t)}, In: in, Out: out, Notice: func(string) {}, Record: capture.Record{Dir: dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(clientIn)
	ask := func(line string) string {
		if _, err := io.WriteString(clientOut, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"id"`) && lines.Scan() {
			return lines.Text()
		}
		return ""
	}
	for _, step := range []struct{ say, hear string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, "wiretea-demo"},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"over"}}}`, "Echo: over"},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":1}}`, `"error"`},
	} {
		if got := ask(step.say); !strings.Contains(got, step.hear) {
			t.Errorf("%s\nis answered by %s", step.say, got)
		}
	}
	_ = clientOut.Close()
	if err := bridge.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	snap := judged(t, recordingIn(t, dir))
	if conns := snap.Conns(); len(conns) != 2 || conns[0].Trips != 0 || conns[1].Trips < 4 || conns[0].Frames[session.C2S] != conns[1].Frames[session.C2S] {
		t.Errorf("the connections are %+v", conns)
	}
	for _, f := range snap.Findings() {
		if f.Fault != session.Client || f.Conn != 1 {
			t.Errorf("a finding about connection %d: %s, %s", f.Conn, f.Rule, f.Message)
		}
	}
	if len(snap.Findings()) == 0 {
		t.Error("the client's fault was not found")
	}
}

// TestBridgeRefused holds that a client gets one answer, with the id of its request, where
// no server is and where a server does not tell that id.
func TestBridgeRefused(t *testing.T) {
	nobody := httptest.NewServer(nil)
	nobody.Close()
	anonymous := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(nethttp.StatusBadRequest)
		io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}`)
	}))
	t.Cleanup(anonymous.Close)
	for at, want := range map[string]string{
		nobody.URL:    `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"nothing listens there`,
		anonymous.URL: `{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"not initialized","data":{"httpStatus":400}}}`,
	} {
		server, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		in, clientOut := io.Pipe()
		clientIn, out := io.Pipe()
		bridge, err := capture.StartBridge(capture.BridgeConfig{
			Server: http.Options{URL: server}, In: in, Out: out, Notice: func(string) {}, Record: capture.Record{Dir: t.TempDir()},
		})
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(clientOut, `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`+"\n")
		lines := bufio.NewScanner(clientIn)
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Errorf("the answer is %s", lines.Text())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := bridge.Wait(ctx); err != nil {
			t.Error(err)
		}
	}
}
