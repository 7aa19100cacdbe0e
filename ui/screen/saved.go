package screen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/format"
	"wiretea/ui/keyhelp"
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
	case format.Visible([]byte(name), 0) != name:
		return "a name has letters and signs that can be seen"
	}
	return ""
}

// A savedBox is a list of what is saved; delete removes the chosen entry.
type savedBox struct {
	pickBox
	remove map[string]func() tea.Cmd // remove are the ways to remove an entry, by its Keys.
	again  func() tea.Cmd            // again opens the list anew.
}

// Key implements overlay.Box.
func (b *savedBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if at := b.Chosen(); msg.String() == "delete" && at >= 0 && b.remove[b.Entries[at].Keys] != nil {
		return tea.Batch(b.remove[b.Entries[at].Keys](), b.again()), false
	}
	return b.pickBox.Key(msg)
}

// open shows the list.
func (b *savedBox) open() tea.Cmd {
	b.Find()
	b.screen.Open(b)
	return nil
}

// openFilters opens the list of saved filters.
func (s *Screen) openFilters() tea.Cmd {
	set := &s.opt.Settings
	b := &savedBox{pickBox{screen: s, title: "saved filters"}, map[string]func() tea.Cmd{}, s.openFilters}
	for _, name := range slices.Sorted(maps.Keys(set.Filters)) {
		text, shown := set.Filters[name], format.Visible([]byte(name), mostName)
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: shown, Text: format.Visible([]byte(text), 200), Group: "enter puts one in force, delete removes it",
			Do: func() tea.Cmd { return s.sessions.SetFilter(s.tab().Tab, text) }})
		b.remove[shown] = func() tea.Cmd {
			set.Filters = maps.Clone(set.Filters)
			delete(set.Filters, name)
			return s.keep(config.Change{Table: "filters", Key: name})
		}
	}
	e := keyhelp.Entry{Keys: "save …", Text: "the filter that is on", Group: "new", Do: func() tea.Cmd { return s.prefill(commandPrompt, "save-filter ") }}
	if s.tab().Filter == "" {
		e.Why, e.Do = "no filter is set; f sets one", nil
	}
	b.Entries = append(b.Entries, e)
	return b.open()
}

// saveFilter keeps the filter that is set under a name.
func (s *Screen) saveFilter(t *tab, name string) tea.Cmd {
	if why := nameFault(name); why != "" {
		return s.Say(session.Error, "save-filter NAME: "+why)
	}
	if t.Filter == "" {
		return s.Say(session.Error, "no filter is set; f sets one")
	}
	set := &s.opt.Settings
	if set.Filters = maps.Clone(set.Filters); set.Filters == nil {
		set.Filters = map[string]string{}
	}
	set.Filters[name] = t.Filter
	return tea.Batch(s.Say(session.Info, fmt.Sprintf("saved as %s; f and f2 list the saved filters", name)), s.keep(config.Change{Table: "filters", Key: name, Value: t.Filter}))
}

// openLayouts opens the list of saved layouts.
func (s *Screen) openLayouts() tea.Cmd {
	set := &s.opt.Settings
	b := &savedBox{pickBox{screen: s, title: "saved layouts"}, map[string]func() tea.Cmd{}, s.openLayouts}
	for _, name := range slices.Sorted(maps.Keys(set.Layouts)) {
		l, shown := set.Layouts[name], format.Visible([]byte(name), mostName)
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: shown, Text: layoutWords(l), Group: "enter puts one in force, delete removes it", Do: func() tea.Cmd { return s.takeLayout(l) }})
		b.remove[shown] = func() tea.Cmd {
			set.Layouts = maps.Clone(set.Layouts)
			delete(set.Layouts, name)
			return s.keep(removeLayout(name)...)
		}
	}
	b.Entries = append(b.Entries,
		keyhelp.Entry{Keys: "save …", Text: "the layout as it is now", Group: "new", Do: func() tea.Cmd { return s.prefill(commandPrompt, "layout save ") }},
		keyhelp.Entry{Keys: "reset", Text: "every pane at its place and size as at first", Group: "new", Do: func() tea.Cmd { return s.layoutCommand(s.tab(), "reset") }})
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
		words = append(words, "columns "+format.Visible([]byte(l.Columns), 100))
	}
	return strings.Join(words, ", ")
}

// layoutCommand carries out ":layout": reset, save NAME, or a name.
func (s *Screen) layoutCommand(_ *tab, rest string) tea.Cmd {
	word, name, _ := strings.Cut(rest, " ")
	name = strings.TrimSpace(name)
	l, saved := s.opt.Settings.Layouts[rest]
	switch {
	case saved:
		return s.takeLayout(l)
	case rest == "reset":
		s.layout.Reset()
		return s.setColumns(s.opt.Settings.Columns)
	case rest == "list":
		return s.openLayouts()
	case word == "save":
		return s.saveLayout(name)
	}
	return s.Say(session.Error, fmt.Sprintf("layout reset, list, save NAME, or the name of a saved layout; there is no %q", rest))
}

// layoutNames are the words that follow ":layout".
func (t *tab) layoutNames() []string {
	return append([]string{"reset", "list", "save "}, slices.Sorted(maps.Keys(t.saved.Layouts))...)
}

// saveLayout keeps the layout under a name.
func (s *Screen) saveLayout(name string) tea.Cmd {
	if why := nameFault(name); why != "" || name == "reset" || name == "list" {
		return s.Say(session.Error, "layout save NAME: "+max(why, "a name other than reset and list"))
	}
	set := &s.opt.Settings
	if set.Layouts = maps.Clone(set.Layouts); set.Layouts == nil {
		set.Layouts = map[string]config.Layout{}
	}
	l := s.layout.Layout
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
	return tea.Batch(s.Say(session.Info, fmt.Sprintf("saved; :layout %s brings it back", name)), s.keep(changes...))
}

// removeLayout removes the keys of a saved layout.
func removeLayout(name string) (changes []config.Change) {
	for _, key := range []string{"detail_below", "main", "body", "low", "hide_detail", "hide_stderr", "hide_findings", "columns"} {
		changes = append(changes, config.Change{Table: "layouts." + name, Key: key})
	}
	return changes
}

// takeLayout puts a saved layout in force. What it does not say is as at first.
func (s *Screen) takeLayout(l config.Layout) tea.Cmd {
	s.layout.Take(l)
	return s.setColumns(l.Columns)
}

// openColours opens the list of colour rules.
func (s *Screen) openColours() tea.Cmd {
	b := &savedBox{pickBox{screen: s, title: "colour rules"}, map[string]func() tea.Cmd{}, s.openColours}
	for i, c := range s.opt.Settings.Colours {
		shown := fmt.Sprintf("%d  %s", i+1, c.Colour)
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: shown, Text: format.Visible([]byte(c.Filter), 200), Group: "the first rule that selects a row holds; delete removes one",
			Look: func(th *style.Theme) style.Style { return th.Colour(c.Colour) }, Do: func() tea.Cmd { return s.sessions.SetFilter(s.tab().Tab, c.Filter) }})
		b.remove[shown] = func() tea.Cmd {
			s.opt.Settings.Colours = slices.Delete(slices.Clone(s.opt.Settings.Colours), i, i+1)
			return tea.Batch(s.recolour(), s.keep(config.Change{Table: "colours", Value: config.Without(c)}))
		}
	}
	for _, name := range style.Colours() {
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: name, Text: "for the rows that a filter selects", Group: "new", Look: func(th *style.Theme) style.Style { return th.Colour(name) },
			Do: func() tea.Cmd { return s.prefill(commandPrompt, "colour "+name+" "+s.tab().Filter) }})
	}
	return b.open()
}

// colourCommand adds a colour rule: a colour and a filter, that in force where none is given.
func (s *Screen) colourCommand(t *tab, rest string) tea.Cmd {
	word, filter, _ := strings.Cut(rest, " ")
	c := config.Colour{Filter: strings.TrimSpace(filter), Colour: word}
	if c.Filter == "" {
		c.Filter = t.Filter
	}
	if _, why := c.Check(); why != "" {
		return s.Say(session.Error, "colour COLOUR FILTER: "+why)
	}
	s.opt.Settings.Colours = append(slices.Clip(s.opt.Settings.Colours), c)
	return tea.Batch(s.recolour(), s.keep(config.Change{Table: "colours", Value: c}))
}

// recolour has rows drawn by the colour rules as they are.
func (s *Screen) recolour() tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		t.Ctx.Colours = s.rowColours()
		cmds = append(cmds, t.Tell(pane.RestyledMsg{}))
	}
	return tea.Batch(cmds...)
}

// rowColours are the rules in the theme, with filters of their own for each session: a filter
// keeps what it knows of one.
func (s *Screen) rowColours() []pane.RowColour {
	var rules []pane.RowColour
	for _, c := range s.opt.Settings.Colours {
		if f, err := session.ParseFilter(c.Filter); err == nil {
			rules = append(rules, pane.RowColour{Filter: f, Look: s.theme.Colour(c.Colour)})
		}
	}
	return rules
}
