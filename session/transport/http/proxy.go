package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// ProxyConfig configures a Proxy. Upstreams and Log are required. Log also records the
// requests that are for no server.
type ProxyConfig struct {
	Upstreams []Upstream
	Log       *Log

	// Listen is the address to listen on, host:port; empty means 127.0.0.1 and a free
	// port.
	Listen string

	// RandomPath puts a random segment before all paths, so that another user of the
	// machine cannot use the proxy.
	RandomPath bool

	// AllowOrigin are origins, scheme://host:port, from which web pages may use the proxy
	// besides those of this machine. Their hosts may be in Host too. "*" allows all.
	AllowOrigin []string

	KeepHost   bool // KeepHost forwards the client's Host, whatever it names.
	KeepOrigin bool // KeepOrigin forwards the client's Origin, whatever it names.

	// Initialize reports whether the body of a request is an initialize request; nil means
	// that none is.
	Initialize func(body []byte) bool

	// Transport carries the requests; nil means NewTransport's with the environment's
	// proxy. The Proxy closes its idle connections.
	Transport *http.Transport

	// Certificate makes the proxy speak TLS; nil means plain HTTP.
	Certificate *tls.Certificate

	// Errors gets what is wrong with connections of clients, such as failed TLS handshakes,
	// and what clients cannot do through the proxy; nil discards it.
	Errors io.Writer
}

// tripBuffer is the size of the buffers of a connection to a server, in bytes: a usual message
// is read, and written, by one system call together with its head.
const tripBuffer = 16 << 10

// What a client's head may take: others of this machine can open many connections.
const (
	maxHeader  = 256 << 10
	headerTime = time.Minute
)

// A Proxy is a reverse proxy that records. It forwards requests until it is closed.
type Proxy struct {
	cfg       ProxyConfig
	router    *router
	guard     guard
	transport *http.Transport // transport carries the requests but those of streams.
	streams   *http.Transport // streams carries requests whose responses stay open: its buffers are small.
	inner     bool            // inner: it is that of a Carrier, which has no guard, listener and server.
	listener  net.Listener
	server    http.Server

	notices  notices
	busy     atomic.Int64 // busy counts the requests under way, without streams that stay open.
	foreign  sync.Map     // foreign has the servers of which it was said that clients cannot log in through the proxy.
	held     atomic.Int64 // held is the memory of request bodies that are read whole, in bytes.
	handlers sync.WaitGroup
	closing  context.Context // closing is done when Close was called.
	close    context.CancelFunc

	answers   sync.WaitGroup  // answers are the round trips of answerServer.
	answering context.Context // answering is done when Close does not wait for them any longer.
	giveUp    context.CancelFunc
}

// Listen returns a Proxy that listens, and forwards nothing before Serve. It returns an
// error if the configuration is wrong or the address cannot be listened on.
func Listen(cfg ProxyConfig) (*Proxy, error) {
	r, err := newRouter(cfg.Upstreams, cfg.RandomPath)
	if err != nil {
		return nil, err
	}
	cfg.Listen = cmp.Or(cfg.Listen, "127.0.0.1:0")
	host, _, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address to listen on: %w", err)
	}
	p := &Proxy{cfg: cfg, router: r, guard: guard{allow: cfg.AllowOrigin, host: host, anyHost: cfg.KeepHost, anyOrigin: cfg.KeepOrigin}, streams: cfg.Transport}
	if p.streams == nil {
		p.streams = NewTransport(nil, http.ProxyFromEnvironment, false)
	}
	p.transport = p.streams.Clone()
	p.transport.ReadBufferSize, p.transport.WriteBufferSize = tripBuffer, tripBuffer
	if p.listener, err = net.Listen("tcp", cfg.Listen); err != nil {
		return nil, err
	}
	for _, up := range r.upstreams {
		up.Log = cmp.Or(up.Log, cfg.Log)
	}
	p.begin()
	errs := cfg.Errors
	if errs == nil {
		errs = io.Discard
	}
	p.server = http.Server{
		Handler:                      p,
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is the server's to answer.
		BaseContext:                  func(net.Listener) context.Context { return p.closing },
		ErrorLog:                     log.New(errs, "", 0),
		MaxHeaderBytes:               maxHeader,
		ReadHeaderTimeout:            headerTime,
	}
	return p, nil
}

// URL is what a client uses instead of the server's URL. It panics for a name that no
// server has.
func (p *Proxy) URL(name string) string {
	for _, up := range p.router.upstreams {
		if up.Name != name {
			continue
		}
		path := cmp.Or(up.URL.EscapedPath(), "/")
		if up.URL.RawQuery != "" {
			path += "?" + up.URL.RawQuery
		}
		return p.scheme() + "://" + p.Addr() + p.router.prefix(up) + path
	}
	panic("no server is named " + name)
}

// Addr is the host and port under which this machine reaches the proxy.
func (p *Proxy) Addr() string {
	addr := p.listener.Addr().String()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// Exposed reports whether it listens on more than the loopback interface.
func (p *Proxy) Exposed() bool {
	addr, ok := p.listener.Addr().(*net.TCPAddr)
	return ok && !addr.IP.IsLoopback()
}

func (p *Proxy) scheme() string {
	if p.cfg.Certificate != nil {
		return "https"
	}
	return "http"
}

// Serve forwards requests until Close, and returns nil after it.
func (p *Proxy) Serve() error {
	var err error
	if p.cfg.Certificate != nil {
		p.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*p.cfg.Certificate}}
		err = p.server.ServeTLS(p.listener, "", "")
	} else {
		err = p.server.Serve(p.listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Drain takes no more connections, and waits until no request is under way or ctx is done. It
// does not wait for streams that stay open.
func (p *Proxy) Drain(ctx context.Context) {
	now, cancel := context.WithCancel(ctx)
	cancel()
	_ = p.server.Shutdown(now) // It returns the error of ctx at once.
	for p.busy.Load() > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Close closes all connections, and waits until each round trip that ran has its end in
// the tap. What the proxy itself answers to servers has answerGrace to arrive.
func (p *Proxy) Close() error {
	p.close()
	err := errors.Join(p.server.Close(), ignoreClosed(p.listener.Close()))
	p.finish()
	for _, up := range p.router.upstreams {
		up.Log.Wait()
	}
	p.transport.CloseIdleConnections()
	p.streams.CloseIdleConnections()
	return err
}

// ignoreClosed is the error of closing a listener, which the server may have closed.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
