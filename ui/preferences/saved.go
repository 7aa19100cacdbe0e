package preferences

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/keyhelp"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// mostName is the longest name of what is saved, in bytes.
const mostName = 60

// nameFault says what is wrong with a name, empty for nothing.
func nameFault(name string) string {
	switch {
	case name == "":
		return "a name is missing"
	case len(name) > mostName:
		return fmt.Sprintf("a name has at most %d bytes", mostName)
	case text.Visible([]byte(name), 0) != name:
		return "a name has letters and signs that can be seen"
	}
	return ""
}

// A savedBox is a list of what is saved; delete removes the chosen entry.
type savedBox struct {
	overlay.Menu
	p      *Preferences
	remove map[string]func() tea.Cmd // remove are the ways to remove an entry, by its Keys.
	again  func() tea.Cmd            // again opens the list anew.
}

// Key implements overlay.Box.
func (b *savedBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if at := b.Chosen(); msg.String() == "delete" && at >= 0 && b.remove[b.Entries[at].Keys] != nil {
		return tea.Batch(b.remove[b.Entries[at].Keys](), b.again()), false
	}
	return b.Menu.Key(msg)
}

// open shows the list.
func (b *savedBox) open() tea.Cmd {
	b.Find()
	b.p.opt.Screen.Open(b)
	return nil
}

// OpenFilters opens the list of saved filters.
func (p *Preferences) OpenFilters() tea.Cmd {
	set := &p.Settings
	b := &savedBox{p.menu("saved filters"), p, map[string]func() tea.Cmd{}, p.OpenFilters}
	for _, name := range slices.Sorted(maps.Keys(set.Filters)) {
		words, shown := set.Filters[name], text.Visible([]byte(name), mostName)
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: shown, Text: text.Visible([]byte(words), 200), Group: "enter puts one in force, delete removes it",
			Do: setFilter(words)})
		b.remove[shown] = func() tea.Cmd {
			set.Filters = maps.Clone(set.Filters)
			delete(set.Filters, name)
			return p.keep(config.Change{Table: "filters", Key: name})
		}
	}
	e := keyhelp.Entry{Keys: "save …", Text: "the filter that is on", Group: "new", Do: func() tea.Cmd { return p.opt.Type("save-filter ") }}
	if p.opt.Screen.Current().Filter == "" {
		e.Why, e.Do = "no filter is set; f sets one", nil
	}
	b.Entries = append(b.Entries, e)
	return b.open()
}

// SaveFilter keeps the filter that is set under a name.
func (p *Preferences) SaveFilter(name string) tea.Cmd {
	t := p.opt.Screen.Current()
	if why := nameFault(name); why != "" {
		return p.say(session.Error, "save-filter NAME: "+why)
	}
	if t.Filter == "" {
		return p.say(session.Error, "no filter is set; f sets one")
	}
	set := &p.Settings
	if set.Filters = maps.Clone(set.Filters); set.Filters == nil {
		set.Filters = map[string]string{}
	}
	set.Filters[name] = t.Filter
	return tea.Batch(p.say(session.Info, fmt.Sprintf("saved as %s; f and f2 list the saved filters", name)), p.keep(config.Change{Table: "filters", Key: name, Value: t.Filter}))
}

// openLayouts opens the list of saved layouts.
func (p *Preferences) openLayouts() tea.Cmd {
	set := &p.Settings
	b := &savedBox{p.menu("saved layouts"), p, map[string]func() tea.Cmd{}, p.openLayouts}
	for _, name := range slices.Sorted(maps.Keys(set.Layouts)) {
		l, shown := set.Layouts[name], text.Visible([]byte(name), mostName)
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: shown, Text: layoutWords(l), Group: "enter puts one in force, delete removes it", Do: func() tea.Cmd { return p.takeLayout(l) }})
		b.remove[shown] = func() tea.Cmd {
			set.Layouts = maps.Clone(set.Layouts)
			delete(set.Layouts, name)
			return p.keep(removeLayout(name)...)
		}
	}
	b.Entries = append(b.Entries,
		keyhelp.Entry{Keys: "save …", Text: "the layout as it is now", Group: "new", Do: func() tea.Cmd { return p.opt.Type("layout save ") }},
		keyhelp.Entry{Keys: "reset", Text: "every pane at its place and size as at first", Group: "new", Do: p.resetLayout})
	return b.open()
}

// layoutWords say how a layout looks.
func layoutWords(l config.Layout) string {
	words := []string{map[bool]string{true: "detail below", false: "detail beside"}[l.Below]}
	for _, hidden := range []struct {
		is   bool
		name string
	}{{l.HideDetail, "detail"}, {l.HideStderr, "stderr"}, {l.HideFindings, "findings"}} {
		if hidden.is {
			words = append(words, "no "+hidden.name)
		}
	}
	if l.Columns != "" {
		words = append(words, "columns "+text.Visible([]byte(l.Columns), 100))
	}
	return strings.Join(words, ", ")
}

// LayoutCommand carries out ":layout": reset, save NAME, or a name.
func (p *Preferences) LayoutCommand(rest string) tea.Cmd {
	word, name, _ := strings.Cut(rest, " ")
	name = strings.TrimSpace(name)
	l, saved := p.Settings.Layouts[rest]
	switch {
	case saved:
		return p.takeLayout(l)
	case rest == "reset":
		return p.resetLayout()
	case rest == "list":
		return p.openLayouts()
	case word == "save":
		return p.saveLayout(name)
	}
	return p.say(session.Error, fmt.Sprintf("layout reset, list, save NAME, or the name of a saved layout; there is no %q", rest))
}

// LayoutNames are the words that follow ":layout".
func (p *Preferences) LayoutNames() []string {
	return append([]string{"reset", "list", "save "}, slices.Sorted(maps.Keys(p.Settings.Layouts))...)
}

// resetLayout puts every pane at its place and size as at first.
func (p *Preferences) resetLayout() tea.Cmd {
	p.opt.Screen.Layout().Reset()
	return p.setColumns(p.Settings.Columns)
}

// saveLayout keeps the layout under a name.
func (p *Preferences) saveLayout(name string) tea.Cmd {
	if why := nameFault(name); why != "" || name == "reset" || name == "list" {
		return p.say(session.Error, "layout save NAME: "+cmp.Or(why, "a name other than reset and list"))
	}
	set := &p.Settings
	if set.Layouts = maps.Clone(set.Layouts); set.Layouts == nil {
		set.Layouts = map[string]config.Layout{}
	}
	l := p.opt.Screen.Layout().Layout
	set.Layouts[name] = l
	table := "layouts." + name
	changes := append(removeLayout(name), config.Change{Table: table, Key: "main", Value: l.Main}, config.Change{Table: table, Key: "body", Value: l.Body}, config.Change{Table: table, Key: "low", Value: l.Low})
	for key, on := range map[string]bool{"detail_below": l.Below, "hide_detail": l.HideDetail, "hide_stderr": l.HideStderr, "hide_findings": l.HideFindings} {
		if on {
			changes = append(changes, config.Change{Table: table, Key: key, Value: true})
		}
	}
	if l.Columns != "" {
		changes = append(changes, config.Change{Table: table, Key: "columns", Value: l.Columns})
	}
	return tea.Batch(p.say(session.Info, fmt.Sprintf("saved; :layout %s brings it back", name)), p.keep(changes...))
}

// removeLayout removes the keys of a saved layout.
func removeLayout(name string) (changes []config.Change) {
	for _, key := range []string{"detail_below", "main", "body", "low", "hide_detail", "hide_stderr", "hide_findings", "columns"} {
		changes = append(changes, config.Change{Table: "layouts." + name, Key: key})
	}
	return changes
}

// takeLayout puts a saved layout in force. What it does not say is as at first.
func (p *Preferences) takeLayout(l config.Layout) tea.Cmd {
	p.opt.Screen.Layout().Take(l)
	return p.setColumns(l.Columns)
}

// OpenColours opens the list of colour rules.
func (p *Preferences) OpenColours() tea.Cmd {
	b := &savedBox{p.menu("colour rules"), p, map[string]func() tea.Cmd{}, p.OpenColours}
	for i, c := range p.Settings.Colours {
		shown := fmt.Sprintf("%d  %s", i+1, c.Colour)
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: shown, Text: text.Visible([]byte(c.Filter), 200), Group: "the first rule that selects a row holds; delete removes one",
			Look: func(th *style.Theme) style.Style { return th.Colour(c.Colour) }, Do: setFilter(c.Filter)})
		b.remove[shown] = func() tea.Cmd {
			p.Settings.Colours = slices.Delete(slices.Clone(p.Settings.Colours), i, i+1)
			return tea.Batch(p.recolour(), p.keep(config.Change{Table: "colours", Value: config.Without(c)}))
		}
	}
	for _, name := range style.Colours() {
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: name, Text: "for the rows that a filter selects", Group: "new", Look: func(th *style.Theme) style.Style { return th.Colour(name) },
			Do: func() tea.Cmd { return p.opt.Type("colour " + name + " " + p.opt.Screen.Current().Filter) }})
	}
	return b.open()
}

// AddColour adds a colour rule: a colour and a filter, that in force where none is given.
func (p *Preferences) AddColour(rest string) tea.Cmd {
	word, text, _ := strings.Cut(rest, " ")
	c := config.Colour{Filter: strings.TrimSpace(text), Colour: word}
	if c.Filter == "" {
		c.Filter = p.opt.Screen.Current().Filter
	}
	if _, why := c.Check(); why != "" {
		return p.say(session.Error, "colour COLOUR FILTER: "+why)
	}
	p.Settings.Colours = append(slices.Clip(p.Settings.Colours), c)
	return tea.Batch(p.recolour(), p.keep(config.Change{Table: "colours", Value: c}))
}

// recolour has rows drawn by the colour rules as they are.
func (p *Preferences) recolour() tea.Cmd {
	return p.all(func(t *host.Tab) { t.Ctx.Colours = p.rowColours() })
}

// rowColours are the rules in the theme, with filters of their own for each session: a filter
// keeps what it knows of one.
func (p *Preferences) rowColours() []pane.RowColour {
	var rules []pane.RowColour
	for _, c := range p.Settings.Colours {
		if f, err := filter.Parse(c.Filter); err == nil {
			rules = append(rules, pane.RowColour{Filter: f, Look: p.Theme.Colour(c.Colour)})
		}
	}
	return rules
}
