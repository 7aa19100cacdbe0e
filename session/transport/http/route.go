package http

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"wiretea/session"
	"wiretea/session/mcp"
)

// An Upstream is a server that the proxy is in front of.
type Upstream struct {
	// Name is the first segment of the paths under which the proxy serves it. It may be
	// empty if there is one server: the paths are then the server's own.
	Name string

	// URL is the server's endpoint, http or https, without a user.
	URL *url.URL

	// Log records its round trips, with connections that are numbered from 1; nil means
	// that of the ProxyConfig.
	Log *Log

	// Judge decides on the messages; nil = they pass.
	Judge session.Judge
}

// origin is the server's origin.
func (u *Upstream) origin() string { return u.URL.Scheme + "://" + u.URL.Host }

// A target is where a request goes.
type target struct {
	up   *Upstream // up is nil if there is no such server.
	url  *url.URL  // url is what the server gets.
	conn int       // conn is the connection whose event stream gave out the path; 0 for none.
	from *download // from is that stream while it is open; nil = it is not, or there is none.
}

// A router finds the server of a request by its path.
type router struct {
	secret string // secret is a random segment before all paths, with a slash before it; empty for none.

	upstreams []*Upstream

	mu        sync.Mutex          // mu guards what follows.
	endpoints map[string]endpoint // endpoints are paths that event streams gave out, by endpointKey.
	order     []string            // order is that of endpoints, oldest first.
}

// An endpoint is a path that an event stream of the old HTTP+SSE transport gave out.
type endpoint struct {
	up   *Upstream
	conn int
	from *download // from is the stream while it is open.
}

func newRouter(upstreams []Upstream, random bool) (*router, error) {
	if len(upstreams) == 0 {
		return nil, errors.New("no server is named")
	}
	r := &router{endpoints: map[string]endpoint{}}
	for _, u := range upstreams {
		if u.Name == "" && len(upstreams) > 1 {
			return nil, fmt.Errorf("%s needs a name: there are several servers", u.URL.Redacted())
		}
		if err := r.add(&u); err != nil {
			return nil, err
		}
	}
	if random {
		r.secret = "/" + strings.ToLower(rand.Text())
	}
	return r, nil
}

// add adds a server, whose name no other has.
func (r *router) add(u *Upstream) error {
	switch {
	case u.URL.Scheme != "http" && u.URL.Scheme != "https" || u.URL.Host == "":
		return fmt.Errorf("%s is not an http or https URL", u.URL.Redacted())
	case u.URL.User != nil:
		return fmt.Errorf("%s has a user in it: the client sends credentials itself", u.URL.Redacted())
	case u.Name != url.PathEscape(u.Name) || strings.HasPrefix(u.Name, "."):
		return fmt.Errorf("the name %q cannot be used in a path", u.Name)
	case slices.ContainsFunc(r.upstreams, func(other *Upstream) bool { return other.Name == u.Name }):
		return fmt.Errorf("two servers are named %q", u.Name)
	}
	r.upstreams = append(r.upstreams, u)
	return nil
}

// prefix is what precedes the server's own paths.
func (r *router) prefix(u *Upstream) string {
	if u.Name == "" {
		return r.secret
	}
	return r.secret + "/" + u.Name
}

// route finds the server of a path and query.
func (r *router) route(u *url.URL) target {
	raw := u.EscapedPath()
	r.mu.Lock()
	learned := r.endpoints[endpointKey(u)]
	r.mu.Unlock()
	for _, up := range r.upstreams {
		if rest, ok := r.below(up, raw, len(r.upstreams) == 1); ok {
			t := target{up: up, url: at(up, rest, u)}
			if learned.up == up {
				t.conn, t.from = learned.conn, learned.from
			}
			return t
		}
	}
	if learned.up != nil {
		return target{up: learned.up, url: at(learned.up, raw, u), conn: learned.conn, from: learned.from}
	}
	return target{}
}

// below is the server's own path of a path that the proxy serves it under; only is whether
// there is no other server.
func (r *router) below(up *Upstream, path string, only bool) (rest string, ok bool) {
	prefix := r.prefix(up)
	if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || rest[0] == '/' || prefix == "") {
		return rest, true
	}
	name, ok := strings.CutPrefix(path, mcp.WellKnown)
	if !ok {
		return "", false
	}
	name, resource, _ := strings.Cut(name, "/")
	if rest, ok := strings.CutPrefix("/"+resource, prefix); ok && (rest == "" || rest[0] == '/') {
		return mcp.WellKnown + name + rest, true
	}
	return mcp.WellKnown + name, resource == "" && only
}

// at is a path of a server, with the query of the request.
func at(up *Upstream, path string, u *url.URL) *url.URL {
	out := &url.URL{Scheme: up.URL.Scheme, Host: up.URL.Host, RawQuery: u.RawQuery, ForceQuery: u.ForceQuery}
	if plain, err := url.PathUnescape(path); err == nil {
		out.Path, out.RawPath = plain, path
	} else {
		out.Path = path
	}
	return out
}

// endpointKey is a path and query regardless of how it is escaped.
func endpointKey(u *url.URL) string { return u.Path + "?" + u.Query().Encode() }

// learn remembers a path that an event stream gave out. base is the URL of the stream as
// the client has it. What leads to another origin is not for the proxy. ended is called when
// the stream has ended.
func (r *router) learn(e endpoint, base *url.URL, data string) (ended func()) {
	u, err := base.Parse(strings.TrimSpace(data))
	if err != nil || u.Host != base.Host {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := endpointKey(u)
	if _, ok := r.endpoints[key]; !ok {
		r.order = append(r.order, key)
		if len(r.order) > maxKnown {
			delete(r.endpoints, r.order[0])
			r.order = r.order[1:]
		}
	}
	r.endpoints[key] = e
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if now := r.endpoints[key]; now.from == e.from && now.up != nil {
			now.from = nil
			r.endpoints[key] = now
		}
	}
}

// location is a Location of a server as the client needs it to stay with the proxy: RFC
// 9110 §10.2.2. host is the proxy's, as the client calls it. Other origins, and relative
// references that need no change, stay.
func (r *router) location(up *Upstream, value, scheme, host string) string {
	u, err := url.Parse(value)
	prefix := r.prefix(up)
	switch {
	case err != nil || value == "":
		return value
	case u.Host == "" && u.Scheme == "" && strings.HasPrefix(value, "/"):
		return prefix + value
	case u.Scheme == up.URL.Scheme && sameHost(u, up.URL):
		_, rest, _ := strings.Cut(value, "://")
		i := strings.IndexAny(rest+"/", "/?#")
		if rest = rest[i:]; !strings.HasPrefix(rest, "/") {
			rest = "/" + rest
		}
		return scheme + "://" + host + prefix + rest
	}
	return value
}

// sameHost reports whether two URLs of one scheme have the same host and port.
func sameHost(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		switch {
		case u.Port() != "":
			return u.Port()
		case u.Scheme == "https":
			return "443"
		}
		return "80"
	}
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

// acceptsEvents reports whether a client asks for an event stream.
func acceptsEvents(h http.Header) bool {
	return strings.Contains(strings.ToLower(strings.Join(h.Values("Accept"), ",")), eventStream)
}

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"
