//go:build unix

package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wiretea/session"
)

// long is a grace that is not meant to pass, short one that is.
const (
	long  = patience
	short = 50 * time.Millisecond
)

var patient = Grace{EOF: long, Term: long, Kill: long, Orphans: long, Drain: long}

// start starts a server, and sees to it that it ends with the test.
func start(t *testing.T, part string, grace Grace) (*witness, *Conn) {
	t.Helper()
	w := newWitness(t)
	s := &Stdio{Command: command(part), Tap: w.tap, Grace: grace}
	return w, begin(t, s)
}

func begin(t *testing.T, s *Stdio) *Conn {
	t.Helper()
	c, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// wait waits for the connection's end.
func wait(t *testing.T, c *Conn) (Exit, error) {
	t.Helper()
	select {
	case <-c.Done():
		return c.Wait()
	case <-time.After(patience):
		t.Fatal("the connection does not end")
		return Exit{}, nil
	}
}

func shutdown(t *testing.T, c *Conn) Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	exit, err := c.Shutdown(ctx)
	if err != nil || ctx.Err() != nil {
		t.Errorf("shutdown: %v, %v", err, ctx.Err())
	}
	return exit
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	return unix.Kill(pid, 0) == nil && !strings.HasPrefix(stateOf(pid), "Z")
}

// awaitStopped waits until a process has stopped: a signal that comes before may
// still end it.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.HasPrefix(stateOf(pid), "T"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not stop, its state is %q", pid, stateOf(pid))
		}
	}
}

// stateOf is a process's state as ps shows it; empty for none.
func stateOf(pid int) string {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return strings.TrimSpace(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	}
	state, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(state))
}

func TestEchoServer(t *testing.T) {
	for _, fds := range [][3]FDKind{{}, {Socket, Socket, Socket}} {
		t.Run(fds[0].String(), func(t *testing.T) {
			w := newWitness(t)
			s := &Stdio{Command: command("echo"), Tap: w.tap, Grace: patient}
			s.Command.FDs = fds
			c := begin(t, s)
			for _, text := range []string{"{\"odd\" : 1.0}\r\n", "\xff\x00\n", "no line feed"} {
				if _, err := io.WriteString(c, text); err != nil {
					t.Fatal(err)
				}
				got := make([]byte, len(text))
				if _, err := io.ReadFull(c, got); err != nil || string(got) != text {
					t.Fatalf("got %q, %v; sent %q", got, err, text)
				}
			}
			if exit := shutdown(t, c); exit != (Exit{}) {
				t.Errorf("exit %v", exit)
			}
			if rest, err := io.ReadAll(c); len(rest) > 0 || err != nil {
				t.Errorf("read %q, %v", rest, err)
			}
			w.close()
			k := fds[0].String()
			for _, words := range []string{"start " + k + " " + k + " " + k, "c2s eof client", "s2c eof server", "err eof server", "exit 0"} {
				if !w.tells(words) {
					t.Errorf("no %q in %q", words, w.story())
				}
			}
			w.before("c2s eof client", "s2c eof server")
			if n := len(w.story()); n != 5 {
				t.Errorf("more than should be in %q", w.story())
			}
			if w.head(session.C2S) != w.head(session.S2C) {
				t.Errorf("recorded %q and %q", w.head(session.C2S), w.head(session.S2C))
			}
		})
	}
}

func TestServerThatExits(t *testing.T) {
	w, c := start(t, "exit 3", patient)
	out, err := io.ReadAll(c)
	if err != nil || string(out) != "bye\n" {
		t.Errorf("read %q, %v", out, err)
	}
	exit, err := wait(t, c)
	if err != nil || exit != (Exit{Code: 3}) {
		t.Errorf("exit %v, %v", exit, err)
	}
	if _, err := c.Write([]byte("anybody?")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing to it: %v", err)
	}
	w.close()
	if !w.tells("exit 3") || !w.tells("c2s closed server") {
		t.Errorf("story %q", w.story())
	}
}

func TestShutdownLadder(t *testing.T) {
	for _, tt := range []struct {
		part  string
		grace Grace
		exit  Exit
		story string
	}{
		{"last words", patient, Exit{}, ""},
		{"ignore eof", Grace{EOF: short, Term: long}, Exit{Code: -1, Signal: "SIGTERM"}, "SIGTERM by us"},
		{"ignore sigterm", Grace{EOF: short, Term: short}, Exit{Code: -1, Signal: "SIGKILL"}, "SIGTERM by us; SIGKILL by us"},
		{"stopped", Grace{EOF: short, Term: short}, Exit{Code: -1, Signal: "SIGKILL"}, "SIGTERM by us; SIGKILL by us"},
	} {
		t.Run(tt.part, func(t *testing.T) {
			w, c := start(t, tt.part, tt.grace)
			if tt.part != "last words" {
				w.awaitText(session.S2C, "ready")
			}
			if tt.part == "stopped" {
				awaitStopped(t, c.Child.PID())
			}
			if exit := shutdown(t, c); exit != tt.exit {
				t.Errorf("exit %v, want %v", exit, tt.exit)
			}
			w.close()
			steps := slices.DeleteFunc(w.story(), func(s string) bool { return !strings.HasSuffix(s, " by us") })
			if got := strings.Join(steps, "; "); got != tt.story {
				t.Errorf("steps %q, want %q", got, tt.story)
			}
			if len(steps) > 0 {
				w.before("c2s eof client", steps[0])
			}
			if tt.part == "last words" && w.head(session.S2C) != "last words\n" {
				t.Errorf("lost the last words: %q", w.head(session.S2C))
			}
		})
	}
}

func TestShutdownInAHurry(t *testing.T) {
	w, c := start(t, "ignore sigterm", patient)
	w.awaitText(session.S2C, "ready")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if exit := c.Child.Exit(); exit.Signal != "SIGKILL" {
		t.Errorf("exit %v", exit)
	}
}

// TestShutdownWithin holds that a limit shortens the steps and leaves none out.
func TestShutdownWithin(t *testing.T) {
	w, c := start(t, "ignore sigterm", patient)
	w.awaitText(session.S2C, "ready")
	exit, err := c.ShutdownWithin(t.Context(), short)
	if err != nil || exit.Signal != "SIGKILL" {
		t.Errorf("exit %v, %v", exit, err)
	}
	w.close()
	w.before("c2s eof client", "SIGTERM by us")
	w.before("SIGTERM by us", "SIGKILL by us")
}

func TestServerThatDoesNotReadIsEndedAllTheSame(t *testing.T) {
	w, c := start(t, "ignore eof", Grace{EOF: short, Term: long})
	w.awaitText(session.S2C, "ready")
	wrote := make(chan error, 1)
	go func() { wrote <- writeUntilItFails(c, 64<<10) }()
	w.awaitEvent("c2s blocked server")
	shutdown(t, c)
	<-wrote
}

func TestClientThatDoesNotReadLosesNothingOfTheRecording(t *testing.T) {
	w, c := start(t, "flood", Grace{EOF: long, Term: long, Drain: short})
	w.awaitEvent("s2c blocked client")
	done := make(chan struct{})
	go func() { defer close(done); c.Close() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("close hangs")
	}
	w.close()
	if w.tells("s2c epipe client") {
		t.Errorf("the client is accused of what we did: %q", w.story())
	}
}

func TestStderrIsDrained(t *testing.T) {
	w, c := start(t, "chatter", patient)
	if out, err := io.ReadAll(c); err != nil || string(out) != "done\n" {
		t.Errorf("read %q, %v", out, err)
	}
	wait(t, c)
	w.close()
	if w.bytes[session.Stderr]+w.gaps != chatter || w.gaps != 0 {
		t.Errorf("%d bytes of stderr, %d lost", w.bytes[session.Stderr], w.gaps)
	}
}

func TestStdoutClosedByALivingServer(t *testing.T) {
	w, c := start(t, "close stdout", patient)
	if out, err := io.ReadAll(c); err != nil || string(out) != "closing\n" {
		t.Errorf("read %q, %v", out, err)
	}
	w.awaitEvent("s2c eof server")
	if _, err := c.Write([]byte("still there?")); err != nil {
		t.Errorf("the other half is closed too: %v", err)
	}
	if exit := shutdown(t, c); exit != (Exit{}) {
		t.Errorf("exit %v", exit)
	}
	w.close()
	w.before("s2c eof server", "c2s eof client")
	w.before("c2s eof client", "exit 0")
}

func TestStdinClosedByALivingServer(t *testing.T) {
	w, c := start(t, "close stdin", Grace{EOF: short})
	w.awaitEvent("c2s closed server")
	// The event is the cause: the client's end is closed after it.
	if err := writeUntilItFails(c, 1); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing: %v", err)
	}
	w.awaitText(session.S2C, "closed")
	shutdown(t, c)
}

// writeUntilItFails writes pieces until no more can be written, and returns why.
func writeUntilItFails(w io.Writer, piece int) error {
	for {
		if _, err := w.Write(make([]byte, piece)); err != nil {
			return err
		}
	}
}

func TestFlood(t *testing.T) {
	w, c := start(t, "flood", patient)
	sum := sha256.New()
	n, err := io.Copy(sum, c)
	if err != nil {
		t.Fatal(err)
	}
	wait(t, c)
	w.close()
	sent := strings.TrimSpace(w.head(session.Stderr))
	passed, seen := fmt.Sprintf("%x", sum.Sum(nil)), fmt.Sprintf("%x", w.sums[session.S2C].Sum(nil))
	if sent != passed || w.gaps == 0 && sent != seen {
		t.Errorf("sent %s, passed %s, recorded %s", sent, passed, seen)
	}
	if w.bytes[session.S2C]+w.gaps != n {
		t.Errorf("%d bytes passed, %d recorded, %d in gaps", n, w.bytes[session.S2C], w.gaps)
	}
}

// leftChild returns the pid that a server printed of the child it left.
func leftChild(t *testing.T, w *witness) int {
	t.Helper()
	w.await("pid", func() bool { return bytes.HasSuffix(w.heads[session.S2C], []byte("\n")) })
	words := strings.Fields(w.head(session.S2C))
	pid, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Kill(pid, unix.SIGKILL) })
	return pid
}

func TestLeftChildIsRecordedAndEnded(t *testing.T) {
	for _, tt := range []struct {
		part  string
		term  time.Duration
		steps string
	}{
		{"leave a child", long, "orphans 1; SIGTERM by us"},
		{"leave a child that ignores sigterm in another group", short, "orphans 1; SIGTERM by us; SIGKILL by us"},
	} {
		t.Run(tt.part, func(t *testing.T) {
			w, c := start(t, tt.part, Grace{Orphans: short, Term: tt.term, Kill: long, Drain: long})
			pid := leftChild(t, w)
			exit, err := wait(t, c)
			if err != nil || exit != (Exit{}) {
				t.Errorf("exit %v, %v", exit, err)
			}
			if alive(pid) {
				t.Error("the left child lives")
			}
			w.close()
			steps := slices.DeleteFunc(w.story(), func(s string) bool { return !strings.HasSuffix(s, " by us") && s != "orphans 1" })
			if got := strings.Join(steps, "; "); got != tt.steps {
				t.Errorf("steps %q, want %q", got, tt.steps)
			}
			w.before("exit 0", "orphans 1")
			for _, o := range w.events {
				if o.Proc.Event == "orphans" && !slices.Equal(o.Proc.PIDs, []int{pid}) {
					t.Errorf("orphans %v, want %d", o.Proc.PIDs, pid)
				}
			}
			// It held stdout, which ended with it.
			w.before("exit 0", "s2c eof server")
		})
	}
}

func TestStdoutHeldByAnEscapedProcessIsGivenUp(t *testing.T) {
	w, c := start(t, "leave a child in another session", Grace{Orphans: short, Drain: 10 * short})
	pid := leftChild(t, w)
	exit, err := wait(t, c)
	if err != nil || exit != (Exit{}) {
		t.Errorf("exit %v, %v", exit, err)
	}
	if !alive(pid) {
		t.Error("a process of another session was ended")
	}
	if rest, err := io.ReadAll(c); err != nil || !bytes.Contains(rest, []byte(strconv.Itoa(pid))) {
		t.Errorf("read %q, %v", rest, err)
	}
	w.close()
	w.before("exit 0", "s2c closed server")
	if w.tells("orphans 1") || w.tells("s2c eof server") {
		t.Errorf("story %q", w.story())
	}
}

func TestRestartIsAnotherConnection(t *testing.T) {
	w := newWitness(t)
	s := &Stdio{Command: command("echo"), Tap: w.tap, Grace: patient}
	for i := 1; i <= 3; i++ {
		c := begin(t, s)
		if c.ID != i {
			t.Errorf("connection %d is called %d", i, c.ID)
		}
		io.WriteString(c, "hello\n")
		io.ReadFull(c, make([]byte, 6))
		shutdown(t, c)
	}
	w.close()
	starts := map[int]int{}
	for _, o := range w.events {
		if o.Proc.Event == "start" {
			starts[o.Conn]++
		}
	}
	if fmt.Sprint(starts) != "map[1:1 2:1 3:1]" {
		t.Errorf("starts by connection: %v", starts)
	}
}
