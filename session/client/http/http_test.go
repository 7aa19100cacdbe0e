package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// A pipes is a listener whose connections are pipes, so that fake time passes.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}
func (l *pipes) Close() error   { l.once.Do(func() { close(l.over) }); return nil }
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
func (l *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- named{there}:
		return named{here}, nil
	case <-l.over:
		return nil, errors.New("refused")
	}
}

// A named is a pipe with the address of a host, which net/http wants.
type named struct{ net.Conn }

func (named) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// A world is a server and a connection to it.
type world struct {
	t       *testing.T
	conn    *Conn
	tap     *transport.Tap
	notices []string
	peer    *client.Client // peer is nil where the test reads and writes itself.

	mu   sync.Mutex
	seen []string // seen are the requests that came, in a few words.
}

// inWorld runs a test against a server, with fake time.
func inWorld(t *testing.T, opt Options, handler func(w *world, rw http.ResponseWriter, r *http.Request, body string), test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t}
		listener := &pipes{conns: make(chan net.Conn), over: make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.note(r, string(body))
			handler(w, rw, r, string(body))
		})}
		go server.Serve(listener)
		if opt.URL == nil {
			opt.URL, _ = url.Parse("http://server.test/mcp")
		}
		opt.Notice = func(text string) { w.notices = append(w.notices, text) }
		if opt.Proxy == nil {
			opt.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
		}
		remote, err := New(opt)
		if err != nil {
			t.Fatal(err)
		}
		remote.httpc.DialContext = listener.dial
		w.tap = transport.NewTap(time.Now(), transport.TapConfig{})
		w.conn = remote.Start(w.tap)
		test(w)
		if w.peer != nil {
			w.peer.Close()
		}
		if _, err := w.conn.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		remote.httpc.CloseIdleConnections()
		server.Close()
	})
}

// note keeps a request.
func (w *world) note(r *http.Request, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := read([]byte(body))
	text := r.Method + " " + r.URL.Path
	for _, s := range []string{m.method, r.Header.Get(mcp.SessionHeader), r.Header.Get(mcp.LastEventIDHeader)} {
		if s != "" {
			text += " " + s
		}
	}
	w.seen = append(w.seen, text)
}

// requests returns what came, in order, those of GET last: they go beside the others.
func (w *world) requests() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	sort := func(get bool) (list []string) {
		for _, s := range w.seen {
			if strings.HasPrefix(s, "GET") == get {
				list = append(list, s)
			}
		}
		return list
	}
	return strings.Join(append(sort(false), sort(true)...), "\n")
}

// wants fails the test unless those requests came, one a line.
func (w *world) wants(want string) {
	w.t.Helper()
	if want = strings.TrimSpace(strings.ReplaceAll(want, "\t", "")); w.requests() != want {
		w.t.Errorf("the server got\n%s\nwant\n%s", w.requests(), want)
	}
}

// client connects a client and makes the handshake.
func (w *world) client(cfg client.Config) (*client.Client, error) {
	c, err := client.New(cfg, input{w.conn}, w.conn)
	if err != nil {
		w.t.Fatal(err)
	}
	w.peer = c
	return c, c.Handshake(w.t.Context())
}

type input struct{ *Conn }

func (i input) Close() error { return i.CloseWrite() }

// legacy is a client after its handshake.
func (w *world) legacy() *client.Client {
	w.t.Helper()
	c, err := w.client(client.Config{Era: client.Legacy})
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
	return c
}

// events returns the events of the round trips so far, in a few words.
func (w *world) events() (list []*session.HTTPEvent) {
	for {
		batch, _, err := w.tap.Take(time.Nanosecond)
		for _, o := range batch {
			if o.Kind == session.ObsHTTP {
				list = append(list, o.HTTP)
			}
		}
		if err != nil || len(batch) == 0 {
			return list
		}
	}
}

const hello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`

// result is the answer to a request.
func result(body, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, read([]byte(body)).id, result)
}

func answerJSON(rw http.ResponseWriter, text string) {
	rw.Header().Set("Content-Type", "application/json")
	io.WriteString(rw, text)
}

func answerEvents(rw http.ResponseWriter, text string) {
	rw.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(rw, text)
	rw.(http.Flusher).Flush()
}

// healthy answers as a legacy server with the session does, and reports whether it has
// answered.
func healthy(rw http.ResponseWriter, r *http.Request, body, session string) bool {
	switch m := read([]byte(body)); {
	case r.Method == http.MethodGet, r.Method == http.MethodDelete:
		rw.WriteHeader(http.StatusMethodNotAllowed)
	case m.method == "initialize":
		rw.Header().Set(mcp.SessionHeader, session)
		answerJSON(rw, result(body, hello))
	case m.id == "":
		rw.WriteHeader(http.StatusAccepted)
	default:
		return false
	}
	return true
}

func TestLegacySession(t *testing.T) {
	var versions []string
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if r.Method == http.MethodPost {
			versions = append(versions, r.Header.Get(mcp.VersionHeader))
		}
		if accept := r.Header.Get("Accept"); r.Method == http.MethodPost && accept != "application/json, text/event-stream" {
			w.t.Errorf("Accept: %s", accept)
		}
		if !healthy(rw, r, body, "s1") {
			answerEvents(rw, ": hello\n\nid: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/x\"}\n\ndata: "+result(body, `{"tools":[]}`)+"\n\n")
		}
	}, func(w *world) {
		c := w.legacy()
		feed := c.Watch("notifications/x")
		if _, err := c.Call(w.t.Context(), "tools/list", nil); err != nil {
			w.t.Fatal(err)
		}
		if _, err := feed.Next(w.t.Context()); err != nil {
			w.t.Error(err)
		}
		synctest.Wait()
		w.conn.Shutdown(w.t.Context())
		w.wants(`POST /mcp initialize
			POST /mcp notifications/initialized s1
			POST /mcp tools/list s1
			DELETE /mcp s1
			GET /mcp s1`)
		if got := fmt.Sprint(versions); got != "[ 2025-11-25 2025-11-25]" {
			w.t.Errorf("versions %v", got)
		}
	})
}

// TestHandshakeAtOnce holds that what a client writes before initialize is answered waits
// for the session's id.
func TestHandshakeAtOnce(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if read([]byte(body)).method == mcp.Initialize {
			time.Sleep(3 * time.Second)
		}
		if !healthy(rw, r, body, "s1") {
			answerJSON(rw, result(body, `{"tools":[]}`))
		}
	}, func(w *world) {
		began := time.Now()
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		} {
			if _, err := io.WriteString(w.conn, line+"\n"); err != nil {
				w.t.Fatal(err)
			}
		}
		synctest.Wait()
		if took := time.Since(began); took < 3*time.Second || took > 4*time.Second {
			w.t.Errorf("it took %v", took)
		}
		w.wants(`POST /mcp initialize
			POST /mcp notifications/initialized s1
			POST /mcp tools/list s1
			GET /mcp s1`)
	})
}

// TestUnknownMethod holds that a 404 for a method that the server does not know ends no session.
func TestUnknownMethod(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if healthy(rw, r, body, "s1") {
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, lex.Get([]byte(body), "id"))
	}, func(w *world) {
		_, err := w.legacy().Call(w.t.Context(), "tools/list", nil)
		var answer *client.RPCError
		if !errors.As(err, &answer) || answer.Code != mcp.MethodNotFound || w.conn.Number() != 1 || len(w.notices) > 0 {
			w.t.Errorf("%v on connection %d, notices %q", err, w.conn.Number(), w.notices)
		}
	})
}

// TestUnrenewed holds what is said of a 404 in a session that cannot be begun again: its body was
// cut off, or is too long.
func TestUnrenewed(t *testing.T) {
	for name, body := range map[string]string{"cut off": `{"cut`, "too long": strings.Repeat(" ", maxMessage+1)} {
		t.Run(name, func(t *testing.T) {
			ended := false
			inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, asked string) {
				if !ended && healthy(rw, r, asked, "s1") {
					return
				}
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(http.StatusNotFound)
				io.WriteString(rw, body)
				rw.(http.Flusher).Flush()
				if name == "cut off" {
					panic(http.ErrAbortHandler)
				}
			}, func(w *world) {
				c := w.legacy()
				ended = true
				_, err := c.Call(w.t.Context(), "tools/list", nil)
				if name == "too long" && !errors.Is(err, client.ErrTooLong) || name == "cut off" && (err == nil || !strings.Contains(err.Error(), "the body was cut off")) {
					w.t.Errorf("%v", err)
				}
			})
		})
	}
}

// TestRenewedBehindStream holds that a 404 whose body stays open does not delay the next session.
func TestRenewedBehindStream(t *testing.T) {
	live := "s1"
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		switch id := r.Header.Get(mcp.SessionHeader); {
		case id != "" && id != live:
			rw.Header().Set("Content-Type", "text/event-stream")
			rw.WriteHeader(http.StatusNotFound)
			rw.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Hour):
			}
		case !healthy(rw, r, body, live):
			answerJSON(rw, result(body, `{"tools":[]}`))
		}
	}, func(w *world) {
		c := w.legacy()
		live = "s2"
		began := time.Now()
		if _, err := c.Call(w.t.Context(), "tools/list", nil); err != nil || time.Since(began) > time.Second {
			w.t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestSessionRenewed(t *testing.T) {
	live := "s1"
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		switch id := r.Header.Get(mcp.SessionHeader); {
		case id != "" && id != live:
			rw.WriteHeader(http.StatusNotFound)
		case !healthy(rw, r, body, live):
			answerJSON(rw, result(body, `{"tools":[]}`))
		}
	}, func(w *world) {
		c := w.legacy()
		live = "s2"
		if _, err := c.Call(w.t.Context(), "tools/list", nil); err != nil {
			w.t.Fatal(err)
		}
		synctest.Wait()
		w.wants(`POST /mcp initialize
			POST /mcp notifications/initialized s1
			POST /mcp tools/list s1
			POST /mcp initialize
			POST /mcp notifications/initialized s2
			POST /mcp tools/list s2
			GET /mcp s1
			GET /mcp s2`)
		if w.conn.Number() != 2 {
			w.t.Errorf("connection %d, want 2", w.conn.Number())
		}
		if len(w.notices) != 1 || !strings.Contains(w.notices[0], "tools/list was sent once more") {
			w.t.Errorf("notices %q", w.notices)
		}
	})
}
