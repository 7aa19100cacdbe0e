package session

import (
	"fmt"
	"testing"
	"time"
)

func TestConnectionEnds(t *testing.T) {
	ping := client(0, pingLine)
	tests := []struct {
		name    string
		records []Record
		want    []string
	}{
		{"exit and all streams", []Record{process(0, "start"), ping, ioEvent(1, C2S, "eof"), ioEvent(1, Stderr, "eof"), ioEvent(2, S2C, "eof"), process(3, "exit")},
			[]string{"proc start", "io c2s eof", "io err eof", "io s2c eof", "proc exit", "gone #1", "ended 1"}},
		{"stderr last", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, S2C, "eof"), ioEvent(3, C2S, "closed"), ioEvent(4, Stderr, "eof")},
			[]string{"proc start", "proc exit", "io s2c eof", "io c2s closed", "io err eof", "gone #1", "ended 1"}},
		{"stderr that somebody holds open", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, S2C, "eof"), ioEvent(3, C2S, "closed"), frame(252, Stderr, "x"), ioEvent(254, Stderr, "blocked")},
			[]string{"proc start", "proc exit", "io s2c eof", "io c2s closed", "gone #1", "ended 1", "io err blocked"}},
		{"its last words are waited for", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, S2C, "eof"), ioEvent(3, C2S, "closed"), frame(252, Stderr, "x")},
			[]string{"proc start", "proc exit", "io s2c eof", "io c2s closed"}},
		{"nobody reads stdin", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, Stderr, "eof"), ioEvent(2, S2C, "eof"), ioEvent(3, C2S, "epipe")},
			[]string{"proc start", "proc exit", "io err eof", "io s2c eof", "io c2s epipe", "gone #1", "ended 1"}},
		{"stdin is blocked", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, Stderr, "eof"), ioEvent(2, S2C, "eof"), ioEvent(3, C2S, "blocked")},
			[]string{"proc start", "proc exit", "io err eof", "io s2c eof", "io c2s blocked"}},
		{"nobody reads stdout", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, Stderr, "eof"), ioEvent(2, S2C, "epipe"), ioEvent(3, S2C, "eof")},
			[]string{"proc start", "proc exit", "io err eof", "io s2c epipe", "io s2c eof"}},
		{"exit while a stream is open", []Record{process(0, "start"), ping, process(1, "exit"), ioEvent(2, S2C, "eof")},
			[]string{"proc start", "proc exit", "io s2c eof"}},
		{"the session ends", []Record{process(0, "start"), ping, end(5)},
			[]string{"proc start", "gone #1", "ended 1"}},
		{"the next one starts", []Record{process(0, "start"), ping, on(2, process(1, "start"))},
			[]string{"proc start", "gone #1", "ended 1", "proc start"}},
		{"a start in the same connection", []Record{process(0, "start"), ping, process(1, "start")},
			[]string{"proc start", "proc start"}},
		{"the client stops reading", []Record{ping, ioEvent(1, S2C, "closed"), process(1, "exit"), ioEvent(3, C2S, "eof")},
			[]string{"io s2c closed", "proc exit", "io c2s eof"}},
		{"what comes after the end is seen and not judged", []Record{process(0, "start"), ping, on(2, process(1, "start")), server(2, result("1", "{}"))},
			[]string{"proc start", "gone #1", "ended 1", "proc start", "message s2c result none"}},
		{"ends once", []Record{ping, end(1), end(2)}, []string{"gone #1", "ended 1"}},
		{"a torn file", []Record{process(0, "start"), ping}, []string{"proc start"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, w := play(t, Config{}, tt.records...)
			a.Close()
			same(t, "events", w.only("gone", "ended", "proc", "io", "message s2c"), tt.want)
		})
	}
}

func TestConnState(t *testing.T) {
	a, _ := play(t, Config{},
		process(1, "start"), client(2, pingLine), ioEvent(3, C2S, "eof"),
		Record{Kind: RecProc, T: ms(4), Proc: Proc{Event: "signal", Signal: "SIGTERM", By: "us"}},
		ioEvent(5, S2C, "eof"), ioEvent(5, Stderr, "eof"), Record{Kind: RecProc, T: ms(6), Proc: Proc{Event: "exit", Code: -1, Signal: "SIGTERM"}})
	s := a.Snapshot()
	c := s.Conns()[0]
	if !c.Started || c.StartT != ms(1) || c.PID != 4711 || c.StdinEOF != ms(3) || c.StdoutEOF != ms(5) ||
		!c.Exited || c.ExitT != ms(6) || c.ExitCode != -1 || c.ExitSig != "SIGTERM" || len(c.Signals) != 1 || !c.Ended {
		t.Errorf("%+v", c)
	}
	var words []string
	for i := range uint32(s.Len()) {
		if r := s.Row(i); r.Kind == RowProc || r.Kind == RowIO {
			words = append(words, s.Name(r.Method)+" "+s.Name(r.Target))
		}
	}
	same(t, "rows", words, []string{"start pid 4711", "eof ", "signal SIGTERM", "eof ", "eof ", "exit SIGTERM"})
	if r := s.Row(1); r.Flags&FlagLost == 0 {
		t.Error("the request is not marked as lost")
	}
}

// TestSignalsOfProcess checks that signals after its exit, and more than are kept, are
// not those of the process.
func TestSignalsOfProcess(t *testing.T) {
	signal := func(at int64, name string) Record {
		return Record{Kind: RecProc, T: ms(at), Proc: Proc{Event: "signal", Signal: name, By: "us"}}
	}
	a, _ := play(t, Config{}, process(1, "start"), signal(2, "SIGTERM"), process(3, "exit"), signal(4, "SIGKILL"))
	if c := a.Snapshot().Conns()[0]; len(c.Signals) != 1 || c.Signals[0].Signal != "SIGTERM" {
		t.Errorf("%+v", c.Signals)
	}
	records := []Record{process(1, "start")}
	for range 2 * maxSignals {
		records = append(records, signal(2, "SIGUSR1"))
	}
	a, _ = play(t, Config{}, records...)
	if c := a.Snapshot().Conns()[0]; len(c.Signals) != maxSignals {
		t.Errorf("%d signals are kept", len(c.Signals))
	}
}

// TestElsewhere checks that, where a tee speaks stdio to the client and HTTP to the
// server, each peer is judged on the connections where it speaks, and that nothing is
// left out of other sessions.
func TestElsewhere(t *testing.T) {
	for _, h := range []Header{{Mode: "tee", Trans: "http"}, {Mode: "tee", Trans: "stdio"}, {Mode: "run", Trans: "http"}} {
		w := &witness{seen: func(ev *Event, r Reporter) {
			if ev.Kind == MessageSeen {
				r.Report(Finding{Rule: "server", Severity: Error, Fault: Server, Row: ev.Frame.Row, Conn: ev.Conn.ID})
				r.Report(Finding{Rule: "client", Severity: Error, Fault: Client, Row: ev.Frame.Row, Conn: ev.Conn.ID})
			}
		}}
		a, _ := play(t, Config{Checkers: []Checker{w}}, Record{Kind: RecHeader, Header: &h}, client(1, pingLine), on(2, client(2, pingLine)))
		var got []string
		for _, f := range a.Snapshot().Findings() {
			got = append(got, fmt.Sprint(f.Rule, " on ", f.Conn))
		}
		want := []string{"server on 1", "client on 1", "server on 2", "client on 2"}
		if h.Mode == "tee" && h.Trans == "http" {
			want = []string{"client on 1", "server on 2"}
		}
		same(t, h.Mode+" "+h.Trans, got, want)
	}
}

func TestLimits(t *testing.T) {
	header := func(l Limits) Record { return Record{Kind: RecHeader, Header: &Header{Limits: l}} }
	tests := []struct {
		name   string
		cfg    Limits
		header Limits
		want   Limits
	}{
		{"default", Limits{}, Limits{}, DefaultLimits()},
		{"header", Limits{}, Limits{Timeout: time.Second, MaxLine: 5}, Limits{Timeout: time.Second, MaxLine: 5, Lines: DefaultLimits().Lines}},
		{"config first", Limits{Timeout: time.Minute}, Limits{Timeout: time.Second, Lines: []int64{7}}, Limits{Timeout: time.Minute, MaxLine: 10 << 20, Lines: []int64{7}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, _ := play(t, Config{Limits: tt.cfg}, header(tt.header), process(0, "start"))
			got := a.Snapshot().Conns()[0].Limits
			if got.Timeout != tt.want.Timeout || got.MaxLine != tt.want.MaxLine || len(got.Lines) != len(tt.want.Lines) || got.Lines[0] != tt.want.Lines[0] {
				t.Errorf("limits %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTimers(t *testing.T) {
	asked := false
	w := &witness{}
	w.seen = func(ev *Event, r Reporter) {
		if ev.Kind == IOSeen && !asked {
			asked = true
			r.At(ms(30), 1, TimerKey{"b", 1})
			r.At(ms(20), 1, TimerKey{"a", 1})
			r.At(ms(30), 1, TimerKey{"b", 2})
			r.At(0, 1, TimerKey{"past", 0})
			r.At(ms(500), 1, TimerKey{"never", 0})
			r.At(ms(30), 99, TimerKey{"no such connection", 0})
		}
		if ev.Kind == Timer && ev.Timer.Rule == "a" {
			r.At(ev.T+ms(5), ev.Conn.ID, TimerKey{"again", 7})
		}
	}
	play(t, Config{Checkers: []Checker{w}}, ioEvent(10, C2S, "eof"), client(30, pingLine), client(40, "x"))
	same(t, "events", w.lines, []string{
		"io c2s eof", "timer past 0 at 10", "timer a 1 at 20", "timer again 7 at 25",
		"timer b 1 at 30", "timer b 2 at 30", "timer no such connection 0 at 30",
		`frame c2s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`, "message c2s request new #1 ping",
		`frame c2s "x" 3`,
	})
}

func TestTimeNeverGoesBack(t *testing.T) {
	var times []int64
	w := &witness{seen: func(ev *Event, _ Reporter) { times = append(times, ev.T) }}
	a, _ := play(t, Config{Checkers: []Checker{w}}, client(50, "a"), client(20, "b"), server(60, "c"))
	a.Advance(ms(10))
	for i := 1; i < len(times); i++ {
		if times[i] < times[i-1] {
			t.Errorf("times %v", times)
		}
	}
	s := a.Snapshot()
	if s.Clock() != ms(60) || s.Row(1).T != ms(50) {
		t.Errorf("clock %d, row %+v", s.Clock(), s.Row(1))
	}
}

func TestFindings(t *testing.T) {
	w := &witness{seen: func(ev *Event, r Reporter) {
		if ev.Kind != FrameSeen {
			return
		}
		f := Finding{Rule: "r", Severity: Warning, Fault: Server, Conn: 1, Row: ev.Frame.Row, T: ev.T, Message: string(ev.Frame.Head)}
		switch string(ev.Frame.Head) {
		case "key":
			f.Key = "k"
		case "worse":
			f.Severity = Error
		case "client":
			f.Fault = Client
		case "quiet":
			return
		}
		r.Report(f)
	}}
	a, _ := play(t, Config{Checkers: []Checker{w}},
		server(0, "one"), server(1, "two"), server(2, "quiet"), server(3, "key"), server(4, "client"), server(5, "worse"))
	s := a.Snapshot()
	got := s.Findings()
	if len(got) != 3 {
		t.Fatalf("%d findings: %+v", len(got), got)
	}
	if f := got[0]; f.Count != 3 || f.Row != 0 || f.Last != 5 || f.N != 1 || f.T != 0 || f.Message != "one" || f.Severity != Error {
		t.Errorf("merged: %+v", f)
	}
	if got[1].Key != "k" || got[2].Fault != Client {
		t.Errorf("apart: %+v", got[1:])
	}
	for i, sev := range []Severity{Warning, Warning, NoSeverity, Warning, Warning, Error} {
		if r := s.Row(uint32(i)); r.Sev != sev {
			t.Errorf("row %d has %v, want %v", i, r.Sev, sev)
		}
	}
	if tot := s.Totals(); tot.Findings != [4]int64{0, 0, 2, 1} || tot.Repeats != 2 {
		t.Errorf("totals %+v", tot)
	}
	if at := s.RowFindings(5); len(at) != 1 || at[0].Rule != "r" {
		t.Errorf("at row 5: %+v", at)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	a := NewAnalyzer(Config{})
	for i := range MaxFindings + 5 {
		(*reporter)(a).Report(Finding{Rule: "r", Severity: Info, Row: NoRow, Key: string(rune(i + 1))})
	}
	s := a.Snapshot()
	if len(s.Findings()) != MaxFindings || s.Totals().Dropped != 5 {
		t.Errorf("%d kept, %d dropped", len(s.Findings()), s.Totals().Dropped)
	}
}
