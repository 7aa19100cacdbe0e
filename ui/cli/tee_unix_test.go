//go:build unix

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// A peered is a server, or a tee before it, as its client sees it: the other ends
// of its three descriptors.
type peered struct {
	t       *testing.T
	cmd     *exec.Cmd
	in, out *os.File
	errw    *os.File
	alive   *os.File    // alive is a pipe that the server and all it leaves behind hold.
	theirs  [3]*os.File // theirs are kept open only where that was asked for.
	file    string      // file is the recording.
}

// pair returns two ends that are connected, by sockets or by a pipe; theirs reads
// where read is set.
func pair(t *testing.T, sockets, read bool) (ours, theirs *os.File) {
	t.Helper()
	if sockets {
		// No process that another test starts may inherit them.
		syscall.ForkLock.RLock()
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err == nil {
			syscall.CloseOnExec(fds[0])
			syscall.CloseOnExec(fds[1])
		}
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
		// Ours can then be read with a deadline.
		if err := syscall.SetNonblock(fds[0], true); err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if read {
		return w, r
	}
	return r, w
}

// options of startPeer.
type peerOptions struct {
	sockets bool
	group   bool     // group starts it in a process group of its own.
	keep    bool     // keep keeps their ends open here too.
	flags   []string // flags of tee.
	file    string   // file is where tee records; empty = a file of the test's own.
}

// startTee starts a server behind a tee.
func startTee(t *testing.T, o peerOptions, server ...string) *peered {
	t.Helper()
	if o.file == "" {
		o.file = filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	}
	args := append([]string{"wiretea", "tee", "--record", o.file}, o.flags...)
	p := startPeer(t, o, append(append(args, "--"), server...)...)
	p.file = o.file
	return p
}

func startPeer(t *testing.T, o peerOptions, argv ...string) *peered {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p := &peered{t: t, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: o.group}
	p.in, p.theirs[0] = pair(t, o.sockets, true)
	p.out, p.theirs[1] = pair(t, o.sockets, false)
	p.errw, p.theirs[2] = pair(t, o.sockets, false)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.theirs[0], p.theirs[1], p.theirs[2]
	alive, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.alive, p.cmd.ExtraFiles = alive, []*os.File{theirs}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	deadline := time.Now().Add(patience)
	for i, ours := range []*os.File{p.in, p.out, p.errw, p.alive} {
		if i < 3 && !o.keep {
			p.theirs[i].Close()
		}
		if err := ours.SetDeadline(deadline); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ours.Close() })
	}
	return p
}

// ended is how a process ended.
type ended struct {
	code     int
	signal   syscall.Signal
	out, err string
}

// talk gives the server all of the input, or leaves it open where that is nil, and
// returns what came back.
func (p *peered) talk(input []byte) ended {
	p.t.Helper()
	go func() {
		if input != nil {
			p.in.Write(input)
			p.in.Close()
		}
	}()
	return p.rest()
}

// rest reads both streams to their end and waits for the process.
func (p *peered) rest() ended {
	p.t.Helper()
	errs := make(chan []byte, 1)
	go func() {
		b, err := io.ReadAll(p.errw)
		if err != nil {
			p.t.Errorf("reading stderr: %v", err)
		}
		errs <- b
	}()
	out, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Errorf("reading stdout: %v", err)
	}
	e := p.wait()
	e.out, e.err = string(out), string(<-errs)
	return e
}

func (p *peered) wait() ended {
	p.t.Helper()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return ended{code: -1, signal: status.Signal()}
	}
	return ended{code: status.ExitStatus()}
}

// line reads the next line of stdout, byte by byte: nothing behind it is taken.
func (p *peered) line() string {
	p.t.Helper()
	var line []byte
	for b := make([]byte, 1); ; line = append(line, b[0]) {
		if _, err := p.out.Read(b); err != nil {
			p.t.Fatalf("reading a line after %q: %v", line, err)
		}
		if b[0] == '\n' {
			return string(line)
		}
	}
}

// wantDead wants the server, and all it left behind, to end.
func (p *peered) wantDead() {
	p.t.Helper()
	if _, err := io.Copy(io.Discard, p.alive); err != nil {
		p.t.Errorf("the server lives on: %v", err)
	}
}

// await waits for a condition that nobody announces.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waiting for %s", what)
		}
	}
}

func awaitFile(t *testing.T, file string) {
	t.Helper()
	await(t, file, func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 0
	})
}

// awaitRecord waits until a record is in the file.
func awaitRecord(t *testing.T, file string, want func(*session.Record) bool) session.Record {
	t.Helper()
	f, err := recorder.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := recorder.NewReader(f, 0)
	var rec session.Record
	for {
		size := f.Size()
		err := r.Next(&rec)
		switch {
		case err == nil && want(&rec):
			return rec
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			t.Fatal(err)
		}
		if err := f.Wait(ctx, size); err != nil {
			t.Fatalf("waiting for a record: %v", err)
		}
	}
}

// recorded is one stream of a recording.
func recorded(t *testing.T, file, stream string) string {
	t.Helper()
	got := inProcess(t.Context(), "export", "--dir", stream, file)
	if got.code != exitFine {
		t.Errorf("export: %v", got)
	}
	return got.out
}

// oddBytes is what no parser likes.
const oddBytes = "{\"jsonrpc\":\"2.0\" , \"id\":1.0,\"id\":2,\"method\":\"ping\"}\r\n\n\xff\xfe\x00\r\r\n\ufeff{\"a\":\"\u2028\"}\nno newline"

// TestTeeIsTransparent compares servers behind a tee with the same ones without
// it, and the recording with what crossed the wire.
func TestTeeIsTransparent(t *testing.T) {
	for name, server := range map[string]string{
		"odd bytes":          "cat; printf 'a\\377\\r\\nb' >&2",
		"exit code":          "cat; exit 37",
		"nothing":            "exit 0",
		"killed":             "cat; kill -KILL $$",
		"crashed":            "cat; kill -SEGV $$",
		"terminated":         "cat; kill -TERM $$",
		"last answers":       "x=$(cat; echo .); echo \"got ${#x}\"; echo bye >&2; exit 2",
		"stdout closed":      "echo first; exec 1>&-; cat >&2; exit 5",
		"stdin closed":       "exec 0<&-; echo said; exit 6",
		"both closed":        "exec 0<&- 1>&- 2>&-; exit 7",
		"environment":        "env | grep -v -e '^_=' | sort; pwd; umask; ulimit -n; cat",
		"an inherited fd":    "echo through >&3; cat",
		"writes in one go":   "head -c 300000 /dev/zero; cat",
		"writes to a closed": "exec 0<&-; sleep 0; echo ok",
	} {
		for _, sockets := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sockets=%v", name, sockets), func(t *testing.T) {
				t.Parallel()
				o := peerOptions{sockets: sockets}
				want := startPeer(t, o, "sh", "-c", server).talk([]byte(oddBytes))
				p := startTee(t, o, "sh", "-c", server)
				got := p.talk([]byte(oddBytes))
				if got != want {
					t.Errorf("behind the tee: %+v\nwithout it:     %+v", got, want)
				}
				for stream, want := range map[string]string{"s2c": want.out, "stderr": want.err} {
					if got := recorded(t, p.file, stream); got != want {
						t.Errorf("%s is recorded as %q, it was %q", stream, got, want)
					}
				}
				if in := recorded(t, p.file, "c2s"); !strings.HasPrefix(oddBytes, in) {
					t.Errorf("c2s is recorded as %q", in)
				}
				records := recording(t, p.file)
				if first := records[0].Header; first.Mode != "tee" || first.PPID != os.Getpid() || len(first.EnvKeys) > 0 {
					t.Errorf("header %+v", first)
				}
				if last := records[len(records)-1]; last.Kind != session.RecEnd || last.End.Lost > 0 {
					t.Errorf("the last record is %+v", last)
				}
			})
		}
	}
}

// TestTeeKeepsKinds gives a server what it would have been given, and leaves the
// client's descriptors as they were.
func TestTeeKeepsKinds(t *testing.T) {
	for _, sockets := range []bool{false, true} {
		t.Run(fmt.Sprint(sockets), func(t *testing.T) {
			t.Parallel()
			o := peerOptions{sockets: sockets, keep: true}
			want := startPeer(t, peerOptions{sockets: sockets}, "teepeer", "kinds").talk([]byte{})
			p := startTee(t, o, "teepeer", "kinds")
			p.wantDead()
			for _, f := range p.theirs {
				conn, err := f.SyscallConn()
				if err != nil {
					t.Fatal(err)
				}
				if err := conn.Control(func(fd uintptr) {
					flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0)
					if flags&syscall.O_NONBLOCK != 0 {
						t.Error("the client's end does not block any more")
					}
				}); err != nil {
					t.Error(err)
				}
				f.Close()
			}
			if got := p.rest(); got != want || strings.Contains(got.out, "true") {
				t.Errorf("behind the tee: %+v\nwithout it:     %+v", got, want)
			}
		})
	}
}

// TestTeeCannotStart is when a tee says something.
func TestTeeCannotStart(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	writeFile(t, text, "hello")
	for command, code := range map[string]int{"no-such-server": 127, "./no/such/server": 127, text: 126, dir: 126} {
		p := startTee(t, peerOptions{}, command)
		if got := p.talk(nil); got.code != code || got.out != "" || !strings.Contains(got.err, "wiretea: starting") {
			t.Errorf("%s: %+v", command, got)
		}
		records := recording(t, p.file)
		if len(records) != 3 || records[1].Proc.Event != "failed" || records[2].End.Why != "error" {
			t.Errorf("%s: %+v", command, records)
		}
	}
}

// TestTeeForwardsSignals sends each signal twice: the server says which it got, and
// then exits in its own way.
func TestTeeForwardsSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			p := startTee(t, peerOptions{}, "teepeer", "signals")
			p.line()
			p.cmd.Process.Signal(sig)
			if got := p.line(); got != sig.String() {
				t.Errorf("the server got %q", got)
			}
			p.cmd.Process.Signal(sig)
			if got := p.talk(nil); got.code != 40+int(sig) || got.err != "" {
				t.Errorf("%+v", got)
			}
			var seen int
			for _, r := range recording(t, p.file) {
				if r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.By == "client" {
					seen++
				}
			}
			if seen != 2 {
				t.Errorf("%d signals are recorded", seen)
			}
		})
	}
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "sh", "-c", "echo ready; exec sleep 60")
		p.line()
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got := p.talk(nil); got.signal != syscall.SIGTERM {
			t.Errorf("%+v", got)
		}
	})
	t.Run("ignored", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "teepeer", "stubborn")
		p.line()
		p.cmd.Process.Signal(syscall.SIGTERM)
		awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecProc && r.Proc.Event == "signal" })
		if got := p.talk([]byte("x")); got.code != 9 || got.out != "bye\n" {
			t.Errorf("%+v", got)
		}
	})
}

// TestTeeIsKilled kills a tee, and the group it is in. The server ends, and the
// file can be read.
func TestTeeIsKilled(t *testing.T) {
	for _, group := range []bool{false, true} {
		t.Run(fmt.Sprint(group), func(t *testing.T) {
			t.Parallel()
			server := []string{"sh", "-c", "echo ready; cat"}
			if group {
				server = []string{"sh", "-c", "trap '' TERM HUP; echo ready; sleep 600; sleep 600"}
			}
			p := startTee(t, peerOptions{group: group}, server...)
			p.line()
			awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecFrame })
			pid := p.cmd.Process.Pid
			if group {
				pid = -pid
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if got := p.rest(); got.signal != syscall.SIGKILL {
				t.Errorf("%+v", got)
			}
			p.wantDead()
			for _, r := range recording(t, p.file) {
				if r.Kind == session.RecEnd {
					t.Error("there is an end record")
				}
			}
			got := inProcess(t.Context(), "open", "--plain", p.file)
			if got.code != exitFine || !strings.Contains(got.err, "breaks off") || !strings.Contains(got.out, "ready") {
				t.Errorf("%v", got)
			}
		})
	}
}

// TestTeeLeftovers ends what a server leaves in the client's group, and leaves
// alone what went its own way.
func TestTeeLeftovers(t *testing.T) {
	for name, tt := range map[string]struct {
		server string
		open   bool // open: the client's end of stdin stays open.
		want   string
	}{
		"holds stdout":         {server: "sleep 600 & exit 3", want: "orphans"},
		"holds stdout, open":   {server: "sleep 600 & exit 3", open: true, want: "orphans"},
		"holds nothing":        {server: "sleep 600 </dev/null >/dev/null 2>&1 & exit 3", want: "orphans"},
		"ignores SIGTERM":      {server: "(trap '' TERM; echo up >&3; sleep 600; sleep 600) & read x; exit 3", want: "SIGKILL"},
		"grandchildren":        {server: "sh -c 'sleep 600 & sleep 600' & exit 3", want: "orphans"},
		"ends by itself, open": {server: "(read x < \"$0\"; echo last) & exit 3", open: true, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fifo := filepath.Join(t.TempDir(), "go")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			p := startTee(t, peerOptions{}, "sh", "-c", tt.server, fifo)
			input := []byte("go\n")
			if tt.open {
				input = nil
			}
			if strings.Contains(tt.server, "$0") {
				writeFile(t, fifo, "go\n") // returns when it was opened
			}
			if got := p.talk(input); got.code != 3 || got.err != "" {
				t.Errorf("%+v", got)
			} else if tt.want == "" && got.out != "last\n" {
				t.Errorf("last words are lost: %+v", got)
			}
			p.wantDead()
			seen := ""
			for _, r := range recording(t, p.file) {
				if r.Kind == session.RecProc {
					seen += r.Proc.Event + " " + r.Proc.Signal + "\n"
				}
			}
			if !strings.Contains(seen, tt.want) || tt.want == "" && strings.Contains(seen, "orphans") {
				t.Errorf("recorded:\n%s", seen)
			}
		})
	}
	t.Run("goes its own way", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "sh", "-c", "setsid sh -c 'echo $$; exec sleep 600 </dev/null >/dev/null 2>&1 3>&-' & wait $!; exit 4")
		pid, err := strconv.Atoi(p.line())
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Kill(pid, syscall.SIGKILL)
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got := p.talk(nil); got.signal != syscall.SIGTERM {
			t.Errorf("%+v", got)
		}
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("a process of its own session is gone: %v", err)
		}
	})
}

// TestTeeBackpressure stops a client, and a server, from reading. The writer
// blocks, the file says so, memory stays bounded, and nothing is lost.
func TestTeeBackpressure(t *testing.T) {
	blocked := func(stream session.Stream, event string) func(*session.Record) bool {
		return func(r *session.Record) bool {
			return r.Kind == session.RecIO && r.Stream == stream && r.IO.Event == event
		}
	}
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		sum := filepath.Join(t.TempDir(), "sum")
		p := startTee(t, peerOptions{}, "teepeer", "flood", "100000", sum)
		first := p.line() + "\n"
		awaitRecord(t, p.file, blocked(session.S2C, "blocked"))
		if _, err := os.Stat(sum); err == nil {
			t.Error("the server wrote everything, though nobody reads")
		}
		wantSmall(t, p)
		got := p.talk([]byte{})
		want, err := os.ReadFile(sum)
		if err != nil {
			t.Fatal(err)
		}
		if have := sha256.Sum256([]byte(first + got.out)); got.code != 0 || !bytes.Equal(have[:], want) {
			t.Errorf("exit code %d, %d bytes: %s", got.code, len(got.out), got.err)
		}
		awaitRecord(t, p.file, blocked(session.S2C, "unblocked"))
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "teepeer", "deaf")
		p.line()
		pid := awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecProc && r.Proc.Event == "start" }).Proc.PID
		input := bytes.Repeat([]byte("0123456789abcdef\n"), 100_000)
		done := make(chan ended, 1)
		go func() { done <- p.talk(input) }()
		awaitRecord(t, p.file, blocked(session.C2S, "blocked"))
		if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		if got, want := (<-done).out, fmt.Sprintf("%d %x\n", len(input), sha256.Sum256(input)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// wantSmall wants the tee, which runs still, to have kept to its memory.
func wantSmall(t *testing.T, p *peered) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("the system does not tell how much memory a process takes")
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if kib, err := strconv.Atoi(strings.Fields(peak)[0]); err != nil || kib > 100<<10 && !raceEnabled {
		t.Errorf("the tee took %d KiB of memory, %v", kib, err)
	}
}

// TestTeeBurst sends a burst of frames through, as fast as they come.
func TestTeeBurst(t *testing.T) {
	frames := 1_000_000
	if testing.Short() || raceEnabled {
		frames = 50_000
	}
	sum := filepath.Join(t.TempDir(), "sum")
	p := startTee(t, peerOptions{}, "teepeer", "flood", strconv.Itoa(frames), sum)
	p.in.Close()
	hash := sha256.New()
	if _, err := io.CopyN(hash, p.out, int64(frames)*70); err != nil {
		t.Fatal(err)
	}
	wantSmall(t, p)
	if _, err := io.Copy(hash, p.out); err != nil {
		t.Fatal(err)
	}
	if got := p.wait(); got.code != 0 {
		t.Errorf("%+v", got)
	}
	want, err := os.ReadFile(sum)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(hash.Sum(nil), want) {
		t.Error("the client got something else than the server sent")
	}
	if have := sha256.Sum256([]byte(recorded(t, p.file, "s2c"))); !bytes.Equal(have[:], want) {
		t.Error("the recording has something else than the server sent")
	}
}

// TestTeeLongLine sends a line that never seems to end: what there is of it
// arrives, and the server waits for that.
func TestTeeLongLine(t *testing.T) {
	mebibytes := 100
	if testing.Short() || raceEnabled {
		mebibytes = 10
	}
	p := startTee(t, peerOptions{}, "teepeer", "line", strconv.Itoa(mebibytes))
	chunk, hash := make([]byte, 1<<20), sha256.New()
	for range mebibytes {
		if _, err := io.ReadFull(p.out, chunk); err != nil {
			t.Fatal(err)
		}
		hash.Write(chunk)
		if _, err := p.in.WriteString("."); err != nil {
			t.Fatal(err)
		}
	}
	wantSmall(t, p)
	got := p.talk([]byte{})
	if got.code != 0 || got.out != "\n" {
		t.Errorf("%+v", got)
	}
	hash.Write([]byte("\n"))
	if have := sha256.Sum256([]byte(recorded(t, p.file, "s2c"))); !bytes.Equal(have[:], hash.Sum(nil)) {
		t.Error("the recording has something else than the client got")
	}
}

// TestTeeChatter lets a server write a lot to stderr.
func TestTeeChatter(t *testing.T) {
	size := 50 << 20
	if testing.Short() || raceEnabled {
		size = 5 << 20
	}
	p := startTee(t, peerOptions{}, "teepeer", "chatter", strconv.Itoa(size))
	done := make(chan ended, 1)
	go func() { done <- p.talk(nil) }()
	awaitFile(t, p.file)
	awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecFrame && r.Stream == session.S2C })
	wantSmall(t, p)
	p.in.Close()
	got := <-done
	if got.code != 0 || got.out != "done\n" || len(got.err) != size {
		t.Errorf("code %d, %q, %d bytes of stderr", got.code, got.out, len(got.err))
	}
	if have := recorded(t, p.file, "stderr"); have != got.err {
		t.Errorf("%d bytes are recorded", len(have))
	}
}

// TestTeeTwice runs two tees of one command that want the same file, as a client
// does that first starts a disposable process.
func TestTeeTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	first := startTee(t, peerOptions{file: file}, "cat")
	first.in.WriteString("first\n")
	first.line()
	second := startTee(t, peerOptions{file: file}, "cat")
	second.in.WriteString("second\n")
	second.line()
	first.cmd.Process.Signal(syscall.SIGTERM)
	if got := first.talk(nil); got.signal != syscall.SIGTERM {
		t.Errorf("%+v", got)
	}
	if got := second.talk([]byte("more\n")); got.code != 0 || got.out != "more\n" {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]string{"session": "first\n", "session-2": "second\nmore\n"} {
		if got := recorded(t, filepath.Join(filepath.Dir(file), name+recorder.Suffix), "s2c"); got != want {
			t.Errorf("%s has %q", name, got)
		}
	}
}

// TestTeeCannotRecord takes the place away where a tee records: before, and in
// mid-session. The traffic does not care.
func TestTeeCannotRecord(t *testing.T) {
	input := bytes.Repeat([]byte(oddBytes+"\n"), 1000)
	for name, argv := range map[string][]string{
		"no folder":   {"wiretea", "tee", "--sessions", "/dev/null/sessions", "--", "cat"},
		"no file":     {"wiretea", "tee", "--record", "/dev/null", "--", "cat"},
		"no home":     {"env", "HOME=/dev/null", "wiretea", "tee", "--", "cat"},
		"a full disk": {"sh", "-c", `ulimit -f 16; exec wiretea tee --record "$0" -- cat`, filepath.Join(t.TempDir(), "full.mcpcap.jsonl")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := startPeer(t, peerOptions{}, argv...).talk(input); got.code != 0 || got.out != string(input) || got.err != "" {
				t.Errorf("code %d, %d bytes of %d, stderr %q", got.code, len(got.out), len(input), got.err)
			}
			if name == "a full disk" {
				recording(t, argv[len(argv)-1])
			}
		})
	}
}

// TestTeeFolder records into a folder, under the name it is given, and removes
// what is too much there.
func TestTeeFolder(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "20200101-000000-old-1.mcpcap.jsonl")
	var files []string
	for i := range recorder.DefaultPolicy.Keep + 1 {
		files = append(files, fmt.Sprintf("%s/20200102-0000%02d-kept-1.mcpcap.jsonl", dir, i))
	}
	for _, file := range append(files, old) {
		writeFile(t, file, `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2020-01-01T00:00:00Z"}`+"\n")
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour*24*40)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour*24*50)); err != nil {
		t.Fatal(err)
	}
	p := startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--name", "My files", "--", "cat")
	p.in.WriteString("hi\n")
	p.line()
	list, err := filepath.Glob(filepath.Join(dir, "*-my-files-"+strconv.Itoa(p.cmd.Process.Pid)+recorder.Suffix))
	if err != nil || len(list) != 1 {
		t.Fatalf("%q, %v", list, err)
	}
	await(t, "the old session to go", func() bool {
		_, err := os.Stat(old)
		return errors.Is(err, os.ErrNotExist)
	})
	if got := p.talk([]byte{}); got.code != 0 {
		t.Errorf("%+v", got)
	}
}
