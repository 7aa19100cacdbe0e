package ui_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui"
	"wiretea/ui/keys"
	"wiretea/ui/panetest"
	"wiretea/ui/terminal"
)

// TestKeysAtRandom holds that no order of keys makes the screen panic, or draw
// anything but a screen.
func TestKeysAtRandom(t *testing.T) {
	var names []string
	for _, b := range keys.Table {
		// An editor needs a real terminal.
		if b.Action != keys.Suspend && b.Action != keys.Quit && b.Action != keys.Editor {
			for _, k := range b.Keys {
				names = append(names, strings.Fields(k)...)
			}
		}
	}
	names = append(names, "x", "enter", "a", "backspace")
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			s := show(t, 120, 40, ui.Options{}, serverOf(talk(t), "node server.js"), sourceOf(over(talk(t)), "old.mcpcap.jsonl"))
			s.WaitText("traffic")
			for range 400 {
				// Escape and q leave, at the end.
				if name := names[rnd.IntN(len(names))]; name != "q" && name != "esc" {
					s.Keys(name)
				}
			}
			// Whatever is open by now, this closes it.
			s.Keys("esc", "esc", "ctrl+c")
			s.WaitText("leave?")
			sane(t, s)
			s.Terminal(func(term *terminal.Terminal) { whole(t, term) })
		})
	}
}

// TestFilter holds how a filter is typed, put in force, and taken out.
func TestFilter(t *testing.T) {
	s := show(t, 100, 30, ui.Options{}, recording(t))
	s.WaitText("pour")
	s.Keys("f")
	s.Type("is:nonsense")
	s.WaitText("is: does not know")
	s.Keys("enter") // it stays open: the next keys go on typing
	s.Keys("ctrl+u")
	s.Type("m:tools/list")
	s.WaitText("✔")
	s.Keys("enter")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "2 of ") && !strings.Contains(screen, "pour")
	})
	s.Keys("ctrl+t")
	s.WaitText("pour")
	s.Keys("ctrl+t")
	s.WaitText("2 of ")
	s.Keys("f", "ctrl+u", "enter")
	s.WaitText("pour")
	s.Keys("f", "up")
	s.WaitText("filter m:tools/list")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "filter m:tools/list") })
}

// cursorRow is what stands in the line under traffic's cursor.
func cursorRow(term *terminal.Terminal) string {
	_, h := term.Size()
	for y := 1; y < h; y++ {
		if _, style := term.Cell(2, y); style.Bg != 0 {
			return term.Screen()[y]
		}
	}
	return ""
}

// waitRow waits until traffic's cursor is in a line that holds a text.
func waitRow(s *terminal.Session, text string) {
	s.WaitTerminal(func(term *terminal.Terminal) bool { return strings.Contains(cursorRow(term), text) })
}

// TestMoves holds the ways to a row.
func TestMoves(t *testing.T) {
	s := show(t, 160, 45, ui.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("g")
	waitRow(s, "server started")
	s.Keys("j", "j")
	waitRow(s, " 4 ")
	s.Keys("G")
	waitRow(s, "server exited")
	s.Type(":7\r")
	waitRow(s, " 7 ")
	s.Keys("o")
	waitRow(s, " 6 ")
	s.Type(":goto 14\r")
	waitRow(s, "notifications/message")
	s.Keys("g", "w")
	waitRow(s, "Server started!")
	s.Keys("g", "/")
	s.Type("KETTLE\r")
	waitRow(s, "notifications/message")
	s.Keys("g", "m", "j", "j", "[")
	waitRow(s, "server started")
	s.Type(":goto zero\r")
	s.WaitText(`"zero" is no frame number`)
	s.Type(":goto 99999\r")
	waitRow(s, "server exited")
}

// corners tells how the borders of panes look: one of them has the focus.
func corners(term *terminal.Terminal) (all []terminal.Style) {
	w, h := term.Size()
	for y := range h {
		for x := range w {
			if text, style := term.Cell(x, y); text == "╭" {
				all = append(all, style)
			}
		}
	}
	return all
}

// focused is which pane's border looks unlike the others', -1 for none.
func focused(term *terminal.Terminal) int {
	all := corners(term)
	if len(all) < 3 {
		return -1
	}
	at := -1
	for i, style := range all {
		others := 0
		for _, other := range all {
			if other == style {
				others++
			}
		}
		if others == 1 {
			at = i
		}
	}
	return at
}

func waitFocus(s *terminal.Session, want int) {
	s.WaitTerminal(func(term *terminal.Terminal) bool { return focused(term) == want })
}

// TestFocus holds how panes get the focus: traffic, detail, stderr, findings.
func TestFocus(t *testing.T) {
	s := show(t, 160, 45, ui.Options{}, recording(t))
	s.WaitText("traffic")
	waitFocus(s, 0)
	for _, next := range []int{1, 2, 3, 0} {
		s.Keys("tab")
		waitFocus(s, next)
	}
	for _, next := range []int{3, 2} {
		s.Keys("shift+tab")
		waitFocus(s, next)
	}
	s.Keys("esc")
	waitFocus(s, 0)
	s.Keys("enter")
	waitFocus(s, 1)
	s.Keys("!")
	waitFocus(s, 3)
	s.Keys("!") // hides it
	s.WaitTerminal(func(term *terminal.Terminal) bool { return len(corners(term)) == 3 && focused(term) == 0 })
	s.Keys("!")
	waitFocus(s, 3)
	s.Click(10, 3)
	waitFocus(s, 0)
	s.Click(150, 10)
	waitFocus(s, 1)
	s.Click(10, 40)
	waitFocus(s, 2)
}

// TestLayout holds zoom, turning, resizing by keys and by mouse, and that it is
// kept.
func TestLayout(t *testing.T) {
	screen := ui.New(ui.Options{Sources: []ui.Source{recording(t)}, Dark: true})
	s := terminal.Run(t, screen, 160, 45, terminal.SessionOptions{})
	s.WaitText("traffic")
	column := func() (x int) {
		s.Terminal(func(term *terminal.Terminal) {
			for x = 1; x < 160; x++ {
				if text, _ := term.Cell(x, 1); text == "╭" {
					return
				}
			}
		})
		return x
	}
	before := column()
	s.Keys("+")
	s.WaitTerminal(func(term *terminal.Terminal) bool { text, _ := term.Cell(before, 1); return text != "╭" })
	if after := column(); after <= before {
		t.Errorf("traffic was %d wide and is %d after growing", before, after)
	}
	s.Drag(column(), 5, 60, 5)
	s.WaitTerminal(func(term *terminal.Terminal) bool { text, _ := term.Cell(60, 1); return text == "╭" })
	s.Keys("\\")
	s.WaitTerminal(func(term *terminal.Terminal) bool { return len(corners(term)) == 1 })
	s.Keys("\\", "|")
	s.WaitTerminal(func(term *terminal.Terminal) bool {
		text, _ := term.Cell(60, 1)
		return len(corners(term)) == 4 && text != "╭"
	})
	s.Keys("|")
	s.WaitTerminal(func(term *terminal.Terminal) bool { return len(corners(term)) == 3 })
	s.Keys("ctrl+c")
	s.WaitEnd()
	if l := screen.Settings().Layout; !l.HideDetail || l.Main < 36 || l.Main > 39 {
		t.Errorf("the layout that is kept is %+v", l)
	}
}

// TestHelp holds that help finds, and does, what is typed.
func TestHelp(t *testing.T) {
	s := show(t, 200, 45, ui.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("?")
	s.WaitText("up a line")
	s.Type("over the whole")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "the focused pane over the whole screen") && !strings.Contains(screen, "up a line")
	})
	s.Keys("enter")
	s.WaitTerminal(func(term *terminal.Terminal) bool { return len(corners(term)) == 1 })
	s.Keys("?")
	s.Type("restart")
	s.WaitText("only a server that wiretea started")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "only a server") })
}

// TestCommands holds what is typed after a colon.
func TestCommands(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	server.sendErr = errors.New("the pipe is full")
	s := show(t, 120, 45, ui.Options{}, server)
	s.WaitText("traffic")
	s.Keys(":")
	s.Type("expl")
	s.Keys("tab")
	s.WaitText(":explain")
	s.Type(" stdout-n")
	s.Keys("tab")
	s.WaitText(":explain stdout-not-json")
	s.Keys("enter")
	s.WaitText("╭─ stdout-not-json")
	s.Keys("esc", ":")
	s.Type("send tools/list {\"a\": 1}\r")
	if got := <-server.sent; got != `tools/list {"a": 1}` {
		t.Errorf("sent %q", got)
	}
	s.WaitText("the pipe is full")
	s.Type(":nonsense\r")
	s.WaitText(`there is no command "nonsense"`)
	s.Type(":stats\r")
	s.WaitText("statistics")
	s.Keys("esc", "R")
	<-server.restarted
	s.WaitText("it does not start")
	s.Type(":set theme nonsense\r")
	s.WaitText(`there is no theme "nonsense"`)
	s.Type(":set time absolute\r")
	s.WaitText("10:00:00")
}

// TestQuit holds that a live server is not ended unasked, and a recording is left
// at once.
func TestQuit(t *testing.T) {
	t.Run("live", func(t *testing.T) {
		server := serverOf(talk(t), "node server.js")
		s := show(t, 100, 30, ui.Options{}, server)
		s.WaitText("traffic")
		s.Keys("ctrl+c")
		s.WaitText("leave?")
		s.Keys("n")
		s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "leave?") })
		select {
		case <-server.closing:
			t.Error("the server was ended although the answer was no")
		default:
		}
		s.Keys("q")
		s.WaitText("leave?")
		s.Keys("y")
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		<-server.closing
		restored(t, s)
	})
	t.Run("stubborn", func(t *testing.T) {
		server := serverOf(talk(t), "node server.js")
		server.stubborn = true
		s := show(t, 100, 30, ui.Options{}, server)
		s.WaitText("traffic")
		s.Keys("ctrl+c", "y")
		s.WaitText("ctrl-c kills it")
		<-server.closing
		s.Keys("ctrl+c")
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		restored(t, s)
	})
	t.Run("recording", func(t *testing.T) {
		s := show(t, 100, 30, ui.Options{}, recording(t))
		s.WaitText("traffic")
		s.Keys("tab", "q", "q")
		if _, err := s.WaitEnd(); err != nil {
			t.Error(err)
		}
		restored(t, s)
	})
}

// TestLive holds that what comes is shown, held back while paused, and not lost.
func TestLive(t *testing.T) {
	written := handshake(panetest.New(t))
	src := serverOf(written, "node server.js")
	s := show(t, 120, 40, ui.Options{}, src)
	s.WaitText("notifications/initialized")
	written.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	src.more()
	s.WaitText("tools/list")
	waitRow(s, "tools/list") // it follows
	s.Keys("p")
	s.WaitText("paused")
	written.Server(110, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	src.more()
	s.WaitText("paused, 1 wait")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "list_changed") })
	s.Keys("p")
	s.WaitText("list_changed")
	s.Keys("g")
	waitRow(s, "server started")
	written.Server(120, "not a message")
	src.more()
	s.WaitText("not a message")
	waitRow(s, "server started") // it stays
	s.Keys("F")
	waitRow(s, "not a message")
}

// TestSessions holds going from one session to the next.
func TestSessions(t *testing.T) {
	s := show(t, 120, 40, ui.Options{}, sourceOf(over(talk(t)), "first"), sourceOf(over(handshake(panetest.New(t))), "second"))
	s.WaitText("1/2")
	s.Keys("ctrl+n")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "2/2") && strings.Contains(screen, "second") && !strings.Contains(screen, "Server started!")
	})
	s.WaitTerminal(func(term *terminal.Terminal) bool { return term.Title() == "wiretea · second" })
	s.Keys("ctrl+p")
	s.WaitText("Server started!")
}

// TestCopy holds that the raw frame comes to the clipboard as it was on the wire.
func TestCopy(t *testing.T) {
	s := show(t, 120, 40, ui.Options{}, recording(t))
	s.WaitText("traffic")
	s.Type(":11\r")
	waitRow(s, "Server started!")
	s.Keys("y")
	s.WaitText("copy the raw frame")
	s.Keys("r")
	s.WaitTerminal(func(term *terminal.Terminal) bool {
		return strings.TrimRight(term.Clipboard(), "\n") == "Server started!"
	})
	s.Keys("y", "esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "copy the raw frame") })
}

// TestSizes holds that the screen keeps to any size, and that after a storm of
// them it is what it would have been from the start.
func TestSizes(t *testing.T) {
	fresh := show(t, 120, 40, ui.Options{}, recording(t))
	fresh.WaitText("Server started!")
	s := show(t, 80, 24, ui.Options{}, recording(t))
	s.WaitText("traffic")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		s.Resize(1+rnd.IntN(220), 1+rnd.IntN(70))
	}
	for _, size := range [][2]int{{10, 3}, {1, 1}, {20, 5}, {300, 3}, {3, 100}, {500, 200}, {120, 40}} {
		s.Resize(size[0], size[1])
	}
	s.WaitFor(func(screen string) bool { return screen == fresh.Screen() })
	sane(t, s)
}

// TestPaste holds that a paste goes into a prompt, as much of it as fits, and
// never becomes keys.
func TestPaste(t *testing.T) {
	server := serverOf(talk(t), "node server.js")
	s := show(t, 100, 30, ui.Options{}, server)
	s.WaitText("traffic")
	s.Paste("q\rq\rR\r")
	s.WaitText("press : or f first")
	s.Keys(":")
	s.Type("send ")
	s.Paste(strings.Repeat("0123456789", 10_000))
	s.Keys("enter")
	if got := <-server.sent; len(got) < 10_000 || len(got) > 16<<10 {
		t.Errorf("%d bytes were sent", len(got))
	}
	s.Keys(":")
	s.Paste("send two\nlines\x1b[31m")
	s.Keys("enter")
	if got := <-server.sent; strings.ContainsAny(got, "\n\x1b") {
		t.Errorf("sent %q", got)
	}
	select {
	case <-server.restarted:
		t.Error("a paste was taken for keys")
	default:
	}
	sane(t, s)
}

// TestLight holds that the terminal's background decides.
func TestLight(t *testing.T) {
	colour := func(light bool) (c terminal.Style) {
		s := terminal.Run(t, ui.New(ui.Options{Sources: []ui.Source{recording(t)}, Dark: !light}), 100, 30,
			terminal.SessionOptions{Terminal: terminal.Options{Light: light}})
		s.WaitText("traffic")
		s.Terminal(func(term *terminal.Terminal) { _, c = term.Cell(1, 0) })
		return c
	}
	light := colour(true)
	if light == colour(false) {
		t.Errorf("the name is %v on light and on dark", light)
	}
	s := terminal.Run(t, ui.New(ui.Options{Sources: []ui.Source{recording(t)}, Dark: true}), 100, 30,
		terminal.SessionOptions{Terminal: terminal.Options{Light: true}})
	// The program begins in the dark; the terminal's answer changes it.
	s.WaitTerminal(func(term *terminal.Terminal) bool { _, c := term.Cell(1, 0); return c == light })
}

// A broken source panics where it is told to.
type broken struct {
	*source
	panics chan struct{} // panics is closed when it shall.
}

func (b *broken) Snapshot() *session.Snapshot {
	select {
	case <-b.panics:
		panic("broken on purpose")
	default:
		return b.source.Snapshot()
	}
}

// TestPanic holds that our own fault ends the program and gives the terminal
// back.
func TestPanic(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = stderr }()
	b := &broken{sourceOf(talk(t), "node server.js"), make(chan struct{})}
	s := show(t, 100, 30, ui.Options{}, b)
	s.WaitText("traffic")
	close(b.panics)
	b.wake <- struct{}{}
	if _, err := s.WaitEnd(); !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("it ended with %v", err)
	}
	restored(t, s)
	w.Close()
	if said, err := io.ReadAll(r); err != nil || !strings.Contains(string(said), "broken on purpose") {
		t.Errorf("stderr has %q, %v", said, err)
	}
}

// A slow source is still being read.
type slow struct {
	*source
	read atomic.Bool
}

func (s *slow) Reading() bool { return !s.read.Load() }

// TestReading holds that a recording is not called broken off before its end has
// been read.
func TestReading(t *testing.T) {
	src := &slow{source: sourceOf(handshake(panetest.New(t)), "torn.mcpcap.jsonl")}
	src.ctx.Live = false
	s := show(t, 100, 30, ui.Options{}, src)
	s.WaitText("◌ reading")
	src.read.Store(true)
	src.wake <- struct{}{}
	s.WaitText("◌ broken off")
}

// TestSays holds that the demo's line is shown.
func TestSays(t *testing.T) {
	s := show(t, 100, 30, ui.Options{Says: func() string { return "this is what happens" }}, recording(t))
	s.WaitText("▸ this is what happens")
}

func BenchmarkView(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			screen := ui.New(ui.Options{Sources: []ui.Source{benchSource(b)}, Dark: true})
			screen.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			b.ReportAllocs()
			for b.Loop() {
				screen.Update(tea.MouseReleaseMsg{})
				if screen.View().Content == "" {
					b.Fatal("nothing is drawn")
				}
			}
		})
	}
}

// benchSource is a session of some length.
func benchSource(b *testing.B) ui.Source {
	s := panetest.New(b)
	for i := range 2000 {
		s.Client(float64(10*i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, i))
		s.Stderr(float64(10*i+1), "called")
		s.Server(float64(10*i+2), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i))
	}
	return sourceOf(s, "node server.js")
}
