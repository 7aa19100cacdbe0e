package http

import (
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

// Trace records the connections that are found for the request, each before the request
// is written on it.
func (t *Trip) Trace() *httptrace.ClientTrace {
	m := &meter{}
	return &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { m.begin(&m.dns) },
		DNSDone:           func(httptrace.DNSDoneInfo) { m.end(&m.dns) },
		ConnectStart:      func(string, string) { m.begin(&m.dial) },
		ConnectDone:       func(string, string, error) { m.end(&m.dial) },
		TLSHandshakeStart: func() { m.begin(&m.handshake) },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { m.end(&m.handshake) },
		GotConn: func(info httptrace.GotConnInfo) {
			var state *tls.ConnectionState
			if c, ok := info.Conn.(*tls.Conn); ok {
				s := c.ConnectionState()
				state = &s
			}
			remote, dns, dial, handshake := info.Conn.RemoteAddr().String(), int64(0), int64(0), int64(0)
			if !info.Reused {
				dns, dial, handshake = m.times()
			}
			t.Connected(remote, info.Reused, dns, dial, handshake, state)
		},
	}
}

// A meter measures the steps of connecting. Addresses may be tried at the same time.
type meter struct {
	mu                   sync.Mutex
	dns, dial, handshake span
}

// A span is a step: from its first begin to its last end.
type span struct{ from, to time.Time }

func (m *meter) begin(s *span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.from.IsZero() {
		s.from = time.Now()
	}
}

func (m *meter) end(s *span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.to = time.Now()
}

func (m *meter) times() (dns, dial, handshake int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dns.length(), m.dial.length(), m.handshake.length()
}

// length is the span's length in ns, 0 if it has not ended.
func (s span) length() int64 { return max(0, int64(s.to.Sub(s.from))) }

// NewTransport returns a transport for MCP: it adds no field and no content coding, keeps
// a connection for each request that runs at the same time, and closes an idle one before
// servers usually do (5 s with Node.js and uvicorn), because a POST on a connection that
// is being closed fails and must not be repeated. config is nil for the defaults; proxy
// is nil for none.
func NewTransport(config *tls.Config, proxy func(*http.Request) (*url.URL, error), http1 bool) *http.Transport {
	t := &http.Transport{
		Proxy:                 proxy,
		TLSClientConfig:       config,
		DisableCompression:    true,
		ForceAttemptHTTP2:     !http1,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       4 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		WriteBufferSize:       2 << 10, // Each open stream has both.
		ReadBufferSize:        2 << 10,
	}
	if http1 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
	}
	return t
}
