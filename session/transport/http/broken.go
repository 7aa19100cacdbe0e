package http

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
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

	// pieceGap is the time between two pieces of a text, and maxPieces how many there are at
	// most: the rest is written at once. A request that is sent behind another one, on a
	// connection of its own, is sent pieceGap later: otherwise the order at the server is chance.
	pieceGap  = 2 * time.Millisecond
	maxPieces = 1000

	// shapeStep is how often something is written of a text whose rate is limited.
	shapeStep = 20 * time.Millisecond
)

// faulted is what faults have done to the server of a Log.
type faulted struct {
	mu      sync.Mutex
	expired map[string]string // expired has, for each MCP session that the server is not to know, the fault.
	next    chan struct{}     // next is closed when a request has been sent; nil = nobody waits.
}

// maxExpired is how many MCP sessions are remembered.
const maxExpired = 4096

func (x *faulted) expire(id, by string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.expired == nil || len(x.expired) >= maxExpired {
		x.expired = map[string]string{}
	}
	x.expired[id] = by
}

// expiredBy returns the fault that has ended an MCP session; empty = none has.
func (x *faulted) expiredBy(id string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.expired[id]
}

// another returns what is closed when another request has been sent.
func (x *faulted) another() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next == nil {
		x.next = make(chan struct{})
	}
	return x.next
}

// sent says that a request has been sent.
func (x *faulted) sent() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.next != nil {
		close(x.next)
		x.next = nil
	}
}

// expired is the ruling on a request of an MCP session that has expired; nil = it has not.
func (f *forward) expired() *Ruling {
	if by := f.log().faulted.expiredBy(f.r.Header.Get("Mcp-Session-Id")); by != "" {
		return &Ruling{By: by, Effect: &session.Effect{Status: http.StatusNotFound}}
	}
	return nil
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
		if id := f.r.Header.Get("Mcp-Session-Id"); e.Expire && id != "" {
			f.log().faulted.expire(id, r.By)
		}
		f.instead(e)
		return true
	case e.End == session.Aborts, e.End == session.Resets:
		f.by, f.reset = r.By, e.End == session.Resets
		return f.abort(errFault)
	case e.Behind:
		select {
		case <-f.log().faulted.another():
			f.pause(pieceGap)
		case <-time.After(behindWait):
		case <-f.r.Context().Done():
		}
	}
	return false
}

// cut says in the record that what follows is a consequence of the fault, where it is.
func (f *forward) cut(r *Ruling) {
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

// injected is the body of a response in place of the server's.
func injected(by string) []byte { return []byte("wiretea: injected, " + by + "\n") }

// instead answers in place of the server.
func (f *forward) instead(e *session.Effect) {
	h := f.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	for _, field := range e.Header {
		h.Set(field.Name, field.Value)
	}
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

// shapeRequest does what a fault does to the request that the server gets.
func (f *forward) shapeRequest(out *http.Request) {
	e := f.ruling.Effect
	if e == nil {
		return
	}
	for _, field := range e.Header {
		if field.Value == "" {
			out.Header.Del(field.Name)
		} else {
			out.Header[field.Name] = []string{field.Value}
		}
	}
	if shapes(e) && out.Body != nil {
		out.Body = &shapedBody{ReadCloser: out.Body, pace: pace{f: f, effect: e}}
		out.GetBody = nil
	}
}

// shapes reports whether an effect has a text go on in pieces.
func shapes(e *session.Effect) bool { return e != nil && (e.Rate > 0 || e.Piece > 0) }

// A pace says how much of a text goes on when.
type pace struct {
	f      *forward
	effect *session.Effect
	pieces int
	bytes  int
	begun  time.Time
}

// next waits for the next piece, and returns how long it may be; 0 = all of the rest.
func (p *pace) next() int {
	e := p.effect
	switch {
	case p.begun.IsZero():
		p.begun = time.Now()
	case e.Rate > 0:
		p.sleep(time.Until(p.begun.Add(time.Duration(float64(p.bytes) / float64(e.Rate) * float64(time.Second)))))
	case p.pieces < maxPieces:
		p.sleep(pieceGap)
	}
	if p.pieces++; e.Rate > 0 {
		return max(1, int(int64(e.Rate)*int64(shapeStep)/int64(time.Second)))
	}
	if p.pieces > maxPieces {
		return 0
	}
	return e.Piece
}

// sleep waits, unless the client goes away.
func (p *pace) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-p.f.r.Context().Done():
	}
}

// A shapedBody is the body of a request that goes on in pieces.
type shapedBody struct {
	io.ReadCloser
	pace pace
}

// Read implements io.Reader.
func (b *shapedBody) Read(p []byte) (int, error) {
	if n := b.pace.next(); n > 0 {
		p = p[:min(n, len(p))]
	}
	n, err := b.ReadCloser.Read(p)
	b.pace.bytes += n
	return n, err
}

// shaped writes a text in pieces.
func (d *download) shaped(e *session.Effect, text []byte) error {
	for p := (pace{f: d.f, effect: e}); len(text) > 0; {
		n := p.next()
		if n == 0 || n > len(text) {
			n = len(text)
		}
		if _, err := d.f.w.Write(text[:n]); err != nil {
			return err
		}
		if err := d.flush(); err != nil {
			return err
		}
		text = text[n:]
		p.bytes += n
	}
	return nil
}

// write writes a part of the body.
func (d *download) write(text []byte) error {
	if shapes(d.effect) {
		return d.shaped(d.effect, text)
	}
	_, err := d.f.w.Write(text)
	return err
}

// breakWhole does what the ruling on a whole body does to the response, before its head is
// sent.
func (d *download) breakWhole(r *Ruling, text []byte) {
	f := d.f
	f.pause(r.Delay)
	e := r.Effect
	if e == nil {
		return
	}
	f.cut(r)
	d.effect, d.eager = e, d.eager || shapes(e)
	switch {
	case e.Silent, e.End == session.Resets:
		f.trip.Response(d.res.StatusCode, d.res.Proto, d.res.Header)
		f.trip.ruled(session.S2C, r, text)
		if e.Silent {
			<-f.r.Context().Done()
		}
		f.by, f.reset = r.By, !e.Silent
	case e.Status != 0:
		r.Text = d.replaced(e, r.By)
	case e.End == session.Aborts:
		f.by = r.By
	default:
		d.changed = append(d.changed, e.Header...)
	}
}

// replaced changes the head to another status, and returns the body for it.
func (d *download) replaced(e *session.Effect, by string) []byte {
	d.status = e.Status
	d.changed = append(d.changed, session.HTTPField{Name: ":status", Value: strconv.Itoa(e.Status)}, session.HTTPField{Name: "Content-Type", Value: "text/plain; charset=utf-8"})
	d.changed = append(d.changed, e.Header...)
	return injected(by)
}

// change makes the changes to the fields of a response, and returns its status.
func (d *download) change(fields http.Header, ev *session.HTTPEvent) (status int) {
	for _, field := range d.changed {
		switch {
		case strings.HasPrefix(field.Name, ":"):
		case field.Value == "":
			fields.Del(field.Name)
		default:
			fields[field.Name] = []string{field.Value}
		}
		ev.Changed = append(ev.Changed, field)
	}
	if d.f.by != "" {
		fields.Del("Content-Length") // The body ends before its end.
	}
	return cmp.Or(d.status, d.res.StatusCode)
}
