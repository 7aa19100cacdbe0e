package http

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"wiretea/session/transport"
)

// takenLog returns a Log whose records are taken and dropped, until the end of b.
func takenLog(b *testing.B) *Log {
	log := &Log{Tap: transport.NewTap(time.Now(), transport.TapConfig{BatchDelay: 5 * time.Millisecond}), Key: []byte("key")}
	taken := make(chan bool)
	go func() {
		defer close(taken)
		for {
			if _, _, err := log.Tap.Take(0); err != nil {
				return
			}
		}
	}()
	b.Cleanup(func() {
		log.Tap.Close()
		<-taken
	})
	return log
}

// BenchmarkProxy is a request of 200 bytes through the proxy without the network: what
// the proxy itself does for a round trip.
func BenchmarkProxy(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer server.Close()
	log := takenLog(b)
	u, _ := server.Client().Get(server.URL)
	u.Body.Close()
	p, err := Listen(ProxyConfig{Log: log, Upstreams: []Upstream{{URL: u.Request.URL}}})
	if err != nil {
		b.Fatal(err)
	}
	body := bytes.Repeat([]byte("x"), 200)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/mcp", bytes.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Mcp-Session-Id", "s")
		r.Header.Set("Authorization", "Bearer token")
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != 200 || w.Body.Len() != 200 {
			b.Fatal(w.Code, w.Body)
		}
	}
	p.Close()
}

// BenchmarkCarrier is a request of 200 bytes by a client in this process, through a Carrier
// and without one.
func BenchmarkCarrier(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.Copy(w, r.Body)
	}))
	defer server.Close()
	log := takenLog(b)
	at, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	c := NewCarrier(at, http.DefaultTransport.(*http.Transport).Clone(), log, nil)
	body := bytes.Repeat([]byte("x"), 200)
	for name, trip := range map[string]func(r *http.Request) (*http.Response, error){
		"carried": func(r *http.Request) (*http.Response, error) { return c.RoundTrip(r, 1, nil) },
		"plain":   http.DefaultTransport.RoundTrip,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := http.NewRequest("POST", server.URL, bytes.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				resp, err := trip(r)
				if err != nil {
					b.Fatal(err)
				}
				if text, err := io.ReadAll(resp.Body); err != nil || len(text) != 200 {
					b.Fatal(err, text)
				}
				resp.Body.Close()
			}
		})
	}
	c.Close()
}
