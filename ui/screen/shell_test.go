package screen_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wiretea/recorder/inventory"
	"wiretea/ui/home"
	"wiretea/ui/keys"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// A house is what home has in these tests, and its doors.
type house struct {
	t *testing.T

	mu     sync.Mutex // mu guards what follows.
	inv    *inventory.Inventory
	asked  []home.Ask
	closed int
	fails  error
	begun  chan struct{} // begun has a token for each Begin, over for each that has ended.
	over   chan struct{}
	hold   chan struct{} // hold keeps doors closed until it is; nil = they open at once.
}

func newHouse(t *testing.T) *house {
	return &house{t: t, begun: make(chan struct{}, 16), over: make(chan struct{}, 16), inv: &inventory.Inventory{
		Live:       []inventory.Session{{Path: "/s/live", Name: "live-1", Server: "alive", Client: "some-client", Start: panetest.T0, Size: 5}},
		Servers:    []inventory.Server{{ID: "1", Name: "shop", Client: "Claude Code", Type: "claude-code", Level: "project", File: "~/.mcp.json", Command: "node server.js"}},
		Recordings: []inventory.Session{{Path: "/s/old", Name: "old-1", Server: "ancient", Start: panetest.T0, Size: 7, Judged: true}},
	}}
}

func (h *house) Look(context.Context) (*inventory.Inventory, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.inv, false
}
func (h *house) Judge(context.Context, string) error  { return nil }
func (h *house) Delete(context.Context, string) error { return nil }

func (h *house) Command(_ context.Context, s inventory.Server) (inventory.Command, error) {
	return inventory.Command{Server: s, Argv: []string{"node"}, Shown: []string{"node", "server.js"}, Foreign: true}, nil
}

func (h *house) Plan(context.Context, inventory.Server, bool) (inventory.Change, error) {
	return inventory.Change{Title: "wrap?", Diff: "+x\n", Apply: func(context.Context) (string, error) { return "wrapped", nil }}, nil
}

// Open implements ui.Doors.
func (h *house) Open(_ context.Context, what home.Ask) (*screen.Visit, error) {
	if h.hold != nil {
		<-h.hold
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, what)
	if h.fails != nil {
		return nil, h.fails
	}
	v := &screen.Visit{Close: func() string {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.closed++
		return fmt.Sprintf("closed %d", h.closed)
	}}
	switch what.(type) {
	case home.Open:
		v.Sources = []source.Source{recording(h.t)}
	case home.Attach:
		v.Sources = []source.Source{attachedTo(talk(h.t), "alive").Source()}
	default:
		v.Sources = []source.Source{serverOf(talk(h.t), "node server.js")}
		v.Tour = &scripting{line: "this is said"}
		v.Begin = func(ctx context.Context) error {
			h.begun <- struct{}{}
			<-ctx.Done()
			h.over <- struct{}{}
			return ctx.Err()
		}
	}
	return v, nil
}

// shows runs a shell on the house.
func (h *house) shows(w, height int, opt termtest.SessionOptions, noColour bool) *termtest.Session {
	h.t.Helper()
	opt.Program = []tea.ProgramOption{tea.WithFilter(screen.Coalesce())}
	return termtest.Run(h.t, screen.NewShell(screen.ShellOptions{
		Doors: h, Finder: h, Editor: h, Dark: true, NoColour: noColour, Now: func() time.Time { return panetest.T0.Add(time.Hour) },
	}), w, height, opt)
}

const atHome = "⌂ home"

// waitHome waits until home is shown.
func waitHome(s *termtest.Session) { s.WaitText(atHome) }

// TestShellVisits goes from home to each kind of session and back, in one program
// that never leaves the alternate screen.
func TestShellVisits(t *testing.T) {
	h := newHouse(t)
	s := h.shows(110, 34, termtest.SessionOptions{}, false)
	s.WaitText("ancient")
	inside := func(text string) {
		t.Helper()
		s.WaitFor(func(screen string) bool { return strings.Contains(screen, "traffic") && strings.Contains(screen, text) })
		s.Terminal(func(term *termtest.Terminal) {
			if !term.AltScreen() {
				t.Error("the alternate screen was left")
			}
		})
	}
	s.Keys("enter")
	inside("alive")
	s.Keys("q") // an attached session is left without a question
	s.WaitText("closed 1")
	waitHome(s)

	s.Keys("G", "enter")
	inside("old.mcpcap.jsonl")
	s.Keys("q")
	s.WaitText("closed 2")

	s.Keys("k", "enter") // the demo
	inside("this is said")
	<-h.begun
	s.Keys("q")
	s.WaitText("End the server and go home?")
	s.Keys("esc") // it stays
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "go home?") })
	s.Keys("q", "y")
	s.WaitText("closed 3")
	<-h.over

	s.Keys("k", "enter") // the server
	s.WaitText("is part of the project")
	s.Keys("enter")
	inside("this is said")
	<-h.begun
	s.Keys("ctrl+c")
	s.WaitText("End the server and leave?")
	s.Keys("y")
	if _, err := s.WaitEnd(); err != nil {
		t.Error(err)
	}
	restored(t, s)
	h.mu.Lock()
	defer h.mu.Unlock()
	var asked []string
	for _, what := range h.asked {
		asked = append(asked, fmt.Sprintf("%T", what))
	}
	if want := "home.Attach home.Open home.Demo home.Run"; strings.Join(asked, " ") != want || h.closed != 3 {
		t.Errorf("asked for %v, closed %d", asked, h.closed)
	}
}

// TestShellQuits holds that q at home ends the program.
func TestShellQuits(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		h := newHouse(t)
		s := h.shows(80, 24, termtest.SessionOptions{}, false)
		s.WaitText("ancient")
		s.Keys(key)
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		restored(t, s)
	}
}

// TestShellFails holds that what cannot be opened is said at home, and that home
// can be left while something is opened.
func TestShellFails(t *testing.T) {
	h := newHouse(t)
	h.fails = errors.New("the file is \x1b[31mgone")
	s := h.shows(80, 24, termtest.SessionOptions{}, false)
	s.WaitText("ancient")
	s.Keys("enter")
	s.WaitText("✖ the file is ␛[31mgone")
	waitHome(s)
	sane(t, s)

	slow := newHouse(t)
	slow.hold = make(chan struct{})
	defer close(slow.hold)
	s = slow.shows(80, 24, termtest.SessionOptions{}, false)
	s.WaitText("ancient")
	s.Keys("enter")
	s.WaitText("opening…")
	s.Keys("j", "enter", "ctrl+c")
	if _, err := s.WaitEnd(); err != nil {
		t.Error(err)
	}
}

// TestShellSettings holds that what was set in one session is there in the next,
// and at the end.
func TestShellSettings(t *testing.T) {
	h := newHouse(t)
	s := h.shows(110, 34, termtest.SessionOptions{}, false)
	s.WaitText("ancient")
	s.Keys("G", "enter")
	s.WaitText("traffic")
	s.Type(":set theme dracula\r")
	s.Type(":set time absolute\r")
	s.WaitText("times of day")
	s.Keys("q")
	s.WaitText("closed 1")
	s.Keys("enter")
	s.WaitText("10:00:00")
	s.Keys("ctrl+c")
	model, err := s.WaitEnd()
	if err != nil {
		t.Fatal(err)
	}
	if set := model.(*screen.Shell).Settings(); set.Theme != "dracula" || set.Time != "absolute" {
		t.Errorf("theme %q, time %q", set.Theme, set.Time)
	}
}

// TestShellMouse holds that a double click opens, and that the list is told apart
// from what is around it.
func TestShellMouse(t *testing.T) {
	h := newHouse(t)
	s := h.shows(100, 30, termtest.SessionOptions{}, false)
	s.WaitText("ancient")
	y := -1
	for i, line := range strings.Split(s.Screen(), "\n") {
		if strings.Contains(line, "■ ancient") {
			y = i
		}
	}
	s.Click(20, y)
	s.WaitText("old-1")
	// The house's clock stands still, so that two clicks are always one.
	s.Click(20, y)
	s.WaitText("traffic")
}

// TestShellNoColour holds that home has no colours where none are wanted, and that
// the cursor's line can be told nevertheless.
func TestShellNoColour(t *testing.T) {
	h := newHouse(t)
	s := h.shows(100, 30, termtest.SessionOptions{Profile: colorprofile.ASCII, Env: []string{"NO_COLOR=1"}}, true)
	s.WaitText("ancient")
	s.Terminal(func(term *termtest.Terminal) {
		marked := false
		w, height := term.Size()
		for y := range height {
			for x := range w {
				_, style := term.Cell(x, y)
				if style.Fg != 0 || style.Bg != 0 {
					t.Fatalf("cell %d,%d is %v:\n%s", x, y, style, term)
				}
				marked = marked || style.Attrs&termtest.Reverse != 0
			}
		}
		if !marked {
			t.Errorf("no line is marked:\n%s", term)
		}
	})
	sane(t, s)
}

// TestShellAtRandom holds that no order of keys makes the shell panic, or draw
// anything but a screen.
func TestShellAtRandom(t *testing.T) {
	var names []string
	for _, b := range keys.Table {
		switch b.Action {
		case keys.Suspend, keys.Quit, keys.Editor, keys.Help, keys.Command, keys.FormHelp, keys.Export: // The help does the others, and at home : opens it.
		default:
			for _, k := range b.Keys {
				names = append(names, strings.Fields(k)...)
			}
		}
	}
	names = append(names, "enter", "enter", "enter", "y", "backspace", "d", "W", "U")
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 7))
			h := newHouse(t)
			h.begun, h.over = make(chan struct{}, 1000), make(chan struct{}, 1000)
			s := h.shows(120, 40, termtest.SessionOptions{}, false)
			s.WaitText("ancient")
			for range 300 {
				if name := names[rnd.IntN(len(names))]; name != "q" && name != "esc" && name != "ctrl+g" { // ctrl+g opens an editor in the composer.
					s.Keys(name)
				}
			}
			s.Keys("esc", "esc", "esc", "esc", "esc", "y", "esc", "esc", "esc", "y")
			for range 4 { // n ends a chord, and answers a question that is open
				s.Keys("n", "ctrl+c", "y")
			}
			s.Keys("ctrl+c", "y") // At home n has opened a line, which the other ctrl+c has closed.
			if _, err := s.WaitEnd(); err != nil {
				t.Error(err)
			}
		})
	}
}
