package http

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/transport"
	trips "wiretea/session/transport/http"
)

// A Conn is a connection to a Remote. One goroutine may read while another writes. Its
// caller ends it with Shutdown.
type Conn struct {
	remote  *Remote
	log     *trips.Log
	carrier *trips.Carrier // carrier makes the round trips while somebody decides on messages; nil = nobody does.

	in      *inbox
	refused func(id string, err error) // refused is nil where nobody listens.
	split   framing.Splitter
	line    []byte        // line is what was written of a line that has not ended.
	before  chan struct{} // before is closed when the latest initialize is answered; nil where nothing waits for that. The writer owns it, and line.

	ctx     context.Context // ctx is that of all requests but the last.
	cancel  context.CancelFunc
	closing chan struct{} // closing is closed once nothing is written any more.
	shut    sync.Once
	done    chan struct{}
	work    sync.WaitGroup // work are the goroutines that end with ctx.

	annotations annotations

	mu       sync.Mutex // mu guards what follows.
	at       *url.URL   // at is where messages are posted.
	mode     Mode
	session  sessionState
	answered bool             // answered: a request was answered.
	version  string           // version is that of the latest modern message; empty = there was none.
	hello    *message         // hello is the latest initialize, and ready the notification behind it.
	ready    *message         //
	open     map[string]*post // open are the requests that wait for an answer, by id.
	busy     int              // busy counts the posts that are under way.
	idle     chan struct{}    // idle is closed when busy falls to 0; nil for nobody.
	endpoint *url.URL         // endpoint is where messages are posted in HTTP+SSE; nil before the server has said it.
	unlisten func()           // unlisten ends the GET stream; nil where there is none.
	heard    chan struct{}    // heard is closed when the request for the GET stream has been answered, or failed; nil where there was none.
	trailing []chan struct{}  // trailing has, for each stream that is open behind its answer, what its end closes.

	changing sync.Mutex // changing is held while the session is begun again, or the endpoint of HTTP+SSE is asked for.
}

// A post is a message of ours that is under way.
type post struct {
	*message
	ctx    context.Context
	cancel context.CancelFunc
	sent   func() // sent lets the next message go.
	leave  func() // leave takes it out of what waits for an answer.

	left []string // left are the ids of its requests that have no answer yet. The goroutine that delivers it owns it.

	// number is that of the session which it begins again, unknown to the caller: its
	// answer is not given to Read. 0 = it is the caller's.
	number int
}

// Number returns the number of the session that messages now belong to, in the Remote.
func (c *Conn) Number() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.number
}

// Read returns the server's messages as lines, io.EOF when the connection has ended.
func (c *Conn) Read(p []byte) (int, error) { return c.in.read(p) }

// OnRefused implements client.Carrier. It is called before Read.
func (c *Conn) OnRefused(refused func(id string, err error)) { c.refused = refused }

// Give puts a line, its end included, before what Read returns next. It may be called by
// what OnRefused was given, which runs between two lines.
func (c *Conn) Give(line []byte) { c.in.first(line) }

// Done is closed when all requests and goroutines have ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Write posts each line that ends in p. It waits until the line is on its way, so that
// messages set out in their order, but not for answers.
func (c *Conn) Write(p []byte) (n int, err error) {
	select {
	case <-c.closing:
		return 0, io.ErrClosedPipe
	default:
	}
	c.split.Push(p, c.piece)
	return len(p), nil
}

// piece takes a part of a line of ours.
func (c *Conn) piece(p framing.Piece) {
	if p.Kind == framing.Header {
		return // the body behind it is a message
	}
	c.line = append(c.line, p.Data...)
	if !p.End {
		return
	}
	line := c.line
	c.line = nil
	if len(line) > 0 {
		c.post(line)
	}
}

// How long a message waits for the one before it.
const (
	sendWait  = time.Second     // until that was sent
	readyWait = 4 * time.Second // until the server has answered initialize, or taken notifications/initialized; a writer that waits for 5 s is a finding

	// streamWait is for the GET stream: what a server asks on it before it is open is lost
	// with some SDKs. Some servers answer with the first event only.
	streamWait = 500 * time.Millisecond
)

// post sends a line, and returns once the next one may go.
func (c *Conn) post(line []byte) {
	m := c.read(line)
	if m.method == mcp.CancelledNotification && c.cancelled(m) {
		return
	}
	if c.before != nil {
		c.await(c.before, readyWait)
		c.before = nil
	}
	p := &post{message: m, left: m.asks}
	gone := make(chan struct{})
	p.sent = sync.OnceFunc(func() { close(gone) })
	p.ctx, p.cancel = context.WithCancel(c.ctx)
	c.begin(p)
	c.work.Go(func() {
		defer p.cancel()
		defer p.leave()
		defer p.sent()
		defer func() {
			if fault := recover(); fault != nil {
				c.refuse(p, fmt.Errorf("internal error: %v", fault))
			}
		}()
		c.deliver(p)
	})
	switch m.method {
	case mcp.Initialize:
		c.before = gone // The next message waits: most clients wait for the answer before they write it.
	case mcp.InitializedNotification:
		c.await(gone, readyWait)
	default:
		c.await(gone, sendWait)
	}
}

// await waits until done is closed, but not beyond a limit, nor the end of what is written.
func (c *Conn) await(done <-chan struct{}, limit time.Duration) {
	select {
	case <-done:
	case <-c.closing:
	case <-time.After(limit):
	}
}

// read reads a line of ours. Notifications of the modern era have no version: they are of
// it where no session was begun.
func (c *Conn) read(line []byte) *message {
	m := read(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case m.modern():
		c.version = m.version
	case m.kind == jsonrpc.Notification && c.hello == nil:
		m.version = c.version
	}
	return m
}

// begin enters a message into the tables. A client that initializes has given up its
// probe.
func (c *Conn) begin(p *post) {
	p.leave = sync.OnceFunc(func() { c.finish(p) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy++
	if p.method == mcp.Initialize {
		c.hello, c.ready = p.message, nil
		for _, open := range c.open {
			if open.method == mcp.ServerDiscover {
				open.cancel()
			}
		}
	}
	if p.method == mcp.InitializedNotification {
		c.ready = p.message
	}
	if p.id != "" {
		if c.open == nil {
			c.open = make(map[string]*post)
		}
		c.open[p.id] = p
	}
}

// finish takes a message out of the tables.
func (c *Conn) finish(p *post) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[p.id] == p {
		delete(c.open, p.id)
	}
	if c.busy--; c.busy == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// abandonedWait is how long the stream of a legacy request stays open after its
// cancellation was sent: a server need not end it.
const abandonedWait = 5 * time.Second

// cancelled ends the request that a cancellation names, if it is open, and reports
// whether that is all there is to it. In the modern era closing its stream is the
// cancellation: [V5] basic/transports/streamable-http §Cancellation.
func (c *Conn) cancelled(m *message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.open[m.names]
	switch {
	case p == nil:
		return false
	case p.modern():
		p.cancel()
		return true
	}
	time.AfterFunc(abandonedWait, p.cancel)
	return false
}

// give hands a message of the server's to Read. text is the receiver's.
func (c *Conn) give(ctx context.Context, text []byte) {
	c.in.put(ctx, item{line: oneLine(text)})
}

// refuse tells the caller that the requests of a message which have no answer get none any
// more, and why; of another message, that the server did not take it.
func (c *Conn) refuse(p *post, err error) {
	switch {
	case p.ctx.Err() != nil, p.number != 0:
	case len(p.left) > 0 && c.refused != nil:
		for _, id := range p.left {
			c.in.put(c.ctx, item{tell: func() { c.refused(id, err) }})
		}
		p.left = nil
	case p.kind == jsonrpc.Notification:
		c.remote.opt.Notice(fmt.Sprintf("%s was not taken: %v", p.method, err))
	case p.kind.Response():
		c.remote.opt.Notice(fmt.Sprintf("the answer to a request of the server's was not taken: %v", err))
	}
}

// CloseWrite ends what the client sends, and the connection once what is under way has
// been answered, within the grace.
func (c *Conn) CloseWrite() error {
	c.hangUp(c.remote.opt.Grace.EOF)
	return nil
}

// Shutdown ends the session at the server and the connection, and waits for that. Once
// ctx is done nothing is given time any more.
func (c *Conn) Shutdown(ctx context.Context) (transport.Exit, error) {
	return c.ShutdownWithin(ctx, c.remote.opt.Grace.EOF)
}

// ShutdownWithin is Shutdown with no more than limit for what is under way, and again for
// the end of the session.
func (c *Conn) ShutdownWithin(ctx context.Context, limit time.Duration) (transport.Exit, error) {
	limit = min(limit, c.remote.opt.Grace.EOF)
	c.hangUp(limit)
	select {
	case <-c.done:
	case <-time.After(2 * limit):
	case <-ctx.Done():
	}
	c.cancel()
	<-c.done
	return transport.Exit{}, nil
}

// hangUp begins the end of the connection, if that has not begun.
func (c *Conn) hangUp(grace time.Duration) {
	c.shut.Do(func() {
		close(c.closing)
		go c.end(grace)
	})
}

// end ends the connection.
func (c *Conn) end(grace time.Duration) {
	defer close(c.done)
	defer c.in.close()
	c.awaitIdle(grace)
	c.delete(grace)
	c.cancel()
	c.work.Wait()
	if c.carrier != nil {
		c.carrier.Close()
	}
	c.log.Wait()
	c.remote.httpc.CloseIdleConnections()
}

// awaitIdle waits until no message is under way but those that stay open, or for the
// grace.
func (c *Conn) awaitIdle(grace time.Duration) {
	c.mu.Lock()
	for _, p := range c.open {
		if p.unending() {
			p.cancel()
		}
	}
	idle := make(chan struct{})
	if c.idle = idle; c.busy == 0 {
		close(idle)
		c.idle = nil
	}
	c.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(grace):
	case <-c.ctx.Done():
	}
}
