package detail

import (
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
)

// A tabKind is one of the pane's tabs.
type tabKind uint8

const (
	noTab       tabKind = iota
	contentTab          // the exchange or the notification as people read it
	requestTab          // the request, as JSON
	responseTab         // the response, as JSON
	messageTab          // any other frame, as JSON or text
	rawTab              // the exact bytes of the row
	timingTab
	findingsTab
	eventTab   // what a record that is not a frame says
	httpTab    // the round trip of HTTP: both heads, its times, its connection
	clientsTab // how known clients take the frame
	numTabs
)

var tabNames = [numTabs]string{contentTab: "content", requestTab: "request", responseTab: "response", messageTab: "message", rawTab: "raw",
	timingTab: "timing", findingsTab: "findings", eventTab: "event", httpTab: "http", clientsTab: "clients"}

var shortNames = [numTabs]string{contentTab: "content", requestTab: "req", responseTab: "res", messageTab: "msg", rawTab: "raw",
	timingTab: "time", findingsTab: "find", eventTab: "event", httpTab: "http", clientsTab: "clients"}

// The tabs of the kinds of rows.
var (
	exchangeTabs = []tabKind{requestTab, responseTab, rawTab, timingTab, findingsTab}
	messageTabs  = []tabKind{messageTab, rawTab, findingsTab}
	eventTabs    = []tabKind{eventTab, findingsTab}
	tripTabs     = []tabKind{httpTab, findingsTab}
)

// tellsClients adds the tab of what clients do, before that of the findings, or takes
// it away.
func (s *subject) tellsClients(tells bool) {
	if s.isEvent() || s.row == session.NoRow || s.has(clientsTab) == tells {
		return
	}
	tabs := slices.DeleteFunc(slices.Clone(s.tabs), func(t tabKind) bool { return t == clientsTab })
	if tells {
		tabs = slices.Insert(tabs, len(tabs)-1, clientsTab)
	}
	s.tabs = tabs
}

// A subject is what the pane is about: the row under the cursor of traffic, and
// the exchange it belongs to.
type subject struct {
	row       uint32
	r         session.Row
	req, resp uint32 // req and resp are the rows of the exchange, NoRow where there is none.
	tabs      []tabKind
	pair      session.Row // pair is the other row of the exchange.
	went      uint32      // went is the row of what the response answers, where that went on in place of the request; NoRow where it is the request.
	trip      uint32      // trip is the row of the HTTP request that it belongs to, NoRow for none.
}

// newSubject looks up what belongs to a row.
func newSubject(s *session.Snapshot, row uint32) subject {
	sub := subject{row: row, req: session.NoRow, resp: session.NoRow, went: session.NoRow, trip: session.NoRow}
	if int64(row) >= int64(s.Len()) {
		sub.row = session.NoRow
		return sub
	}
	sub.r = s.Row(row)
	pair := sub.r.Pair
	if sub.r.Kind == session.RowRequest {
		pair = s.ResponseTo(row)
	}
	if int64(pair) >= int64(s.Len()) {
		pair = session.NoRow
	}
	sub.pair = s.Row(pair)
	switch sub.r.Kind {
	case session.RowRequest:
		sub.req, sub.resp, sub.tabs = row, pair, exchangeTabs
	case session.RowResult, session.RowError:
		sub.req, sub.resp, sub.tabs = pair, row, exchangeTabs
		if pair != session.NoRow && s.Onward(pair) < row {
			sub.went = s.Onward(pair)
		}
	case session.RowText, session.RowNotification, session.RowBatch, session.RowPart, session.RowHeader, session.RowBlank,
		session.RowGrowing, session.RowStderr:
		sub.tabs = messageTabs
	case session.RowIO, session.RowProc, session.RowGap:
		sub.tabs = eventTabs
	case session.RowTrip, session.RowTripResponse, session.RowTripEnd:
		sub.tabs = tripTabs
	}
	if sub.trip = s.TripRow(row); sub.trip != session.NoRow && !sub.isEvent() {
		at := slices.Index(sub.tabs, rawTab) + 1
		sub.tabs = slices.Insert(slices.Clone(sub.tabs), at, httpTab)
	}
	if sub.showsContent(s) {
		sub.tabs = append([]tabKind{contentTab}, sub.tabs...)
	}
	return sub
}

// other is the row that the row belongs to: of a request its response; NoRow where there is none.
func (s *subject) other() uint32 {
	if s.r.Kind == session.RowRequest {
		return s.resp
	}
	return s.r.Pair
}

// isEvent reports whether the row has no frame.
func (s *subject) isEvent() bool { return s.row != session.NoRow && s.r.Kind.Event() }

// readAtOnce is how long an exchange may be, in bytes, that is read and laid out unasked.
// Of longer ones the beginning is shown as JSON at once.
const readAtOnce = 1 << 20

// own is the tab that shows the row itself: as people read it, or exact where its bytes
// matter.
func (s *subject) own(exact bool) tabKind {
	switch {
	case s.row == session.NoRow:
		return noTab
	case s.tabs[0] == contentTab && !exact && int64(s.r.Len)+int64(s.pair.Len) <= readAtOnce:
		return contentTab
	case s.row == s.req:
		return requestTab
	case s.row == s.resp:
		return responseTab
	case s.tabs[0] == contentTab:
		return s.tabs[1]
	}
	return s.tabs[0]
}

// has reports whether the row has that tab.
func (s *subject) has(t tabKind) bool {
	return slices.Contains(s.tabs, t)
}

// frame is the row whose bytes a tab shows, or NoRow.
func (s *subject) frame(t tabKind) uint32 {
	switch t {
	case requestTab:
		return s.req
	case responseTab:
		return s.resp
	case messageTab, rawTab:
		return s.row
	case noTab, contentTab, timingTab, findingsTab, eventTab, httpTab, clientsTab, numTabs:
	}
	return session.NoRow
}

// shown is the row that a tab is about.
func (s *subject) shown(t tabKind) session.Row {
	if row := s.frame(t); row != session.NoRow && row != s.row {
		return s.pair
	}
	return s.r
}

// kindNames are the kinds of rows that have a name of their own here.
var kindNames = lazy.Value[map[session.RowKind]string]{New: func() map[session.RowKind]string {
	return map[session.RowKind]string{
		session.RowPart: "part of a value", session.RowHeader: "header block", session.RowBlank: "blank line",
		session.RowGrowing: "unfinished line", session.RowProc: "process", session.RowIO: "stream",
		session.RowTripResponse: "HTTP response", session.RowTripEnd: "end of the stream",
	}
}}

// name is the row's method and target, or its kind.
func (s *subject) name(snap *session.Snapshot) string {
	if kind := kindNames.Get()[s.r.Kind]; kind != "" {
		return kind
	}
	if s.r.Kind == session.RowTrip {
		return tripTitle(snap, s.row)
	}
	method := snap.Name(s.r.Method)
	if s.r.Kind == session.RowGap || method == "" {
		return s.r.Kind.String()
	}
	return strings.TrimSpace(method + " " + snap.Name(s.r.Target))
}

// maxMember is how long the value of a member is that a filter can be made of, in bytes.
const maxMember = 200

// Member returns the JSON member under the cursor: its path and its value as it is
// written. The path is empty where there is none, the value where it is too long.
func (p *Pane) Member() (path, value string) {
	v := p.view()
	if v == nil {
		return "", ""
	}
	if raw := v.Value(); len(raw) <= maxMember {
		value = string(raw)
	}
	return v.Path(), value
}
