package merged

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder"
	"wiretea/recorder/merge"
	"wiretea/session"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// A stage is sessions on a screen that has nothing else.
type stage struct {
	t        *testing.T
	sessions *Sessions
	written  []*panetest.Session
	tabs     []*host.Tab
	said     string
	focus    keys.Scope  // focus is the pane that was asked for.
	overlay  overlay.Box // overlay is the box that was opened.
}

func (s *stage) Say(_ session.Severity, text string) tea.Cmd { s.said = text; return nil }
func (s *stage) Overlay() overlay.Box                        { return s.overlay }
func (s *stage) Open(b overlay.Box)                          { s.overlay = b }
func (s *stage) Idle() bool                                  { return true }
func (s *stage) Current() *host.Tab                          { return s.tabs[s.sessions.At()] }
func (s *stage) Press(tea.KeyPressMsg) tea.Cmd               { return nil }
func (s *stage) Layout() *layout.Layout                      { return nil }

// A written session was written by hand.
type written struct {
	name string
	ctx  *pane.Context
}

func (w written) Title() string               { return w.name }
func (w written) Wake() <-chan struct{}       { return nil }
func (w written) Path() string                { return "" }
func (w written) Reason() error               { return nil }
func (w written) Snapshot() *session.Snapshot { return w.ctx.Snap }
func (w written) Log() recorder.Log           { return w.ctx.Log }
func (w written) Now() int64                  { return w.ctx.Now }
func (w written) Live() bool                  { return w.ctx.Live }

// newStage is a stage of sessions, all of which are shown.
func newStage(t *testing.T, all ...*panetest.Session) *stage {
	s := newUnread(t, all...)
	for _, tab := range s.tabs {
		s.run(tab.Tell(pane.MovedMsg{}))
	}
	s.run(s.sessions.Show(len(all)))
	s.screen(120, 30)
	return s
}

// newUnread is a stage of sessions whose panes have read nothing yet.
func newUnread(t *testing.T, all ...*panetest.Session) *stage {
	s := &stage{t: t, written: all}
	th := style.New("", true, true)
	for i, w := range all {
		tab := host.New(s, written{string(rune('a' + i)), w.Context()}, th)
		tab.Ctx.Keys, _ = keys.Rebind(nil)
		tab.LeavePast = func() tea.Cmd { return nil }
		s.tabs = append(s.tabs, tab)
	}
	s.sessions = NewSessions(s, s.tabs)
	return s
}

// run runs a command and what follows from it, as the screen does.
func (s *stage) run(cmd tea.Cmd) {
	s.t.Helper()
	if cmd != nil {
		s.take(cmd())
	}
	if next := s.sessions.Follow(); next != nil {
		s.take(next())
	}
}

func (s *stage) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			if cmd != nil {
				s.take(cmd())
			}
		}
	case Msg:
		s.run(msg.Take())
	case host.AddressedMsg:
		s.run(msg.Tab.Addressed(msg.To, msg.To.Update(msg.Msg)))
	case pane.FocusMsg:
		s.focus = msg.Pane
	case pane.SayMsg:
		s.said = msg.Text
	}
}

// more shows what was written since.
func (s *stage) more() {
	for i, tab := range s.tabs {
		tab.Source = written{tab.Source.Title(), s.written[i].Context()}
		tab.Look()
		s.run(tab.Tell(pane.MovedMsg{}))
	}
}

func (s *stage) sort(name string, turn bool) {
	s.t.Helper()
	by, err := traffic.ParseSorting(name, turn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.run(s.sessions.Sort(s.Current(), by))
}

func (s *stage) do(a keys.Action) {
	cmd, _ := s.sessions.Do(keys.Traffic, a)
	s.run(cmd)
}

// screen draws the list, and checks its size.
func (s *stage) screen(w, h int) []string {
	s.t.Helper()
	lines := s.sessions.List().View(s.tabs[0].Ctx.Theme, w, h, true)
	if len(lines) != h {
		s.t.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			s.t.Errorf("line %d has %d cells, want %d: %q", i, n, w, line)
		}
		lines[i] = ansi.Strip(line)
	}
	return lines
}

// title is what is at the right of the border.
func (s *stage) title() string {
	_, right := s.sessions.List().Title(s.tabs[0].Ctx.Theme, "")
	return ansi.Strip(right)
}

// shown are the rows in the order in which they are shown.
func (s *stage) shown() (all []merge.Row) {
	l := s.sessions.List()
	for i := range l.rows.order.Len() {
		all = append(all, l.rows.row(i))
	}
	return all
}

// server writes a session in which a tool is called, whose answers take some milliseconds.
func server(t *testing.T, begins time.Duration, tool string, took ...float64) *panetest.Session {
	s := panetest.New(t)
	s.Header().T0 = s.Header().T0.Add(begins)
	s.Proc(0, session.Proc{Event: "start", PID: 4711})
	for i, ms := range took {
		s.Client(float64(1000*i+100), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i+1, tool))
		s.Server(float64(1000*i+100)+ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, i+1, strings.Repeat(tool, i+1)))
	}
	return s
}

// three are three sessions that are over.
func three(t *testing.T) []*panetest.Session {
	all := []*panetest.Session{server(t, 0, "one", 5, 50), server(t, time.Second/2, "two", 500, 20), server(t, time.Second/4, "three", 100, 1)}
	all[1].Server(2700, "Server started!")
	for _, w := range all {
		w.End()
	}
	return all
}
