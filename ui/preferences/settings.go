package preferences

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/config"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Set changes a setting: its name and its value, nothing for the default.
func (p *Preferences) Set(rest string) tea.Cmd {
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
			return p.OpenSettings()
		}
		return p.say(session.Error, fmt.Sprintf("unknown setting %q: %s", name, text.Nearest(name, names, "there are "+strings.Join(names, ", "))))
	}
	k := &known[at]
	if why := k.Check(value); why != "" {
		return p.say(session.Error, name+": "+why)
	}
	return tea.Batch(p.apply(k, value), p.keep(changeOf(k, value)))
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
func (p *Preferences) apply(k *config.Setting, value string) tea.Cmd {
	set := &p.Settings
	now := func(field *string, do tea.Cmd) tea.Cmd { *field = value; return do }
	switch k.Path() {
	case "theme":
		return p.theme(value)
	case "background":
		set.Background = value
		return p.Restyle()
	case "time":
		return p.time(pane.TimeStyle(max(0, slices.Index(timeWords[:], value))))
	case "columns":
		return now(&set.Columns, p.setColumns(value))
	case "notice":
		return now(&set.NoticeText, p.say(session.Info, "notices stay as long as this one"))
	case "limits.timeout":
		return now(&set.Limits.Timeout, p.nextStart())
	case "limits.max_line":
		return now(&set.Limits.MaxLine, p.nextStart())
	case "limits.max_age":
		return now(&set.Limits.MaxAge, p.nextStart())
	case "limits.max_disk":
		return now(&set.Limits.MaxDisk, p.nextStart())
	}
	return nil
}

func (p *Preferences) nextStart() tea.Cmd {
	return p.say(session.Info, "this holds from the next session on")
}

// Complete are the settings with what each can be, for completion.
func Complete() (out []string) {
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

// Entries are the lines of the help: what Set changes, and the saved filters. Themes are
// found by a search alone.
func (p *Preferences) Entries() (all []keyhelp.Entry) {
	known := config.Known()
	for i := range known {
		k := &known[i]
		if k.Values == nil {
			all = append(all, keyhelp.Entry{Keys: ":set " + k.Path(), Text: k.Says, Group: "settings", Also: keys.Also("set"),
				Do: func() tea.Cmd { return p.opt.Type("set " + k.Path() + " ") }})
		}
		for _, value := range k.Values {
			e := keyhelp.Entry{Keys: ":set " + k.Path() + " " + value, Text: k.Says, Group: "settings", Also: keys.Also("set") + " clock",
				Do: func() tea.Cmd { return p.Set(k.Path() + " " + value) }}
			if k.Key == "theme" {
				e.Page, e.Text, e.Also = "themes", "the theme "+value, keys.Also("set")
			}
			all = append(all, e)
		}
	}
	for name, words := range p.Settings.Filters {
		all = append(all, keyhelp.Entry{Keys: "filter", Text: text.Visible([]byte(name), mostName) + "  " + text.Visible([]byte(words), 200), Group: "saved filters", Page: "saved",
			Do: setFilter(words)})
	}
	return all
}

// A settingsBox is the page of settings. An arrow changes the chosen one at once.
type settingsBox struct {
	overlay.Menu
	p *Preferences
}

// OpenSettings opens the page.
func (p *Preferences) OpenSettings() tea.Cmd {
	b := &settingsBox{p.menu("settings"), p}
	b.list()
	p.opt.Screen.Open(b)
	return nil
}

// list lists what is set now.
func (b *settingsBox) list() {
	p, set := b.p, &b.p.Settings
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
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: "✖ " + where, Text: text.OneLine(text.Visible([]byte(says), 400)), Group: "faults in config.toml, which are left out", Also: "fault error wrong",
			Look: func(th *style.Theme) style.Style { return th.Error }})
	}
	known := config.Known()
	for i := range known {
		k := &known[i]
		e := keyhelp.Entry{Keys: k.Path(), Group: "settings; ← → changes one, enter writes a value", Text: cmp.Or(k.Value(set), "the usual ones") + "  " + k.Says}
		if k.Table == "limits" {
			e.Group = "limits; enter writes a value"
		}
		e.Do = func() tea.Cmd { return p.opt.Type("set " + k.Path() + " ") }
		if k.Key == "theme" {
			e.Do = p.OpenThemes
		}
		b.Entries = append(b.Entries, e)
	}
	menu := func(name string, n int, says string, do func() tea.Cmd) {
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: name, Text: fmt.Sprintf("%d  %s", n, says), Group: "yours", Do: do})
	}
	menu("filters", len(set.Filters), "saved filters", p.OpenFilters)
	menu("layouts", len(set.Layouts), "saved layouts", p.openLayouts)
	menu("colours", len(set.Colours), "rules for the colours of rows", p.OpenColours)
	b.Find()
}

// Key implements overlay.Box.
func (b *settingsBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	step := map[string]int{"left": -1, "right": 1}[msg.String()]
	if step == 0 {
		return b.Menu.Key(msg)
	}
	known := config.Known()
	at := b.Chosen()
	i := slices.IndexFunc(known, func(k config.Setting) bool { return at >= 0 && k.Path() == b.Entries[at].Keys })
	if i < 0 || len(known[i].Values) == 0 {
		return nil, false
	}
	k := &known[i]
	now := slices.IndexFunc(k.Values, func(v string) bool { return strings.EqualFold(v, k.Value(&b.p.Settings)) })
	value := k.Values[(max(0, now)+step+len(k.Values))%len(k.Values)]
	chosen := b.At
	cmd := tea.Batch(b.p.apply(k, value), b.p.keep(changeOf(k, value)))
	b.list()
	b.At = min(chosen, len(b.Found)-1)
	return cmd, false
}

// A themeBox is the list of themes. The chosen one is seen at once, and kept by enter.
type themeBox struct {
	overlay.Chooser
	p      *Preferences
	names  []string
	looks  map[string]*style.Theme // looks are the themes that were drawn.
	before string
}

// OpenThemes opens the list at the theme that is in force.
func (p *Preferences) OpenThemes() tea.Cmd {
	b := &themeBox{p: p, names: style.Names(), looks: map[string]*style.Theme{}, before: p.Settings.Theme}
	b.Look(len(b.names), b.name)
	b.At = max(0, slices.Index(b.names, cmp.Or(b.before, style.Default)))
	p.opt.Screen.Open(b)
	return nil
}

func (b *themeBox) name(i int) string { return b.names[i] }

// Title implements overlay.Box.
func (b *themeBox) Title() string { return "themes" }

// Key implements overlay.Box.
func (b *themeBox) Key(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

// View implements overlay.Box: beside each name its main colours.
func (b *themeBox) View(th *style.Theme, w, h int) []string {
	return b.Draw(th, w, h, "enter keeps a theme, esc goes back", func(i, w int) string {
		look := b.looks[b.names[i]]
		if look == nil {
			look = style.New(b.names[i], th.Dark, th.NoColour)
			b.looks[b.names[i]] = look
		}
		const swatch = 10
		line := cells.Fit(b.names[i], max(0, w-swatch))
		for _, s := range []style.Style{look.Accent, look.Client, look.OK, look.Warning, look.Error} {
			line += s.Paint("██")
		}
		return line
	})
}

// Size implements overlay.Box: it leaves most of the screen to be seen.
func (b *themeBox) Size(_ *style.Theme, w, h int) (int, int) {
	return min(w, 46), min(h, max(8, h*2/3))
}

// Take implements overlay.Taker.
func (b *themeBox) Take(msg any) tea.Cmd {
	p := b.p
	key, is := msg.(tea.KeyPressMsg)
	if !is {
		return nil
	}
	switch key.String() {
	case "esc", "ctrl+c":
		p.opt.Screen.Open(nil)
		return p.theme(b.before)
	case "enter":
		p.opt.Screen.Open(nil)
		if at := b.Chosen(); at >= 0 {
			return p.Set("theme " + b.names[at])
		}
		return p.theme(b.before)
	}
	if b.Chooser.Key(key) {
		b.Look(len(b.names), b.name)
	}
	if at := b.Chosen(); at >= 0 {
		return p.theme(b.names[at])
	}
	return nil
}
