package http

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// The well-known names of metadata: RFC 9728 §3.1, RFC 8414 §3, OpenID Connect Discovery §4.
const (
	resourceName = "oauth-protected-resource"
	serverName   = "oauth-authorization-server"
	openIDName   = "openid-configuration"
)

const (
	maxLogins = 16                     // maxLogins is how many servers with a login are followed,
	maxTried  = 8                      // and how many places of metadata of each.
	loginWait = int64(5 * time.Second) // loginWait is how long a client may take to find another way to log in.
)

// A login is a server that demands credentials and does not say where its metadata is.
type login struct {
	server string
	path   string // path is the endpoint.
	name   string // name is the request that was refused, and row its head.
	row    uint32
	tried  []string // tried are the places without metadata.
	found  bool     // found: there is metadata, or another way to log in.
	told   bool     // told: the finding was reported.
}

// metadataOf returns the well-known name in a path, and the path that such metadata is about.
func metadataOf(path string) (name, about string, is bool) {
	before, rest, found := strings.Cut(path, "/.well-known/")
	name, about, _ = strings.Cut(rest, "/")
	if about != "" {
		about = "/" + about
	}
	switch name {
	case resourceName, serverName:
		return name, about, found && before == ""
	case openIDName:
		return name, before + about, found && (before == "" || about == "")
	}
	return "", "", false
}

// metadata judges the response to a request for metadata by which clients log in.
func (c *httpConn) metadata(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	res := x.Response
	name, about, is := metadataOf(pathOf(x.Request.Target))
	if !is || x.Request.Method != "GET" {
		c.history.entered(x)
		return
	}
	c.sought(ev, name+about, r)
	_, coded := res.Field("Content-Encoding")
	if res.Status != 200 || x.Why != "eof" || x.Gap || coded && (res.Coding == "" || x.Err != "") || x.Bytes[session.S2C] != int64(len(t.whole)) {
		return
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(t.whole, []byte("\ufeff")))
	all, ok := rule.ParseObject(text)
	issuer, _ := all.Text("issuer")
	switch {
	case ok && name == resourceName:
		described(ev, t, all, r)
	case ok && issuer == "":
		report(ev, t, r, wellKnownNotJSON, "%s was answered 200 with JSON that has no issuer: %s", t.name(), rule.Excerpt(text))
	case !ok:
		how := "a body that is not a JSON object" + said(t)
		html := len(text) > 0 && res.MediaType() == "text/html"
		switch {
		case len(text) == 0:
			how = "an empty body"
		case html:
			how = "an HTML page" + said(t)
		}
		f := wellKnownNotJSON.At(ev, "%s was answered 200 with %s", t.name(), how).AtRow(t.Row).Keyed("not JSON")
		if html && pageBetween(&f, res) {
			f.Key = "page"
		}
		r.Report(f)
	}
}

// described judges the metadata of a protected resource.
func described(ev *session.Event, t *trip, all rule.Object, r session.Reporter) {
	var wrong []string
	resource, _ := all.Text("resource")
	if strings.HasPrefix(resource, "redacted-") {
		return
	}
	at, err := url.Parse(resource)
	switch {
	case resource == "":
		wrong = append(wrong, "has no resource")
	case err != nil || at.Scheme == "" || at.Host == "":
		wrong = append(wrong, "has a resource that is not a whole URL, "+rule.Short([]byte(resource))+",")
	default:
		elsewhere(ev, t, at, r)
	}
	named := false
	for range lex.Items(all["authorization_servers"]) {
		named = true
	}
	if !named {
		wrong = append(wrong, "names no authorization server")
	}
	if wrong != nil {
		report(ev, t, r, prmShape, "the metadata at %s %s", rule.Short([]byte(pathOf(t.Request.Target))), strings.Join(wrong, " and "))
	}
}

// elsewhere judges metadata that is about another origin than that of its server. The client
// of a proxy may be told of the proxy's: of wiretea's, or of one before it.
func elsewhere(ev *session.Event, t *trip, resource *url.URL, r session.Reporter) {
	q := ev.Trip.Request
	server, err := url.Parse(q.Server)
	if err != nil || server.Host == "" || mcp.OriginOf(resource) == mcp.OriginOf(server) || has(q, "Forwarded") {
		return
	}
	for host := range strings.SplitSeq(fieldOf(q, "X-Forwarded-Host"), ",") {
		host = strings.TrimSpace(host)
		if mcp.OriginOf(resource) == mcp.OriginOf(&url.URL{Scheme: resource.Scheme, Host: host}) || strings.EqualFold(host, resource.Hostname()) {
			return // The port may be in a field of its own.
		}
	}
	for _, scheme := range []string{"http", "https"} {
		if mcp.OriginOf(resource) == mcp.OriginOf(&url.URL{Scheme: scheme, Host: fieldOf(q, "Host")}) && !strings.EqualFold(fieldOf(q, "Host"), server.Host) {
			return
		}
	}
	f := prmMismatch.At(ev, "the metadata at %s is about %s, but its server is %s", rule.Short([]byte(pathOf(t.Request.Target))), rule.Short([]byte(mcp.OriginOf(resource))), rule.Short([]byte(mcp.OriginOf(server))))
	// The client has reached the server by TLS, whose end may be a proxy that the server does not know of.
	if server.Scheme == "https" && (mcp.IsLoopback(resource) && !mcp.IsLoopback(server) || resource.Scheme == "http" && strings.EqualFold(resource.Hostname(), server.Hostname())) {
		f.Severity, f.Fault = session.Error, session.Server
		f.Hint = "build resource from the public URL; behind a proxy take it from X-Forwarded-Proto and X-Forwarded-Host, or from a setting"
	}
	r.Report(f.Keyed(q.Server))
}

// demanded takes a 401 to a message that does not say where the metadata is. Schemes other
// than Bearer need none.
func (h *history) demanded(x *session.Trip, t *trip) {
	challenge := strings.ToLower(fieldOf(x.Response, "WWW-Authenticate"))
	if x.Response.Status != 401 || !isMCP(t, x) || challenge != "" && !strings.HasPrefix(challenge, "bearer") || strings.Contains(challenge, "resource_metadata") {
		return
	}
	if !slices.ContainsFunc(h.logins, func(l *login) bool { return l.server == x.Request.Server }) && len(h.logins) < maxLogins {
		h.logins = append(h.logins, &login{server: x.Request.Server, path: strings.TrimSuffix(pathOf(x.Request.Target), "/"), name: t.name(), row: t.Row})
	}
}

// sought takes the response to a request for metadata, at a place.
func (c *httpConn) sought(ev *session.Event, place string, r session.Reporter) {
	x := ev.Trip
	for _, l := range c.history.logins {
		status := x.Response.Status
		if l.server != x.Request.Server || l.found || l.told {
			continue
		}
		l.found = status < 400
		if status != 404 && status != 405 && status != 410 || len(l.tried) == maxTried || slices.Contains(l.tried, place) {
			continue
		}
		if l.tried = append(l.tried, place); l.lacks() {
			r.At(ev.T+loginWait, ev.Conn.ID, session.TimerKey{Rule: prmMissing.ID})
		}
	}
}

// lacks reports whether the server has no metadata at the places where clients look for it.
func (l *login) lacks() bool {
	servers := slices.ContainsFunc(l.tried, func(place string) bool { return !strings.HasPrefix(place, resourceName) })
	return servers && slices.Contains(l.tried, resourceName) && slices.Contains(l.tried, resourceName+l.path)
}

// entered takes a round trip by which a client may log in without metadata, as 2025-03-26
// has it.
func (h *history) entered(x *session.Trip) {
	if len(h.logins) == 0 || x.Response.Status >= 400 {
		return
	}
	path := pathOf(x.Request.Target)
	if strings.HasSuffix(path, "/register") || strings.HasSuffix(path, "/authorize") || strings.HasSuffix(path, "/token") {
		for _, l := range h.logins {
			l.found = l.found || l.server == x.Request.Server
		}
	}
}

// noLogin reports the servers whose clients have found no way to log in.
func (h *history) noLogin(ev *session.Event, r session.Reporter) {
	for _, l := range h.logins {
		if l.lacks() && !l.found && !l.told {
			l.told = true
			r.Report(prmMissing.At(ev, "%s was answered 401, and the server has no metadata that says how to log in: its client has looked for it in %d places", l.name, len(l.tried)).AtRow(l.row))
		}
	}
}

var wellKnownNotJSON = &rule.Rule{ID: "wellknown-not-json", Severity: session.Error, Fault: rule.Server}
var prmShape = &rule.Rule{ID: "prm-shape", Severity: session.Error, Fault: rule.Server}
var prmMismatch = &rule.Rule{ID: "prm-resource-mismatch", Severity: session.Warning, Fault: rule.Nobody}
var prmMissing = &rule.Rule{ID: "prm-missing", Severity: session.Warning, Fault: rule.Nobody, NeedsAll: true}
