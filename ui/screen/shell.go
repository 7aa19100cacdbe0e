package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/ui/config"
	"wiretea/ui/home"
	"wiretea/ui/pane"
	"wiretea/ui/source"
	"wiretea/ui/style"
	"wiretea/ui/tour"
)

// Doors open what home asks for.
type Doors interface {
	// Open begins a visit. It may take its time and is called in a command; an
	// error is shown in home.
	Open(ctx context.Context, what home.Ask) (*Visit, error)
}

// A Visit is a session that was opened from home.
type Visit struct {
	Sources []source.Source // Sources are what there is to look at, at least one.
	Merged  bool            // Merged: they are shown in one list at first.
	Tour    tour.Tour       // Tour is what plays in the session; nil = nothing does.

	// Begin is called once the session is shown, in a command; nil = nothing is.
	// It returns when ctx ends, which it does when the session is left. Its error
	// is shown.
	Begin func(ctx context.Context) error

	// Close gives back what the visit holds, once it was left, and returns a line
	// for home; empty = there is nothing to say. It is called in a command.
	Close func() string
}

// ShellOptions say what a shell shows and how.
type ShellOptions struct {
	Doors    Doors
	Finder   home.Finder
	Editor   home.Editor
	Compare  func(ctx context.Context, old, new string) ([]string, error) // Compare is that of home.Options.
	Now      func() time.Time                                             // Now is the wall clock; nil = time.Now.
	Settings config.Settings
	Dark     bool // Dark: the terminal's background, until it answers.
	NoColour bool
	Folder   string // Folder is that of config.toml; empty = settings are not written.
	History  string // History is the folder of what was composed for each server; empty = it is not kept.
}

// A Shell is the root model of a program that has a home: it shows home, or a
// session that was opened from there, and goes from one to the other without
// leaving the alternate screen.
//
// What the commands of home and of each visit answer comes back to those who
// asked: an answer for a session that was left is dropped.
type Shell struct {
	opt  ShellOptions
	home *home.Home

	screen *Screen // screen is the session that is shown; nil = home is.
	visit  *Visit
	cancel context.CancelFunc // cancel ends the visit's Begin.
	number int                // number counts the visits; 0 is home's.
	opens  bool               // opens: a session is being opened.

	w, h  int
	sized bool   // sized: w and h are the terminal's; nothing is drawn before.
	last  string // last is what was drawn of home, while dirty is not set.
	dirty bool
}

// A visitMsg is a message with its addressee: the visit of that number, or home.
type visitMsg struct {
	number int
	msg    tea.Msg
}

// Messages of the shell's own.
type (
	openedMsg struct {
		visit *Visit
		err   error
	}
	wentBackMsg struct{}
	closedMsg   struct{ says string }
)

// NewShell returns a shell that shows home.
func NewShell(opt ShellOptions) *Shell {
	s := &Shell{opt: opt, w: 80, h: 24, dirty: true}
	s.home = home.New(home.Options{Finder: opt.Finder, Editor: opt.Editor, Compare: opt.Compare, Now: opt.Now, Theme: s.theme(), Settings: opt.Settings})
	return s
}

func (s *Shell) theme() *style.Theme {
	return style.New(s.opt.Settings.Theme, s.opt.Settings.Dark(s.opt.Dark), s.opt.NoColour)
}

// Settings returns what is to be kept for the next time.
func (s *Shell) Settings() config.Settings {
	if s.screen != nil {
		return s.screen.Settings()
	}
	return s.opt.Settings
}

// Init asks for what the shell lives on.
func (s *Shell) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, addressed(0, s.home.Begin()))
}

// addressed returns a command whose messages find the visit that gave it.
func addressed(number int, cmd tea.Cmd) tea.Cmd {
	return pane.Wrap(cmd, func(msg tea.Msg) tea.Msg { return visitMsg{number, msg} })
}

// Update routes a message.
func (s *Shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s.dirty = true
	switch msg := msg.(type) {
	case visitMsg:
		return s, s.deliver(msg)
	case tea.WindowSizeMsg:
		s.w, s.h, s.sized = max(1, msg.Width), max(1, msg.Height), true
	case tea.BackgroundColorMsg:
		s.opt.Dark = msg.IsDark()
		s.home.Restyle(s.theme())
	case tea.ModeReportMsg:
		if clusters(msg) {
			cells.Clusters(true)
		}
	}
	if s.screen != nil {
		return s, s.give(msg)
	}
	return s, addressed(0, s.homeMsg(msg))
}

// give gives a message to the session that is shown.
func (s *Shell) give(msg tea.Msg) tea.Cmd {
	_, cmd := s.screen.Update(msg)
	return addressed(s.number, cmd)
}

// homeMsg gives home what came from the terminal, or from another goroutine of
// the program.
func (s *Shell) homeMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if s.opens && msg.String() != "ctrl+c" {
			return nil
		}
		return s.home.Key(msg)
	case tea.MouseMsg:
		if s.opens {
			return nil
		}
		return s.home.Mouse(msg)
	case tea.PasteMsg:
		return s.home.Paste(msg.Content)
	}
	return s.home.Update(msg)
}

// deliver gives a message to whom it is for.
func (s *Shell) deliver(l visitMsg) tea.Cmd {
	switch msg := l.msg.(type) {
	case pane.ProgramMsg:
		return msg.Cmd
	case home.Ask:
		return s.asked(msg)
	case openedMsg:
		return s.enter(msg)
	case closedMsg:
		return addressed(0, tea.Batch(s.home.Say(session.Info, msg.says), s.home.Refresh()))
	}
	switch {
	case l.number == 0:
		return addressed(0, s.home.Update(l.msg))
	case l.number != s.number || s.screen == nil:
		return nil
	}
	if _, back := l.msg.(wentBackMsg); back {
		return s.goHome()
	}
	return s.give(l.msg)
}

// asked carries out what home asks for.
func (s *Shell) asked(what home.Ask) tea.Cmd {
	if _, quits := what.(home.Quit); quits {
		return tea.Quit
	}
	if s.opens || s.screen != nil {
		return nil
	}
	s.opens = true
	s.home.Busy("opening…")
	doors := s.opt.Doors
	return addressed(0, func() tea.Msg {
		visit, err := doors.Open(context.Background(), what)
		return openedMsg{visit, err}
	})
}

// enter shows a session that was opened.
func (s *Shell) enter(msg openedMsg) tea.Cmd {
	s.opens = false
	s.home.Idle()
	if msg.err != nil {
		return addressed(0, s.home.Say(session.Error, msg.err.Error()))
	}
	s.home.Leave()
	s.number++
	s.visit = msg.visit
	s.screen = New(Options{
		Sources: msg.visit.Sources, Merged: msg.visit.Merged, Settings: s.opt.Settings, Dark: s.opt.Dark, NoColour: s.opt.NoColour, Tour: msg.visit.Tour, History: s.opt.History, Folder: s.opt.Folder,
		Back: func() tea.Msg { return wentBackMsg{} },
	})
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	size := s.give(tea.WindowSizeMsg{Width: s.w, Height: s.h})
	return tea.Batch(size, addressed(s.number, s.screen.Init()), addressed(s.number, beginning(ctx, msg.visit)))
}

// beginning runs the visit's Begin, whose error is shown.
func beginning(ctx context.Context, v *Visit) tea.Cmd {
	if v.Begin == nil {
		return nil
	}
	return func() tea.Msg {
		if err := v.Begin(ctx); err != nil && ctx.Err() == nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Error}
		}
		return nil
	}
}

// goHome leaves the session that is shown.
func (s *Shell) goHome() tea.Cmd {
	s.opt.Settings = s.screen.Settings()
	s.cancel()
	visit, left := s.visit, s.screen
	s.screen, s.visit, s.cancel = nil, nil, nil
	s.home.Restyle(s.theme())
	begin := addressed(0, s.home.Begin())
	return tea.Batch(begin, addressed(0, func() tea.Msg {
		if left.Close(); visit.Close == nil {
			return nil
		}
		return closedMsg{visit.Close()}
	}))
}

// Close ends the reading of what the session that is shown has opened.
func (s *Shell) Close() {
	if s.screen != nil {
		s.screen.Close()
	}
}

// View draws home, or the session that is shown. Home is drawn anew only after
// something has happened.
func (s *Shell) View() tea.View {
	if s.screen != nil {
		return s.screen.View()
	}
	if s.dirty && s.sized {
		s.last, s.dirty = s.home.View(s.w, s.h), false
	}
	v := tea.NewView(s.last)
	v.AltScreen = true
	v.WindowTitle = "wiretea"
	v.MouseMode = tea.MouseModeCellMotion
	return v
}
