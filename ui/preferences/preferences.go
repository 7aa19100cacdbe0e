package preferences

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Options say what holds at first.
type Options struct {
	Screen   host.Screen
	Keys     keys.Map
	Settings config.Settings
	Dark     bool // Dark: the terminal's background, until it answers.
	NoColour bool
	Folder   string                    // Folder is that of config.toml; empty = settings are not written.
	Type     func(line string) tea.Cmd // Type opens the command line with a text in it.

	// ColumnWidth returns the width that a column was drawn with last, in cells; 0 for one
	// that was not drawn.
	ColumnWidth func(name string) int
}

// Preferences are what the user has set. They belong to the goroutine that runs Update.
type Preferences struct {
	opt      Options
	tabs     []*host.Tab
	Settings config.Settings // Settings are in force; the Layout of them is the screen's.
	Theme    *style.Theme    // Theme is that of the screen.
}

// New returns the preferences of a screen.
func New(opt Options) *Preferences {
	p := &Preferences{opt: opt, Settings: opt.Settings}
	p.Theme = style.New(p.Settings.Theme, p.Settings.Dark(opt.Dark), opt.NoColour)
	return p
}

// Dress has a tab follow the preferences, from now on.
func (p *Preferences) Dress(t *host.Tab) {
	p.tabs = append(p.tabs, t)
	l := p.opt.Screen.Layout()
	if t.Traffic.SetColumns(l.Columns) != nil { // It came from a file.
		l.Columns = ""
	}
	t.Ctx.Colours, t.Ctx.Time = p.rowColours(), pane.TimeStyle(max(0, slices.Index(timeWords[:], p.Settings.Time)))
}

// keep writes changes to config.toml, after those that are being written.
func (p *Preferences) keep(changes ...config.Change) tea.Cmd {
	if p.opt.Folder == "" {
		return nil
	}
	set := &p.Settings
	set.Unsaved = append(set.Unsaved, changes...)
	if len(set.Unsaved) > len(changes) {
		return nil
	}
	return p.write()
}

func (p *Preferences) write() tea.Cmd {
	dir, changes := p.opt.Folder, slices.Clone(p.Settings.Unsaved)
	return func() tea.Msg {
		err := config.Write(dir, changes...)
		return host.OwnMsg{Take: func() tea.Cmd { return p.wrote(len(changes), err) }}
	}
}

// wrote goes on with what has come since n changes were written, or were not.
func (p *Preferences) wrote(n int, err error) tea.Cmd {
	set := &p.Settings
	set.Unsaved = slices.Clone(set.Unsaved[min(n, len(set.Unsaved)):])
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, p.say(session.Error, "it holds until wiretea exits: "+err.Error()))
	}
	if len(set.Unsaved) > 0 {
		cmds = append(cmds, p.write())
	}
	return tea.Batch(cmds...)
}

func (p *Preferences) say(severity session.Severity, text string) tea.Cmd {
	return p.opt.Screen.Say(severity, text)
}

// menu is a list with a name.
func (p *Preferences) menu(name string) overlay.Menu {
	return overlay.Menu{Name: name, Close: func() { p.opt.Screen.Open(nil) }}
}

// setFilter puts a filter in force in the tab that is shown.
func setFilter(text string) func() tea.Cmd {
	return func() tea.Cmd { return pane.Tell(pane.SetFilterMsg{Text: text}) }
}

// Background takes what the terminal says of its background.
func (p *Preferences) Background(dark bool) tea.Cmd {
	p.opt.Dark = dark
	return p.Restyle()
}

// Restyle has all tabs drawn anew, in the theme that is set.
func (p *Preferences) Restyle() tea.Cmd {
	p.Theme = style.New(p.Settings.Theme, p.Settings.Dark(p.opt.Dark), p.opt.NoColour)
	return p.all(func(t *host.Tab) { t.Ctx.Theme, t.Ctx.Colours = p.Theme, p.rowColours() })
}

// all changes something of all tabs that is then drawn anew.
func (p *Preferences) all(change func(*host.Tab)) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range p.tabs {
		change(t)
		cmds = append(cmds, t.Tell(pane.RestyledMsg{}))
	}
	return tea.Batch(cmds...)
}

// theme has all drawn in another theme.
func (p *Preferences) theme(name string) tea.Cmd {
	p.Settings.Theme = name
	return p.Restyle()
}

// timeWords are the names of time styles in the settings.
var timeWords = [...]string{pane.Relative: "relative", pane.Absolute: "absolute", pane.Delta: "delta", pane.SinceMark: "mark"}

// timeSays is what the styles mean.
var timeSays = [...]string{pane.Relative: "times since the start", pane.Absolute: "times of day", pane.Delta: "times since the row before", pane.SinceMark: "times since the mark before"}

// NextTime shows times in the next style.
func (p *Preferences) NextTime() tea.Cmd {
	return p.time((p.opt.Screen.Current().Ctx.Time + 1) % (pane.SinceMark + 1))
}

func (p *Preferences) time(style pane.TimeStyle) tea.Cmd {
	p.Settings.Time = timeWords[style]
	says := timeSays[style]
	if style == pane.SinceMark && !p.opt.Screen.Current().Ctx.HasMarks() {
		says += "; " + p.opt.Keys.WordOf(keys.Mark, keys.Traffic) + " marks a row"
	}
	return tea.Batch(p.say(session.Info, says), p.all(func(t *host.Tab) { t.Ctx.Time = style }))
}
