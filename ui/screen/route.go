package screen

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// key routes a key: to the prompt or the overlay that is open, else to the
// action that the table gives it.
func (s *Screen) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if s.ending.asked {
		return s.answerQuit(name)
	}
	if s.ending.running {
		if name == "ctrl+c" {
			return s.hurry()
		}
		return nil
	}
	if s.posed() != nil && name != "ctrl+z" {
		return s.overlayKey(msg)
	}
	if s.prompt != nil && name != "ctrl+z" {
		return s.promptKey(msg)
	}
	b, _ := s.overlay.(*inquiryBox)
	if s.overlay != nil && name != "ctrl+c" && name != "ctrl+z" && (b == nil || s.chord == "" && b.wants(name)) {
		return s.overlayKey(msg)
	}
	if s.composes(name) {
		return s.composerKey(msg)
	}
	if s.chord != "" {
		name, s.chord = s.chord+" "+name, ""
		if strings.HasSuffix(name, " esc") {
			return nil
		}
	} else if keys.Begins(name, s.focus) {
		s.chord = name
		return nil
	}
	action, known := keys.Lookup(name, s.focus)
	if !known {
		return nil
	}
	return s.do(action)
}

// do carries out an action, or says why it cannot be done.
func (s *Screen) do(a keys.Action) tea.Cmd {
	if cmd, mine := s.inTime(a); mine {
		return cmd
	}
	if why := s.disabled(a); why != "" {
		return s.say(session.Info, why)
	}
	if act, mine := actions[a]; mine {
		return act(s)
	}
	cmd, _ := s.tab().do(s.focus, a)
	return cmd
}

// disabled says why an action cannot be done now, empty = it can.
func (s *Screen) disabled(a keys.Action) string {
	switch a {
	case keys.Restart:
		if _, ok := s.tab().source.(source.Server); !ok {
			return "only a server that wiretea started can be restarted"
		}
	case keys.Play, keys.StepBack, keys.StepOn, keys.OpBack, keys.OpOn, keys.Slower, keys.Faster:
		return s.tab().noPast()
	case keys.Comment:
		return s.noComment()
	case keys.Answer:
		return s.noQuestion()
	case keys.LogLevel:
		return s.noLogLevel()
	case keys.CopyFix:
		return s.noFixture()
	case keys.Compose, keys.Recall:
		return s.noSending()
	case keys.EditSend, keys.Duplicate:
		return s.noCopy()
	case keys.Resend:
		return s.noAgain()
	case keys.Cancel:
		if s.focus == keys.Tools {
			return s.tab().tools.Disabled(&s.tab().ctx, a)
		}
		return s.noCancel()
	case keys.Difference:
		return s.noDifference()
	case keys.NextFile, keys.PrevFile:
		if len(s.tabs) < 2 {
			return "there is one session only"
		}
	case keys.SearchNext, keys.SearchPrev:
		if s.focus == keys.Tools && s.tab().tools.Narrowed() != "" {
			return ""
		}
	case keys.FilterOff:
		if s.tab().filter == "" {
			return "no filter is set; f sets one"
		}
	case keys.Pause, keys.Follow:
		if s.tab().past.on {
			return "this is the past; " + keys.Word(keys.Find(keys.Play, keys.Traffic).Keys[0]) + " plays and pauses"
		}
		if !s.tab().ctx.Live && a == keys.Pause {
			return "the session is over, nothing moves"
		}
	}
	if _, mine := actions[a]; mine {
		return ""
	}
	return s.tab().disabled(s.focus, a)
}

// actions are the screen's own. What is not here is a pane's.
var actions map[keys.Action]func(*Screen) tea.Cmd

func init() {
	actions = map[keys.Action]func(*Screen) tea.Cmd{
		keys.NextPane:   func(s *Screen) tea.Cmd { return s.turn(1) },
		keys.PrevPane:   func(s *Screen) tea.Cmd { return s.turn(-1) },
		keys.Back:       (*Screen).back,
		keys.Enter:      (*Screen).enter,
		keys.Filter:     func(s *Screen) tea.Cmd { return s.ask(filterPrompt) },
		keys.Search:     func(s *Screen) tea.Cmd { return s.ask(searchPrompt) },
		keys.Narrow:     func(s *Screen) tea.Cmd { return s.ask(narrowPrompt) },
		keys.Command:    func(s *Screen) tea.Cmd { return s.ask(commandPrompt) },
		keys.FilterOff:  (*Screen).toggleFilter,
		keys.Pause:      (*Screen).pause,
		keys.TimeFormat: (*Screen).nextTimeStyle,
		keys.ShowStderr: func(s *Screen) tea.Cmd { return s.toggle(keys.Stderr, &s.layout.HideStderr) },
		keys.ShowFinds:  func(s *Screen) tea.Cmd { return s.toggle(keys.Findings, &s.layout.HideFindings) },
		keys.ShowStats:  func(s *Screen) tea.Cmd { return s.page(keys.Stats) },
		keys.ShowTools:  func(s *Screen) tea.Cmd { return s.page(keys.Tools) },
		keys.ShowProc:   func(s *Screen) tea.Cmd { return s.page(keys.Process) },
		keys.Zoom:       (*Screen).zoom,
		keys.Layout:     (*Screen).turnLayout,
		keys.Grow:       func(s *Screen) tea.Cmd { s.layout.grow(s.focus, 5); return nil },
		keys.Shrink:     func(s *Screen) tea.Cmd { s.layout.grow(s.focus, -5); return nil },
		keys.Mouse:      (*Screen).toggleMouse,
		keys.Redraw:     func(*Screen) tea.Cmd { return tea.ClearScreen },
		keys.Suspend:    func(*Screen) tea.Cmd { return tea.Suspend },
		keys.Help:       (*Screen).openHelp,
		keys.Difference: (*Screen).difference,
		keys.Answer:     (*Screen).answerOldest,
		keys.LogLevel:   (*Screen).openLevels,
		keys.Compose:    (*Screen).compose,
		keys.EditSend:   func(s *Screen) tea.Cmd { return s.openRow(editedCopy) },
		keys.Duplicate:  func(s *Screen) tea.Cmd { return s.openRow(twinCopy) },
		keys.Recall:     (*Screen).recall,
		keys.CopyFix:    (*Screen).copyFixture,
		keys.Resend:     (*Screen).again,
		keys.Cancel:     (*Screen).cancel,
		keys.Restart:    (*Screen).restart,
		keys.NextFile:   func(s *Screen) tea.Cmd { return s.turnTab(1) },
		keys.PrevFile:   func(s *Screen) tea.Cmd { return s.turnTab(-1) },
		keys.Quit:       (*Screen).quit,
		keys.Play:       (*Screen).play,
		keys.StepBack:   func(s *Screen) tea.Cmd { return s.stepTo(back) },
		keys.StepOn:     func(s *Screen) tea.Cmd { return s.stepTo(on) },
		keys.OpBack:     func(s *Screen) tea.Cmd { return s.stepTo(toOperation(-1)) },
		keys.OpOn:       func(s *Screen) tea.Cmd { return s.stepTo(toOperation(1)) },
		keys.Slower:     func(s *Screen) tea.Cmd { return s.turnSpeed(-1) },
		keys.Faster:     func(s *Screen) tea.Cmd { return s.turnSpeed(1) },
		keys.Comment:    func(s *Screen) tea.Cmd { return s.ask(commentPrompt) },
		keys.Export:     (*Screen).askExport,
	}
}

// turn gives the focus to the next pane that is shown.
func (s *Screen) turn(step int) tea.Cmd {
	list := s.layout.shown(s.w, s.bodyRect().h)
	at := 0
	for i, scope := range list {
		if scope == s.focus {
			at = i
		}
	}
	s.focus = list[(at+step+len(list))%len(list)]
	return nil
}

// back closes what is open, step by step, and leaves at the end.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.layout.page == keys.Tools && s.tab().tools.Narrowed() != "":
		return s.tab().tools.Narrow("")
	case s.layout.page != keys.Global:
		s.layout.page, s.focus = keys.Global, keys.Traffic
	case s.layout.zoom != keys.Global:
		s.layout.zoom = keys.Global
	case s.focus != keys.Traffic:
		s.focus = keys.Traffic
	case s.tab().past.on:
		return s.leavePast()
	case s.tab().ctx.Search.Text != "":
		return s.setSearch("")
	case s.tab().filter != "" && s.tab().filterOn:
		return s.toggleFilter()
	default:
		return s.goBack()
	}
	return nil
}

// enter opens: from traffic the detail, elsewhere what the pane says.
func (s *Screen) enter() tea.Cmd {
	if s.focus == keys.Traffic {
		return s.show(keys.Detail)
	}
	cmd, _ := s.tab().panes[s.focus].Do(&s.tab().ctx, keys.Enter)
	return tea.Batch(cmd, s.tab().sync())
}

// show gives a pane the focus, and brings it up where it is hidden.
func (s *Screen) show(scope keys.Scope) tea.Cmd {
	switch scope {
	case keys.Stats, keys.Tools, keys.Process, keys.Compare:
		return s.page(scope)
	case keys.Detail:
		s.layout.HideDetail = false
	case keys.Stderr:
		s.layout.HideStderr = false
	case keys.Findings:
		s.layout.HideFindings = false
	case keys.Global, keys.Traffic, keys.NumScopes:
	}
	s.layout.page = keys.Global
	if s.layout.zoom != keys.Global {
		s.layout.zoom = scope
	}
	s.focus = scope
	// Where there is no room for it, it takes the whole screen.
	if !s.isShown(scope) {
		s.layout.zoom = scope
	}
	return nil
}

func (s *Screen) isShown(scope keys.Scope) bool {
	for _, shown := range s.layout.shown(s.w, s.bodyRect().h) {
		if shown == scope {
			return true
		}
	}
	return false
}

// toggle shows a pane with the focus; where it has that already, it hides it.
func (s *Screen) toggle(scope keys.Scope, hidden *bool) tea.Cmd {
	if !s.isShown(scope) || s.focus != scope {
		return s.show(scope)
	}
	if s.layout.zoom == scope {
		s.layout.zoom = keys.Global
	} else {
		*hidden = true
	}
	s.focus = keys.Traffic
	return nil
}

// page opens a page over the panes, or closes it.
func (s *Screen) page(scope keys.Scope) tea.Cmd {
	if s.layout.page == scope {
		return s.back()
	}
	s.layout.page, s.focus = scope, scope
	return s.follow()
}

func (s *Screen) zoom() tea.Cmd {
	switch {
	case s.layout.page != keys.Global:
	case s.layout.zoom != keys.Global:
		s.layout.zoom = keys.Global
	default:
		s.layout.zoom = s.focus
	}
	return nil
}

// turnLayout goes round: detail beside, below, away.
func (s *Screen) turnLayout() tea.Cmd {
	l := &s.layout
	switch {
	case l.HideDetail:
		l.HideDetail, l.Below = false, false
	case !l.Below:
		l.Below = true
	default:
		l.HideDetail = true
		if s.focus == keys.Detail {
			s.focus = keys.Traffic
		}
	}
	return nil
}

func (s *Screen) toggleMouse() tea.Cmd {
	if s.mouse = !s.mouse; s.mouse {
		return s.say(session.Info, "the mouse is ours: click, wheel, drag a border")
	}
	return s.say(session.Info, "the mouse is the terminal's: select and copy; ctrl+o takes it back")
}

func (s *Screen) pause() tea.Cmd {
	t := s.tab()
	t.ctx.Paused = !t.ctx.Paused
	t.look()
	return t.tell(pane.Moved{})
}

// timeStyles are the names of time styles in the settings.
var timeStyles = map[string]pane.TimeStyle{"": pane.Relative, "relative": pane.Relative, "absolute": pane.Absolute, "delta": pane.Delta}

var timeWords = map[pane.TimeStyle]string{pane.Relative: "relative", pane.Absolute: "absolute", pane.Delta: "delta"}

func (s *Screen) nextTimeStyle() tea.Cmd {
	next := (s.tab().ctx.Time + 1) % (pane.Delta + 1)
	return s.setTimeStyle(next)
}

func (s *Screen) setTimeStyle(style pane.TimeStyle) tea.Cmd {
	s.opt.Settings.Time = timeWords[style]
	cmds := []tea.Cmd{s.say(session.Info, fmt.Sprintf("times are %s", timeWords[style]))}
	for _, t := range s.tabs {
		t.ctx.Time = style
		cmds = append(cmds, t.tell(pane.Restyled{}))
	}
	return tea.Batch(cmds...)
}

func (s *Screen) turnTab(step int) tea.Cmd {
	s.at = (s.at + step + len(s.tabs)) % len(s.tabs)
	return s.say(session.Info, fmt.Sprintf("session %d of %d: %s", s.at+1, len(s.tabs), s.tab().source.Title()))
}

// goTo moves the cursor of traffic to a row.
func (s *Screen) goTo(row uint32) tea.Cmd {
	t := s.tab()
	var cmd tea.Cmd
	if t.past.on && row != session.NoRow && int(row) >= t.ctx.Snap.Len() {
		cmd = s.jump(toRow(row))
	} else {
		cmd = t.traffic.Goto(&t.ctx, row)
	}
	if s.layout.page != keys.Global || s.layout.zoom != keys.Global && s.layout.zoom != keys.Traffic {
		s.layout.page, s.layout.zoom, s.focus = keys.Global, keys.Global, keys.Traffic
	}
	return tea.Batch(cmd, t.sync())
}

// setFilter puts a filter in force; empty = none.
func (s *Screen) setFilter(text string) tea.Cmd {
	t := s.tab()
	t.filter, t.filterOn = text, true
	return s.applyFilter(t)
}

func (s *Screen) toggleFilter() tea.Cmd {
	t := s.tab()
	t.filterOn = !t.filterOn
	return s.applyFilter(t)
}

func (s *Screen) applyFilter(t *tab) tea.Cmd {
	if t.filter == "" || !t.filterOn {
		return t.tell(pane.Filtered{})
	}
	f, err := session.ParseFilter(t.filter)
	if err != nil {
		return s.say(session.Error, fmt.Sprintf("filter: %v", err))
	}
	return t.tell(pane.Filtered{Filter: f})
}

// setSearch changes what is searched for, and goes to the first hit.
func (s *Screen) setSearch(text string) tea.Cmd {
	t := s.tab()
	t.ctx.Search = pane.Search{Text: text}
	cmd := t.tell(pane.Restyled{})
	if text == "" {
		return cmd
	}
	next, _ := t.do(keys.Traffic, keys.SearchNext)
	return tea.Batch(cmd, next)
}

// mouseMsg routes the mouse to the pane under it, or drags a border.
func (s *Screen) mouseMsg(msg tea.MouseMsg) tea.Cmd {
	if s.prompt != nil || s.ending.asked || s.ending.running {
		return nil
	}
	if s.overlay != nil {
		return s.overlayMouse(msg)
	}
	if s.composer != nil {
		return s.composerMouse(msg)
	}
	m, body := msg.Mouse(), s.bodyRect()
	switch msg.(type) {
	case tea.MouseReleaseMsg:
		s.drag = noBorder
		return nil
	case tea.MouseMotionMsg:
		s.layout.drag(s.drag, body, m.X, m.Y)
		return nil
	}
	for _, p := range s.layout.place(body) {
		if !p.contains(m.X, m.Y) {
			continue
		}
		in := p.inside()
		switch msg.(type) {
		case tea.MouseWheelMsg:
			lines := 3
			if m.Button == tea.MouseWheelUp {
				lines = -3
			}
			cmd := s.tab().panes[p.scope].Update(&s.tab().ctx, pane.Wheel{Lines: lines})
			return tea.Batch(cmd, s.tab().sync())
		case tea.MouseClickMsg:
			if s.drag = s.layout.at(body, m.X, m.Y); s.drag != noBorder || m.Button != tea.MouseLeft {
				return nil
			}
			s.focus = p.scope
			cmd := s.tab().panes[p.scope].Update(&s.tab().ctx, pane.Click{X: m.X - in.x, Y: m.Y - in.y, Double: s.clicks.Double(m.X, m.Y, time.Now())})
			return tea.Batch(cmd, s.tab().sync())
		}
	}
	return nil
}
