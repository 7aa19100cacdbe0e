package offers

import (
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A server that reports changes that are none as often as this within this time is
// in a loop.
const (
	loopRounds = 5
	loopTime   = int64(time.Minute)
)

// announced are the lists that a notification says have changed.
var announced = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		mcp.ToolsListChangedNotification:     {mcp.ToolsList},
		mcp.PromptsListChangedNotification:   {mcp.PromptsList},
		mcp.ResourcesListChangedNotification: {mcp.ResourcesList, mcp.ResourcesTemplatesList},
	}
}}

// changes follow whether lists have changed whenever the server says so.
type changes struct {
	lists  map[string]*lastList // lists are the latest whole listings, by method.
	rounds []int64              // rounds are when the lists proved to be the same.
}

// A lastList is the latest whole listing of a list.
type lastList struct {
	news  bool // news: the server said that the list has changed, and it was not requested since.
	known bool // known: the hash is that of a listing.
	hash  uint64
	ended int64 // ended is when its last page came.
	same  bool  // same: it was requested after such a notification, and had not changed.
}

// announce takes a list_changed notification.
func (c *pagesConn) announce(ev *session.Event) {
	for _, method := range announced.Get()[ev.Method.Name] {
		for _, of := range c.all {
			of.changed = of.changed || of.method == method
		}
		c.changesOf(ev.Method.Name).list(method).news = true
	}
}

// changesOf returns what is known of the lists of a notification.
func (c *pagesConn) changesOf(name string) *changes {
	if c.changes[name] == nil {
		rule.Put(&c.changes, name, &changes{lists: map[string]*lastList{}})
	}
	return c.changes[name]
}

// list returns what is known of a list.
func (ch *changes) list(method string) *lastList {
	if ch.lists[method] == nil {
		ch.lists[method] = &lastList{}
	}
	return ch.lists[method]
}

// changesWith returns what is known of the lists that change together with one, and
// the name of their notification; nil if there is none.
func (c *pagesConn) changesWith(method string) (*changes, string) {
	for name, lists := range announced.Get() {
		if slices.Contains(lists, method) {
			return c.changesOf(name), name
		}
	}
	return nil, ""
}

// isNews reports whether a request is the first for a list since the server said
// that it has changed.
func (c *pagesConn) isNews(ev *session.Event) bool {
	ch, _ := c.changesWith(ev.Method.Name)
	if ch == nil || ev.Exchange.Sender != session.C2S || ev.Message.Field(jsonrpc.ParamCursor).Present() {
		return false
	}
	l := ch.list(ev.Method.Name)
	news := l.news
	l.news = false
	return news
}

// listed takes the end of a listing, and judges whether the list has changed as
// often as the server said.
func (c *pagesConn) listed(of *listing, ev *session.Event, r session.Reporter) {
	ch, name := c.changesWith(of.method)
	if ch == nil || of.from != session.C2S || !ch.again(of, ev) || len(ch.lists) < len(announced.Get()[name]) {
		return
	}
	for _, l := range ch.lists {
		if !l.same {
			return
		}
	}
	for _, l := range ch.lists {
		l.same = false
	}
	if rule.Push(&ch.rounds, ev.T, loopRounds); len(ch.rounds) < loopRounds || ev.T-ch.rounds[0] > loopTime {
		return
	}
	took := time.Duration(ev.T - ch.rounds[0]).Round(time.Millisecond)
	r.Report(listChangedLoop.At(ev, "%s was followed by the same list as before, %d times within %v", name, loopRounds, took).Keyed(name))
	ch.rounds = nil
}

// again takes a listing and reports whether the list is known not to have changed,
// although the server said so. Only one that was requested after the end of the
// listing before it shows that: requests that overtake each other, as while a server
// starts, do not.
func (ch *changes) again(of *listing, ev *session.Event) bool {
	l := ch.list(of.method)
	differs, before := of.unknown || l.known && l.hash != of.hash, *l
	l.known, l.hash, l.ended = !of.unknown, of.hash, ev.T
	if differs {
		l.same, ch.rounds = false, nil
		return false
	}
	l.same = before.same || before.known && of.news && of.began > before.ended
	return l.same
}
