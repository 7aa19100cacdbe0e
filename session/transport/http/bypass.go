package http

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// A Bypass is a round trip that the client of a Carrier makes and records by itself, because
// nobody decides on messages: what a Carrier does for one costs a goroutine and a pipe. Once
// somebody decides, the Carrier takes the round trip over, with the next message. A nil Bypass
// is one of a client without a Carrier.
type Bypass struct {
	c      *Carrier
	trip   *TripRecorder
	conn   int
	cancel context.CancelFunc
	res    *http.Response // res is nil before its head has come.
	late   bool           // late: a Judge may begin to decide on the stream, at the end of an event.
}

// Carries reports whether the Carrier has to make a round trip. Else its client may make it
// past the Carrier; see Bypass. A stream that may be one of the old HTTP+SSE transport is
// carried always: answers may have to be written into it at any time.
func (c *Carrier) Carries(method string, h http.Header) bool {
	return c.up.judges() || method == http.MethodGet && h.Get("Mcp-Session-Id") == ""
}

// Bypass returns the Bypass of a round trip in the connection of that number. cancel ends it.
func (c *Carrier) Bypass(trip *TripRecorder, conn int, cancel context.CancelFunc) *Bypass {
	return &Bypass{c: c, trip: trip, conn: conn, cancel: cancel}
}

// Head takes the head of the response before it is recorded. It returns the response in whose
// place the client reads, and its error, where the Carrier takes the round trip over, else
// neither.
func (b *Bypass) Head(res *http.Response) (instead *http.Response, err error) {
	if b == nil {
		return nil, nil
	}
	b.res, b.late = res, judgeable(res)
	if !b.c.up.judgesResponse(res) {
		return nil, nil
	}
	return b.takeOver(func(f *forward) { f.respond(res) })
}

// Chunk takes what was read of the body, before it is recorded. Where the Carrier takes the
// round trip over, it returns the response whose body begins with the chunk, else nil.
func (b *Bypass) Chunk(chunk []byte) (instead *http.Response) {
	if b == nil {
		return nil
	}
	if !b.late || !b.c.up.judges() {
		b.late = judgeable(b.res) && endsEvent(chunk)
		return nil
	}
	b.res.Body = otherBody{io.MultiReader(bytes.NewReader(bytes.Clone(chunk)), b.res.Body), b.res.Body}
	instead, _ = b.takeOver(func(f *forward) { f.continues(b.res) }) // It has a head.
	return instead
}

// takeOver has the Carrier do the rest of the round trip.
func (b *Bypass) takeOver(rest func(f *forward)) (*http.Response, error) {
	f := b.c.forward(b.res.Request, b.conn)
	f.conn, f.trip = b.conn, b.trip
	return b.c.carry(f, b.cancel, func() {
		defer b.res.Body.Close()
		rest(f)
	})
}
