package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

const (
	subscribeMethod   = "resources/subscribe"
	unsubscribeMethod = "resources/unsubscribe"
	listenMethod      = "subscriptions/listen"
	acknowledged      = "notifications/subscriptions/acknowledged"
	resourceUpdated   = "notifications/resources/updated"
	subscriptionID    = "io.modelcontextprotocol/subscriptionId"
)

// maxSubscriptions is how many are remembered; the oldest is forgotten first.
const maxSubscriptions = 1000

// maxFilter is the longest request, and the longest notification, that is looked
// into for what a subscription is to, in bytes.
const maxFilter = 1 << 20

// A subscription is one resource of the legacy era that was subscribed to, or one
// subscriptions/listen of the modern era.
type subscription struct {
	conn   uint16
	row    uint32 // row is the request's,
	n      uint32 // and n its number.
	listen bool   // listen: it is a request of the modern era that stays open.
	id     string // id is the raw text of its request id.
	asked  int64  // asked is when it was asked for, in nanoseconds of the session,
	since  int64  // since when the server agreed, 0 = it has not.
	ended  int64  // ended is when it ended, 0 = it has not.
	why    string // why says how it ended.

	uris  []string
	kinds [numKinds]bool // kinds are the lists whose changes it tells.
	tasks int            // tasks counts the tasks whose states it tells.

	filter  json.RawMessage // filter is what was asked for, verbatim; nil for a legacy one.
	granted json.RawMessage // granted is what the server acknowledged, verbatim.
	updates int             // updates counts what it has told.
	last    int64           // last is when it told something last.
}

// ofSubscription reports whether a row is about a subscription.
func ofSubscription(s *session.Snapshot, r session.Row) bool {
	switch s.Name(r.Method) {
	case subscribeMethod, unsubscribeMethod:
		return r.Kind == session.RowResult || r.Kind == session.RowError
	case listenMethod:
		return r.Kind == session.RowRequest || r.Kind == session.RowResult || r.Kind == session.RowError
	case acknowledged, resourceUpdated:
		return r.Kind == session.RowNotification
	case "notifications/cancelled":
		return r.Kind == session.RowNotification && r.Pair != session.NoRow && s.Name(s.Row(r.Pair).Method) == listenMethod
	}
	return false
}

// subscription takes note of a row.
func (k *collecting) subscription(row uint32, r session.Row) {
	switch s := k.snap; s.Name(r.Method) {
	case subscribeMethod:
		k.subscribed(r)
	case unsubscribeMethod:
		if i := k.findSub(func(u *subscription) bool { return !u.listen && u.conn == r.Conn && u.uris[0] == s.Name(r.Target) }); i >= 0 && r.Kind == session.RowResult {
			k.got.subs[i].end(r.T, "unsubscribed")
		}
	case listenMethod:
		if r.Kind == session.RowRequest {
			k.listened(row, r)
		} else if i := k.findSub(func(u *subscription) bool { return u.listen && u.row == r.Pair }); i >= 0 {
			why := "the server ended it"
			if r.Kind == session.RowError {
				why = "the server refused it: " + k.refusal(row)
			}
			k.got.subs[i].end(r.T, why)
		}
	case "notifications/cancelled":
		if i := k.findSub(func(u *subscription) bool { return u.listen && u.row == r.Pair }); i >= 0 {
			why := "cancelled"
			if r.Stream == session.S2C {
				why = "the server ended it"
			}
			k.got.subs[i].end(r.T, why)
		}
	case acknowledged:
		k.told(row, r, func(u *subscription) bool { return u.since == 0 }, func(u *subscription, params map[string]json.RawMessage) {
			u.since, u.granted = r.T, params["notifications"]
		})
	default:
		k.told(row, r, func(u *subscription) bool { return u.covers(k.snap, r) }, func(u *subscription, _ map[string]json.RawMessage) {
			u.updates++
			u.last = r.T
		})
	}
}

func (u *subscription) end(t int64, why string) {
	if u.ended == 0 {
		u.ended, u.why = max(1, t), why
	}
}

// findSub returns the first subscription that has not ended and that is meant, -1
// where there is none.
func (k *collecting) findSub(meant func(*subscription) bool) int {
	return slices.IndexFunc(k.got.subs, func(u subscription) bool { return u.ended == 0 && meant(&u) })
}

// subscribed takes the answer to a resources/subscribe.
func (k *collecting) subscribed(r session.Row) {
	req := k.snap.Row(r.Pair)
	uri := k.snap.Name(r.Target)
	if r.Kind == session.RowError || r.Pair == session.NoRow || uri == "" {
		return
	}
	if k.findSub(func(u *subscription) bool { return !u.listen && u.conn == r.Conn && u.uris[0] == uri }) >= 0 {
		return // A second subscription does not cause a second notification.
	}
	k.addSub(subscription{conn: r.Conn, row: r.Pair, n: req.N, id: k.snap.ID(req), asked: req.T, since: max(1, r.T), uris: []string{uri}})
}

// listened takes a subscriptions/listen.
func (k *collecting) listened(row uint32, r session.Row) {
	u := subscription{conn: r.Conn, row: row, n: r.N, listen: true, id: k.snap.ID(r), asked: r.T}
	if body, err := k.body(row, maxFilter); err == nil {
		u.filter = recorder.Members(recorder.Members(body)["params"])["notifications"]
		wants := recorder.Members(u.filter)
		u.kinds[tools] = string(wants["toolsListChanged"]) == "true"
		u.kinds[prompts] = string(wants["promptsListChanged"]) == "true"
		u.kinds[resources] = string(wants["resourcesListChanged"]) == "true"
		u.tasks = len(recorder.Elements(wants["taskIds"]))
		for _, raw := range recorder.Elements(wants["resourceSubscriptions"]) {
			u.uris = append(u.uris, recorder.TextOf(raw))
		}
	}
	k.addSub(u)
}

func (k *collecting) addSub(u subscription) {
	k.got.subs = slices.Insert(k.got.subs, 0, u)
	k.got.subs = k.got.subs[:min(len(k.got.subs), maxSubscriptions)]
}

// covers reports whether a notification may be one that the subscription is to.
// An update may be of a part of the resource.
func (u *subscription) covers(s *session.Snapshot, r session.Row) bool {
	method := s.Name(r.Method)
	if method == resourceUpdated {
		return slices.ContainsFunc(u.uris, func(uri string) bool { return strings.HasPrefix(s.Name(r.Target), uri) })
	}
	return slices.ContainsFunc(lists[:], func(k kind) bool { return u.kinds[k] && kinds[k].changed == method })
}

// told gives a notification to the subscription that it belongs to. Where several
// may be meant the notification's own metadata tell which.
func (k *collecting) told(row uint32, r session.Row, meant func(*subscription) bool, take func(*subscription, map[string]json.RawMessage)) {
	var params map[string]json.RawMessage
	var candidates []int
	for i := range k.got.subs {
		if u := &k.got.subs[i]; u.ended == 0 && u.conn == r.Conn && meant(u) {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return
	}
	if len(candidates) > 1 || k.snap.Name(r.Method) == acknowledged {
		if body, err := k.body(row, maxFilter); err == nil {
			params = recorder.Members(recorder.Members(body)["params"])
		}
	}
	id := string(recorder.Members(params["_meta"])[subscriptionID])
	for _, i := range candidates {
		if u := &k.got.subs[i]; len(candidates) == 1 || !u.listen || u.id == id || strings.Trim(u.id, `"`) == strings.Trim(id, `"`) {
			take(u, params)
			return
		}
	}
}

// over says how a subscription has ended, empty while it has not.
func (u *subscription) over(s *session.Snapshot) string {
	switch {
	case u.ended > 0:
		return u.why
	case u.listen && s.Row(u.row).Flags&session.FlagLost != 0, connOver(s, u.conn):
		return "connection closed"
	}
	return ""
}

// connOver reports whether a connection has ended.
func connOver(s *session.Snapshot, conn uint16) bool {
	c := s.Conn(int(conn))
	return c != nil && c.Ended
}

// name says what a subscription is to.
func (u *subscription) name() string {
	var words []string
	for _, k := range lists {
		if u.kinds[k] {
			words = append(words, kinds[k].title)
		}
	}
	if len(words) > 0 {
		words = []string{"changes of " + strings.Join(words, ", ")}
	}
	if u.tasks > 0 {
		words = append(words, text.Plural(int64(u.tasks), "task"))
	}
	switch {
	case len(u.uris) == 1:
		words = append(words, u.uris[0])
	case len(u.uris) > 1:
		words = append(words, text.Plural(int64(len(u.uris)), "resource"))
	case len(words) == 0:
		words = []string{"nothing"}
	}
	return text.Visible([]byte(strings.Join(words, " and ")), maxName)
}

// brief is the state of a subscription, as a sign and in a few words.
func (u *subscription) brief(c *pane.Context) (sign, words string) {
	updates := text.Plural(int64(u.updates), "update")
	switch over := u.over(c.Snap); {
	case over != "":
		return "✖", updates + ", " + over
	case u.since == 0:
		return "…", "asked for " + ago(c, u.asked)
	}
	return "●", updates + ", for " + lasting(c.Now-u.since)
}

// about is the details of a subscription.
func (u *subscription) about(c *pane.Context) []line {
	over := u.over(c.Snap)
	lines := []line{{dim, fmt.Sprintf("#%d, id %s, asked for %s", u.n, text.Visible([]byte(u.id), 60), ago(c, u.asked))}}
	switch {
	case u.since > 0:
		lines = append(lines, line{plain, "✔ subscribed " + ago(c, u.since)})
	case over == "":
		lines = append(lines, line{warning, "… the server has not acknowledged it"})
	}
	told := text.Plural(int64(u.updates), "update")
	if u.updates > 0 {
		told += ", the latest " + ago(c, u.last)
	}
	lines = append(lines, line{plain, told})
	switch {
	case over != "" && u.ended > 0:
		lines = append(lines, line{plain, "✖ " + over + " " + ago(c, u.ended)})
	case over != "":
		lines = append(lines, line{plain, "✖ " + over})
	case c.Live:
		lines = append(lines, line{strong, "ctrl-x ends it, enter shows it in the traffic"})
	}
	for _, uri := range u.uris {
		lines = append(lines, line{plain, "  " + text.Visible([]byte(uri), 0)})
	}
	return lines
}

// ago is how long ago a time was.
func ago(c *pane.Context, t int64) string {
	if c.Now-t < 1e9 {
		return "just now"
	}
	return lasting(c.Now-t) + " ago"
}

// lasting writes a time that goes on: in whole seconds where it is longer than
// one.
func lasting(ns int64) string {
	if ns < 1e9 || ns >= 60e9 {
		return text.Duration(max(0, ns))
	}
	return fmt.Sprintf("%d s", ns/1e9)
}
