package protocol

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

const (
	maxListens       = 256                    // maxListens is how many subscriptions of a connection are stored; the oldest is dropped first.
	acknowledgeGrace = int64(5 * time.Second) // acknowledgeGrace is how long a server may take to acknowledge a subscription, in nanoseconds.
	listenGrace      = int64(time.Second)     // listenGrace is how long after the end of a subscription a notification may still arrive, in nanoseconds.
)

// subscriptions follows the subscriptions of a modern connection.
type subscriptions struct {
	rule.Coverage
	all    []*listen
	forgot bool // forgot: an older one was dropped.
}

// A listen is one subscription.
type listen struct {
	row   uint32
	id    string      // id is the request id, decoded if it is a string.
	text  bool        // text: the id is a string.
	name  string      // name is the name of the request, for messages.
	wants rule.Object // wants is the requested filter; nil = unknown.
	acked bool
	ended int64 // ended is when it ended, 0 = it is open.
	told  bool  // told: subscription-not-acknowledged was reported.
}

// Check implements session.Checker.
func (c *subscriptions) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind == session.MessageSeen:
		c.message(ev, r)
	case ev.Kind == session.ExchangeGone && ev.Exchange.Method == mcp.SubscriptionsListen:
		c.end(ev) // Its round trip has ended.
	case ev.Kind == session.Timer && ev.Timer.Rule == subscriptionNotAcknowledged.ID:
		c.silent(ev, r)
	}
}

func (c *subscriptions) message(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch {
	case x != nil && x.Method == mcp.SubscriptionsListen && x.Sender == session.C2S && x.Era != mcp.Legacy:
		switch {
		case m.Kind == jsonrpc.Request && rule.IsNew(ev):
			c.begin(ev, r)
		case m.Kind.Response(), x.Cancel != 0:
			c.end(ev)
		}
	case m.Kind == jsonrpc.Notification && ev.Frame.Stream == session.S2C && rule.IsModern(ev):
		c.notification(ev, r)
	}
}

// begin stores a new subscription.
func (c *subscriptions) begin(ev *session.Event, r session.Reporter) {
	m := ev.Message
	l := &listen{row: ev.Exchange.Req, name: rule.NameOf(ev.Exchange)}
	if l.id, l.text = m.ID.Unquoted(); !l.text {
		l.id = string(m.ID.Raw)
	}
	if !m.ID.Whole() {
		c.forgot = true
		return
	}
	l.wants, _ = rule.ParseObject(rule.FieldText(ev, m.Field(jsonrpc.ParamNotifications)))
	c.forgot = rule.Push(&c.all, l, maxListens) || c.forgot
	r.At(ev.T+acknowledgeGrace, ev.Conn.ID, session.TimerKey{Rule: subscriptionNotAcknowledged.ID, Num: uint64(l.row)})
}

func (c *subscriptions) end(ev *session.Event) {
	for _, l := range c.all {
		if l.row == ev.Exchange.Req && l.ended == 0 {
			l.ended = max(1, ev.T)
		}
	}
}

// silent judges a subscription that was not acknowledged in time.
func (c *subscriptions) silent(ev *session.Event, r session.Reporter) {
	i := slices.IndexFunc(c.all, func(l *listen) bool { return uint64(l.row) == ev.Timer.Num })
	if i < 0 || !rule.IsModern(ev) || !ev.Conn.ServerModern || ev.Conn.Ended || ev.Conn.Exited || ev.Conn.StdoutEOF != 0 || ev.Conn.StdinEOF != 0 ||
		!c.Reads(ev, session.S2C) {
		return
	}
	if l := c.all[i]; !l.acked && l.ended == 0 && !l.told {
		l.told = true
		f := subscriptionNotAcknowledged.At(ev, "%s was not acknowledged within %s", l.name, rule.FormatDuration(acknowledgeGrace))
		r.Report(f.Graded(session.Warning).Keyed("late").AtRow(l.row).Since(ev.T - acknowledgeGrace))
	}
}

// wanted are the members of a filter, by the notification that they request.
var wanted = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		mcp.ToolsListChangedNotification:     "toolsListChanged",
		mcp.PromptsListChangedNotification:   "promptsListChanged",
		mcp.ResourcesListChangedNotification: "resourcesListChanged",
		mcp.ResourcesUpdatedNotification:     "resourceSubscriptions",
	}
}}

// notification judges a notification of the server.
func (c *subscriptions) notification(ev *session.Event, r session.Reporter) {
	if t := ev.Message.Params.Type; ev.Method == nil || t != jsonrpc.Absent && t != jsonrpc.Object {
		return
	}
	name := ev.Method.Name
	id := ev.Message.Field(jsonrpc.MetaSubscriptionID)
	if !id.Present() {
		if wanted.Get()[name] != "" || name == mcp.AcknowledgedNotification {
			if meta := lex.Get(rule.SpanText(ev, ev.Message.Params), "_meta"); meta != nil && jsonrpc.TypeOf(meta) != jsonrpc.Object {
				return // invalid-member
			}
			c.unnamed(ev, r, name)
		}
		return
	}
	if name == mcp.LogNotification || name == mcp.ProgressNotification {
		r.Report(requestNotificationOnSubscription.At(ev, "%s carries a subscriptionId", name).Keyed(name))
		return
	}
	l := c.of(ev, id, r)
	if l == nil {
		return
	}
	if name == mcp.AcknowledgedNotification {
		l.acked = true
		c.granted(ev, l, r)
		return
	}
	if !l.acked && !l.told && c.Reads(ev, session.S2C) {
		l.told = true
		r.Report(subscriptionNotAcknowledged.At(ev, "%s came on %s before it was acknowledged", name, l.name))
	}
	c.asked(ev, l, name, r)
}

// unnamed reports a notification without its subscriptionId.
func (c *subscriptions) unnamed(ev *session.Event, r session.Reporter, name string) {
	r.Report(subscriptionIDMissing.At(ev, "%s has no subscriptionId", name).Keyed(name))
	for _, l := range c.all {
		l.acked = l.acked || name == mcp.AcknowledgedNotification // It may be meant for any of them.
	}
}

// of returns the subscription that a notification names. It returns nil if
// there is none, which is reported, and if the subscription has ended.
func (c *subscriptions) of(ev *session.Event, id *jsonrpc.Value, r session.Reporter) *listen {
	text, isText := id.Unquoted()
	if !isText {
		text = string(id.Raw)
	}
	var other, over *listen
	for _, l := range slices.Backward(c.all) {
		switch {
		case l.id != text:
		case l.text != isText:
			other = l
		case l.ended == 0:
			return l
		case over == nil:
			over = l
		}
	}
	switch {
	case over != nil:
		if after := ev.T - over.ended; after > listenGrace {
			r.Report(subscriptionIDUnknown.At(ev, "%s came on %s, which had ended %s before", rule.MethodName(ev.Message), over.name, rule.FormatDuration(after)).Keyed("over").Since(over.ended))
		}
	case !id.Whole(), c.forgot, !c.Sees(ev, session.C2S):
	case other != nil:
		r.Report(subscriptionIDUnknown.At(ev, "%s names the subscription %s, whose id has another JSON type", rule.MethodName(ev.Message), rule.RawText(id)).Keyed("type"))
		other.acked = true
	default:
		r.Report(subscriptionIDUnknown.At(ev, "%s names the subscription %s, which was never opened", rule.MethodName(ev.Message), rule.RawText(id)))
	}
	return nil
}

// asked judges whether a notification was requested.
func (c *subscriptions) asked(ev *session.Event, l *listen, name string, r session.Reporter) {
	key := wanted.Get()[name]
	if key == "" || l.wants == nil {
		return
	}
	what := name + " was sent"
	if key != "resourceSubscriptions" {
		if l.wants.Flag(key) {
			return
		}
	} else {
		uri, ok := ev.Message.Field(jsonrpc.ParamURI).Unquoted()
		if !ok || slices.ContainsFunc(urisOf(l.wants), func(want string) bool { return strings.HasPrefix(uri, strings.TrimSuffix(want, "/")) }) {
			return
		}
		what = rule.Short([]byte(uri)) + " was reported"
	}
	r.Report(subscriptionUnrequested.At(ev, "%s on %s, which did not ask for it", what, l.name).Keyed(name))
}

// granted judges an acknowledgment.
func (c *subscriptions) granted(ev *session.Event, l *listen, r session.Reporter) {
	given, ok := rule.ParseObject(rule.FieldText(ev, ev.Message.Field(jsonrpc.ParamNotifications)))
	if !ok || l.wants == nil {
		return
	}
	var excess []string
	for _, key := range slices.Sorted(maps.Values(wanted.Get())) {
		if key != "resourceSubscriptions" && given.Flag(key) && !l.wants.Flag(key) {
			excess = append(excess, key)
		}
	}
	want := urisOf(l.wants)
	for _, uri := range urisOf(given) {
		if uri != "" && !slices.Contains(want, uri) {
			excess = append(excess, rule.Short([]byte(uri)))
		}
	}
	if excess != nil {
		r.Report(subscriptionUnrequested.At(ev, "%s is acknowledged on %s, which did not ask for it", excess[0], l.name))
	}
}

// urisOf returns the resource URIs of a filter.
func urisOf(filter rule.Object) []string {
	var uris []string
	if json.Unmarshal(filter["resourceSubscriptions"], &uris) != nil {
		return nil
	}
	return uris
}

var Subscriptions = rule.Family{
	Name:  "subscriptions",
	Title: "Subscriptions",
	Rules: []*rule.Rule{
		subscriptionNotAcknowledged, subscriptionIDMissing, subscriptionIDUnknown,
		subscriptionUnrequested, requestNotificationOnSubscription,
	},
	New: func() session.Checker { return &subscriptions{} },
}

var subscriptionNotAcknowledged = &rule.Rule{ID: "subscription-not-acknowledged", Severity: session.Error, Fault: rule.Server, Since: mcp.V5, NeedsAll: true}
var subscriptionIDMissing = &rule.Rule{ID: "subscription-id-missing", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var subscriptionIDUnknown = &rule.Rule{ID: "subscription-id-unknown", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var subscriptionUnrequested = &rule.Rule{ID: "subscription-unrequested", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var requestNotificationOnSubscription = &rule.Rule{ID: "request-notification-on-subscription", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
