package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/config"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// Options say what the screen shows and how.
type Options struct {
	Sources  []source.Source // Sources are the sessions, at least one.
	Settings config.Settings
	Save     func(config.Settings) error // Save keeps the state of the panes at the end; nil = it is not kept.
	Dark     bool                        // Dark: the terminal's background, until it answers.
	NoColour bool
	Back     tea.Cmd       // Back is what follows where somebody goes back out of the session; nil = the program ends.
	Says     func() string // Says is a line about what is happening, for the demo; nil = none.
	Filter   string        // Filter is the filter of all sessions at first; empty = all rows are shown.
	History  string        // History is the folder of what was composed for each server; empty = it is not kept.
}

// A Screen is the root model. It routes; what there is to see is the panes'.
type Screen struct {
	opt    Options
	theme  *style.Theme
	tabs   []*tab
	at     int // at is the tab that is shown.
	w, h   int
	sized  bool // sized: w and h are the terminal's; nothing is drawn before.
	layout layout
	focus  keys.Scope

	chord   string // chord is the first key of two.
	prompt  *prompt
	overlay overlay

	composer  *composer // composer is open over the panes; nil = it is not.
	composing int       // composing numbers what was asked for it.
	stays     bool      // stays: it stays open after sending.

	notice notice
	ending ending
	drag   border
	clicks pane.Clicks
	mouse  bool

	last  string // last is the View that was drawn, while dirty is not set.
	dirty bool
}

// A notice is a line in the footer.
type notice struct {
	text     string
	severity session.Severity
	serial   int // serial tells an old notice's end from this one's.
}

// New returns the screen of some sessions.
func New(opt Options) *Screen {
	s := &Screen{opt: opt, layout: newLayout(), focus: keys.Traffic, mouse: true, dirty: true, w: 80, h: 24}
	s.theme = style.New(opt.Settings.Theme, opt.Dark, opt.NoColour)
	s.restore(opt.Settings)
	for _, src := range opt.Sources {
		t := newTab(src, s.theme)
		t.ctx.Time = timeStyles[opt.Settings.Time]
		t.filter = opt.Filter
		s.tabs = append(s.tabs, t)
	}
	return s
}

// tab is the session that is shown.
func (s *Screen) tab() *tab { return s.tabs[s.at] }

// Messages of the screen's own.
type (
	// woke: a source has moved.
	woke struct{ tab int }

	// tick: time has passed; timers and uptimes are drawn anew.
	tick struct{}

	// noticeOver: a notice has been shown long enough.
	noticeOver struct{ serial int }
)

// Init asks for what the screen lives on.
func (s *Screen) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor, s.ticking()}
	for i, t := range s.tabs {
		cmds = append(cmds, t.tell(pane.Restyled{}), t.tell(pane.Moved{}), s.applyFilter(t), s.wait(i), s.news(i), t.readNotes())
	}
	return tea.Batch(cmds...)
}

// frame is the least time between two looks at a source.
const frame = 33 * time.Millisecond

// wait waits for a source to move, and no more often than the eye can follow.
func (s *Screen) wait(i int) tea.Cmd {
	wake := s.tabs[i].source.Wake()
	return func() tea.Msg {
		if _, more := <-wake; !more {
			return nil
		}
		time.Sleep(frame)
		return woke{i}
	}
}

// ticking runs timers: ten times a second while a request waits, else once.
func (s *Screen) ticking() tea.Cmd {
	pause := time.Second
	if t := s.tab(); t.ctx.Live && !t.ctx.Past && (waits(t.ctx.Snap) || s.working()) {
		pause = 100 * time.Millisecond
	}
	return tea.Tick(pause, func(time.Time) tea.Msg { return tick{} })
}

// waits reports whether a request waits whose timer is worth a look. A
// subscription stays open for hours, and nobody waits for its answer.
func waits(snap *session.Snapshot) bool {
	pending := snap.Totals().Pending
	if conns := snap.Conns(); pending > 0 && len(conns) > 0 {
		for _, x := range conns[len(conns)-1].Open[session.C2S] {
			if x.Method == "subscriptions/listen" {
				pending--
			}
		}
	}
	return pending > 0
}

// Update routes a message.
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s.dirty = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h, s.sized = max(1, msg.Width), max(1, msg.Height), true
		return s, nil
	case tea.BackgroundColorMsg:
		return s, s.restyle(s.opt.Settings.Theme, msg.IsDark())
	case tea.ModeReportMsg:
		return s, s.measure(msg)
	case tea.KeyPressMsg:
		return s, s.pressed(msg)
	case tea.PasteMsg:
		return s, s.paste(msg.Content)
	case tea.MouseMsg:
		return s, s.mouseMsg(msg)
	case woke:
		t := s.tabs[msg.tab]
		t.look()
		return s, tea.Batch(t.tell(pane.Moved{}), t.place(), s.follow(), s.land(t), s.attend(t), s.wait(msg.tab))
	case tick:
		return s, tea.Batch(s.ticked(), s.follow(), s.ticking())
	case noticeOver:
		if msg.serial == s.notice.serial {
			s.notice.text = ""
		}
		return s, nil
	}
	if cmd, mine := s.asked(msg); mine {
		return s, cmd
	}
	if cmd, mine := s.timeMsg(msg); mine {
		return s, cmd
	}
	if cmd, mine := s.noteMsg(msg); mine {
		return s, cmd
	}
	if cmd, mine := s.freshMsg(msg); mine {
		return s, cmd
	}
	if cmd, mine := s.inquiryMsg(msg); mine {
		return s, cmd
	}
	return s, tea.Batch(s.tellAll(msg), s.tellForms(msg), s.formMsg(msg))
}

// measure takes the terminal's answer to how it measures characters; the
// renderer asks, and does as it says.
func (s *Screen) measure(msg tea.ModeReportMsg) tea.Cmd {
	if !clusters(msg) {
		return nil
	}
	cells.Clusters(true)
	return s.restyle(s.opt.Settings.Theme, s.opt.Dark)
}

// clusters reports whether the terminal says that it measures grapheme clusters.
func clusters(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && msg.Value != ansi.ModeNotRecognized && msg.Value != ansi.ModePermanentlyReset
}

// ticked lets time pass for the session that is shown. Nothing is drawn for a
// recording.
func (s *Screen) ticked() tea.Cmd {
	t := s.tab()
	if !t.source.Live() && (!t.ctx.Live || t.ctx.Past) {
		s.dirty = s.notice.text != "" || s.opt.Says != nil
		return nil
	}
	t.look()
	return t.tell(pane.Moved{})
}

// tellAll gives a message to the panes of all sessions: answers to commands are
// known by their senders.
func (s *Screen) tellAll(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		cmds = append(cmds, t.tell(msg))
	}
	return tea.Batch(cmds...)
}

// asked carries out what a pane, or a command, asks for.
func (s *Screen) asked(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case pane.Goto:
		return s.goTo(msg.Row), true
	case pane.Copy:
		return s.copy(msg), true
	case pane.Edit:
		return s.edit(msg), true
	case editing:
		return s.runEditor(msg), true
	case pane.Say:
		return s.say(msg.Severity, msg.Text), true
	case pane.Focus:
		return s.show(msg.Pane), true
	case pane.Explain:
		return s.explain(msg.Rule), true
	case pane.Send:
		return s.send(msg.Line), true
	case pane.Compose:
		return s.composePane(msg), true
	case pane.List:
		return s.list(msg), true
	case pane.Subscribe:
		return s.subscribePane(msg), true
	case pane.Cancel:
		return s.cancelRow(msg.Row), true
	case pane.CancelTask:
		return s.cancelTask(msg), true
	case unsubscribed:
		return s.unsubscribedMsg(msg), true
	case listedWrong, followed, listed:
		return s.listing(msg)
	case pane.SetFilter:
		return s.setFilter(msg.Text), true
	case newsCame:
		return s.newsMsg(msg), true
	case pane.Compare:
		return s.compare(msg), true
	case pane.Compared:
		return s.comparedNow(msg), true
	case found:
		return s.compareFound(msg), true
	case sent, restarted, edited, ended, exported:
		return s.done(msg), true
	}
	return s.composerMsg(msg)
}

// say shows a line in the footer for a while.
func (s *Screen) say(severity session.Severity, text string) tea.Cmd {
	s.notice = notice{text: text, severity: severity, serial: s.notice.serial + 1}
	serial := s.notice.serial
	return tea.Tick(s.opt.Settings.NoticeFor(severity), func(time.Time) tea.Msg { return noticeOver{serial} })
}

// pressed is key, and ends a notice of no weight that was there before where the
// key has led to other keys, which the footer has to show.
func (s *Screen) pressed(msg tea.KeyPressMsg) tea.Cmd {
	focus, page, box, form, said := s.focus, s.layout.page, s.overlay, s.composer, s.notice.serial
	cmd := s.key(msg)
	opened := s.overlay != nil && s.overlay != box || s.composer != nil && s.composer != form
	moved := s.focus != focus || s.layout.page != page
	if (opened || moved) && s.notice.severity == session.Info && s.notice.serial == said {
		s.notice.text = ""
	}
	return cmd
}

// restyle changes the theme.
func (s *Screen) restyle(name string, dark bool) tea.Cmd {
	s.opt.Dark, s.opt.Settings.Theme = dark, name
	s.theme = style.New(name, dark, s.opt.NoColour)
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		t.ctx.Theme = s.theme
		cmds = append(cmds, t.tell(pane.Restyled{}))
	}
	return tea.Batch(cmds...)
}
