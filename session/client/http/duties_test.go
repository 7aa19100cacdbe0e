package http

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	trips "wiretea/session/transport/http"
)

// refusing answers every request with a status, the lines of header, and a body.
func refusing(status int, header, body string) func(*world, http.ResponseWriter, *http.Request, string) {
	return func(_ *world, rw http.ResponseWriter, _ *http.Request, _ string) {
		for line := range strings.Lines(header) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			rw.Header().Add(name, value)
		}
		rw.WriteHeader(status)
		io.WriteString(rw, body)
	}
}

// TestRefused holds that a response without an answer ends the call at once, with what it
// means, and accuses the server only where that is certain.
func TestRefused(t *testing.T) {
	guilty := []string{"a coded stream", "a failure", "a bare stream", "no answer at all", "the wrong answer", "no JSON"}
	for name, test := range map[string]struct {
		status       int
		header, body string
		wants        string
	}{
		"a web page":       {200, "Content-Type: text/html", "<html>Sign in</html>", "HTTP 200 OK: a web page came in the place of an answer"},
		"not acceptable":   {406, "", "", "HTTP 406 Not Acceptable: the server finds no type that it may answer in, although both were offered: application/json, text/event-stream"},
		"who asks":         {401, `WWW-Authenticate: Bearer realm="x"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}`, "HTTP 401 Unauthorized: the server requires authentication (Bearer); the body says: error -32001: Unauthorized"},
		"who is told why":  {401, `WWW-Authenticate: Bearer error="invalid_token", error_description="it has expired"`, `{"error":"invalid_token","error_description":"Missing Authorization header"}`, "HTTP 401 Unauthorized: the server requires authentication (Bearer, invalid_token, it has expired); the body says: invalid_token: Missing Authorization header"},
		"a body of OAuth":  {400, "Content-Type: application/json", `{"error":"unauthorized"}`, "HTTP 400 Bad Request: the server refuses the request; the body says: unauthorized"},
		"an empty error":   {400, "Content-Type: application/json", `{"error":{}}`, "HTTP 400 Bad Request: the server refuses the request; the body says: {\"error\":{}}"},
		"a page's refusal": {403, "Content-Type: text/html", "<html>No</html>", "HTTP 403 Forbidden: the server, or a proxy in front of it, refuses access"},
		"its own words":    {415, "Content-Type: text/plain", "Content-Type must be 'application/json'\n", "HTTP 415 Unsupported Media Type: the server refuses the request; the body says: Content-Type must be 'application/json'"},
		"JSON's words":     {403, "Content-Type: application/json", `{"message":"Your plan has no access"}`, "HTTP 403 Forbidden: the server, or a proxy in front of it, refuses access; the body says: Your plan has no access"},
		"the status again": {404, "Content-Type: text/plain", "404 page not found\n", "HTTP 404 Not Found: nothing is served at the path /mcp"},
		"an unknown host":  {421, "Content-Type: text/plain", "Invalid Host header", "HTTP 421 Misdirected Request: the server does not allow the Host server.test; the body says: Invalid Host header"},
		"another host":     {403, "", "Forbidden: the host has no such page", "HTTP 403 Forbidden: the server, or a proxy in front of it, refuses access; the body says: Forbidden: the host has no such page"},
		"more scopes":      {403, `WWW-Authenticate: Bearer error="insufficient_scope", scope="a b", resource_metadata="https://a.test/error=\"b\""`, "", "HTTP 403 Forbidden: the server, or a proxy in front of it, refuses access (Bearer, insufficient_scope, scope a b)"},
		"to nowhere":       {307, "", "", "HTTP 307 Temporary Redirect: the server redirects to nowhere"},
		"a coded stream":   {200, "Content-Type: text/event-stream\nContent-Encoding: gzip", "\x1f\x8b", "HTTP 200 OK: the event stream has the content coding gzip, which was not asked for"},
		"no access":        {403, "", "", "HTTP 403 Forbidden: the server, or a proxy in front of it, refuses access"},
		"another method":   {301, "Location: https://other.test/mcp?key=secret", "", "HTTP 301 Moved Permanently: the server redirects to https://other.test/mcp?key=, which is not followed"},
		"another origin":   {307, "Location: https://server.test/mcp", "", "HTTP 307 Temporary Redirect: the server redirects to https://server.test/mcp, which is not followed"},
		"a failure":        {500, "Content-Type: text/plain", "no", "HTTP 500 Internal Server Error: the server, or a proxy in front of it, failed; the body says: no"},
		"a gateway":        {502, "Content-Type: text/plain", "bad gateway", "HTTP 502 Bad Gateway: the server, or a proxy in front of it, failed"},
		"a failure's page": {504, "Content-Type: text/html", "<html>504</html>", "HTTP 504 Gateway Timeout: the server, or a proxy in front of it, failed"},
		"too long":         {413, "Content-Type: text/html", "<html>413</html>", "HTTP 413 Request Entity Too Large: the request is too long for the server, or for a proxy in front of it"},
		"a proxy asks":     {407, `Proxy-Authenticate: Basic realm="x"`, "", "HTTP 407 Proxy Authentication Required: the server, or a proxy in front of it, requires authentication as to a proxy"},
		"a bad token":      {400, `WWW-Authenticate: Bearer error="invalid_token"`, "", "HTTP 400 Bad Request: the server refuses the request (Bearer, invalid_token)"},
		"a bare stream":    {200, "Content-Type: text/event-stream", `{"jsonrpc":"2.0","id":1,"result":{}}`, "HTTP 200 OK: the body is JSON, and its type is text/event-stream"},
		"no answer at all": {202, "", "", "HTTP 202 Accepted: the request was taken without an answer"},
		"too many":         {429, "Retry-After: 30", "", "HTTP 429 Too Many Requests: too many requests; the server wants a pause of 30 s"},
		"the wrong answer": {200, "Content-Type: application/json", `{"jsonrpc":"2.0","id":77,"result":{}}`, "HTTP 200 OK: the body (application/json) is not the answer"},
		"no JSON":          {200, "Content-Type: application/json", `{"jsonrpc":`, "HTTP 200 OK: the body (application/json) is not the answer"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, Options{Mode: Streamable}, refusing(test.status, test.header, test.body), func(w *world) {
				_, err := w.client(client.Config{Era: client.Legacy})
				var refused *client.HTTPError
				if !errors.As(err, &refused) || err.Error() != "initialize: "+test.wants {
					w.t.Errorf("%v", err)
				}
				if want := slices.Contains(guilty, name); refused != nil && (refused.Fault() == session.Server) != want {
					w.t.Errorf("the fault is %d, that of the server: want %v", refused.Fault(), want)
				}
			})
		})
	}
}

// TestOurs holds that nobody is accused of what wiretea has done, or of a server that is not there.
func TestOurs(t *testing.T) {
	broken := &trips.BrokenError{By: "drill", Err: syscall.ECONNRESET}
	failed := &reply{Response: &http.Response{StatusCode: http.StatusBadGateway}}
	for _, e := range []*client.HTTPError{newError("", broken), newError("", syscall.ECONNREFUSED), explain(failed, nil, nil, broken), cutOff(failed, 0, false, broken)} {
		if e.Fault() != session.Nobody {
			t.Errorf("%v: the fault is %d", e, e.Fault())
		}
	}
	if e := newError("", syscall.EMFILE); e.Means != "wiretea has too many files open" || e.Hint == "" {
		t.Errorf("%v: the hint is %q", e, e.Hint)
	}
}

// TestProxyAsks holds that a proxy of the user's is the one that asks for its credentials.
func TestProxyAsks(t *testing.T) {
	proxy := func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.test") }
	inWorld(t, Options{Mode: Streamable, Proxy: proxy}, refusing(http.StatusProxyAuthRequired, "", ""), func(w *world) {
		_, err := w.client(client.Config{Era: client.Legacy})
		var refused *client.HTTPError
		if !errors.As(err, &refused) || refused.Means != "the proxy requires authentication" || !strings.Contains(refused.Hint, "--proxy") {
			w.t.Errorf("%v", err)
		}
	})
}

// TestProxyRefuses holds that what an HTTP proxy did not connect is not told as the server's.
func TestProxyRefuses(t *testing.T) {
	for status, wants := range map[int]string{
		http.StatusProxyAuthRequired: "the HTTP proxy requires authentication: the HTTP proxy 127.0.0.1:%s answered CONNECT with 407 Proxy Authentication Required",
		http.StatusForbidden:         "the HTTP proxy does not connect to the host: the HTTP proxy 127.0.0.1:%s answered CONNECT with 403 Forbidden",
		0:                            "the connection through the proxy failed: proxyconnect tcp: connection refused at 127.0.0.1:%s",
	} {
		proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) }))
		if status == 0 {
			proxy.Close()
		}
		at, err := url.Parse(proxy.URL)
		if err != nil {
			t.Fatal(err)
		}
		transport := trips.NewTransport(nil, http.ProxyURL(at), false)
		_, failed := transport.RoundTrip(&http.Request{Method: http.MethodPost, URL: &url.URL{Scheme: "https", Host: "server.test", Path: "/mcp"}, Header: http.Header{}})
		if got, wants := newError("", failed).Error(), fmt.Sprintf(wants, at.Port()); got != wants {
			t.Errorf("got %s, want %s", got, wants)
		}
		proxy.Close()
		transport.CloseIdleConnections()
	}
}

// TestRefusedLater holds that nothing false is said of a path at which initialize was answered.
func TestRefusedLater(t *testing.T) {
	inWorld(t, Options{Mode: Streamable}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"initialize"`) {
			rw.Header().Set("Content-Type", "application/json")
			io.WriteString(rw, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
			return
		}
		rw.WriteHeader(http.StatusNotFound)
	}, func(w *world) {
		c, err := w.client(client.Config{Era: client.Legacy})
		if err != nil {
			w.t.Fatal(err)
		}
		_, err = c.Call(w.t.Context(), "ping", nil)
		if want := "HTTP 404 Not Found: the server does not take this message, although it answered initialize at the path /mcp"; err == nil || !strings.HasSuffix(err.Error(), want) {
			w.t.Errorf("%v", err)
		}
	})
}

// TestRefusedModern holds the same of a path at which server/discover was answered.
func TestRefusedModern(t *testing.T) {
	inWorld(t, Options{Mode: Streamable}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"server/discover"`) {
			answerJSON(rw, result(body, `{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`))
			return
		}
		rw.WriteHeader(http.StatusNotFound)
	}, func(w *world) {
		c, err := w.client(client.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		_, err = c.Call(w.t.Context(), "tools/list", nil)
		if want := "HTTP 404 Not Found: the server does not take this message"; err == nil || !strings.HasSuffix(err.Error(), want) {
			w.t.Errorf("%v", err)
		}
	})
}

// TestNothingServed holds that the path is named of a 404 behind no answer, whatever is asked first.
func TestNothingServed(t *testing.T) {
	inWorld(t, Options{Mode: Streamable}, refusing(http.StatusNotFound, "", ""), func(w *world) {
		var refusal error
		w.conn.OnRefused(func(_ string, err error) { refusal = err })
		io.WriteString(w.conn, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`+"\n")
		go w.conn.Read(make([]byte, 1))
		synctest.Wait()
		if refusal == nil || !strings.HasSuffix(refusal.Error(), "nothing is served at the path /mcp") {
			w.t.Errorf("%v", refusal)
		}
	})
}

// TestLadder holds which handshakes are tried, one after the other.
func TestLadder(t *testing.T) {
	modern := func(code int, id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no","data":{"supported":["2026-07-28"]}}}`, id, code)
	}
	for name, test := range map[string]struct {
		mode   Mode
		status int
		body   string
		wants  string
	}{
		"a path without anything":   {Auto, 404, "nothing", "POST /mcp server/discover\nPOST /mcp initialize\nGET /mcp"},
		"POST is not allowed":       {Auto, 405, "", "POST /mcp server/discover\nPOST /mcp initialize\nGET /mcp"},
		"no fallback to HTTP+SSE":   {Streamable, 404, "", "POST /mcp server/discover\nPOST /mcp initialize"},
		"an error of the protocol":  {Auto, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`, "POST /mcp server/discover\nPOST /mcp initialize"},
		"a modern error":            {Auto, 400, modern(-32020, "1"), "POST /mcp server/discover"},
		"a modern error for nobody": {Auto, 400, modern(-32020, "null"), "POST /mcp server/discover"},
		"who asks":                  {Auto, 401, "", "POST /mcp server/discover"},
		"a gateway":                 {Auto, 502, "", "POST /mcp server/discover"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, Options{Mode: test.mode}, refusing(test.status, "Content-Type: application/json", test.body), func(w *world) {
				if _, err := w.client(client.Config{}); err == nil {
					w.t.Error("a handshake with nobody")
				}
				w.wants(test.wants)
			})
		})
	}
}

// TestOldSSE holds that the transport of 2024-11-05 is found, and that its messages come.
func TestOldSSE(t *testing.T) {
	for _, mode := range []Mode{Auto, SSE} {
		stream, ready := make(chan string, 10), false
		inWorld(t, Options{Mode: mode}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
			switch {
			case r.Method == http.MethodGet:
				answerEvents(rw, "event: endpoint\ndata: /messages?sessionId=7\n\n")
				for {
					select {
					case text := <-stream:
						answerEvents(rw, "event: message\ndata: "+text+"\n\n")
					case <-r.Context().Done():
						return
					}
				}
			case r.URL.Path == "/mcp":
				rw.WriteHeader(http.StatusNotFound)
			default:
				switch m := read([]byte(body)); m.method {
				case "initialize":
					stream <- result(body, hello)
				case mcp.InitializedNotification:
					time.Sleep(time.Second / 2) // Nothing overtakes it.
					ready = true
				case "tools/list":
					if !ready {
						t.Error("tools/list came before notifications/initialized was taken")
					}
					stream <- result(body, `{"tools":[]}`)
				}
				rw.WriteHeader(http.StatusAccepted)
			}
		}, func(w *world) {
			stream = make(chan string, 10) // of this bubble
			c := w.legacy()
			if _, err := c.Call(w.t.Context(), "tools/list", nil); err != nil {
				w.t.Fatal(err)
			}
			want := "POST /messages initialize\nPOST /messages notifications/initialized\nPOST /messages tools/list\nGET /mcp"
			if mode == Auto {
				want = "POST /mcp initialize\n" + want
			}
			w.wants(want)
		})
	}
}

// TestForeignEndpoint holds that nothing is sent to another origin.
func TestForeignEndpoint(t *testing.T) {
	inWorld(t, Options{Mode: SSE}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		answerEvents(rw, "event: endpoint\ndata: http://evil.test/messages\n\n")
		<-r.Context().Done()
	}, func(w *world) {
		_, err := w.client(client.Config{Era: client.Legacy})
		if want := "initialize: HTTP+SSE: its endpoint is of another origin, to which nothing is sent: http://evil.test/messages"; err == nil || err.Error() != want {
			w.t.Errorf("%v, want %s", err, want)
		}
		w.wants("GET /mcp")
	})
}

// TestRedirected holds that a redirect within the origin is followed, and remembered.
func TestRedirected(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if r.URL.Path == "/mcp" {
			http.Redirect(rw, r, "/mcp/", http.StatusTemporaryRedirect)
			return
		}
		healthy(rw, r, body, "")
	}, func(w *world) {
		w.legacy()
		w.wants("POST /mcp initialize\nPOST /mcp/ initialize\nPOST /mcp/ notifications/initialized\nGET /mcp/")
		if len(w.notices) != 1 {
			w.t.Errorf("notices %q", w.notices)
		}
	})
}

// TestToken holds that a refused token is fetched again, once, and that its value is in
// neither errors nor the recording.
func TestToken(t *testing.T) {
	for name, test := range map[string]struct {
		tokens []string
		wants  []string // wants are the tokens that were sent.
		fails  bool
	}{
		"renewed":        {[]string{"old", "new"}, []string{"old", "new"}, false},
		"the same again": {[]string{"old", "old"}, []string{"old"}, true},
		"refused again":  {[]string{"old", "older", "new"}, []string{"old", "older"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var sent []string
			opt := Options{Token: func(context.Context, string) (string, error) { calls++; return test.tokens[calls-1], nil }}
			inWorld(t, opt, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
				token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				if read([]byte(body)).method == "initialize" {
					sent = append(sent, token)
				}
				if token != "new" {
					rw.WriteHeader(http.StatusUnauthorized)
					return
				}
				healthy(rw, r, body, "")
			}, func(w *world) {
				_, err := w.client(client.Config{Era: client.Legacy})
				if (err != nil) != test.fails || err != nil && strings.Contains(err.Error(), "old") {
					w.t.Error(err)
				}
				if fmt.Sprint(sent) != fmt.Sprint(test.wants) {
					w.t.Errorf("sent %v, want %v", sent, test.wants)
				}
				for _, ev := range w.events() {
					if value, ok := ev.Field("Authorization"); ok && value != "Bearer" {
						w.t.Errorf("recorded %q", value)
					}
				}
			})
		})
	}
}

// TestOwnHeader holds that the user's fields are sent, replace ours, and are not recorded.
func TestOwnHeader(t *testing.T) {
	opt := Options{Header: http.Header{"X-Tenant": {"acme"}, "Accept": {"*/*"}}}
	opt.URL, _ = url.Parse("http://ann:secret@server.test/mcp?key=secret")
	inWorld(t, opt, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:secret"))
		if h := r.Header; h.Get("X-Tenant") != "acme" || h.Get("Accept") != "*/*" || h.Get("Authorization") != basic {
			w.t.Errorf("header %v", h)
		}
		rw.WriteHeader(http.StatusTeapot)
	}, func(w *world) {
		_, err := w.client(client.Config{Era: client.Legacy})
		said := fmt.Sprint(err)
		for _, ev := range w.events() {
			said += fmt.Sprint(*ev)
		}
		if strings.Contains(said, "acme") || strings.Contains(said, "ann") || strings.Contains(said, "secret\"") || !strings.Contains(said, "*/*") {
			w.t.Error(said)
		}
	})
}

const discovered = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`

// TestModern holds the header fields of the modern era, and that it has no session.
func TestModern(t *testing.T) {
	tools := `{"tools":[{"name":"a tool","inputSchema":{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"},"flag":{"type":"boolean","x-mcp-header":"Flag"},
		"gone":{"type":"string","x-mcp-header":"Gone"},"number":{"type":"number","x-mcp-header":"Number"},
		"where":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}}}}]}`
	var header http.Header
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		header = r.Header
		switch m := read([]byte(body)); m.method {
		case "server/discover":
			answerJSON(rw, result(body, discovered))
		case "tools/list":
			answerJSON(rw, result(body, tools))
		default:
			rw.Header().Set(mcp.SessionHeader, "no")
			answerEvents(rw, "data: "+result(body, `{}`)+"\n\n")
		}
	}, func(w *world) {
		c, err := w.client(client.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := c.List(w.t.Context(), "tools/list"); err != nil {
			w.t.Fatal(err)
		}
		params := `{"name":"a tool","arguments":{"region":"Köln","n":42,"flag":false,"gone":null,"number":1.5,"where":{"city":" =?base64?eA==?="}}}`
		if _, err := c.Call(w.t.Context(), "tools/call", []byte(params)); err != nil {
			w.t.Fatal(err)
		}
		for name, want := range map[string]string{
			mcp.VersionHeader: "2026-07-28", mcp.MethodHeader: "tools/call", mcp.NameHeader: "a tool", mcp.SessionHeader: "",
			"Mcp-Param-Region": "=?base64?S8O2bG4=?=", "Mcp-Param-Count": "42", "Mcp-Param-Flag": "false", "Mcp-Param-Gone": "", "Mcp-Param-Number": "",
			"Mcp-Param-City": "=?base64?ID0/YmFzZTY0P2VBPT0/PQ==?=",
		} {
			if got := header.Get(name); got != want {
				w.t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		w.conn.Shutdown(w.t.Context())
		w.wants("POST /mcp server/discover\nPOST /mcp tools/list\nPOST /mcp tools/call")
	})
}

// TestRelisted holds that a call which is refused for its header fields is made once more,
// with the tools listed.
func TestRelisted(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		switch m := read([]byte(body)); {
		case m.method == "server/discover":
			answerJSON(rw, result(body, discovered))
		case m.method == "tools/list":
			answerJSON(rw, result(body, `{"tools":[{"name":"x","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}]}`))
		case r.Header.Get("Mcp-Param-A") != "1":
			rw.WriteHeader(http.StatusBadRequest)
			answerJSON(rw, `{"jsonrpc":"2.0","id":`+m.id+`,"error":{"code":-32020,"message":"Mcp-Param-A is missing"}}`)
		default:
			answerJSON(rw, result(body, `{}`))
		}
	}, func(w *world) {
		c, err := w.client(client.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := c.Call(w.t.Context(), "tools/call", []byte(`{"name":"x","arguments":{"a":"1"}}`)); err != nil {
			w.t.Error(err)
		}
		if _, err := c.Call(w.t.Context(), "tools/call", []byte(`{"name":"y"}`)); err == nil {
			w.t.Error("refused twice, and no error")
		}
		w.wants(`POST /mcp server/discover
			POST /mcp tools/call
			POST /mcp tools/list
			POST /mcp tools/call
			POST /mcp tools/call
			POST /mcp tools/list
			POST /mcp tools/call`)
	})
}

// TestModernCancelled holds that a modern request is cancelled by the end of its stream.
func TestModernCancelled(t *testing.T) {
	gone := make(chan struct{})
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if read([]byte(body)).method == "server/discover" {
			answerJSON(rw, result(body, discovered))
			return
		}
		answerEvents(rw, ": open\n\n")
		<-r.Context().Done()
		close(gone)
	}, func(w *world) {
		gone = make(chan struct{}) // of this bubble
		c, err := w.client(client.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(w.t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := c.Call(ctx, "tools/call", []byte(`{"name":"slow"}`)); !errors.Is(err, context.Canceled) {
			w.t.Error(err)
		}
		<-gone
		w.wants("POST /mcp server/discover\nPOST /mcp tools/call")
	})
}

// TestListen holds that a subscription is a stream that stays open until it is closed.
func TestListen(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		m := read([]byte(body))
		if m.method == "server/discover" {
			answerJSON(rw, result(body, discovered))
			return
		}
		meta := `"_meta":{"` + mcp.MetaSubscriptionID + `":` + m.id + `}`
		answerEvents(rw, `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},`+meta+"}}\n\n")
		time.Sleep(time.Hour)
		answerEvents(rw, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+meta+"}}\n\n")
		<-r.Context().Done()
	}, func(w *world) {
		c, err := w.client(client.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		sub, err := c.Listen(w.t.Context(), client.Filter{Tools: true})
		if err != nil {
			w.t.Fatal(err)
		}
		if n, err := sub.Next(w.t.Context()); err != nil || n.Method != mcp.ToolsListChangedNotification {
			w.t.Fatal(n.Method, err)
		}
		began := time.Now()
		sub.Close(w.t.Context())
		w.conn.Shutdown(w.t.Context())
		if time.Since(began) != 0 {
			w.t.Errorf("the end took %v", time.Since(began))
		}
	})
}

// TestShutdownBounded holds that a server that answers nothing does not hold the end up.
func TestShutdownBounded(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if r.Method != http.MethodPost || !healthy(rw, r, body, "s") {
			<-r.Context().Done()
		}
	}, func(w *world) {
		c := w.legacy()
		go c.Call(w.t.Context(), "tools/list", nil)
		time.Sleep(streamWait)
		synctest.Wait()
		began := time.Now()
		w.conn.Shutdown(w.t.Context())
		if took := time.Since(began); took != 4*time.Second {
			w.t.Errorf("%v: the grace is 2 s for the request, and for DELETE", took)
		}
	})
}

// TestLegacyCancelled holds that a legacy request is cancelled by a notification, and that
// its stream does not stay open for ever.
func TestLegacyCancelled(t *testing.T) {
	var closed time.Duration
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if healthy(rw, r, body, "s") {
			return
		}
		began := time.Now()
		answerEvents(rw, ": open\n\n")
		<-r.Context().Done()
		closed = time.Since(began)
	}, func(w *world) {
		c := w.legacy()
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
		defer cancel()
		c.Call(ctx, "tools/call", []byte(`{"name":"slow"}`))
		time.Sleep(time.Minute)
		synctest.Wait()
		if closed != time.Second+abandonedWait {
			w.t.Errorf("closed after %v", closed)
		}
		if !strings.Contains(w.requests(), "POST /mcp notifications/cancelled s") {
			w.t.Error(w.requests())
		}
	})
}

// TestTooLong holds that a message that is longer than is kept ends the call, and costs no
// memory to speak of.
func TestTooLong(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream"} {
		inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
			if healthy(rw, r, body, "s") {
				return
			}
			rw.Header().Set("Content-Type", kind)
			if kind == "text/event-stream" {
				io.WriteString(rw, "data: ")
			}
			io.WriteString(rw, `{"jsonrpc":"2.0","id":2,"result":"`)
			long := strings.Repeat("x", 1<<20)
			for range maxMessage>>20 + 1 {
				io.WriteString(rw, long)
			}
			io.WriteString(rw, "\"}\n\n")
		}, func(w *world) {
			if _, err := w.legacy().Call(w.t.Context(), "tools/list", nil); !errors.Is(err, client.ErrTooLong) {
				w.t.Error(err)
			}
		})
	}
}
