package tools

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// act carries out what is done with an item, or with the server.
func (p *Pane) act(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.Enter:
		return p.enter(c), true
	case keys.Compose:
		k, _, it := p.selected()
		if it == nil || it.call == "" {
			return nil, false
		}
		return pane.Tell(p.compose(c, k, it)), true
	case keys.Refresh:
		return p.ask(c, p.offered()), true
	case keys.Subscribe:
		return p.subscribe(), true
	case keys.Cancel:
		return p.cancel(), true
	case keys.SearchNext, keys.SearchPrev:
		if p.narrow == "" {
			return nil, false
		}
		if a == keys.SearchNext {
			p.hit(1)
		} else {
			p.hit(-1)
		}
		p.about.Top = 0
		return p.show(), true
	}
	return nil, false
}

// enter uses an item: it composes a call of it, or reads it, or goes to its frame.
// At the head of a section it asks for its list, and at the capabilities for
// everything that the server declared. In a recording it copies what would be
// sent.
func (p *Pane) enter(c *pane.Context) tea.Cmd {
	k, s, it := p.selected()
	switch {
	case it == nil && (k == subscriptions || k == tasks && !p.listsTasks()):
		return nil
	case it == nil && !c.Live && (k == capabilities || s.listed):
		return nil
	case it == nil && !c.Live:
		return pane.Notify("the recording does not have this list")
	case it == nil && k == capabilities:
		return p.ask(c, p.offered())
	case it == nil:
		return p.ask(c, []kind{k})
	}
	if row, ok := p.rowOf(k, it); ok {
		return pane.Tell(pane.GotoMsg{Row: row})
	}
	switch {
	case it.call == "":
		return nil
	case !c.Live:
		return pane.Tell(pane.CopyMsg{What: it.what + ", for :send", Text: it.call})
	case k == resources:
		return pane.Tell(pane.SendMsg{Line: it.call})
	}
	return pane.Tell(p.compose(c, k, it))
}

// compose is what asks for the composer on an item.
func (p *Pane) compose(c *pane.Context, k kind, it *item) pane.ComposeMsg {
	msg := pane.ComposeMsg{Method: "resources/read", Name: it.form.name, About: it.form.about, Schema: it.form.schema}
	switch k {
	case tools:
		msg.Method, msg.Task = "tools/call", p.tasking(c, it)
	case prompts:
		msg.Method = "prompts/get"
	}
	return msg
}

// tasking says whether a tool can be run as a task: in the legacy era both the tool
// and the server say so ([V4] basic/utilities/tasks §Tool-Level Negotiation), in the
// modern one the server makes any call one that it likes.
func (p *Pane) tasking(c *pane.Context, it *item) pane.Tasking {
	switch shake := p.got.shake; {
	case shake == nil:
		return pane.NoTask
	case modern(c.Snap):
		if extended(shake.Server.Capabilities, mcp.TasksExtension) {
			return pane.MustTask
		}
	case declares(shake.Server.Capabilities, "tasks.requests.tools.call"):
		return it.form.task
	}
	return pane.NoTask
}

// modern reports whether the latest connection speaks the modern era.
func modern(s *session.Snapshot) bool {
	conns := s.Conns()
	return len(conns) > 0 && conns[len(conns)-1].Era == mcp.Modern
}

// rowOf is the frame that tells most of an item that is not in a list.
func (p *Pane) rowOf(k kind, it *item) (uint32, bool) {
	if u := p.subOf(k, it); u != nil {
		return u.row, true
	}
	if t := p.taskOf(k, it); t != nil {
		return t.row, true
	}
	if k != capabilities || p.got.shake == nil {
		return 0, false
	}
	if it.key == "client" {
		return p.got.shake.Client.Row, true
	}
	return p.got.shake.Server.Row, true
}

// subOf returns the subscription that an item shows, nil for none.
func (p *Pane) subOf(k kind, it *item) *subscription {
	items := p.got.sections[subscriptions].items
	for i := range p.got.subs {
		if k == subscriptions && it != nil && items[i].key == it.key {
			return &p.got.subs[i]
		}
	}
	return nil
}

// taskOf returns the task that an item shows, nil for none.
func (p *Pane) taskOf(k kind, it *item) *task {
	for i := range p.got.tasks {
		if k == tasks && it != nil && p.got.tasks[i].key() == it.key {
			return &p.got.tasks[i]
		}
	}
	return nil
}

// offered are the lists that the server declared, or all where it has declared
// nothing.
func (p *Pane) offered() []kind {
	var offered []kind
	for _, k := range lists {
		if yes, known := offers(p.got.shake, k); yes || !known {
			offered = append(offered, k)
		}
	}
	if p.listsTasks() {
		offered = append(offered, tasks)
	}
	return offered
}

// listsTasks reports whether the server declared that it lists tasks.
func (p *Pane) listsTasks() bool {
	yes, _ := offers(p.got.shake, tasks)
	return yes
}

// ask asks for lists. Where the session is another client's their pages are asked
// for one after the other, as they come.
func (p *Pane) ask(c *pane.Context, of []kind) tea.Cmd {
	var methods []string
	for _, k := range of {
		methods = append(methods, kinds[k].method)
		if p.going[k] = nil; c.Attached != nil && k.isList() {
			p.going[k] = marshal("")
		}
	}
	if len(methods) == 0 {
		return pane.Notify("the server declared nothing that can be listed")
	}
	return pane.Tell(pane.ListMsg{Methods: methods})
}

// goOn asks for the next pages of the lists that are gone through page by page,
// within the bounds of a listing.
func (p *Pane) goOn(c *pane.Context) tea.Cmd {
	var cmds []tea.Cmd
	for _, k := range lists {
		s := &p.got.sections[k]
		switch {
		case p.going[k] == nil || s.n == 0:
		case !s.more || s.circle || s.missing || s.failed > 0 || s.pages >= maxPages || !c.Live:
			p.going[k] = nil
		case string(p.going[k]) != string(s.next):
			p.going[k] = s.next
			cmds = append(cmds, pane.Tell(pane.ListMsg{Methods: []string{kinds[k].method}, Cursor: s.next}))
		}
	}
	return tea.Batch(cmds...)
}

// subscribe subscribes to the resource under the cursor, or ends that.
func (p *Pane) subscribe() tea.Cmd {
	k, _, it := p.selected()
	switch {
	case p.subOf(k, it) != nil:
		return p.cancel()
	case it == nil || k != resources:
		return nil
	}
	return pane.Tell(pane.SubscribeMsg{URI: it.uri, Off: p.Subscribed(it.uri) != nil})
}

// cancel ends the subscription under the cursor, or cancels the task.
func (p *Pane) cancel() tea.Cmd {
	k, _, it := p.selected()
	if u := p.subOf(k, it); u != nil {
		if u.listen {
			return pane.Tell(pane.CancelMsg{Row: u.row})
		}
		return pane.Tell(pane.SubscribeMsg{URI: u.uris[0], Off: true})
	}
	if t := p.taskOf(k, it); t != nil {
		return pane.Tell(t.cancelling())
	}
	return nil
}

// cancelling is what asks for a task to be cancelled.
func (t *task) cancelling() pane.CancelTaskMsg {
	return pane.CancelTaskMsg{ID: t.id, Request: t.reqID, Conn: int(t.conn), What: t.title()}
}

// cannot says why an action cannot be carried out now, empty = it can.
func (p *Pane) cannot(c *pane.Context, a keys.Action) string {
	k, s, it := p.selected()
	switch a {
	case keys.Enter:
		return p.noEnter(c, k, s, it)
	case keys.Refresh:
		if !c.Live {
			return "the session has ended"
		}
	case keys.Subscribe:
		switch {
		case it == nil || k != resources && k != subscriptions || k == resources && it.uri == "":
			return "select a resource to subscribe to"
		case !c.Live:
			return "the session has ended"
		case k == subscriptions:
			return p.noCancel(c, k, it)
		}
	case keys.Cancel:
		return p.noCancel(c, k, it)
	}
	return ""
}

func (p *Pane) noEnter(c *pane.Context, k kind, s *section, it *item) string {
	switch {
	case it == nil && k == subscriptions, it == nil && k == tasks && !p.listsTasks():
		return "select an item"
	case it == nil && !c.Live:
		return "this is a recording"
	case it == nil:
		return ""
	}
	if _, ok := p.rowOf(k, it); !ok && it.call == "" {
		return "there is nothing to send"
	}
	return ""
}

func (p *Pane) noCancel(c *pane.Context, k kind, it *item) string {
	if it == nil {
		return "select a subscription or a task"
	}
	u, t := p.subOf(k, it), p.taskOf(k, it)
	switch {
	case u == nil && t == nil:
		return "select a subscription or a task"
	case !c.Live:
		return "the session has ended"
	case u != nil && u.over(c.Snap) != "":
		return "the subscription has ended: " + u.over(c.Snap)
	case t != nil && t.from != session.C2S:
		return "the server started this task; only the server can cancel it"
	case t != nil && !t.open(c.Snap):
		return "the task has ended: " + t.word(c)
	}
	return ""
}

// Listed reports whether the latest connection has listed all that its server
// declared, and nothing has changed since.
func (p *Pane) Listed(s *session.Snapshot) bool {
	conns := s.Conns()
	if p.got.shake == nil || len(conns) == 0 || p.got.seen < len(p.rows.Rows()) {
		return false
	}
	for _, k := range lists {
		of := &p.got.sections[k]
		yes, known := offers(p.got.shake, k)
		tried := of.listed && int(of.conn) == conns[len(conns)-1].ID && of.changed == 0 && !of.more && !of.missing
		if !known || yes && !tried && of.failed == 0 {
			return false
		}
	}
	return true
}

// Subscribed returns the subscription by which a resource is subscribed to,
// nil where it is not.
func (p *Pane) Subscribed(uri string) *Subscription {
	for i := range p.got.subs {
		u := &p.got.subs[i]
		if u.ended > 0 || u.conn < p.got.conn {
			continue
		}
		for _, of := range u.uris {
			if of == uri {
				return &Subscription{Row: u.row, Listen: u.listen, Alone: len(u.uris) == 1 && !u.wide()}
			}
		}
	}
	return nil
}

// wide reports whether a subscription is to lists or tasks too.
func (u *subscription) wide() bool {
	for _, k := range lists {
		if u.kinds[k] {
			return true
		}
	}
	return u.tasks > 0
}

// A Subscription is one that is open.
type Subscription struct {
	Row    uint32 // Row is that of the request.
	Listen bool   // Listen: it is a subscriptions/listen of the modern era.
	Alone  bool   // Alone: it is to nothing else.
}

// URIs are the resources that were listed.
func (p *Pane) URIs() []string {
	var uris []string
	for _, it := range p.got.sections[resources].items {
		uris = append(uris, it.uri)
	}
	return uris
}

// SubscribedURIs are the resources that are subscribed to.
func (p *Pane) SubscribedURIs() []string {
	var uris []string
	for i := range p.got.subs {
		if u := &p.got.subs[i]; u.ended == 0 && u.conn >= p.got.conn {
			uris = append(uris, u.uris...)
		}
	}
	return uris
}

// Task returns what cancels the task of an operation that has not ended; false
// where there is none.
func (p *Pane) Task(s *session.Snapshot, op uint32) (pane.CancelTaskMsg, bool) {
	for i := range p.got.tasks {
		if t := &p.got.tasks[i]; op != 0 && t.op == op && t.from == session.C2S && t.open(s) {
			return t.cancelling(), true
		}
	}
	return pane.CancelTaskMsg{}, false
}
