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
)

// troubled is a session whose server answers nothing that was asked for, and goes.
func troubled(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Proc(0, session.Proc{Event: "start", PID: 7, FDs: []string{"pipe", "pipe", "pipe"}})
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Stderr(15, `KeyError: 'DATABASE_URL'`)
	s.Proc(20, session.Proc{Event: "exit", Code: 3})
	s.IO(21, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
	s.IO(21, session.Stderr, session.IOEvent{Event: "eof", Side: "server"})
	s.End()
	return s
}

// crowded is one with many findings of a rule, of both sides, and repeats.
func crowded(t testing.TB) *panetest.Session {
	s := faulty(t)
	for i := range 12 {
		s.Server(float64(40+i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 200+i))
	}
	s.Client(55, `{"jsonrpc":"2.0","id":8,"method":"tools/list"}`)
	s.Server(56, `{"jsonrpc":"2.0","id":8,"result":{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}]}}`)
	s.Client(60, `{"jsonrpc":"2.0","id":9,"method":"ping","params":[]}`)
	return s
}

func shown(t testing.TB, s *panetest.Session) (*findings.Pane, *pane.Context) {
	t.Helper()
	c, p := s.Context(), findings.New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	panetest.Text(t, p, c, 100, 30)
	return p, c
}

// The sentence on top names the cause, also what the server said last.
func TestCause(t *testing.T) {
	p, c := shown(t, troubled(t))
	panetest.Golden(t, "cause", panetest.Text(t, p, c, 100, 20))
	cause, sev := p.Cause(c)
	if sev != session.Error || !strings.Contains(cause.Sentence, "DATABASE_URL") {
		t.Errorf("%v: %q", sev, cause.Sentence)
	}
	panetest.Sizes(t, p, c)
}

// What follows from a finding is below it, and can be folded.
func TestFollows(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Bytes(2, session.S2C, "Content-Length: 36\r\n\r\n"+`{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.Server(3, "listening on stdio")
	p, c := shown(t, s)
	panetest.Golden(t, "follows", panetest.Text(t, p, c, 100, 20))
	panetest.Do(t, p, c, keys.Fold)
	if text := panetest.Text(t, p, c, 100, 20); !strings.Contains(text, "+1 ▸") || strings.Contains(text, "stdout-not-json") {
		t.Errorf("not folded:\n%s", text)
	}
	panetest.Do(t, p, c, keys.Unfold, keys.Down)
	if got := panetest.Do(t, p, c, keys.ExplainIt); len(got) != 1 || got[0] != (pane.ExplainMsg{Rule: "stdout-not-json"}) {
		t.Errorf("what follows is explained by %v", got)
	}
	panetest.Do(t, p, c, keys.Fold) // to what it follows from
	if got := panetest.Do(t, p, c, keys.ExplainIt); len(got) != 1 || got[0] != (pane.ExplainMsg{Rule: "content-length-framing"}) {
		t.Errorf("it follows from %v", got)
	}
}

// The list can be put together in three ways, folded and unfolded.
func TestGroups(t *testing.T) {
	p, c := shown(t, crowded(t))
	panetest.Golden(t, "by-cause", panetest.Text(t, p, c, 100, 30))
	for _, name := range []string{"by-rule", "by-fault"} {
		panetest.Do(t, p, c, keys.GroupNext)
		left, _ := p.Title(c)
		if want := "findings " + strings.ReplaceAll(name, "-", " "); left != want {
			t.Errorf("the title is %q, want %q", left, want)
		}
		panetest.Golden(t, name, panetest.Text(t, p, c, 100, 30))
	}
	panetest.Do(t, p, c, keys.UnfoldAll)
	panetest.Golden(t, "unfolded", panetest.Text(t, p, c, 100, 50))
	panetest.Sizes(t, p, c)
	panetest.Do(t, p, c, keys.FoldAll)
	panetest.Golden(t, "folded", panetest.Text(t, p, c, 100, 30))
	panetest.Do(t, p, c, keys.GroupNext)
	if left, _ := p.Title(c); left != "findings" {
		t.Errorf("the title is %q", left)
	}
}

// A finding that was reported many times has the frames that it is at.
func TestReports(t *testing.T) {
	p, c := shown(t, faulty(t))
	panetest.Do(t, p, c, keys.Unfold)
	panetest.Golden(t, "reports", panetest.Text(t, p, c, 80, 30))
	panetest.Do(t, p, c, keys.Down, keys.Down)
	got := panetest.Do(t, p, c, keys.Enter)
	first := c.Snap.Findings()[0]
	if len(got) != 1 || got[0] == (pane.GotoMsg{Row: first.Row}) {
		t.Fatalf("the second frame leads to %v", got)
	}
	if row := got[0].(pane.GotoMsg).Row; c.Snap.RowFindings(row)[0].Rule != first.Rule {
		t.Errorf("row %d has %v", row, c.Snap.RowFindings(row))
	}
	// A step out, and the list is as it was.
	panetest.Do(t, p, c, keys.Fold, keys.Fold)
	if text := panetest.Text(t, p, c, 80, 30); strings.Contains(text, " · #") {
		t.Errorf("still unfolded:\n%s", text)
	}
}

// A rule that is silenced counts no more, can be seen at the end, and taken in
// again.
func TestSilence(t *testing.T) {
	p, c := shown(t, crowded(t))
	before, _ := p.Counts(c)
	got := panetest.Do(t, p, c, keys.Silence)
	if len(got) != 1 || !strings.Contains(got[0].(pane.SayMsg).Text, "stdout-not-json is silenced") {
		t.Errorf("said %v", got)
	}
	after, quiet := p.Counts(c)
	if quiet != 1 || after[session.Error] != before[session.Error]-1 {
		t.Errorf("counts %v, and %v with %d silenced", before, after, quiet)
	}
	if got := p.Silenced(); len(got) != 1 || got[0] != "stdout-not-json" {
		t.Errorf("silenced %v", got)
	}
	if cause, _ := p.Cause(c); strings.Contains(cause.Sentence, "listening") {
		t.Errorf("what was silenced is the cause: %q", cause.Sentence)
	}
	panetest.Golden(t, "silenced", panetest.Text(t, p, c, 100, 30))
	panetest.Do(t, p, c, keys.Bottom, keys.Enter, keys.Down)
	if text := panetest.Text(t, p, c, 100, 30); !strings.Contains(text, "listening on stdio") {
		t.Errorf("what was silenced is not shown:\n%s", text)
	}
	panetest.Do(t, p, c, keys.Silence)
	if again, quiet := p.Counts(c); again != before || quiet != 0 {
		t.Errorf("counts %v with %d silenced, want %v", again, quiet, before)
	}
	if p.Disabled(c, keys.SilenceNone) == "" {
		t.Error("nothing is silenced, and it can be taken in again")
	}
	p.Silence(c, "stdout-not-json", true)
	p.Silence(c, "orphan-response", true)
	panetest.Do(t, p, c, keys.SilenceNone)
	if again, quiet := p.Counts(c); again != before || quiet != 0 {
		t.Errorf("counts %v with %d silenced, want %v", again, quiet, before)
	}
}

// All actions leave the pane in a state that can be drawn, in whatever order.
func TestEveryActionEverywhere(t *testing.T) {
	actions := []keys.Action{keys.Down, keys.Unfold, keys.Silence, keys.GroupNext, keys.Bottom, keys.Fold, keys.Enter, keys.Down, keys.UnfoldAll,
		keys.Up, keys.ExplainIt, keys.CopyValue, keys.FoldAll, keys.Silence, keys.Top, keys.SilenceNone, keys.Enter}
	for name, s := range map[string]*panetest.Session{"crowded": crowded(t), "troubled": troubled(t), "healthy": panetest.New(t)} {
		p, c := shown(t, s)
		for round := range len(actions) {
			for i := range actions {
				a := actions[(i*(round+1)+round)%len(actions)]
				panetest.Do(t, p, c, a)
				for _, b := range actions {
					p.Disabled(c, b)
				}
				if text := panetest.Text(t, p, c, 60, 16); text == "" {
					t.Fatalf("%s: nothing is drawn after %s", name, a)
				}
			}
		}
	}
}

// A session that has fewer findings than before, as one that is looked at at an
// earlier time, is drawn as well.
func TestFewerFindings(t *testing.T) {
	p, c := shown(t, crowded(t))
	panetest.Do(t, p, c, keys.UnfoldAll, keys.Bottom)
	earlier := troubled(t).Context()
	c.Snap = earlier.Snap
	panetest.Text(t, p, c, 100, 30)
	panetest.Do(t, p, c, keys.Enter, keys.Silence, keys.Unfold)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	panetest.Text(t, p, c, 100, 30)
}

// flood is a rule that every frame breaks in its own way.
type flood struct{}

func (flood) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind == session.FrameSeen {
		r.Report(session.Finding{Rule: "invalid-input-schema", Severity: session.Error, Fault: session.Server, Conn: 1, Row: ev.Frame.Row, Last: ev.Frame.Row,
			Count: 1, Key: fmt.Sprint(ev.Frame.N), Message: fmt.Sprintf("the tool %d has no schema", ev.Frame.N)})
	}
}

// flooded is a session with n findings.
func flooded(t testing.TB, n uint64) *pane.Context {
	t.Helper()
	c := faulty(t).Context()
	a := session.NewAnalyzer(session.Config{Checkers: []session.Checker{flood{}}})
	for i := range n {
		a.Add(&session.Record{Kind: session.RecFrame, N: i + 1, Conn: 1, T: int64(i), T1: int64(i), Stream: session.S2C, Body: []byte(`{}`), Term: []byte("\n")})
	}
	c.Snap = a.Snapshot()
	return c
}

// A flood of findings is one line, and every action is quick among its lines.
func TestFlood(t *testing.T) {
	p, c := findings.New(), flooded(t, 20_000) // more than are kept apart
	p.Update(c, pane.MovedMsg{})               // without a diagnosis, which takes its time
	if n := c.Snap.Totals(); n.Findings[session.Error]+n.Dropped != 20_000 {
		t.Fatalf("%v findings, %d more", n.Findings, n.Dropped)
	}
	if text := panetest.Text(t, p, c, 100, 30); strings.Count(text, "invalid-input-schema") != 1 {
		t.Errorf("not one line:\n%s", text)
	}
	panetest.Do(t, p, c, keys.UnfoldAll, keys.Bottom, keys.Top, keys.GroupNext, keys.Silence, keys.GroupNext, keys.Bottom, keys.SilenceNone)
	panetest.Text(t, p, c, 80, 24)
	panetest.Text(t, p, c, 200, 60)
}

func BenchmarkSort(b *testing.B) {
	c := flooded(b, 100_000)
	p := findings.New()
	p.Update(c, pane.MovedMsg{})
	b.ReportAllocs()
	for b.Loop() {
		p.Silence(c, "no-such-rule", true)
	}
}

// TestNow holds that the pane is about the server's latest start while a session is
// watched: findings of earlier connections are folded at the end and are not counted.
func TestNow(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "start", PID: 1})
	s.Client(2, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Server(3, "listening on stdio")
	s.Proc(4, session.Proc{Event: "exit", Code: 1})
	c := s.Context()
	p := findings.New()
	look := func() string {
		s.Update(c)
		panetest.Tell(t, p, c, pane.MovedMsg{})
		return panetest.Text(t, p, c, 70, 6)
	}
	if text := look(); !strings.Contains(text, "✖ server wrote text") && !strings.Contains(text, "✖ server exited") {
		t.Fatalf("before the restart:\n%s", text)
	}

	s.Conn(2)
	s.Proc(10, session.Proc{Event: "start", PID: 2})
	s.Update(c)
	before := len(c.Snap.Findings())
	want := fmt.Sprintf("connection 2: no response yet · %d in earlier ones", before)
	if text := look(); !strings.Contains(text, want) || strings.Contains(text, "✖") {
		t.Errorf("at the restart no %q:\n%s", want, text)
	}
	s.Client(11, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.Server(12, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	want = fmt.Sprintf("✔ connection 2: nothing to report · %d in earlier ones", before)
	if text := look(); !strings.Contains(text, want) || !strings.Contains(text, fmt.Sprintf("◌ %d in earlier connections", before)) {
		t.Errorf("after the handshake no %q:\n%s", want, text)
	}
	if counts, _ := p.Counts(c); counts != [4]int64{} {
		t.Errorf("findings of earlier connections are counted: %v", counts)
	}
	panetest.Do(t, p, c, keys.Enter)
	if text := panetest.Text(t, p, c, 70, 6); !strings.Contains(text, "stdout-not-json") {
		t.Errorf("the earlier ones do not unfold:\n%s", text)
	}
	panetest.Do(t, p, c, keys.Top, keys.Enter)
	if text := panetest.Text(t, p, c, 70, 6); strings.Contains(text, "stdout-not-json") {
		t.Errorf("the earlier ones do not fold:\n%s", text)
	}
	for _, f := range c.Snap.Findings() {
		if f.Rule == "stdout-not-json" {
			c.Cursor = f.Row
		}
	}
	panetest.Tell(t, p, c, pane.CursorMovedMsg{})
	if text := panetest.Text(t, p, c, 70, 14); !strings.Contains(text, "stdout-not-json") || !strings.Contains(text, "the server's fault · connection 1") {
		t.Errorf("the finding of the row is not shown:\n%s", text)
	}

	s.Server(13, "listening on stdio, again")
	text := look()
	if counts, _ := p.Counts(c); !strings.Contains(text, `"listening on stdio, again"`) || counts[session.Error] != 1 {
		t.Errorf("the finding of connection 2 is not counted, %v:\n%s", counts, text)
	}
}

// TestNowOverHTTP holds that a new session of ours counts alone, and that the sessions of a
// proxy's clients count together.
func TestNowOverHTTP(t *testing.T) {
	for mode, want := range map[string]int{"run": 2, "proxy": 0} {
		s := panetest.New(t)
		s.OverHTTP("http://localhost:3001/mcp")
		s.Header().Mode = mode
		for conn := 1; conn <= 2; conn++ {
			s.Conn(conn)
			s.Request(float64(conn), conn, "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		}
		if got := s.Context().Since(); got != want {
			t.Errorf("%s: what counts begins at connection %d, want %d", mode, got, want)
		}
	}
}

// TestNowWithProbe holds that what a probe has shown counts with the start after it, and
// that a recording, which nobody watched, counts all.
func TestNowWithProbe(t *testing.T) {
	s := panetest.New(t)
	s.Proc(1, session.Proc{Event: "start", PID: 1})
	s.Client(2, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	s.Server(3, "what is that?")
	s.Proc(4, session.Proc{Event: "exit", Code: 1})
	s.Conn(2)
	s.Proc(10, session.Proc{Event: "start", PID: 2})
	s.Client(11, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	c := s.Context()
	if got := c.Since(); got != 1 {
		t.Errorf("what counts begins at connection %d, want that of the probe, 1", got)
	}
	s.Conn(3)
	s.Proc(20, session.Proc{Event: "start", PID: 3})
	s.Client(21, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if s.Update(c); c.Since() != 3 {
		t.Errorf("after a restart it begins at connection %d, want 3", c.Since())
	}
	s.End()
	if c := s.Context(); c.Since() != 0 {
		t.Errorf("a recording begins at connection %d, want all", c.Since())
	}
}

// TestNobody holds that nobody's fault is not said of a request that got no response, and that
// why it got none is in plain words.
func TestNobody(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://127.0.0.1:3917/mcp")
	s.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.HTTP(2, 1, session.HTTPEvent{Event: "err", Why: "dial tcp 127.0.0.1:3917: connect: connection refused"})
	s.HTTP(3, 1, session.HTTPEvent{Event: "end", Why: "server"})
	p, c := shown(t, s)
	text := panetest.Text(t, p, c, 120, 20)
	if strings.Contains(text, "nobody") || strings.Contains(text, "dial tcp") || !strings.Contains(text, "connection refused at 127.0.0.1:3917") {
		t.Errorf("shown is\n%s", text)
	}
}
