package http

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A sessionState is a session of the legacy era, or before it, or the round trips of the
// modern one.
type sessionState struct {
	number  int    // number is the connection's number in the Remote.
	id      string // id is the Mcp-Session-Id; empty = the server gave none.
	version string // version was negotiated by initialize; empty = not yet.
}

func (c *Conn) current() sessionState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// initialized takes the answer to initialize.
func (c *Conn) initialized(p *post, h http.Header, result json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	number := cmp.Or(p.number, c.session.number)
	c.session = sessionState{number: number, id: h.Get(mcp.SessionHeader), version: lex.Unquote(lex.Get(result, "protocolVersion"))}
}

// renew begins the session again that the server has ended, as the client must: [V4]
// basic/transports §Session Management 4. id is that of the session in which p was
// refused; another request may have begun the next one already. by is what of wiretea's has
// ended it; empty = the server has. It reports whether p can be sent again.
func (c *Conn) renew(p *post, id, by string) bool {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.mu.Lock()
	hello, ready, now := c.hello, c.ready, c.session
	c.mu.Unlock()
	if now.id != id {
		return true
	}
	if hello == nil {
		return false
	}
	again := c.silently(p.ctx, hello, c.remote.next())
	if c.current().number != again.number {
		return false
	}
	why := "the server has ended the session (404)"
	if by != "" {
		why = "the session has ended (" + by + ")"
	}
	c.remote.opt.Notice(fmt.Sprintf("%s: initialized again as connection %d, and %s was sent once more", why, again.number, cmp.Or(p.method, "a batch")))
	if ready != nil {
		c.silently(p.ctx, ready, again.number)
	}
	return true
}

// silently sends a message of an earlier session in the one of that number, and takes
// the answer.
func (c *Conn) silently(ctx context.Context, m *message, number int) *post {
	p := &post{message: m, number: number, left: m.asks, sent: func() {}, leave: func() {}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	defer p.cancel()
	s := c.current()
	s.number = number
	if r, err := c.request(p, s); err == nil {
		c.answer(p, r)
	}
	return p
}

// delete ends the session at the server, which may not offer that: [V4] basic/transports
// §Session Management 5.
func (c *Conn) delete(grace time.Duration) {
	s := c.current()
	if s.id == "" || c.transport() == SSE {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, grace)
	defer cancel()
	if r, err := c.ask(ctx, http.MethodDelete, c.place(), s, ""); err == nil {
		c.skip(r)
	}
}

// place returns where messages are posted.
func (c *Conn) place() *url.URL {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// ask makes a request without a body. event is the last event's id; empty for none.
func (c *Conn) ask(ctx context.Context, method string, at *url.URL, s sessionState, event string) (*reply, error) {
	accept := typeEvents
	if method == http.MethodDelete {
		accept = "*/*"
	}
	h, _, err := c.headers(ctx, accept, &s, "")
	if err != nil {
		return nil, err
	}
	if event != "" {
		h.Set(mcp.LastEventIDHeader, event)
	}
	return c.send(ctx, &outgoing{method: method, url: at, header: c.own(h), number: s.number})
}

// AwaitStream waits until the server has answered the request for the GET stream, if one
// was made, for limit at most.
func (c *Conn) AwaitStream(ctx context.Context, limit time.Duration) {
	c.mu.Lock()
	heard := c.heard
	c.mu.Unlock()
	if heard == nil {
		return
	}
	select {
	case <-heard:
	case <-time.After(limit):
	case <-ctx.Done():
	}
}

// listen opens the stream of what the server has to say by itself: [V4] basic/transports
// §Listening for Messages from the Server.
func (c *Conn) listen() {
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unlisten != nil {
		c.unlisten()
	}
	c.unlisten, c.heard = sync.OnceFunc(cancel), make(chan struct{})
	heard := c.heard
	s := &eventStream{conn: c, ctx: ctx, heard: sync.OnceFunc(func() { close(heard) })}
	session := c.session
	c.work.Go(func() {
		defer cancel()
		s.listen(session)
	})
}
