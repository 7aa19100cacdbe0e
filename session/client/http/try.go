package http

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"wiretea/session/client"
)

// A Request is an HTTP request that is made as it is, beside what a Conn does by itself.
type Request struct {
	Method string
	URL    *url.URL // URL is nil for the Remote's.

	// Header replaces fields that are sent otherwise; one without values is not sent. Its
	// names are canonical; Host is one of them.
	Header http.Header

	Body      []byte // Body is a message of ours; nil = there is none.
	Anonymous bool   // Anonymous: no credential of the user's is sent.

	// First is called with the name and the data of the first event of a stream, which is open
	// until it returns. Nil: the stream is left once its head is there, or Body is answered.
	First func(name string, data []byte)
}

// A Response is what a Request brought.
type Response struct {
	Status int
	Header http.Header
	Type   string           // Type is the media type.
	Text   []byte           // Text is the answer; without one, the body if it is not a stream.
	Result json.RawMessage  // Result is that of the answer; nil = there is none.
	RPC    *client.RPCError // RPC is the error in the body; nil = there is none.
	Took   time.Duration    // Took is the time to the head of the response.
}

// Accepted reports whether the request was answered with a result.
func (r *Response) Accepted() bool { return r.Status/100 == 2 && r.Result != nil }

// Fresh takes the next number of a connection, for round trips that are not to be counted
// to another.
func (c *Conn) Fresh() int { return c.remote.next() }

// Mode returns the transport in use: Auto before it is known.
func (c *Conn) Mode() Mode { return c.transport() }

// Try makes a request on its own, recorded as a probe in the connection of that number,
// which no rule judges. It follows no redirect and begins no session. Of an event stream it reads up to
// the answer to Body; of one that answers none, the head. The error is a
// *client.HTTPError.
func (c *Conn) Try(ctx context.Context, number int, q *Request) (*Response, error) {
	m := read(q.Body)
	h, err := c.trying(ctx, q, m)
	if err != nil {
		return nil, newError("", err)
	}
	at := q.URL
	if at == nil {
		at = c.remote.opt.URL
	}
	began := time.Now()
	r, err := c.send(ctx, &outgoing{method: q.Method, url: at, header: h, body: q.Body, number: number, probe: true})
	if err != nil {
		return nil, newError("", err)
	}
	resp := &Response{Status: r.StatusCode, Header: r.Header, Type: mediaType(r.Header), Took: time.Since(began)}
	take := func(text []byte) bool {
		a := look(text, m.asks...)
		if resp.Text == nil || a.answer {
			resp.Text, resp.Result = slices.Clone(text), slices.Clone(a.result)
			resp.RPC = answerError(text)
		}
		return a.answer
	}
	switch {
	case !isStream(r):
		text, _ := c.body(nil, r)
		take(text)
		r.close()
	case q.First != nil:
		s := &eventStream{conn: c, ctx: ctx}
		s.took = func(name string, data []byte) bool {
			if r.ctx.Err() == nil {
				q.First(name, slices.Clone(data))
				r.end()
			}
			return true
		}
		_ = s.follow(r)
	case m.id == "":
		r.close()
	default:
		s := &eventStream{conn: c, ctx: ctx}
		s.took = func(_ string, data []byte) bool {
			if take(data) {
				time.AfterFunc(streamEnd, r.end)
			}
			return true
		}
		_ = s.follow(r)
	}
	return resp, nil
}

// streamEnd is how long a server may take to end the stream of an answer that Try has
// read.
const streamEnd = 200 * time.Millisecond

// answerError returns the error of a message, whoever it answers; nil if there is none.
func answerError(text []byte) *client.RPCError {
	var m struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &m) != nil || len(m.Error) == 0 || m.Error[0] != '{' {
		return nil
	}
	return client.ParseError(m.Error)
}

// trying are the header fields of a Request.
func (c *Conn) trying(ctx context.Context, q *Request, m *message) (h http.Header, err error) {
	accept := "*/*"
	switch q.Method {
	case http.MethodPost:
		accept = typeJSON + ", " + typeEvents
	case http.MethodGet:
		accept = typeEvents
	}
	if q.Anonymous {
		h = http.Header{"Accept": {accept}, "User-Agent": {c.remote.opt.UserAgent}}
		maps.Copy(h, c.remote.opt.Header)
		for _, name := range c.remote.secret() {
			delete(h, name)
		}
	} else {
		if h, _, err = c.headers(ctx, accept, nil, ""); err != nil {
			return nil, err
		}
		h = c.own(h)
	}
	if q.Body != nil {
		h.Set("Content-Type", typeJSON)
	}
	if m.modern() {
		c.mirror(h, m)
	}
	maps.Copy(h, q.Header)
	maps.DeleteFunc(h, func(_ string, values []string) bool { return len(values) == 0 })
	return h, nil
}
