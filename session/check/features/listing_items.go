package features

import (
	"hash/maphash"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/diff"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

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
	case last || times == 0:
		r.Report(itemOnTwoPages.At(ev, "%s returns %s again, which an earlier page had", l.method, l.nameOf(text)).Keyed(l.method))
	case items > 1 || times > 1:
		l.loops = true
		r.Report(CursorLoop.At(ev, "%s returns the items of an earlier page again, with another nextCursor: the listing does not move on", l.method).Keyed(l.method))
	}
}

// nameOf returns what tells an item from the others.
func (l *listing) nameOf(text []byte) string {
	member := "name"
	switch l.method {
	case mcp.ResourcesList:
		member = "uri"
	case mcp.ResourcesTemplatesList:
		member = "uriTemplate"
	}
	if v := lex.Get(text, member); jsonrpc.TypeOf(v) == jsonrpc.String {
		return rule.Excerpt([]byte(lex.Unquote(v)))
	}
	return "an item"
}
