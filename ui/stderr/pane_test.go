package stderr_test

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/stderr"
	"wiretea/ui/style"
)

// logging is a server that logs: before, between and after two requests.
func logging(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Stderr(1, "Starting default (STDIO) server...")
	s.Stderr(2.5, "\x1b[31mred\x1b[0m and \x07 loud")
	s.Client(3, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
	s.Stderr(4, "2026-11-20 INFO calling echo, no error so far")
	s.Stderr(5, "[warn] deprecated argument: 日本語のとても長い名前 which is a long line, longer than many a window is wide, so that it must be cut or wrapped")
	s.Stderr(6, "Traceback (most recent call last):")
	s.Stderr(7, `ValueError: no such thing`)
	s.Server(8, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.Stderr(9, "done")
	s.Client(10, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.Server(11, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.Stderr(12, `{"level":"error","msg":"as JSON"}`)
	return s
}

func open(t testing.TB, s *panetest.Session) (*stderr.Pane, *pane.Context) {
	t.Helper()
	p, c := stderr.New(), s.Context()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	return p, c
}

func stand(t testing.TB, p *stderr.Pane, c *pane.Context, row uint32) {
	t.Helper()
	c.Cursor = row
	panetest.Tell(t, p, c, pane.CursorMovedMsg{})
}

func TestView(t *testing.T) {
	for _, size := range []struct{ w, h int }{{20, 4}, {31, 9}, {60, 5}, {100, 12}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			p, c := open(t, logging(t))
			panetest.Golden(t, fmt.Sprintf("%dx%d", size.w, size.h), panetest.Text(t, p, c, size.w, size.h))
		})
	}
	p, c := open(t, logging(t))
	panetest.Sizes(t, p, c)
	panetest.Do(t, p, c, keys.Wrap)
	panetest.Sizes(t, p, c)
	panetest.Do(t, p, c, keys.Top)
	panetest.Sizes(t, p, c)
	panetest.Golden(t, "wrapped", panetest.Text(t, p, c, 50, 12))
}

func TestTimes(t *testing.T) {
	p, c := open(t, logging(t))
	c.Time = pane.Delta
	panetest.Golden(t, "delta", panetest.Text(t, p, c, 60, 9))
	c.Time = pane.Absolute
	c.Header.T0 = c.Header.T0.Local()
	if text := panetest.Text(t, p, c, 60, 9); !strings.Contains(text, c.Header.T0.Format("15:04:05")+".001  ") {
		t.Errorf("no time of day in\n%s", text)
	}
}

// The lines of the exchange that traffic is at are marked.
func TestSpan(t *testing.T) {
	p, c := open(t, logging(t))
	for _, row := range []uint32{2, 7} {
		stand(t, p, c, row)
		panetest.Golden(t, "span", panetest.Text(t, p, c, 60, 10))
	}
	_, right := p.Title(c)
	if !strings.Contains(right, "4 of 8 during #3") {
		t.Errorf("the title says %q", right)
	}
	c.Theme = style.New("", true, false)
	panetest.Golden(t, "styled", strings.ReplaceAll(strings.Join(p.View(c, 60, 5, false), "\n"), "\x1b", "␛"))
}

func TestSpanIsScrolledTo(t *testing.T) {
	s := panetest.New(t)
	for i := range 300 {
		s.Stderr(float64(i), fmt.Sprintf("before %d", i))
	}
	s.Client(400, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Stderr(401, "meanwhile")
	s.Server(402, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	for i := range 300 {
		s.Stderr(float64(500+i), fmt.Sprintf("after %d", i))
	}
	p, c := open(t, s)
	if text := panetest.Text(t, p, c, 60, 5); !strings.Contains(text, "after 299") {
		t.Fatalf("it does not follow:\n%s", text)
	}
	stand(t, p, c, 302)
	if text := panetest.Text(t, p, c, 60, 5); !strings.Contains(text, "▎    0.401    meanwhile") {
		t.Fatalf("the lines of the exchange are not shown:\n%s", text)
	}
	stand(t, p, c, 5)
	if text := panetest.Text(t, p, c, 60, 5); !strings.Contains(text, "after 299") {
		t.Fatalf("it does not follow again:\n%s", text)
	}
	panetest.Do(t, p, c, keys.Top)
	stand(t, p, c, 4)
	if text := panetest.Text(t, p, c, 60, 5); !strings.Contains(text, "before 0") {
		t.Fatalf("it does not stay where a person put it:\n%s", text)
	}
}

// Enter takes traffic to the frame, and leaves the line where it is.
func TestEnterStays(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	for i := range 100 {
		s.Stderr(float64(2+i), fmt.Sprintf("line %d", i))
	}
	s.Server(200, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	p, c := open(t, s)
	before := panetest.Text(t, p, c, 60, 5)
	asked := panetest.Do(t, p, c, keys.Enter)
	stand(t, p, c, asked[0].(pane.GotoMsg).Row)
	after := panetest.Text(t, p, c, 60, 5)
	if strings.ReplaceAll(after, "▎", " ") != before || after == before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// While its answer is out, a request's lines are the newest.
func TestOpenSpanFollows(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Stderr(2, "line 1")
	p, c := open(t, s)
	stand(t, p, c, 0)
	for i := range 20 {
		s.Stderr(float64(3+i), fmt.Sprintf("line %d", i+2))
	}
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if text := panetest.Text(t, p, c, 60, 3); !strings.Contains(text, "▎    0.022    line 21") {
		t.Errorf("shown is\n%s", text)
	}
}

func TestActions(t *testing.T) {
	p, c := open(t, logging(t))
	panetest.Text(t, p, c, 60, 5)
	panetest.Do(t, p, c, keys.Top)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0].(pane.SayMsg).Text == "" {
		t.Errorf("before all frames enter asks for %v", got)
	}
	panetest.Do(t, p, c, keys.Down)
	if got := panetest.Do(t, p, c, keys.CopyValue); len(got) != 1 || got[0] != (pane.CopyMsg{What: "line", Text: "\x1b[31mred\x1b[0m and \x07 loud"}) {
		t.Errorf("copied %q", got)
	}
	panetest.Do(t, p, c, keys.Down, keys.Down)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0] != (pane.GotoMsg{Row: 2}) {
		t.Errorf("enter asks for %v", got)
	}
	panetest.Do(t, p, c, keys.Bottom)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0] != (pane.GotoMsg{Row: 10}) {
		t.Errorf("at the end enter asks for %v", got)
	}
	if got := panetest.Tell(t, p, c, pane.ClickMsg{Y: 0, Double: true}); len(got) != 1 || got[0] != (pane.GotoMsg{Row: 2}) {
		t.Errorf("a double click asks for %v", got)
	}
	if _, mine := p.Do(c, keys.Pair); mine {
		t.Error("o is not this pane's")
	}
}

// A person who looks at old lines is left alone until F.
func TestFollow(t *testing.T) {
	s := panetest.New(t)
	for i := range 50 {
		s.Stderr(float64(i), fmt.Sprintf("line %d", i))
	}
	p, c := open(t, s)
	shows := func(line string) {
		t.Helper()
		if text := panetest.Text(t, p, c, 60, 4); !strings.Contains(text, line) {
			t.Fatalf("%q is not in\n%s", line, text)
		}
	}
	more := func(line string) {
		s.Stderr(60, line)
		s.Update(c)
		panetest.Tell(t, p, c, pane.MovedMsg{})
	}
	shows("line 49")
	more("line 50")
	shows("line 50")
	panetest.Do(t, p, c, keys.Up, keys.Up, keys.Up, keys.Up)
	shows("line 46")
	more("line 51")
	shows("line 46")
	panetest.Do(t, p, c, keys.Follow)
	shows("line 51")
	panetest.Tell(t, p, c, pane.WheelMsg{Lines: -20})
	shows("line 29")
	panetest.Do(t, p, c, keys.Bottom)
	more("line 52")
	shows("line 52")
	panetest.Do(t, p, c, keys.Follow)
	more("line 53")
	shows("line 52")
}

// A line longer than the window is gone through step by step.
func TestLongLine(t *testing.T) {
	s := panetest.New(t)
	s.Stderr(1, "short")
	s.Stderr(2, strings.Repeat("0123456789", 20_000))
	s.Stderr(3, "end")
	p, c := open(t, s)
	panetest.Do(t, p, c, keys.Wrap, keys.Top)
	panetest.Text(t, p, c, 50, 4)
	panetest.Do(t, p, c, keys.Down)
	steps := 0
	for ; steps < 1000 && !strings.Contains(panetest.Text(t, p, c, 50, 4), "more"); steps++ {
		panetest.Do(t, p, c, keys.Down)
	}
	if steps < 50 || steps == 1000 {
		t.Errorf("its end came after %d steps", steps)
	}
	if got := panetest.Do(t, p, c, keys.CopyValue); len(got[0].(pane.CopyMsg).Text) != 200_000 {
		t.Errorf("copied %d bytes", len(got[0].(pane.CopyMsg).Text))
	}
	for range 5 {
		panetest.Do(t, p, c, keys.Down)
	}
	if text := panetest.Text(t, p, c, 50, 4); !strings.Contains(text, "end") {
		t.Errorf("the last line is not reached:\n%s", text)
	}
	for range 5 {
		panetest.Do(t, p, c, keys.Up)
	}
	panetest.Sizes(t, p, c)
}

// A line is shown while it grows.
func TestGrowingLine(t *testing.T) {
	s := panetest.New(t)
	s.Bytes(1, session.Stderr, strings.Repeat("x", 2<<20)) // Long enough to be written before it ends.
	s.Client(2, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p, c := open(t, s)
	if text := panetest.Text(t, p, c, 60, 3); !strings.Contains(text, "xxx") {
		t.Errorf("it is not shown:\n%s", text)
	}
	s.Bytes(3, session.Stderr, "\n")
	s.Stderr(4, "next")
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if _, right := p.Title(c); !strings.HasPrefix(strings.ReplaceAll(right, "\x1b[2m", ""), "2") {
		t.Errorf("the title counts %q", right)
	}
}

func TestSearchIsMarked(t *testing.T) {
	p, c := open(t, logging(t))
	c.Theme = style.New("", true, false)
	c.Search.Text = "ECHO"
	if text := strings.Join(p.View(c, 100, 10, false), "\n"); !strings.Contains(text, string(c.Theme.Text.With(c.Theme.Hit))+"mecho") {
		t.Error("the hit is not marked")
	}
}

// TestNotStarted checks that nothing more is expected of a server that could not be started.
func TestNotStarted(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "failed", Err: "not found"})
	p, c := open(t, s)
	c.Live = true
	if text := panetest.Text(t, p, c, 40, 3); !strings.Contains(text, "the server was not started") {
		t.Error(text)
	}
}

func TestNothing(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p, c := open(t, s)
	panetest.Golden(t, "nothing", panetest.Text(t, p, c, 40, 3))
	panetest.Sizes(t, p, c)
	for _, a := range []keys.Action{keys.Enter, keys.CopyValue} {
		if p.Disabled(c, a) == "" {
			t.Errorf("%s can be done", a)
		}
	}
	if got := panetest.Do(t, p, c, keys.Enter, keys.CopyValue, keys.Down, keys.Bottom, keys.Follow, keys.Wrap); len(got) != 0 {
		t.Errorf("asked for %v", got)
	}
	panetest.Tell(t, p, c, pane.WheelMsg{Lines: 3})
	panetest.Tell(t, p, c, pane.ClickMsg{Y: 1, Double: true})
}

// Whatever is done in whatever order, the pane keeps its size and its head.
func FuzzDo(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	actions := []keys.Action{keys.Up, keys.Down, keys.Top, keys.Bottom, keys.HalfUp, keys.HalfDown, keys.PageUp, keys.PageDown, keys.Wrap, keys.Follow, keys.Enter}
	s := logging(f)
	s.Stderr(20, strings.Repeat("long 日本 ", 300))
	c := s.Context()
	f.Fuzz(func(t *testing.T, steps []byte) {
		p := stderr.New()
		panetest.Tell(t, p, c, pane.MovedMsg{})
		for _, b := range steps[:min(len(steps), 200)] {
			switch i := int(b) % (len(actions) + 3); {
			case i < len(actions):
				panetest.Do(t, p, c, actions[i])
			case i == len(actions):
				stand(t, p, c, uint32(b)/16)
			case i == len(actions)+1:
				panetest.Tell(t, p, c, pane.WheelMsg{Lines: int(b)/16 - 8})
			default:
				panetest.Text(t, p, c, 1+int(b)/3, 1+int(b)/20)
			}
		}
		panetest.Text(t, p, c, 40, 6)
	})
}

func BenchmarkView(b *testing.B) {
	s := panetest.New(b)
	for i := range 200_000 {
		s.Stderr(float64(i), fmt.Sprintf("2026-11-20 10:00:00 INFO line %d of a server that talks a lot, far too much to be read by anybody", i))
	}
	p, c := open(b, s)
	b.ReportAllocs()
	for b.Loop() {
		p.View(c, 200, 60, true)
	}
}

// TestExited checks that nothing more is expected of a server that has exited.
func TestExited(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "start", PID: 1})
	p, c := open(t, s)
	c.Live = true
	if text := panetest.Text(t, p, c, 40, 3); !strings.Contains(text, "nothing on stderr yet") {
		t.Errorf("while it runs:\n%s", text)
	}
	s.Proc(2, session.Proc{Event: "exit", Code: 3})
	s.Update(c)
	if text := panetest.Text(t, p, c, 40, 3); !strings.Contains(text, "nothing was written to stderr") {
		t.Errorf("once it has exited:\n%s", text)
	}
}
