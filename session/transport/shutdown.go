package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"syscall"
	"time"

	"wiretea/session"
)

// ErrStillAlive is returned when a process did not end after SIGKILL.
var ErrStillAlive = errors.New("the process does not end")

// Grace is how long each step of a shutdown waits for its effect. A zero field
// means its default, a negative one no time at all.
type Grace struct {
	EOF     time.Duration // EOF is from the end of its input to SIGTERM; 2 s by default.
	Term    time.Duration // Term is from SIGTERM to SIGKILL; 2 s by default.
	Kill    time.Duration // Kill is from SIGKILL to giving up; 5 s by default.
	Orphans time.Duration // Orphans is from its exit to SIGTERM for the other processes of its session; 500 ms by default.
	Drain   time.Duration // Drain is how long a stream may stay silent, without end of file, after all of them ended; 500 ms by default.
}

func (g Grace) orDefault() Grace {
	for _, f := range []struct {
		field *time.Duration
		def   time.Duration
	}{
		{&g.EOF, 2 * time.Second}, {&g.Term, 2 * time.Second}, {&g.Kill, 5 * time.Second},
		{&g.Orphans, 500 * time.Millisecond}, {&g.Drain, 500 * time.Millisecond},
	} {
		*f.field = cmp.Or(*f.field, f.def)
	}
	return g
}

// shutdown ends the server step by step: it closes its input, and when that has
// no effect within the grace sends SIGTERM, then SIGKILL. Each step is recorded.
// Once ctx is done no more grace is given. It returns when the process and those that
// it left behind have ended, or ErrStillAlive.
func (c *Child) shutdown(ctx context.Context, grace Grace, stdin io.Closer) error {
	stop := context.AfterFunc(ctx, c.cutGrace)
	defer stop()

	// The client begins by closing the stream to the server, and leaves it time to
	// exit by itself: 2024-11-05 to 2025-11-25 basic/lifecycle, "Shutdown", stdio;
	// 2026-07-28 basic/transports/stdio, "Shutdown".
	stdin.Close()
	gone := c.await(c.exited, grace.EOF)
	if !gone && canTerm {
		// Next in the same lists: SIGTERM to a server that is still there.
		c.request(syscall.SIGTERM)
		gone = c.await(c.exited, grace.Term)
	}
	if !gone {
		// Last in the same lists: SIGKILL, which cannot be ignored.
		c.request(syscall.SIGKILL)
	}
	return c.finish(grace)
}

// request sends a signal as a step of the shutdown. If that fails, the process has just
// ended, or the next step or finish reports it.
func (c *Child) request(sig syscall.Signal) { _ = c.Signal(sig) }

// finish waits for the end, after all steps.
func (c *Child) finish(grace Grace) error {
	// The limit is for SIGKILL to the server, and for all steps for the processes that
	// it left behind.
	select {
	case <-c.done:
		return c.err
	case <-time.After(2*positive(grace.Kill) + positive(c.grace.Orphans) + positive(c.grace.Term) + positive(c.grace.Kill)):
		return ErrStillAlive
	}
}

// await reports whether done was closed within the grace.
func (c *Child) await(done <-chan struct{}, grace time.Duration) bool {
	select {
	case <-done:
	case <-time.After(positive(grace)):
	case <-c.noGrace.Done():
	}
	return closed(done)
}

// left records the processes that are still running after the server's exit.
func (c *Child) left(pids []int) {
	slices.Sort(pids)
	c.tap.Proc(c.conn, session.Proc{Event: "orphans", PIDs: pids})
}

// endLeftovers ends the members, processes of the server that outlive it. Those that
// end by themselves soon after it are not recorded. Once cut is closed no more grace is
// given.
func (c *Child) endLeftovers(members func() []int, cut <-chan struct{}) {
	pids := survivors(members, c.grace.Orphans, cut)
	if len(pids) == 0 {
		return
	}
	c.left(pids)
	for _, step := range []struct {
		sig   syscall.Signal
		grace time.Duration
		cut   <-chan struct{}
	}{{syscall.SIGTERM, c.grace.Term, cut}, {syscall.SIGKILL, c.grace.Kill, nil}} {
		c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: signalName(step.sig), By: "us"})
		for _, pid := range members() {
			signalPID(pid, step.sig)
		}
		if len(survivors(members, step.grace, step.cut)) == 0 {
			return
		}
	}
	c.err = errors.Join(c.err, ErrStillAlive)
}

// survivors waits until no member is left, at most for the grace and until cut is
// closed, and returns the rest.
func survivors(members func() []int, grace time.Duration, cut <-chan struct{}) []int {
	deadline := time.Now().Add(positive(grace))
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		pids := members()
		left := time.Until(deadline)
		if len(pids) == 0 || left <= 0 {
			return pids
		}
		select {
		case <-time.After(min(pause, left)):
		case <-cut:
			return members()
		}
	}
}

// members returns the living processes of the server's own session.
func (c *Child) members() []int { return processesOfSession(c.PID()) }

// Commands returns the command lines of the server's processes, its own among them;
// nil where the system does not tell, and once there are none.
func (c *Child) Commands() []string {
	var all []string
	for _, pid := range c.members() {
		if words := commandLine(pid); words != "" {
			all = append(all, words)
		}
	}
	return all
}

func positive(d time.Duration) time.Duration { return max(d, 0) }
