package http

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wiretea/session"
)

// TestHTTP2 holds that a server of HTTP/2 is reached by it, and what its connection tells.
func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-End")
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d %q", r.Proto, len(body), r.UserAgent())
		w.Header().Set("X-End", "9")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{Transport: NewTransport(&tls.Config{RootCAs: roots}, nil, false)}, server.URL+"/mcp")
	for i, size := range []int{2, 2 * maxWhole} {
		req, _ := http.NewRequest("POST", p.URL(""), bytes.NewReader(make([]byte, size)))
		req.Header.Set("User-Agent", "")
		res, err := newClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if want := fmt.Sprintf(`HTTP/2.0 %d ""`, size); string(body) != want || err != nil || res.Trailer.Get("X-End") != "9" {
			t.Errorf("got %q, %v, trailers %v, want %q", body, err, res.Trailer, want)
		}
		s := w.whole(i + 1)
		conn, cert := s.event("conn"), server.Certificate()
		if conn.Cert == nil || conn.Proto != "h2" || conn.Cert.Version != "TLS 1.3" || conn.Cert.End != cert.NotAfter.Unix() || conn.Cert.Issuer != cert.Issuer.String() ||
			conn.Cert.Subject != cert.Subject.String() || (conn.TLS == 0) != conn.Reused {
			t.Errorf("conn %+v, %+v", conn, conn.Cert)
		}
		if got, _ := s.events[len(s.events)-1].Field("X-End"); got != "9" {
			t.Errorf("end %+v", s.event("end"))
		}
	}
}

func TestHTTP1Only(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c := &http.Client{Transport: NewTransport(&tls.Config{InsecureSkipVerify: true}, nil, true)}
	defer c.CloseIdleConnections()
	res, err := c.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != "HTTP/1.1" {
		t.Errorf("got %s", body)
	}
}

// TestTLS holds that a client that trusts the stored certificate reaches the proxy, over
// both versions of HTTP.
func TestTLS(t *testing.T) {
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			fmt.Fprintf(w, "data: %d\n\n", len(body))
			w.(http.Flusher).Flush()
		}
	})
	file := filepath.Join(t.TempDir(), "proxy.pem")
	cert, err := Certificate(file, "box.example")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file has mode %v, %v", info.Mode(), err)
	}
	text, _ := os.ReadFile(file)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatal("no certificate in the file")
	}
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{Certificate: cert}, server.URL+"/mcp")
	for _, http1 := range []bool{false, true} {
		c := &http.Client{Transport: NewTransport(&tls.Config{RootCAs: roots}, nil, http1)}
		for _, size := range []int{2, 2 * maxWhole} {
			res, err := c.Post(p.URL(""), "application/json", struct{ io.Reader }{bytes.NewReader(make([]byte, size))})
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if want := strings.Repeat(fmt.Sprintf("data: %d\n\n", size), 3); string(body) != want || err != nil || res.ProtoMajor == 1 != http1 {
				t.Errorf("%s %q, %v, want %q", res.Proto, body, err, want)
			}
		}
		c.CloseIdleConnections()
	}
}

func TestCertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "proxy.pem")
	first, err := Certificate(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("its key is not for its owner alone: %v, %v", info, err)
	}
	again, err := Certificate(file)
	if err != nil || !again.Leaf.Equal(first.Leaf) {
		t.Errorf("another certificate although the first is valid: %v", err)
	}
	other, err := Certificate(file, "box.example")
	if err != nil || other.Leaf.Equal(first.Leaf) || other.Leaf.VerifyHostname("box.example") != nil {
		t.Errorf("the certificate is not for the host: %v", err)
	}
	if life := time.Until(other.Leaf.NotAfter); life < 300*24*time.Hour || other.Leaf.IsCA {
		t.Errorf("valid for %v, a CA: %v", life, other.Leaf.IsCA)
	}
	if _, err := Certificate(filepath.Join(file, "x")); err == nil {
		t.Error("a certificate that cannot be stored was returned")
	}
}

// TestOldHTTPAndSSE holds that the path that an event stream gives out leads to the same
// server and connection, with the body unaltered.
func TestOldHTTPAndSSE(t *testing.T) {
	posted := make(chan string)
	serve := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posted <- name + " " + r.RequestURI
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: /messages/?session_id=%s\n\n", r.URL.Query().Get("s"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	a, b := startServer(t, serve("a")), startServer(t, serve("b"))
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{RandomPath: true}, "a="+a.URL+"/sse", "b="+b.URL+"/sse")
	c := newClient(t)
	open := func(name, id, accept string) io.Closer {
		req, _ := http.NewRequest("GET", p.URL(name)+"?s="+id, nil)
		req.Header.Set("Accept", accept)
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		want := "event: endpoint\ndata: /messages/?session_id=" + id + "\n\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
			t.Fatalf("got %q, %v", got, err)
		}
		return res.Body
	}
	post := func(id, want string, conn, trip int) {
		t.Helper()
		done := make(chan error, 1)
		go func() {
			res, err := c.Post("http://"+p.Addr()+"/messages/?session_id="+id, "application/json", strings.NewReader(`{"method":"initialize"}`))
			if err == nil {
				res.Body.Close()
			}
			done <- err
		}()
		if got := receive(t, "message", posted); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if err := receive(t, "answer", done); err != nil {
			t.Error(err)
		}
		if got := w.whole(trip).event("req"); got.Conn != conn {
			t.Errorf("connection %d, want %d", got.Conn, conn)
		}
	}
	first, second, third := open("a", "1", "*/*"), open("b", "2", "text/event-stream"), open("b", "3", "*/*")
	post("2", "b /messages/?session_id=2", 2, 4)
	post("1", "a /messages/?session_id=1", 1, 5)
	post("3", "b /messages/?session_id=3", 3, 6)
	for _, stream := range []io.Closer{first, second, third} {
		stream.Close()
	}
	res, err := c.Post("http://"+p.Addr()+"/messages/?session_id=4", "application/json", strings.NewReader("{}"))
	if err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("a path that nobody gave out: %v, %v", res, err)
	}
	res.Body.Close()
}

// TestCodedBodies holds that content coding crosses as it is, both ways, and that the
// copy is without it.
func TestCodedBodies(t *testing.T) {
	body := bytes.Repeat([]byte(`{"jsonrpc":"2.0"} `), 1000)
	for name := range coders {
		if name == "bare" {
			continue
		}
		wire := coded(t, name, body)
		server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", r.Header.Get("Content-Encoding"))
			io.Copy(w, r.Body)
		})
		w := newWitness(t)
		p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
		req, _ := http.NewRequest("POST", p.URL(""), bytes.NewReader(wire))
		req.Header.Set("Content-Encoding", name)
		res, err := newClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if !bytes.Equal(got, wire) || err != nil || res.Header.Get("Content-Encoding") != name {
			t.Errorf("%s: the client gets %d bytes, %v", name, len(got), err)
		}
		s := w.whole(1)
		for i, recorded := range s.bodies {
			if !bytes.Equal(recorded, body) {
				t.Errorf("%s: %d bytes of body %d are recorded, want %d", name, len(recorded), i, len(body))
			}
		}
		if s.event("req").Coding != name || s.event("res").Coding != name || s.event("end").Sent != int64(len(wire)) {
			t.Errorf("%s: %+v", name, s.events)
		}
	}
}

// TestKeep holds that a server's own checks can be tested through the proxy.
func TestKeep(t *testing.T) {
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host, " ", r.Header["Origin"]) })
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{KeepHost: true, KeepOrigin: true, AllowOrigin: []string{"*"}}, server.URL+"/mcp")
	answer := exchange(t, p, "GET /mcp HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n")
	if !strings.HasSuffix(answer, "evil.example [http://evil.example]") {
		t.Errorf("got %q", answer)
	}
	if req := w.whole(1).event("req"); len(req.Changed) != 0 {
		t.Errorf("changed %v", req.Changed)
	}
}

// TestSessions holds that the sessions of two clients are two connections.
func TestSessions(t *testing.T) {
	n := 0
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "initialize") {
			n++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("session", n))
		}
	})
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
	c := newClient(t)
	for i, step := range []struct {
		body, session string
		conn          int
	}{
		{"initialize", "", 1}, {"initialize", "", 2}, {"x", "session1", 1}, {"x", "session2", 2}, {"x", "other", 3}, {"initialize", "", 4},
	} {
		req, _ := http.NewRequest("POST", p.URL(""), strings.NewReader(step.body))
		if step.session != "" {
			req.Header.Set("Mcp-Session-Id", step.session)
		}
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		s := w.whole(i + 1)
		if got := s.event("req").Conn; got != step.conn || string(s.bodies[session.C2S]) != step.body {
			t.Errorf("%d: connection %d, want %d; body %q", i, got, step.conn, s.bodies[session.C2S])
		}
	}
}

// TestHeadWithoutBody holds that a head is not kept back for a body that does not come.
func TestHeadWithoutBody(t *testing.T) {
	next := make(chan bool)
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "3")
		w.(http.Flusher).Flush()
		<-next
		io.WriteString(w, "abc")
	})
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
	res, err := newClient(t).Get(p.URL(""))
	if err != nil {
		t.Fatal(err)
	}
	next <- true
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if string(body) != "abc" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
}
