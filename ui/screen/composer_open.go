package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/peers"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/composer/form"
	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A copyKind is how much of a request its copy has.
type copyKind uint8

const (
	freshCopy  copyKind = iota // freshCopy has the arguments alone.
	editedCopy                 // editedCopy has everything: what is sent takes the place of the request.
	twinCopy                   // twinCopy has everything, and the composer stays for more of its kind.
)

// facts are what the server and our way to it allow.
type facts struct {
	ours      bool // ours: any bytes can be sent.
	modern    bool // modern: the session speaks the modern era.
	completes bool // completes: it proposes values of arguments.
	levels    bool // levels: a request can ask for log messages.
	tasks     bool // tasks: it runs calls as tasks,
	decides   bool // decides: those that it likes. In the legacy era the tool says which.
	silent    bool // silent: in the session nobody has said whether it does.
}

// factsOf asks a client for them; nil = there is none of ours.
func factsOf(c *client.Client) facts {
	if c == nil {
		return facts{}
	}
	server := c.Server()
	f := facts{ours: true, completes: server.Has("completions"), levels: server.Era == mcp.Modern}
	if server.Era == mcp.Modern {
		_, f.tasks = peers.Members(peers.Members(server.Capabilities)["extensions"])[mcp.TasksExtension]
		f.decides = f.tasks
	} else {
		f.tasks = server.Has("tasks.requests.tools.call")
	}
	return f
}

// tasking says whether a call of a tool can be run as a task, given what the tool
// says of itself.
func (f *facts) tasking(tool pane.Tasking) pane.Tasking {
	switch {
	case !f.ours && !f.modern:
		return tool // Whether the server has tasks, its answer will say.
	case f.silent:
		return pane.MayTask
	case !f.tasks:
		return pane.NoTask
	case f.decides:
		return pane.MustTask
	}
	return tool
}

// client is our own client of a session's server; nil where there is none.
func (t *tab) caller() *client.Client {
	if caller, ok := t.source.(source.Caller); ok {
		return caller.Client()
	}
	return nil
}

// A building is one command's work: the form of a recipe.
type building struct {
	gen    int
	recipe recipe
	stock  stock
	caller source.Caller // caller has a client once it is connected; nil = there is none, or stock has it.
	row    uint32        // row is the request that is copied, NoRow = none,
	copy   copyKind
	record string // record is how its session was recorded.
}

// A built form is ready to be shown.
type built struct {
	gen    int
	recipe recipe
	facts  facts
	form   *form.Form
	task   bool // task: the request that is copied was run as one.
	err    error
}

func (b building) run(ctx context.Context) built {
	b.connect(ctx)
	done := built{gen: b.gen, facts: factsOf(b.stock.client)}
	b.stock.look(ctx, &done.facts)
	if b.row != session.NoRow {
		if err := b.read(); err != nil {
			done.err = err
			return done
		}
	}
	r := &b.recipe
	if name := targetOf(r); r.schema == nil && r.text == "" && name != "" {
		if o := b.stock.find(ctx, r.method, name); o != nil {
			b.know(o)
		}
	}
	if r.schema == nil {
		r.schema = methodSchema(r.method)
	}
	if m, ok := membersOf(r.params); ok && r.method == "tools/call" {
		r.task = done.facts.tasking(r.task)
		done.task = slices.ContainsFunc(m, func(m memberOf) bool { return m.name == "task" })
		r.params = withoutMember(r.params, m, memberOf{"task", []byte("{}")}) // whether it is one is for the form to say
	}
	done.form = r.form(done.facts)
	done.recipe = *r
	return done
}

// connect waits for a server that is being started, for a while: what it offers is
// known only then.
func (b *building) connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for b.caller != nil && b.stock.client == nil && ctx.Err() == nil {
		select {
		case <-look.C:
			b.stock.client = b.caller.Client()
		case <-ctx.Done():
		}
	}
}

// know takes what is offered under the recipe's name.
func (b *building) know(o *offer) {
	r := &b.recipe
	r.about, r.task = o.recipe.about, o.recipe.task
	if r.params == nil {
		r.params, r.uri = o.recipe.params, o.recipe.uri
	}
	r.schema = o.recipe.schema
}

// targetOf is the name under which a request's target is offered.
func targetOf(r *recipe) string {
	if r.name == "" {
		m := peers.Members(r.params)
		r.name = peers.Text(m["name"])
	}
	return r.name
}

// read reads the request that is copied.
func (b *building) read() error {
	m, err := recorder.ReadRequest(b.stock.log, b.stock.snap, b.row)
	if err != nil {
		return fmt.Errorf("#%d: %w", b.stock.snap.Row(b.row).N, err)
	}
	r := &b.recipe
	r.method, r.params, r.path = m.Method, m.Params, valuesAt(m.Method)
	if b.record == "run" {
		// What wiretea puts into each request it will put there again.
		r.params = detail.WithoutStamps(m.Params)
	}
	members := peers.Members(r.params)
	switch {
	case len(r.path) > 0:
		r.name = peers.Text(members["name"])
		if b.copy == freshCopy {
			r.params = namedParams(r.name, members["arguments"])
		}
	case m.Method == "resources/read":
		r.name = peers.Text(members["uri"])
		r.schema = []byte(uriSchema)
	}
	return nil
}

// openRow opens the composer on the request of the selected row.
func (s *Screen) openRow(kind copyKind) tea.Cmd {
	t := s.tab()
	row := t.callOf()
	r := t.ctx.Snap.Row(row)
	return s.build(building{row: row, copy: kind, recipe: recipe{of: r.N, stay: kind == twinCopy}})
}

// noCopy says why the request of the selected row cannot be copied into the
// composer, empty = it can.
func (s *Screen) noCopy() string { return s.noResend() }

// compose opens the composer on what is selected: an item of the tools page, a
// request, but for those of the handshake; else it asks what to compose.
func (s *Screen) compose() tea.Cmd {
	t := s.tab()
	if s.focus == keys.Tools {
		page := t.panes[keys.Tools]
		if cmd, mine := page.Do(&t.ctx, keys.Compose); mine {
			return cmd
		}
		return s.pickOffer()
	}
	snap := t.ctx.Snap
	if row := t.callOf(); s.noCopy() == "" && !unstoppable[snap.Name(snap.Row(row).Method)] {
		return s.openRow(freshCopy)
	}
	return s.pickOffer()
}

// composeCommand carries out :compose [METHOD [NAME]].
func (s *Screen) composeCommand(rest string) tea.Cmd {
	method, name, _ := strings.Cut(rest, " ")
	name = strings.TrimSpace(name)
	switch {
	case s.noSending() != "":
		return s.say(session.Error, s.noSending())
	case method == "":
		return s.pickOffer()
	case name == "":
		return s.build(building{row: session.NoRow, recipe: recipe{method: method}})
	}
	r := recipe{method: method, name: name, path: valuesAt(method)}
	switch {
	case len(r.path) > 0:
		r.params = namedParams(name, nil)
	case strings.Contains(name, "{"):
		r.uri, r.schema = name, templateSchema(name)
	default:
		r.params = uriParams(name)
	}
	return s.build(building{row: session.NoRow, recipe: r})
}

// composePane opens the composer on what a pane asks for.
func (s *Screen) composePane(msg pane.Compose) tea.Cmd {
	if why := s.noSending(); why != "" {
		return s.say(session.Info, why)
	}
	return s.build(building{row: session.NoRow, recipe: recipeOf(msg)})
}

// build opens the composer, and returns the command that makes its form. What is
// typed meanwhile goes to the form once it is there.
func (s *Screen) build(b building) tea.Cmd {
	t := s.tab()
	s.composing++
	b.gen = s.composing
	b.stock = stock{snap: t.ctx.Snap, log: t.ctx.Log, client: t.caller()}
	if h := t.ctx.Header; h != nil {
		b.record = h.Mode
	}
	b.caller, _ = t.source.(source.Caller)
	ctx, cancel := context.WithCancel(context.Background())
	s.overlay, s.prompt, s.chord = nil, nil, ""
	s.drop()
	s.composer = &composer{tab: t, gen: b.gen, recipe: b.recipe, cancel: cancel}
	return func() tea.Msg {
		defer cancel()
		return b.run(ctx)
	}
}

// pickOffer asks what to compose.
func (s *Screen) pickOffer() tea.Cmd {
	t := s.tab()
	ctx, cancel := context.WithCancel(context.Background())
	s.composing++
	b := &offerBox{gen: s.composing, cancel: cancel, draft: t.draft}
	b.choose()
	s.overlay, s.prompt, s.chord = b, nil, ""
	look := stock{snap: t.ctx.Snap, log: t.ctx.Log, client: t.caller()}
	gen := b.gen
	return func() tea.Msg {
		defer cancel()
		return offered{gen, look.all(ctx)}
	}
}
