package http

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"wiretea/session"
)

// A Carrier carries the round trips of a client in this process as a Proxy does those of
// others: it records them, and a Judge decides on their messages. What a Proxy does because
// it is a server of its own, such as to change Location, it does not do.
type Carrier struct {
	p  *Proxy
	up *Upstream
}

// NewCarrier returns a Carrier for the server at a URL. It is to be closed; the transport
// stays the caller's.
func NewCarrier(at *url.URL, transport *http.Transport, log *Log, judge session.Judge) *Carrier {
	up := &Upstream{URL: at, Log: log, Judge: judge}
	p := &Proxy{cfg: ProxyConfig{Log: log, KeepHost: true, KeepOrigin: true}, transport: transport, streams: transport, inner: true}
	p.router = &router{upstreams: []*Upstream{up}, endpoints: map[string]endpoint{}}
	p.begin()
	return &Carrier{p: p, up: up}
}

// Close ends what is under way, and waits until each round trip has its end in the tap. What
// the Carrier itself answers to the server has answerGrace to arrive.
func (c *Carrier) Close() { c.p.finish() }

// RoundTrip makes a request in the connection of that number. As with an http.RoundTripper the
// body of the response is to be closed, and the error is that of the request. waits is called
// when the request is to be sent later, or not at all; nil does nothing.
func (c *Carrier) RoundTrip(r *http.Request, conn int, waits func()) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	if r.Body == nil {
		r.Body = http.NoBody
	}
	f := c.forward(r, conn)
	f.waits = waits
	return c.carry(f, cancel, f.serve)
}

// forward returns the forward of a request of the client's in the connection of that number.
func (c *Carrier) forward(r *http.Request, conn int) *forward {
	r.Host = cmp.Or(r.Host, r.URL.Host)
	f := &forward{p: c.p, r: r, query: requestOf(r.Method, r.Header)}
	f.target = target{up: c.up, url: r.URL, conn: conn, from: c.p.router.route(r.URL).from}
	return f
}

// carry has a goroutine do the work of f, and returns the response that it writes once its
// head is there. cancel ends the context of the request.
func (c *Carrier) carry(f *forward, cancel context.CancelFunc, work func()) (*http.Response, error) {
	w := newInnerWriter()
	f.w = w
	c.p.handlers.Go(func() {
		defer func() {
			w.end(f.failure(recover()))
			cancel()
		}()
		stop := context.AfterFunc(c.p.closing, cancel)
		defer stop()
		work()
	})
	<-w.headed // It is closed soon where the context of the request is done: the round trip ends.
	if w.err != nil {
		return nil, w.err
	}
	body := &innerBody{PipeReader: w.read, w: w, cancel: cancel}
	return &http.Response{Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: -1, Body: body, Request: f.r}, nil
}

// failure is the error that a round trip of a Carrier ended with, nil for none. p is what the
// handler panicked with.
func (f *forward) failure(p any) error {
	switch {
	case p == nil:
		return nil
	case p != http.ErrAbortHandler:
		panic(p)
	case f.reset:
		return &BrokenError{By: f.by, Err: syscall.ECONNRESET}
	case f.by != "":
		return &BrokenError{By: f.by, Err: io.ErrUnexpectedEOF}
	}
	return f.err
}

// A BrokenError is returned of a round trip that a fault has broken, as it would have failed
// without wiretea.
type BrokenError struct {
	By  string // By is the fault.
	Err error
}

// Error implements error.
func (e *BrokenError) Error() string { return fmt.Sprintf("%v (%s)", e.Err, e.By) }

// Unwrap returns Err.
func (e *BrokenError) Unwrap() error { return e.Err }

// An innerWriter is the response of a Carrier as the forward writes it. The head is the
// client's from when it is written.
type innerWriter struct {
	header http.Header
	read   *io.PipeReader
	write  *io.PipeWriter

	once   sync.Once
	headed chan struct{} // headed is closed when what follows is set.
	status int
	sent   http.Header
	err    error // err is why the response is missing; nil where it came.

	by atomic.Pointer[string] // by is who has altered the response; nil = nobody.
}

func newInnerWriter() *innerWriter {
	w := &innerWriter{header: http.Header{}, headed: make(chan struct{})}
	w.read, w.write = io.Pipe()
	return w
}

// Header implements http.ResponseWriter.
func (w *innerWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. Interim responses are not given to the client.
func (w *innerWriter) WriteHeader(status int) {
	if status < 200 {
		return
	}
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		for name, values := range w.sent {
			if values == nil {
				delete(w.sent, name)
			}
		}
		close(w.headed)
	})
}

// Write implements http.ResponseWriter.
func (w *innerWriter) Write(text []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.write.Write(text)
}

// FlushError has nothing to flush.
func (w *innerWriter) FlushError() error { return nil }

// end ends the response.
func (w *innerWriter) end(err error) {
	w.once.Do(func() {
		if w.err = err; err == nil {
			w.status, w.sent = http.StatusOK, w.header.Clone()
		}
		close(w.headed)
	})
	_ = w.write.CloseWithError(err) // It never fails.
}

// An innerBody is the body of a response of a Carrier.
type innerBody struct {
	*io.PipeReader
	w      *innerWriter
	cancel context.CancelFunc
}

// AlteredBy returns who has altered the response of a Carrier, or has answered in the server's
// place, as far as it came; empty = nobody.
func AlteredBy(r *http.Response) string {
	if body, ok := r.Body.(*innerBody); ok {
		if by := body.w.by.Load(); by != nil {
			return *by
		}
	}
	return ""
}

// altered tells the client of a Carrier who alters its response.
func (f *forward) altered(by string) {
	if w, ok := f.w.(*innerWriter); ok && by != "" {
		w.by.Store(&by)
	}
}

// Close implements io.Closer. It ends the round trip where that has not ended.
func (b *innerBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// finish ends the round trips that are under way.
func (p *Proxy) finish() {
	p.close()
	p.handlers.Wait()
	grace := time.AfterFunc(answerGrace, p.giveUp)
	p.answers.Wait()
	grace.Stop()
	p.giveUp()
	p.cfg.Log.Wait()
}

// begin prepares for round trips.
func (p *Proxy) begin() {
	p.closing, p.close = context.WithCancel(context.Background())
	p.answering, p.giveUp = context.WithCancel(context.Background())
}
