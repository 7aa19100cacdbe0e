package composer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/client"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/arguments"
	"wiretea/ui/composer/form"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// An offer is something that a server offers, with the recipe to use it.
type offer struct {
	recipe recipe
	brief  string // brief is the beginning of what it says of itself.
}

// offerKinds are what servers list: the method, the member of its result, and how
// an item is used.
var offerKinds = []struct {
	list, member, capability string
	recipe                   func(item map[string]json.RawMessage) recipe
}{
	{"tools/list", "tools", "tools", func(item map[string]json.RawMessage) recipe {
		r := recipe{method: "tools/call", name: recorder.TextOf(item["name"]), schema: item["inputSchema"], path: valuesAt("tools/call")}
		r.params = namedParams(r.name, nil)
		switch recorder.TextOf(recorder.Members(item["execution"])["taskSupport"]) {
		case "optional":
			r.task = pane.MayTask
		case "required":
			r.task = pane.MustTask
		}
		return r
	}},
	{"prompts/list", "prompts", "prompts", func(item map[string]json.RawMessage) recipe {
		r := recipe{method: "prompts/get", name: recorder.TextOf(item["name"]), path: valuesAt("prompts/get")}
		r.params, r.schema = namedParams(r.name, nil), arguments.PromptSchema(item["arguments"])
		return r
	}},
	{"resources/templates/list", "resourceTemplates", "resources", func(item map[string]json.RawMessage) recipe {
		uri := recorder.TextOf(item["uriTemplate"])
		return recipe{method: "resources/read", name: uri, uri: uri, schema: templateSchema(uri)}
	}},
	{"resources/list", "resources", "resources", func(item map[string]json.RawMessage) recipe {
		uri := recorder.TextOf(item["uri"])
		return recipe{method: "resources/read", name: uri, params: uriParams(uri), schema: []byte(uriSchema)}
	}},
}

// Bounds of the search for what is offered.
const (
	offerRows  = 4 << 20 // rows that are looked at
	offerItems = 20_000
	offerBody  = 32 << 20        // bytes of an answer
	listLimit  = 5 * time.Second // for a listing that the composer asks for
)

// offersOf reads the items of a listing.
func offersOf(kind int, items []json.RawMessage) []offer {
	var list []offer
	for _, raw := range items[:min(len(items), offerItems)] {
		m := recorder.Members(raw)
		if m == nil {
			continue
		}
		o := offer{recipe: offerKinds[kind].recipe(m)}
		if o.recipe.name == "" {
			continue
		}
		o.recipe.about = recorder.TextOf(m["description"])
		o.brief = cmp.Or(o.recipe.about, recorder.TextOf(m["title"]))
		list = append(list, o)
	}
	return list
}

// A stock is where to look for what is offered.
type stock struct {
	snap   *session.Snapshot
	log    recorder.Log
	client *client.Client // client lists what the session has not; nil = nobody does.
	caller source.Caller  // caller has a client once it is connected; nil = there is none.
	mode   string         // mode is how the session was recorded.
}

func (c *Composer) stock() stock {
	s := stock{snap: c.tab.Ctx.Snap, log: c.tab.Ctx.Log, client: c.requests.Client()}
	s.caller, _ = c.tab.Source.(source.Caller)
	if h := c.tab.Ctx.Header; h != nil {
		s.mode = h.Mode
	}
	return s
}

// Schemas returns a function that finds the schema of the arguments of a tool or a prompt in the
// session; nil where it has none. It may take its time, and asks the server nothing.
func (c *Composer) Schemas() func(method, name string) []byte {
	s := c.stock()
	s.client = nil
	return func(method, name string) []byte {
		if o := s.find(context.Background(), method, name); o != nil {
			return o.recipe.schema
		}
		return nil
	}
}

// connect waits for a server that is being started, for a while: what it offers is
// known only then.
func (s *stock) connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for s.caller != nil && s.client == nil && ctx.Err() == nil {
		select {
		case <-look.C:
			s.client = s.caller.Client()
		case <-ctx.Done():
		}
	}
}

// find returns what is offered for a method under a name; nil where there is no
// such thing.
func (s *stock) find(ctx context.Context, method, name string) *offer {
	lists := s.recorded(ctx)
	for kind := range offerKinds {
		if offerKinds[kind].recipe(nil).method != method {
			continue
		}
		if lists[kind] == nil {
			lists[kind] = s.ask(ctx, kind)
		}
		for i := range lists[kind] {
			if o := &lists[kind][i]; o.recipe.name == name && o.recipe.method == method {
				return o
			}
		}
	}
	return nil
}

// ask lists a kind at the server; nil where it cannot, or does not offer it.
func (s *stock) ask(ctx context.Context, kind int) []offer {
	if s.client == nil {
		return nil
	}
	if server := s.client.Server(); server.Era == mcp.UnknownEra || !server.Has(offerKinds[kind].capability) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	got, _ := s.client.List(ctx, offerKinds[kind].list) // what went wrong is in the traffic
	return offersOf(kind, got.Items)
}

// recorded is what was listed in the session, by kind: the latest listing, page by
// page from its end to its begin. A kind that was not listed is nil.
func (s *stock) recorded(ctx context.Context) [][]offer {
	lists, whole := make([][]offer, len(offerKinds)), make([]bool, len(offerKinds))
	for i, looked := uint32(s.snap.Len()), 0; i > 0 && looked < offerRows && ctx.Err() == nil; looked++ {
		i--
		r := s.snap.Row(i)
		if r.Kind != session.RowResult || r.Stream != session.S2C {
			continue
		}
		method, left := s.snap.Name(r.Method), 0
		for kind := range offerKinds {
			if !whole[kind] {
				left++
			}
			if whole[kind] || offerKinds[kind].list != method {
				continue
			}
			page, first, err := s.page(kind, i)
			if err != nil {
				continue
			}
			lists[kind] = append(page, lists[kind]...)
			whole[kind] = first || len(lists[kind]) >= offerItems
		}
		if left == 0 {
			break
		}
	}
	return lists
}

var errNoPage = errors.New("no page of a listing")

// page reads one answer of a listing, never nil, and whether it is the first one.
func (s *stock) page(kind int, row uint32) (list []offer, first bool, err error) {
	r := s.snap.Row(row)
	if int64(r.Len) > offerBody {
		return nil, false, errNoPage
	}
	body, err := recorder.ReadMessage(s.log, s.snap, row)
	if err != nil {
		return nil, false, err
	}
	result := recorder.Members(recorder.Members(body)["result"])
	items, ok := result[offerKinds[kind].member]
	if !ok {
		return nil, false, errNoPage
	}
	first = true
	if r.Pair != session.NoRow {
		if m, err := recorder.ReadRequest(s.log, s.snap, r.Pair); err == nil {
			first = recorder.TextOf(recorder.Members(m.Params)["cursor"]) == ""
		}
	}
	return append([]offer{}, offersOf(kind, recorder.Elements(items))...), first, nil
}

// An offerBox asks what to compose: what the server offers, and every method.
type offerBox struct {
	overlay.Chooser
	of     *Composer
	gen    int
	cancel context.CancelFunc
	offers []offer
	here   bool // here: the offers are all there.
	lines  []offerLine
}

// An offerLine is a line of the box.
type offerLine struct {
	kind, name, brief string
	recipe            recipe
	draft             bool
}

// An offeredMsg has the offers of a server.
type offeredMsg struct {
	gen    int
	offers []offer
}

// offerWords are what an offer is, by the method that uses it.
var offerWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"tools/call": "tool", "prompts/get": "prompt", "resources/read": "resource"}
}}

// choose makes the lines: what was left, what is offered, the methods.
func (b *offerBox) choose() {
	b.lines = b.lines[:0]
	if b.of.draft != nil {
		b.lines = append(b.lines, offerLine{kind: "not sent", name: b.of.draft.recipe.title(), brief: "go on where you left", draft: true})
	}
	for _, o := range b.offers {
		kind := offerWords.Get()[o.recipe.method]
		if o.recipe.uri != "" {
			kind = "template"
		}
		b.lines = append(b.lines, offerLine{kind: kind, name: o.recipe.name, brief: o.brief, recipe: o.recipe})
	}
	for _, m := range clientMethods() {
		kind := "method"
		if m.Notification {
			kind = "notification"
		}
		b.lines = append(b.lines, offerLine{kind: kind, name: m.Name, recipe: recipe{method: m.Name}})
	}
	b.find()
}

func (b *offerBox) find() {
	b.Look(len(b.lines), func(i int) string { return b.lines[i].kind + " " + b.lines[i].name + " " + b.lines[i].brief })
}

// Typed implements overlay.Searched.
func (b *offerBox) Typed(text string) { b.Write(text); b.find() }

// Escape implements overlay.Escaper: it ends the looking.
func (b *offerBox) Escape() bool { b.cancel(); return false }

// Title implements overlay.Box.
func (b *offerBox) Title() string { return "compose" }

// Size implements overlay.Box.
func (b *offerBox) Size(_ *style.Theme, w, h int) (int, int) { return min(w, 110), h }

// Key implements overlay.Box.
func (b *offerBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "enter":
		return b.open(), true
	case "ctrl+r":
		return b.of.Recall(), false
	}
	if b.Chooser.Key(msg) {
		b.find()
	}
	return nil, false
}

// open goes on with the line that is chosen; a method that is not listed can be
// typed.
func (b *offerBox) open() tea.Cmd {
	at := b.Chosen()
	if at < 0 {
		return b.of.Command(strings.TrimSpace(b.Search))
	}
	l := b.lines[at]
	if l.draft {
		b.of.message = b.of.draft
		return nil
	}
	b.cancel()
	return b.of.build(building{row: session.NoRow, recipe: l.recipe})
}

// kindWidth is the column of what a line is, in cells.
const kindWidth = 13

// View implements overlay.Box.
func (b *offerBox) View(th *style.Theme, w, h int) []string {
	hint := "type to search · enter opens the form · ctrl-r what was sent before"
	if !b.here {
		hint = "… looking what the server offers · type to search · enter opens"
	}
	wide := 0
	from, to := b.Window(h - 2)
	for _, i := range b.Found[from:to] {
		wide = max(wide, cells.Width(text.Visible([]byte(b.lines[i].name), 60)))
	}
	lines := b.Draw(th, w, h, hint, func(i, w int) string {
		l := &b.lines[i]
		name := cells.Fit(text.Visible([]byte(l.name), 200), min(wide, max(10, (w-kindWidth-2)*2/3)))
		brief := text.OneLine(l.brief)
		return th.Dim.Paint(cells.Fit(l.kind, kindWidth)) + th.Strong.Paint(name) + "  " + th.Dim.Paint(cells.Fit(brief, max(0, w-kindWidth-cells.Width(name)-2)))
	})
	if len(b.Found) == 0 {
		lines = append(lines, th.Dim.Paint(cells.Fit("  enter composes this method, whatever it is", w)))
	}
	return lines
}

// candidatesLimit is how long is waited for candidates: who types does not wait.
const candidatesLimit = 5 * time.Second

// candidates asks the server for what an argument can be. Whether the answer is
// still wanted when it comes, the form knows.
func (c *Composer) candidates(msg form.CompleteMsg) tea.Cmd {
	none := form.CompletedMsg{Form: msg.Form, Seq: msg.Seq}
	peer := c.requests.Client()
	if peer == nil {
		return pane.Tell(none)
	}
	ref := client.Ref{Prompt: c.recipe.name}
	if c.recipe.uri != "" {
		ref = client.Ref{Resource: c.recipe.uri}
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), candidatesLimit)
		defer cancel()
		got, err := peer.Complete(ctx, ref, msg.Name, msg.Text, msg.Context)
		var answer *client.RPCError
		if err != nil && !errors.As(err, &answer) || got == nil {
			return none // why is in the traffic
		}
		return form.CompletedMsg{Form: msg.Form, Seq: msg.Seq, Values: got.Values, Total: got.Total, More: got.More}
	}
}
