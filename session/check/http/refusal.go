package http

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// silences are words in the errors of connections, and what may help.
var silences = []struct {
	words, hint string
	fault       session.Fault
}{
	{"407 Proxy Authentication Required", "the HTTP proxy requires authentication: " + session.ProxyUserHint, session.Nobody},
	{"answered CONNECT", "the HTTP proxy does not connect to the host: " + session.ProxyConnectHint, session.Nobody},
	{"proxyconnect", throughProxy, session.Nobody},
	{"socks connect", throughProxy, session.Nobody},
	{"too many open files", "the limit of open files of wiretea is too low: see ulimit -n", session.Nobody},
	{"connection refused", notListening, session.Nobody},
	{"actively refused", notListening, session.Nobody}, // Windows
	{"no such host", "the host's name is unknown: correct the URL, or connect to the network that knows it", session.Nobody},
	{"does not look like a TLS handshake", "the server does not speak TLS at that port: use http://, or another port", session.Nobody},
	{"HTTP response to HTTPS client", "the server does not speak TLS at that port: use http://, or another port", session.Nobody},
	{"signed by unknown authority", "use a certificate of a known authority, or have the client trust the one that signed it: wiretea has --cacert FILE for that", session.Server},
	{"has expired", "renew the server's certificate", session.Server},
	{"certificate is valid for", "use a name that the certificate has, or a certificate for the name", session.Nobody},
	{"any IP SANs", "use a name that the certificate has, or a certificate for the address", session.Nobody},
	{"no route to host", "the host cannot be reached: look at the address, the network, a VPN or a firewall", session.Nobody},
	{"network is unreachable", "the host cannot be reached: look at the address, the network, a VPN or a firewall", session.Nobody},
	{"i/o timeout", unreached, session.Nobody},
	{"connection timed out", unreached, session.Nobody},
	{"operation timed out", unreached, session.Nobody},
	{"TLS handshake timeout", "the TLS handshake did not end: look at the port, at the server, and at what is between", session.Nobody},
	{"client connection lost", goneSilent, session.Nobody},
	{"GOAWAY", "look at the server, or at a proxy in front of it: it has ended the connection", session.Nobody},
	{"EOF", closed, session.Nobody},
	{"connection reset", closed, session.Nobody},
	{"stream error", closed, session.Nobody},
	{"malformed HTTP", "what listens there does not speak HTTP: look at the port", session.Nobody},
}

// closed is the hint for a connection that was closed, and closedEarly for a new one: the
// request was being handled then. notListening is the hint where nothing listens: the URL may
// be wrong, or somebody ended the server. unreached is the hint for a response that did not
// come in time, and goneSilent for one on a connection that was made.
const (
	unreached    = "the host does not answer: look at the address, the network, a VPN or a firewall"
	goneSilent   = "the connection was made, but nothing more arrived on it: look at the server, the network, a VPN or a firewall"
	notListening = "nothing listens at that address: start the server, or correct the URL"
	throughProxy = "the connection through the proxy failed: " + session.ProxyHint

	closed      = "the connection was closed: look at the server, or at a proxy in front of it"
	closedEarly = "read the log of the server, or of a proxy in front of it: the request was broken off while it was handled"
)

// reportSilence reports a request without a response.
func reportSilence(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	f := noResponse.At(ev, "%s got no response: the connection was closed %s later", t.name(), rule.FormatDuration(x.EndT-x.ReqT)).Keyed("closed")
	switch why := rule.Whole(x.Err); {
	case x.Err != "" && !strings.HasPrefix(x.Err, session.NotDecoded):
		f.Message, f.Key, f.Fault = fmt.Sprintf("%s got no response: %s", t.name(), why), "error", session.Nobody
		for _, known := range silences {
			if strings.Contains(x.Err, known.words) {
				switch f.Hint, f.Fault = known.hint, known.fault; {
				case known.hint == closed && x.Link != nil && !x.Link.Reused:
					f.Hint, f.Fault = closedEarly, session.Server
				case known.hint == closed && x.Link != nil:
					f.Message += ", on a connection that was open from the request before"
					f.Hint = "have the server keep connections open after a response, or send Connection: close with it"
				case known.hint == unreached && x.Link != nil:
					f.Hint = goneSilent
				}
				break
			}
		}
	case x.Why == "timeout":
		f.Message, f.Key = fmt.Sprintf("%s got no response within %s", t.name(), rule.FormatDuration(x.EndT-x.ReqT)), "timeout"
	}
	r.Report(f.AtRow(t.Row))
}

// notAcceptable judges a 406.
func notAcceptable(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	if lack := lacks(x.Request); lack != "" {
		f := notAccepted.At(ev, "406 for %s: the client's Accept %s", t.name(), lack)
		f.Fault, f.Breaks, f.Hint = session.Client, nil, accept.Text().Hint
		if !t.ours {
			r.Report(f)
		}
		return
	}
	report(ev, t, r, notAccepted, "406 for %s, although the client's Accept lists both types", t.name())
}

// redirected judges a redirect.
func (c *httpConn) redirected(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	status, to := x.Response.Status, fieldOf(x.Response, "Location")
	if status == 304 {
		return
	}
	where := "without a Location"
	target, err := url.Parse(to)
	moved := err == nil && target.Scheme != "" && x.Request.Server != "" && !strings.HasPrefix(x.Request.Server, target.Scheme+":") // as from http to https
	foreign := err == nil && target.Host != "" && !strings.EqualFold(target.Host, fieldOf(x.Request, "Host")) && !strings.HasSuffix(x.Request.Server, "//"+target.Host)
	if to != "" {
		where = "to " + rule.Short([]byte(pathOf(to)))
	}
	f := redirect.At(ev, "%s %s was redirected by %d %s", x.Request.Method, rule.Short([]byte(pathOf(x.Request.Target))), status, where)
	if to == "" {
		f.Severity, f.Hint = session.Error, "send Location with the final URL, or answer the request"
		r.Report(f)
		return
	}
	if err == nil && c.circles(x, target) {
		f = redirect.At(ev, "%s %s was redirected by %d %s, which redirects back", x.Request.Method, rule.Short([]byte(pathOf(x.Request.Target))), status, where)
		f.Severity, f.Hint = session.Error, "correct the redirects: they lead in a circle"
		r.Report(f.Keyed("circle"))
		return
	}
	if status < 304 || foreign {
		f.Severity = session.Error
	}
	if from := pathOf(x.Request.Target); err == nil && !foreign && !moved && target.Path != from && strings.TrimSuffix(target.Path, "/") == strings.TrimSuffix(from, "/") {
		f.Hint = "give the client the URL with the path " + rule.Short([]byte(target.Path))
	}
	r.Report(f)
}

// circles reports whether a redirect leads back to where one came from. One that sets a
// cookie may lead elsewhere the next time.
func (c *httpConn) circles(x *session.Trip, to *url.URL) bool {
	origin := cmp.Or(x.Request.Server, "//"+fieldOf(x.Request, "Host"))
	from, err := url.Parse(origin + x.Request.Target)
	if err != nil || from.Host == "" || has(x.Response, "Set-Cookie") {
		return false
	}
	if at := from.String(); len(c.movedFrom) < maxMoved && !slices.Contains(c.movedFrom, at) {
		c.movedFrom = append(c.movedFrom, at)
	}
	return slices.Contains(c.movedFrom, from.ResolveReference(to).String())
}

// limited judges a 429.
func (c *httpConn) limited(ev *session.Event, t *trip, r session.Reporter) {
	if !c.pace.retryAfter(ev, t) {
		report(ev, t, r, rateLimited, "%s was answered 429 without Retry-After", t.name())
	}
}

// failed judges a 5xx.
func failed(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	f := serverError.At(ev, "%s was answered %d after %s%s", t.name(), x.Response.Status, rule.FormatDuration(max(x.ResT, x.ReqT)-x.ReqT), said(t))
	if x.Request.Method == "GET" {
		f.Hint = "read the server's log at that time; answer GET with 405 if no stream is offered"
	}
	if from := gateway(x.Response); x.Response.Status >= 502 && x.Response.Status <= 504 && from != "" {
		f.Fault, f.Breaks = session.Intermediary, nil
		f.Hint = from + " could not reach the server, or did not wait for it: read its log, and that of the server"
	}
	if x.Response.Status == 501 {
		f.Hint = "the server has no " + x.Request.Method + " at " + rule.Short([]byte(pathOf(x.Request.Target))) + ": look at the port and the path of the URL"
	}
	for _, name := range []string{"X-Request-Id", "Cf-Ray", "X-Amzn-Requestid", "X-Amz-Cf-Id", "X-Cloud-Trace-Context"} {
		if id := fieldOf(x.Response, name); id != "" {
			f.Hint += "; its " + name + " is " + rule.Short([]byte(id))
			break
		}
	}
	r.Report(f.Keyed(strconv.Itoa(x.Response.Status)))
}

// said quotes what a response says that is not a result: ": …", or nothing.
func said(t *trip) string {
	switch {
	case t.answer.text != "":
		return ": " + rule.Short([]byte(t.answer.text))
	case bytes.Contains(t.text, []byte("<")):
		if title := heading(t.text); title != "" {
			return ": " + title
		}
		return ""
	case len(t.text) > 0:
		return ": " + rule.Short(bytes.TrimSpace(t.text))
	}
	return ""
}

// heading returns the title of an HTML page, its first heading, or what it has in pre.
func heading(page []byte) string {
	for _, tag := range []string{"title", "h1", "pre"} {
		if _, rest, ok := bytes.Cut(page, []byte("<"+tag+">")); ok {
			text, _, _ := bytes.Cut(rest, []byte("<"))
			if text = bytes.TrimSpace(text); len(text) > 0 {
				return rule.Short(text)
			}
		}
	}
	return ""
}

// gateway returns the name of an intermediary that shows in a response; empty if none does.
func gateway(e *session.HTTPEvent) string {
	server := strings.ToLower(fieldOf(e, "Server"))
	for _, known := range []struct{ word, name string }{
		{"cloudflare", "Cloudflare"}, {"nginx", "nginx"}, {"openresty", "OpenResty"}, {"awselb", "the AWS load balancer"}, {"cloudfront", "CloudFront"},
		{"envoy", "Envoy"}, {"caddy", "Caddy"}, {"haproxy", "HAProxy"}, {"traefik", "Traefik"}, {"akamai", "Akamai"}, {"google frontend", "the Google front end"},
		{"apache", "Apache"}, {"varnish", "Varnish"}, {"vercel", "Vercel"},
	} {
		if strings.Contains(server, known.word) {
			return known.name
		}
	}
	switch {
	case has(e, "Cf-Ray"):
		return "Cloudflare"
	case has(e, "X-Amz-Cf-Id"):
		return "CloudFront"
	case has(e, "Via"):
		return "a proxy"
	}
	return ""
}

// pageWait is how long a page waits for the stream of HTTP+SSE, in ns: a client that is
// refused tries that next, and its server has no handler for POST at the same path.
const pageWait = 5e9

// page judges an HTML page in the place of a response.
func (c *httpConn) page(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	f := htmlBody.At(ev, "%s was answered %d with an HTML page%s", t.name(), x.Response.Status, said(t))
	if !pageBetween(&f, x.Response) && (x.Response.Status == 404 || x.Response.Status == 405) {
		f.Hint = "the server has no handler for POST at " + rule.Short([]byte(pathOf(x.Request.Target))) + ": check the path of the URL, /mcp is usual"
		if begins := t.method == mcp.Initialize || t.method == mcp.ServerDiscover; begins && len(c.pages) < maxAsks {
			c.refusedPost = true
			place := placeOf(x.Request)
			if slices.Contains(c.history.streamed, place) {
				if t.ours {
					return // It asks in each era.
				}
				f.Hint = "the server speaks HTTP+SSE of 2024-11-05 at this path: configure the client for the transport sse"
			}
			c.pages = append(c.pages, page{f, place})
			r.At(ev.T+pageWait, ev.Conn.ID, session.TimerKey{Rule: htmlBody.ID})
			return
		}
	}
	r.Report(f)
}

// pageBetween makes a finding about an HTML page one about an intermediary, if one shows in
// the response, and reports whether it does.
func pageBetween(f *session.Finding, res *session.HTTPEvent) bool {
	from := gateway(res)
	if from != "" {
		f.Fault, f.Breaks = session.Intermediary, nil
		f.Hint = "look at " + from + " in front of the server: the request may never have reached the handler"
	}
	return from != ""
}

// A page is a finding that holds unless a stream of HTTP+SSE is found at the same place.
type page struct {
	finding session.Finding
	place   string
}

// placeOf is where a request was sent to.
func placeOf(q *session.HTTPEvent) string { return q.Server + pathOf(q.Target) }

// noOldStream reports the pages that waited for a stream.
func (c *httpConn) noOldStream(r session.Reporter) {
	for i := range c.pages {
		r.Report(c.pages[i].finding)
	}
	c.pages = nil
}

// oldStream drops the pages of a place that has a stream of HTTP+SSE. A client that turns
// to it begins another connection.
func (h *history) oldStream(place string) {
	if !slices.Contains(h.streamed, place) && len(h.streamed) < maxPaths {
		h.streamed = append(h.streamed, place)
	}
	for _, c := range h.conns {
		c.pages = slices.DeleteFunc(c.pages, func(p page) bool { return p.place == place })
	}
}

// readBody reports whether a refusal shows that the server had read the request: it is not
// about the header alone, and does not say that it could not.
func readBody(t *trip, x *session.Trip) bool {
	if t.answer.code == mcp.ParseError || has(x.Request, "Content-Encoding") {
		return false
	}
	text := strings.ToLower(t.answer.text)
	for _, word := range []string{"session", "initialized", "version", "header"} {
		if strings.Contains(text, word) {
			return false
		}
	}
	return (x.Response.Status == 400 || x.Response.Status >= 500) && t.method != mcp.ServerDiscover // A probe may be refused in any way.
}
