package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// A Reach is how far a Remote can be reached, layer by layer. What lies behind a layer
// that failed is zero.
type Reach struct {
	Proxy string // Proxy is the host of the HTTP proxy that leads there, which does the rest; empty = none.

	Host    string   // Host is the URL's host, Port its port or that of its scheme.
	Port    string   //
	Literal bool     // Literal: Host is an address, so nothing is looked up.
	Addrs   []string // Addrs are the addresses, in the order in which they are tried.
	DNS     Measure

	Addr    string   // Addr is the address that was connected to, with its port.
	Refused []string // Refused are the addresses before it that could not be connected to.
	Dial    Measure

	Secure bool                 // Secure: the URL begins with https.
	TLS    *tls.ConnectionState // TLS is nil without Secure, and if there was no handshake.
	Shake  Measure
	Trust  error // Trust is why the certificate is not trusted; nil = it is, or need not be.
}

// A Measure is how long a step took, and why it failed.
type Measure struct {
	Took time.Duration
	Err  error // Err is nil if the step succeeded, or was not made.
}

func measure(step func() error) Measure {
	began := time.Now()
	err := step()
	return Measure{time.Since(began), err}
}

// Reach looks up the name of the Remote's URL, connects and makes the handshake of TLS.
// Nothing of HTTP is sent. Each step takes limit at most.
func (r *Remote) Reach(ctx context.Context, limit time.Duration) *Reach {
	u := r.opt.URL
	at := &Reach{Host: u.Hostname(), Port: u.Port(), Secure: u.Scheme == "https"}
	if at.Port == "" {
		at.Port = map[bool]string{false: "80", true: "443"}[at.Secure]
	}
	if at.Proxy = r.Through(u); at.Proxy != "" {
		return at
	}
	within := func(step func(context.Context) error) Measure {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return measure(func() error { return step(limited) })
	}
	if _, err := netip.ParseAddr(at.Host); err == nil {
		at.Literal, at.Addrs = true, []string{at.Host}
	} else {
		at.DNS = within(func(ctx context.Context) (err error) {
			at.Addrs, err = net.DefaultResolver.LookupHost(ctx, at.Host)
			return err
		})
	}
	if at.DNS.Err != nil {
		return at
	}
	var conn net.Conn
	at.Dial = within(func(ctx context.Context) (err error) {
		conn, err = at.dial(ctx)
		return err
	})
	if conn == nil {
		return at
	}
	defer conn.Close()
	if at.Secure {
		at.Shake = within(func(ctx context.Context) error { return at.handshake(ctx, conn, r.opt.TLS) })
	}
	return at
}

// SpeaksTLS reports whether there is TLS at the Remote's host and port, whatever its URL says.
func (r *Remote) SpeaksTLS(ctx context.Context, limit time.Duration) bool {
	secure, u := &Remote{opt: r.opt}, *r.opt.URL
	u.Scheme, u.Host = "https", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80"))
	secure.opt.URL = &u
	at := secure.Reach(ctx, limit)
	return at.TLS != nil
}

// Through is the host of the HTTP proxy that requests to u go through; empty = none.
func (r *Remote) Through(u *url.URL) string {
	proxy, err := r.opt.Proxy(&http.Request{URL: u, Header: http.Header{}})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host
}

// dial connects to the first address that takes it.
func (at *Reach) dial(ctx context.Context) (conn net.Conn, err error) {
	err = errors.New("the name has no address")
	for _, addr := range at.Addrs {
		addr = net.JoinHostPort(addr, at.Port)
		if conn, err = dialer.DialContext(ctx, "tcp", addr); err == nil {
			at.Addr = addr
			return conn, nil
		}
		at.Refused = append(at.Refused, addr)
	}
	return nil, err
}

// handshake makes the handshake also with a server whose certificate is not trusted, to
// see the certificate.
func (at *Reach) handshake(ctx context.Context, conn net.Conn, config *tls.Config) error {
	trusting := &tls.Config{}
	if config != nil {
		trusting = config.Clone()
	}
	verify := !trusting.InsecureSkipVerify
	if trusting.InsecureSkipVerify = true; trusting.ServerName == "" {
		trusting.ServerName = at.Host
	}
	trusting.NextProtos = []string{"h2", "http/1.1"}
	secure := tls.Client(conn, trusting)
	if err := secure.HandshakeContext(ctx); err != nil {
		return err
	}
	state := secure.ConnectionState()
	at.TLS = &state
	if verify {
		at.Trust = trusted(&state, trusting)
	}
	return nil
}

// trusted verifies a server's certificate as package tls would.
func trusted(state *tls.ConnectionState, config *tls.Config) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the server has no certificate")
	}
	opts := x509.VerifyOptions{DNSName: config.ServerName, Roots: config.RootCAs, Intermediates: x509.NewCertPool()}
	for _, c := range state.PeerCertificates[1:] {
		opts.Intermediates.AddCert(c)
	}
	_, err := state.PeerCertificates[0].Verify(opts)
	return err
}

// Explain says why a step of a Reach failed, and what may help; hint may be empty.
func Explain(err error) (why, hint string) {
	e := newError("", err)
	why = e.Means
	if e.Means == "the request failed" {
		why = fmt.Sprint(err)
	}
	return why, e.Hint
}

// URL is the Remote's URL. It must not be changed.
func (r *Remote) URL() *url.URL { return r.opt.URL }

// Credentials reports whether requests carry what may be a credential of the user's.
func (r *Remote) Credentials() bool {
	return r.opt.Token != nil || r.opt.URL.User != nil || len(r.secret()) > 0
}
