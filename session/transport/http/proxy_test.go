package http

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"wiretea/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startProxy starts a proxy in front of servers, each "NAME=URL" or a URL.
func startProxy(t *testing.T, w *witness, cfg ProxyConfig, servers ...string) *Proxy {
	t.Helper()
	cfg.Log, cfg.Upstreams = w.log, upstreams(t, servers...)
	if cfg.Initialize == nil {
		cfg.Initialize = func(body []byte) bool { return bytes.Contains(body, []byte("initialize")) }
	}
	p, err := Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	t.Cleanup(func() {
		if err := errors.Join(p.Close(), <-served); err != nil {
			t.Error(err)
		}
		if n := p.held.Load(); n != 0 {
			t.Errorf("%d bytes are held", n)
		}
	})
	return p
}

func startServer(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// newClient is a client that adds nothing to what it is told.
func newClient(t *testing.T) *http.Client {
	tr := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// startTCP starts a server that hands each connection to serve, and closes it after.
func startTCP(t *testing.T, serve func(c net.Conn, in *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer c.Close()
				serve(c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		conns.Wait()
	})
	return "http://" + l.Addr().String()
}

// readHead reads the head of a request or response, its lines as they came.
func readHead(t *testing.T, in *bufio.Reader) string {
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		head.WriteString(line)
		if err != nil || line == "\r\n" {
			return head.String()
		}
	}
}

// sorted are the lines of a head, the first one first.
func sorted(head string) []string {
	lines := strings.Split(strings.TrimSpace(head), "\r\n")
	slices.Sort(lines[1:])
	return lines
}

// exchange sends text to the proxy and returns what it answers until it closes.
func exchange(t *testing.T, p *Proxy, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("after %q: %v", answer, err)
	}
	return string(answer)
}

// TestTransparent holds what each side gets, byte for byte but for the order and the case
// of fields.
func TestTransparent(t *testing.T) {
	tests := []struct {
		name, request, got string // got is what the server gets of the request.
		response, answer   string // answer is what the client gets of the response.
	}{
		{"post",
			"POST /mcp?x=%20&y HTTP/1.1\r\nHost: PROXY\r\nAccept-Encoding: br\r\nmcp-name: =?base64?w6Q=?=\r\nContent-Length: 2\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n\r\n{}",
			"POST /mcp?x=%20&y HTTP/1.1\r\nAccept-Encoding: br\r\nContent-Length: 2\r\nHost: SERVER\r\nMcp-Name: =?base64?w6Q=?=\r\n\r\n{}",
			"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A: 1\r\nX-A: 2\r\nKeep-Alive: timeout=5\r\n\r\nabc",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\nX-A: 1\r\nX-A: 2\r\n\r\nabc"},
		{"no body, unusual status",
			"DELETE /mcp/ HTTP/1.1\r\nHost: PROXY\r\nUser-Agent: x/1\r\nConnection: close\r\n\r\n",
			"DELETE /mcp/ HTTP/1.1\r\nHost: SERVER\r\nUser-Agent: x/1\r\n\r\n",
			"HTTP/1.1 405 No\r\nAllow: POST\r\nContent-Length: 0\r\nDate: today\r\n\r\n",
			"HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nConnection: close\r\nContent-Length: 0\r\nDate: today\r\n\r\n"},
		{"empty post",
			"POST /a%2Fb//c HTTP/1.1\r\nHost: PROXY\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
			"POST /a%2Fb//c HTTP/1.1\r\nContent-Length: 0\r\nHost: SERVER\r\n\r\n",
			"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"},
		{"chunks and trailers",
			"POST /mcp HTTP/1.1\r\nHost: PROXY\r\nTE: trailers, deflate\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\nConnection: close, TE\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 7\r\n\r\n",
			"POST /mcp HTTP/1.1\r\nHost: SERVER\r\nTe: trailers\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 7\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTrailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-End: 9\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nTrailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-End: 9\r\n\r\n"},
		{"trailers that were not announced",
			"GET /mcp HTTP/1.1\r\nHost: PROXY\r\nConnection: close\r\n\r\n",
			"GET /mcp HTTP/1.1\r\nHost: SERVER\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-End: 9\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-End: 9\r\n\r\n"},
		{"head",
			"HEAD /mcp HTTP/1.1\r\nHost: PROXY\r\nConnection: close\r\n\r\n",
			"HEAD /mcp HTTP/1.1\r\nHost: SERVER\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Encoding: gzip\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"},
		{"options of the server",
			"OPTIONS * HTTP/1.1\r\nHost: PROXY\r\nConnection: close\r\n\r\n",
			"OPTIONS * HTTP/1.1\r\nHost: SERVER\r\n\r\n",
			"HTTP/1.1 204 No Content\r\nAllow: GET\r\n\r\n",
			"HTTP/1.1 204 No Content\r\nAllow: GET\r\nConnection: close\r\n\r\n"},
		{"until the end of the connection",
			"GET /mcp HTTP/1.1\r\nHost: PROXY\r\nConnection: close\r\n\r\n",
			"GET /mcp HTTP/1.1\r\nHost: SERVER\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"},
		{"interim responses",
			"POST /mcp HTTP/1.1\r\nHost: PROXY\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
			"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\nHost: SERVER\r\n\r\n{}",
			"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
			"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc"},
		{"redirect",
			"POST /mcp HTTP/1.1\r\nHost: PROXY\r\nOrigin: http://PROXY\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
			"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\nHost: SERVER\r\nOrigin: http://SERVER\r\n\r\n{}",
			"HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: http://SERVER/mcp/\r\n\r\n",
			"HTTP/1.1 307 Temporary Redirect\r\nConnection: close\r\nContent-Length: 0\r\nLocation: http://PROXY/mcp/\r\n\r\n"},
		{"origin of another page",
			"GET /mcp HTTP/1.1\r\nHost: PROXY\r\nOrigin: http://localhost:6274\r\nConnection: close\r\n\r\n",
			"GET /mcp HTTP/1.1\r\nHost: SERVER\r\nOrigin: http://localhost:6274\r\n\r\n",
			"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: http://localhost:6274\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: http://localhost:6274\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := make(chan string, 1)
			var response string
			url := startTCP(t, func(c net.Conn, in *bufio.Reader) {
				head := readHead(t, in)
				_, body, _ := strings.Cut(test.got, "\r\n\r\n")
				if i := strings.Index(response, "HTTP/1.1 200"); i > 0 { // Interim responses come before the body is sent.
					io.WriteString(c, response[:i])
					response = response[i:]
				}
				rest := make([]byte, len(body))
				io.ReadFull(in, rest)
				got <- head + string(rest)
				io.WriteString(c, response)
			})
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, url+"/mcp")
			names := strings.NewReplacer("PROXY", p.Addr(), "SERVER", strings.TrimPrefix(url, "http://"))
			response = names.Replace(test.response)
			answer := exchange(t, p, names.Replace(test.request))
			for what, pair := range map[string][2]string{"the server": {names.Replace(test.got), <-got}, "the client": {names.Replace(test.answer), answer}} {
				if diff := cmp.Diff(parts(pair[0]), parts(pair[1])); diff != "" {
					t.Errorf("%s gets (-want +got):\n%s", what, diff)
				}
			}
			s := w.whole(1)
			if end := s.event("end"); end.Why != "eof" || s.event("err").Why != "" {
				t.Errorf("got %+v", s.events)
			}
		})
	}
}

// parts are the heads of a message, their lines sorted, and its body.
func parts(message string) (list []string) {
	for strings.Contains(message, "\r\n\r\n") && (strings.HasPrefix(message, "HTTP/") || len(list) == 0) {
		head, rest, _ := strings.Cut(message, "\r\n\r\n")
		list, message = append(list, sorted(head)...), rest
	}
	return append(list, message)
}

// TestRecorded holds what the tap has of a round trip through the proxy.
func TestRecorded(t *testing.T) {
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", "secret")
		w.Header().Set("Location", "/next")
		io.Copy(w, r.Body)
	})
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{RandomPath: true}, "one="+server.URL+"/mcp")
	url := p.URL("one")
	if !strings.HasSuffix(url, "/one/mcp") || !strings.HasPrefix(url, "http://"+p.Addr()+"/") {
		t.Fatalf("the URL is %s", url)
	}
	c := newClient(t)
	for _, session := range []string{"", "secret"} {
		req, _ := http.NewRequest("POST", url+"?token=t", strings.NewReader(`{"method":"initialize"}`))
		req.Header.Set("Origin", "http://"+p.Addr())
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if got := res.Header.Get("Location"); !strings.HasSuffix(got, "/one/next") {
			t.Errorf("the client gets Location: %s", got)
		}
	}
	for trip := 1; trip <= 2; trip++ {
		s := w.whole(trip)
		var order []string
		for _, ev := range s.events {
			order = append(order, ev.Event)
		}
		slices.Sort(order[1:3])
		if want := []string{"req", "conn", "sent", "res", "end"}; !slices.Equal(order, want) {
			t.Errorf("events %v", order)
		}
		req, conn, res, end := s.event("req"), s.event("conn"), s.event("res"), s.event("end")
		if req.Conn != 1 || req.Method != "POST" || req.Target != "/mcp?token=redacted-"+w.log.hash("t")+"-value-1" || req.Server != server.URL || req.Remote == "" {
			t.Errorf("req %+v", req)
		}
		host, _ := req.Field("Host")
		want := []session.HTTPField{{Name: "Host", Value: strings.TrimPrefix(server.URL, "http://")}, {Name: "Origin", Value: server.URL}}
		if diff := cmp.Diff(want, req.Changed); diff != "" || host != p.Addr() {
			t.Errorf("Host %s, changed (-want +got):\n%s", host, diff)
		}
		if conn.Reused != (trip == 2) || conn.Dial == 0 != conn.Reused || "http://"+conn.Remote != server.URL {
			t.Errorf("conn %+v", conn)
		}
		location, _ := res.Field("Location")
		id, _ := res.Field("Mcp-Session-Id")
		if res.Status != 200 || location != "/next" || len(res.Changed) != 1 || id != "" || res.Ours {
			t.Errorf("res %+v", res)
		}
		if end.Why != "eof" || end.Sent != 23 || end.Received != 23 || string(s.bodies[0]) != string(s.bodies[1]) || len(s.bodies[0]) != 23 {
			t.Errorf("end %+v, bodies %q", end, s.bodies)
		}
	}
}

// TestRefused holds that what is not for the proxy does not reach a server.
func TestRefused(t *testing.T) {
	server := startServer(t, func(http.ResponseWriter, *http.Request) { t.Error("the request reached the server") })
	w := newWitness(t)
	var said lockedBuffer
	p := startProxy(t, w, ProxyConfig{Errors: &said}, "a="+server.URL)
	for i, test := range []struct {
		request string
		status  int
		says    string
	}{
		{"GET /a/mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403, `the Host "evil.example" is not`},
		{"POST /a/mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", 403, `the Origin "https://evil.example" is foreign`},
		{"GET /a/mcp HTTP/1.0\r\n\r\n", 403, `the request names no Host; --allow-origin '*' allows it`},
		{"GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404, "no server has this path"},
		{"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\nConnection: close\r\n\r\n", 405, "it opens no tunnels"},
		{"POST /a/mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400, "the request's body cannot be read: invalid byte in chunk length"},
		{"GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404, "no server has this path"},
	} {
		answer := exchange(t, p, test.request)
		if !strings.HasPrefix(answer[min(len(answer), len("HTTP/1.1")):], fmt.Sprintf(" %d ", test.status)) || !strings.Contains(answer, "\r\n\r\nwiretea proxy: "+test.says) {
			t.Errorf("got %q", answer)
		}
		s := w.whole(i + 1)
		if res := s.event("res"); res.Status != test.status || !res.Ours || !strings.Contains(s.event("err").Why, test.says) {
			t.Errorf("got %+v", s.events)
		}
	}
	// A flood of them does not become a flood of lines.
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) != maxNotices || lines[0] != `wiretea: GET /a/mcp was answered 403: the Host "evil.example" is not this proxy's; --allow-origin http://evil.example allows it` || !strings.Contains(lines[maxNotices-1], "in the recording only") {
		t.Errorf("it says %q", lines)
	}
}

// TestLargeHead holds that a long head crosses, and that heads have a limit, in bytes and in time.
func TestLargeHead(t *testing.T) {
	p := startProxy(t, newWitness(t), ProxyConfig{}, startServer(t, func(http.ResponseWriter, *http.Request) {}).URL)
	answer := exchange(t, p, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "+strings.Repeat("x", 200<<10)+"\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 200 ") || p.server.MaxHeaderBytes != maxHeader || p.server.ReadHeaderTimeout != headerTime {
		t.Errorf("%.100q", answer)
	}
}

// TestSecretUntold holds that what is said of a wrong path names the random segment, and has it
// nowhere.
func TestSecretUntold(t *testing.T) {
	var said lockedBuffer
	p := startProxy(t, newWitness(t), ProxyConfig{RandomPath: true, Errors: &said}, startServer(t, nil).URL+"/mcp")
	for _, path := range []string{"/mcp", "/x" + p.router.secret + "/mcp"} {
		answer := exchange(t, p, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if !strings.Contains(answer, " 404 ") || !strings.Contains(answer, "random segment that wiretea proxy printed at its start") || strings.Contains(answer+said.String(), p.router.secret) {
			t.Errorf("%q, and it says %q", answer, said.String())
		}
	}
}

// TestDrain holds that what is under way is answered after the proxy takes nothing new, that a
// stream which stays open is not waited for, and that the wait ends with its context.
func TestDrain(t *testing.T) {
	came, proceed := make(chan string, 2), make(chan struct{})
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", eventStream)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		came <- r.Method
		<-proceed
		io.WriteString(w, "done")
	})
	p := startProxy(t, newWitness(t), ProxyConfig{}, s.URL)
	client := newClient(t)
	stream, err := client.Get(p.URL(""))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	answers := make(chan string, 1)
	go func() {
		res, err := client.Post(p.URL(""), "application/json", strings.NewReader("{}"))
		if err != nil {
			answers <- err.Error()
			return
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		answers <- string(body)
	}()
	receive(t, "request", came)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	p.Drain(over)
	if _, err := net.Dial("tcp", p.Addr()); err == nil {
		t.Error("it takes connections")
	}
	close(proceed)
	p.Drain(t.Context())
	if got := receive(t, "answer", answers); got != "done" {
		t.Errorf("the answer is %q", got)
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	nonsense := startTCP(t, func(c net.Conn, in *bufio.Reader) {
		readHead(t, in)
		io.WriteString(c, "hello\r\n\r\n")
	})
	zero := startTCP(t, func(c net.Conn, in *bufio.Reader) {
		readHead(t, in)
		io.WriteString(c, "HTTP/1.1 000 Nil\r\nContent-Length: 0\r\n\r\n")
	})
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{}, "gone=http://"+l.Addr().String()+"/mcp", "nonsense="+nonsense, "zero="+zero)
	for i, test := range [][2]string{
		{"gone", "cannot reach http://" + l.Addr().String() + ": dial tcp " + l.Addr().String() + ": connect: connection refused\n"},
		{"nonsense", nonsense + " gave no valid response: "},
		{"zero", zero + " gave no valid response: its status is 000"},
	} {
		res, err := newClient(t).Post(p.URL(test[0]), "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 502 || !strings.HasPrefix(string(body), "wiretea proxy: "+test[1]) || strings.Count(string(body), "\n") != 1 {
			t.Errorf("%d %q", res.StatusCode, body)
		}
		if s := w.whole(i + 1); !s.event("res").Ours || s.event("err").Why == "" || s.event("end").Why != "server" {
			t.Errorf("got %+v", s.events)
		}
	}
}

// TestLogin holds that it is said, once, that clients cannot log in through the proxy.
func TestLogin(t *testing.T) {
	var said lockedBuffer
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			w.Header().Set("WWW-Authenticate", "Bearer")
		} else {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+`/.well-known/oauth-protected-resource/mcp"`)
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	p := startProxy(t, newWitness(t), ProxyConfig{Errors: &said}, s.URL)
	client := newClient(t)
	for _, path := range []string{"/other", "/mcp", "/mcp"} {
		res, err := client.Get("http://" + p.Addr() + path)
		if err != nil || res.StatusCode != http.StatusUnauthorized || path == "/mcp" && !strings.Contains(res.Header.Get("WWW-Authenticate"), s.URL) {
			t.Fatalf("%v, %v", res, err)
		}
		res.Body.Close()
		if got := strings.Contains(said.String(), "OAuth"); got != (path == "/mcp") {
			t.Errorf("after %s it says %q", path, said.String())
		}
	}
	if strings.Count(said.String(), "OAuth") != 1 {
		t.Errorf("it says %q", said.String())
	}
}

// A lockedBuffer is written and read by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
