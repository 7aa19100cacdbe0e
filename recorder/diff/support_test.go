package diff

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// A script is a session that is recorded step by step, a millisecond apart.
type script struct{ batch []session.Observation }

func (s *script) Take(time.Duration) ([]session.Observation, int64, error) {
	if s.batch == nil {
		return nil, 0, io.EOF
	}
	out := s.batch
	s.batch = nil
	return out, 0, nil
}

// recordText records a session that is told line by line:
//
//	c> {…}   the client writes this line
//	s> {…}   the server does
//	held {…} the client writes this line, which is held here
//	went {…} it goes on to the server
//	e> text  a line of stderr
//	exit 3   the server's process ends with that code; exit SIGSEGV by that signal
//	wait 5   so many milliseconds pass
func recordText(t testing.TB, text string) recorder.Log {
	t.Helper()
	now := int64(0)
	s := &script{batch: []session.Observation{{Conn: 1, Kind: session.ObsProc, Proc: session.Proc{Event: "start", PID: 1}}}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		now += int64(time.Millisecond)
		o := session.Observation{Conn: 1, T: now}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
			continue
		case "c>", "s>", "e>":
			o.Stream = map[string]session.Stream{"c>": session.C2S, "s>": session.S2C, "e>": session.Stderr}[word]
			o.Data = []byte(rest + "\n")
		case "held", "went":
			decided := session.Observation{Conn: 1, T: now, Kind: session.ObsDecided, Stream: session.C2S, Way: session.WayIn, Decided: session.Decided{By: "hold: test", Mark: 1}}
			if word == "went" {
				decided.Way, decided.Decided.Mark, decided.Decided.Of = session.WayOut, 0, 1
			}
			s.batch = append(s.batch, decided)
			o.Stream, o.Way, o.Data = session.C2S, decided.Way, []byte(rest+"\n")
		case "wait":
			var ms int64
			if _, err := fmt.Sscan(rest, &ms); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			now += ms * int64(time.Millisecond)
			continue
		case "exit":
			o.Kind, o.Proc = session.ObsProc, session.Proc{Event: "exit"}
			if _, err := fmt.Sscan(rest, &o.Proc.Code); err != nil {
				o.Proc.Code, o.Proc.Signal = -1, rest
			}
		default:
			t.Fatalf("%q is not a step", line)
		}
		s.batch = append(s.batch, o)
	}
	sink := recorder.NewMemory(64 << 20)
	hdr := session.Header{SID: "00112233445566778899aabbccddeeff", Tool: "wiretea/test", T0: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
		Mode: "run", Trans: "stdio", Cmd: []string{"server"}, Limits: session.DefaultLimits()}
	w := recorder.NewWriter(sink, hdr, recorder.Options{Now: func() int64 { return now }, Wall: func() time.Time { return hdr.T0.Add(time.Duration(now)) }})
	if err := w.Run(s); err != nil {
		t.Fatalf("recording: %v", err)
	}
	t.Cleanup(func() { sink.Close() })
	return sink
}

// compared is the report on two sessions that are told.
func compared(t testing.TB, a, b string, opt Options) *Report {
	t.Helper()
	return comparedLogs(t, recordText(t, a), recordText(t, b), opt)
}

func comparedLogs(t testing.TB, a, b recorder.Log, opt Options) *Report {
	t.Helper()
	var sides [2]*Side
	for i, log := range []recorder.Log{a, b} {
		var err error
		if sides[i], err = Read(t.Context(), log, opt); err != nil {
			t.Fatalf("reading: %v", err)
		}
	}
	report, err := Compare(sides[0], sides[1])
	if err != nil {
		t.Fatalf("comparing: %v", err)
	}
	return report
}

// brief writes a report so that tests can name what it holds, a line a difference.
func brief(r *Report) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	changes := func(list []Change) {
		for _, c := range list {
			mark := ""
			if c.Prose {
				mark = " prose"
			}
			say("    %s %s %s → %s%s", c.Kind, c.Path, c.Old, c.New, mark)
		}
	}
	for _, f := range append(r.Peers, r.Process...) {
		say("%s: %s → %s", f.Name, f.A, f.B)
	}
	for _, c := range r.Capabilities {
		say("%s %s %s", c.Side, c.Kind, c.Path)
	}
	for _, item := range r.Lists {
		mark := ""
		if item.Prose {
			mark = " prose"
		}
		if item.Tokens != 0 {
			mark += fmt.Sprintf(" %+d tokens", item.Tokens)
		}
		say("%s %s %s%s", item.List, item.Kind, item.Name, mark)
		changes(item.Changes)
	}
	if r.Context != nil {
		say("tools %d → %d tokens", r.Context.A, r.Context.B)
	}
	for _, c := range r.Calls {
		say("%s %s %s ×%d: %s", c.Kind, c.Method, c.Target, c.Count, endings(&c))
		changes(c.Asked)
		changes(c.Changes)
	}
	for _, n := range r.Notifications {
		say("%s %s %d → %d", n.Sender, n.Method, n.A, n.B)
	}
	for _, f := range r.Findings {
		say("finding %s %s", f.Kind, f.Rule)
	}
	return b.String()
}

func endings(c *Call) string {
	words := [2]string{"—", "—"}
	for i, e := range []*Ending{c.A, c.B} {
		if e != nil {
			words[i] = strings.Join(strings.Fields(e.Outcome+" "+e.Code+" "+e.Message), " ")
		}
	}
	return words[0] + " → " + words[1]
}

// logOf is a finished recording in a file.
func logOf(t testing.TB, file []byte) recorder.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a"+recorder.Suffix)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
