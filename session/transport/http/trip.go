package http

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"wiretea/session"
	"wiretea/session/transport"
)

// A Log gives the round trips of one session their numbers.
type Log struct {
	Tap *transport.Tap
	Key []byte // Key makes the hashes of credentials; see session.Secret.

	// Secret are the canonical names of fields whose values are credentials too.
	Secret []string

	last     atomic.Int64
	conns    conns                // conns are the connections of a Proxy's round trips.
	secrets  memo[session.Secret] // secrets has those of the latest credentials, by their values.
	cleaned  memo[string]         // cleaned has the latest results of clean.
	decoders sync.WaitGroup
	next     nextSent
	queued   atomic.Int64 // queued is the memory of all bodies that wait to be decoded, in bytes.
}

// Wait waits until the copies of all bodies are in the tap. Each TripRecorder was ended before.
func (l *Log) Wait() { l.decoders.Wait() }

// A TripRecorder records one round trip. Its methods may be called from several
// goroutines: the two bodies cross at the same time. After End they do nothing, and neither
// do those that record and end of a nil TripRecorder.
type TripRecorder struct {
	log    *Log
	number int

	mu             sync.Mutex
	ended, sentAll bool
	sent, received body
	open           int // open counts who puts into the tap: the trip until End, and each decoder.
	end            session.HTTPEvent
}

// A body is the copy of one of the two bodies.
type body struct {
	bytes   int64    // bytes is its length so far, as it crossed.
	codings []string // codings are the content codings to be removed, the outermost first; nil for none.
	decoder *decoder // decoder is nil before the first byte, and where there is no coding.
	login   *login   // login is the copy of a body that may belong to a login; nil = it does not.
	rpc     bool     // rpc: the body has messages.
}

// Begin records the head of a request. conn is the connection that it belongs to, from
// 1; u is what the server gets, remote the client's address, empty if the client is
// wiretea. Host is recorded as the header has it, else as u has it.
func (l *Log) Begin(conn int, method string, u *url.URL, proto, remote string, header http.Header) *TripRecorder {
	return l.begin(&session.HTTPEvent{Conn: conn, Method: method, Proto: proto, Remote: remote}, u, header, nil)
}

// Probe is Begin for a request that wiretea makes to see how the server takes it. All
// round trips of that connection are probes.
func (l *Log) Probe(conn int, method string, u *url.URL, header http.Header) *TripRecorder {
	return l.begin(&session.HTTPEvent{Conn: conn, Method: method, Probe: true}, u, header, nil)
}

// begin records the head of a request, of which it fills in what u and header tell. hosts
// are as in fields.
func (l *Log) begin(ev *session.HTTPEvent, u *url.URL, header http.Header, hosts []string) *TripRecorder {
	t := &TripRecorder{log: l, number: int(l.last.Add(1)), open: 1}
	t.sent.codings = removable(header)
	t.sent.login = loginRequest(header, t.sent.codings)
	ev.Event, ev.Target, ev.Fields, ev.Coding = "req", l.target(u), l.fields(header, hosts), strings.Join(t.sent.codings, ", ")
	if u.Host != "" {
		ev.Server = u.Scheme + "://" + u.Host
	}
	if _, ok := ev.Field("Host"); !ok && u.Host != "" {
		ev.Fields = append([]session.HTTPField{{Name: "Host", Value: u.Host}}, ev.Fields...)
	}
	l.Tap.HTTP(t.number, ev)
	return t
}

// Number is the round trip's number in the session, from 1.
func (t *TripRecorder) Number() int { return t.number }

// Sent records a chunk of the request's body, before it is forwarded.
func (t *TripRecorder) Sent(chunk []byte) { t.put(&t.sent, session.C2S, chunk) }

// Received records a chunk of the response's body, before it is forwarded.
func (t *TripRecorder) Received(chunk []byte) {
	if t != nil {
		t.put(&t.received, session.S2C, chunk)
	}
}

// SentAll records that the request's body has ended, after its last byte was forwarded.
func (t *TripRecorder) SentAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended || t.sentAll:
		return
	case t.sent.decoder == nil:
		t.endLogin(&t.sent, session.C2S)
		t.log.Tap.HTTP(t.number, &session.HTTPEvent{Event: "sent"})
	default:
		t.sent.decoder.close() // It says so when it has put everything.
	}
	t.sentAll = true
}

// put copies a chunk to the tap, or to the goroutine that removes its content coding.
func (t *TripRecorder) put(b *body, s session.Stream, chunk []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended || len(chunk) == 0 {
		return
	}
	b.bytes += int64(len(chunk))
	if b.codings == nil {
		b.rpc = b.rpc || s == session.C2S && bytes.Contains(chunk, rpc)
		t.copy(b, s, chunk)
		return
	}
	if b.decoder == nil {
		b.decoder = newDecoder(t, s, b.codings)
		t.open++
		t.log.decoders.Go(b.decoder.run)
	}
	b.decoder.put(chunk)
}

// Response records the head of the response. Interim responses (1xx) come before.
func (t *TripRecorder) Response(status int, proto string, header http.Header) {
	t.response(&session.HTTPEvent{Status: status, Proto: proto}, header)
}

// response records the head of the response, of which it fills in what header tells.
func (t *TripRecorder) response(ev *session.HTTPEvent, header http.Header) {
	var codings []string
	if ev.Status >= 200 && ev.Status != http.StatusPartialContent {
		codings = removable(header)
	}
	ev.Event, ev.Fields, ev.Coding = "res", t.log.fields(header, nil), strings.Join(codings, ", ")
	t.event(ev, func() {
		t.received.codings = codings
		if ev.Status >= 200 {
			t.received.login = t.loginResponse(header, codings)
		}
	})
}

// Connected records the connection that was found for the request. Times are in ns; state
// is nil without TLS.
func (t *TripRecorder) Connected(remote string, reused bool, dns, dial, handshake int64, state *tls.ConnectionState) {
	ev := &session.HTTPEvent{Event: "conn", Remote: remote, Reused: reused, DNS: dns, Dial: dial, TLS: handshake}
	if state != nil {
		ev.Proto, ev.Cert = state.NegotiatedProtocol, certOf(state)
	}
	t.event(ev, nil)
}

// certOf is what is kept of a server's certificate.
func certOf(state *tls.ConnectionState) *session.HTTPCert {
	cert := &session.HTTPCert{Version: tls.VersionName(state.Version)}
	if len(state.PeerCertificates) > 0 {
		c := state.PeerCertificates[0]
		cert.Subject, cert.Issuer, cert.End = c.Subject.String(), c.Issuer.String(), c.NotAfter.Unix()
	}
	return cert
}

// Failed records why the request failed. End follows.
func (t *TripRecorder) Failed(err error) {
	t.event(&session.HTTPEvent{Event: "err", Why: err.Error()}, nil)
}

// event records an event of a trip that has not ended.
func (t *TripRecorder) event(ev *session.HTTPEvent, also func()) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	if also != nil {
		also()
	}
	t.log.Tap.HTTP(t.number, ev)
}

// Forwarded wakes the recorder; it is called after each chunk was forwarded.
func (t *TripRecorder) Forwarded() {
	if t != nil {
		t.log.Tap.Wake()
	}
}

// End records the end of the round trip: why is eof, client, server, reset, timeout or
// wiretea.
// Only the first call counts. The record comes once the copies of the bodies are decoded;
// End does not wait for that.
func (t *TripRecorder) End(why string, trailer http.Header) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	t.end = session.HTTPEvent{Event: "end", Why: why, Sent: t.sent.bytes, Received: t.received.bytes, Fields: t.log.fields(trailer, nil)}
	for _, s := range []session.Stream{session.C2S, session.S2C} {
		if b := t.way(s); b.decoder != nil {
			b.decoder.close()
		} else {
			t.endLogin(b, s)
		}
	}
	t.release()
}

// release is called by each who puts into the tap, when it has put everything; mu is held.
func (t *TripRecorder) release() {
	if t.open--; t.open == 0 {
		t.log.Tap.HTTP(t.number, &t.end)
	}
}
