package http

import (
	"crypto/tls"
	"net/http/httptrace"
	"sync"
	"time"
)

// Trace records the connections that are found for the request, each before the request
// is written on it.
func (t *TripRecorder) Trace() *httptrace.ClientTrace {
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
