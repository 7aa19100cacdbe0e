package http

import (
	"net/http"
	"strings"
	"testing"
)

func upstreams(t *testing.T, list ...string) (all []Upstream) {
	for _, s := range list {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			name, text = "", s
		}
		all = append(all, Upstream{Name: name, URL: parse(t, text)})
	}
	return all
}

func TestRoute(t *testing.T) {
	tests := []struct {
		upstreams, secret string
		path, want        string // want is empty if there is no server.
	}{
		{"http://a:1/mcp", "", "/mcp", "http://a:1/mcp"},
		{"http://a:1/mcp", "", "/mcp/", "http://a:1/mcp/"},
		{"http://a:1/mcp/", "", "/mcp", "http://a:1/mcp"},
		{"http://a:1/mcp", "", "/other?x=%20&y", "http://a:1/other?x=%20&y"},
		{"http://a:1/mcp", "", "/mcp?", "http://a:1/mcp?"},
		{"http://a:1/mcp", "", "/a%2Fb//c/../d", "http://a:1/a%2Fb//c/../d"},
		{"http://a:1/mcp", "", "*", "http://a:1/*"},
		{"http://a:1/mcp", "/s", "/mcp", ""},
		{"http://a:1/mcp", "/s", "/s/mcp", "http://a:1/mcp"},
		{"http://a:1/mcp", "/s", "/sx/mcp", ""},
		{"http://a:1/mcp", "/s", "/s", "http://a:1"},
		{"http://a:1/mcp", "/s", "/.well-known/oauth-protected-resource/s/mcp", "http://a:1/.well-known/oauth-protected-resource/mcp"},
		{"http://a:1/mcp", "/s", "/.well-known/oauth-protected-resource", "http://a:1/.well-known/oauth-protected-resource"},
		{"http://a:1/mcp", "/s", "/.well-known/oauth-protected-resource/mcp", ""},
		{"a=http://a:1/mcp b=https://b/x/mcp", "", "/a/mcp", "http://a:1/mcp"},
		{"a=http://a:1/mcp b=https://b/x/mcp", "", "/b/x/mcp/", "https://b/x/mcp/"},
		{"a=http://a:1/mcp b=https://b/x/mcp", "", "/mcp", ""},
		{"a=http://a:1/mcp b=https://b/x/mcp", "", "/ab/mcp", ""},
		{"a=http://a:1/mcp b=https://b/x/mcp", "/s", "/s/b/x/mcp", "https://b/x/mcp"},
		{"a=http://a:1/mcp b=https://b/x/mcp", "/s", "/a/mcp", ""},
		{"a=http://a:1/mcp b=https://b/x/mcp", "", "/.well-known/oauth-authorization-server/b/x/mcp", "https://b/.well-known/oauth-authorization-server/x/mcp"},
		{"a=http://a:1/mcp b=https://b/x/mcp", "", "/.well-known/oauth-authorization-server", ""},
	}
	for _, test := range tests {
		r, err := newRouter(upstreams(t, strings.Fields(test.upstreams)...), false)
		if err != nil {
			t.Fatal(err)
		}
		r.secret = test.secret
		got := r.route(parse(t, test.path))
		switch {
		case got.up == nil && test.want != "":
			t.Errorf("%s of %s: no server, want %s", test.path, test.upstreams, test.want)
		case got.up != nil && got.url.String() != test.want:
			t.Errorf("%s of %s: got %s, want %s", test.path, test.upstreams, got.url, test.want)
		}
	}
}

func TestUpstreams(t *testing.T) {
	for _, test := range [][2]string{
		{"", "no server"},
		{"ftp://a/mcp", "not an http"},
		{"http:///mcp", "not an http"},
		{"http://u:secret@a/mcp", "has a user"},
		{"http://a/mcp b=http://b/mcp", "needs a name"},
		{"a=http://a/mcp a=http://b/mcp", "two servers"},
		{"a/b=http://a/mcp", "cannot be used in a path"},
		{"..=http://a/mcp", "cannot be used in a path"},
	} {
		_, err := newRouter(upstreams(t, strings.Fields(test[0])...), false)
		if err == nil || !strings.Contains(err.Error(), test[1]) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", test[0], err, test[1])
		}
	}
	a, _ := newRouter(upstreams(t, "http://a/mcp"), true)
	b, _ := newRouter(upstreams(t, "http://a/mcp"), true)
	if len(a.secret) < 20 || a.secret == b.secret {
		t.Errorf("random segments %q and %q", a.secret, b.secret)
	}
}

func TestLearn(t *testing.T) {
	r, err := newRouter(upstreams(t, "a=http://a:1/sse", "b=http://b:1/sse"), false)
	if err != nil {
		t.Fatal(err)
	}
	from := parse(t, "http://127.0.0.1:9/b/sse")
	b := r.upstreams[1]
	r.learn(endpoint{up: b, conn: 7}, from, "/messages/?session_id=%41b&x=1")
	r.learn(endpoint{up: b, conn: 8}, from, "post?session_id=2")
	r.learn(endpoint{up: b, conn: 9}, from, "http://elsewhere/messages")
	r.learn(endpoint{up: b, conn: 9}, from, "%zz")
	for _, test := range []struct {
		path, want string
		conn       int
	}{
		{"/messages/?session_id=%41b&x=1", "http://b:1/messages/?session_id=%41b&x=1", 7},
		{"/messages/?session_id=Ab&x=1", "http://b:1/messages/?session_id=Ab&x=1", 7},
		{"/b/post?session_id=2", "http://b:1/post?session_id=2", 8},
		{"/b/post?session_id=3", "http://b:1/post?session_id=3", 0},
		{"/messages/?session_id=3", "", 0},
		{"/messages", "", 0},
	} {
		got := r.route(parse(t, test.path))
		if got.up == nil != (test.want == "") || got.up != nil && got.url.String() != test.want || got.conn != test.conn {
			t.Errorf("%s: got %+v", test.path, got)
		}
	}
	for i := range 2 * maxKnown {
		r.learn(endpoint{up: b, conn: i}, from, "/x?"+strings.Repeat("y", i))
	}
	if len(r.endpoints) != maxKnown || len(r.order) != maxKnown {
		t.Errorf("%d endpoints, %d in order", len(r.endpoints), len(r.order))
	}
}

func TestLocation(t *testing.T) {
	r, err := newRouter(upstreams(t, "a=http://a:80/mcp"), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range [][2]string{
		{"http://a/mcp/", "https://proxy:9/a/mcp/"},
		{"http://A:80/mcp/?x=1#y", "https://proxy:9/a/mcp/?x=1#y"},
		{"http://a", "https://proxy:9/a/"},
		{"http://a?x", "https://proxy:9/a/?x"},
		{"/mcp/", "/a/mcp/"},
		{"mcp/", "mcp/"},
		{"?x", "?x"},
		{"", ""},
		{"https://a/mcp/", "https://a/mcp/"},
		{"http://a:81/mcp/", "http://a:81/mcp/"},
		{"https://login/authorize", "https://login/authorize"},
		{"//b/mcp", "//b/mcp"},
		{"%zz", "%zz"},
	} {
		if got := r.location(r.upstreams[0], test[0], "https", "proxy:9"); got != test[1] {
			t.Errorf("%s: got %s, want %s", test[0], got, test[1])
		}
	}
}

func TestGuard(t *testing.T) {
	for _, test := range []struct {
		listen, host, origin, allow string
		ok                          bool
	}{
		{"127.0.0.1", "127.0.0.1:9", "cross-site", "", false},
		{"127.0.0.1", "127.0.0.1:9", "same-site", "", true},
		{"127.0.0.1", "127.0.0.1:9", "cross-site document", "", true}, // A link, or the way back from a login.
		{"127.0.0.1", "127.0.0.1:9", "cross-site", "origin", true},
		{"127.0.0.1", "evil.example", "", "host", true},
		{"127.0.0.1", "evil.example", "http://evil.example", "host", false},
		{"127.0.0.1", "evil.example", "http://evil.example", "origin", false},
		{"127.0.0.1", "127.0.0.1:9", "https://evil.example", "origin", true},
		{"127.0.0.1", "127.0.0.1:9", "", "", true},
		{"127.0.0.1", "localhost:9", "", "", true},
		{"127.0.0.1", "LOCALHOST.:9", "", "", true},
		{"127.0.0.1", "x.localhost", "", "", true},
		{"127.0.0.1", "[::1]:9", "", "", true},
		{"127.0.0.1", "evil.example", "", "", false},
		{"127.0.0.1", "localhost.evil.example:9", "", "", false},
		{"127.0.0.1", "", "", "", false},
		{"box", "box:9", "", "", true},
		{"0.0.0.0", "192.168.0.7:9", "", "", true},
		{"0.0.0.0", "box:9", "", "", false},
		{"0.0.0.0", "box:9", "", "http://box:9", true},
		{"0.0.0.0", "box:9", "", "box", true},
		{"127.0.0.1", "127.0.0.1:9", "http://127.0.0.1:9", "", true},
		{"127.0.0.1", "127.0.0.1:9", "http://localhost:6274", "", true},
		{"127.0.0.1", "127.0.0.1:9", "http://[::1]:1", "", true},
		{"127.0.0.1", "127.0.0.1:9", "https://evil.example", "", false},
		{"127.0.0.1", "127.0.0.1:9", "http://127.0.0.1.evil.example", "", false},
		{"127.0.0.1", "127.0.0.1:9", "null", "", false},
		{"127.0.0.1", "127.0.0.1:9", "http://192.168.0.7", "", false},
		{"0.0.0.0", "192.168.0.7:9", "http://192.168.0.7:9", "", true},
		{"127.0.0.1", "127.0.0.1:9", "https://app.example", "https://app.example", true},
		{"127.0.0.1", "127.0.0.1:9", "http://app.example", "https://app.example", false},
		{"127.0.0.1", "evil.example", "null", "*", true},
	} {
		g := guard{host: test.listen, anyHost: test.allow == "host", anyOrigin: test.allow == "origin"}
		if test.allow != "" {
			g.allow = []string{test.allow}
		}
		r := &http.Request{Host: test.host, Header: http.Header{}}
		if site, dest, _ := strings.Cut(test.origin, " "); strings.HasSuffix(site, "-site") {
			r.Header.Set("Sec-Fetch-Site", site)
			r.Header.Set("Sec-Fetch-Dest", dest)
		} else if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		if why := g.refusal(r); (why == "") != test.ok {
			t.Errorf("%+v: %q", test, why)
		}
	}
}

func TestEndpointScan(t *testing.T) {
	for _, test := range []struct {
		stream, want string
		found        bool
	}{
		{"event: endpoint\ndata: /messages/?session_id=1\n\n", "/messages/?session_id=1", true},
		{"event:endpoint\r\ndata:/m\r\n\r\n", "/m", true},
		{"\ufeffevent: endpoint\rdata: /m\r\r\n", "/m", true},
		{": hello\n\nretry: 5\n\ndata: /m\nevent: endpoint\n\nrest", "/m", true},
		{"event: message\ndata: /m\n\nevent: endpoint\ndata: /n\n\n", "", false},
		{"data: endpoint\n\n", "", false},
		{"event: endpoint\ndata: /m\n", "", false},
		{strings.Repeat(": comment\n", 4000) + "event: endpoint\ndata: /m\n\n", "", false},
	} {
		for size := range 4 {
			s, got, found := newEndpointScan(), "", false
			for rest := []byte(test.stream); len(rest) > 0; {
				n := len(rest)
				if size > 0 {
					n = min(size*size, n)
				}
				if e, ok := s.push(rest[:n]); ok {
					got, found = e, true
				}
				rest = rest[n:]
			}
			if got != test.want || found != test.found {
				t.Errorf("%.60q by %d: got %q, %v", test.stream, size, got, found)
			}
		}
	}
}
