package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"wiretea/session/mcp"
)

// A Client speaks to one server. Its methods may be called from any goroutine,
// and calls may overlap.
type Client struct {
	cfg        Config
	roots      Answer          // roots answers roots/list; the zero Answer = there are none.
	declared   json.RawMessage // declared are the capabilities that the user wants declared; nil = the true ones.
	clientInfo json.RawMessage // clientInfo is the clientInfo that the user wants sent; nil = ours.
	out        *writer
	read       chan struct{} // read is closed when the last goroutine has ended.

	timers    requestTimers
	answering sync.WaitGroup  // answering counts the goroutines that answer questions.
	live      context.Context // live ends when no answer can come any more, with a *ClosedError as its cause.
	close     context.CancelCauseFunc

	mu        sync.Mutex
	next      int64               // next is the id of the next request.
	seq       uint64              // seq numbers the calls in order.
	pending   map[string]*pending // pending are the calls that wait, by the id's raw text.
	abandoned map[string]struct{} // abandoned are ids of requests that nothing waits for and that may still become tasks.

	ops      map[*operation]struct{} // ops are the operations under way.
	progress map[string]*operation   // progress are those with a progress token, by its raw text.
	byLeg    map[string]*operation   // byLeg are all of them, by the raw texts of their request ids.
	tokens   int                     // tokens counts our progress tokens.
	logLevel string                  // logLevel goes with each modern request; empty = none.

	questions     map[string]context.CancelFunc // questions are the server's that are open, by the id's raw text.
	questionBytes int                           // questionBytes is how long their parameters are together, in bytes.
	ignored       []string                      // ignored are the methods of its last requests that got no answer.
	ignoredSum    int                           // ignoredSum counts all of those.

	feeds map[*Feed]struct{}
	subs  map[string]*Subscription // subs are the open subscriptions of the modern era, by the id's raw text.

	server Server
}

// Server is what the handshake says about the server.
type Server struct {
	Era          mcp.Era         // Era that the client speaks with it; UnknownEra before the handshake.
	Version      string          // Version is the protocol version in use, as it was written.
	Name         string          // Name, Title and Build are from its serverInfo; empty = not said.
	Title        string          //
	Build        string          //
	Capabilities json.RawMessage // Capabilities is the JSON object that the server declared; nil = none.
	Instructions string
	Supported    []string // Supported are the versions that a modern server lists.
}

// Has reports whether the server declared a capability, given as a path:
// "tools", "resources.subscribe". false and null count as not declared.
func (s *Server) Has(path string) bool {
	at := s.Capabilities
	for _, name := range strings.Split(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return false
		}
		at = members[name]
	}
	return len(at) > 0 && string(at) != "null" && string(at) != "false"
}

// New starts a client on the server's stdin and stdout, and sends nothing. An r that is a
// Carrier is one. It fails only on a configuration that cannot be used.
func New(cfg Config, w io.WriteCloser, r io.Reader) (*Client, error) {
	cfg.Name = cmp.Or(cfg.Name, "wiretea")
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	if cfg.ProbeTimeout <= 0 {
		cfg.ProbeTimeout = DefaultProbeTimeout
	}
	c, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	c.out = newWriter(w, cfg.Framing, func(err error) {
		// What the server wrote before it stopped reading may still arrive.
		time.AfterFunc(closingGrace, func() { c.end(fmt.Errorf("writing to the server: %w", err)) })
	})
	if carrier, ok := r.(Carrier); ok {
		carrier.OnRefused(c.refused)
	}
	go c.receive(r)
	return c, nil
}

// newClient is a client without its goroutines.
func newClient(cfg Config) (*Client, error) {
	c := &Client{
		cfg:       cfg,
		read:      make(chan struct{}),
		next:      1,
		pending:   make(map[string]*pending),
		abandoned: make(map[string]struct{}),
		ops:       make(map[*operation]struct{}),
		progress:  make(map[string]*operation),
		byLeg:     make(map[string]*operation),
		questions: make(map[string]context.CancelFunc),
		feeds:     make(map[*Feed]struct{}),
		subs:      make(map[string]*Subscription),
	}
	var err error
	if len(cfg.Roots) > 0 {
		if c.roots, err = RootsAnswer(cfg.Roots); err != nil {
			return nil, err
		}
	}
	if c.declared, err = object(cfg.Capabilities); err != nil {
		return nil, fmt.Errorf("reading capabilities: %w", err)
	}
	if c.clientInfo, err = object(cfg.ClientInfo); err != nil {
		return nil, fmt.Errorf("reading client info: %w", err)
	}
	c.live, c.close = context.WithCancelCause(context.Background())
	return c, nil
}

// closingGrace is how long answers are still taken after the server's stdin broke.
const closingGrace = time.Second

// Server returns what is known of the server.
func (c *Client) Server() Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// Done is closed when no answer can come any more: the server's output ended,
// its input broke, or Close was called.
func (c *Client) Done() <-chan struct{} { return c.live.Done() }

// Close writes what is still queued, for at most a second, closes the server's
// stdin and gives up what is outstanding. It may be called more than once. The
// reader goroutine goes on until the server's output ends; see Drained.
func (c *Client) Close() error {
	err := c.out.close()
	c.end(errors.New("closed by us"))
	return err
}

// Drained is closed when the server's output has ended and the client's last
// goroutine with it.
func (c *Client) Drained() <-chan struct{} { return c.read }

// end fails every call that waits, and all later ones. A nil cause is a plain end.
func (c *Client) end(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live.Err() != nil {
		return
	}
	c.close(&ClosedError{Cause: cause})
	err := &ClosedError{Cause: cause}
	for _, p := range c.waitingLocked() {
		err.Outstanding = append(err.Outstanding, fmt.Sprintf("%s (id %s)", p.method, p.id))
	}
	for _, p := range c.pending {
		p.give(answer{err: err})
	}
	clear(c.pending)
}
