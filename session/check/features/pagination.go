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

var Pagination = rule.Family{
	Name:  "pagination",
	Title: "Pagination",
	Rules: []*rule.Rule{nullNextCursor, emptyNextCursor, CursorLoop, cursorNotIssued},
	New:   func() session.Checker { return &pagesConn{} },
}

// paginationRefs are the references for pagination.
var paginationRefs = []rule.Ref{{Page: "server/utilities/pagination", Anchor: "pagination-model"}}

var nullNextCursor = &rule.Rule{
	ID:       "null-next-cursor",
	Severity: session.Error,
	Title:    `list ends with "nextCursor":null`,
	Explain: "A cursor is a string, and the last page of a list has none. The TypeScript SDKs validate the type and reject the whole result, so the server " +
		"appears to have no tools; other SDKs accept null as the end. The usual cause is a serializer that writes unset fields.",
	Hint: "omit nextCursor on the last page; configure the serializer to omit unset fields",
	Refs: paginationRefs,
}

var CursorLoop = &rule.Rule{
	ID:       "cursor-loop",
	Severity: session.Warning,
	Title:    "listing repeats a cursor or does not end",
	Explain: "A client requests page after page until one has no nextCursor. If a page has a cursor that an earlier page of the same listing had, the " +
		"listing loops, and a client that does not detect this continues forever. A page that has a new cursor, and only tools of earlier " +
		"pages, is reported too. Requesting a page or the whole list again is not a loop. A listing " +
		"that continues after 1,000 pages has severity info: it may end, but no client waits for it.",
	Hint: "let each cursor encode the start of the next page, and omit it on the last page",
	Refs: paginationRefs,
}

var emptyNextCursor = &rule.Rule{
	ID:       "empty-next-cursor",
	Severity: session.Info,
	Until:    mcp.V4,
	Title:    "list ends with an empty nextCursor",
	Explain: "The last page of a list has no nextCursor. Some clients accept the empty string as the end, others request the page of that cursor and " +
		"receive the list from its beginning again and again. From 2026-07-28 on, the empty string is an ordinary cursor.",
	Hint: "omit nextCursor on the last page",
	Refs: paginationRefs,
}

var cursorNotIssued = &rule.Rule{
	ID:       "cursor-not-issued",
	Severity: session.Warning,
	Title:    "request with a cursor that the server never returned",
	Explain: "Cursors are opaque: they are sent back unchanged, for the list that returned them, and do not outlive the connection. A server answers any " +
		"other cursor with -32602, or with the wrong page. From 2026-07-28 on, a cursor may come from another connection, which has severity info. " +
		"Requests composed by a user are not reported.",
	Hint: "send the nextCursor of the last result unchanged; restart the listing after a restart",
	Refs: []rule.Ref{{Page: "server/utilities/pagination", Anchor: "implementation-guidelines"}},
}

// Bounds for listings. The oldest is dropped first, and nothing is reported
// because of dropped state.
const (
	maxListings  = 64  // of a connection
	maxPageAsked = 256 // pages that were requested and not answered
	maxPages     = 1000
	maxIssued    = 16 << 10 // cursors that were returned
)

// listMethods are the methods with pagination.
var listMethods = []string{mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourcesTemplatesList, mcp.TasksList}

// pagesConn follows the listings of a connection from page to page.
type pagesConn struct {
	rule.Coverage
	listings
	issued rule.HashSet // issued are the cursors that were returned, with their lists.
}

// listings are the listings of a connection.
type listings struct {
	asked []pageAsked
	all   []*listing // all are those that may continue, the latest active one last.
}

// A pageAsked is a request for a page.
type pageAsked struct {
	row    uint32
	method string
	cursor uint64 // cursor is the hash of the cursor, 0 = the first page.
	unsure bool   // unsure: another request of the same frame is for the same list.
}

// A listing is a sequence of pages that one side requests.
type listing struct {
	method  string
	from    session.Stream // from is the sender of the requests.
	cursors []uint64       // cursors are the hashes of its cursors, the latest last.
}

// Check implements session.Checker.
func (c *pagesConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind != session.MessageSeen:
	case ev.Exchange != nil && ev.Method != nil && slices.Contains(listMethods, ev.Method.Name):
		c.message(ev, r)
	case ev.Exchange == nil && ev.Message.Field(jsonrpc.ResultNextCursor).Present():
		c.issued.Lost = true // The method that this answers is unknown.
	}
}

func (c *pagesConn) message(ev *session.Event, r session.Reporter) {
	switch ev.Message.Kind {
	case jsonrpc.Request:
		c.fromNowhere(ev, r)
		c.request(ev)
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
	return maphash.String(rule.Seed, ev.Method.Name+" "+lex.Unquote(text)), true
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

// request stores which page is requested.
func (l *listings) request(ev *session.Event) {
	x := ev.Exchange
	for i := range l.asked {
		if a := &l.asked[i]; a.row == x.Req && a.method == x.Method {
			a.unsure = true
			return
		}
	}
	rule.Push(&l.asked, pageAsked{row: x.Req, method: ev.Method.Name, cursor: rule.CursorOf(ev.Message.Field(jsonrpc.ParamCursor))}, maxPageAsked)
}

// result continues the listing that a result is a page of.
func (l *listings) result(ev *session.Event, r session.Reporter) {
	next := ev.Message.Field(jsonrpc.ResultNextCursor)
	if next.Type == jsonrpc.Null {
		r.Report(nullNextCursor.At(ev, "the answer to %s has \"nextCursor\":null, which is not a string", ev.Method.Name).Keyed(ev.Method.Name))
	}
	a, ok := l.take(ev)
	if !ok {
		return
	}
	of := l.of(a, ev.Exchange.Sender)
	if of == nil || next.Type != jsonrpc.String || endsList(ev, next) {
		return
	}
	cursor := rule.CursorOf(next)
	switch {
	case slices.Contains(of.cursors, cursor):
		r.Report(CursorLoop.At(ev, "%s returns the cursor %s again: the listing never ends", ev.Method.Name, rule.Excerpt([]byte(rule.UnquotedOrRaw(next.Raw)))).Keyed(ev.Method.Name))
		// A client that follows the loop continues the same listing.
		of.cursors = append(slices.DeleteFunc(of.cursors, func(c uint64) bool { return c == cursor }), cursor)
	case len(of.cursors) < maxPages-1:
		of.cursors = append(of.cursors, cursor)
	default:
		r.Report(CursorLoop.At(ev, "%s has not ended after %d pages", ev.Method.Name, maxPages).Graded(session.Info).Keyed(ev.Method.Name + " endless"))
		l.all = slices.DeleteFunc(l.all, func(o *listing) bool { return o == of })
	}
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
func (l *listings) of(a pageAsked, from session.Stream) *listing {
	if a.cursor == 0 {
		rule.Push(&l.all, &listing{method: a.method, from: from}, maxListings)
		return l.all[len(l.all)-1]
	}
	for i, of := range slices.Backward(l.all) {
		if n := len(of.cursors); of.method == a.method && of.from == from && n > 0 && of.cursors[n-1] == a.cursor {
			l.all = append(slices.Delete(l.all, i, i+1), of)
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
