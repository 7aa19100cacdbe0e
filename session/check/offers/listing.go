package offers

import (
	"hash/maphash"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/diff"
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
		if cursor := ev.Message.Field(jsonrpc.ParamCursor); cursor.Type == jsonrpc.Null && rule.ByClient(ev) {
			r.Report(nullMember.At(ev, "%s: cursor is null, must be absent or a string", ev.Method.Name).Keyed(ev.Method.Name + " cursor"))
		}
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
	f := cursorNotIssued.At(ev, "%s has the cursor %s, which no page returned", rule.NameOf(ev.Exchange), rule.Excerpt([]byte(lex.Unquote(rule.FieldText(ev, cursor)))))
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
			f := CursorLoop.At(ev, "%s has not ended after %d pages", ev.Method.Name, maxPages).Graded(session.Info).Keyed(ev.Method.Name + " endless")
			if of.pages[0] >= maxPages-1 {
				f.Severity, f.Message = session.Warning, f.Message+", and none has an item"
			}
			r.Report(f)
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

// maxItems is how many items of a listing are remembered. A listing with a longer
// page is not judged by its items.
const maxItems = 4096

// content is what the pages of a listing have had so far.
type content struct {
	hash    uint64         // hash is that of all items, as they are written.
	items   rule.HashSet   // items are the items of all pages, whatever their spelling.
	pages   map[uint64]int // pages counts how often a page with the same items came.
	changed bool           // changed: the list may have changed since the first page.
	unknown bool           // unknown: the items of a page could not be read.
}

// An item is an entry of a list.
type item struct {
	text []byte
	hash uint64
}

// hashOf adds a hash to that of what comes before it.
func hashOf(before, h uint64) uint64 {
	return maphash.Comparable(rule.Seed.Get(), [2]uint64{before, h})
}

// itemsOf returns the items of a page and a hash of all of them. It reports false
// if one cannot be read, or if there are too many.
func itemsOf(array []byte) (items []item, page uint64, ok bool) {
	for _, text := range lex.Items(array) {
		h, err := diff.Digest(text)
		if err != nil || len(items) == maxItems {
			return nil, 0, false
		}
		items, page = append(items, item{text, h}), hashOf(page, h)
	}
	return items, page, true
}

// page takes a page of a listing: last says that no other follows.
func (l *listing) page(ev *session.Event, r session.Reporter, last bool) {
	array := lex.Get(rule.ResultOf(ev), ev.Method.Items)
	if l.unknown = l.unknown || jsonrpc.TypeOf(array) != jsonrpc.Array; l.unknown {
		return
	}
	l.hash = hashOf(l.hash, maphash.Bytes(rule.Seed.Get(), array))
	if l.method != mcp.ToolsList && l.method != mcp.TasksList {
		l.twice(array, ev, r)
	}
	if l.changed || l.loops || l.method == mcp.TasksList || last && len(l.pages) == 0 {
		return
	}
	items, page, ok := itemsOf(array)
	if !ok {
		l.unknown = true
		return
	}
	for i := range items {
		if l.items.Has(items[i].hash) {
			l.repeats(ev, r, items[i].text, len(items), l.pages[page], last)
			break
		}
	}
	for i := range items {
		l.items.Add(items[i].hash, true, maxItems)
	}
	times := l.pages[page]
	rule.Put(&l.pages, page, times+1)
}

// repeats judges a page with an item that an earlier page had: all of its items came
// on so many earlier pages before.
func (l *listing) repeats(ev *session.Event, r session.Reporter, text []byte, items, times int, last bool) {
	switch {
	case last && times > 0 && items > 1:
		f := itemOnTwoPages.At(ev, "%s returns an earlier page again: the cursor was not used", l.method).Keyed(l.method)
		f.Hint = "read params.cursor, and return the page that it stands for"
		r.Report(f)
	case last || times == 0:
		r.Report(itemOnTwoPages.At(ev, "%s returns %s again, which an earlier page had", l.method, l.nameOf(text)).Keyed(l.method))
	case items > 1 || times > 1:
		l.loops = true
		r.Report(CursorLoop.At(ev, "%s returns the items of an earlier page again, with another nextCursor: the listing does not move on", l.method).Keyed(l.method))
	}
}

// twice judges whether two items of a page have one name.
func (l *listing) twice(array []byte, ev *session.Event, r session.Reporter) {
	seen := map[string]bool{}
	for i, text := range lex.Items(array) {
		name := lex.Unquote(lex.Get(text, l.key()))
		if i >= maxItems || name == "" {
			continue
		}
		if seen[name] {
			r.Report(duplicateToolName.At(ev, "%s has two items with the %s %s", l.method, l.key(), rule.Excerpt([]byte(name))).Keyed(l.method))
			return
		}
		seen[name] = true
	}
}

// key returns the member that tells the items apart.
func (l *listing) key() string {
	switch l.method {
	case mcp.ResourcesList:
		return "uri"
	case mcp.ResourcesTemplatesList:
		return "uriTemplate"
	}
	return "name"
}

// nameOf returns what tells an item from the others.
func (l *listing) nameOf(text []byte) string {
	if v := lex.Get(text, l.key()); jsonrpc.TypeOf(v) == jsonrpc.String {
		return rule.Excerpt([]byte(lex.Unquote(v)))
	}
	return "an item"
}
