package cli

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"wiretea/session/json/lex"
)

// An ask is a request to a small server of the legacy era.
type ask struct {
	http.ResponseWriter
	*http.Request
	method, id string // method is the message's; of a request without one, HTTP's.
}

// result answers the request with a result.
func (a *ask) result(text string) { a.json(200, `{"jsonrpc":"2.0","id":`+a.id+`,"result":`+text+`}`) }

// problem answers the request with an error.
func (a *ask) problem(status, code int, text string) {
	a.json(status, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, a.id, code, lex.Quote(text)))
}

func (a *ask) json(status int, text string) { a.text(status, "application/json", text) }

func (a *ask) text(status int, kind, text string) {
	a.ResponseWriter.Header().Set("Content-Type", kind)
	a.WriteHeader(status)
	_, _ = io.WriteString(a.ResponseWriter, text)
}

// raw takes the connection, writes to it, and leaves it open until the client goes.
func (a *ask) raw(text string) {
	conn, rest, err := a.ResponseWriter.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, text)
	_, _ = io.Copy(io.Discard, rest)
}

const small = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}`

// right answers as a server without a GET stream does.
func (a *ask) right(session string) {
	switch a.method {
	case "initialize":
		if session != "" {
			a.ResponseWriter.Header().Set("Mcp-Session-Id", session)
		}
		a.result(small)
	case "ping":
		a.result(`{}`)
	case "tools/list":
		a.result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)
	case "GET", "DELETE", "OPTIONS":
		a.WriteHeader(http.StatusMethodNotAllowed)
	case "server/discover":
		a.problem(400, -32601, "Method not found")
	default:
		a.WriteHeader(http.StatusAccepted)
	}
}

// wrong is the URL of a small server.
func wrong(t *testing.T, answer func(a *ask)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := &ask{w, r, lex.Unquote(lex.Get(body, "method")), cmp.Or(string(lex.Get(body, "id")), "null")}
		if len(body) == 0 {
			a.method = r.Method
		}
		answer(a)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL + "/mcp"
}

// listening is the address of a server that does that with each connection.
func listening(t *testing.T, serve func(conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return l.Addr().String()
}

// peeking is a connection on which a server of TLS sends no alert.
type peeking struct{ net.Conn }

func (p peeking) Write(b []byte) (int, error) {
	if len(b) > 0 && b[0] == 21 {
		return len(b), nil
	}
	return p.Conn.Write(b)
}

// TestDoctorFirst holds that the first line names the cause, and a mend that helps, for servers
// that answer in a wrong way.
func TestDoctorFirst(t *testing.T) {
	t.Parallel()
	const session = "0123456789abcdef0123456789abcdef"
	except := func(method string, do func(a *ask)) func(a *ask) {
		return func(a *ask) {
			if a.method == method {
				do(a)
				return
			}
			a.right(session)
		}
	}
	always := func(status int, kind, text string) func(a *ask) {
		return func(a *ask) { a.text(status, kind, text) }
	}
	stream := func(text string) func(a *ask) {
		return func(a *ask) {
			if a.method != "GET" {
				a.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			a.text(200, "text/event-stream", text)
			_ = http.NewResponseController(a.ResponseWriter).Flush()
			<-a.Context().Done()
		}
	}
	secret, _ := certificate(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	var turn atomic.Int64
	for name, tt := range map[string]struct {
		url    string // url is the server's, if it is not made from answer.
		path   string // path replaces /mcp.
		flags  []string
		answer func(a *ask)
		want   []string // want are parts of the first line.
	}{
		"hanging body": {want: []string{`the body of the response to tools/list`, `did not end within`, `21 of 190 bytes came → write all of the body`}, answer: except("tools/list", func(a *ask) {
			a.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 190\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\"")
		}), flags: []string{"--timeout", "500ms"}},
		"broken chunk": {want: []string{`the body of the response to tools/list`, `cannot be read: invalid byte in chunk length → find out what`}, answer: except("tools/list", func(a *ask) {
			a.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{\"jsonrpc\"")
		})},
		"json as html": {want: []string{`was answered with the type text/html: {"jsonrpc"`, `→ answer with Content-Type: application/json`}, answer: func(a *ask) {
			a.text(200, "text/html", `{"jsonrpc":"2.0","id":`+a.id+`,"result":`+small+`}`)
		}},
		"json as html error": {want: []string{`was answered with the type text/html: Method not found`, `→ answer with Content-Type: application/json`}, answer: func(a *ask) {
			a.text(200, "text/html", `{"jsonrpc":"2.0","id":`+a.id+`,"error":{"code":-32601,"message":"Method not found"}}`)
		}},
		"no blank line": {want: []string{`the last event of the stream of tools/list`, `no empty line behind it`, `→ end each event by an empty line`}, answer: except("tools/list", func(a *ask) {
			a.text(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":"+a.id+",\"result\":{\"tools\":[]}}\n")
		})},
		"slow list": {want: []string{`tools/list was not answered within 1s → look what it waits for`}, answer: except("tools/list", func(a *ask) {
			time.Sleep(1500 * time.Millisecond)
			a.result(`{"tools":[]}`)
		}), flags: []string{"--timeout", "1s"}},
		"no endpoint": {want: []string{`the first event of GET /sse is not endpoint`, `→ send event: endpoint`}, path: "/sse", answer: stream("event: message\ndata: {}\n\n")},
		"wrong type": {want: []string{`the stream of HTTP+SSE has the type text/plain → answer the GET with Content-Type: text/event-stream`}, path: "/sse", answer: func(a *ask) {
			if a.method != "GET" {
				a.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			a.text(200, "text/plain", "event: endpoint\ndata: /messages\n\n")
			_ = http.NewResponseController(a.ResponseWriter).Flush()
			<-a.Context().Done()
		}, flags: []string{"--timeout", "1s"}},
		"TLS port that closes": {want: []string{`no handshake: the server speaks TLS there → use https://`}, url: "http://" + listening(t, func(conn net.Conn) {
			_ = tls.Server(peeking{conn}, &tls.Config{Certificates: []tls.Certificate{secret}}).Handshake()
		}) + "/mcp"},
		"plain port that waits": {want: []string{`no handshake: the TLS handshake was not answered → the server may not speak TLS at that port: use http://`}, url: "https://" + listening(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }) + "/mcp", flags: []string{"--timeout", "1s"}},
		"long head": {want: []string{`the header fields of the response to`, `Node reads 16384`, `→ put into`}, answer: func(a *ask) {
			a.ResponseWriter.Header().Set("X-Long", strings.Repeat("x", 80<<10))
			a.right(session)
		}},
		"many workers": {want: []string{`was answered 404 for session`, `after its begin`, `→ several processes may serve the URL`}, answer: func(a *ask) {
			if a.method == "initialize" {
				a.right(rand.Text())
				return
			}
			if turn.Add(1)%2 == 0 && a.method != "server/discover" {
				a.problem(404, -32001, "Session not found")
				return
			}
			a.right(session)
		}},
		"session 404 always": {want: []string{`was answered 404 for session`, `→ several processes may serve the URL`}, answer: func(a *ask) {
			if a.Request.Header.Get("Mcp-Session-Id") != "" {
				a.problem(404, -32001, "Session not found")
				return
			}
			a.right(rand.Text())
		}},
		"session 400 always": {want: []string{`was answered 400 for session`, `several processes may serve the URL`}, answer: func(a *ask) {
			if a.Request.Header.Get("Mcp-Session-Id") != "" {
				a.problem(400, -32000, "Bad Request: No valid session ID provided")
				return
			}
			a.right(rand.Text())
		}},
		"session not sent": {want: []string{`although initialize was answered without Mcp-Session-Id`, `→ send Mcp-Session-Id with the result of initialize`}, answer: func(a *ask) {
			if a.method != "initialize" && a.method != "server/discover" {
				a.id = "null"
				a.problem(400, -32000, "Bad Request: No valid session ID provided")
				return
			}
			a.right("")
		}},
		"host 421":          {want: []string{`does not allow the Host 127.0.0.1:`, `the body says: Invalid Host header → add it to the hosts`}, answer: always(421, "text/plain", "Invalid Host header")},
		"host 403":          {want: []string{`does not allow the Host 127.0.0.1:`, `Invalid Host header: 127.0.0.1:1 → add it to the hosts`}, answer: func(a *ask) { a.id = "null"; a.problem(403, -32000, "Invalid Host header: 127.0.0.1:1") }},
		"host 403 go":       {want: []string{`does not allow the Host 127.0.0.1:`, `→ add it to the hosts`}, answer: always(403, "text/plain", "Forbidden: invalid Host header\n")},
		"media 415":         {want: []string{`the body says: Content-Type must be 'application/json'`}, answer: always(415, "text/plain; charset=utf-8", "Content-Type must be 'application/json'\n")},
		"forbidden 403":     {want: []string{`the body says: Your plan has no access`}, answer: always(403, "application/json", `{"message":"Your plan has no access"}`)},
		"post 405":          {want: []string{`POST is not allowed there → look up the path of the endpoint`}, answer: always(405, "application/json", `{"detail":"Method Not Allowed"}`)},
		"fastapi 404":       {want: []string{`nothing is served at the path /mcp → look up the path of the endpoint`}, answer: always(404, "application/json", `{"detail":"Not Found"}`)},
		"token rejected":    {want: []string{`refuses the credentials that were sent; the body says: invalid_token → get new ones`}, answer: always(401, "application/json", `{"error":"invalid_token"}`), flags: []string{"--header", "Authorization: Bearer x"}},
		"another API":       {want: []string{`is not a JSON-RPC response`, `→ look at the path of the URL: another API seems to answer at /mcp`}, answer: always(200, "application/json", `{"status":"ok","version":"1.2"}`)},
		"another API error": {want: []string{`the body says: unknown route → look up the path of the endpoint`}, answer: always(400, "application/json", `{"error":"unknown route","code":17}`)},
		"old prefix": {want: []string{`nothing is served at the path /messages, which the endpoint event names → if a proxy`}, path: "/api/sse", answer: func(a *ask) {
			switch {
			case a.method == "GET" && a.URL.Path == "/api/sse":
				stream("event: endpoint\ndata: /messages?sessionId=1\n\n")(a)
			default:
				a.text(404, "text/plain", "Not Found")
			}
		}},
		"sse elsewhere": {want: []string{`→ an MCP server answers at http://127.0.0.1:`, `/sse`}, answer: func(a *ask) {
			if a.URL.Path == "/sse" {
				stream("event: endpoint\ndata: /messages?sessionId=1\n\n")(a)
				return
			}
			a.text(404, "text/plain", "Not Found")
		}},
		"never answers": {want: []string{`nothing came on the event stream → write the response as an event`}, path: "/sse", answer: func(a *ask) {
			if a.method == "GET" {
				stream("event: endpoint\ndata: /messages?sessionId=1\n\n")(a)
				return
			}
			if a.URL.Path == "/sse" {
				a.WriteHeader(405)
				return
			}
			a.text(202, "text/plain", "Accepted")
		}, flags: []string{"--timeout", "1s"}},
		"init error": {want: []string{`database is down → read what the server writes at that time`}, answer: func(a *ask) {
			if a.method == "initialize" {
				a.problem(200, -32603, "database is down")
				return
			}
			a.right("")
		}},
		"version header 400": {want: []string{`Unsupported protocol version → have the server accept, in MCP-Protocol-Version`}, answer: func(a *ask) {
			if a.Request.Header.Get("MCP-Protocol-Version") != "" {
				a.problem(400, -32000, "Bad Request: Unsupported protocol version")
				return
			}
			a.right("")
		}},
		"keep-alive reset": {want: []string{`connection reset by peer, on a connection that was open from the request before → have the server keep connections open`}, url: "http://" + listening(t, func(conn net.Conn) {
			r := bufio.NewReader(conn)
			for i := 0; ; i++ {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				body, _ := io.ReadAll(req.Body)
				if i > 0 {
					_ = conn.(*net.TCPConn).SetLinger(0)
					return
				}
				a := &ask{httptest.NewRecorder(), req, lex.Unquote(lex.Get(body, "method")), string(lex.Get(body, "id"))}
				a.right("")
				res := a.ResponseWriter.(*httptest.ResponseRecorder).Result()
				res.ContentLength = int64(a.ResponseWriter.(*httptest.ResponseRecorder).Body.Len())
				_ = res.Write(conn)
			}
		}) + "/mcp"},
		"UTF-16": {want: []string{`is UTF-16, must be UTF-8 → encode the body as UTF-8`}, answer: func(a *ask) {
			text := "\xff\xfe"
			for _, u := range utf16.Encode([]rune(`{"jsonrpc":"2.0","id":` + a.id + `,"result":` + small + `}`)) {
				text += string([]byte{byte(u), byte(u >> 8)})
			}
			a.text(200, "application/json", text)
		}},
		"list error": {want: []string{`database is down → try it by hand`}, answer: except("tools/list", func(a *ask) { a.problem(200, -32603, "database is down") })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := tt.url
			if at == "" {
				at = wrong(t, tt.answer)
			}
			if tt.path != "" {
				at = strings.TrimSuffix(at, "/mcp") + tt.path
			}
			r, _ := checked(t, append(tt.flags, at)...)
			for _, part := range tt.want {
				if !strings.Contains(r.Diagnosis, part) {
					t.Errorf("%q lacks %q", r.Diagnosis, part)
				}
			}
		})
	}
}
