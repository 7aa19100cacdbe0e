package recorder

import (
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"wiretea/session"
)

// fullSession is a session that has every kind of record and every form of
// body, as the Writer writes it.
func fullSession(t testing.TB) []byte {
	h := session.Header{
		SID: "8f14e45fceea167a5a36dedd4bea2543", Tool: "wiretea/0.1.0", T0: t0, Mode: "tee", Trans: "stdio",
		Cmd: []string{"npx", "-y", "server-\"everything\"\u2028"}, Cwd: "/home/é", EnvKeys: []string{"API_KEY", "PATH"}, PPID: 4000, Sock: "/run/w.sock",
		Limits: session.Limits{Timeout: time.Minute, Timeouts: map[string]time.Duration{"tools/call": 5 * time.Minute, "ping": time.Second}, MaxLine: 10 << 20, Lines: []int64{65536, 1048576}},
	}
	ev := func(k session.ObsKind, at int64, s session.Stream) session.Observation {
		return session.Observation{Kind: k, Conn: 1, T: at, Stream: s}
	}
	start, exit, orphans, failed := ev(session.ObsProc, 900_000, 0), ev(session.ObsProc, 26*ms, 0), ev(session.ObsProc, 26*ms+1, 0), ev(session.ObsProc, 12*sec+5, 0)
	start.Proc = session.Proc{Event: "start", PID: 4711, FDs: []string{"pipe", "socket", "file"}}
	exit.Proc = session.Proc{Event: "exit", Code: -1, Signal: "SIGKILL"}
	orphans.Proc = session.Proc{Event: "orphans", PIDs: []int{4712, 4713}}
	failed.Proc, failed.Conn = session.Proc{Event: "failed", Err: "exec: \"nope\": not found"}, 2
	eof, blocked, gap := ev(session.ObsIO, 25*ms, session.S2C), ev(session.ObsIO, 25*ms+1, session.C2S), ev(session.ObsGap, 25*ms+2, session.C2S)
	eof.IO = session.IOEvent{Event: "eof", Side: "server"}
	blocked.IO = session.IOEvent{Event: "blocked", Side: "server", Bytes: 65536}
	gap.Gap = session.Gap{Stream: session.C2S, Bytes: 4096, Frames: 12, Why: "memory"}
	second := chunk(12*sec, session.C2S, "{\"id\":1,\"method\":\"ping\"}\n")
	second.Conn, second.Way = 2, session.WayIn
	s := &script{steps: []step{
		{at: 30 * ms, batch: []session.Observation{
			start,
			chunk(ms, session.C2S, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`+"\n"),
			chunk(2*ms, session.S2C, `{"jsonrpc":"2.0","id":1,`), chunk(3*ms, session.S2C, "\"result\":{}}\r\n"),
			chunk(4*ms, session.S2C, "streak \xff\xfe bytes\n"), chunk(5*ms, session.Stderr, "listening on \"stdio\"\t\x1b\n"),
			chunk(6*ms, session.S2C, "Content-Length: 24\r\n\r\n"+`{"id":2,"method":"ping"}`), chunk(7*ms, session.S2C, "tail"),
			eof, blocked, chunk(25*ms+1, session.C2S, "lost he"), gap, exit, orphans,
			chunk(27*ms, session.Stderr, "Traceb"),
		}},
		{at: 11 * sec},
		{at: 12 * sec, batch: []session.Observation{second, failed}},
		{at: 13 * sec, batch: []session.Observation{chunk(13*sec, session.Stderr, "ack\nlast \xe2")}},
	}}
	sink := NewMemory(1 << 30)
	opt := s.options()
	opt.Wall = func() time.Time {
		if s.now >= 12*sec {
			return t0.Add(time.Duration(s.now) + time.Hour)
		}
		return t0.Add(time.Duration(s.now))
	}
	w := NewWriter(sink, h, opt)
	w.SetWhy("signal")
	if err := w.Run(s); err != nil {
		t.Fatal(err)
	}
	return contents(t, sink)
}

// TestMain writes the fixture of a new format version when asked to by
// WIRETEA_FIXTURE, a path that must not exist. Else it runs the tests, with a home folder of
// their own, and holds that they leave no goroutine behind.
func TestMain(m *testing.M) {
	if path := os.Getenv("WIRETEA_FIXTURE"); path != "" {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		var b testing.B
		if _, err := f.Write(fullSession(&b)); err != nil {
			panic(err)
		}
		return
	}
	debug.SetGCPercent(800)         // The tests make much garbage and keep little,
	debug.SetMemoryLimit(256 << 20) // all but a few.
	home, err := os.MkdirTemp("", "wiretea-home")
	if err := errors.Join(err, os.Setenv("HOME", home)); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(home)
		os.Exit(code)
	}))
}

// TestFullSessionIsFull holds that the fixture has one of everything.
func TestFullSessionIsFull(t *testing.T) {
	file := string(fullSession(t))
	checkLines(t, []byte(file))
	for _, part := range []string{
		`"k":"hdr"`, `"k":"f"`, `"k":"raw"`, `"k":"io"`, `"k":"proc"`, `"k":"clk"`, `"k":"gap"`, `"k":"end"`,
		`,"b":`, `,"s":`, `,"x":`, `,"e":"\r\n"`, `,"e":""`, `,"e":"\r\n\r\n"`, `,"t1":`, `,"c":2`, `"way":"in"`, `"d":"err"`, `"frames":12`, `"why":"signal"`, `"timeouts":{"ping"`,
	} {
		if !strings.Contains(file, part) {
			t.Errorf("the full session has no %s", part)
		}
	}
}
