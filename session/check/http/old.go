package http

import (
	"bytes"
	"net/url"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// endpoint judges where HTTP+SSE takes messages.
func (c *httpConn) endpoint(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Frame.Trip
	c.old, t.old = true, true
	c.history.oldStream(placeOf(x.Request))
	at, err := url.Parse(string(bytes.TrimSpace(ev.Frame.Head)))
	base, wrong := url.Parse(x.Request.Target)
	if err != nil || wrong != nil {
		return
	}
	c.history.addPath(base.ResolveReference(at).Path)
	own := fieldOf(x.Request, "Host")
	for _, f := range x.Request.Changed {
		if f.Name == "Host" && strings.EqualFold(at.Host, f.Value) {
			own = f.Value // The server answers the address at which the proxy asked.
		}
	}
	if at.Host != "" && !strings.EqualFold(at.Host, own) && own != "" {
		report(ev, t, r, endpointForeign, "the endpoint is at %s, the stream at %s", rule.Short([]byte(at.Host)), rule.Short([]byte(own)))
	}
}

// unannounced judges the first event of a stream that should be the endpoint's.
func (c *httpConn) unannounced(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Frame.Trip
	if x.Request.Method != "GET" || c.session.path != "" || t.session != nil || has(x.Request, "MCP-Protocol-Version") || t.stream.resumes ||
		!c.refusedPost || t.old {
		return
	}
	report(ev, t, r, noEndpoint, "the first event of %s is not endpoint: %s", t.name(), rule.Excerpt(ev.Frame.Head))
}

// oldPost judges the response to a message of HTTP+SSE.
func (c *httpConn) oldPost(ev *session.Event, t *trip, r session.Reporter) {
	if t.isRequest() && t.answer.results+t.answer.errors > 0 && ev.Trip.Response.Status < 300 {
		report(ev, t, r, answerInPost, "%s was answered in the POST, must be answered on the stream", t.name())
	}
}
