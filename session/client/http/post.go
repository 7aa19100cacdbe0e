package http

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"wiretea/session/client"
	"wiretea/session/mcp"
	trips "wiretea/session/transport/http"
)

const (
	maxMessage   = 32 << 20 // maxMessage is the longest message that is kept, in bytes.
	maxExcerpt   = 512      // maxExcerpt is how much of a body an error has, in bytes.
	maxPeek      = 64 << 10 // maxPeek is how much of a body is read that may not matter, in bytes.
	maxRedirects = 5
)

// deliver sends a message and brings its answer.
func (c *Conn) deliver(p *post) {
	if c.transport() == SSE {
		c.deliverSSE(p)
		return
	}
	s := c.current()
	r, err := c.request(p, s)
	if err != nil {
		c.refuse(p, newError("", err))
		return
	}
	if r.StatusCode == http.StatusNotFound && len(p.asks) > 0 && !p.modern() && s.id != "" && p.method != mcp.Initialize && !c.unknownMethod(r) && c.renew(p, s.id, trips.AlteredBy(r.Response)) {
		c.skip(r)
		if r, err = c.request(p, c.current()); err != nil {
			c.refuse(p, newError("", err))
			return
		}
	}
	c.answer(p, r)
}

// unknownMethod reports whether a 404 is about the method, not about the session: its body, if
// that is short JSON, says so. The body can be read again.
func (c *Conn) unknownMethod(r *reply) bool {
	if mediaType(r.Header) != typeJSON {
		return false
	}
	a := look(r.peek(maxPeek))
	return a.rpc != nil && a.rpc.Code == mcp.MethodNotFound
}

// transport returns the transport in use.
func (c *Conn) transport() Mode {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mode
}

// request posts a message, to where redirects lead, and with another token where the
// first one is refused.
func (c *Conn) request(p *post, s sessionState) (*reply, error) {
	var refused string
	for tries := 0; ; tries++ {
		r, bearer, err := c.postOnce(p, s, refused)
		if err != nil {
			return nil, err
		}
		switch to := c.redirected(r); {
		case tries == maxRedirects:
			return r, nil
		case to != nil:
			c.remote.opt.Notice("the server redirects to " + Place(to) + ": use that URL")
			c.mu.Lock()
			c.at = to
			c.mu.Unlock()
		case r.StatusCode == http.StatusUnauthorized && refused == "" && bearer != "":
			// The same token would be refused again.
			next, err := c.remote.token.bearer(p.ctx, bearer)
			if err != nil {
				c.remote.opt.Notice(err.Error())
			}
			if err != nil || next == bearer {
				return r, nil
			}
			refused = bearer
		default:
			return r, nil
		}
		c.skip(r)
	}
}

// postOnce posts a message.
func (c *Conn) postOnce(p *post, s sessionState, refused string) (r *reply, bearer string, err error) {
	session := &s
	if p.modern() || p.method == mcp.Initialize {
		session = nil
	}
	h, bearer, err := c.headers(p.ctx, typeJSON+", "+typeEvents, session, refused)
	if err != nil {
		return nil, "", err
	}
	h.Set("Content-Type", typeJSON)
	if p.modern() {
		c.mirror(h, p.message)
	}
	c.mu.Lock()
	at := c.at
	c.mu.Unlock()
	sent := p.sentEarly()
	r, err = c.send(p.ctx, &outgoing{method: http.MethodPost, url: at, header: c.own(h), body: p.line, number: s.number, sent: sent})
	sent()
	return r, bearer, err
}

// sentEarly is to be called once the message is written. What comes behind a message that
// opens a session waits for its answer instead, for which it does nothing: the next message
// may take another connection, and overtake, and needs the session's id.
func (p *post) sentEarly() func() {
	if p.method == mcp.Initialize || p.method == mcp.InitializedNotification {
		return func() {}
	}
	return p.sent
}

// redirected returns where a response redirects to, if a message may be sent there: to
// the same origin, by a status that keeps the method.
func (c *Conn) redirected(r *reply) *url.URL {
	if r.StatusCode != http.StatusTemporaryRedirect && r.StatusCode != http.StatusPermanentRedirect {
		return nil
	}
	at := r.Header.Get("Location")
	if to, err := r.url.Parse(at); err == nil && at != "" && to.Scheme == r.url.Scheme && to.Host == r.url.Host {
		return to
	}
	return nil
}

// skip reads the rest of a response that does not matter, as far as that is short. A stream
// of events may stay open, and is left at once.
func (c *Conn) skip(r *reply) {
	if mediaType(r.Header) == typeEvents {
		r.close()
		return
	}
	left := maxPeek
	_ = r.read(func(chunk []byte) error {
		if left -= len(chunk); left < 0 {
			return errLong
		}
		return nil
	})
	r.close()
}

var errLong = errors.New("the body is too long")

// mediaType is the media type of a response, in lower case.
func mediaType(h http.Header) string {
	full := h.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(full); err == nil {
		return kind
	}
	kind, _, _ := strings.Cut(full, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// answer takes the response to a message.
func (c *Conn) answer(p *post, r *reply) {
	defer r.close()
	kind := mediaType(r.Header)
	if r.StatusCode/100 == 2 && kind == typeEvents {
		c.answerStream(p, r)
		return
	}
	text, err := c.body(p, r)
	if err == errLong {
		c.refuse(p, client.ErrTooLong)
		return
	}
	a := look(text, p.left...)
	if c.fallsBack(p, r, a) {
		switch failed, _ := errors.AsType[*client.HTTPError](c.join(p)); {
		case failed == nil:
			c.deliverSSE(p)
			return
		case strings.Contains(failed.Means, "HTTP+SSE"): // The GET brought a stream, or what is meant to be one.
			c.refuse(p, failed)
			return
		}
	}
	c.learn(p, r.Header, a)
	if p.method == mcp.InitializedNotification && r.StatusCode/100 == 2 {
		c.listen()
		c.AwaitStream(p.ctx, streamWait)
	}
	// An answer that the caller does not know of, or that is none: who may not come in.
	hidden := a.answer && (p.number != 0 || r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden)
	// An error with another id, or none, is in what is told of the refusal.
	refused := r.StatusCode/100 != 2 && !a.answer
	if a.whole && !hidden && !refused {
		c.give(p.ctx, text)
		p.left = a.left
	}
	switch some := len(p.left) < len(p.asks); {
	case some && len(p.left) > 0:
		c.refuse(p, unanswered(r, text, err))
	case !some && (len(p.left) > 0 || r.StatusCode/100 != 2):
		c.refuse(p, explain(r, text, a.rpc, err))
	}
}

// body reads a body that is not a stream.
func (c *Conn) body(p *post, r *reply) (text []byte, err error) {
	long := false
	err = r.read(func(chunk []byte) error {
		if long = long || len(text)+len(chunk) > maxMessage; long {
			text = nil
			return nil
		}
		text = append(text, chunk...)
		return nil
	})
	if long {
		return nil, errLong
	}
	return text, err
}

// learn keeps what an answer says that later requests need.
func (c *Conn) learn(p *post, h http.Header, a arrival) {
	if a.answer {
		c.mu.Lock()
		c.answered = true
		c.mu.Unlock()
	}
	switch {
	case !a.answer || a.result == nil:
	case p.method == mcp.Initialize && !p.modern():
		c.initialized(p, h, a.result)
	case p.method == mcp.ToolsList && p.modern():
		c.annotations.learn(a.result)
	}
}

// hasAnswered reports whether the server has answered a request.
func (c *Conn) hasAnswered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered
}

// answerStream takes the stream that a message is answered by, and resumes it.
func (c *Conn) answerStream(p *post, r *reply) {
	began := time.Now()
	s := &eventStream{conn: c, ctx: p.ctx, post: p, head: r.Header}
	err := s.follow(r)
	if !s.answered && !p.modern() {
		err = s.resume(err)
	}
	switch {
	case s.answered:
	case s.long:
		c.refuse(p, client.ErrTooLong)
	case len(p.left) > 0:
		c.refuse(p, cutOff(r, time.Since(began), s.bare, err))
	}
}
