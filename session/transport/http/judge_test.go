package http

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"wiretea/session"
)

// denySampling denies the server's requests for sampling, and the client's for prompts.
type denySampling struct{}

const refusal = `{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"refused"}}`

const denial = `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"denied"}}`

func (denySampling) On() bool { return true }

func (denySampling) Decide(c session.Carried) session.Ruling {
	switch body := c.Carrier == session.ByBody; {
	case body && strings.Contains(string(c.Text), "prompts"):
		return session.Ruling{Verb: session.Refuse, By: "policy", Back: [][]byte{[]byte(refusal)}}
	case !body && strings.Contains(string(c.Text), "sampling"):
		return session.Ruling{Verb: session.Refuse, By: "policy", Back: [][]byte{[]byte(denial)}}
	}
	return session.Ruling{}
}

func (denySampling) Heads() bool { return false }

func (denySampling) Ended(int, session.Stream) {}

func (denySampling) TooLong() string { return "" }

// TestServerGetsItsAnswer holds that the server gets the answer to its denied request after
// the client has left, and after the proxy was told to end. An answer that the proxy gives up
// is not said to have failed at the server.
func TestServerGetsItsAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		giveUp bool
		why    string
	}{"accepted": {false, "eof"}, "given up": {true, "wiretea"}} {
		t.Run(name, func(t *testing.T) {
			got, accept := make(chan string, 1), make(chan bool)
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if !strings.Contains(string(body), "tools/call") {
					got <- string(body)
					select {
					case <-accept:
						w.WriteHeader(http.StatusAccepted)
					case <-r.Context().Done():
					}
					return
				}
				w.Header().Set("Content-Type", eventStream)
				_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\"}\n\n")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
			p.router.upstreams[0].Judge = denySampling{}

			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL(""), strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`))
			if err != nil {
				t.Fatal(err)
			}
			res, err := newClient(t).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if body := receive(t, "the answer at the server", got); body != denial {
				t.Errorf("the server got %s", body)
			}
			leave()
			if end := w.whole(1).event("end"); end.Why != "client" {
				t.Errorf("the client's round trip: %+v", end)
			}
			closed := make(chan error, 1)
			go func() { closed <- p.Close() }()
			<-p.closing.Done()
			if test.giveUp {
				p.giveUp()
			} else {
				close(accept)
			}
			if err := receive(t, "the end of the proxy", closed); err != nil {
				t.Error(err)
			}
			trip := w.whole(2)
			if failed, end := trip.event("err"), trip.event("end"); failed.Event != "" || end.Why != test.why || !trip.event("req").Ours {
				t.Errorf("the answer's round trip: %+v", trip.events)
			}
		})
	}
}

// TestOldTransportAnswers holds that on the old HTTP+SSE transport a denied request of the
// server is answered where the server takes messages, and one of the client on its stream;
// both also where the stream began before anything was decided on.
func TestOldTransportAnswers(t *testing.T) {
	for _, late := range []bool{false, true} {
		got, send := make(chan string, 1), make(chan string)
		server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				body, _ := io.ReadAll(r.Body)
				got <- r.RequestURI + " " + string(body)
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", eventStream)
			text := "event: endpoint\ndata: /messages?session_id=1\n\n"
			for {
				_, _ = io.WriteString(w, text)
				w.(http.Flusher).Flush()
				select {
				case text = <-send:
				case <-r.Context().Done():
					return
				}
			}
		})
		w := newWitness(t)
		p := startProxy(t, w, ProxyConfig{}, server.URL+"/sse")
		judge := &switched{}
		judge.on.Store(!late)
		p.router.upstreams[0].Judge = judge
		client := newClient(t)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL(""), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", eventStream)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		wants := func(want string) {
			t.Helper()
			text := make([]byte, len(want))
			if _, err := io.ReadFull(res.Body, text); err != nil || string(text) != want {
				t.Errorf("the client got %q, %v", text, err)
			}
		}
		wants("event: endpoint\ndata: /messages?session_id=1\n\n")
		judge.on.Store(true)

		posted, err := client.Post("http://"+p.Addr()+"/messages?session_id=1", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":9,"method":"prompts/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(posted.Body); posted.StatusCode != http.StatusAccepted || len(body) > 0 {
			t.Errorf("the denied request was answered %d %s", posted.StatusCode, body)
		}
		posted.Body.Close()
		wants("event: message\ndata: " + refusal + "\n\n")

		send <- "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\"}\n\n"
		if text := receive(t, "the answer at the server", got); text != "/messages?session_id=1 "+denial {
			t.Errorf("the server got %s", text)
		}
		send <- ": over\n\n"
		wants(": over\n\n")
		if trip := w.whole(3); !trip.event("req").Ours || trip.event("res").Status != http.StatusAccepted || trip.event("end").Why != "eof" {
			t.Errorf("the answer's round trip: %+v", trip.events)
		}
		res.Body.Close()
		if s := w.whole(1); !strings.Contains(string(s.bodies[1]), refusal) {
			t.Errorf("the stream's record: %s", s.bodies[1])
		}
	}
}

// switched is denySampling that can be switched on.
type switched struct {
	denySampling
	on atomic.Bool
}

func (s *switched) On() bool { return s.on.Load() }

// TestSameOrigin holds where the proxy may post an answer to.
func TestSameOrigin(t *testing.T) {
	stream, err := url.Parse("http://a.example/mcp/sse?x=1")
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, want := range map[string]string{
		"/messages?session_id=1":         "http://a.example/messages?session_id=1",
		" post ":                         "http://a.example/mcp/post",
		"http://a.example:80/m":          "http://a.example:80/m",
		"http://b.example/m":             "",
		"https://a.example/m":            "",
		"//b.example/m":                  "",
		"http://user:secret@a.example/m": "",
		"file:///etc/passwd":             "",
		"%zz":                            "",
	} {
		got := ""
		if u := sameOrigin(stream, endpoint); u != nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", endpoint, got, want)
		}
	}
}

// TestSwitchedOn holds that a Judge which begins to decide decides on the next message: the
// response to a request that waits, and the first event of a stream that is open.
func TestSwitchedOn(t *testing.T) {
	came, answer, got := make(chan bool), make(chan string), make(chan string, 1)
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", eventStream)
			w.(http.Flusher).Flush()
		case !strings.Contains(string(body), "tools/call"):
			got <- string(body)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		came <- true
		_, _ = io.WriteString(w, <-answer)
	})
	for name, test := range map[string]struct{ method, body, answer string }{
		"response": {http.MethodPost, `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":7,"result":"prompts"}`},
		"event":    {http.MethodGet, "", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\"}\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
			judge := &switched{}
			p.router.upstreams[0].Judge = judge
			req, err := http.NewRequestWithContext(t.Context(), test.method, p.URL(""), strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			body, headed := make(chan string, 1), make(chan bool, 1)
			go func() {
				res, err := newClient(t).Do(req)
				if err != nil {
					body <- err.Error()
					return
				}
				headed <- true
				text, _ := io.ReadAll(res.Body)
				res.Body.Close()
				body <- string(text)
			}()
			receive(t, "the request at the server", came)
			if name == "event" {
				receive(t, "the head", headed)
			}
			judge.on.Store(true)
			answer <- test.answer
			if text := receive(t, "the end of the response", body); text != "" {
				t.Errorf("the client got %s", text)
			}
			if name == "event" {
				if text := receive(t, "the answer at the server", got); text != denial {
					t.Errorf("the server got %s", text)
				}
			}
			if s := w.whole(1); string(s.bodies[1]) != test.answer || s.event("end").Why != "eof" {
				t.Errorf("the record has %s, %+v", s.bodies[1], s.events)
			}
		})
	}
}

// heads is a Judge that may answer with another status, and drops the server's requests for
// sampling without a word.
type heads struct{ denySampling }

func (heads) Heads() bool { return true }

func (h heads) Decide(c session.Carried) session.Ruling {
	switch text := string(c.Text); {
	case c.Carrier == session.ByBody:
		return h.denySampling.Decide(c)
	case strings.Contains(text, "sampling"):
		return session.Ruling{Verb: session.Alter, By: "fault: drop", Effect: &session.Effect{Silent: true}}
	case strings.Contains(text, "replaced"):
		return session.Ruling{Verb: session.Alter, By: "fault: status", Effect: &session.Effect{Status: http.StatusServiceUnavailable}}
	}
	return session.Ruling{}
}

// TestHeadIsRecordedFirst holds that the record has the head of a response before its body, also
// where the head waits for the first message: it says that the body is an event stream.
func TestHeadIsRecordedFirst(t *testing.T) {
	const priming, message = "id: 1\ndata: \n\n", "id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n"
	for name, test := range map[string]struct{ body, want string }{
		"event without data": {priming + message, priming + message},
		"dropped":            {priming + "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\"}\n\n" + message, priming + message},
		"no message":         {priming, priming},
		"replaced":           {priming + "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"replaced\"}\n\n", "wiretea: injected, fault: status\n"},
	} {
		t.Run(name, func(t *testing.T) {
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", eventStream)
				_, _ = io.WriteString(w, test.body)
			})
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
			p.router.upstreams[0].Judge = heads{}
			res, err := newClient(t).Post(p.URL(""), "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if string(text) != test.want {
				t.Errorf("the client got %q", text)
			}
			if s := w.whole(1); !strings.HasPrefix(string(s.bodies[1]), test.body) { // The witness looks at the order.
				t.Errorf("the record has %q", s.bodies[1])
			}
		})
	}
}

// TestEventsThatPassAreJoined holds that of a stream on which a Judge decides what comes together
// goes on together: the lines of a long event, comments and short events.
func TestEventsThatPassAreJoined(t *testing.T) {
	for name, body := range map[string]string{
		"events":     strings.Repeat("data: {}\n\n", 4000),
		"comments":   strings.Repeat(": x\n\n", 4000),
		"long event": strings.Repeat("data: x\n", maxEvent/8+4000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", eventStream)
				_, _ = io.WriteString(w, body)
			})
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
			p.router.upstreams[0].Judge = denySampling{}
			answer := exchange(t, p, "GET /mcp HTTP/1.1\r\nHost: "+p.Addr()+"\r\nConnection: close\r\n\r\n")
			if more := len(answer) - len(body); more > 8000 {
				t.Errorf("the client got %d bytes beside the %d of the body", more, len(body))
			}
			if s := w.whole(1); string(s.bodies[1]) != body {
				t.Errorf("the record has %d bytes of %d", len(s.bodies[1]), len(body))
			}
		})
	}
}

// TestJudgedBodyIsNotWaitedFor holds that a client which waits for 100 (Continue) does not get
// its message past the Judge: the proxy reads it, and the server is not asked.
func TestJudgedBodyIsNotWaitedFor(t *testing.T) {
	for name, test := range map[string]struct{ body, got, answer string }{
		"denied": {`{"jsonrpc":"2.0","id":9,"method":"prompts/list"}`, "", refusal},
		"passes": {`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`,
			"\nAccept-Encoding: identity\nContent-Length: 46\nHost: SERVER\n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}", "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			url := startTCP(t, func(c net.Conn, in *bufio.Reader) {
				head := readHead(t, in)
				body := make([]byte, len(test.body))
				_, _ = io.ReadFull(in, body)
				got <- strings.Join(sorted(head)[1:], "\n") + "\n" + string(body)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
			})
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, url+"/mcp")
			p.router.upstreams[0].Judge = denySampling{}
			answer := exchange(t, p, "POST /mcp HTTP/1.1\r\nHost: "+p.Addr()+"\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(len(test.body))+"\r\n\r\n"+test.body)
			if n := strings.Count(answer, "HTTP/1.1 100 Continue\r\n\r\n"); n != 1 || !strings.HasSuffix(answer, test.answer) {
				t.Errorf("the client got %q", answer)
			}
			s := w.whole(1)
			var text string
			if test.got != "" {
				text = "\n" + strings.ReplaceAll(receive(t, "the request at the server", got), strings.TrimPrefix(url, "http://"), "SERVER")
				if changed := s.event("req").Changed; !slices.Contains(changed, session.HTTPField{Name: "Expect"}) {
					t.Errorf("the record has the changes %v", changed)
				}
			}
			select {
			case text = <-got:
			default:
			}
			if text != test.got {
				t.Errorf("the server got %q, want %q", text, test.got)
			}
		})
	}
}
