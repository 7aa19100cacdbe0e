package composer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/detail"
	"wiretea/ui/host"
	"wiretea/ui/pane"
	"wiretea/ui/requests"
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
	completes bool // completes: it proposes values of arguments.
	levels    bool // levels: a request can ask for log messages.
	tasks     bool // tasks: it runs calls as tasks,
	decides   bool // decides: those that it likes. In the legacy era the tool says which.
}

// factsOf asks a client for them; nil = there is none of ours.
func factsOf(c *client.Client) facts {
	if c == nil {
		return facts{}
	}
	server := c.Server()
	f := facts{ours: true, completes: server.Has("completions"), levels: server.Era == mcp.Modern}
	if server.Era == mcp.Modern {
		_, f.tasks = recorder.Members(recorder.Members(server.Capabilities)["extensions"])[mcp.TasksExtension]
		f.decides = f.tasks
	} else {
		f.tasks = server.Has("tasks.requests.tools.call")
	}
	return f
}

// tasking says whether a call of a tool can be run as a task, given what the tool
// says of itself: only a client of ours follows tasks.
func (f *facts) tasking(tool pane.Tasking) pane.Tasking {
	switch {
	case !f.tasks:
		return pane.NoTask
	case f.decides:
		return pane.MustTask
	}
	return tool
}

// A building is one command's work: the form of a recipe.
type building struct {
	gen    int
	recipe recipe
	stock  stock
	row    uint32 // row is the request that is copied, NoRow = none,
	copy   copyKind
}

// A builtMsg has a form that is ready to be shown.
type builtMsg struct {
	gen    int
	recipe recipe
	facts  facts
	form   *form.Form
	task   bool // task: the request that is copied was run as one.
	err    error
}

func (b building) run(ctx context.Context) builtMsg {
	b.stock.connect(ctx)
	done := builtMsg{gen: b.gen, facts: factsOf(b.stock.client)}
	if b.row != session.NoRow {
		if err := b.read(); err != nil {
			done.err = err
			return done
		}
	}
	r := &b.recipe
	if r.name == "" {
		r.name = recorder.TextOf(recorder.Members(r.params)["name"])
	}
	if r.schema == nil && r.text == "" && r.name != "" {
		if o := b.stock.find(ctx, r.method, r.name); o != nil {
			r.about, r.task, r.schema = o.recipe.about, o.recipe.task, o.recipe.schema
			if r.params == nil {
				r.params, r.uri = o.recipe.params, o.recipe.uri
			}
		}
	}
	if r.schema == nil {
		r.schema = methodSchema(r.method)
	}
	if list, ok := lex.List(r.params); ok && r.method == "tools/call" && done.facts.ours {
		r.task = done.facts.tasking(r.task)
		done.task = slices.ContainsFunc(list, func(m lex.Member) bool { return m.Name == "task" })
		// Whether it is one is for the form to say.
		rest := slices.DeleteFunc(slices.Clone(list), func(m lex.Member) bool { return m.Name == "task" && string(m.Value) == "{}" })
		if len(rest) < len(list) {
			r.params = lex.AppendObject(nil, rest...)
		}
	}
	done.form = r.form(done.facts)
	done.recipe = *r
	return done
}

// read reads the request that is copied.
func (b *building) read() error {
	m, err := recorder.ReadRequest(b.stock.log, b.stock.snap, b.row)
	if err != nil {
		return fmt.Errorf("#%d: %w", b.stock.snap.Row(b.row).N, err)
	}
	r := &b.recipe
	r.method, r.params, r.path = m.Method, m.Params, valuesAt(m.Method)
	if b.stock.mode == "run" {
		// What wiretea puts into each request it will put there again.
		r.params = detail.WithoutStamps(m.Params)
	}
	members := recorder.Members(r.params)
	switch {
	case len(r.path) > 0:
		r.name = recorder.TextOf(members["name"])
		if b.copy == freshCopy {
			r.params = namedParams(r.name, members["arguments"])
		}
	case m.Method == "resources/read":
		r.name = recorder.TextOf(members["uri"])
		r.schema = []byte(uriSchema)
	}
	return nil
}

// openRow opens the composer on the request of the selected row.
func (c *Composer) openRow(kind copyKind) tea.Cmd {
	row := c.requests.Selected()
	r := c.tab.Ctx.Snap.Row(row)
	return c.build(building{row: row, copy: kind, recipe: recipe{of: r.N, row: row, stay: kind == twinCopy}})
}

// EditSelected opens the composer on all of the selected request.
func (c *Composer) EditSelected() tea.Cmd { return c.openRow(editedCopy) }

// Duplicate is EditSelected that stays open for more.
func (c *Composer) Duplicate() tea.Cmd { return c.openRow(twinCopy) }

// Compose opens the composer on the arguments of the selected request, but for those of
// the handshake; else, and for a list of tools or other items, it asks what to compose: one
// of the items is meant rather than another list.
func (c *Composer) Compose() tea.Cmd {
	if c.requests.NoRequest() != "" {
		return c.Ask()
	}
	snap := c.tab.Ctx.Snap
	method := snap.Name(snap.Row(c.requests.Selected()).Method)
	if m, known := mcp.Lookup(method); requests.Unstoppable(method) || known && m.Items != "" {
		return c.Ask()
	}
	return c.openRow(freshCopy)
}

// Command carries out :compose [METHOD [NAME]].
func (c *Composer) Command(rest string) tea.Cmd {
	method, name, _ := strings.Cut(rest, " ")
	name = strings.TrimSpace(name)
	switch {
	case c.requests.Disabled() != "":
		return c.tab.Say(session.Error, c.requests.Disabled())
	case method == "":
		return c.Ask()
	case name == "":
		return c.build(building{row: session.NoRow, recipe: recipe{method: method}})
	}
	r := recipe{method: method, name: name, path: valuesAt(method)}
	switch {
	case json.Valid([]byte(name)) && name[0] == '{':
		r.name, r.params = "", []byte(name)
	case len(r.path) == 0 && methodSchemas.Get()[method] != uriSchema:
		return c.tab.Say(session.Error, fmt.Sprintf("%s takes no name: compose %s {…} gives it parameters", text.OneLine(method), text.OneLine(method)))
	case len(r.path) > 0:
		r.params = namedParams(name, nil)
	case strings.Contains(name, "{"):
		r.uri, r.schema = name, templateSchema(name)
	default:
		r.params = uriParams(name)
	}
	return c.build(building{row: session.NoRow, recipe: r})
}

// Open opens the composer on what a pane asks for.
func (c *Composer) Open(msg pane.ComposeMsg) tea.Cmd {
	if why := c.requests.Disabled(); why != "" {
		return c.tab.Say(session.Info, why)
	}
	r := recipeOf(msg)
	if msg.Params != nil && c.stock().mode == "run" {
		r.params = detail.WithoutStamps(r.params) // It will put them there again.
	}
	return c.build(building{row: session.NoRow, recipe: r})
}

// build opens the composer, and returns the command that makes its form. What is
// typed meanwhile goes to the form once it is there.
func (c *Composer) build(b building) tea.Cmd {
	t := c.tab
	c.asked++
	b.gen = c.asked
	b.stock = c.stock()
	ctx, cancel := context.WithCancel(context.Background())
	t.Open(nil)
	c.close()
	c.message = &message{gen: b.gen, recipe: b.recipe, cancel: cancel}
	return t.Addressed(c, func() tea.Msg {
		defer cancel()
		return b.run(ctx)
	})
}

// Ask asks what to compose.
func (c *Composer) Ask() tea.Cmd {
	t := c.tab
	ctx, cancel := context.WithCancel(context.Background())
	c.asked++
	b := &offerBox{of: c, gen: c.asked, cancel: cancel}
	b.choose()
	t.Open(b)
	look := c.stock()
	gen := b.gen
	return t.Addressed(c, func() tea.Msg {
		defer cancel()
		look.connect(ctx)
		var all []offer
		for kind, list := range look.recorded(ctx) {
			if list == nil { // It was not listed in the session; it may be listed now.
				list = look.ask(ctx, kind)
			}
			all = append(all, list...)
		}
		return offeredMsg{gen, all}
	})
}

// An editedMsg is what came back from the editor.
type editedMsg struct {
	form *form.Form
	text string
	same bool // same: nothing was changed.
	err  error
}

// edit opens what is filled in in $EDITOR: pretty JSON, or the notation of bytes. What is
// saved there comes back.
func (c *Composer) edit() tea.Cmd {
	f := c.form
	text, name := f.Text()+"\n", "values.json"
	if f.Mode() == form.Malformed {
		name = "bytes.txt"
	}
	back := func(path string, err error) tea.Msg {
		msg := editedMsg{form: f, err: err}
		if err == nil {
			msg.text, msg.err = pane.ReadEdited(path)
			msg.same = msg.text == text
		}
		return host.AddressedMsg{Tab: c.tab, To: c, Msg: msg}
	}
	return pane.Tell(pane.EditMsg{Name: name, Body: []byte(text), Back: back})
}
