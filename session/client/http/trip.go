package http

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"syscall"

	trips "wiretea/session/transport/http"
)

// A reply is a response of HTTP that is being read.
type reply struct {
	*http.Response
	conn   *Conn
	trip   *trips.TripRecorder // trip is nil where a Carrier records it.
	bypass *trips.Bypass       // bypass is nil where a Carrier makes it, or there is none.
	ctx    context.Context
	end    context.CancelFunc
	url    *url.URL
	again  *peeked // again is what read gives first; nil for nothing.
}

// peeked is the beginning of a body, and how reading it ended: errLong where more is to come.
type peeked struct {
	text []byte
	err  error
}

// An outgoing is a request to be made.
type outgoing struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte // body is nil for none.
	number int    // number is that of the connection it belongs to.
	sent   func() // sent is called once it was written, or will not be; nil for nobody.
	probe  bool   // probe: it is one of Try.
}

// opened records the head of a request.
func (c *Conn) opened(o *outgoing) *trips.TripRecorder {
	if o.probe {
		return c.log.Probe(o.number, o.method, o.url, o.header)
	}
	return c.log.Begin(o.number, o.method, o.url, "", "", o.header)
}

// send makes a request, and returns with the head of the response. The round trip must
// be closed. It follows no redirect.
func (c *Conn) send(ctx context.Context, o *outgoing) (*reply, error) {
	if c.carrier != nil && !o.probe && c.carrier.Carries(o.method, o.header) {
		return c.carry(ctx, o)
	}
	ctx, cancel := context.WithCancel(ctx)
	trip := c.opened(o)
	fail := func(err error) (*reply, error) {
		trip.Failed(err)
		trip.End(ending(ctx, err), nil)
		cancel()
		return nil, err
	}
	var body io.Reader
	if o.body != nil {
		trip.Sent(o.body)
		trip.SentAll()
		body = bytes.NewReader(o.body)
	}
	trace := trip.Trace()
	if o.sent != nil {
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { o.sent() }
	}
	req, err := o.request(httptrace.WithClientTrace(ctx, trace), body)
	if err != nil {
		return fail(plain(err))
	}
	resp, err := c.remote.httpc.RoundTrip(req)
	if err != nil {
		return fail(plain(err))
	}
	r := &reply{Response: resp, conn: c, trip: trip, ctx: ctx, end: cancel, url: o.url}
	if c.carrier != nil && !o.probe {
		r.bypass = c.carrier.Bypass(trip, o.number, cancel)
	}
	if instead, err := r.bypass.Head(resp); err != nil {
		return nil, plain(err)
	} else if instead != nil {
		r.carried(instead)
		return r, nil
	}
	trip.Response(resp.StatusCode, resp.Proto, resp.Header)
	trip.Forwarded()
	return r, nil
}

// carried has the Carrier do the rest of the round trip: instead is read in place of the
// response.
func (r *reply) carried(instead *http.Response) { r.Response, r.trip, r.bypass = instead, nil, nil }

// request is the request as package http has it.
func (o *outgoing) request(ctx context.Context, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, o.method, o.url.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header = o.header
	if host := o.header.Get("Host"); host != "" {
		req.Host = host
	}
	return req, nil
}

// carry is send through the Carrier, which records the round trip.
func (c *Conn) carry(ctx context.Context, o *outgoing) (*reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	var body io.Reader
	if o.body != nil {
		body = bytes.NewReader(o.body)
	}
	trace := &httptrace.ClientTrace{}
	if o.sent != nil {
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { o.sent() }
	}
	req, err := o.request(httptrace.WithClientTrace(ctx, trace), body)
	if err == nil {
		var resp *http.Response
		if resp, err = c.carrier.RoundTrip(req, o.number, o.sent); err == nil {
			return &reply{Response: resp, conn: c, ctx: ctx, end: cancel, url: o.url}, nil
		}
	}
	cancel()
	return nil, plain(err)
}

// peek returns the beginning of a body, which read will give again: all of it, or somewhat
// more than limit.
func (r *reply) peek(limit int) []byte {
	p := &peeked{}
	p.err = r.read(func(chunk []byte) error {
		if p.text = append(p.text, chunk...); len(p.text) > limit {
			return errLong
		}
		return nil
	})
	r.again = p
	return p.text
}

// read gives the body to take, chunk by chunk, until its end, or until take returns an
// error. The error is nil at the body's own end.
func (r *reply) read(take func(chunk []byte) error) error {
	if p := r.again; p != nil {
		r.again = nil
		if err := take(p.text); err != nil || p.err != errLong {
			return cmp.Or(err, p.err)
		}
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Body.Read(buf)
		if n > 0 {
			if instead := r.bypass.Chunk(buf[:n]); instead != nil {
				r.carried(instead)
				continue // The chunk, and err, come again.
			}
			r.trip.Received(buf[:n])
			taken := take(buf[:n])
			r.trip.Forwarded()
			if taken != nil {
				return taken
			}
		}
		switch {
		case err == io.EOF:
			r.trip.End("eof", r.Trailer)
			return nil
		case err != nil:
			err = plain(err)
			if r.ctx.Err() == nil {
				r.trip.Failed(err)
			}
			r.trip.End(ending(r.ctx, err), nil)
			return err
		}
	}
}

// close ends the round trip, by force where its body has not ended.
func (r *reply) close() {
	r.trip.End("client", nil)
	r.end()
	_ = r.Body.Close()
}

// plain is an error without what package http puts around it, the URL above all.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// ending is the word for how a round trip ended.
func ending(ctx context.Context, err error) string {
	var slow interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		return "client"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.As(err, &slow) && slow.Timeout():
		return "timeout"
	}
	return "server"
}
