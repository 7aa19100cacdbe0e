package offers

import (
	"net/url"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

var Resources = rule.Family{
	Name:  "resources",
	Title: "Resources",
	Rules: []*rule.Rule{resourceNotFoundCode, resourceContentsInvalid, updateNotSubscribed},
	New:   func() session.Checker { return &resourcesConn{} },
}

var resourceNotFoundCode = &rule.Rule{ID: "resource-not-found-code", Severity: session.Warning, Fault: rule.Server}
var resourceContentsInvalid = &rule.Rule{ID: "resource-contents-invalid", Alone: true, Severity: session.Error, Fault: rule.Server}
var updateNotSubscribed = &rule.Rule{ID: "update-not-subscribed", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4}

// maxSubscribed is how many subscriptions of a connection are stored, and the
// maximum length of a URI in bytes; beyond it updates are not judged.
const maxSubscribed = 4096

// resourcesConn judges what is read, and follows the subscriptions that a
// connection ever had.
type resourcesConn struct {
	rule.KeySet
	uris   []string
	unsure bool // unsure: some are unknown.
}

// Check implements session.Checker.
func (c *resourcesConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind != session.MessageSeen || ev.Method == nil {
		return
	}
	switch name := ev.Method.Name; {
	case name == mcp.ResourcesRead:
		c.read(ev, r)
	case name == mcp.ResourcesSubscribe && ev.Message.Kind == jsonrpc.Request:
		c.add(rule.FieldText(ev, ev.Message.Field(jsonrpc.ParamURI)))
	case name == mcp.ResourcesUpdatedNotification && ev.Frame.Stream == session.S2C:
		c.updated(ev, r)
	}
}

func (c *resourcesConn) read(ev *session.Event, r session.Reporter) {
	if !rule.IsAnswer(ev) {
		return
	}
	if ev.Message.Kind == jsonrpc.Error {
		c.notFound(ev, r)
		return
	}
	result := rule.ResultOf(ev)
	if result == nil {
		return
	}
	contents := lex.Get(result, "contents")
	for range lex.Items(contents) {
		return
	}
	if jsonrpc.TypeOf(contents) == jsonrpc.Array {
		f := resourceContentsInvalid.At(ev, "resources/read %s: contents is empty", rule.Excerpt([]byte(ev.Exchange.Target)))
		r.Report(f.Graded(session.Info).Keyed("empty"))
	}
}

// absent are the words by which an error says that something does not exist.
var absent = []string{"not found", "no such", "unknown resource", "does not exist", "doesn't exist", "enoent"}

func (c *resourcesConn) notFound(ev *session.Event, r session.Reporter) {
	said := strings.ToLower(string(ev.Message.Field(jsonrpc.ErrorMessage).Raw))
	code := string(ev.Message.Field(jsonrpc.ErrorCode).Raw)
	v := rule.Version(ev)
	if v == mcp.NoVersion || code == "-32601" || !slices.ContainsFunc(absent, func(word string) bool { return strings.Contains(said, word) }) {
		return
	}
	want := "-32002"
	if v >= mcp.V5 {
		want = "-32602"
	}
	if code == want || want == "-32602" && code == "-32002" || ev.Message.Field(jsonrpc.ErrorCode).Type != jsonrpc.Number {
		return
	}
	f := resourceNotFoundCode.At(ev, "resources/read of the missing resource %s: error %s, should be %s in %s", rule.Excerpt([]byte(ev.Exchange.Target)), rule.Printable(code), want, v)
	if code == "-32602" {
		f.Severity = session.Info
	}
	f.Key = f.Severity.String()
	r.Report(f)
}

// add stores a subscription.
func (c *resourcesConn) add(uri []byte) {
	text := lex.Unquote(uri)
	if text == "" || len(text) > maxSubscribed || len(c.uris) >= maxSubscribed {
		c.unsure = true
		return
	}
	if text = plainURI(text); !slices.Contains(c.uris, text) {
		c.uris = append(c.uris, text)
	}
}

// updated judges an update.
func (c *resourcesConn) updated(ev *session.Event, r session.Reporter) {
	raw := rule.FieldText(ev, ev.Message.Field(jsonrpc.ParamURI))
	uri := lex.Unquote(raw)
	if uri == "" || c.unsure || ev.Conn.Gaps[session.C2S] || ev.Conn.Phase != session.PhaseLegacy || !updateNotSubscribed.In(rule.Version(ev)) {
		return
	}
	plain := plainURI(uri)
	if slices.ContainsFunc(c.uris, func(of string) bool { return strings.HasPrefix(plain, of) || strings.HasPrefix(of, plain) }) {
		return
	}
	r.Report(updateNotSubscribed.At(ev, "an update of %s, to which the client never subscribed", rule.Excerpt([]byte(uri))).Keyed(c.Key(uri)))
}

// plainURI normalizes a URI: escapes, the case of scheme and host, a trailing
// slash.
func plainURI(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return strings.TrimSuffix(uri, "/")
	}
	rest := u.Path
	if u.Opaque != "" {
		if rest, err = url.PathUnescape(u.Opaque); err != nil {
			rest = u.Opaque
		}
	}
	if u.RawQuery != "" {
		rest += "?" + u.RawQuery
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimSuffix(rest, "/")
}
