package screen_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/keys"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// TestKeysAtRandom holds that no order of keys makes the screen panic, or draw
// anything but a screen.
func TestKeysAtRandom(t *testing.T) {
	var names []string
	for _, b := range keys.Table {
		// An editor needs a real terminal; ctrl+g opens one in the composer.
		// The help does all the others, and an export writes a file.
		switch b.Action {
		case keys.Suspend, keys.Quit, keys.Editor, keys.Help, keys.FormHelp, keys.Export:
		default:
			for _, k := range b.Keys {
				names = append(names, strings.Fields(k)...)
			}
		}
	}
	names = append(names, "enter", "a", "backspace")
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			s := show(t, 120, 40, screen.Options{}, serverOf(talk(t), "node server.js"), sourceOf(over(talk(t)), "old.mcpcap.jsonl"))
			s.WaitText("traffic")
			for range 400 {
				// Escape and q leave, at the end.
				if name := names[rnd.IntN(len(names))]; name != "q" && name != "esc" && name != "ctrl+g" {
					s.Keys(name)
				}
			}
			s.Keys("esc", "esc", "ctrl+l")
			s.Terminal(func(term *termtest.Terminal) { whole(t, term) })
			// Whatever is open by now, each closes one thing, then asks, then leaves.
			s.Keys("ctrl+c", "ctrl+c", "ctrl+c", "ctrl+c", "ctrl+c", "ctrl+c")
			if _, err := s.WaitEnd(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLive holds that what comes is shown, held back while paused, and not lost.
func TestLive(t *testing.T) {
	written := handshake(panetest.New(t))
	src := serverOf(written, "node server.js")
	s := show(t, 120, 40, screen.Options{}, src)
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
	s := show(t, 120, 40, screen.Options{}, sourceOf(over(talk(t)), "first"), sourceOf(over(handshake(panetest.New(t))), "second"))
	s.WaitText("[A ")
	s.Keys("ctrl+n")
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "[B second") && strings.Contains(screen, "second") && !strings.Contains(screen, "Server started!")
	})
	s.WaitTerminal(func(term *termtest.Terminal) bool { return term.Title() == "wiretea · second" })
	s.Keys("alt+p")
	s.WaitText("Server started!")
	s.Click(12, 1)
	s.WaitText("[B second]")
}

func BenchmarkView(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			screen := screen.New(screen.Options{Sources: []source.Source{benchSource(b)}, Dark: true})
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
func benchSource(b *testing.B) source.Source {
	s := panetest.New(b)
	for i := range 2000 {
		s.Client(float64(10*i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, i))
		s.Stderr(float64(10*i+1), "called")
		s.Server(float64(10*i+2), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i))
	}
	return sourceOf(s, "node server.js")
}
