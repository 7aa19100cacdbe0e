package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wiretea/session"
)

func init() {
	for name, part := range map[string]func(number int, file string) int{
		"saves": saver, "saves-at-eof": saver, "ignores-eof": careless,
		"npx": npxLike, "uv": uvLike, "docker": dockerLike,
	} {
		teeParts[name] = part
	}
}

// saver is a server that needs ms milliseconds to save its state into a file: the end of
// its input, or SIGTERM. With saves-at-eof SIGTERM does to it what it does to any program.
func saver(ms int, file string) int {
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	if os.Args[1] == "saves" {
		signal.Notify(signals, syscall.SIGTERM)
	}
	go func() {
		defer close(ended)
		io.Copy(io.Discard, os.Stdin)
	}()
	fmt.Println("ready", os.Getpid())
	select {
	case <-ended:
	case <-signals:
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
	if os.WriteFile(file, []byte("saved"), 0o600) != nil {
		return 1
	}
	fmt.Fprintln(os.Stderr, "saved")
	return 0
}

// careless is a server that does nothing at the end of its input. It answers SIGUSR1 in
// its file.
func careless(_ int, file string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	fmt.Println("ready", os.Getpid())
	for range signals {
		if os.WriteFile(file, []byte("alive"), 0o600) != nil {
			return 1
		}
	}
	return 1
}

// npxLike waits for the command, and dies of a signal alone.
func npxLike(_ int, command string) int {
	return wrapped(command, func(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr }, false)
}

// uvLike sends SIGTERM on to the command, and waits for it.
func uvLike(_ int, command string) int {
	return wrapped(command, func(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr }, true)
}

// dockerLike does so too, but the command has a session and streams of its own.
func dockerLike(_ int, command string) int {
	return wrapped(command, func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		in, err := cmd.StdinPipe()
		if err != nil {
			panic(err)
		}
		cmd.Stdout, cmd.Stderr = readOf(os.Stdout), readOf(os.Stderr)
		go func() {
			defer in.Close()
			io.Copy(in, os.Stdin)
		}()
	}, true)
}

// readOf is a writer that has a pipe of its own in a command.
func readOf(w io.Writer) io.Writer { return struct{ io.Writer }{w} }

func wrapped(command string, connect func(cmd *exec.Cmd), forwards bool) int {
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	connect(cmd)
	signals := make(chan os.Signal, 1)
	if forwards { // The client signals as soon as the command has said that it is ready.
		signal.Notify(signals, syscall.SIGTERM)
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if forwards {
		go func() {
			for sig := range signals {
				cmd.Process.Signal(sig)
			}
		}()
	}
	cmd.Wait()
	return max(0, cmd.ProcessState.ExitCode())
}

// An aftermath is what is left of a server, and how its client saw it end.
type aftermath struct {
	code   int
	signal syscall.Signal
	state  string // state is what it saved; empty = nothing.
	lives  bool   // lives: the server is still there, and so is what the client started where running.
}

// endings are what a client does to the command that it started.
var endings = map[string]func(p *peered){
	"eof":  func(p *peered) { p.in.Close() },
	"term": func(p *peered) { p.cmd.Process.Signal(syscall.SIGTERM) },
	"both": func(p *peered) {
		p.in.Close()
		p.cmd.Process.Signal(syscall.SIGTERM)
	},
	"kill": func(p *peered) { p.cmd.Process.Kill() },
}

// endAs starts a command, ends it, and lets go of it as a client does that exits then.
func endAs(t *testing.T, ending, part, file string, argv []string) (o aftermath) {
	t.Helper()
	p := startPeer(t, peerOptions{group: true}, argv...)
	server, err := strconv.Atoi(strings.TrimPrefix(p.line(), "ready "))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(server, syscall.SIGKILL)
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	})
	endings[ending](p)
	// Without a further step nothing ends a server that ignores this one.
	waits := part != "ignores-eof" || ending != "eof"
	if waits {
		how := p.wait()
		o.code, o.signal = how.code, how.signal
		for _, f := range []*os.File{p.in, p.out, p.errw} {
			f.Close()
		}
	}
	dead := make(chan struct{})
	go func() {
		defer close(dead)
		io.Copy(io.Discard, p.alive)
	}()
	state := func() bool {
		b, err := os.ReadFile(file)
		o.state = string(b)
		return err == nil && len(b) > 0
	}
	if part == "ignores-eof" {
		// It answers, or is dead.
		syscall.Kill(server, syscall.SIGUSR1)
		await(t, "an answer, or the end", func() bool { return state() || closedNow(dead) })
		o.lives = o.state != ""
		return o
	}
	<-dead
	state()
	return o
}

func closedNow(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestTeeAndWrappers ends servers behind programs that start them, in all the ways of
// clients: what the server saves, what survives and how the command ended is the same
// without the tee.
func TestTeeAndWrappers(t *testing.T) {
	t.Parallel()
	wrappers := map[string]func(server string) []string{
		"direct": strings.Fields,
		"npx":    func(server string) []string { return []string{"teepeer", "npx", "0", server} },
		"npm exec": func(server string) []string {
			return []string{"teepeer", "npx", "0", "sh -c " + strings.ReplaceAll(server, " ", "${IFS}")}
		},
		"sh -c x;y": func(server string) []string { return []string{"sh", "-c", server + "; true"} },
		"uv run":    func(server string) []string { return []string{"teepeer", "uv", "0", server} },
		"docker":    func(server string) []string { return []string{"teepeer", "docker", "0", server} },
	}
	// What sleeps in these takes no CPU.
	busy := make(chan struct{}, 4)
	for wrapper, wrap := range wrappers {
		for ending := range endings {
			for _, part := range []string{"saves", "saves-at-eof", "ignores-eof"} {
				if part == "saves" && (ending == "eof" || ending == "kill") {
					continue // No signal is expected; saves-at-eof would show one that came.
				}
				t.Run(wrapper+"/"+ending+"/"+part, func(t *testing.T) {
					t.Parallel()
					busy <- struct{}{}
					defer func() { <-busy }()
					dir := t.TempDir()
					run := func(name string, before ...string) aftermath {
						file := filepath.Join(dir, name)
						server := wrap("teepeer " + part + " 300 " + file)
						return endAs(t, ending, part, file, append(before, server...))
					}
					record := filepath.Join(dir, "session.mcpcap.jsonl")
					without := run("without")
					with := run("with", "wiretea", "tee", "--record", record, "--")
					if with != without {
						t.Errorf("with the tee %+v, without it %+v", with, without)
					}
					if ending == "kill" {
						return
					}
					awaitRecord(t, record, func(r *session.Record) bool { return r.Kind == session.RecProc })
					for _, r := range recording(t, record) {
						if r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.By == "us" {
							t.Errorf("the tee has sent %s", r.Proc.Signal)
						}
					}
				})
			}
		}
	}
}

// TestTeeWaitsForLastWords has a client that reads on: what a server writes that was left
// by its wrapper arrives, and is recorded.
func TestTeeWaitsForLastWords(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state")
	p := startTee(t, peerOptions{}, "teepeer", "npx", "0", "teepeer saves 200 "+file)
	p.line()
	p.in.Close()
	p.cmd.Process.Signal(syscall.SIGTERM)
	if got := p.rest(); got.signal != syscall.SIGTERM || got.err != "saved\n" {
		t.Errorf("%+v", got)
	}
	if seen := processEvents(t, p.file); strings.Contains(seen, "orphans") {
		t.Errorf("recorded:\n%s", seen)
	}
}

// TestTeeServesOn kills a wrapper: the server that it leaves goes on answering its client.
func TestTeeServesOn(t *testing.T) {
	t.Parallel()
	p := startTee(t, peerOptions{}, "sh", "-c", "echo $$; cat; true")
	wrapper, err := strconv.Atoi(p.line())
	if err != nil {
		t.Fatal(err)
	}
	p.in.WriteString("before\n")
	p.line()
	syscall.Kill(wrapper, syscall.SIGKILL)
	awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecProc && r.Proc.Event == "exit" })
	p.in.WriteString("after\n")
	if got := p.line(); got != "after" {
		t.Errorf("got %q", got)
	}
	if got := p.talk([]byte("last\n")); got.out != "last\n" || got.signal != syscall.SIGKILL {
		t.Errorf("%+v", got)
	}
	p.wantDead()
}

// TestTeeDeepPipes holds that the client's pipes become deep, and that one that holds more
// stays as it is.
func TestTeeDeepPipes(t *testing.T) {
	pipe := func(f *os.File, command, size int) (holds int) {
		conn, err := f.SyscallConn()
		if err == nil {
			err = conn.Control(func(fd uintptr) { holds, _ = unix.FcntlInt(fd, command, size) })
		}
		if err != nil {
			t.Fatal(err)
		}
		return holds
	}
	p := startTee(t, peerOptions{}, "sh", "-c", "read x; echo $x; exec cat")
	usual := pipe(p.errw, unix.F_GETPIPE_SZ, 0)
	const much = 1 << 20
	pipe(p.out, unix.F_SETPIPE_SZ, much)
	io.WriteString(p.in, "go on\n")
	if _, err := io.ReadFull(p.out, make([]byte, len("go on\n"))); err != nil {
		t.Fatal(err)
	}
	if in, out := pipe(p.in, unix.F_GETPIPE_SZ, 0), pipe(p.out, unix.F_GETPIPE_SZ, 0); in != 4*usual || out < much {
		t.Errorf("stdin holds %d bytes, stdout %d; stderr %d", in, out, usual)
	}
	p.talk([]byte{})
}
