package http

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

const (
	maxRefusals  = 16                     // maxRefusals is how many refusals are remembered.
	retries      = 5                      // so many retries,
	retriesAfter = int64(2 * time.Second) // each within this time after the refusal before, are a loop.
)

// bearer follows the token of a session.
type bearer struct {
	good  string // good is the hash of the token that was accepted last; empty = none was, or one was refused since.
	goodT int64
	lack  *session.Finding // lack is that a later request had none; nil = each had it.
	lackT int64
}

// A refusal is a request whose credentials do not suffice.
type refusal struct {
	who  string // who is its session, or its connection of TCP.
	what string
	auth string // auth are its credentials; empty = it had none.
	by   string // by is the answer.
	n    int    // n counts how often it was sent in a row.
	last int64  // last is when it was refused last.
}

// authorized judges what a response and its request have to do with credentials.
func (c *httpConn) authorized(ev *session.Event, t *trip, r session.Reporter) {
	c.metadata(ev, t, r)
	if x := ev.Trip; isMCP(t, x) {
		challenged(ev, t, r)
		c.history.demanded(x, t)
		tokenInURL(ev, t, r)
	}
	if !t.ours {
		c.token.judge(ev, t, r)
		c.history.retried(ev, t, r)
	}
}

// judge looks for a request of a session without the token that it has before and after. A
// client whose token is over may send a request without it, and goes on with another one.
func (b *bearer) judge(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	status, auth := x.Response.Status, secretOf(x.Request, "Authorization")
	switch {
	case t.session == nil || t.old || !isMCP(t, x) && x.Request.Method != "DELETE":
	case auth != nil && (status == 401 || status == 403):
		*b = bearer{}
	case auth != nil && status < 300 && strings.EqualFold(fieldOf(x.Request, "Authorization"), "Bearer"):
		if b.lack != nil && b.good == auth.Hash && x.ReqT > b.lackT {
			r.Report(*b.lack)
		}
		if b.good != auth.Hash || b.lack == nil || x.ReqT > b.lackT {
			*b = bearer{good: auth.Hash, goodT: ev.T}
		}
	case auth == nil && b.good != "" && b.lack == nil && x.ReqT > b.goodT && credentials(x.Request) == "" && (status < 300 || status == 401):
		f, how := tokenMissing.At(ev, ""), "was answered 401"
		if status < 300 {
			f.Severity, how = session.Warning, "was accepted"
		}
		f.Message = t.name() + " has no Authorization, and " + how + ", although requests of its session before and after it have a token"
		f = f.AtRow(t.Row).Keyed(how)
		b.lack, b.lackT = &f, ev.T
	}
}

// retried judges a request that was refused before.
func (h *history) retried(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	who := x.Request.Remote
	switch {
	case t.session != nil:
		who = t.session.Hash
	case has(x.Request, "Via"), has(x.Request, "Forwarded"), has(x.Request, "X-Forwarded-For"):
		return // The connection is that of a gateway, with several clients behind it.
	}
	if who == "" || !isMCP(t, x) {
		return
	}
	now := refusal{by: refusedBy(x.Response, t), who: who, what: x.Request.Method + " " + t.method + " " + t.target + " " + x.Request.Target, auth: credentials(x.Request), n: 1, last: ev.T}
	at := slices.IndexFunc(h.refusals, func(o refusal) bool { return o.who == now.who && o.what == now.what && o.auth == now.auth })
	switch {
	case now.by == "":
		if at >= 0 {
			h.refusals = slices.Delete(h.refusals, at, at+1)
		}
		return
	case at < 0:
		rule.Push(&h.refusals, now, maxRefusals)
		return
	}
	before := &h.refusals[at]
	switch since := x.ReqT - before.last; {
	case since < 0:
		return // They were sent together.
	case since > retriesAfter, before.by != now.by:
		*before = now
		return
	}
	before.last = ev.T
	if before.n++; before.n != retries+1 {
		return
	}
	with := " with the same credentials"
	switch {
	case now.auth == "" && strings.Contains(x.Request.Target, "?"):
		with = "" // They may be in the query, by a name that does not say so.
	case now.auth == "":
		with = " without credentials"
	}
	f := retryLoop.At(ev, "the client sent %s %d times in a row%s, although each was answered %s", loopName(t), before.n, with, now.by).AtRow(t.Row)
	if now.auth == "" && t.session == nil { // The client may be a program with several users.
		f.Message = fmt.Sprintf("%s was sent %d times in a row%s over one connection, and each was answered %s", loopName(t), before.n, with, now.by)
		f.Fault = session.Nobody
	}
	r.Report(f.Keyed(f.Fault.String()))
}

// refusedBy says how a response refuses the credentials of its request; empty = it does not. What
// a model asks for may be asked for again: it has read the refusal.
func refusedBy(res *session.HTTPEvent, t *trip) string {
	switch challenge := strings.ToLower(fieldOf(res, "WWW-Authenticate")); {
	case res.Status == 401:
		return "401"
	case res.Status == 403 && strings.Contains(challenge, `error="insufficient_scope"`) && t.what == request && !byModel(t.method):
		return "403 insufficient_scope"
	}
	return ""
}

// byModel reports whether a model or a person may have asked for a request.
func byModel(method string) bool {
	switch method {
	case mcp.Initialize, mcp.ServerDiscover, mcp.ToolsList, mcp.ResourcesList, mcp.ResourcesTemplatesList, mcp.PromptsList, mcp.Ping:
		return false
	}
	return true
}

// loopName names a request that was sent with several ids.
func loopName(t *trip) string {
	if t.what == request {
		return rule.Short([]byte(strings.TrimSpace(t.method + " " + t.target)))
	}
	return t.name()
}

// credentials are the hashes of what a request shows of its sender, in its header and in its
// query; empty = nothing.
func credentials(q *session.HTTPEvent) string {
	all := ""
	for i := range q.Fields {
		if f := &q.Fields[i]; f.Secret != nil && !strings.EqualFold(f.Name, "Mcp-Session-Id") {
			all += f.Name + f.Secret.Hash
		}
	}
	for name, value := range parameters(q) {
		if strings.HasPrefix(value, "redacted-") {
			all += name + value
		}
	}
	return all
}

// tokenInURL judges a token in the query of a URL: RFC 6750 §2.3 gives it that name there.
// Whether its user has given the client that URL is not known.
func tokenInURL(ev *session.Event, t *trip, r session.Reporter) {
	q := ev.Trip.Request
	for name, value := range parameters(q) {
		if name == "access_token" && value != "" && !t.old && !t.ours {
			r.Report(tokenInQuery.At(ev, "the URL of %s has an access token in its parameter access_token", rule.Short([]byte(q.Method+" "+pathOf(q.Target)))))
			return
		}
	}
}

// parameters are those of the query of a request's URL.
func parameters(q *session.HTTPEvent) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		_, query, _ := strings.Cut(q.Target, "?")
		for part := range strings.SplitSeq(query, "&") {
			if name, value, _ := strings.Cut(part, "="); !yield(name, value) {
				return
			}
		}
	}
}

var tokenMissing = &rule.Rule{ID: "auth-token-missing", Severity: session.Error, Fault: rule.Client, NeedsAll: true}
var tokenInQuery = &rule.Rule{ID: "auth-token-in-query", Severity: session.Warning, Fault: rule.Nobody}
var retryLoop = &rule.Rule{ID: "auth-retry-loop", Severity: session.Warning, Fault: rule.Client, NeedsAll: true}
