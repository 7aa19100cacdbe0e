package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"wiretea/session"
)

// A Tee takes the place of a server: it starts the server, and carries the three
// streams between it and the descriptors 0, 1 and 2 that the client gave to this
// process. There is one in a process, which does nothing else.
//
//	client ─ 0 ─► Relay c2s ─► stdin  ┐
//	client ◄ 1 ── Relay s2c ◄─ stdout ├ server, in our group and session
//	client ◄ 2 ── Relay err ◄─ stderr ┘
//
// Once the server runs, the numbers 0, 1 and 2 refer to the null device: no other part
// of the process can write into the streams, not even a crash.
//
// A tee ends nothing that its client did not end. Only once the server has exited
// does it end what the server left in our process group: after Grace.Orphans, by
// SIGTERM, and after Grace.Term by SIGKILL. A client that closed the server's
// input, or sent a signal, is on its way out and waits: then each of these takes
// Hurry at most. Processes that moved to a group of their own are let be.
//
// A tee that is killed while its client is on the way out has a guard, where the
// system and Tee.Guard allow one: see there.
type Tee struct {
	Command  Command // Command is the server. Its FDs, Group and Deep are set by Start.
	Tap      *Tap
	Grace    Grace         // Grace is used after the server's exit.
	MaxGrace time.Duration // MaxGrace replaces longer times of Grace for a client that waits; 0 means DefaultHurry.
	Stall    time.Duration // Stall is Relay.Stall.
	Gate     *Gate         // Gate acts on the streams; nil = nothing does.

	// Guard are the arguments with which this program calls the function Guard with those
	// that follow. Empty = no guard: a server that reacts to nothing but SIGKILL outlives
	// a tee that is killed.
	Guard []string

	child         *Child
	reaper        io.Closer
	c2s, s2c, err *Relay

	over      chan struct{} // over is closed when both streams from the server have ended.
	done      chan struct{}
	once      sync.Once
	abandoned chan struct{} // abandoned is closed when the client sent a signal after the exit of the server.

	askedToEnd chan struct{} // askedToEnd is closed when a signal came that asks a program to end.
	asking     sync.Once
	guard      atomic.Pointer[guard] // guard is nil while there is none.
	watched    chan struct{}         // watched is closed when no guard is started any more.

	signals chan os.Signal
}

// DefaultMaxGrace is how long each step of the end may take while a client waits.
const DefaultMaxGrace = 20 * time.Millisecond

// Start starts the server and takes over the descriptors 0, 1 and 2. It may be
// called once. From then on the signals that ask a program to end, and SIGHUP, SIGUSR1
// and SIGUSR2, are forwarded to the server. After an error the descriptors are
// unchanged; errors about the command are StartErrors.
func (t *Tee) Start() error {
	t.Grace = t.Grace.orDefault()
	if t.MaxGrace == 0 {
		t.MaxGrace = DefaultMaxGrace
	}
	client, err := inherit()
	if err != nil {
		return err
	}
	t.signals = make(chan os.Signal, 16)
	catch(t.signals)
	t.Command.FDs, t.Command.Group, t.Command.Deep = client.kinds, Inherit, true
	adopt()
	t.child, err = t.Command.Start(t.Tap, 1, t.Grace)
	if err == nil {
		err = client.takeOver()
	}
	if err != nil {
		if t.child != nil {
			// It has said nothing yet, and its ends are closed with ours.
			_ = t.child.Signal(syscall.SIGKILL)
			closeAll(t.child.Stdin, t.child.Stdout, t.child.Stderr)
		}
		closeAll(client.in, client.out, client.err)
		signal.Stop(t.signals)
		return err
	}
	t.reaper = reap(t.child.PID())
	t.over, t.done, t.abandoned = make(chan struct{}), make(chan struct{}), make(chan struct{})
	t.askedToEnd, t.watched = make(chan struct{}), make(chan struct{})
	t.c2s = t.relay(session.C2S, client.in, t.child.Stdin)
	t.s2c = t.relay(session.S2C, t.child.Stdout, client.out)
	t.err = t.relay(session.Stderr, t.child.Stderr, client.err)
	go func() {
		defer close(t.over)
		<-t.s2c.Done()
		<-t.err.Done()
	}()
	go func() {
		// It ends with the process, like the signals.
		for sig := range t.signals {
			t.forwardSignal(sig)
		}
	}()
	go t.watch()
	go t.run()
	return nil
}

func (t *Tee) relay(stream session.Stream, src io.ReadCloser, dst io.WriteCloser) *Relay {
	watchPeer(src, dst)
	r := &Relay{Tap: t.Tap, Conn: 1, Stream: stream, Src: src, Dst: dst, Stall: t.Stall, Gate: t.Gate, OwnThread: true}
	r.Start()
	return r
}

// PID is the server's.
func (t *Tee) PID() int { return t.child.PID() }

// forwardSignal forwards a signal to the server, unless it came from the terminal, which
// has sent it to the server too. After the server's exit a signal means that the client
// does not wait for the rest.
func (t *Tee) forwardSignal(sig os.Signal) {
	if slices.Contains(ending, sig) {
		t.asking.Do(func() { close(t.askedToEnd) })
	}
	if t.child.forward(sig, fromTerminal(sig)) != nil {
		t.once.Do(func() { close(t.abandoned) })
	}
}

// Ended reports whether the client has ended the server's input.
func (t *Tee) Ended() bool { return closed(t.c2s.Done()) }

// Wait returns how the server exited, once all its output has been forwarded and no
// process of it is left. It ends the tee: output is lost where a process that is not
// ours holds the stream, or the client does not wait for it.
func (t *Tee) Wait() Exit {
	<-t.done
	return t.child.Exit()
}

// run waits for the end.
func (t *Tee) run() {
	defer close(t.done)
	<-t.child.Exited()
	<-t.watched
	t.guard.Load().stop()
	t.end()
	t.reaper.Close()
	// The relays may be in the middle of a write to a client that does not read:
	// they end with the process.
	t.c2s.Dst.Close()
	t.c2s.Release()
	t.flush()
	t.s2c.Release()
	t.err.Release()
}

// flush forwards what the gate holds, within the same time as the rest.
func (t *Tee) flush() {
	if t.Gate == nil {
		return
	}
	flushed := make(chan struct{})
	go func() {
		// It ends with the process, like the relays.
		defer close(flushed)
		defer func() { _ = recover() }() // What was held is lost, and run continues.
		t.Gate.Flush()
	}()
	select {
	case <-flushed:
	case <-time.After(t.limit(t.Grace.Drain)):
	case <-t.abandoned:
	}
}

// End ends the server at the request of a viewer: SIGTERM, and SIGKILL after
// Grace.Term. It returns when the server has exited, ErrStillAlive when that does not
// happen within Grace.Kill, and the error of ctx when that is done: the server is ended
// all the same.
func (t *Tee) End(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- t.terminate() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// terminate ends the server.
func (t *Tee) terminate() error {
	for _, step := range []struct {
		sig   syscall.Signal
		grace time.Duration
	}{{syscall.SIGTERM, t.Grace.Term}, {syscall.SIGKILL, t.Grace.Kill}} {
		if err := t.child.Signal(step.sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("sending %v: %w", step.sig, err)
		}
		if t.child.await(t.child.exited, step.grace) {
			return nil
		}
	}
	return ErrStillAlive
}

// end waits until the streams have ended and no process of the server is left, and ends
// those that stay.
func (t *Tee) end() {
	var l cleanup
	quiet, since := int64(-1), time.Now()
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		pids, over := leftovers(), (<-chan struct{})(t.over)
		if closed(over) {
			if len(pids) == 0 {
				return
			}
			over = nil
		}
		if now := t.activity(); now != quiet {
			quiet, since = now, time.Now()
		}
		if len(pids) > 0 && !t.endLeftovers(&l, pids) || len(pids) == 0 && time.Since(since) >= t.limit(t.Grace.Drain) {
			return
		}
		if !t.pause(pause, over) {
			return
		}
	}
}

// A cleanup is the state of ending the processes that the server left.
type cleanup struct {
	begun time.Time // begun is when the latest step was taken.
	steps int
}

// endLeftovers takes the next step against what the server left, when it is due. It
// returns false when there is none.
func (t *Tee) endLeftovers(l *cleanup, pids []int) bool {
	if l.begun.IsZero() {
		l.begun = time.Now()
	}
	grace := []time.Duration{t.limit(t.Grace.Orphans), t.limit(t.Grace.Term), t.Grace.Kill}[l.steps]
	if time.Since(l.begun) < grace {
		return true
	}
	if l.steps == 2 {
		return false
	}
	if l.steps == 0 {
		slices.Sort(pids)
		t.Tap.Proc(1, session.Proc{Event: "orphans", PIDs: pids})
	}
	sig := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[l.steps]
	t.Tap.Proc(1, session.Proc{Event: "signal", Signal: signalName(sig), By: "us"})
	for _, pid := range pids {
		signalPID(pid, sig)
	}
	l.begun = time.Now()
	l.steps++
	return true
}

// limit is how long a step may take.
func (t *Tee) limit(grace time.Duration) time.Duration {
	if t.Ended() || t.child.signalled() {
		return min(grace, t.MaxGrace)
	}
	return grace
}

// activity changes whenever something still comes from the server, and while
// something waits for the client to read it.
func (t *Tee) activity() int64 {
	sum := int64(0)
	for _, r := range []*Relay{t.s2c, t.err} {
		latest, writing := r.Activity()
		if writing || pending(r.Src) {
			return t.Tap.Now()
		}
		sum += latest
	}
	return sum
}

// pause waits for the time, or for the end of the streams; it returns false once
// the client wants no more.
func (t *Tee) pause(d time.Duration, over <-chan struct{}) bool {
	select {
	case <-over:
	case <-time.After(d):
	case <-t.abandoned:
		return false
	}
	return true
}

// closed reports whether a channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// forward sends a signal to the server, and records it. If it came from the terminal,
// that has sent it to our whole group: then it is not sent again to a server in it.
// After the exit it returns os.ErrProcessDone.
func (c *Child) forward(sig os.Signal, terminal bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return os.ErrProcessDone
	}
	by := "client"
	if terminal {
		by = "other"
	}
	c.forwarded = true
	c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: signalName(sig), By: by})
	if terminal && c.inOurGroup() {
		return nil
	}
	if err := c.proc.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// signalled reports whether a signal was forwarded.
func (c *Child) signalled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forwarded
}
