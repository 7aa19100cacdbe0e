package screen_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/style"
	"wiretea/ui/termtest"
)

// calls writes a session of a server that began some seconds after the others, whose client
// calls tools at times of its own.
func calls(t testing.TB, begins time.Duration, tool string, at ...float64) *panetest.Session {
	s := panetest.New(t)
	s.Header().T0 = s.Header().T0.Add(begins)
	handshake(s)
	for i, ms := range at {
		s.Client(ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, i+1, tool, i))
		s.Server(ms+15, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s %d"}]}}`, i+1, tool, i))
	}
	return s
}

// agent is what a client does across three servers.
func agent(t testing.TB) []source.Source {
	weather := calls(t, 0, "forecast", 1000, 9000)
	weather.Server(9100, "Server started!")
	files := calls(t, 2*time.Second, "read_file", 100, 5000)
	mail := calls(t, 3*time.Second, "send", 500, 7000)
	var all []source.Source
	for i, s := range []*panetest.Session{weather, files, mail} {
		s.IO(12000, session.C2S, session.IOEvent{Event: "eof", Side: "client"})
		s.End()
		all = append(all, sourceOf(s, [...]string{"weather", "files", "mail"}[i]))
	}
	return all
}

// order are the letters and tools of the calls on a screen, from the top.
func order(screen string) (calls []string) {
	for _, m := range regexp.MustCompile(`│(\w) .*→  (?:tools/)?call  (\w+)`).FindAllStringSubmatch(screen, -1) {
		calls = append(calls, m[1]+" "+m[2])
	}
	return calls
}

// TestMerged holds what can be done in the list of all sessions: it has their rows in the
// order of the clock, with one filter and one search, and findings of all.
func TestMerged(t *testing.T) {
	s := show(t, 140, 45, screen.Options{Merged: true}, agent(t)...)
	s.WaitText("3 sessions on one clock")
	s.WaitText("[all]")
	want := []string{"A forecast", "B read_file", "C send", "B read_file", "A forecast", "C send"}
	s.WaitFor(func(screen string) bool { return slices.Equal(order(screen), want) })
	s.Keys("f")
	s.Type("m:tools/call d:c2s\r")
	s.WaitText("6 of ")
	s.Keys("f", "ctrl+u")
	s.Type("t:send\r")
	s.WaitText("4 of ")
	s.Keys("g", "o")
	s.WaitText("tools/call send #")
	s.Keys("esc", "esc", "g", "w")
	s.WaitText("stdout-not-json")
	s.WaitText("Server started!")
	s.Keys("/")
	s.Type("read_file 1\r")
	s.WaitText("hit 1 of 1")
	s.Keys("esc", "esc", "ctrl+n")
	s.WaitText("[A weather]")
	s.WaitFor(func(text string) bool { return !strings.Contains(text, "sessions on one clock") })
	sane(t, s)
}

// TestMergedMouse holds that the list takes the wheel and clicks, and the line of tabs leads
// to it.
func TestMergedMouse(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, agent(t)...)
	s.WaitText("[A weather]")
	at := strings.Index(lineOf(s, 1), "all")
	s.Click(at, 1)
	s.WaitText("[all]")
	s.WaitText("3 sessions on one clock")
	s.WaitText("─ 28 ─") // All are merged.
	for y, line := range strings.Split(s.Screen(), "\n") {
		if strings.Contains(line, "call  send") {
			s.Click(20, y)
			s.WaitText("tools/call send #")
			s.Wheel(20, y, 1)
			s.Click(20, y)
			s.Click(20, y)
			break
		}
	}
	s.WaitText("[all]")
	sane(t, s)
}

// lineOf is a line of the screen.
func lineOf(s *termtest.Session, y int) string { return strings.Split(s.Screen(), "\n")[y] }

// TestMergedPages holds that the timeline and the statistics are those of all sessions on one
// clock, and that a range of time is a filter of all.
func TestMergedPages(t *testing.T) {
	s := show(t, 140, 45, screen.Options{Merged: true}, agent(t)...)
	s.WaitText("3 sessions on one clock")
	s.WaitText("✖ 1") // The header counts what is wrong in all of them.
	s.WaitText("t timeline")
	s.Keys("t")
	s.WaitText("9 requests · 15.0 s")
	// The third request is that of the second session: initialize comes first in each.
	s.Keys("g")
	for _, want := range []string{"A initialize", "A forecast", "B initialize", "B read_file", "C initialize", "C send", "B read_file", "A forecast", "C send"} {
		name := strings.Fields(want)[1]
		s.WaitFor(func(screen string) bool {
			lines := strings.Split(strings.TrimRight(screen, "\n "), "\n")
			status := lines[len(lines)-3]
			return strings.Contains(status, " "+want[:1]+" ") && strings.Contains(status, name)
		})
		s.Keys("j")
	}
	s.Keys("enter")
	s.WaitText("tools/call send #")
	// A range of the timeline is a filter of all sessions.
	s.Keys("t")
	s.WaitText("9 requests · 15.0 s")
	s.Keys("=", "+", "b")
	s.WaitText(`at>="2026-11-20T10:00:`)
	file := filepath.Join(t.TempDir(), "agent.txt")
	s.Type(":export text " + file + "\r")
	s.WaitText("agent.txt (text, ")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "A → tools/call forecast (1)\n") || !strings.Contains(string(text), "\nC ← tools/call send (2) 15.0 ms\n") {
		t.Errorf("%v: %s", err, text)
	}
	s.Type(":export md " + file + ".md\r")
	s.WaitText("an issue is about one server")
	s.Keys("esc", "s")
	s.WaitText("tools/call (3)")
	s.Keys("g", "l")
	s.WaitText("B read_file")
	s.Keys("esc", "ctrl+n", "s")
	s.WaitText("─ statistics ─")
	sane(t, s)
}

// TestMergedFilters holds that a filter of all sessions selects what it selects in each.
func TestMergedFilters(t *testing.T) {
	count := regexp.MustCompile(` (\d+)(?: of \d+)? ─`)
	rows := func(screen string) string {
		m := count.FindStringSubmatch(strings.Split(screen, "\n")[2])
		if m == nil {
			return ""
		}
		return m[1]
	}
	random := rand.New(rand.NewPCG(7, 7))
	filters := []string{"m:tools/call", "d:s2c", "t:one | t:two", "is:request -t:one", `b~"two [0-4]"`, "id:3", "size>100"}
	for _, text := range filters {
		var sources []source.Source
		for _, tool := range []string{"one", "two"} {
			var at []float64
			for ms := 100.0; len(at) < 6; ms += float64(100 + random.IntN(900)) {
				at = append(at, ms)
			}
			w := calls(t, time.Duration(random.IntN(3000))*time.Millisecond, tool, at...)
			w.End()
			sources = append(sources, sourceOf(w, tool))
		}
		sum := 0
		for _, src := range sources {
			sum += selected(t, src, text)
		}
		s := show(t, 200, 60, screen.Options{Filter: text, Merged: true}, sources...)
		s.WaitText("[all]")
		s.WaitFor(func(screen string) bool { return rows(screen) == fmt.Sprint(sum) })
	}
}

// selected counts the rows of a session, but those of stderr, that a filter selects.
func selected(t *testing.T, src source.Source, text string) (n int) {
	t.Helper()
	f, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	snap, bodies := src.Snapshot(), recorder.NewBodies(src.Log())
	for i := range uint32(snap.Len()) {
		r := snap.Row(i)
		if r.Stream == session.Stderr && !r.Kind.Event() {
			continue
		}
		switch f.Meta(snap, i) {
		case filter.Yes:
			n++
		case filter.Body:
			body, _ := bodies.Read(r, 1<<20)
			if f.Match(snap, i, body) {
				n++
			}
		case filter.No:
		}
	}
	return n
}

// TestMergedGoldens holds how the list looks.
func TestMergedGoldens(t *testing.T) {
	for _, size := range sizes {
		for name, opt := range map[string]screen.Options{"dark": {}, "plain": {NoColour: true}} {
			t.Run(fmt.Sprintf("merged-%dx%d-%s", size[0], size[1], name), func(t *testing.T) {
				opt.Merged, opt.Filter = true, "m:tools/call"
				s := show(t, size[0], size[1], opt, agent(t)...)
				s.WaitText("on one clock")
				s.WaitText("12 of 28") // All are merged: a row that comes later would move the selection.
				s.Keys("g", "j", "j", "j")
				s.Golden(t.Name())
				if size[0] > 120 {
					return
				}
				s.Keys("t")
				s.WaitText("9 requests")
				s.Golden(t.Name() + "-timeline")
				s.Keys("esc", "s")
				s.WaitText("tools/call (3)")
				s.Keys("l")
				s.WaitText("B read_file")
				s.Golden(t.Name() + "-statistics")
			})
		}
	}
	if style.New("", true, false).Session(1) == style.New("", true, false).Session(2) {
		t.Error("two sessions look the same")
	}
}

// TestMergedCommands holds that :sort and :columns are about the list of all sessions, and that
// the edges of its heads can be dragged.
func TestMergedCommands(t *testing.T) {
	s := show(t, 200, 60, screen.Options{Merged: true, NoColour: true}, agent(t)...)
	s.WaitText("3 sessions on one clock")
	heads := func(want string) {
		t.Helper()
		s.WaitFor(func(text string) bool { return strings.Join(strings.Fields(headLine(text)), " ") == want })
	}
	ordered := func(want ...string) {
		t.Helper()
		s.WaitFor(func(text string) bool { return slices.Equal(order(text), want) })
	}
	heads("n time what info latency size id")
	s.Type(":filter m:tools/call d:c2s\r")
	ordered("A forecast", "B read_file", "C send", "B read_file", "A forecast", "C send")
	s.Type(":sort what\r")
	ordered("A forecast", "A forecast", "B read_file", "B read_file", "C send", "C send")
	s.WaitText("by what ▴")
	s.Type(":sort time reverse\r")
	ordered("C send", "A forecast", "B read_file", "C send", "B read_file", "A forecast")
	s.Type(":sort nonsense\r")
	s.WaitText(`unknown column "nonsense"`)
	s.Type(":sort\r")
	ordered("A forecast", "B read_file", "C send", "B read_file", "A forecast", "C send")
	// The columns are those of all lines.
	s.Type(":columns\r")
	s.WaitText("columns of traffic")
	s.Keys("space", "esc") // n
	heads("time what info latency size id")
	s.Type(":columns reset\r")
	heads("n time what info latency size id")
	at := func(text string) int { return 1 + strings.Index(headLine(text), "what") }
	was, edge := at(s.Screen()), 1+strings.Index(headLine(s.Screen()), "time")+len("time")
	s.Drag(edge, 3, edge+6, 3)
	s.WaitFor(func(text string) bool { return at(text) == was+6 })
	for _, line := range strings.Split(s.Screen(), "\n") {
		if arrow := strings.Index(line, "→  call"); arrow >= 0 && len([]rune(line[:arrow]))+len("→  ") > was+6+len("→  ") {
			t.Errorf("a line does not begin where its head does: %q", line)
		}
	}
	s.Type(":at 3s\r")
	s.WaitText("this is about one session; ctrl-n goes to one")
	s.Keys("ctrl+n")
	s.WaitText("[A weather]")
	s.WaitText("space play")
	s.Type(":at 3s\r")
	s.WaitText("◷ past")
	sane(t, s)
}
