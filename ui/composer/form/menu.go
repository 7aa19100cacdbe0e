package form

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/session/json/tree"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A menu is below the field that has the focus. At is -1 while none of its items
// is chosen.
type menu struct {
	list.Chooser
	items []menuItem
	loose bool // loose: keys that do not move in it are the field's.
	note  string
	of    *field // of is the array whose check list it is, nil = it is another menu.
}

type menuItem struct {
	label string // label and note are fit for the screen.
	note  string
	do    func() tea.Cmd
}

func newMenu(items []menuItem) *menu {
	m := &menu{items: items}
	m.find()
	return m
}

// find finds the items that have what was typed.
func (m *menu) find() { m.Look(len(m.items), func(i int) string { return m.items[i].label }) }

// search adds to what was typed.
func (m *menu) search(more string) {
	m.Write(more)
	m.find()
}

// menuKey carries out a key in the menu. It reports false for one that is the
// field's.
func (f *Form) menuKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	m := f.menu
	if m.of != nil {
		if cmd, mine := f.checksKey(msg.String()); mine {
			return cmd, true
		}
	}
	name := msg.String()
	moves := name == "down" || name == "ctrl+n" || name == "pgup" || name == "pgdown" || m.At >= 0 && (name == "up" || name == "ctrl+p")
	switch {
	case name == "esc" || name == "ctrl+t":
		f.menu = nil
	case m.At >= 0 && (name == "enter" || name == "tab" && m.loose || name == "space" && !m.loose && m.Search == ""):
		return f.choose(), true
	case m.loose && !moves, name == "ctrl+s" || name == "ctrl+enter":
		f.menu = nil
		return nil, false
	case m.Key(msg):
		m.find()
	}
	return nil, true
}

// choose carries out the item that is chosen, and closes the menu.
func (f *Form) choose() tea.Cmd {
	m := f.menu
	f.menu = nil
	return m.do()
}

// do carries out the item that is chosen.
func (m *menu) do() tea.Cmd {
	if i := m.Chosen(); i >= 0 {
		return m.items[i].do()
	}
	return nil
}

// openChoices opens the menu of the values that a field may have.
func (f *Form) openChoices(x *field) tea.Cmd {
	var items []menuItem
	for i, c := range x.shape.choices {
		note := inline(string(c.raw), maxName)
		if note == c.label || note == `"`+c.label+`"` {
			note = ""
		}
		items = append(items, menuItem{c.label, note, func() tea.Cmd {
			x.chosen = i
			return f.changed(x)
		}})
	}
	f.menu = newMenu(items)
	switch {
	case x.sent() && x.chosen >= 0:
		f.menu.At = x.chosen
	case x.shape.initial != nil:
		f.menu.At = max(0, x.shape.choiceOf(x.shape.initial))
	}
	return nil
}

// openWays opens the menu of the ways in which a field can be filled in.
func (f *Form) openWays() tea.Cmd {
	x := f.focus().field
	if x == nil || f.focus().kind != fieldRow {
		return nil
	}
	var items []menuItem
	way := func(label, note string, do func()) {
		items = append(items, menuItem{label, note, func() tea.Cmd {
			do()
			cmd := f.changed(nil)
			f.to(x)
			return cmd
		}})
	}
	for i, a := range f.book.alternatives(x.base) {
		note := ""
		if i == x.variant {
			note = "current"
		}
		way(a.word, note, func() { f.become(x, i) })
	}
	f.manners(x, way)
	way("null", "", func() { x.manner = asNull; x.touch() })
	way("raw JSON", "typed as text", func() {
		var e encoder
		if x.sent() {
			e.write(x)
		}
		x.manner, x.text, x.kids = asRaw, newEditor(string(indented(e.out))), nil
		if x.touch(); len(e.out) == 0 {
			x.origin = absent
		}
	})
	for _, s := range []*shape{x.shape, x.base} {
		if s.initial != nil {
			way("the default", inline(string(s.initial), 40), func() {
				if v, err := parse(s.initial); err == nil {
					x.touch()
					newMaker(f.book).decode(x, v, byDefault, 0)
				}
			})
			break
		}
	}
	if x.parent != nil && x.parent.manner != asArray && !x.added {
		way("not sent", "ctrl-x", func() { f.leaveOut() })
	} else if x.parent != nil {
		way("remove", "ctrl-x", func() { f.leaveOut() })
	}
	f.menu = newMenu(items)
	return nil
}

// manners offers the types that the schema allows.
func (f *Form) manners(x *field, way func(label, note string, do func())) {
	s := x.shape
	if s.choices != nil {
		way("one of the choices", "", func() { x.manner = asChoice; x.touch(); x.chosen = max(0, x.chosen) })
	}
	for _, n := range typeNames {
		if s.allowed&n.t == 0 || n.t == typeNull || n.t == typeInteger && s.allowed&typeNumber != 0 {
			continue
		}
		way(n.name, "", func() { f.turn(x, n.t) })
		if n.t == typeString {
			way(`empty string ""`, "", func() {
				x.manner, x.text = asText, newEditor("")
				x.touch()
				x.kept = []byte(`""`)
			})
		}
	}
}

// turn makes a field one of a type, and keeps what was typed where it can.
func (f *Form) turn(x *field, t types) {
	text := x.typed()
	x.touch()
	switch x.manner = t.manner(); x.manner {
	case asText, asNumber:
		if x.text = newEditor(text); text == "" {
			x.origin = absent
		}
	case asArray, asObject:
		x.folded = false
		newMaker(f.book).begin(x, 0)
	case asBool, asNull, asChoice, asRaw:
	}
}

// become chooses an alternative, and keeps of an object the members that it has
// too.
func (f *Form) become(x *field, i int) {
	var e encoder
	if x.sent() {
		e.write(x)
	}
	list := f.book.alternatives(x.base)
	x.touch()
	x.variant, x.shape = i, f.book.openRef(list[i].sub)
	was := x.manner
	x.manner, x.kids, x.text, x.folded = x.shape.manner(), nil, nil, false
	m := newMaker(f.book)
	if v, err := parse(e.out); err == nil && was == asObject && x.manner == asObject {
		// What the schema does not know, or what can have one value only, is left out.
		common := &tree.Node{Kind: tree.Object, Raw: v.Raw}
		for _, member := range v.Members {
			if i, known := x.shape.index[member.Key]; known && x.shape.props[i].sub.cache != nil && !x.shape.props[i].sub.cache.fixed {
				common.Members = append(common.Members, member)
			}
		}
		m.members(x, common, true, 0)
		return
	}
	x.required, x.origin = true, absent
	m.fill(x, 0)
	x.required = x.parent == nil || x.parent.shape.needs[x.key] || x.parent.manner == asArray
	if x.manner == asObject || x.manner == asArray {
		x.origin = typed
	}
}

// menu draws the menu below its field.
func (p *painting) menu(i, column int) {
	m, t := p.form.menu, p.theme
	from, to := m.Window(max(1, min(menuHeight, p.h/2)))
	column = max(0, min(column-2, p.w-20))
	if m.Search != "" {
		p.add(cells.Spaces(column)+t.Accent.Paint("/ ")+t.Text.Paint(inline(m.Search, 40)), i, -1)
	}
	if len(m.Found) == 0 {
		p.add(cells.Spaces(column)+t.Dim.Paint("  no match"), i, -1)
	}
	for k := from; k < to; k++ {
		item := m.items[m.Found[k]]
		line := "  " + item.label
		switch {
		case m.of == nil:
		case m.of.checked(m.Found[k]) != nil:
			line = "  [x] " + item.label
		default:
			line = "  [ ] " + item.label
		}
		if item.note != "" {
			line += "  " + item.note
		}
		style := t.Text
		if k == m.At {
			line, style = "▸"+line[1:], t.Text.With(t.Selected)
		}
		p.add(cells.Spaces(column)+style.Paint(cells.Fit(line, min(p.w-column, 60))), i, k)
	}
	note := m.note
	if left := len(m.Found) - to; left > 0 {
		note = strings.TrimPrefix(note+", "+strconv.Itoa(left)+" below", ", ")
	}
	if note != "" {
		p.add(cells.Spaces(column)+t.Dim.Paint("  "+note), i, -1)
	}
}

// maxCandidates is how many candidates of an answer are shown (the protocol
// allows 100).
const maxCandidates = 100

// CompleteMsg asks for candidates for a field: completion/complete. The answer is a
// Completed with the same Form and Seq; that there is none, or a late one, does
// no harm.
type CompleteMsg struct {
	Form    *Form
	Seq     int
	Path    []string
	Name    string            // Name is the argument's, the last of Path.
	Text    string            // Text is what was typed so far.
	Context map[string]string // Context are the other arguments that are filled in.
}

// CompletedMsg answers a Complete.
type CompletedMsg struct {
	Form   *Form
	Seq    int
	Values []string
	Total  int  // Total is how many there are, 0 = not known.
	More   bool // More: there are more than Values.
}

// completing is what was asked for last.
type completing struct {
	seq     int
	field   *field
	text    string
	waiting bool
}

// ask returns the command that asks for candidates; nil where the field has
// none, or an answer is still waited for. With again it asks anyway.
func (f *Form) ask(x *field, again bool) tea.Cmd {
	if x == nil || f.cfg.Completes == nil || x.manner != asText || !f.cfg.Completes(x.path()) {
		return nil
	}
	c := &f.completing
	if c.waiting && !again {
		return nil
	}
	*c = completing{seq: c.seq + 1, field: x, text: x.typed(), waiting: true}
	path := x.path()
	msg := CompleteMsg{Form: f, Seq: c.seq, Path: path, Text: c.text, Context: map[string]string{}}
	if len(path) > 0 {
		msg.Name = path[len(path)-1]
	}
	if x.parent != nil {
		for _, kid := range x.parent.kids[:min(len(x.parent.kids), 200)] {
			if kid == x || !kid.sent() || kid.keying != nil {
				continue
			}
			if kid.manner == asText {
				msg.Context[kid.key] = kid.typed()
				continue
			}
			var e encoder
			e.write(kid)
			msg.Context[kid.key] = string(e.out)
		}
	}
	return pane.Tell(msg)
}

// completed shows candidates as a menu. Stale ones are dropped, and asked for
// again where the text has moved on.
func (f *Form) completed(msg CompletedMsg) tea.Cmd {
	c := &f.completing
	if msg.Form != f || msg.Seq != c.seq || !c.waiting {
		return nil
	}
	c.waiting = false
	x := c.field
	if f.mode != Fields || f.focus().field != x || x.manner != asText {
		return nil
	}
	if x.typed() != c.text {
		return f.ask(x, false)
	}
	if f.menu != nil && !f.menu.loose {
		return nil
	}
	f.menu = nil
	values := slices.DeleteFunc(slices.Clone(msg.Values[:min(len(msg.Values), maxCandidates)]), func(s string) bool { return s == c.text })
	if len(values) == 0 {
		return nil
	}
	var items []menuItem
	for _, value := range values {
		items = append(items, menuItem{label: inline(value, maxName), do: func() tea.Cmd {
			x.text.replace(0, len(x.text.text), []byte(value), false)
			x.touch()
			return f.check()
		}})
	}
	f.menu = newMenu(items)
	f.menu.loose, f.menu.At = true, -1
	if msg.More || msg.Total > len(msg.Values) {
		f.menu.note = "there are more"
	}
	return nil
}
