package http

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"wiretea/session"
)

// denySampling denies the server's requests for sampling.
type denySampling struct{}

const denial = `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"denied"}}`

func (denySampling) On() bool { return true }

func (denySampling) Text(int, session.Stream, []byte, func() Head) Ruling { return Ruling{} }

func (denySampling) Heads() bool { return false }

func (denySampling) Event(_ int, text []byte, _ bool) Ruling {
	if strings.Contains(string(text), "sampling") {
		return Ruling{By: "policy", Back: [][]byte{[]byte(denial)}}
	}
	return Ruling{}
}

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
			p.router.all()[0].Judge = denySampling{}

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
