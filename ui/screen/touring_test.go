package screen_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/termtest"
	"wiretea/ui/tour"
)

// A scripting is a tour whose scenes the test plays.
type scripting struct {
	mu    sync.Mutex
	scene tour.Scene
	line  string
	steps chan int // steps are those that were asked for.
}

func (s *scripting) Line() string { s.mu.Lock(); defer s.mu.Unlock(); return s.line }

func (s *scripting) Scene() tour.Scene { s.mu.Lock(); defer s.mu.Unlock(); return s.scene }

func (s *scripting) Step(by int) { s.steps <- by }

// play shows another scene.
func (s *scripting) play(line string, scene tour.Scene) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line, s.scene = line, scene
}

// stepped waits for steps, which must be the next ones.
func (s *scripting) stepped(t *testing.T, want ...int) {
	t.Helper()
	for _, by := range want {
		if got := <-s.steps; got != by {
			t.Fatalf("a step of %d, want %d", got, by)
		}
	}
	if len(s.steps) > 0 {
		t.Fatalf("a step of %d too many", <-s.steps)
	}
}

// tourOf begins a tour of three scenes at its first, over a session of a healthy server.
func tourOf(t *testing.T, w, h int) (*termtest.Session, *scripting, *panetest.Session, *server) {
	t.Helper()
	written := handshake(panetest.New(t))
	src := serverOf(written, "wiretea demo")
	played := &scripting{steps: make(chan int, 8), line: "1/3  healthy  Nothing to report.", scene: tour.Scene{At: 1, Of: 3, Serial: 1}}
	s := show(t, w, h, screen.Options{Tour: played}, src)
	s.WaitText("▸ 1/3  healthy  Nothing to report.")
	written.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello there"}}}`)
	written.Server(110, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Echo: hello there"}]}}`)
	written.Client(120, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	written.Server(130, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
	src.more()
	waitRow(s, "tools/list") // It follows while the scene plays.
	played.play("1/3  healthy  Nothing to report.", tour.Scene{At: 1, Of: 3, Serial: 1, Over: true})
	src.more()
	return s, played, written, src
}

// TestTour holds that a scene stays until a key goes on, that what matters in it is
// selected: the answer to the call, then the frame of the finding; and that a row that was
// chosen by hand stays selected.
func TestTour(t *testing.T) {
	s, played, written, src := tourOf(t, 120, 40)
	s.WaitFor(all("tools/call echo #7", "Echo: hello there", "n next scene"))
	played.stepped(t) // It does not go on by itself.
	s.Keys("N")
	s.WaitText("this is the first scene")
	s.Keys("n")
	played.stepped(t, 1)
	played.play("2/3  log-line  A log line on stdout.", tour.Scene{At: 2, Of: 3, Serial: 2, From: 200e6})
	src.more()
	written.Server(300, "Server started!")
	written.Client(310, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo"}}`)
	written.Server(320, `{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)
	src.more()
	s.WaitText("2/3  log-line")
	played.play("2/3  log-line  A log line on stdout.", tour.Scene{At: 2, Of: 3, Serial: 2, From: 200e6, Over: true})
	src.more()
	waitRow(s, "Server started!")
	s.WaitText("N scene before")
	s.Keys("j")
	waitRow(s, "call  echo")
	written.Stderr(400, "later")
	src.more()
	s.WaitText("later")
	waitRow(s, "call  echo") // What was chosen by hand stays.
	s.Keys("(", ")")
	played.stepped(t, -1, 1)
}

// TestTourKeys holds that n is the next hit of a search, and that the footer and the line
// name the keys that work then.
func TestTourKeys(t *testing.T) {
	s, played, _, _ := tourOf(t, 120, 40)
	s.WaitFor(all("tools/call echo #7", "n next scene"))
	s.Keys("/")
	s.Type("tools")
	s.Keys("enter")
	s.WaitText(") next scene")
	s.Keys("n", "n")
	s.Keys(")")
	played.stepped(t, 1)
}

// TestTourEnd holds that the end of the tour says so, and leads back.
func TestTourEnd(t *testing.T) {
	s, played, _, src := tourOf(t, 80, 24)
	played.play("That was the tour.", tour.Scene{At: 4, Of: 3, Serial: 2, From: 1e9, Over: true})
	src.more()
	s.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "That was the tour.  ·  N scene before") && !strings.Contains(screen, "next scene")
	})
	s.Keys("n")
	s.WaitText("the tour has 3 scenes, and this is its end")
	s.Keys("N")
	played.stepped(t, -1)
}

// TestTourGolden shows a scene at each size.
func TestTourGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s, _, _, _ := tourOf(t, size[0], size[1])
			s.WaitText("n next scene")
			waitRow(s, "Echo: hello")
			s.Golden("tour-" + fmt.Sprintf("%dx%d", size[0], size[1]))
			sane(t, s)
		})
	}
}

// TestNoTour holds that one scene alone has no keys.
func TestNoTour(t *testing.T) {
	s := show(t, 100, 30, screen.Options{Tour: &scripting{line: "this is what happens", scene: tour.Scene{At: 1, Of: 1, Serial: 1, Over: true}}}, recording(t))
	s.WaitText("▸ this is what happens")
	s.Keys("n")
	s.WaitText("nothing is searched for")
}

// TestTourSmall holds that a box over the panes has its lines on the smallest screen, where
// that of the tour has none.
func TestTourSmall(t *testing.T) {
	for h := 5; h < 9; h++ {
		t.Run(fmt.Sprint(h), func(t *testing.T) {
			src := serverOf(handshake(panetest.New(t)), "wiretea demo")
			played := &scripting{steps: make(chan int, 8), line: "1/3  healthy  A healthy server, with more words than a line of the screen has", scene: tour.Scene{At: 1, Of: 3, Serial: 1}}
			s := show(t, 20, h, screen.Options{Tour: played}, src)
			s.WaitText("traffic")
			s.Keys("?")
			s.WaitText("─ help ─")
		})
	}
}
