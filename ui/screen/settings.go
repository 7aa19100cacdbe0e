package screen

import (
	"cmp"
	"fmt"
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

// wroteMsg says that changes were written to config.toml, or why not.
type wroteMsg struct {
	n   int
	err error
}

// keep writes changes to config.toml, after those that are being written.
func (s *Screen) keep(changes ...config.Change) tea.Cmd {
	if s.opt.Folder == "" {
		return nil
	}
	set := &s.opt.Settings
	set.Unsaved = append(set.Unsaved, changes...)
	if len(set.Unsaved) > len(changes) {
		return nil
	}
	return s.writeSettings()
}

func (s *Screen) writeSettings() tea.Cmd {
	dir, changes := s.opt.Folder, slices.Clone(s.opt.Settings.Unsaved)
	return func() tea.Msg { return wroteMsg{len(changes), config.Write(dir, changes...)} }
}

// wrote goes on with what has come since.
func (s *Screen) wrote(_ *tab, msg wroteMsg) tea.Cmd {
	set := &s.opt.Settings
	set.Unsaved = slices.Clone(set.Unsaved[min(msg.n, len(set.Unsaved)):])
	var cmds []tea.Cmd
	if msg.err != nil {
		cmds = append(cmds, s.Say(session.Error, "it holds until wiretea exits: "+msg.err.Error()))
	}
	if len(set.Unsaved) > 0 {
		cmds = append(cmds, s.writeSettings())
	}
	return tea.Batch(cmds...)
}

// set changes a setting: its name and its value, nothing for the default.
func (s *Screen) set(_ *tab, rest string) tea.Cmd {
	name, value, _ := strings.Cut(rest, " ")
	value = strings.TrimSpace(value)
	known := config.Known()
	at := slices.IndexFunc(known, func(k config.Setting) bool { return k.Path() == name })
	if at < 0 {
		var names []string
		for i := range known {
			names = append(names, known[i].Path())
		}
		if name == "" {
			return s.openSettings()
		}
		return s.Say(session.Error, fmt.Sprintf("unknown setting %q: %s", name, format.Nearest(name, names, "there are "+strings.Join(names, ", "))))
	}
	k := &known[at]
	if why := k.Check(value); why != "" {
		return s.Say(session.Error, name+": "+why)
	}
	return tea.Batch(s.apply(k, value), s.keep(changeOf(k, value)))
}

// changeOf is a setting's change in config.toml; the empty value removes it.
func changeOf(k *config.Setting, value string) config.Change {
	c := config.Change{Table: k.Table, Key: k.Key, Value: value}
	if value == "" {
		c.Value = nil
	}
	return c
}

// apply puts a setting in force.
func (s *Screen) apply(k *config.Setting, value string) tea.Cmd {
	set := &s.opt.Settings
	now := func(field *string, do tea.Cmd) tea.Cmd { *field = value; return do }
	switch k.Path() {
	case "theme":
		return s.restyle(value, s.opt.Dark)
	case "background":
		set.Background = value
		return s.restyle(set.Theme, s.opt.Dark)
	case "time":
		return s.setTimeStyle(pane.TimeStyle(max(0, slices.Index(timeWords[:], value))))
	case "columns":
		return now(&set.Columns, s.setColumns(value))
	case "notice":
		return now(&set.NoticeText, s.Say(session.Info, "notices stay as long as this one"))
	case "limits.timeout":
		return now(&set.Limits.Timeout, s.nextStart())
	case "limits.max_line":
		return now(&set.Limits.MaxLine, s.nextStart())
	case "limits.max_age":
		return now(&set.Limits.MaxAge, s.nextStart())
	case "limits.max_disk":
		return now(&set.Limits.MaxDisk, s.nextStart())
	}
	return nil
}

func (s *Screen) nextStart() tea.Cmd {
	return s.Say(session.Info, "this holds from the next session on")
}

// completeSettings are the settings with what each can be, for completion.
func completeSettings(*tab) (out []string) {
	known := config.Known()
	for i := range known {
		if known[i].Values == nil {
			out = append(out, known[i].Path()+" ")
		}
		for _, v := range known[i].Values {
			out = append(out, known[i].Path()+" "+v)
		}
	}
	return out
}

// A settingsBox is the page of settings. An arrow changes the chosen one at once.
type settingsBox struct{ pickBox }

// openSettings opens the page.
func (s *Screen) openSettings() tea.Cmd {
	b := &settingsBox{pickBox{screen: s, title: "settings"}}
	b.list()
	s.Open(b)
	return nil
}

// list lists what is set now.
func (b *settingsBox) list() {
	s, set := b.screen, &b.screen.opt.Settings
	b.Entries = nil
	for _, f := range set.Faults {
		where := "config.toml"
		if f.Line > 0 {
			where = fmt.Sprintf("line %d", f.Line)
		}
		says := f.Says
		if f.Key != "" {
			says = f.Key + ": " + says
		}
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: "✖ " + where, Text: format.OneLine(format.Visible([]byte(says), 400)), Group: "faults in config.toml, which are left out", Also: "fault error wrong",
			Look: func(th *style.Theme) style.Style { return th.Error }})
	}
	known := config.Known()
	for i := range known {
		k := &known[i]
		e := keyhelp.Entry{Keys: k.Path(), Group: "settings; ← → changes one, enter writes a value", Text: cmp.Or(k.Value(set), "the usual ones") + "  " + k.Says}
		if k.Table == "limits" {
			e.Group = "limits; enter writes a value"
		}
		e.Do = func() tea.Cmd { return s.prefill(commandPrompt, "set "+k.Path()+" ") }
		if k.Key == "theme" {
			e.Do = s.openThemes
		}
		b.Entries = append(b.Entries, e)
	}
	menu := func(name string, n int, says string, do func() tea.Cmd) {
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: name, Text: fmt.Sprintf("%d  %s", n, says), Group: "yours", Do: do})
	}
	menu("filters", len(set.Filters), "saved filters", s.openFilters)
	menu("layouts", len(set.Layouts), "saved layouts", s.openLayouts)
	menu("colours", len(set.Colours), "rules for the colours of rows", s.openColours)
	b.Find()
}

// Key implements overlay.Box.
func (b *settingsBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	step := map[string]int{"left": -1, "right": 1}[msg.String()]
	if step == 0 {
		return b.pickBox.Key(msg)
	}
	known := config.Known()
	at := b.Chosen()
	i := slices.IndexFunc(known, func(k config.Setting) bool { return at >= 0 && k.Path() == b.Entries[at].Keys })
	if i < 0 || len(known[i].Values) == 0 {
		return nil, false
	}
	k := &known[i]
	now := slices.IndexFunc(k.Values, func(v string) bool { return strings.EqualFold(v, k.Value(&b.screen.opt.Settings)) })
	value := k.Values[(max(0, now)+step+len(k.Values))%len(k.Values)]
	chosen := b.At
	cmd := tea.Batch(b.screen.apply(k, value), b.screen.keep(changeOf(k, value)))
	b.list()
	b.At = min(chosen, len(b.Found)-1)
	return cmd, false
}

// A themeBox is the list of themes. The chosen one is seen at once, and kept by enter.
type themeBox struct {
	pickBox
	before string
}

// openThemes opens the list at the theme that is in force.
func (s *Screen) openThemes() tea.Cmd {
	b := &themeBox{pickBox{screen: s, title: "themes"}, s.opt.Settings.Theme}
	for _, name := range style.Names() {
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: name, Text: swatchWords, Group: "enter keeps a theme, esc goes back", Also: "theme"})
	}
	b.Find()
	b.At = max(0, slices.Index(style.Names(), cmp.Or(b.before, style.Default)))
	s.Open(b)
	return nil
}

const swatchWords = "as the screen shows now"

// Size implements overlay.Box: it leaves most of the screen to be seen.
func (b *themeBox) Size(_ *style.Theme, w, h int) (int, int) {
	return min(w, 46), min(h, max(8, h*2/3))
}

// Take implements overlay.Taker.
func (b *themeBox) Take(msg any) tea.Cmd {
	s := b.screen
	key, is := msg.(tea.KeyPressMsg)
	if !is {
		return nil
	}
	switch key.String() {
	case "esc", "ctrl+c":
		s.overlay = nil
		return s.restyle(b.before, s.opt.Dark)
	case "enter":
		s.overlay = nil
		if at := b.Chosen(); at >= 0 {
			return s.set(s.tab(), "theme "+b.Entries[at].Keys)
		}
		return s.restyle(b.before, s.opt.Dark)
	}
	b.Box.Key(key)
	if at := b.Chosen(); at >= 0 {
		return s.restyle(b.Entries[at].Keys, s.opt.Dark)
	}
	return nil
}
