package http

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A guard refuses requests that a web page may have made in the name of its reader: [MCP]
// basic/transports §Security Warning.
type guard struct {
	allow []string // allow are origins, and hosts without a scheme; "*" allows all.
	host  string   // host is the name or address that the proxy listens on.

	anyHost   bool // anyHost: the server checks Host.
	anyOrigin bool // anyOrigin: the server checks Origin.
}

// refusal is why a request is refused; empty if it is not.
func (g *guard) refusal(r *http.Request) string {
	if slices.Contains(g.allow, "*") {
		return ""
	}
	known := g.knows(hostname(r.Host))
	switch {
	case g.anyHost:
	case r.Host == "":
		return "the request names no Host; --allow-origin '*' allows it"
	case !known:
		return fmt.Sprintf("the Host %q is not this proxy's; --allow-origin http://%s allows it", r.Host, r.Host)
	}
	origins := r.Header.Values("Origin")
	if g.anyOrigin {
		return ""
	}
	if len(origins) == 0 && r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Dest") != "document" {
		return "a web page of another site sent the request; --allow-origin '*' allows it"
	}
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if slices.Contains(g.allow, origin) || err == nil && u.Host != "" && (known && strings.EqualFold(u.Host, r.Host) || g.local(u.Hostname())) {
			continue
		}
		return fmt.Sprintf("the Origin %q is foreign; --allow-origin %s allows it", origin, origin)
	}
	return ""
}

// knows reports whether a Host names the proxy. A name that its attacker resolves to this
// machine does not; an address cannot be given another meaning.
func (g *guard) knows(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || g.local(host) {
		return true
	}
	return slices.ContainsFunc(g.allow, func(allowed string) bool {
		if _, rest, ok := strings.Cut(allowed, "://"); ok {
			allowed = rest
		}
		return strings.EqualFold(hostname(allowed), host)
	})
}

// local reports whether a host is this machine, or the one that the proxy listens on.
func (g *guard) local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || host == g.host
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || g.host != "" && host == strings.ToLower(g.host)
}

// hostname is a host without its port and without brackets.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		return h
	}
	return strings.Trim(host, "[]")
}
