package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wiretea/session"
	"wiretea/ui/cli/attach"
	"wiretea/ui/cli/term"
)

func init() { teeParts["dreamer"] = dreamer }

// dreamer is a server that ends neither with its input nor at SIGTERM, but at SIGUSR2.
func dreamer(int, string) int {
	signal.Ignore(syscall.SIGTERM)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	fmt.Println("ready")
	<-c
	return 5
}

// guardOf waits for the guard that a tee starts when its client is on the way out, and
// until signals do nothing to it. It returns its pid.
func guardOf(p *peered) (pid int) {
	p.t.Helper()
	parent := p.cmd.Process.Pid
	await(p.t, "the guard", func() bool {
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			p.t.Fatal(err)
		}
		for _, file := range files {
			args, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(args, []byte("\x00"+attach.TeeGuard+"\x00")) {
				continue
			}
			stat, err := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
			fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
			if err == nil && fields[1] == strconv.Itoa(parent) {
				pid, err = strconv.Atoi(filepath.Base(filepath.Dir(file)))
				return err == nil && ignores(pid, syscall.SIGUSR2) // the last of them
			}
		}
		return false
	})
	return pid
}

// ignores reports whether a signal does nothing to a process.
func ignores(pid int, sig syscall.Signal) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), "\nSigIgn:\t")
	line, _, _ := strings.Cut(rest, "\n")
	set, err := strconv.ParseUint(line, 16, 64)
	return err == nil && set&(1<<(sig-1)) != 0
}

// signalSeen waits until the tee has recorded, and so passed on, a signal.
func signalSeen(p *peered, name string) {
	p.t.Helper()
	awaitRecord(p.t, p.file, func(r *session.Record) bool {
		return r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.Signal == name && r.Proc.By == "client"
	})
}

// TestTeeIsKilledOnTheWayOut kills the tee, as clients do whose server heeds neither
// the end of its input nor SIGTERM: the server dies, with what it started in the
// client's group, and nothing else does.
func TestTeeIsKilledOnTheWayOut(t *testing.T) {
	for name, how := range map[string]struct{ eof, term bool }{"eof": {eof: true}, "term": {term: true}, "both": {true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startTee(t, peerOptions{}, "sh", "-c",
				"trap '' TERM; setsid sleep 600 3>&- >/dev/null 2>&1 & echo $!; sleep 600 & while :; do sleep 600; done")
			apart, err := strconv.Atoi(p.line())
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(apart, syscall.SIGKILL)
			if how.eof {
				p.in.Close()
			}
			if how.term {
				p.cmd.Process.Signal(syscall.SIGTERM)
				signalSeen(p, "SIGTERM")
			}
			guard := guardOf(p)
			p.cmd.Process.Kill()
			if got := p.rest(); got.signal != syscall.SIGKILL {
				t.Errorf("%+v", got)
			}
			p.wantDead()
			awaitGone(t, guard)
			if err := syscall.Kill(apart, 0); err != nil {
				t.Errorf("a process of its own session is gone: %v", err)
			}
		})
	}
}

// TestTeeGuardEnds lets a server end after all: nothing is left in the group, not
// even for a moment after the tee's end.
func TestTeeGuardEnds(t *testing.T) {
	p := startTee(t, peerOptions{group: true}, "teepeer", "dreamer")
	p.line()
	p.in.Close()
	guard := guardOf(p)
	// What a client sends to its group does not end the guard before the server.
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	signalSeen(p, "SIGTERM")
	if again := guardOf(p); again != guard {
		t.Errorf("guard %d is followed by %d", guard, again)
	}
	p.cmd.Process.Signal(syscall.SIGUSR2)
	if got := p.rest(); got.code != 5 || got.out != "" || got.err != "" {
		t.Errorf("%+v", got)
	}
	if err := syscall.Kill(-p.cmd.Process.Pid, 0); err != syscall.ESRCH {
		t.Errorf("the group is still there: %v", err)
	}
	wantGone(t, guard)
	p.wantDead()
	if seen := processEvents(t, p.file); strings.Contains(seen, "orphans") {
		t.Errorf("recorded:\n%s", seen)
	}
}

// TestTeeGuardAndGroup kills the whole group: the guard goes with it.
func TestTeeGuardAndGroup(t *testing.T) {
	p := startTee(t, peerOptions{group: true}, "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 600; done")
	p.line()
	p.in.Close()
	guard := guardOf(p)
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := p.rest(); got.signal != syscall.SIGKILL {
		t.Errorf("%+v", got)
	}
	p.wantDead()
	awaitGone(t, guard)
}

// TestGuardByHand runs a guard that no tee has started: it ends nothing.
func TestGuardByHand(t *testing.T) {
	for _, stdin := range []string{"", "pid\n"} {
		if got := wiretea(t, stdin, attach.TeeGuard, strconv.Itoa(os.Getpid())); got.code != term.ExitUsage {
			t.Errorf("%v", got)
		}
	}
	if got := wiretea(t, "", attach.TeeGuard); got.code != term.ExitUsage {
		t.Errorf("%v", got)
	}
}
