package http

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"wiretea/session"
	"wiretea/session/transport"
)

// A Log gives the round trips of one session their numbers.
type Log struct {
	Tap *transport.Tap
	Key []byte // Key makes the hashes of credentials; see session.Secret.

	last atomic.Int64
}

// A Trip is one round trip that is being recorded. Its methods may be called from several
// goroutines: the two bodies cross at the same time.
type Trip struct {
	log    *Log
	number int
	ended  sync.Once

	sent, received atomic.Int64 // bytes of the bodies
}

// Begin records the head of a request. conn is the connection that it belongs to, from
// 1; remote is the client's address, empty if the client is wiretea.
func (l *Log) Begin(conn int, method string, u *url.URL, proto, remote string, header http.Header) *Trip {
	t := &Trip{log: l, number: int(l.last.Add(1))}
	l.Tap.HTTP(t.number, &session.HTTPEvent{
		Event: "req", Conn: conn, Method: method, Target: target(u), Proto: proto, Remote: remote, Fields: l.fields(header),
	})
	return t
}

// Number is the round trip's number in the session, from 1.
func (t *Trip) Number() int { return t.number }

// Sent records a chunk of the request's body, before it is forwarded.
func (t *Trip) Sent(chunk []byte) {
	t.sent.Add(int64(len(chunk)))
	t.log.Tap.PutTrip(t.number, session.C2S, chunk)
}

// Response records the head of the response.
func (t *Trip) Response(status int, proto string, header http.Header) {
	t.log.Tap.HTTP(t.number, &session.HTTPEvent{Event: "res", Status: status, Proto: proto, Fields: t.log.fields(header)})
}

// Received records a chunk of the response's body, before it is forwarded.
func (t *Trip) Received(chunk []byte) {
	t.received.Add(int64(len(chunk)))
	t.log.Tap.PutTrip(t.number, session.S2C, chunk)
}

// Connected records the connection that was found for the request. Times are in ns.
func (t *Trip) Connected(remote string, reused bool, dns, dial, handshake int64, state *tls.ConnectionState) {
	t.log.Tap.HTTP(t.number, &session.HTTPEvent{Event: "conn", Remote: remote, Reused: reused, DNS: dns, Dial: dial, TLS: handshake})
}

// Failed records why the request failed. End follows.
func (t *Trip) Failed(err error) {
	t.log.Tap.HTTP(t.number, &session.HTTPEvent{Event: "err", Why: err.Error()})
}

// Forwarded wakes the recorder; it is called after each chunk was forwarded.
func (t *Trip) Forwarded() { t.log.Tap.Wake() }

// End records the end of the round trip: why is eof, client, server, reset or timeout.
// Only the first call counts.
func (t *Trip) End(why string, trailer http.Header) {
	t.ended.Do(func() {
		t.log.Tap.HTTP(t.number, &session.HTTPEvent{
			Event: "end", Why: why, Sent: t.sent.Load(), Received: t.received.Load(), Fields: t.log.fields(trailer),
		})
	})
}

// target is the path and query of a URL.
func target(u *url.URL) string { return u.RequestURI() }

// fields are the header fields, sorted by name: net/http has lost their order.
func (l *Log) fields(h http.Header) []session.HTTPField {
	var list []session.HTTPField
	for name, values := range h {
		for _, v := range values {
			list = append(list, session.HTTPField{Name: name, Value: v})
		}
	}
	return list
}
