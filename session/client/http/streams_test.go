package http

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/mcp"
)

// TestResumed holds that a stream that is cut behind an event with an id goes on by GET,
// after the time that the server wants.
func TestResumed(t *testing.T) {
	var asked []time.Time
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet && r.Header.Get(mcp.LastEventIDHeader) != "":
			asked = append(asked, time.Now())
			switch len(asked) {
			case 1:
				rw.WriteHeader(http.StatusServiceUnavailable)
			case 2:
				answerEvents(rw, "id: b\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
			default:
				answerEvents(rw, `data: {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`+"\n\n")
			}
		case healthy(rw, r, body, "s"):
		default:
			answerEvents(rw, "retry: 4000\nid: a\ndata:\n\n")
		}
	}, func(w *world) {
		c := w.legacy()
		began := time.Now()
		if _, err := c.Call(w.t.Context(), "tools/list", nil); err != nil {
			w.t.Fatal(err)
		}
		if took := time.Since(began); took != 12*time.Second {
			w.t.Errorf("%v, want three times 4 s", took)
		}
		synctest.Wait()
		w.wants(`POST /mcp initialize
			POST /mcp notifications/initialized s
			POST /mcp tools/list s
			GET /mcp s
			GET /mcp s a
			GET /mcp s a
			GET /mcp s b`)
	})
}

// TestCutOff holds that a stream which cannot be resumed fails the call at once.
func TestCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		opt    Options
		stream string
		wants  string
	}{
		"no id":        {Options{}, ": hello\n\n", "HTTP 200 OK: the event stream ended after 0s without the answer"},
		"not wanted":   {Options{NoResume: true}, "id: a\ndata:\n\n", "HTTP 200 OK: the event stream ended after 0s without the answer"},
		"not offered":  {Options{}, "id: a\nretry: 1\ndata:\n\n", "HTTP 200 OK: the event stream ended after 0s without the answer: resuming it was refused: HTTP 405"},
		"a cut answer": {Options{}, `data: {"jsonrpc":"2.0","id":2,"resu`, "HTTP 200 OK: the event stream ended after 0s without the answer"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, test.opt, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
				if !healthy(rw, r, body, "s") {
					answerEvents(rw, test.stream)
				}
			}, func(w *world) {
				if _, err := w.legacy().Call(w.t.Context(), "tools/list", nil); err == nil || err.Error() != test.wants {
					w.t.Errorf("%v, want %s", err, test.wants)
				}
			})
		})
	}
}

// TestAwaitEnds holds that the end of a stream is waited for once its answer has come, for
// a limited time.
func TestAwaitEnds(t *testing.T) {
	for open, waits := range map[time.Duration]time.Duration{0: 0, 3 * time.Second: 3 * time.Second, time.Hour: 5 * time.Second} {
		inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
			if healthy(rw, r, body, "s") {
				return
			}
			answerEvents(rw, "data: "+result(body, `{"tools":[]}`)+"\n\n")
			select {
			case <-time.After(open):
			case <-r.Context().Done():
			}
		}, func(w *world) {
			if _, err := w.legacy().Call(w.t.Context(), "tools/list", nil); err != nil {
				w.t.Fatal(err)
			}
			began := time.Now()
			if w.conn.AwaitEnds(w.t.Context(), 5*time.Second); time.Since(began) != waits {
				w.t.Errorf("open for %v: waited %v, want %v", open, time.Since(began), waits)
			}
		})
	}
}

// TestGetStream holds that the server's own messages come and are answered, and that the
// stream is asked for again with the last event's id.
func TestGetStream(t *testing.T) {
	gets := 0
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if r.Method != http.MethodGet {
			healthy(rw, r, body, "s")
			return
		}
		switch gets++; gets {
		case 1:
			answerEvents(rw, `id: 1`+"\nretry: 500\n"+`data: {"jsonrpc":"2.0","id":"q","method":"ping"}`+"\n\n")
		case 2:
			answerEvents(rw, "")
			<-r.Context().Done()
		}
	}, func(w *world) {
		w.legacy()
		time.Sleep(600 * time.Millisecond)
		synctest.Wait()
		w.wants(`POST /mcp initialize
			POST /mcp notifications/initialized s
			POST /mcp s
			GET /mcp s
			GET /mcp s 1`)
	})
}

// TestGetStreamFirst holds that a request waits for the GET stream, on which the server
// may ask something: but not long for one that does not open.
func TestGetStreamFirst(t *testing.T) {
	for opens, waits := range map[time.Duration]time.Duration{100 * time.Millisecond: 100 * time.Millisecond, time.Hour: streamWait} {
		var asked time.Duration
		inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
			switch {
			case r.Method == http.MethodGet:
				select {
				case <-time.After(opens):
					answerEvents(rw, "")
					<-r.Context().Done()
				case <-r.Context().Done():
				}
			case !healthy(rw, r, body, "s"):
				answerJSON(rw, result(body, `{"tools":[]}`))
			}
		}, func(w *world) {
			began := time.Now()
			if _, err := w.legacy().Call(w.t.Context(), "tools/list", nil); err != nil {
				w.t.Error(err)
			}
			asked = time.Since(began)
		})
		if asked != waits {
			t.Errorf("the request went after %v, want %v", asked, waits)
		}
	}
}

// TestGetStreamGivenUp holds that a server that ends its stream at once is not asked for
// ever.
func TestGetStreamGivenUp(t *testing.T) {
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		if r.Method == http.MethodGet {
			answerEvents(rw, "")
			return
		}
		healthy(rw, r, body, "s")
	}, func(w *world) {
		w.legacy()
		time.Sleep(time.Hour)
		if gets := strings.Count(w.requests(), "GET"); gets != maxFails {
			w.t.Errorf("%d times", gets)
		}
		if len(w.notices) != 1 || !strings.Contains(w.notices[0], "the server ends it at once") {
			w.t.Errorf("notices %q", w.notices)
		}
	})
}
