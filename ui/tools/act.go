package tools

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
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
		k, _, it := p.selected()
		switch {
		case it == nil:
			return nil, true
		case it.sub == nil && k == resources:
			return pane.Tell(pane.SubscribeMsg{URI: it.uri, Off: p.Subscribed(it.uri) != nil}), true
		case it.sub == nil:
			return nil, true
		}
		return p.cancel(), true
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
	case c.Snap.LastConn() != nil && c.Snap.LastConn().Era == mcp.Modern:
		if _, extended := recorder.Members(recorder.Members(shake.Server.Capabilities)["extensions"])[mcp.TasksExtension]; extended {
			return pane.MustTask
		}
	case declares(shake.Server.Capabilities, "tasks.requests.tools.call"):
		return it.form.task
	}
	return pane.NoTask
}

// rowOf is the frame that tells most of an item that is not in a list.
func (p *Pane) rowOf(k kind, it *item) (uint32, bool) {
	switch {
	case it.sub != nil:
		return it.sub.row, true
	case it.task != nil:
		return it.task.row, true
	case k != capabilities || p.got.shake == nil:
		return 0, false
	case it.key == "client":
		return p.got.shake.Client.Row, true
	}
	return p.got.shake.Server.Row, true
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

// cancel ends the subscription under the cursor, or cancels the task.
func (p *Pane) cancel() tea.Cmd {
	switch _, _, it := p.selected(); {
	case it == nil:
		return nil
	case it.sub != nil && it.sub.listen:
		return pane.Tell(pane.CancelMsg{Row: it.sub.row})
	case it.sub != nil:
		return pane.Tell(pane.SubscribeMsg{URI: it.sub.uris[0], Off: true})
	case it.task != nil:
		return pane.Tell(it.task.cancelling())
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
			return it.noCancel(c)
		}
	case keys.Cancel:
		return it.noCancel(c)
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

func (it *item) noCancel(c *pane.Context) string {
	switch {
	case it == nil || it.sub == nil && it.task == nil:
		return "select a subscription or a task"
	case !c.Live:
		return "the session has ended"
	case it.sub != nil && it.sub.over(c.Snap) != "":
		return "the subscription has ended: " + it.sub.over(c.Snap)
	case it.task != nil && it.task.from != session.C2S:
		return "the server started this task; only the server can cancel it"
	case it.task != nil && !it.task.open(c.Snap):
		return "the task has ended: " + it.task.word(c)
	}
	return ""
}

// Listed reports whether the latest connection has listed all that its server
// declared, and nothing has changed since.
func (p *Pane) Listed(s *session.Snapshot) bool {
	conn := s.LastConn()
	if p.got.shake == nil || conn == nil || p.got.seen < len(p.rows.Rows()) {
		return false
	}
	for _, k := range lists {
		of := &p.got.sections[k]
		yes, known := offers(p.got.shake, k)
		tried := of.listed && int(of.conn) == conn.ID && of.changed == 0 && !of.more && !of.missing
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
		if slices.Contains(u.uris, uri) {
			return &Subscription{Row: u.row, Listen: u.listen, Alone: len(u.uris) == 1 && u.kinds == [numKinds]bool{} && u.tasks == 0}
		}
	}
	return nil
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

// Offers are the tools, prompts and resources that were listed, as what asks for the
// composer on each.
func (p *Pane) Offers(c *pane.Context) []pane.ComposeMsg {
	var offers []pane.ComposeMsg
	for _, k := range lists {
		for i := range p.got.sections[k].items {
			if it := &p.got.sections[k].items[i]; it.call != "" {
				offers = append(offers, p.compose(c, k, it))
			}
		}
	}
	return offers
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
