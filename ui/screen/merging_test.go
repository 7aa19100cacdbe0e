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
// order of the clock, with one filter and one search; the panes beside it are about the
// selected row's session, and what moves there moves the list.
func TestMerged(t *testing.T) {
	s := show(t, 140, 45, screen.Options{Merged: true}, agent(t)...)
	s.WaitText("3 sessions on one clock")
	s.WaitText("[all]")
	want := []string{"A forecast", "B read_file", "C send", "B read_file", "A forecast", "C send"}
	s.WaitFor(func(screen string) bool { return slices.Equal(order(screen), want) })
	s.Keys("f")
	s.Type("m:tools/call d:c2s\r")
	s.WaitText("6 of ")
	// The list goes over sessions, and the detail with it.
	s.Keys("g", "j", "j")
	s.WaitText("A · findings")
	s.Keys("g")
	for _, want := range []string{"A · ", "B · ", "C · ", "B · ", "A · ", "C · "} {
		s.WaitText("│" + want[:1] + " ")
		s.WaitText(want + "findings")
		s.Keys("j")
	}
	// The pair is in the session of the row.
	s.Keys("ctrl+t", "g", "f")
	s.Keys("ctrl+u")
	s.Type("t:send\r")
	s.WaitText("4 of ")
	s.Keys("g", "o")
	s.WaitText("C · tools/call send #7")
	s.Keys("esc")
	s.WaitText("3 sessions on one clock ─")
	s.WaitText("28 ─")
	// The next finding is in another session.
	s.Keys("g", "w")
	s.WaitText("A · findings")
	s.WaitText("stdout-not-json")
	s.Keys("/")
	s.Type("read_file 1\r")
	s.WaitText("B · findings")
	s.Keys("esc", "esc", "ctrl+n")
	s.WaitText("[A weather]")
	s.WaitFor(func(screen string) bool {
		return !strings.Contains(screen, "C · ") && !strings.Contains(screen, "sessions on one clock")
	})
	s.Click(40, 1)
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
			s.WaitText("C · ")
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

// TestMergedLive holds that the list follows sessions that go on, and stays where somebody
// has gone.
func TestMergedLive(t *testing.T) {
	a, b := calls(t, 0, "one", 100), calls(t, time.Second, "two", 100)
	first, second := sourceOf(a, "first"), sourceOf(b, "second")
	s := show(t, 120, 30, screen.Options{Merged: true}, first, second)
	s.WaitText("following")
	s.WaitText("B · ")
	a.Client(5000, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"three"}}`)
	first.more()
	s.WaitText("call  three")
	s.WaitText("A · ")
	b.Client(6000, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"four"}}`)
	second.more()
	s.WaitText("call  four")
	s.WaitText("B · ")
	s.Keys("g")
	s.WaitText("A · ")
	b.Client(7000, `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"five"}}`)
	second.more()
	s.WaitText("call  five")
	s.WaitText("A · ")
	s.Keys("G")
	s.WaitText("following")
	s.WaitText("B · ")
	sane(t, s)
}

// TestMergedPages holds that the timeline and the statistics are those of all sessions on one
// clock, that their cursor and traffic's are on the same row of the same session, and that a
// range of time is a filter of all.
func TestMergedPages(t *testing.T) {
	s := show(t, 140, 45, screen.Options{Merged: true}, agent(t)...)
	s.WaitText("3 sessions on one clock")
	s.WaitText("✖ 1") // The header counts what is wrong in all of them,
	s.WaitText("C ✔ mail  nothing to report")
	s.WaitText("t timeline")
	s.Keys("t")
	s.WaitText("timeline of 3 sessions")
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
	s.WaitText("C · tools/call send #")
	// A range of the timeline is a filter of all sessions.
	s.Keys("t")
	s.WaitText("timeline of 3 sessions")
	s.Keys("=", "+", "b")
	s.WaitText("at>=2026-11-20T10:00:")
	s.WaitText("C · ")
	file := filepath.Join(t.TempDir(), "agent.txt")
	s.Type(":export text " + file + "\r")
	s.WaitText("text of 3 sessions")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "A → tools/call forecast (1)\n") || !strings.Contains(string(text), "\nC ← tools/call send (2) 15.0 ms\n") {
		t.Errorf("%v: %s", err, text)
	}
	s.Keys("esc", "s")
	s.WaitText("statistics of 3 sessions")
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
				s.WaitText("B · ")
				s.Golden(t.Name())
				if size[0] > 120 {
					return
				}
				s.Keys("t")
				s.WaitText("timeline of 3 sessions")
				s.WaitText("9 requests")
				s.Golden(t.Name() + "-timeline")
				s.Keys("esc", "s")
				s.WaitText("statistics of 3 sessions")
				s.Keys("l")
				s.WaitText("B read_file")
				s.Golden(t.Name() + "-statistics")
			})
		}
	}
	if style.New("", true, false).Session(0) == style.New("", true, false).Session(1) {
		t.Error("two sessions look the same")
	}
}

// TestMergedClean holds that each session without findings says so once, whichever is selected
// and whether or not the pane has room for a line of each.
func TestMergedClean(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		s := show(t, size[0], size[1], screen.Options{Merged: true, NoColour: true}, agent(t)...)
		s.WaitText("3 sessions on one clock")
		s.Keys("!") // At 80x24 the pane is not shown by itself.
		clean := func(want int) func(string) bool {
			return func(text string) bool { return strings.Count(text, "nothing to report") == want }
		}
		s.WaitFor(clean(2))
		s.WaitText("A ✖ weather")
		for _, letter := range []string{"B", "C"} {
			s.Type(":filter t:" + map[string]string{"B": "read_file", "C": "send"}[letter] + "\r")
			s.Keys("g")
			s.WaitText(letter + " · findings")
			s.WaitFor(clean(2))
		}
		s.Keys("ctrl+n", "ctrl+n") // One session says it in the pane.
		s.WaitText("[B files]")
		s.WaitFor(clean(1))
		sane(t, s)
	}
}

// TestMergedCommands holds that :sort and :columns are about the list of all sessions, that the
// edges of its heads can be dragged, and that :at says why it does nothing there.
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
	s.WaitText("the past is shown of one session; ctrl-n goes to one")
	s.WaitText("3 sessions on one clock")
	s.Keys("esc")
	s.WaitFor(func(text string) bool {
		return strings.Contains(text, " filter") && !strings.Contains(text, "space play")
	})
	s.Keys("ctrl+n")
	s.WaitText("[A weather]")
	s.WaitText("space play")
	s.Type(":at 3s\r")
	s.WaitText("◷ past")
	sane(t, s)
}
