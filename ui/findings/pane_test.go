package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/findings"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

// faulty is a session with findings of three severities.
func faulty(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.Server(4, "listening on stdio")
	s.Server(5, `{"jsonrpc":"2.0","id":"1","result":{}}`)
	s.Bytes(6, session.Stderr, `{"jsonrpc":"2.0","id":9,"result":{}}`+"\n")
	for i := range 12 {
		s.Server(float64(7+i), "still listening")
	}
	s.Server(30, `{"jsonrpc":"2.0","id":99,"result":{}}`+"\r")
	return s
}

func TestView(t *testing.T) {
	c := faulty(t).Context()
	for _, size := range []struct{ w, h int }{{20, 4}, {40, 9}, {60, 5}, {80, 12}, {120, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			p := findings.New()
			panetest.Tell(t, p, c, pane.MovedMsg{})
			panetest.Golden(t, fmt.Sprintf("%dx%d", size.w, size.h), panetest.Text(t, p, c, size.w, size.h))
		})
	}
	p := findings.New()
	panetest.Sizes(t, p, c)
}

func TestViewStyled(t *testing.T) {
	c := faulty(t).Context()
	c.Theme = style.New("", true, false)
	p := findings.New()
	left, right := p.Title(c)
	lines := p.View(c, 80, 9, false)
	panetest.Golden(t, "styled", strings.ReplaceAll(left+"|"+right+"\n"+strings.Join(lines, "\n"), "\x1b", "␛"))
}

func TestNothing(t *testing.T) {
	s := panetest.New(t)
	s.Stderr(1, "hello")
	c := s.Context()
	p := findings.New()
	panetest.Golden(t, "nothing", panetest.Text(t, p, c, 40, 6))
	panetest.Sizes(t, p, c)
	for _, a := range []keys.Action{keys.Enter, keys.ExplainIt, keys.CopyValue} {
		if p.Disabled(c, a) == "" {
			t.Errorf("%s can be done", a)
		}
		if asked := panetest.Do(t, p, c, a); len(asked) != 0 {
			t.Errorf("%s asks for %v", a, asked)
		}
	}
	panetest.Do(t, p, c, keys.Down, keys.Bottom)
}

func TestActions(t *testing.T) {
	c := faulty(t).Context()
	p := findings.New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	panetest.Text(t, p, c, 80, 12)
	worst := c.Snap.Findings()[0]
	for _, f := range c.Snap.Findings() {
		if f.Severity > worst.Severity {
			worst = f
		}
	}
	for _, step := range []struct {
		action keys.Action
		want   any
	}{
		{keys.Enter, pane.GotoMsg{Row: worst.Row}},
		{keys.ExplainIt, pane.ExplainMsg{Rule: worst.Rule}},
	} {
		if got := panetest.Do(t, p, c, step.action); len(got) != 1 || got[0] != step.want {
			t.Errorf("%s asks for %v, want %v", step.action, got, step.want)
		}
	}
	got := panetest.Do(t, p, c, keys.CopyValue)
	if len(got) != 1 {
		t.Fatalf("copied %v", got)
	}
	text := got[0].(pane.CopyMsg).Text
	if strings.ContainsAny(text, "\n\x1b") || !strings.Contains(text, worst.Rule) || !strings.Contains(text, worst.Hint) {
		t.Errorf("copied %q", text)
	}
	if _, mine := p.Do(c, keys.Pair); mine {
		t.Error("o is not this pane's")
	}
}

// New findings do not move the cursor to another finding, unless it is at
// the top, which is where the worst is.
func TestCursorStaysWithItsFinding(t *testing.T) {
	s := panetest.New(t)
	s.Stderr(1, "x")
	s.Server(2, `{"jsonrpc":"2.0","id":77,"result":{}}`+"\r")
	c := s.Context()
	p := findings.New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if len(c.Snap.Findings()) < 2 {
		t.Fatalf("findings %+v", c.Snap.Findings())
	}
	panetest.Do(t, p, c, keys.Bottom)
	before := panetest.Do(t, p, c, keys.CopyValue)
	s.Server(3, "text on stdout")
	s.Server(4, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`)
	n := len(c.Snap.Findings())
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if len(c.Snap.Findings()) <= n {
		t.Fatal("nothing new was found")
	}
	if after := panetest.Do(t, p, c, keys.CopyValue); after[0] != before[0] {
		t.Errorf("the cursor went from %v to %v", before[0], after[0])
	}
}

// Where traffic goes to a row with a finding, the list goes there too.
func TestMeetsTraffic(t *testing.T) {
	c := faulty(t).Context()
	p := findings.New()
	for _, f := range c.Snap.Findings() {
		if f.Row == session.NoRow {
			continue
		}
		c.Cursor = f.Row
		panetest.Tell(t, p, c, pane.CursorMovedMsg{})
		if got := panetest.Do(t, p, c, keys.Enter); got[0] != (pane.GotoMsg{Row: f.Row}) {
			t.Errorf("at row %d enter asks for %v", f.Row, got)
		}
	}
}

func TestMouse(t *testing.T) {
	c := faulty(t).Context()
	p := findings.New()
	panetest.Text(t, p, c, 80, 24)
	panetest.Tell(t, p, c, pane.ClickMsg{Y: 1})
	second := panetest.Do(t, p, c, keys.Enter)
	panetest.Do(t, p, c, keys.Top)
	if got := panetest.Tell(t, p, c, pane.ClickMsg{Y: 1, Double: true}); len(got) != 1 || got[0] != second[0] {
		t.Errorf("a double click asks for %v, enter for %v", got, second)
	}
	if got := panetest.Tell(t, p, c, pane.ClickMsg{Y: 23, Double: true}); len(got) != 0 {
		t.Errorf("a click below the list asks for %v", got)
	}
}

// A finding at no frame leads nowhere, and says so.
func TestProcessFinding(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "start", PID: 7, FDs: []string{"pipe", "pipe", "pipe"}})
	s.Client(2, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Server(3, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	s.Client(4, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.IO(10, session.C2S, session.IOEvent{Event: "eof", Side: "client"})
	s.Proc(20, session.Proc{Event: "exit", Code: 1})
	s.IO(21, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
	s.IO(21, session.Stderr, session.IOEvent{Event: "eof", Side: "server"})
	s.End()
	c := s.Context()
	p := findings.New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if len(c.Snap.Findings()) == 0 || c.Snap.Findings()[0].Row != session.NoRow {
		t.Fatalf("findings %+v", c.Snap.Findings())
	}
	if p.Disabled(c, keys.Enter) == "" {
		t.Error("enter is not disabled")
	}
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 {
		t.Errorf("enter asks for %v", got)
	}
}

func BenchmarkView(b *testing.B) {
	s := panetest.New(b)
	for i := range 20_000 {
		s.Server(float64(i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	c := s.Context()
	p := findings.New()
	p.Update(c, pane.MovedMsg{})
	b.ReportMetric(float64(len(c.Snap.Findings())), "findings")
	b.ReportAllocs()
	for b.Loop() {
		p.View(c, 200, 60, true)
	}
}
