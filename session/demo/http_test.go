package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/mcp"
)

// serveHTTP serves a behaviour over HTTP during the test.
func serveHTTP(t *testing.T, name string) *httptest.Server {
	t.Helper()
	h, err := NewHTTP(name, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		srv.Close()
	})
	return srv
}

// TestSDKClientHTTP lets the client of the official SDK use the healthy server
// over each transport of HTTP, in both eras.
func TestSDKClientHTTP(t *testing.T) {
	for _, c := range []struct {
		name, ask, version string
		sse                bool
	}{
		{"modern", "", "2026-07-28", false},
		{"2025-11-25", "2025-11-25", "2025-11-25", false},
		{"2025-03-26", "2025-03-26", "2025-03-26", false},
		{"sse", "2024-11-05", "2024-11-05", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := serveHTTP(t, "healthy")
			var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: srv.URL + Endpoint, HTTPClient: srv.Client()}
			if c.sse {
				transport = &sdk.SSEClientTransport{Endpoint: srv.URL + SSEEndpoint, HTTPClient: srv.Client()}
			}
			progress := make(chan float64, 10)
			client := sdk.NewClient(&sdk.Implementation{Name: "sdk", Version: "1"}, &sdk.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
					progress <- r.Params.Progress
				},
			})
			cs, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: c.ask})
			if err != nil {
				t.Fatal(err)
			}
			useSDK(t, cs, progress)
			if got := cs.InitializeResult().ProtocolVersion; got != c.version {
				t.Errorf("speaks %s, want %s", got, c.version)
			}
			if err := cs.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLegacyHTTP goes through the rules for revisions with sessions.
func TestLegacyHTTP(t *testing.T) {
	srv := serveHTTP(t, "healthy")
	c := newWeb(t, srv)
	list := legacy(2, "tools/list", "")
	wantJSON(t, c.do("POST", list), 400, 2, mcp.InvalidRequest)                                                  // no session
	wantJSON(t, c.do("GET", ""), 400, -1, mcp.InvalidRequest)                                                    // no session
	wantJSON(t, c.do("POST", list, "Mcp-Session-Id: nobody"), 404, 2, mcp.InvalidRequest)                        // unknown session
	wantJSON(t, c.do("POST", initialize("2025-11-25", "{}"), "Mcp-Protocol-Version: 2025-11-25"), 200, 1, 0)     // the field means nothing yet
	wantJSON(t, c.do("POST", legacy(1, "initialize", "{}")), 200, 1, mcp.InvalidParams)                          // no session from an error
	wantJSON(t, c.do("POST", list, "Accept: application/json"), 406, -1, mcp.InvalidRequest)                     // not both
	wantJSON(t, c.do("POST", list, "Accept: text/event-stream"), 406, -1, mcp.InvalidRequest)                    // not both
	wantJSON(t, c.do("POST", list, "Accept: "), 406, -1, mcp.InvalidRequest)                                     // neither
	wantJSON(t, c.do("POST", list, "Content-Type: text/plain"), 415, -1, mcp.InvalidRequest)                     // not JSON
	wantJSON(t, c.do("POST", list, "Origin: https://evil.example"), 403, -1, mcp.InvalidRequest)                 // a foreign page
	wantJSON(t, c.do("POST", list, "Origin: null"), 403, -1, mcp.InvalidRequest)                                 // a sandboxed page
	wantJSON(t, c.do("POST", list, "Host: evil.example"), 403, -1, mcp.InvalidRequest)                           // DNS rebinding
	wantJSON(t, c.do("POST", `{"jsonrpc":`), 400, -1, mcp.ParseError)                                            // cut
	wantJSON(t, c.do("POST", `{}`), 400, -1, mcp.InvalidRequest)                                                 // no message
	wantJSON(t, c.do("POST", `[]`), 400, -1, mcp.InvalidRequest)                                                 // no message
	wantJSON(t, c.do("POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`), 400, -1, mcp.InvalidRequest)        // no id
	wantJSON(t, c.do("POST", list, "Accept: */*", "Mcp-Session-Id: nobody"), 404, 2, mcp.InvalidRequest)         // a range lists both
	wantJSON(t, c.do("POST", list, "Accept: application/*;q=0.5, text/*"), 400, 2, mcp.InvalidRequest)           // so do these
	wantJSON(t, c.do("POST", list, "Content-Type: application/json; charset=utf-8"), 400, 2, mcp.InvalidRequest) // a parameter does not matter

	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			c := newWeb(t, srv)
			c.start(version)
			wantJSON(t, c.do("POST", list), 200, 2, 0)
			wantJSON(t, c.do("POST", list, "Mcp-Protocol-Version: "), 200, 2, 0)
			wantJSON(t, c.do("POST", list, "Mcp-Protocol-Version: 1999-01-01"), 400, 2, mcp.InvalidRequest)
			wantJSON(t, c.do("GET", "", "Accept: application/json"), 406, -1, mcp.InvalidRequest)
			wantJSON(t, c.do("POST", legacy(3, "no/method", "")), 200, 3, mcp.MethodNotFound)
			batch := c.do("POST", "["+legacy(4, "ping", "")+","+legacy(5, "ping", "")+"]")
			if version == "2025-03-26" {
				if got := texts(events(t, batch, 0)); strings.Count(got, `"result"`) != 2 {
					t.Errorf("a batch gives %s", got)
				}
			} else {
				wantJSON(t, batch, 400, -1, mcp.InvalidRequest)
			}
			wantEmpty(t, c.do("DELETE", ""), 204)
			wantJSON(t, c.do("POST", list), 404, 2, mcp.InvalidRequest)
			wantJSON(t, c.do("GET", ""), 404, -1, mcp.InvalidRequest)
			wantJSON(t, c.do("DELETE", ""), 404, -1, mcp.InvalidRequest)
		})
	}
}

func TestResume(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			c := newWeb(t, serveHTTP(t, "healthy"))
			c.start(version)
			whole := events(t, c.do("POST", slowRequest(2)), 0)
			primed := len(whole) > 0 && whole[0].data == ""
			if want := version == "2025-11-25"; primed != want || primed && whole[0].id == "" {
				t.Errorf("an event without data first: %v, want %v: %v", primed, want, whole)
			}
			if primed {
				whole = whole[1:]
			}
			if len(whole) != 3 || !strings.Contains(whole[2].data, "Done in 3 steps.") {
				t.Fatalf("the stream is %v", whole)
			}
			// A connection that breaks does not cancel: the rest is on another one.
			broken := c.do("POST", slowRequest(3))
			first := events(t, broken, 1)
			broken.Body.Close()
			rest := events(t, c.do("GET", "", "Last-Event-Id: "+first[0].id), 0)
			got := texts(append(first, rest...))
			if strings.Count(got, `"progress":`) != 2 || !strings.Contains(got, "Done in 3 steps.") {
				t.Errorf("before and after the break:\n%s", got)
			}
			seen := map[string]bool{}
			for _, e := range append(append(whole, first...), rest...) {
				if e.id == "" || seen[e.id] {
					t.Errorf("the id %q is empty or there twice", e.id)
				}
				seen[e.id] = true
			}
			// What is over already can be read again, without what the client has.
			if again := texts(events(t, c.do("GET", "", "Last-Event-Id: "+whole[1].id), 0)); again != whole[2].data+"\n" {
				t.Errorf("read again: %q", again)
			}
		})
	}
}

// TestStanding opens the stream for messages that belong to no request.
func TestStanding(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "healthy"))
	c.start("2025-06-18")
	standing := c.do("GET", "")
	wantJSON(t, c.do("POST", legacy(2, "resources/subscribe", `{"uri":"demo://note"}`)), 200, 2, 0)
	touch := func(id int) { wantJSON(t, c.do("POST", legacy(id, "tools/call", `{"name":"touch"}`)), 200, id, 0) }
	touch(3)
	got := events(t, standing, 1)
	if !strings.Contains(texts(got), "notifications/resources/updated") {
		t.Fatalf("the stream has %v", got)
	}
	standing.Body.Close()
	touch(4)
	// Another stream for the same, as the first one may not be known to be broken.
	next := c.do("GET", "", "Last-Event-Id: "+got[0].id)
	if again := events(t, next, 1); again[0].id == got[0].id || !strings.Contains(texts(again), "updated") {
		t.Errorf("resumed: %v", again)
	}
	second := c.do("GET", "")
	touch(5)
	if got := texts(events(t, second, 1)); !strings.Contains(got, "updated") {
		t.Errorf("the second stream has %q", got)
	}
	wantEmpty(t, c.do("DELETE", ""), 204)
	if left := texts(events(t, next, 0)); left != "" {
		t.Errorf("the end of the session leaves %q", left)
	}
}

// TestQuestionHTTP lets the server ask on the stream of a call, and answers in a
// POST.
func TestQuestionHTTP(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "healthy"))
	c.start("2025-11-25")
	call := c.do("POST", legacy(2, "tools/call", `{"name":"order"}`))
	if got := texts(events(t, call, 2)); !strings.Contains(got, `"id":"demo-1","method":"elicitation/create"`) {
		t.Fatalf("the stream has %s", got)
	}
	wantEmpty(t, c.do("POST", `{"jsonrpc":"2.0","id":"demo-1","result":{"action":"accept","content":{"tea":"green"}}}`), 202)
	if got := texts(events(t, call, 0)); !strings.Contains(got, "Your order") {
		t.Errorf("the stream goes on with %s", got)
	}
}

// TestModernHTTP goes through the rules of 2026-07-28.
func TestModernHTTP(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "healthy"))
	list := modern(1, "tools/list", "", "")
	echo := modern(2, "tools/call", `"name":"echo","arguments":{"message":"hi"}`, "")
	res := c.modernPost(list, "Mcp-Session-Id: ignored", "Last-Event-Id: ignored")
	if res.Header.Get(mcp.SessionHeader) != "" {
		t.Error("a session id comes back")
	}
	wantJSON(t, res, 200, 1, 0)
	wantJSON(t, c.modernPost(modern(3, "server/discover", "", "")), 200, 3, 0)
	wantJSON(t, c.modernPost(echo), 200, 2, 0)
	wantJSON(t, c.modernPost(echo, "Mcp-Name: =?base64?ZWNobw==?="), 200, 2, 0)
	for _, f := range []string{
		"Mcp-Protocol-Version: ", "Mcp-Protocol-Version: 2025-11-25", "Mcp-Protocol-Version: 2026-07-28|2026-07-28",
		"Mcp-Method: ", "Mcp-Method: tools/list", "Mcp-Method: Tools/Call", "Mcp-Method: tools/call|tools/call",
		"Mcp-Name: ", "Mcp-Name: add", "Mcp-Name: =?base64?ZWNobw?=", "Mcp-Name: echo|echo",
	} {
		t.Run(f, func(t *testing.T) { wantJSON(t, c.modernPost(echo, f), 400, 2, mcp.HeaderMismatch) })
	}
	future := strings.Replace(list, "2026-07-28", "2030-01-01", 1)
	wantJSON(t, c.modernPost(future, "Mcp-Protocol-Version: 2030-01-01"), 400, 1, mcp.UnsupportedVersion)
	wantJSON(t, c.modernPost(legacy(4, "tools/list", "")), 400, 4, mcp.InvalidParams)
	wantJSON(t, c.modernPost(modern(5, "no/method", "", "")), 404, 5, mcp.MethodNotFound)
	wantJSON(t, c.modernPost(modern(6, "ping", "", "")), 404, 6, mcp.MethodNotFound)
	wantJSON(t, c.modernPost(modern(7, "tools/call", `"name":"nothing"`, "")), 200, 7, mcp.InvalidParams)
	wantJSON(t, c.modernPost(modern(8, "tasks/get", `"taskId":"brew-1"`, ""), "Mcp-Name: brew-1"), 400, 8, mcp.MissingCapability)
	wantJSON(t, c.modernPost(modern(9, "tasks/get", `"taskId":"brew-1"`, "")), 400, 9, mcp.HeaderMismatch)
	wantEmpty(t, c.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Mcp-Protocol-Version: 2026-07-28"), 202)
	wantJSON(t, c.do("POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, "Mcp-Protocol-Version: 2026-07-28"), 400, 1, mcp.InvalidRequest)
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		res := c.do(method, "", "Mcp-Protocol-Version: 2026-07-28")
		if res.StatusCode != 405 || res.Header.Get("Allow") != "POST" {
			t.Errorf("%s is answered by %s, Allow: %s", method, res.Status, res.Header.Get("Allow"))
		}
	}
	got := texts(events(t, c.modernPost(modern(10, "tools/call", `"name":"slow","arguments":{"seconds":0.02,"steps":2}`, `"progressToken":1`)), 0))
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, "Done in 2 steps.") {
		t.Errorf("a slow call gives %s", got)
	}
}

func TestMirroredArgument(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "healthy"))
	body, err := io.ReadAll(c.modernPost(modern(1, "tools/list", "", "")).Body)
	if err != nil || strings.Count(string(body), `"x-mcp-header":"Tea"`) != 1 {
		t.Fatalf("the tools are %s (%v)", body, err)
	}
	brew := func(args string) string {
		return tasking(modern(2, "tools/call", `"name":"brew","arguments":{"seconds":0`+args+`}`, ""))
	}
	wantJSON(t, c.modernPost(brew(`,"tea":"green"`), "Mcp-Param-Tea: green"), 200, 2, 0)
	wantJSON(t, c.modernPost(brew(`,"tea":"green"`), "Mcp-Param-Tea: =?base64?Z3JlZW4=?="), 200, 2, 0)
	wantJSON(t, c.modernPost(brew(`,"tea":"green"`)), 400, 2, mcp.HeaderMismatch)
	wantJSON(t, c.modernPost(brew(`,"tea":"green"`), "Mcp-Param-Tea: black"), 400, 2, mcp.HeaderMismatch)
	wantJSON(t, c.modernPost(brew(``)), 200, 2, 0)
	wantJSON(t, c.modernPost(brew(``), "Mcp-Param-Tea: green"), 400, 2, mcp.HeaderMismatch)
}

// TestListenHTTP opens a subscription; the end of its stream cancels it.
func TestListenHTTP(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "healthy"))
	listen := func(id int) *http.Response {
		return c.modernPost(modern(id, "subscriptions/listen", `"notifications":{"resourceSubscriptions":["demo://note"]}`, ""))
	}
	touch := func(id int) {
		wantJSON(t, c.modernPost(modern(id, "tools/call", `"name":"touch"`, "")), 200, id, 0)
	}
	// Two clients may have the same ids.
	one, two := listen(1), listen(1)
	for _, res := range []*http.Response{one, two} {
		if got := events(t, res, 1); got[0].id != "" || !strings.Contains(got[0].data, "subscriptions/acknowledged") {
			t.Errorf("a subscription begins with %v", got)
		}
	}
	one.Body.Close()
	touch(2)
	if got := texts(events(t, two, 1)); !strings.Contains(got, "resources/updated") || !strings.Contains(got, `subscriptionId":1`) {
		t.Errorf("the subscription has %s", got)
	}
}

// TestCloseHTTP wants open requests answered when the server ends.
func TestCloseHTTP(t *testing.T) {
	h, err := NewHTTP("healthy", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	c := newWeb(t, srv)
	listen := c.modernPost(modern(1, "subscriptions/listen", `"notifications":{}`, ""))
	events(t, listen, 1)
	c.start("2025-06-18")
	standing := c.do("GET", "")
	call := c.do("POST", legacy(2, "tools/call", `{"name":"slow","arguments":{"seconds":60},"_meta":{"progressToken":1}}`))
	h.Close()
	if got := texts(events(t, listen, 0)); !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("the subscription ends with %q", got)
	}
	if got := texts(events(t, call, 0)); !strings.Contains(got, "Interrupted") {
		t.Errorf("the call ends with %q", got)
	}
	if got := texts(events(t, standing, 0)); got != "" {
		t.Errorf("the standing stream ends with %q", got)
	}
}

// A failing listener fails once, for a while, and has no connections.
type failing struct {
	net.Listener
	failed bool
}

func (l *failing) Accept() (net.Conn, error) {
	if l.failed {
		return l.Listener.Accept()
	}
	l.failed = true
	return nil, syscall.EMFILE
}

// TestServeHTTPLog holds that what package net/http logs of the server is written.
func TestServeHTTPLog(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	served := make(chan error, 1)
	go func() {
		defer w.Close()
		served <- ServeHTTP(ctx, "healthy", &failing{Listener: l}, w)
	}()
	if line, err := bufio.NewReader(r).ReadString('\n'); !strings.Contains(line, "Accept error") {
		t.Errorf("%q, %v", line, err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestOldTransport(t *testing.T) {
	srv := serveHTTP(t, "healthy")
	c := &web{T: t, url: srv.URL + SSEEndpoint, client: srv.Client()}
	if res := c.do("POST", initialize("2024-11-05", "{}")); res.StatusCode != 405 {
		t.Errorf("a POST at the stream is answered by %s", res.Status)
	}
	res := c.do("GET", "")
	got := events(t, res, 1)
	if got[0].name != "endpoint" || !strings.HasPrefix(got[0].data, "/messages?sessionId=") {
		t.Fatalf("the stream begins with %v", got)
	}
	c.url = srv.URL + got[0].data
	wantEmpty(t, c.do("POST", initialize("2024-11-05", "{}")), 202)
	if got := events(t, res, 1); got[0].name != "message" || !strings.Contains(got[0].data, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("initialize gives %v", got)
	}
	wantJSON(t, c.do("POST", "{"), 400, -1, mcp.ParseError)
	c.url = srv.URL + "/messages?sessionId=nobody"
	if res := c.do("POST", initialized); res.StatusCode != 404 {
		t.Errorf("an unknown session is answered by %s", res.Status)
	}
}

func TestPreflight(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "healthy"))
	res := c.do("OPTIONS", "", "Origin: http://localhost:6274", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: mcp-param-tea, authorization")
	wantEmpty(t, res, 204)
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":  "http://localhost:6274",
		"Access-Control-Allow-Headers": "mcp-param-tea, authorization",
		"Access-Control-Allow-Methods": "GET, POST, DELETE",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	res = c.do("POST", initialize("2025-11-25", "{}"), "Origin: http://localhost:6274")
	if got := res.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(got, mcp.SessionHeader) {
		t.Errorf("a page may read %q", got)
	}
	if res := c.do("OPTIONS", "", "Origin: https://evil.example"); res.StatusCode != 403 || res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a foreign page: %s %v", res.Status, res.Header)
	}
}

// TestManySessions drops the oldest session where there are too many.
func TestManySessions(t *testing.T) {
	h, err := NewHTTP("healthy", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for i := range maxSessions + 1 {
		h.open(h.newSession(fmt.Sprint(i), &fault{}))
	}
	if n := len(h.sessions); n != maxSessions || h.find("0") != nil || h.find(fmt.Sprint(maxSessions)) == nil {
		t.Errorf("%d sessions; the first one is kept: %v", n, h.find("0") != nil)
	}
}
