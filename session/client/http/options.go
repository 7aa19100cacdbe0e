package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/transport"
	trips "wiretea/session/transport/http"
)

// A Mode is a transport.
type Mode string

// The transports.
const (
	Auto       Mode = "auto" // Auto is Streamable, and SSE for a server that refuses initialize as servers of 2024-11-05 do.
	Streamable Mode = "http" // Streamable is Streamable HTTP, in either era.
	SSE        Mode = "sse"  // SSE is HTTP+SSE of 2024-11-05.
)

// Options say how a server is reached. Only URL must be set.
type Options struct {
	URL       *url.URL    // URL is the endpoint. Its userinfo is sent as Authorization.
	Mode      Mode        // Mode is the transport; empty = Auto.
	Header    http.Header // Header goes with every request, in the place of what is sent otherwise. Its names are canonical.
	UserAgent string

	// Token returns the bearer token of every request; nil = none is sent. It is called
	// before the first request with an empty refused, and again, once, when a request was refused
	// by 401, with the token that it had.
	Token func(ctx context.Context, refused string) (string, error)

	TLS      *tls.Config                           // TLS is nil for the usual one.
	Proxy    func(*http.Request) (*url.URL, error) // Proxy is nil for the one that the environment names.
	HTTP1    bool                                  // HTTP1 never speaks HTTP/2.
	NoResume bool                                  // NoResume leaves streams that broke as they are, and opens none by GET again.
	Grace    transport.Grace                       // Grace.EOF is how long requests under way and DELETE may take at the end.

	After int // After is how many connections the session has that are not the Remote's: its numbers begin behind them.

	// Key makes the hashes of credentials in the recording.
	Key []byte

	// Notice is told what the user should know, a line each; nil = nothing is.
	Notice func(text string)
}

// A Remote is a server at a URL. Its connections are numbered.
type Remote struct {
	opt   Options
	httpc *http.Transport
	token token

	mu    sync.Mutex
	log   *trips.Log
	judge session.Judge // judge is nil where nobody decides on messages.
	last  int           // last is the latest connection's number.
}

// dialer limits how long connecting to one address may take.
var dialer = net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}

// New returns a Remote, and connects to nothing. It fails on options that cannot be used.
func New(opt Options) (*Remote, error) {
	switch {
	case opt.URL == nil || opt.URL.Scheme != "http" && opt.URL.Scheme != "https":
		return nil, errors.New("the URL begins with http:// or https://")
	case opt.URL.Host == "":
		return nil, errors.New("the URL names no host")
	case opt.Mode == "":
		opt.Mode = Auto
	case opt.Mode != Auto && opt.Mode != Streamable && opt.Mode != SSE:
		return nil, fmt.Errorf("unknown transport %q", opt.Mode)
	}
	if opt.Proxy == nil {
		opt.Proxy = http.ProxyFromEnvironment
	}
	opt.Grace.EOF = cmp.Or(opt.Grace.EOF, 2*time.Second)
	if opt.Notice == nil {
		opt.Notice = func(string) {}
	}
	r := &Remote{opt: opt, last: opt.After, token: token{get: opt.Token}}
	r.httpc = trips.NewTransport(opt.TLS, opt.Proxy, opt.HTTP1)
	r.httpc.DialContext = dialer.DialContext
	return r, nil
}

// Judge has j decide on the messages of the connections that begin from now on, and on no
// probe. Nil = nobody does.
func (r *Remote) Judge(j session.Judge) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judge = j
}

// Start begins the next connection. Its round trips go to tap. It sends nothing.
func (r *Remote) Start(tap *transport.Tap) *Conn {
	r.mu.Lock()
	if r.log == nil || r.log.Tap != tap {
		r.log = &trips.Log{Tap: tap, Key: r.opt.Key, Secret: r.secret()}
	}
	log, judge := r.log, r.judge
	r.mu.Unlock()
	c := &Conn{remote: r, log: log, at: r.opt.URL, mode: r.opt.Mode, closing: make(chan struct{}), done: make(chan struct{}), in: newInbox()}
	if judge != nil {
		c.carrier = trips.NewCarrier(r.opt.URL, r.httpc, log, judge)
	}
	c.session.number = r.next()
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// known are the fields of a user that hold no secrets.
var known = []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "Host", mcp.LastEventIDHeader, mcp.MethodHeader, mcp.NameHeader, mcp.VersionHeader, "Origin", "User-Agent"}

// secret are the user's header fields whose values are not recorded: all that may hold a
// secret.
func (r *Remote) secret() (names []string) {
	for name := range r.opt.Header {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	return names
}

// next takes the next connection's number.
func (r *Remote) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

// Place is a URL without what may be secret: userinfo, fragment, and the values of its query.
func Place(u *url.URL) string {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	var names []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, valued := strings.Cut(pair, "="); valued {
			names = append(names, name+"=")
		} else if name != "" {
			names = append(names, "…")
		}
	}
	plain.RawQuery = strings.Join(names, "&")
	return plain.String()
}
