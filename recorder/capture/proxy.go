package capture

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	remote "wiretea/session/client/http"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/transport"
	"wiretea/session/transport/http"
)

// A ProxyServer is a server that a Proxy is in front of.
type ProxyServer struct {
	Name  string   // Name is the first segment of its paths at the proxy; empty if it is the only server.
	Label string   // Label is what the user calls it; empty means Name.
	URL   *url.URL // URL is its endpoint. It may hold a secret in its query.
}

// A ProxyConfig describes a Proxy. Only Servers must be set.
type ProxyConfig struct {
	Servers     []ProxyServer
	Listen      string             // Listen is host:port; empty means 127.0.0.1 and a free port.
	RandomPath  bool               // RandomPath puts a random segment before all paths.
	AllowOrigin []string           // AllowOrigin are the origins of web pages that may use the proxy; "*" allows all.
	KeepHost    bool               // KeepHost forwards the client's Host, whatever it names.
	KeepOrigin  bool               // KeepOrigin forwards the client's Origin, whatever it names.
	Certificate *tls.Certificate   // Certificate makes the proxy speak TLS; nil means that it does not.
	Transport   *nethttp.Transport // Transport carries the requests; nil means the default one.
	Record      Record             // Record.File gets a number where it exists; None and Force do not apply. It is for a single server.
	Errors      io.Writer          // Errors takes, a line each, what is wrong with connections of clients and with the record; nil discards it.

	InPath InPath // InPath decides on the messages.
}

// A Proxy is the sessions between real clients and servers at URLs, with this process
// between them. Each server has a session file.
type Proxy struct {
	cfg     ProxyConfig
	proxy   *http.Proxy
	records []*sideRecord // records has one for each server.
	serving chan error
	end     sync.Once

	unwatch context.CancelFunc // unwatch ends the watch of the policy; nil = there is none.
	mu      sync.Mutex
	taps    []*transport.Tap // taps are those of the servers; mu guards them, and sockets.
	sockets []*socket        // sockets has one for each server.
}

// StartProxy listens, begins the records and forwards requests.
func StartProxy(cfg ProxyConfig) (*Proxy, error) {
	p := &Proxy{cfg: cfg, serving: make(chan error, 1)}
	var begin []func()
	var upstreams []http.Upstream
	for _, server := range cfg.Servers {
		up, start := p.upstream(server)
		upstreams, begin = append(upstreams, up), append(begin, start)
	}
	var err error
	p.proxy, err = http.Listen(http.ProxyConfig{
		Upstreams: upstreams, Log: upstreams[0].Log, Listen: cfg.Listen, RandomPath: cfg.RandomPath, AllowOrigin: cfg.AllowOrigin, KeepHost: cfg.KeepHost, KeepOrigin: cfg.KeepOrigin,
		Initialize: isInitialize, Transport: cfg.Transport, Certificate: cfg.Certificate, Errors: cfg.Errors,
	})
	if err != nil {
		return nil, err
	}
	for _, start := range begin {
		start()
	}
	p.watch()
	go func() { p.serving <- p.proxy.Serve() }()
	return p, nil
}

// watch has what decides follow its file.
func (p *Proxy) watch() {
	if !p.cfg.InPath.on() {
		return
	}
	var ctx context.Context
	ctx, p.unwatch = context.WithCancel(context.Background())
	p.cfg.InPath.watch(ctx, p.report, func() []*transport.Tap {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.Clone(p.taps)
	})
}

// report writes a line for the user.
func (p *Proxy) report(text string) {
	if p.cfg.Errors != nil {
		fmt.Fprintf(p.cfg.Errors, "wiretea: %s\n", text)
	}
}

// upstream is a server as the proxy needs it, and what begins its record once the proxy
// has it.
func (p *Proxy) upstream(server ProxyServer) (up http.Upstream, begin func()) {
	hdr := session.Header{
		Name: cmp.Or(server.Label, server.Name), Tool: recorder.ToolName, SID: newSID(), T0: time.Now(), Mode: "proxy", Trans: "http",
		URL: remote.Place(server.URL), Limits: p.cfg.InPath.limits(),
	}
	tap := transport.NewTap(hdr.T0, transport.TapConfig{Limit: teeMemory, Lasting: true, BatchDelay: teeNap, Patience: teePatience})
	up = http.Upstream{Name: server.Name, URL: server.URL, Log: &http.Log{Tap: tap, Key: CredentialKey()}}
	d := &socket{interceptor: p.cfg.InPath.intercept(tap, &hdr, nil)}
	up.Judge = d.interceptor
	p.mu.Lock()
	p.taps, p.sockets = append(p.taps, tap), append(p.sockets, d)
	p.mu.Unlock()
	note := d.interceptor.Recording(p.cfg.Record.unrecorded(&hdr, true, func(err error) { p.report(strings.ReplaceAll(NotRecorded(err), "\n", "; ")) }))
	return up, func() {
		hdr.Via = p.proxy.URL(server.Name)
		p.records = append(p.records, recordBeside(tap, note, func() *recorder.Writer {
			sink := p.cfg.Record.openBeside(&hdr, note)
			hdr.Sock = d.listen(p.cfg.Record.Dir, sink, &hdr)
			return recorder.NewWriter(sink, hdr, besideOptions(tap, note))
		}))
	}
}

// URL is what the client of a server uses in place of the server's URL.
func (p *Proxy) URL(name string) string { return p.proxy.URL(name) }

// Failed gets the error that ended the proxy before Close.
func (p *Proxy) Failed() <-chan error { return p.serving }

// Drain takes no more connections, and waits until no request is under way or ctx is done.
func (p *Proxy) Drain(ctx context.Context) { p.proxy.Drain(ctx) }

// Exposed reports whether other machines may reach the proxy.
func (p *Proxy) Exposed() bool { return p.proxy.Exposed() }

// Close cuts what is open and ends the records. why is what their ends say.
func (p *Proxy) Close(why string) error {
	var err error
	p.end.Do(func() {
		if p.unwatch != nil {
			p.unwatch()
		}
		p.mu.Lock()
		sockets := slices.Clone(p.sockets)
		p.mu.Unlock()
		for _, d := range sockets {
			d.interceptor.End()
		}
		err = p.proxy.Close()
		var ending sync.WaitGroup
		for _, record := range p.records {
			ending.Go(func() { record.end(why) })
		}
		ending.Wait()
		for _, d := range sockets {
			d.end()
			d.interceptor.Close()
		}
	})
	return err
}

// isInitialize reports whether the body of a request is an initialize request. A long body
// waits for it: one that cannot have the word, not even in escapes, is not parsed.
func isInitialize(body []byte) bool {
	if !bytes.Contains(body, []byte(mcp.Initialize)) && !bytes.Contains(body, []byte(`\u`)) {
		return false
	}
	is := false
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		method, _ := m.Method.Unquoted()
		is = is || m.Kind == jsonrpc.Request && method == mcp.Initialize
	})
	return is
}
