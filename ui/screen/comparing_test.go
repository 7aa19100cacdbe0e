package screen_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/ui/config"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// twice writes a session in which the same was asked twice, and something else.
func twice(t *testing.T) *panetest.Session {
	s := handshake(panetest.New(t))
	ask := func(ms float64, id int, params, answer string) {
		s.Client(ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, id, params))
		s.Server(ms+9, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, answer))
	}
	ask(100, 1, `{"name":"weather","arguments":{"city":"Berlin"},"_meta":{"progressToken":"wiretea-1"}}`, `"result":{"content":[{"type":"text","text":"sunny"}],"temp":21}`)
	ask(200, 2, `{"name":"weather","arguments":{"city":"Paris"}}`, `"result":{"content":[{"type":"text","text":"foggy"}],"temp":9}`)
	ask(300, 3, `{"name":"weather","arguments":{"city":"Berlin"},"_meta":{"progressToken":"wiretea-2"}}`, `"result":{"temp":14,"content":[{"type":"text","text":"rainy"}]}`)
	ask(400, 4, `{"name":"weather","arguments":{"city":"Rome"}}`, `"error":{"code":-32602,"message":"no such city"}`)
	return s
}

// TestDifference compares answers: with the one before to the same request, with a
// marked one, and two marked ones.
func TestDifference(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		show []string
	}{
		"same request": {[]string{"d"}, []string{"difference · tools/call weather", "≠ 2 differences", `"sunny"`, `"rainy"`}},
		"a mark":       {[]string{"k", "k", "m", "j", "j", "d"}, []string{"≠ 2 differences", `"foggy"`, `"rainy"`}},
		"two marks":    {[]string{"m", "j", "j", "m", "d"}, []string{`"error"`, `"result"`, `"rainy"`, "no such city"}},
		"three marks":  {[]string{"m", "k", "m", "k", "m", "d"}, []string{"3 rows are marked; two can be compared"}},
		"same tool":    {[]string{"k", "k", "d"}, []string{"≠ 3 differences", "params.arguments.city", `"foggy"`, `"Berlin"`, "in 9.00 ms"}},
		"no earlier":   {[]string{"k", "k", "k", "k", "d"}, []string{"no earlier answer of this kind; m marks another row, then d"}},
		"no answer":    {[]string{"g", "d"}, []string{"Select an answer, or mark two rows"}},
	} {
		t.Run(name, func(t *testing.T) {
			src := sourceOf(twice(t), "weather.mcpcap.jsonl")
			src.path = filepath.Join(t.TempDir(), src.title) // marks are kept beside it
			s := show(t, 80, 24, screen.Options{Settings: config.Settings{NoticeText: "1m"}}, src)
			s.WaitText("no such city")
			// Row 11 is the answer about Berlin that came second.
			s.Type(":11")
			s.Keys("enter")
			s.WaitText("#11")
			s.Keys(c.keys...)
			s.WaitFor(func(screen string) bool {
				for _, text := range c.show {
					if !strings.Contains(screen, text) {
						return false
					}
				}
				return true
			})
			sane(t, s)
		})
	}
}

// TestDifferencePage looks at the page, ignores a path, and goes back.
func TestDifferencePage(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := show(t, size[0], size[1], screen.Options{}, sourceOf(twice(t), "weather.mcpcap.jsonl"))
			s.WaitText("no such city")
			s.Type(":11")
			s.Keys("enter")
			s.WaitText("#11")
			s.Keys("d")
			s.WaitText("≠ 2 differences")
			s.Golden(fmt.Sprintf("difference-%dx%d", size[0], size[1]))
			s.Terminal(func(term *termtest.Terminal) { whole(t, term) })
			s.Type(":ignore ..temp")
			s.Keys("enter")
			s.WaitText("≠ 1 difference")
			s.Keys("I")
			s.WaitText("≠ 2 differences")
			s.Keys("q")
			s.WaitText("traffic")
		})
	}
}

// A rebuilt is a server that is built and started anew when its files change.
type rebuilt struct {
	*server
	news  chan tea.Msg
	state atomic.Pointer[watch.State]
	asked chan string
}

func rebuiltOf(written *panetest.Session) *rebuilt {
	r := &rebuilt{server: serverOf(written, "node server.js"), news: make(chan tea.Msg, 8), asked: make(chan string, 8)}
	r.is(watch.State{Folders: 12, Builds: true})
	return r
}

func (r *rebuilt) is(st watch.State)    { r.state.Store(&st) }
func (r *rebuilt) Watch() watch.State   { return *r.state.Load() }
func (r *rebuilt) TurnWatch(on bool)    { r.asked <- fmt.Sprint("turn ", on) }
func (r *rebuilt) Rebuild()             { r.asked <- "build" }
func (r *rebuilt) News() <-chan tea.Msg { return r.news }

var tested = pane.CompareMsg{
	Title: "tools/call echo", Quiet: true,
	Old: pane.Side{Name: "before the restart", Body: []byte(`{"a":1}`)}, New: pane.Side{Name: "after it", Body: []byte(`{"a":2}`)},
}

// TestWatchingScreen shows what a build and a restart came to: unasked only where
// nothing else is open.
func TestWatchingScreen(t *testing.T) {
	r := rebuiltOf(talk(t))
	s := show(t, 120, 40, screen.Options{}, r)
	s.WaitText("watching 12 folders")
	long := strings.Repeat("very/long/", 5)
	for _, c := range []struct {
		st    watch.State
		shown string
	}{
		{watch.State{Named: "server.py"}, "watching server.py "},
		{watch.State{Named: "src", Folders: 1}, "watching src "},
		{watch.State{Named: "src", Folders: 3}, "watching src, 3 folders "},
		{watch.State{Named: long, Folders: 4}, "watching 4 folders "},
		{watch.State{Named: long}, "watching  "},
	} {
		r.is(c.st)
		r.more()
		s.WaitText(c.shown)
	}
	s.Type(":watch\r")
	s.WaitText("watching very/long/very/")
	r.is(watch.State{Phase: watch.Building, For: 1200 * time.Millisecond, Folders: 12, Builds: true})
	r.more()
	s.WaitText("⟳ building… 1.20 s")
	r.is(watch.State{Folders: 12, Builds: true, Failed: true})
	r.news <- watch.Built{Command: "make", Code: 2, Took: 1200 * time.Millisecond, Output: []byte("compiling\r\nmain.c:1: \x1b[1;31merror\x1b[m\x1b[K \x1b[2J\n\n"), At: 11, Cut: 5000}
	s.WaitText("✖ build failed  node")
	s.WaitText("build failed, exit code 2, 1.20 s")
	s.Golden("build-failed")
	s.Keys("q")
	waitGone(s, "exit code 2")
	r.news <- tested
	s.WaitText("≠ 1 difference")
	s.Keys("q")
	waitGone(s, "≠ 1 difference")
	s.Keys("?")
	s.WaitText("type to search")
	r.news <- tested
	s.WaitText("tools/call echo: 1 difference; d shows")
	r.news <- watch.Built{Command: "make", Code: 2}
	s.WaitText(":output shows why")
	s.Keys("esc")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "type to search") })
	s.Keys("d")
	s.WaitText("after it")
	same := tested
	same.New.Body = same.Old.Body
	r.news <- same
	s.WaitText("tools/call echo: the same result")
	for line, want := range map[string]string{":watch off": "turn false", ":watch on": "turn true", ":build": "build"} {
		s.Type(line)
		s.Keys("enter")
		if got := <-r.asked; got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	s.Type(":output")
	s.Keys("enter")
	s.WaitText("it wrote nothing")
	r.news <- watch.Built{Command: "make", Took: time.Second}
	s.WaitText("build ok 1.00 s")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "it wrote nothing") })
	sane(t, s)
}

// TestNothingWatched: the commands say what would help.
func TestNothingWatched(t *testing.T) {
	s := show(t, 80, 24, screen.Options{}, running(t))
	for _, line := range []string{":watch", ":build"} {
		s.Type(line)
		s.Keys("enter")
		s.WaitText("nothing is watched: wiretea run --watch PATH -- SERVER")
		s.Keys("ctrl+l")
	}
	s.Type(":output")
	s.Keys("enter")
	s.WaitText("nothing was built yet")
}
