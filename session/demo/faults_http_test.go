package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/mcp"
)

// A page writes a response into a transcript, with the time of each flush.
type pageWriter struct {
	*httptest.ResponseRecorder
	tr    *transcript
	hides *strings.Replacer
	shown int
	head  bool
}

// Flush implements http.Flusher.
func (w *pageWriter) Flush() {
	if !w.head {
		w.head = true
		w.WriteHeader(http.StatusOK)
		text := fmt.Sprint(w.Code)
		for _, name := range []string{"Content-Type", "Location", "Allow", mcp.SessionHeader} {
			if value := w.Header().Get(name); value != "" {
				text += " " + name + ": " + value
			}
		}
		w.tr.note("=", []byte(w.hides.Replace(text)))
	}
	if body := w.Body.String(); len(body) > w.shown {
		w.tr.note("<", []byte(w.hides.Replace(body[w.shown:])))
		w.shown = len(body)
	}
}

// A visit is a legacy client's use of a behaviour, without a network.
type visit struct {
	tr      *transcript
	h       *HTTP
	session string
}

// send sends a request and waits for the end of its response.
func (v *visit) send(ctx context.Context, method, body string, fields ...string) {
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+Endpoint, strings.NewReader(body))
	r.RequestURI = Endpoint
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if v.session != "" {
		r.Header.Set(mcp.SessionHeader, v.session)
		r.Header.Set(mcp.VersionHeader, "2025-11-25")
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
	}
	hides := strings.NewReplacer()
	if len(v.session) > 10 {
		hides = strings.NewReplacer(v.session, "SESSION")
	}
	w := &pageWriter{ResponseRecorder: httptest.NewRecorder(), tr: v.tr, hides: hides}
	v.tr.note(">", []byte(strings.TrimSpace(method+" "+body)))
	v.h.ServeHTTP(w, r)
	if id := w.Header().Get(mcp.SessionHeader); id != "" {
		v.session = id
		if len(id) > 10 {
			w.hides = strings.NewReplacer(id, "SESSION")
		}
	}
	w.Flush()
}

// TestTranscriptsHTTP holds what each behaviour of HTTP does, like TestTranscripts.
func TestTranscriptsHTTP(t *testing.T) {
	for _, b := range Names() {
		if b.front == nil {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, err := NewHTTP(b.Name, io.Discard)
				if err != nil {
					t.Fatal(err)
				}
				defer h.Close()
				tr := newTranscript()
				v := &visit{tr: tr, h: h}
				for i, line := range clientLines(t, &b) {
					switch {
					case i == 0:
						v.send(t.Context(), "POST", line, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover")
					case b.fault.legacy || i > 2:
						v.call(t, &b, line)
					}
				}
				v.get(t)
				if v.session != "" {
					v.send(t.Context(), "DELETE", "")
				}
				head := fmt.Sprintf("# %s\n# shows: %s\n", b.Title, strings.Join(b.Shows, ", "))
				golden(t, filepath.Join("testdata", "http", b.Name+".txt"), head+tr.text.String())
			})
		})
	}
}

func (v *visit) get(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	v.send(ctx, "GET", "")
}

// call sends a line; where the behaviour needs two calls at the same time, the
// second begins before the first has ended.
func (v *visit) call(t *testing.T, b *Behaviour, line string) {
	ctx, cancel := context.WithTimeout(t.Context(), max(b.Patience, b.Linger, 4*time.Second))
	defer cancel()
	var fields []string
	if !b.fault.legacy {
		line = strings.Replace(line, `"method":"demo/unknown"`, `"method":"demo/unknown","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`, 1)
		fields = []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: demo/unknown"}
	}
	v.send(ctx, "POST", line, fields...)
}

// TestWrongExchange makes two calls at the same time.
func TestWrongExchange(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "wrong-exchange"))
	c.start("2025-11-25")
	var wg sync.WaitGroup
	for _, id := range []int{2, 3} {
		wg.Go(func() {
			wantJSON(t, c.do("POST", legacy(id, "tools/call", `{"name":"echo","arguments":{"message":"hi"}}`)), 200, 5-id, 0)
		})
	}
	wg.Wait()
}

// TestServer serves one behaviour after the other at one URL.
func TestServer(t *testing.T) {
	srv, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	c := &web{T: t, url: srv.URL, client: client}
	if res := c.do("POST", initialized); res.StatusCode != 503 {
		t.Errorf("before the first behaviour: %s", res.Status)
	}
	if err := srv.Serve("no-such"); err == nil {
		t.Error("serves what there is not")
	}
	for _, want := range []struct {
		name   string
		status int
	}{{"not-acceptable", 406}, {"login-page", 200}, {"healthy", 200}} {
		if err := srv.Serve(want.name); err != nil {
			t.Fatal(err)
		}
		if res := c.do("POST", initialize("2025-11-25", "{}")); res.StatusCode != want.status {
			t.Errorf("%s: %s", want.name, res.Status)
		}
	}
	c.start("2025-11-25")
	standing := c.do("GET", "")
	srv.Close()
	if got := texts(events(t, standing, 0)); got != "\n" {
		t.Errorf("the end leaves %q", got)
	}
}

// TestBufferedStream wants the events at the end of the stream, over a network.
func TestBufferedStream(t *testing.T) {
	c := newWeb(t, serveHTTP(t, "buffered-stream"))
	c.start("2025-11-25")
	if got := texts(events(t, c.do("POST", slowRequest(2)), 0)); strings.Count(got, "progress") < 2 || !strings.Contains(got, "Done in 3 steps.") {
		t.Errorf("the stream has %s", got)
	}
}
