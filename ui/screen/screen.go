package screen

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder/capture"
	"wiretea/recorder/watch"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/ui/comparing"
	"wiretea/ui/composer"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/intercept"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/leaving"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/preferences"
	"wiretea/ui/prompt"
	"wiretea/ui/requests"
	"wiretea/ui/source"
	"wiretea/ui/termimage"
	"wiretea/ui/timeline"
	"wiretea/ui/tour"
)

// Options say what the screen shows and how.
type Options struct {
	Sources  []source.Source // Sources are the sessions, at least one.
	Settings config.Settings
	Dark     bool // Dark: the terminal's background, until it answers.
	NoColour bool
	Back     tea.Cmd   // Back is what follows where somebody goes back out of the session; nil = the program ends.
	Tour     tour.Tour // Tour is what plays in the session, for the demo; nil = nothing does.
	Merged   bool      // Merged: several sessions are shown in one list at first.
	Filter   string    // Filter is the filter of all sessions at first; empty = all rows are shown.
	Folder   string    // Folder is that of config.toml; empty = settings are not written.
	History  string    // History is the folder of what was composed for each server; empty = it is not kept.
}

// A Screen is the root model. It routes; what there is to see is the panes'.
type Screen struct {
	opt      Options
	prefs    *preferences.Preferences
	keys     keys.Map
	tabs     []*tab
	w, h     int
	sized    bool // sized: w and h are the terminal's; nothing is drawn before.
	layout   *layout.Layout
	tour     *tour.Follower
	guidance guidance

	at     int                // at is the tab that is shown.
	merged *capture.Recording // merged is what the tab of all sessions shows; nil before it was shown first.

	chord   string // chord is the first key of two.
	prompt  *prompt.Prompt
	asked   asked       // asked are the kinds of what the prompt asks for.
	overlay overlay.Box // overlay is the box over the panes; nil = none is open.

	notice  notice
	leaving *leaving.Leaving
	widens  string // widens is the column of traffic whose edge is dragged; empty = none.
	clicks  pane.Clicks
	mouse   bool

	pictures termimage.Pictures

	last  string // last is the View that was drawn, while dirty is not set.
	dirty bool
}

// A notice is a line over the bottom border of the panes.
type notice struct {
	text     string
	severity session.Severity
	at       time.Time
	serial   int // serial tells an old notice's end from this one's.
}

// New returns the screen of some sessions.
func New(opt Options) *Screen {
	s := &Screen{opt: opt, mouse: true, dirty: true, w: 80, h: 24}
	s.keys, _ = keys.Rebind(opt.Settings.Keys) // whoever read the settings has said what is wrong with them
	s.layout = layout.New(s.keys, opt.Settings.Layout, s.bodyRect)
	if opt.Settings.Columns != "" {
		s.layout.Columns = opt.Settings.Columns
	}
	s.prefs = preferences.New(preferences.Options{
		Screen: s, Keys: s.keys, Settings: opt.Settings, Dark: opt.Dark, NoColour: opt.NoColour, Folder: opt.Folder,
		Type:        func(line string) tea.Cmd { return s.prompt.Fill(s.asked.command, line) },
		ColumnWidth: func(name string) int { return s.tab().Traffic.Table().Width(name) },
	})
	s.tour = tour.New(s, s.keys, opt.Tour)
	s.prompt, s.asked = prompt.New(s, &s.prefs.Settings), s.kinds()
	s.guidance = guidance{&s.prefs.Settings, s.tour.Plays()}
	if s.prefs.Settings.New {
		s.prefs.Settings.New, s.prefs.Settings.Guides = false, newGuides()
	}
	kept := intercept.Of(&s.prefs.Settings)
	for _, src := range opt.Sources {
		s.tabs = append(s.tabs, s.newTab(src, kept))
	}
	var left []leaving.Session
	for _, t := range s.tabs {
		left = append(left, leaving.Session{Source: t.Source, Place: t.intercept})
	}
	s.leaving = leaving.New(s, left, opt.Back)
	if opt.Merged && len(s.tabs) > 1 {
		s.merge()
		s.at = len(opt.Sources)
	}
	return s
}

// tab is the session that is shown.
func (s *Screen) tab() *tab { return s.tabs[s.at] }

// Messages of the screen's own.
type (
	// wokeMsg: a source has moved.
	wokeMsg struct{ tab *tab }

	// tickMsg: time has passed; timers and uptimes are drawn anew.
	tickMsg struct{}

	// noticeOverMsg: a notice has been shown long enough.
	noticeOverMsg struct{ serial int }
)

// Init asks for what the screen lives on.
func (s *Screen) Init() tea.Cmd {
	cmds := []tea.Cmd{pane.Program(tea.RequestBackgroundColor), s.ticking()}
	for _, t := range s.tabs {
		cmds = append(cmds, t.begin())
	}
	return tea.Batch(cmds...)
}

// begin asks for what the tab lives on.
func (t *tab) begin() tea.Cmd {
	return tea.Batch(t.Tell(pane.RestyledMsg{}), t.Tell(pane.MovedMsg{}), t.ApplyFilter(), t.wait(), t.news(), t.ReadNotes(), t.intercept.Open())
}

// frame is the least time between two looks at a source.
const frame = 33 * time.Millisecond

// wait waits for a source to move, and no more often than the eye can follow.
func (t *tab) wait() tea.Cmd {
	wake := t.Source.Wake()
	return func() tea.Msg {
		if _, more := <-wake; !more {
			return nil
		}
		time.Sleep(frame)
		return wokeMsg{t}
	}
}

// ticking runs timers: ten times a second while a request waits, else once.
func (s *Screen) ticking() tea.Cmd {
	pause := time.Second
	for i, t := range s.tabs {
		if i == s.at && t.Ctx.Live && !t.Ctx.Past && (waits(t.Ctx.Snap) || len(t.Held.State().Held) > 0 || strings.Contains(t.busyWord(), "⟳")) {
			pause = 100 * time.Millisecond
		}
	}
	return tea.Tick(pause, func(time.Time) tea.Msg { return tickMsg{} })
}

// waits reports whether a request waits whose timer is worth a look. A
// subscription stays open for hours, and its timer is of no interest.
func waits(snap *session.Snapshot) bool {
	pending := snap.Totals().Pending
	if c := snap.LastConn(); pending > 0 && c != nil {
		for _, x := range c.Open[session.C2S] {
			if x.Method == "subscriptions/listen" {
				pending--
			}
		}
	}
	return pending > 0
}

// Update implements tea.Model.
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := s.update(msg)
	if s.tour.Plays() {
		cmd = tea.Batch(cmd, s.tour.Follow())
	}
	return s, tea.Batch(cmd, s.tab().followHeld(), s.uncover(), s.showPictures())
}

// uncover lets the panes of details know which of them is in sight. What covers them, such as
// a page, must not pay for what they would show.
func (s *Screen) uncover() tea.Cmd {
	seen := s.sized && slices.ContainsFunc(s.layout.Place(s.bodyRect()), func(p layout.Placed) bool { return p.Scope == keys.Detail })
	var cmd tea.Cmd
	for _, t := range s.tabs {
		before := t.Ctx.Unseen
		if t.Ctx.Unseen = !seen || t != s.tab(); before && !t.Ctx.Unseen {
			cmd = t.TellOne(keys.Detail, pane.MovedMsg{})
		}
	}
	return cmd
}

// update routes a message.
func (s *Screen) update(msg tea.Msg) tea.Cmd {
	s.dirty = true
	defer func() {
		s.layout.NoStderr, s.layout.Held, s.layout.Composing = s.tab().Ctx.HTTP(), s.tab().Held.Want, s.tab().composer.IsOpen
		if s.layout.Zoom == keys.Held && len(s.tab().Held.State().Held) == 0 {
			s.layout.Zoom, s.layout.Focus = keys.Global, keys.Traffic
		}
		if s.layout.Focus == keys.Held {
			s.layout.Refocus() // The last held message may be gone, and the pane with it.
		}
	}()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h, s.sized = max(1, msg.Width), max(1, msg.Height), true
		s.layout.Refocus()
		return nil
	case tea.BackgroundColorMsg:
		return s.prefs.Background(msg.IsDark())
	case tea.ModeReportMsg:
		if clusters(msg) {
			cells.Clusters(true)
			return s.prefs.Restyle()
		}
		return nil
	case tea.ResumeMsg:
		s.pictures.Forget()
		return nil
	case tea.KeyPressMsg:
		return s.pressed(msg)
	case tea.PasteMsg:
		return s.paste(msg.Content)
	case tea.MouseMsg:
		return s.mouseMsg(msg)
	case pane.ProgramMsg:
		return msg.Cmd
	case host.AddressedMsg:
		return s.deliver(msg)
	}
	if s.pictures.Hear(msg) {
		for _, t := range s.tabs {
			t.Ctx.Graphics = s.pictures.Drawn()
		}
		return nil
	}
	cmd, _ := s.handle(s.tab(), msg)
	return cmd
}

// deliver gives a message of a part of a tab to the screen where it asks for something,
// else to the part. A tab that was closed has none any more.
func (s *Screen) deliver(msg host.AddressedMsg) tea.Cmd {
	i := slices.IndexFunc(s.tabs, func(t *tab) bool { return t.Tab == msg.Tab })
	if i < 0 {
		return nil
	}
	if cmd, mine := s.handle(s.tabs[i], msg.Msg); mine {
		return cmd
	}
	return msg.Tab.Addressed(msg.To, msg.To.Update(msg.Msg))
}

// clusters reports whether the terminal, asked by the renderer, says that it measures
// grapheme clusters.
func clusters(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && msg.Value != ansi.ModeNotRecognized && msg.Value != ansi.ModePermanentlyReset
}

// ticked lets time pass for the session that is shown. Nothing is drawn for a
// recording.
func (s *Screen) ticked() tea.Cmd {
	var cmds []tea.Cmd
	for i, t := range s.tabs {
		if cmd := t.intercept.Due(); cmd != nil {
			cmds = append(cmds, cmd)
		}
		if i == s.at && (t.Source.Live() || t.Ctx.Live && !t.Ctx.Past) {
			t.Look()
			t.pulse.look(t.Ctx.Now, t.Ctx.Snap.Len())
			cmds = append(cmds, t.Tell(pane.MovedMsg{}))
		}
	}
	if len(cmds) == 0 {
		s.dirty = s.notice.text != "" || s.tour.Plays()
	}
	return tea.Batch(cmds...)
}

// Say implements host.Screen: it shows a line above the footer for a while.
func (s *Screen) Say(severity session.Severity, text string) tea.Cmd {
	s.notice = notice{text: text, severity: severity, at: time.Now(), serial: s.notice.serial + 1}
	serial := s.notice.serial
	return tea.Tick(s.prefs.Settings.NoticeFor(severity), func(time.Time) tea.Msg { return noticeOverMsg{serial} })
}

// readable is how long an error or a warning stays whatever key is pressed but esc.
const readable = time.Second

// pressed is key, and ends the notice that was there before. An error or a warning stays for
// readable, unless esc is pressed, which does nothing else then.
func (s *Screen) pressed(msg tea.KeyPressMsg) tea.Cmd {
	said, weighs := s.notice, s.notice.severity > session.Info
	if said.text != "" && weighs && msg.String() == "esc" && s.Idle() {
		s.notice.text = ""
		return nil
	}
	s.layout.Refocus()
	cmd := s.key(msg)
	if s.notice.serial == said.serial && (!weighs || time.Since(said.at) >= readable) {
		s.notice.text = ""
	}
	return cmd
}

// Current implements host.Screen.
func (s *Screen) Current() *host.Tab { return s.tab().Tab }

// Press implements host.Screen.
func (s *Screen) Press(msg tea.KeyPressMsg) tea.Cmd { return s.key(msg) }

// Layout implements host.Screen.
func (s *Screen) Layout() *layout.Layout { return s.layout }

// Idle implements host.Screen.
func (s *Screen) Idle() bool {
	return s.overlay == nil && !s.tab().composer.IsOpen() && !s.prompt.IsOpen() && s.chord == "" && !s.leaving.Running()
}

// Settings returns what is to be kept for the next time.
func (s *Screen) Settings() config.Settings {
	set := s.prefs.Settings
	set.Layout = s.layout.Kept()
	return set
}

// A tab is one session on the screen, with the parts that act on it.
type tab struct {
	*host.Tab
	timeline  *timeline.Timeline
	requests  *requests.Requests
	questions *requests.Questions
	composer  *composer.Composer
	intercept *intercept.Intercept
	comparing *comparing.Comparing

	prefs *preferences.Preferences // prefs are the screen's.
	built *watch.Built             // built is the latest build; nil = none.
	pulse pulse                    // pulse is how many rows came in the last seconds.
}

func (s *Screen) newTab(src source.Source, kept *intercept.Kept) *tab {
	t := &tab{Tab: host.New(s, src, s.prefs.Theme)}
	t.timeline, t.requests, t.questions = timeline.New(t.Tab), requests.New(t.Tab), requests.NewQuestions(t.Tab)
	t.prefs, t.comparing = s.prefs, comparing.New(t.Tab)
	s.prefs.Dress(t.Tab)
	t.intercept = intercept.New(t.Tab, kept)
	t.composer = composer.New(t.Tab, t.requests, s.opt.History)
	t.intercept.Schemas = t.composer.Schemas
	t.Ctx.Keys, t.Filter = s.keys, s.opt.Filter
	return t
}
