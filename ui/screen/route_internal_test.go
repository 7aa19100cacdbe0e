package screen

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/source"
)

// A still source is a session that does not move.
type still struct {
	title string
	ctx   *pane.Context
}

func (s still) Title() string               { return s.title }
func (s still) Wake() <-chan struct{}       { return nil }
func (s still) Path() string                { return "/sessions/" + s.title }
func (s still) Reason() error               { return nil }
func (s still) Snapshot() *session.Snapshot { return s.ctx.Snap }
func (s still) Log() recorder.Log           { return s.ctx.Log }
func (s still) Now() int64                  { return s.ctx.Now }
func (s still) Live() bool                  { return s.ctx.Live }

// stillOf is a session of one exchange, over or live, over stdio or HTTP.
func stillOf(t *testing.T, title string, live, http bool) source.Source {
	written := panetest.New(t)
	if http {
		written.OverHTTP("http://localhost/mcp")
		written.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
		written.Answer(5, 1, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	} else {
		written.Proc(0, session.Proc{Event: "start", PID: 4711})
		written.Client(1, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
		written.Stderr(3, "called")
		written.Server(5, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}
	if !live {
		written.End()
	}
	return still{title, written.Context()}
}

// routed is a screen of 160 by 45 cells that shows sources, and has drawn them once.
func routed(sources ...source.Source) *Screen {
	s := New(Options{Sources: sources, Dark: true})
	s.Init()
	s.Update(tea.WindowSizeMsg{Width: 160, Height: 45})
	s.View()
	return s
}

// TestUncover holds that the pane of details works only while it is in sight.
func TestUncover(t *testing.T) {
	s := routed(stillOf(t, "a", true, false), stillOf(t, "b", true, false))
	for i, step := range []struct {
		action keys.Action
		seen   []bool
	}{{"", []bool{true, false}}, {keys.Action(keys.Stats), []bool{false, false}}, {keys.Escape, []bool{true, false}}, {keys.Zoom, []bool{false, false}}, {keys.Zoom, []bool{true, false}}, {keys.NextFile, []bool{false, true}}} {
		if step.action != "" {
			s.do(step.action)
			s.Update(tickMsg{})
		}
		if got := []bool{!s.tabs[0].Ctx.Unseen, !s.tabs[1].Ctx.Unseen}; !slices.Equal(got, step.seen) {
			t.Errorf("step %d, %q: in sight are %v, want %v; %s", i, step.action, got, step.seen, s.where())
		}
	}
}

// where says which page and which pane are shown, and which has the focus.
func (s *Screen) where() string {
	words := []string{string(s.layout.Focus)}
	if s.layout.Page != keys.Global {
		words = append(words, "page "+string(s.layout.Page))
	}
	if s.layout.Zoom != keys.Global {
		words = append(words, "zoom "+string(s.layout.Zoom))
	}
	for pane, hidden := range map[string]bool{"detail": s.layout.HideDetail, "stderr": s.layout.HideStderr, "findings": s.layout.HideFindings} {
		if hidden {
			words = append(words, "no "+pane)
		}
	}
	return strings.Join(words, ", ")
}

// TestRoutes holds what an action makes of the panes, one after the other.
func TestRoutes(t *testing.T) {
	for name, steps := range map[string][]struct {
		action keys.Action
		want   string
	}{
		"round":                     {{keys.NextPane, "detail"}, {keys.NextPane, "stderr"}, {keys.NextPane, "findings"}, {keys.NextPane, "traffic"}, {keys.PrevPane, "findings"}, {keys.Escape, "traffic"}, {keys.Escape, "traffic"}},
		"enter":                     {{keys.Enter, "detail"}, {keys.Escape, "traffic"}},
		"a pane and back":           {{keys.ShowStderr, "stderr"}, {keys.ShowStderr, "traffic, no stderr"}, {keys.ShowStderr, "stderr"}},
		"findings and back":         {{keys.ShowFinds, "findings"}, {keys.NextPane, "traffic"}, {keys.ShowFinds, "findings"}, {keys.ShowFinds, "traffic, no findings"}, {keys.ShowFinds, "findings"}},
		"zoom":                      {{keys.Zoom, "traffic, zoom traffic"}, {keys.NextPane, "traffic, zoom traffic"}, {keys.Zoom, "traffic"}},
		"zoom of another":           {{keys.NextPane, "detail"}, {keys.Zoom, "detail, zoom detail"}, {keys.Escape, "detail"}, {keys.Escape, "traffic"}},
		"a zoomed pane is shown":    {{keys.Zoom, "traffic, zoom traffic"}, {keys.ShowStderr, "stderr, zoom stderr"}, {keys.ShowStderr, "traffic"}},
		"enter in a zoomed traffic": {{keys.Zoom, "traffic, zoom traffic"}, {keys.Enter, "detail, zoom detail"}, {keys.Escape, "detail"}},
		"layouts":                   {{keys.Layout, "traffic"}, {keys.Layout, "traffic, no detail"}, {keys.Layout, "traffic"}},
		"the layout hides detail":   {{keys.NextPane, "detail"}, {keys.Layout, "detail"}, {keys.Layout, "traffic, no detail"}, {keys.Enter, "detail"}},
		"a page":                    {{keys.Action(keys.Tools), "tools, page tools"}, {keys.Zoom, "tools, page tools"}, {keys.NextPane, "tools, page tools"}, {keys.Action(keys.Tools), "traffic"}},
		"from page to page":         {{keys.Action(keys.Tools), "tools, page tools"}, {keys.Action(keys.Stats), "statistics, page statistics"}, {keys.Escape, "traffic"}},
		"a pane over a page":        {{keys.Action(keys.Tools), "tools, page tools"}, {keys.ShowFinds, "findings"}},
		"back":                      {{keys.Action(keys.Tools), "tools, page tools"}, {keys.Back, "traffic"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := routed(stillOf(t, "a", false, false))
			for i, step := range steps {
				s.do(step.action)
				if got := s.where(); got != step.want {
					t.Fatalf("step %d, %s: %s, want %s", i, step.action, got, step.want)
				}
			}
		})
	}
}

// TestLayouts holds the three places of detail: beside, below, away.
func TestLayouts(t *testing.T) {
	s := routed(stillOf(t, "a", false, false))
	for i, want := range []bool{true, true, false, true} {
		s.do(keys.Layout)
		if s.layout.Below != want || s.layout.HideDetail != (i == 1) {
			t.Errorf("after %d turns detail is below: %t, away: %t", i+1, s.layout.Below, s.layout.HideDetail)
		}
	}
}

// TestNoRoom holds that where a pane has no room it takes the whole screen.
func TestNoRoom(t *testing.T) {
	s := routed(stillOf(t, "a", false, false))
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 16})
	for _, step := range []struct {
		action keys.Action
		want   string
	}{{keys.ShowStderr, "stderr, zoom stderr"}, {keys.ShowStderr, "traffic"}, {keys.ShowFinds, "findings, zoom findings"}, {keys.Escape, "traffic"}, {keys.ShowFinds, "findings, zoom findings"}, {keys.Zoom, "traffic"}} {
		if s.do(step.action); s.where() != step.want {
			t.Errorf("%s: %s, want %s", step.action, s.where(), step.want)
		}
	}
	s.Update(tea.WindowSizeMsg{Width: 160, Height: 45})
	s.do(keys.ShowFinds)
	if s.Update(tea.WindowSizeMsg{Width: 80, Height: 16}); s.where() != "traffic" {
		t.Errorf("the pane with the focus is not shown any more: %s", s.where())
	}
}

// TestTurnSessions holds in which order sessions come, all of them last.
func TestTurnSessions(t *testing.T) {
	s := routed(stillOf(t, "a", false, false), stillOf(t, "b", true, false), stillOf(t, "c", false, true))
	for i, step := range []struct {
		action keys.Action
		want   string
	}{
		{keys.NextFile, "session 2 of 3: b"}, {keys.NextFile, "session 3 of 3: c"}, {keys.NextFile, "all 3 sessions, in the order of the clock"}, {keys.NextFile, "session 1 of 3: a"},
		{keys.PrevFile, "all 3 sessions, in the order of the clock"}, {keys.PrevFile, "session 3 of 3: c"}, {keys.PrevFile, "session 2 of 3: b"},
	} {
		if s.do(step.action); s.notice.text != step.want {
			t.Errorf("step %d: %q, want %q", i, s.notice.text, step.want)
		}
	}
	alone := routed(stillOf(t, "a", false, false))
	if alone.do(keys.NextFile); alone.notice.text != "there is one session only" || alone.at != 0 {
		t.Errorf("one session: %q", alone.notice.text)
	}
}

// TestDisabled holds why actions cannot be done, and that they can where they can.
func TestDisabled(t *testing.T) {
	for name, c := range map[string]struct {
		live, http bool
		before     func(*Screen)
		action     keys.Action
		want       string // want is how the reason begins; empty means that it can be done.
	}{
		"restart of a file":             {false, false, nil, keys.Restart, "only a server that wiretea started"},
		"stderr over HTTP":              {false, true, nil, keys.ShowStderr, "the stderr of a server at a URL"},
		"stderr over stdio":             {false, false, nil, keys.ShowStderr, ""},
		"the one session":               {false, false, nil, keys.PrevFile, "there is one session only"},
		"no filter":                     {false, false, nil, keys.FilterOff, "no filter is set"},
		"a filter":                      {false, false, func(s *Screen) { s.tab().Filter = "is:error" }, keys.FilterOff, ""},
		"pause after the end":           {false, false, nil, keys.Pause, "the session has ended"},
		"pause":                         {true, false, nil, keys.Pause, ""},
		"following after the end":       {false, false, nil, keys.Follow, "the session has ended; G goes"},
		"pause in the past":             {true, false, func(s *Screen) { s.tab().Ctx.Past = true }, keys.Pause, "this is the past"},
		"following in the past":         {true, false, func(s *Screen) { s.tab().Ctx.Past = true }, keys.Follow, "this is the past"},
		"the original of nothing":       {false, false, func(s *Screen) { s.tab().Ctx.Cursor = session.NoRow }, keys.Original, "no row is selected"},
		"the next match of no search":   {false, false, nil, keys.SearchNext, "nothing is searched for"},
		"the next match in narrowed":    {false, false, func(s *Screen) { s.layout.Focus = keys.Tools; s.tab().Tools.Narrow("x") }, keys.SearchNext, ""},
		"narrowed, but another has it":  {false, false, func(s *Screen) { s.tab().Tools.Narrow("x") }, keys.SearchPrev, "nothing is searched for"},
		"composing for a file":          {false, false, nil, keys.Compose, "no server to send to"},
		"sending again from a file":     {false, false, nil, keys.Resend, "no server to send to"},
		"help":                          {false, false, nil, keys.Help, ""},
		"an answer that nobody asks of": {false, false, nil, keys.Answer, "the server has asked nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := routed(stillOf(t, "a", c.live, c.http))
			if c.before != nil {
				c.before(s)
			}
			got := s.disabled(c.action)
			if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Fatalf("%q, want %q", got, c.want)
			}
			if s.do(c.action); got != "" && s.notice.text != got {
				t.Errorf("the notice is %q, want %q", s.notice.text, got)
			}
		})
	}
}

// TestMouseRoutes holds what the mouse does outside of panes' texts: the tabs, the
// borders, and what is over the panes.
func TestMouseRoutes(t *testing.T) {
	click := func(x, y int, button tea.MouseButton) tea.Msg { return tea.MouseClickMsg{X: x, Y: y, Button: button} }
	s := routed(stillOf(t, "a", false, false), stillOf(t, "b", false, false))
	width := func() int {
		for _, p := range s.layout.Place(s.bodyRect()) {
			if p.Scope == keys.Traffic {
				return p.W
			}
		}
		return 0
	}
	body := s.bodyRect()
	before := width()
	s.Update(tea.MouseMotionMsg{X: 60, Y: body.Y + 5, Button: tea.MouseLeft})
	if width() != before {
		t.Error("a motion without a press moves a border")
	}
	s.Update(click(before-1, body.Y+5, tea.MouseLeft))
	s.Update(tea.MouseMotionMsg{X: 70, Y: body.Y + 5, Button: tea.MouseLeft})
	moved := width()
	if moved == before {
		t.Error("the border between traffic and detail is not dragged")
	}
	s.Update(tea.MouseReleaseMsg{X: 75, Y: body.Y + 5, Button: tea.MouseLeft})
	if released := width(); released == moved {
		t.Error("where the button is released does not count")
	}
	after := width()
	s.Update(tea.MouseMotionMsg{X: 50, Y: body.Y + 5})
	if width() != after {
		t.Error("the border goes on moving once the button was released")
	}
	s.Update(click(150, body.Y+5, tea.MouseRight))
	if s.layout.Focus != keys.Traffic {
		t.Error("the right button gives the focus")
	}
	s.Update(click(150, body.Y+5, tea.MouseLeft))
	if s.layout.Focus != keys.Detail {
		t.Errorf("a click into detail: %s", s.where())
	}
	s.do(keys.Filter)
	s.Update(click(10, body.Y+5, tea.MouseLeft))
	if s.layout.Focus != keys.Detail || !s.prompt.IsOpen() {
		t.Errorf("a click while something is typed: %s", s.where())
	}
	s.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	s.Update(click(10, body.Y+5, tea.MouseLeft))
	if s.layout.Focus != keys.Traffic || s.prompt.IsOpen() {
		t.Errorf("a click into traffic: %s", s.where())
	}
	line := ansi.Strip(s.tabLine()[0])
	s.Update(click(strings.Index(line, " B ")+2, 1, tea.MouseLeft))
	if s.at != 1 {
		t.Errorf("a click on the second of %q shows session %d", line, s.at)
	}
}

// TestWheel holds how far a turn of the wheel goes, and into which direction.
func TestWheel(t *testing.T) {
	for button, want := range map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3} {
		if got, turned := wheelOf(tea.MouseWheelMsg{Button: button}); !turned || got.Lines != want {
			t.Errorf("%v: %+v, %t", button, got, turned)
		}
	}
	if _, turned := wheelOf(tea.MouseClickMsg{Button: tea.MouseLeft}); turned {
		t.Error("a click is a turn of the wheel")
	}
}

// TestOpen holds what counts as open: what back closes before the screen is left.
func TestOpen(t *testing.T) {
	for name, change := range map[string]func(*Screen){
		"a page":      func(s *Screen) { s.layout.Page = keys.Tools },
		"a zoom":      func(s *Screen) { s.layout.Zoom = keys.Detail },
		"a focus":     func(s *Screen) { s.layout.Focus = keys.Findings },
		"a search":    func(s *Screen) { s.tab().Ctx.Search.Text = "x" },
		"the past":    func(s *Screen) { s.tab().Ctx.Past = true },
		"a filter":    func(s *Screen) { s.tab().Filter, s.tab().FilterOn = "is:error", true },
		"nothing":     func(*Screen) {},
		"no filter":   func(s *Screen) { s.tab().FilterOn = true },
		"filter off":  func(s *Screen) { s.tab().Filter, s.tab().FilterOn = "is:error", false },
		"other panes": func(s *Screen) { s.layout.HideStderr = true },
	} {
		s := routed(stillOf(t, "a", false, false))
		change(s)
		if want := strings.HasPrefix(name, "a ") || name == "the past"; s.open() != want {
			t.Errorf("%s: %t", name, s.open())
		}
	}
}

// pressKey presses a key by its name, a letter or one with a code.
func pressKey(s *Screen, name string) {
	msg := tea.KeyPressMsg{Text: name, Code: []rune(name)[0]}
	switch name {
	case "esc":
		msg = tea.KeyPressMsg{Code: tea.KeyEscape}
	case "enter":
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	case "ctrl+z":
		msg = tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}
	}
	s.Update(msg)
}

// TestChords holds that two keys one after the other are one action, that esc takes the
// first one back, and that a wrong second one does nothing.
func TestChords(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		chord string
		said  bool
	}{
		"begun":     {[]string{"y"}, "y", false},
		"done":      {[]string{"y", "c"}, "", true},
		"back":      {[]string{"y", "esc"}, "", false},
		"then one":  {[]string{"y", "esc", "c"}, "", true}, // composing is refused, and that is said
		"unknown":   {[]string{"y", "~"}, "", false},
		"not in it": {[]string{"y", "ctrl+z"}, "", false},
	} {
		s := routed(stillOf(t, "a", false, false))
		s.tab().Ctx.Cursor = 1
		for _, key := range c.keys {
			pressKey(s, key)
		}
		if s.chord != c.chord || s.where() != "traffic" || (s.notice.text != "") != c.said {
			t.Errorf("%s: chord %q, %s, %q", name, s.chord, s.where(), s.notice.text)
		}
	}
}

// TestPromptKeys holds that a prompt has the keys while it is open, and gives them back.
func TestPromptKeys(t *testing.T) {
	s := routed(stillOf(t, "a", false, false))
	pressKey(s, "f")
	if !s.prompt.IsOpen() {
		t.Fatal("no prompt for the filter")
	}
	pressKey(s, "!")
	pressKey(s, "ctrl+z") // is the program's
	if !s.prompt.IsOpen() || s.where() != "traffic" {
		t.Errorf("a key in the prompt: %s", s.where())
	}
	pressKey(s, "esc")
	pressKey(s, "!")
	if s.prompt.IsOpen() || s.where() != "findings" {
		t.Errorf("after the prompt: %s", s.where())
	}
}

// TestToggles holds what is switched on and off, and round.
func TestToggles(t *testing.T) {
	s := routed(stillOf(t, "a", true, false), stillOf(t, "b", true, false))
	for _, step := range []struct {
		action keys.Action
		said   string
		holds  func() bool
	}{
		{keys.Mouse, "Mouse off: ", func() bool { return !s.mouse }},
		{keys.Mouse, "Mouse on: ", func() bool { return s.mouse }},
		{keys.TimeFormat, "times of day", func() bool { return s.tabs[0].Ctx.Time == pane.Absolute && s.tabs[1].Ctx.Time == pane.Absolute }},
		{keys.TimeFormat, "times since the row before", func() bool { return s.prefs.Settings.Time == "delta" }},
		{keys.TimeFormat, "times since the mark before; m marks a row", func() bool { return s.prefs.Settings.Time == "mark" }},
		{keys.TimeFormat, "times since the start", func() bool { return s.tabs[1].Ctx.Time == pane.Relative }},
		{keys.Pause, "", func() bool { return s.tab().Ctx.Paused }},
		{keys.Pause, "", func() bool { return !s.tab().Ctx.Paused }},
	} {
		if s.do(step.action); !strings.HasPrefix(s.notice.text, step.said) || !step.holds() {
			t.Errorf("%s: %q", step.action, s.notice.text)
		}
	}
	before := s.layout.Layout
	s.do(keys.Grow)
	grown := s.layout.Layout
	if s.do(keys.Shrink); grown.Main != before.Main+5 || s.layout.Layout != before {
		t.Errorf("%+v grows to %+v, and shrinks to %+v", before, grown, s.layout.Layout)
	}
}

// TestGoTo holds that a row that is gone to is seen: what is over traffic goes away.
func TestGoTo(t *testing.T) {
	for name, change := range map[string]func(*Screen){
		"beside detail":  func(s *Screen) { s.layout.Focus = keys.Detail },
		"under a page":   func(s *Screen) { s.layout.Page, s.layout.Focus = keys.Tools, keys.Tools },
		"under detail":   func(s *Screen) { s.layout.Zoom, s.layout.Focus = keys.Detail, keys.Detail },
		"over all":       func(s *Screen) { s.layout.Zoom = keys.Traffic },
		"another's page": func(s *Screen) { s.showSession(1); s.layout.Page, s.layout.Focus = keys.Tools, keys.Tools },
	} {
		s := routed(stillOf(t, "a", false, false), stillOf(t, "b", false, false))
		change(s)
		s.goTo(s.tabs[0], 1)
		want := map[string]string{"beside detail": "detail", "over all": "traffic, zoom traffic", "another's page": "tools, page tools"}[name]
		if want == "" {
			want = "traffic"
		}
		if s.where() != want || s.tabs[0].Traffic.Cursor() != 1 {
			t.Errorf("%s: %s, row %d", name, s.where(), s.tabs[0].Traffic.Cursor())
		}
	}
}

// TestLookedAround holds that a tour knows when the person at the screen has begun to look
// around, by a key or the mouse, and not by what goes to a prompt or to the tour itself.
func TestLookedAround(t *testing.T) {
	s := routed(stillOf(t, "a", false, false))
	for name, c := range map[string]struct {
		does func()
		own  bool
	}{
		"a key":            {func() { pressKey(s, "j") }, true},
		"the wheel":        {func() { s.Update(tea.MouseWheelMsg{X: 10, Y: 5, Button: tea.MouseWheelUp}) }, true},
		"a click":          {func() { s.Update(tea.MouseClickMsg{X: 10, Y: 5, Button: tea.MouseLeft}) }, true},
		"a turn of size":   {func() { s.Update(tea.WindowSizeMsg{Width: 120, Height: 40}) }, false},
		"a key in prompts": {func() { s.do(keys.Filter); s.tour.Own = false; pressKey(s, "j"); pressKey(s, "esc") }, false},
	} {
		s.tour.Own = false
		if c.does(); s.tour.Own != c.own {
			t.Errorf("%s: the person has looked around: %t", name, s.tour.Own)
		}
	}
}
