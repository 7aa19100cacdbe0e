package screen_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/config"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// The tests of this file are those of faults that users have met.

// TestFocusAfterResize: a pane for which there is no room any more loses the focus, and keys
// do not go to what is not seen (bug 1).
func TestFocusAfterResize(t *testing.T) {
	s := show(t, 120, 45, screen.Options{}, recording(t))
	s.WaitText("traffic")
	s.Keys("!")
	s.WaitText("e explain")
	s.Resize(80, 24)
	s.WaitFor(func(screen string) bool {
		return !strings.Contains(screen, "e explain") && strings.Contains(screen, "f filter")
	})
	s.Keys("g", "j", "j")
	waitRow(s, "tea 1.2.3")
}

// TestBothBorders: of the two lines between panes both can be dragged (bug 7).
func TestBothBorders(t *testing.T) {
	low := func(screen string) int { // the first line of the lower panes
		return slices.IndexFunc(strings.Split(screen, "\n"), func(line string) bool { return strings.HasPrefix(line, "╭─ stderr") })
	}
	corner := func(screen string, y int) int { // where the right one of two panes begins
		line := []rune(strings.Split(screen, "\n")[y])
		return 1 + slices.Index(line[1:], '╭')
	}
	main := func(screen string) int { return corner(screen, 1) }
	right := func(screen string) int { return corner(screen, low(screen)) }
	for _, near := range []int{0, 1} {
		s := show(t, 160, 45, screen.Options{}, recording(t))
		s.WaitText("findings")
		moves := func(x0, y0, x1, y1 int, at func(screen string) int) {
			t.Helper()
			was := at(s.Screen())
			s.Drag(x0, y0, x1, y1)
			s.WaitFor(func(screen string) bool { return at(screen) != was })
		}
		moves(main(s.Screen())-near, 5, 50, 5, main)
		moves(5, low(s.Screen())-near, 5, 25, low)
		moves(right(s.Screen())-near, low(s.Screen())+3, 40, low(s.Screen())+3, right)
	}
}

// TestSentUnderAFilter: a request that is sent while a filter hides it is not lost without a
// word (bug 8).
func TestSentUnderAFilter(t *testing.T) {
	written := talk(t)
	src := serverOf(written, "node server.js")
	s := show(t, 120, 40, screen.Options{Settings: config.Settings{NoticeText: "1h"}}, src)
	s.WaitText("brew")
	s.Type(":filter t:nothing\r")
	s.WaitText("no row matches")
	s.Type(":send prompts/list\r")
	<-src.sent
	written.Client(7000, `{"jsonrpc":"2.0","id":9,"method":"prompts/list"}`)
	src.more()
	s.WaitText("prompts/list is sent, and hidden by the filter; ctrl-t shows all rows")
	s.Type(":filter m:prompts/list\r")
	waitGone(s, "hidden by the filter")
	s.Type(":send prompts/list\r")
	<-src.sent
	written.Client(8000, `{"jsonrpc":"2.0","id":10,"method":"prompts/list"}`)
	src.more()
	s.WaitText("2 of ")
	if strings.Contains(s.Screen(), "hidden by") {
		t.Error("what the filter shows is said to be hidden")
	}
}

// TestSendIsRemembered: what :send has sent is in the history of the composer (bug 9).
func TestSendIsRemembered(t *testing.T) {
	dir := historyDir(t)
	c := callingIn(t, client.Legacy, offering(t))
	s := show(t, 120, 40, screen.Options{History: dir}, c)
	s.WaitText("brew")
	s.Type(`:send tools/call {"name":"brew","arguments":{"leaves":"black"}}` + "\r")
	<-c.sent
	keepsOf(t, dir, 1)
	s.Type(":history\r")
	s.WaitText("tools/call")
	s.Keys("enter")
	s.WaitText("black")
}

// TestComposeUnknownMethod: a method that is not known gets no parameters that somebody has
// made up (bug 10).
func TestComposeUnknownMethod(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := show(t, 120, 40, screen.Options{}, c)
	s.WaitText("brew")
	s.Type(":compose foo/bar baz\r")
	s.WaitText("foo/bar takes no name")
	s.Type(`:compose foo/bar {"depth":3}` + "\r")
	s.WaitText(`"depth": 3`)
	s.WaitText("✔ valid")
	s.Keys("ctrl+s")
	if got := c.line(t); !strings.Contains(got, `"method":"foo/bar"`) || !strings.Contains(got, `{"depth":3}`) {
		t.Errorf("sent %s", got)
	}
}

// TestDeathAtStart: where a server ends at once it is chance whether the client's first
// message was written before that. What is said of it is the same, and its row has the sign
// of an error and the finding its number (bug 11).
func TestDeathAtStart(t *testing.T) {
	for name, asks := range map[string]float64{"asked before": 2, "asked after": 30} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			s.Proc(1, session.Proc{Event: "start", PID: 7})
			ask := func() { s.Client(asks, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`) }
			if asks < 11 {
				ask()
			}
			s.Stderr(9, "no module named requestz")
			s.IO(10, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
			s.IO(10, session.Stderr, session.IOEvent{Event: "eof", Side: "server"})
			s.Proc(11, session.Proc{Event: "exit", Code: 1})
			if asks > 11 {
				ask()
			}
			s.IO(31, session.C2S, session.IOEvent{Event: "epipe", Side: "server"})
			scr := show(t, 200, 60, screen.Options{NoColour: true}, sourceOf(s, "dead.mcpcap.jsonl"))
			scr.WaitText("server exited with code 1, 9 ms after its start: no module named requestz")
			scr.WaitFor(func(text string) bool {
				return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
					row, _, _ := strings.Cut(line, "││")
					return strings.Contains(row, "server exited") && strings.HasSuffix(strings.TrimRight(row, " │"), "✖")
				})
			})
			if text := scr.Screen(); !regexp.MustCompile(`✖ #[0-9]+ server-exited`).MatchString(text) {
				t.Errorf("the finding has no number:\n%s", text)
			}
		})
	}
}

// TestOldDifference: a difference that was shown unasked after a build says so when it is
// older than a later build or restart (bug 13).
func TestOldDifference(t *testing.T) {
	r := rebuiltOf(talk(t))
	s := show(t, 120, 40, screen.Options{NoColour: true}, r)
	s.WaitText("traffic")
	r.news <- tested
	s.WaitText("≠ 1 difference")
	r.news <- pane.OutdatedMsg{Why: "older than the build that failed"}
	s.WaitText("⚠ older than the build that failed · ≠ 1 difference")
	r.news <- tested
	waitGone(s, "older than")
}

// TestBoxesKeepOffBorders: the borders of a question do not stand on those of panes, where
// they look like a fault in the drawing (bug 12).
func TestBoxesKeepOffBorders(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {160, 45}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := show(t, size[0], size[1], screen.Options{}, serverOf(talk(t), "node server.js"))
			s.WaitText("traffic")
			s.Keys("q")
			s.WaitText("End the server and leave?")
			for _, line := range strings.Split(s.Screen(), "\n") {
				for _, fault := range []string{"╰╰", "╯╯", "│╯", "╰│", "─╰", "╯─", "─╭", "╮─", "││╭", "╮││"} {
					if strings.Contains(line, fault) {
						t.Errorf("%q in %s", fault, line)
					}
				}
			}
		})
	}
}

// TestTheOnlyMark: where there is no other mark, that is said instead of going round (bug 16).
func TestTheOnlyMark(t *testing.T) {
	s := show(t, 120, 40, screen.Options{Settings: config.Settings{NoticeText: "1h"}}, recording(t))
	s.WaitText("pour")
	s.Keys("g", "m")
	s.WaitText("notes are not saved")
	s.Keys("]")
	s.WaitText("there is no other")
	s.Keys("j")
	waitGone(s, "there is no other")
	s.Keys("m", "]")
	s.WaitText("continuing from the top")
	s.Keys("]")
	waitGone(s, "continuing from the top")
}

// TestWrongFilterGoes: what a wrong filter said is gone when the next one is right (bug 3),
// and a wrong one names what was probably meant (bug 4).
func TestWrongFilterGoes(t *testing.T) {
	s := show(t, 120, 40, screen.Options{NoColour: true}, recording(t))
	s.WaitText("traffic")
	for _, wrong := range [][2]string{{"is:eror", "did you mean is:error?"}, {"latency>5", "did you mean lat>?"}, {"tool:echo", "did you mean t:?"},
		{"rule:stdout-not-jsn", "did you mean stdout-not-json?"}, {"rule:foo", `unknown rule "foo"`}} {
		s.Keys("f", "ctrl+u")
		s.Type(wrong[0])
		s.WaitText(wrong[1])
		s.Keys("esc")
	}
	s.Keys("f", "ctrl+u")
	s.Type("t:echo\r")
	s.WaitText("traffic · t:echo")
	waitGone(s, "did you mean")
}

// TestNarrowHeaderSaysWhatIsWrong: on a narrow screen the counts of findings stay in the
// header (bug 21).
func TestNarrowHeaderSaysWhatIsWrong(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {40, 24}, {30, 10}} {
		s := show(t, size[0], size[1], screen.Options{NoColour: true}, running(t))
		s.WaitText("traffic")
		s.WaitFor(func(screen string) bool {
			head, _, _ := strings.Cut(screen, "\n")
			return strings.Contains(head, "✖ 1")
		})
	}
}

// TestRestartIsHinted: once the server of our own has done something wrong or has exited, the
// footer has the key that starts it again, and only then.
func TestRestartIsHinted(t *testing.T) {
	clean := handshake(panetest.New(t))
	exited := handshake(panetest.New(t))
	exited.Proc(100, session.Proc{Event: "exit", Code: 3})
	url := panetest.Trips(t)
	url.Request(60_400, 9, "POST", `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	url.Answer(60_401, 9, 200, "this is not JSON")
	for name, tt := range map[string]struct {
		src   source.Source
		shows string
		want  string
	}{
		"a clean server":      {serverOf(clean, "node server.js"), "initialized", ""},
		"one that is wrong":   {serverOf(talk(t), "node server.js"), "✖ 1", "R restart"},
		"one that has exited": {serverOf(exited, "node server.js"), "exited", "R restart"},
		"one at a URL":        {serverOf(url, ""), "✖ 1", "R new session"},
		"another client's":    {attachedTo(talk(t), "node server.js").Source(), "✖ 1", ""},
		"a recording":         {recording(t), "✖ 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := show(t, 120, 40, screen.Options{}, tt.src)
			s.WaitText(tt.shows)
			s.WaitText("tab pane")
			s.WaitFor(func(screen string) bool {
				return tt.want != "" && strings.Contains(screen, tt.want) || tt.want == "" && !strings.Contains(screen, "  R ")
			})
		})
	}
}
