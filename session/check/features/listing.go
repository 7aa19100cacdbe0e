package features

import (
	"hash/maphash"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for listings. The oldest is dropped first, and nothing is reported
// because of dropped state.
const (
	maxListings  = 64  // of a connection
	maxPageAsked = 256 // pages that were requested and not answered
	maxPages     = 1000
	maxIssued    = 16 << 10 // cursors that were returned
)

// pagesConn follows the listings of a connection from page to page.
type pagesConn struct {
	rule.Coverage
	listings
	issued  rule.HashSet        // issued are the cursors that were returned, with their lists.
	changes map[string]*changes // changes are what the server reported, by the name of the notification.
}

// listings are the listings of a connection.
type listings struct {
	asked []pageAsked
	all   []*listing // all are those that may continue, in the order in which they began.
}

// A pageAsked is a request for a page.
type pageAsked struct {
	row    uint32
	method string
	cursor uint64 // cursor is the hash of the cursor, 0 = the first page.
	news   bool   // news: it is the first request since the server said that the list has changed.
	unsure bool   // unsure: another request of the same frame is for the same list.
}

// A listing is a sequence of pages that one side requests.
type listing struct {
	method  string
	from    session.Stream // from is the sender of the requests.
	cursors []uint64       // cursors are the hashes of its cursors, the latest last.
	began   int64          // began is when its first page was requested.
	news    bool           // news: that was the first request since the server said that the list has changed.
	loops   bool           // loops: it was reported as a loop.
	content
}

// Check implements session.Checker.
func (c *pagesConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind != session.MessageSeen:
	case ev.Method != nil && ev.Frame.Stream == session.S2C && announced.Get()[ev.Method.Name] != nil:
		c.announce(ev)
	case ev.Exchange != nil && ev.Method != nil && ev.Method.Items != "":
		c.message(ev, r)
	case ev.Exchange == nil && ev.Message.Field(jsonrpc.ResultNextCursor).Present():
		c.issued.Lost = true // The method that this answers is unknown.
	}
}

func (c *pagesConn) message(ev *session.Event, r session.Reporter) {
	switch ev.Message.Kind {
	case jsonrpc.Request:
		c.fromNowhere(ev, r)
		c.request(ev, c.isNews(ev))
	case jsonrpc.Result:
		c.issue(ev, r)
		c.result(ev, r)
	case jsonrpc.Error:
		c.take(ev)
	case jsonrpc.Notification, jsonrpc.Invalid:
	}
}

// cursorKey returns the hash of a cursor and its list.
func cursorKey(ev *session.Event, v *jsonrpc.Value) (uint64, bool) {
	text := rule.FieldText(ev, v)
	if text == nil {
		return 0, false
	}
	return maphash.String(rule.Seed.Get(), ev.Method.Name+" "+lex.Unquote(text)), true
}

// issue stores the cursor of a page.
func (c *pagesConn) issue(ev *session.Event, r session.Reporter) {
	next := ev.Message.Field(jsonrpc.ResultNextCursor)
	if next.Type != jsonrpc.String {
		return
	}
	if next.Is("") && emptyNextCursor.In(rule.Version(ev)) {
		r.Report(emptyNextCursor.At(ev, "the answer to %s has an empty nextCursor", rule.NameOf(ev.Exchange)).Keyed(ev.Method.Name))
	}
	h, ok := cursorKey(ev, next)
	c.issued.Add(h, ok, maxIssued)
}

// fromNowhere judges the cursor of a request.
func (c *pagesConn) fromNowhere(ev *session.Event, r session.Reporter) {
	cursor := ev.Message.Field(jsonrpc.ParamCursor)
	if cursor.Type != jsonrpc.String || cursor.Is("") || rule.ByUser(ev) || c.issued.Lost || !c.Sees(ev, ev.Frame.Stream.Reverse()) {
		return
	}
	if h, ok := cursorKey(ev, cursor); !ok || c.issued.Has(h) {
		return
	}
	f := cursorNotIssued.At(ev, "%s has the cursor %s, which that list never returned", rule.NameOf(ev.Exchange), rule.Excerpt(rule.FieldText(ev, cursor)))
	if f.Key = ev.Method.Name; rule.Version(ev).Era() == mcp.Modern {
		f.Severity = session.Info
	}
	r.Report(f)
}

// request stores which page is requested. news: the list is said to have changed.
func (l *listings) request(ev *session.Event, news bool) {
	x := ev.Exchange
	for i := range l.asked {
		if a := &l.asked[i]; a.row == x.Req && a.method == x.Method {
			a.unsure = true
			return
		}
	}
	rule.Push(&l.asked, pageAsked{row: x.Req, method: ev.Method.Name, cursor: rule.CursorOf(ev.Message.Field(jsonrpc.ParamCursor)), news: news}, maxPageAsked)
}

// result continues the listing that a result is a page of.
func (c *pagesConn) result(ev *session.Event, r session.Reporter) {
	next := ev.Message.Field(jsonrpc.ResultNextCursor)
	if next.Type == jsonrpc.Null {
		r.Report(nullNextCursor.At(ev, "the answer to %s has \"nextCursor\":null, which is not a string", ev.Method.Name).Keyed(ev.Method.Name))
	}
	a, ok := c.take(ev)
	if !ok {
		return
	}
	of := c.of(a, ev)
	if of == nil {
		return
	}
	if next.Type != jsonrpc.String || endsList(ev, next) {
		of.page(ev, r, true)
		c.drop(of)
		c.listed(of, ev, r)
		return
	}
	cursor := rule.CursorOf(next)
	again := slices.Contains(of.cursors, cursor)
	if again {
		r.Report(CursorLoop.At(ev, "%s returns the cursor %s again: the listing never ends", ev.Method.Name, rule.Excerpt([]byte(rule.UnquotedOrRaw(next.Raw)))).Keyed(ev.Method.Name))
		of.loops = true
		// A client that follows the loop continues the same listing.
		of.cursors = slices.DeleteFunc(of.cursors, func(c uint64) bool { return c == cursor })
	}
	of.page(ev, r, false)
	if !again && len(of.cursors) == maxPages-1 {
		if !of.loops {
			r.Report(CursorLoop.At(ev, "%s has not ended after %d pages", ev.Method.Name, maxPages).Graded(session.Info).Keyed(ev.Method.Name + " endless"))
		}
		c.drop(of)
		return
	}
	of.cursors = append(of.cursors, cursor)
}

// drop removes a listing.
func (l *listings) drop(of *listing) {
	l.all = slices.DeleteFunc(l.all, func(o *listing) bool { return o == of })
}

// take removes and returns the request that a response answers. It reports
// false if it is unknown or uncertain.
func (l *listings) take(ev *session.Event) (pageAsked, bool) {
	for i, a := range l.asked {
		if a.row == ev.Exchange.Req && a.method == ev.Method.Name {
			if !a.unsure {
				l.asked = slices.Delete(l.asked, i, i+1)
			}
			return a, !a.unsure
		}
	}
	return pageAsked{}, false
}

// of returns the listing that a page belongs to: a new one for the first page,
// else the latest one whose last page had its cursor. It is nil for a page that
// was requested again, or whose listing is unknown.
func (l *listings) of(a pageAsked, ev *session.Event) *listing {
	from := ev.Exchange.Sender
	if a.cursor == 0 {
		for _, older := range l.all {
			older.changed = older.changed || older.method == a.method // The list may have changed since.
		}
		rule.Push(&l.all, &listing{method: a.method, from: from, began: ev.Exchange.ReqT, news: a.news}, maxListings)
		return l.all[len(l.all)-1]
	}
	for _, of := range slices.Backward(l.all) {
		if n := len(of.cursors); of.method == a.method && of.from == from && n > 0 && of.cursors[n-1] == a.cursor {
			return of
		}
	}
	return nil
}

// endsList reports whether a cursor is the empty string with which servers
// before 2026-07-28 end a list. From then on the empty string is an ordinary
// cursor ([V5] server/utilities/pagination §Implementation Guidelines).
func endsList(ev *session.Event, next *jsonrpc.Value) bool {
	v := rule.Version(ev)
	return next.Is("") && (v == mcp.NoVersion || v.Era() != mcp.Modern)
}
