package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// rowsAtOnce is how many rows one command reads.
const rowsAtOnce = 1024

// A page is one answer of a listing.
type page struct {
	conn   uint16
	cursor string          // cursor is what the request asked for, as it was written; empty = nothing.
	next   json.RawMessage // next is what the answer names, a string; nil = none.
	items  []item
	size   int
	over   bool // over: it has more items than are shown.
	err    error
}

// collect returns the command that reads what is new, nil where nothing is or
// one is under way.
func (p *Pane) collect(c *pane.Context) tea.Cmd {
	rows := p.rows.Rows()
	if !p.busy && p.got.seen > len(rows) {
		p.got = catalogue{version: p.got.version + 1} // An earlier moment is shown: it is read again.
		p.arrange()
	}
	if p.busy || p.got.seen >= len(rows) {
		return nil
	}
	p.busy = true
	k := collecting{snap: c.Snap, log: c.Log, got: p.got, last: len(rows) <= p.got.seen+rowsAtOnce}
	k.rows = slices.Clone(rows[p.got.seen:min(len(rows), p.got.seen+rowsAtOnce)])
	return pane.Work(p, func() pane.Then {
		got := k.run()
		return func(c *pane.Context) tea.Cmd {
			p.busy, p.got = false, got
			p.arrange()
			return tea.Batch(p.collect(c), p.show(), p.goOn(c))
		}
	})
}

// collecting is one command's work.
type collecting struct {
	snap *session.Snapshot
	log  recorder.Log
	rows []uint32
	last bool // last: nothing is known to come after rows.
	got  catalogue

	states map[string]uint32 // states are the rows that told a task's state last, by its key.
}

func (k *collecting) run() catalogue {
	k.got.version++
	k.got.seen += len(k.rows)
	shake := recorder.NewHandshake()
	if k.got.shake != nil {
		*shake = *k.got.shake
	}
	k.got.shake = shake
	k.got.subs, k.got.tasks = slices.Clone(k.got.subs), slices.Clone(k.got.tasks)
	k.states = make(map[string]uint32)
	for _, row := range k.rows {
		k.row(row)
	}
	k.readStates()
	for _, kind := range lists {
		if s := &k.got.sections[kind]; s.stale && k.last {
			k.list(kind, s)
		}
	}
	k.got.sections[subscriptions] = section{listed: len(k.got.subs) > 0}
	for i := range k.got.subs {
		u := &k.got.subs[i]
		it := item{key: fmt.Sprint(u.row), name: u.name(), sub: u, tabs: []tab{{name: "about"}}}
		it.tab("asked for", u.filter)
		it.tab("granted", u.granted)
		k.got.sections[subscriptions].items = append(k.got.sections[subscriptions].items, it)
	}
	k.got.sections[tasks].items = nil
	for i := range k.got.tasks {
		t := &k.got.tasks[i]
		it := item{key: t.key(), name: t.title(), task: t, tabs: []tab{{name: "about"}}}
		it.tab("state", t.state)
		k.got.sections[tasks].items = append(k.got.sections[tasks].items, it)
	}
	version := mcp.NoVersion
	if c := k.snap.Conn(int(k.got.conn)); c != nil {
		version = c.Version
	}
	k.got.sections[capabilities] = declared(&k.got, version)
	return k.got
}

// row takes note of a row.
func (k *collecting) row(row uint32) {
	r := k.snap.Row(row)
	method := k.snap.Name(r.Method)
	if recorder.HandshakeRow(k.snap, r) {
		if r.Conn > k.got.conn { // A new connection introduces itself again.
			k.got.conn = r.Conn
			*k.got.shake = *recorder.NewHandshake()
		}
		if r.Conn == k.got.conn {
			_ = k.got.shake.Add(k.log, k.snap, row) // What cannot be read says nothing.
		}
	}
	if ofTask(k.snap, r) {
		k.task(row, r)
	}
	if ofSubscription(k.snap, r) {
		k.subscription(row, r)
		return
	}
	if r.Kind == session.RowNotification {
		for _, kind := range lists {
			if kinds[kind].changed == method {
				k.got.sections[kind].changed = r.N
				k.got.changes[kind]++
			}
		}
		k.subscription(row, r)
		return
	}
	kind, ok := kindOf(method)
	if !ok {
		return
	}
	s := &k.got.sections[kind]
	switch r.Kind {
	case session.RowError:
		s.failed, s.refusal, s.refused = r.N, k.refusal(row), r.Conn
	case session.RowResult:
		s.answers = append(slices.Clone(s.answers[max(0, len(s.answers)-maxPages+1):]), row)
		s.failed, s.changed, s.stale = 0, 0, true
	}
}

// body reads the text of a row's message, where it is not longer than most bytes.
func (k *collecting) body(row uint32, most int64) ([]byte, error) {
	if int64(k.snap.Row(row).Len) > most {
		return nil, errLong
	}
	return recorder.ReadMessage(k.log, k.snap, row)
}

var errLong = errors.New("too long to read")

// refusal is what an error answer says.
func (k *collecting) refusal(row uint32) string {
	body, err := k.body(row, maxState)
	if err != nil {
		return ""
	}
	m := recorder.Members(recorder.Members(body)["error"])
	code, words := text.Visible(m["code"], 20), recorder.TextOf(m["message"])
	return text.Visible([]byte(strings.TrimSpace(code+" "+words)), maxBrief)
}

// list puts together the listing that the latest answer ends: from that answer
// back to the one whose request had no cursor.
func (k *collecting) list(kind kind, s *section) {
	known := s.read
	s.read = make(map[uint32]*page)
	get := func(row uint32) *page {
		pg := known[row]
		if pg == nil {
			pg = k.page(kind, row)
		}
		s.read[row] = pg
		return pg
	}
	at := len(s.answers) - 1
	last := get(s.answers[at])
	pages, size := []*page{last}, last.size
	s.missing, s.over, s.stale, s.listed = false, false, false, true
	for first := last; first.cursor != ""; first = pages[len(pages)-1] {
		if size > maxBytes || len(pages) == maxPages {
			s.over = true
			break
		}
		before := -1
		for i := at - 1; i >= max(0, at-maxApart); i-- {
			if pg := get(s.answers[i]); pg.conn == first.conn && string(pg.next) == first.cursor {
				before = i
				break
			}
		}
		if before < 0 {
			s.missing = true
			break
		}
		at = before
		pages = append(pages, s.read[s.answers[at]])
		size += pages[len(pages)-1].size
	}
	s.row = s.answers[len(s.answers)-1]
	s.n, s.conn, s.pages = k.snap.Row(s.row).N, last.conn, len(pages)
	s.next, s.more, s.unread, s.circle = last.next, last.next != nil, "", circular(pages)
	s.items = s.items[:0:0]
	for _, pg := range slices.Backward(pages) {
		if pg.err != nil {
			s.unread = text.Visible([]byte(pg.err.Error()), 0)
		}
		room := maxItems - len(s.items)
		s.over = s.over || pg.over || len(pg.items) > room
		s.items = append(s.items, pg.items[:min(room, len(pg.items))]...)
	}
	s.clash = nil
	if kind == tools {
		var all []statistics.Definition
		for i := range s.items {
			all = append(all, s.items[i].cost)
		}
		s.clash = statistics.RefusedWords(all, k.snap.Conn(int(s.conn)))
	}
	seen := make(map[string]int, len(s.items))
	for i := range s.items { // Items that have the same key get one of their own.
		key := s.items[i].key
		if n := seen[key]; n > 0 {
			s.items[i].key = fmt.Sprintf("%s %d", key, n)
		}
		seen[key]++
	}
	maps.DeleteFunc(s.read, func(_ uint32, pg *page) bool { return !slices.Contains(pages, pg) })
}

// maxApart is how many answers of the same method may be between two pages of
// a listing.
const maxApart = 64

// page reads an answer and its request.
func (k *collecting) page(kind kind, row uint32) *page {
	r := k.snap.Row(row)
	pg := &page{conn: r.Conn}
	body, err := recorder.ReadMessage(k.log, k.snap, row)
	if err != nil {
		pg.err = err
		return pg
	}
	result := recorder.Members(recorder.Members(body)["result"])
	list := recorder.Elements(result[kinds[kind].member])
	if list == nil {
		pg.err = fmt.Errorf("the result has no array %s", kinds[kind].member)
	}
	pg.over, pg.size = len(list) > maxItems, len(body)
	for _, raw := range list[:min(len(list), maxItems)] {
		pg.items = append(pg.items, newItem(kind, raw))
	}
	pg.next = cursor(result["nextCursor"])
	if r.Pair == session.NoRow {
		return pg
	}
	if body, err = recorder.ReadMessage(k.log, k.snap, r.Pair); err == nil {
		pg.cursor = string(cursor(recorder.Members(recorder.Members(body)["params"])["cursor"]))
	}
	return pg
}

// cursor returns a cursor as JSON writes it plainly, nil where there is none. The
// empty one is none to most.
func cursor(raw json.RawMessage) json.RawMessage {
	if text := recorder.TextOf(raw); text != "" {
		return lex.AppendQuote(nil, text)
	}
	return nil
}

// circular reports whether a listing gives out a cursor twice. pages are its pages
// from the last one back.
func circular(pages []*page) bool {
	seen := make(map[string]bool)
	for _, pg := range pages {
		if pg.next != nil && seen[string(pg.next)] {
			return true
		}
		seen[string(pg.next)] = true
	}
	return false
}
