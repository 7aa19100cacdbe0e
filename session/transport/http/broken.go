package http

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"wiretea/session"
)

var (
	// errFault ends a round trip in its middle, because a fault does that.
	errFault = errors.New("the connection was closed by a fault")

	// errEnded ends the body of a response in order, before the server has ended it.
	errEnded = errors.New("the stream was ended by a fault")
)

const (
	// behindWait is how long a request waits for the next one at most.
	behindWait = time.Second

	// turnGap is how much later a request is sent behind another one, on a connection of its
	// own: otherwise the order at the server is chance.
	turnGap = 2 * time.Millisecond
)

// A nextSent tells the requests that wait for the next one of their server.
type nextSent struct {
	mu   sync.Mutex
	next chan struct{} // next is closed when a request has been sent; nil = nobody waits.
}

// another returns what is closed when another request has been sent.
func (x *nextSent) another() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next == nil {
		x.next = make(chan struct{})
	}
	return x.next
}

// sent says that a request has been sent.
func (x *nextSent) sent() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next != nil {
		close(x.next)
		x.next = nil
	}
}

// breakRequest does what the ruling on the request does to the round trip, and reports whether
// that is over.
func (f *forward) breakRequest() bool {
	r := &f.ruling
	if r.Delay > 0 || r.Effect != nil {
		f.wait()
	}
	f.pause(r.Delay)
	e := r.Effect
	if e == nil {
		f.repeat()
		return false
	}
	f.cut(r)
	switch {
	case e.Silent:
		<-f.r.Context().Done()
		f.broken(f.r.Context().Err())
	case e.Status != 0:
		f.instead(e)
		return true
	case e.End == session.Aborts, e.End == session.Resets:
		f.by, f.reset = r.By, e.End == session.Resets
		return f.abort(errFault)
	case e.Behind:
		select {
		case <-f.log().next.another():
			f.pause(turnGap)
		case <-time.After(behindWait):
		case <-f.r.Context().Done():
		}
	}
	return false
}

// cut says in the record that what follows is a consequence of the fault, where it is.
func (f *forward) cut(r *session.Ruling) {
	if r.Effect.Lasts {
		f.log().Tap.Cut(f.conn, r.By)
	}
}

// pause waits, unless the client goes away.
func (f *forward) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-f.r.Context().Done():
		f.broken(f.r.Context().Err())
	}
}

// injectedType is the type of what injected returns.
const injectedType = "text/plain; charset=utf-8"

// injected is the body of a response in place of the server's.
func injected(by string) []byte { return []byte("wiretea: injected, " + by + "\n") }

// instead answers in place of the server.
func (f *forward) instead(e *session.Effect) {
	h := f.w.Header()
	h.Set("Content-Type", injectedType)
	text := injected(f.ruling.By)
	f.altered(f.ruling.By)
	f.trip.response(&session.HTTPEvent{Status: e.Status, Proto: f.r.Proto, Ours: true}, h)
	f.trip.decided(&f.trip.received, session.S2C, session.WayOut, session.Decided{By: f.ruling.By, Of: f.mark}, text)
	f.log().conns.answered(f.query, f.conn, e.Status, "")
	f.w.WriteHeader(e.Status)
	if e.Status != http.StatusNoContent && e.Status != http.StatusNotModified {
		_, _ = f.w.Write(text) // The client may be gone: nothing else is to be done.
	}
	f.trip.Forwarded()
	f.trip.End("eof", nil)
}

// repeat has the request sent again behind it, in round trips of their own.
func (f *forward) repeat() {
	for _, more := range f.ruling.More {
		if f.written == nil {
			f.written = make(chan struct{})
		}
		f.post(f.target.url, f.header(), more, session.Decided{By: f.ruling.By, Of: f.mark}, f.written)
	}
}

// sent says that the request was sent, or never will be.
func (f *forward) sent() {
	if f.written != nil {
		f.writing.Do(func() { close(f.written) })
	}
}

// abort closes the client's connection, or its stream. It returns only where the connection
// was reset.
func (f *forward) abort(err error) bool {
	if f.reset {
		if conn, _, hijacked := http.NewResponseController(f.w).Hijack(); hijacked == nil {
			f.trip.End("wiretea", nil)
			reset(conn)
			return true
		}
	}
	f.broken(err)
	return true
}

// reset closes a connection so that its other end sees that it is lost.
func reset(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // Without it the end comes in order.
	}
	_ = conn.Close()
}

// breakWhole does what the ruling on a whole body does to the response, before its head is
// sent, and reports whether the round trip is over. mark is that of the body where it is delayed:
// the record has it as it comes, also if the client does not wait for it.
func (d *download) breakWhole(r *session.Ruling, text []byte) (mark int64, over bool) {
	f := d.f
	if r.Delay > 0 {
		d.recordHead(&session.HTTPEvent{Status: d.res.StatusCode, Proto: d.res.Proto})
		mark = f.trip.took(session.S2C, r.By, text)
		f.trip.whole(session.S2C)
		f.pause(r.Delay)
	}
	e := r.Effect
	if e == nil {
		return mark, false
	}
	f.cut(r)
	switch {
	case e.Silent, e.End == session.Resets:
		f.trip.Response(d.res.StatusCode, d.res.Proto, d.res.Header)
		f.trip.ruled(session.S2C, r, text)
		if e.Silent {
			<-f.r.Context().Done()
		}
		f.by, f.reset = r.By, !e.Silent
		return mark, true
	case e.Status != 0:
		d.status, r.Text = e.Status, injected(r.By)
	case e.End == session.Aborts:
		f.by = r.By
	}
	return mark, false
}

// change makes the changes to the head of a response, and returns its status.
func (d *download) change(fields http.Header, ev *session.HTTPEvent) (status int) {
	if d.status != 0 {
		fields["Content-Type"] = []string{injectedType}
		ev.Changed = append(ev.Changed, session.HTTPField{Name: ":status", Value: strconv.Itoa(d.status)}, session.HTTPField{Name: "Content-Type", Value: injectedType})
	}
	if d.f.by != "" {
		fields.Del("Content-Length") // The body ends before its end.
	}
	return cmp.Or(d.status, d.res.StatusCode)
}
