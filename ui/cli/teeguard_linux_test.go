package cli

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"wiretea/session"
	"wiretea/ui/cli/attach"
	"wiretea/ui/cli/term"
)

// signalSeen waits until the tee has recorded, and so passed on, a signal.
func signalSeen(p *peered, name string) {
	p.t.Helper()
	awaitRecord(p.t, p.file, func(r *session.Record) bool {
		return r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.Signal == name && r.Proc.By == "client"
	})
}

// TestTeeIsKilledOnTheWayOut kills the tee, as clients do whose server heeds neither
// the end of its input nor SIGTERM: the server dies, and nothing else does.
func TestTeeIsKilledOnTheWayOut(t *testing.T) {
	for name, how := range map[string]struct{ eof, term bool }{"unwarned": {}, "eof": {eof: true}, "term": {term: true}, "both": {true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startTee(t, peerOptions{}, "sh", "-c",
				"trap '' TERM; sleep 600 3>&- >/dev/null 2>&1 & echo $!; wait")
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
			p.cmd.Process.Kill()
			if got := p.rest(); got.signal != syscall.SIGKILL {
				t.Errorf("%+v", got)
			}
			p.wantDead()
			if err := syscall.Kill(apart, 0); err != nil {
				t.Errorf("what the server started is gone: %v", err)
			}
		})
	}
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
