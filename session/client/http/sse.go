package http

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"wiretea/session/mcp"
)

// endpointWait is how long the server may take to name its endpoint.
const endpointWait = 10 * time.Second

var errNoEndpoint = errors.New("the event stream does not begin with the endpoint event, which names where messages are posted")

// fallsBack reports whether a refused initialize is to be sent over HTTP+SSE: [V5]
// basic/transports/streamable-http §Backward Compatibility.
func (c *Conn) fallsBack(p *post, r *reply, a arrival) bool {
	if c.transport() != Auto || p.method != mcp.Initialize || p.modern() || p.number != 0 || a.answer || a.rpc != nil {
		return false
	}
	return r.StatusCode == http.StatusBadRequest || r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusMethodNotAllowed
}

// deliverSSE posts a message to the endpoint of HTTP+SSE. What answers it comes on the
// stream.
func (c *Conn) deliverSSE(p *post) {
	if err := c.join(p); err != nil {
		c.refuse(p, err)
		return
	}
	h, _, err := c.headers(p.ctx, typeJSON+", "+typeEvents, nil, "")
	if err != nil {
		c.refuse(p, newError("", err))
		return
	}
	h.Set("Content-Type", typeJSON)
	c.mu.Lock()
	to, number := c.endpoint, c.session.number
	c.mu.Unlock()
	r, err := c.send(p.ctx, &outgoing{method: http.MethodPost, url: to, header: c.own(h), body: p.line, number: number, sent: p.sentEarly()})
	p.sent()
	if err != nil {
		c.refuse(p, newError("", err))
		return
	}
	defer r.close()
	text, err := c.body(p, r)
	switch a := look(text, p.left...); {
	case r.StatusCode/100 != 2:
		c.refuse(p, explain(r, text, a.rpc, err))
	case a.whole:
		c.give(p.ctx, text) // it belongs on the stream
	}
}

// join opens the stream of HTTP+SSE unless it is open, and waits for the endpoint. p is the
// message that needs it. The error is a *client.HTTPError.
func (c *Conn) join(p *post) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.mu.Lock()
	at, session, joined := c.at, c.session, c.endpoint != nil
	c.mu.Unlock()
	if joined {
		return nil
	}
	r, err := c.ask(c.ctx, http.MethodGet, at, session, "")
	switch {
	case err != nil:
		return newError("", err)
	case !isStream(r):
		defer r.close()
		defer time.AfterFunc(endpointWait, r.end).Stop()
		if begin := r.peek(0); r.StatusCode == http.StatusOK && bytes.Contains(begin, []byte("event:")) {
			e := explain(r, begin, nil, nil)
			e.Means, e.Hint = "the stream of HTTP+SSE has the type "+cmp.Or(e.Type, "none"), "answer the GET with Content-Type: "+typeEvents
			return e
		}
		text, err := c.body(p, r)
		return explain(r, text, nil, err)
	}
	named := make(chan error, 1)
	s := &eventStream{conn: c, ctx: c.ctx, head: r.Header}
	s.took = func(name string, data []byte) bool {
		if named == nil {
			return name == "endpoint"
		}
		named <- c.enter(at, name, string(data))
		named = nil
		return name == "endpoint"
	}
	ended := make(chan struct{})
	answers := named
	c.work.Go(func() {
		defer close(ended)
		_ = s.follow(r)
	})
	select {
	case err = <-answers:
	case <-ended:
		err = errNoEndpoint
		select {
		case err = <-answers:
		default:
		}
	case <-time.After(endpointWait):
		err = fmt.Errorf("no endpoint event came within %v", endpointWait)
	case <-p.ctx.Done():
		err = p.ctx.Err()
	}
	if err != nil {
		r.end()
		e := newError("HTTP+SSE", err)
		if errors.Is(err, errNoEndpoint) {
			e.Hint = "send event: endpoint with the URI for messages as the first event of the stream"
		}
		return e
	}
	// Nothing can be answered any more once the stream has ended.
	c.work.Go(func() {
		<-ended
		c.hangUp(0)
	})
	return nil
}

// enter takes the event that names the endpoint, which is of the same origin.
func (c *Conn) enter(at *url.URL, name, data string) error {
	if name != "endpoint" {
		return errNoEndpoint
	}
	to, err := at.Parse(data)
	if err != nil {
		return errors.New("its endpoint event has no URL")
	}
	if to.Scheme != at.Scheme || to.Host != at.Host {
		return fmt.Errorf("its endpoint is of another origin, to which nothing is sent: %s", Place(to))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode, c.endpoint = SSE, to
	return nil
}
