package http

import (
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// preflight judges the response to a CORS preflight request.
func preflight(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	q, res := x.Request, x.Response
	origin, method := fieldOf(q, "Origin"), fieldOf(q, "Access-Control-Request-Method")
	if origin == "" || method == "" {
		return
	}
	who := "the preflight request from " + rule.Short([]byte(origin))
	allow := fieldOf(res, "Access-Control-Allow-Origin")
	switch status := res.Status; {
	case status == 401 || status == 404 || status == 405:
		report(ev, t, r, corsPreflight, "%s was answered %d", who, status)
		return
	case status == 403 || status < 300 && allow == "":
		// It may be meant: a local server refuses foreign origins.
		how := "was answered 403"
		if status != 403 {
			how = "was answered without Access-Control-Allow-Origin"
		}
		f := corsPreflight.At(ev, "%s %s", who, how).Graded(session.Info).Keyed("origin")
		f.Hint = "if browsers at this origin are meant to connect, allow it; else nothing is wrong"
		r.Report(f)
		return
	case status >= 300:
		return
	}
	credentials := fieldOf(res, "Access-Control-Allow-Credentials") == "true"
	names := fieldOf(res, "Access-Control-Allow-Headers")
	var missing []string
	for name := range strings.SplitSeq(fieldOf(q, "Access-Control-Request-Headers"), ",") {
		if name = strings.TrimSpace(name); name != "" && !lists(names, name, !credentials && !strings.EqualFold(name, "Authorization")) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		report(ev, t, r, corsAllowHeaders, "%s may not send %s", who, rule.Short([]byte(strings.Join(missing, ", "))))
	}
	safe := method == "GET" || method == "HEAD" || method == "POST"
	if !safe && !lists(fieldOf(res, "Access-Control-Allow-Methods"), method, !credentials) {
		report(ev, t, r, corsMethods, "%s may not send %s", who, rule.Short([]byte(method)))
	}
}

// exposed judges whether a browser may read the fields of a response that it needs.
func exposed(ev *session.Event, t *trip, r session.Reporter) {
	q, res := ev.Trip.Request, ev.Trip.Response
	if fieldOf(q, "Origin") == "" || fieldOf(res, "Access-Control-Allow-Origin") == "" || t.ours {
		return
	}
	name := ""
	switch {
	case t.method == mcp.Initialize && has(res, "Mcp-Session-Id"):
		name = "Mcp-Session-Id"
	case res.Status == 401 && has(res, "WWW-Authenticate"):
		name = "WWW-Authenticate"
	}
	if name != "" && !lists(fieldOf(res, "Access-Control-Expose-Headers"), name, fieldOf(res, "Access-Control-Allow-Credentials") != "true") {
		report(ev, t, r, corsExposeHeaders, "a browser may not read %s of the response to %s", name, t.name())
	}
}

var corsPreflight = &rule.Rule{ID: "cors-preflight", Severity: session.Warning, Fault: rule.Server}
var corsAllowHeaders = &rule.Rule{ID: "cors-allow-headers", Severity: session.Warning, Fault: rule.Server}
var corsExposeHeaders = &rule.Rule{ID: "cors-expose-headers", Severity: session.Warning, Fault: rule.Server}
var corsMethods = &rule.Rule{ID: "cors-methods", Severity: session.Info, Fault: rule.Server}
