package traffic

import (
	"strings"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestWays holds that what did not cross has signs and a word of its own.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		stream session.Stream
		way    session.Way
		sign   string
		word   string
	}{
		{session.C2S, session.Crossed, "→ ", ""}, {session.C2S, session.WayOut, "↦ ", "injected"}, {session.C2S, session.WayIn, "⇥ ", "held back"},
		{session.S2C, session.Crossed, "⇠ ", ""}, {session.S2C, session.WayOut, "↤ ", "injected"}, {session.S2C, session.WayIn, "⇤ ", "taken out"},
	} {
		r := session.Row{Kind: session.RowRequest, Stream: c.stream, Way: c.way}
		if got := signOf(r); got != c.sign || wayWord(r) != c.word {
			t.Errorf("%v %q: %q %q, want %q %q", c.stream, c.way, got, wayWord(r), c.sign, c.word)
		}
	}
}

// TestHeldRows holds that the rows of what a person held say what was done, and not the filter
// where it went on.
func TestHeldRows(t *testing.T) {
	s := panetest.New(t)
	const call, answer = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	s.Decided(1, session.C2S, session.WayIn, "hold: m:tools/call", call)
	s.Decided(2, session.C2S, session.WayOut, "hold: m:tools/call; released by screen", call)
	s.Decided(3, session.S2C, session.WayIn, "hold: m:tools/call", answer)
	s.Decided(4, session.S2C, session.WayOut, "hold: m:tools/call; edited and released by screen", answer)
	s.Decided(4, session.C2S, session.WayOut, "policy: ask-echo; allowed by screen", call)
	s.Decided(4, session.S2C, session.WayOut, "policy: no-echo; denied by screen: not today", answer)
	s.Decided(5, session.S2C, session.WayOut, "fault: m:ping: duplicate", answer)
	s.Decided(6, session.S2C, session.WayOut, "policy: log; fault: m:ping: delay", answer)
	c, p := s.Context(), New()
	p.View(c, 110, 20, true)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	got := panetest.Text(t, p, c, 110, 20)
	for _, want := range []string{"held by m:tools/call", "released", "edited and released by screen", "echo  allowed by screen", "put in by fault: m:ping: duplicate", " denied by screen: not today", "put in by policy: log; fault: m:ping"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "put in by hold") {
		t.Errorf("released, and said to be put in:\n%s", got)
	}
}

// TestAskedRows holds what the row of a message says that a policy asks about: what it waits for,
// and afterwards what was decided; and that the time for which it is held is never amber.
func TestAskedRows(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	const denied = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`
	held := []session.Held{{Conn: 1, Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", MessageID: "1", Ask: true}}
	for name, tt := range map[string]struct {
		by   string
		more func(s *panetest.Session)
		held []session.Held
		want string
		not  string
	}{
		"asked":          {"policy: ask-echo; asked", nil, held, "waits for a decision (B): rule ask-echo asks", "stopped"},
		"held":           {"policy: look; held", nil, held, "waits for a decision (B): rule look holds it", "stopped"},
		"nobody decided": {"policy: ask-echo; asked", nil, nil, "rule ask-echo asked, nothing went on", "stopped"},
		"allowed": {"policy: ask-echo; asked", func(s *panetest.Session) {
			s.Replaced(9000, session.C2S, "policy: ask-echo; allowed by screen", call)
		}, nil, "allowed by screen (rule ask-echo asked)", "waits"},
		"denied": {"policy: ask-echo; asked", func(s *panetest.Session) {
			s.Replaced(9000, session.S2C, "policy: ask-echo; denied by screen: not today", denied)
		}, nil, "denied by screen: not today (rule ask-echo asked)", "waits"},
		"by a person": {"hold: m:tools/call", nil, held, "held by m:tools/call", "!"},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			s.Decided(1, session.C2S, session.WayIn, tt.by, call)
			if tt.more != nil {
				tt.more(s)
			}
			c, p := s.Context(), New()
			c.Live, c.Held, c.Now = true, tt.held, int64(12*time.Second)
			p.View(c, 150, 20, true)
			panetest.Tell(t, p, c, pane.MovedMsg{})
			got := panetest.Text(t, p, c, 150, 20)
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
				t.Errorf("no %q, or %q in\n%s", tt.want, tt.not, got)
			}
			if waits := strings.Contains(got, "‖ 11.9 s"); waits != (tt.more == nil) || strings.Contains(got, "s!") {
				t.Errorf("the time that it is held is judged:\n%s", got)
			}
		})
	}
}

// TestGoesOnThenSlow is the near miss: the time of a request that has gone on is its receiver's.
func TestGoesOnThenSlow(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	s := panetest.New(t)
	s.Decided(1, session.C2S, session.WayIn, "policy: ask-echo; asked", call)
	s.Replaced(9000, session.C2S, "policy: ask-echo; allowed by screen", call)
	for now, want := range map[int64]bool{12: false, 15: true} {
		c, p := s.Context(), New()
		c.Live, c.Now = true, now*int64(time.Second)
		p.View(c, 150, 20, true)
		panetest.Tell(t, p, c, pane.MovedMsg{})
		if got := panetest.Text(t, p, c, 150, 20); strings.Contains(got, "s!") != want {
			t.Errorf("after %d s:\n%s", now, got)
		}
	}
}

// TestIDText holds that the column of ids tells messages of ours from one another too.
func TestIDText(t *testing.T) {
	for _, tt := range []struct {
		id   string
		way  session.Way
		want string
	}{
		{"16", session.Crossed, "16"},
		{"16", session.WayIn, "16"},
		{`"wiretea-7ee4404df48b-12"`, session.WayOut, "…-12"},
		{`"wiretea-7ee4404df48b-12"`, session.WayIn, "…-12"},
		{"", session.WayOut, ""},
	} {
		if got := idText(tt.id, tt.way); got != tt.want {
			t.Errorf("%s %v: %q", tt.id, tt.way, got)
		}
	}
}
