package tools

import (
	"encoding/json"
	"slices"

	"wiretea/recorder"
	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/ui/pane"
)

// kind is what a section lists.
type kind uint8

const (
	capabilities kind = iota
	tools
	resources
	templates
	prompts
	subscriptions
	tasks
	numKinds
)

// lists are the kinds that the server lists in pages and that a client reads
// from its answers.
var lists = []kind{tools, resources, templates, prompts}

// kinds are, by kind, the section's title, the method that lists it, the member
// of its result, the capability it needs, and the notification of its change.
var kinds = [numKinds]struct{ title, method, member, capability, changed string }{
	capabilities:  {title: "capabilities"},
	tools:         {"tools", "tools/list", "tools", "tools", "notifications/tools/list_changed"},
	resources:     {"resources", "resources/list", "resources", "resources", "notifications/resources/list_changed"},
	templates:     {"resource templates", "resources/templates/list", "resourceTemplates", "resources", "notifications/resources/list_changed"},
	prompts:       {"prompts", "prompts/list", "prompts", "prompts", "notifications/prompts/list_changed"},
	subscriptions: {title: "subscriptions"},
	tasks:         {title: "tasks", method: "tasks/list", capability: "tasks.list"},
}

// kindOf returns what a method lists, page by page.
func kindOf(method string) (kind, bool) {
	for _, k := range lists {
		if kinds[k].method == method {
			return k, true
		}
	}
	return 0, false
}

// wanted reports whether a row says something about what is offered, or about a
// subscription or a task.
func wanted(s *session.Snapshot, r session.Row) bool {
	switch r.Kind {
	case session.RowResult, session.RowError:
		if _, ok := kindOf(s.Name(r.Method)); ok {
			return true
		}
	case session.RowNotification:
		switch s.Name(r.Method) {
		case kinds[tools].changed, kinds[resources].changed, kinds[prompts].changed:
			return true
		}
	}
	return ofSubscription(s, r) || ofTask(s, r) || recorder.HandshakeRow(s, r)
}

// Bounds of a listing.
const (
	maxPages = 1000
	maxItems = 10_000   // of a section
	maxBytes = 64 << 20 // of the answers of a section
)

// A catalogue is what is offered, and what is under way. Once a command has
// handed it over it never changes.
type catalogue struct {
	version  int
	seen     int // seen counts the rows that were read.
	shake    *recorder.Handshake
	conn     uint16 // conn is the connection of shake.
	sections [numKinds]section

	subs    []subscription // subs are the latest first, as the section's items are.
	tasks   []task         // tasks likewise.
	changes [numKinds]int  // changes counts the list_changed of each list.
}

// A section is what is offered of a kind.
type section struct {
	items   []item
	listed  bool
	row     uint32 // row is the latest answer's,
	n       uint32 // and n its number.
	conn    uint16
	pages   int
	next    json.RawMessage // next is the cursor of the latest page, where it has one.
	clash   []string        // clash says which clients refuse the list because of some of the tools.
	missing bool            // missing: its first pages are not in the session.
	more    bool            // more: the server has further pages, which were not requested.
	circle  bool            // circle: the listing goes round.
	over    bool            // over: there was more than is shown.
	failed  uint32          // failed is the number of an error answer that came after, 0 = none.
	refusal string          // refusal is what that error says,
	refused uint16          // and refused its connection.
	changed uint32          // changed is the number of a list_changed that came after, 0 = none.
	unread  string          // unread is why an answer cannot be read, empty = it can.

	stale   bool     // stale: an answer came that is not in items.
	answers []uint32 // answers are the rows of answers, the latest maxPages.
	read    map[uint32]*page
}

// An item is something that is offered.
type item struct {
	key   string // key tells it from the others of its section as long as it is there.
	name  string // name is what the list shows, fit for the screen.
	uri   string // uri is the resource's, or the template.
	brief string // brief is the beginning of the description, in one line.
	about []line // about are the facts and the description.
	call  string // call is a line for :send that uses it, empty = none.
	what  string // what names call.
	tabs  []tab
	form  form
	cost  statistics.Definition // cost is that of what the server lists.
	sub   *subscription         // sub and task are what is under way and shown by the item, nil for another item.
	task  *task
}

// A form is what the composer needs to know of an item.
type form struct {
	name   string       // name is the tool's, the prompt's or the template's, as it was sent.
	about  string       // about is the description, as it was sent.
	schema []byte       // schema is that of the arguments, as it was sent; nil = none.
	task   pane.Tasking // task says whether a call can be run as one.
}

// A line of a text about an item.
type line struct {
	style lineStyle
	text  string
}

type lineStyle uint8

const (
	plain lineStyle = iota
	strong
	dim
	warning
)

// A tab is a view of an item: JSON, or what is about it where raw is nil.
type tab struct {
	name string
	raw  json.RawMessage
}

// isList reports whether the server lists a kind in pages.
func (k kind) isList() bool { return slices.Contains(lists, k) }
