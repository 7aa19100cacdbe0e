package transport

import (
	"cmp"
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
// A tee ends nothing that its client did not end. The command may be a wrapper that
// dies of a signal and leaves the server: npx, npm exec, a shell. As without a tee,
// that server goes on as long as it is written to and read from, and the end of its
// input is left to it. Only the wait for it is short once the client has closed the
// input or sent a signal, because the client waits for us: Grace.Drain of silence, and
// Grace.Term at most. What is still running then is recorded, and left.
//
// A tee that is killed takes its server with it, as the signal would have: on Linux
// the system sees to that, elsewhere a guard, where the system and Tee.Guard allow one.
type Tee struct {
	Command  Command // Command is the server. Its FDs, Group and Deep are set by Start.
	Tap      *Tap
	Grace    Grace         // Grace is used after the server's exit.
	MaxGrace time.Duration // MaxGrace replaces a longer Grace.Orphans for a client that waits; 0 means DefaultMaxGrace.
	Stall    time.Duration // Stall is Relay.Stall.
	Gate     *Gate         // Gate acts on the streams; nil = nothing does.
	Tells    bool          // Tells keeps the client's stderr open for Tell, also after its stream has ended, until Told.

	// Guard are the arguments with which this program calls the function Guard with those
	// that follow. Empty = no guard: a server that reacts to nothing but SIGKILL outlives
	// a tee that is killed.
	Guard []string

	child         *Child
	reaper        io.Closer
	notice        *os.File // notice is the client's stderr, see Tells; nil = it is not kept open.
	c2s, s2c, err *Relay

	over      chan struct{} // over is closed when both streams from the server have ended.
	done      chan struct{}
	once      sync.Once
	abandoned chan struct{} // abandoned is closed when the client sent another signal after the exit of the server.
	stopped   atomic.Bool   // stopped: a viewer ended the server.

	askedToEnd chan struct{} // askedToEnd is closed when a signal came that asks a program to end.
	asking     sync.Once
	guard      atomic.Pointer[guard] // guard is nil while there is none.
	watched    chan struct{}         // watched is closed when no guard is started any more.

	signals  chan os.Signal
	catching func(chan<- os.Signal) // catching replaces catch in a test; nil = nothing does.
}

// DefaultMaxGrace is how long a client that waits is kept waiting for processes that hold
// none of its streams.
const DefaultMaxGrace = 20 * time.Millisecond

// Start starts the server and takes over the descriptors 0, 1 and 2, or records why it
// cannot. It may be called once. From then on the signals that ask a program to end, and SIGHUP, SIGUSR1
// and SIGUSR2, are forwarded to the server. After an error the descriptors are
// unchanged; errors about the command are StartErrors.
func (t *Tee) Start() error {
	t.Grace = t.Grace.orDefault()
	t.MaxGrace = cmp.Or(t.MaxGrace, DefaultMaxGrace)
	client, err := inherit()
	if err != nil {
		t.Tap.Proc(1, session.Proc{Event: "failed", Err: err.Error()})
		return err
	}
	if t.Tells {
		t.notice = clientLog()
	}
	t.signals = make(chan os.Signal, 16)
	caught := t.catch()
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
		<-caught
		signal.Stop(t.signals)
		return err
	}
	growPipe(client.in, pipeSize)
	growPipe(client.out, pipeSize)
	t.reaper = reap(t.child.PID())
	if t.Gate != nil {
		t.Gate.Serves(t.child)
		t.child.ended = func() { t.stopped.Store(true) }
	}
	t.over, t.done, t.abandoned = make(chan struct{}), make(chan struct{}), make(chan struct{})
	t.askedToEnd, t.watched = make(chan struct{}), make(chan struct{})
	t.c2s = t.relay(session.C2S, client.in, t.child.Stdin)
	<-caught // Who sees that the server runs may send it signals.
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

// catch begins to receive the signals that are forwarded, while the server starts: each
// takes two switches between threads. The channel is closed when all are received.
func (t *Tee) catch() <-chan struct{} {
	keepIgnored()
	receive, caught := catch, make(chan struct{})
	if t.catching != nil {
		receive = t.catching
	}
	go func() {
		defer close(caught)
		receive(t.signals)
	}()
	return caught
}

func (t *Tee) relay(stream session.Stream, src io.ReadCloser, dst io.WriteCloser) *Relay {
	watchPeer(src, dst)
	r := &Relay{Tap: t.Tap, Conn: 1, Stream: stream, Src: src, Dst: dst, Stall: t.Stall, Gate: t.Gate, OwnThread: true}
	r.Start()
	return r
}

// Tell writes to the client's stderr, between what the server writes. It waits until the
// client reads. Where that stream has ended, nothing is written.
func (t *Tee) Tell(text string) {
	switch {
	case t.notice != nil:
		_, _ = io.WriteString(t.notice, text) // There is no other place to report to.
	case t.err != nil:
		_, _ = io.WriteString(t.err.Dst, text)
	}
}

// Say writes to the client's stderr, after Start, between what the server writes. It waits
// until the client reads. Where that stream has ended, nothing is written.
func (t *Tee) Say(text string) { _, _ = io.WriteString(t.err.Dst, text) } // There is no other place to report to.

// Told closes what Tells keeps open. No Tell may be in progress.
func (t *Tee) Told() {
	if t.notice != nil {
		t.notice.Close()
		t.notice = nil
	}
}

// forwardSignal forwards a signal to the server, unless it came from the terminal, which
// has sent it to the server too. A further signal, after the server's exit, means that
// the client does not wait for the rest.
func (t *Tee) forwardSignal(sig os.Signal) {
	if slices.Contains(ending, sig) {
		t.asking.Do(func() {
			close(t.askedToEnd)
			if t.Gate != nil {
				t.Gate.Settle()
			}
		})
	}
	again := t.child.signalled()
	if t.child.forward(sig, fromTerminal(sig)) != nil && again {
		t.once.Do(func() { close(t.abandoned) })
	}
}

// Ended reports whether the client has ended the server's input.
func (t *Tee) Ended() bool { return t.c2s.EOF() }

// Wait returns how the server exited, once all its output has been forwarded. It ends
// the tee: output is lost where processes that the server left hold the stream for too
// long, or the client does not wait for it.
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
	limit := t.Grace.Drain
	if t.leaving() {
		limit = min(limit, t.MaxGrace)
	}
	select {
	case <-flushed:
	case <-time.After(limit):
	case <-t.abandoned:
	}
}

// End ends the server at the request of a viewer: SIGTERM, and SIGKILL after
// Grace.Term; then what it left in our process group. It returns when the server has exited, ErrStillAlive when that does not
// happen within Grace.Kill, and the error of ctx when that is done: the server is ended
// anyway.
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
	t.stopped.Store(true)
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

// end waits for what the server left, as long as a client is served by waiting.
func (t *Tee) end() {
	var w waiting
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		pids, over := leftovers(), (<-chan struct{})(t.over)
		if closed(over) {
			if len(pids) == 0 {
				return
			}
			over = nil
		}
		if t.stopped.Load() && len(pids) > 0 {
			t.c2s.Dst.Close()
			t.child.endLeftovers(leftovers, t.abandoned)
			t.stopped.Store(false)
		} else if t.overdue(&w, over == nil) {
			if len(pids) > 0 {
				t.child.left(pids)
			}
			return
		}
		if !t.pause(pause, over) {
			return
		}
	}
}

// A waiting is the state of waiting for what a server left.
type waiting struct {
	begun, quiet time.Time // quiet is since when nothing has passed.
	over         time.Time // over is when the streams were seen to have ended.
	latest       int64     // latest is the activity that was seen last.
}

// overdue reports whether to wait no longer for the processes that the server left.
func (t *Tee) overdue(w *waiting, streamsOver bool) bool {
	now, leaving := time.Now(), t.leaving()
	if w.begun.IsZero() {
		w.begun, w.quiet = now, now
	}
	if streamsOver {
		// Without a tee, a client would know by now.
		if w.over.IsZero() {
			w.over = now
		}
		limit := t.Grace.Orphans
		if leaving {
			limit = min(limit, t.MaxGrace)
		}
		return now.Sub(w.over) >= limit
	}
	latest, writing := t.activity()
	if latest != w.latest {
		w.latest, w.quiet = latest, now
	}
	if !leaving && !closed(t.c2s.Done()) || writing && !t.child.signalled() {
		// Somebody reads what the client sends, or the client is still to read the last
		// of the output: there is no hurry.
		w.begun, w.quiet = now, now
		return false
	}
	return now.Sub(w.quiet) >= t.Grace.Drain || now.Sub(w.begun) >= t.Grace.Term
}

// leaving reports whether the client has closed the server's input, or sent a signal.
func (t *Tee) leaving() bool { return t.Ended() || t.child.signalled() }

// activity changes whenever something comes from the server. Writing reports that
// something waits for the client to read it.
func (t *Tee) activity() (latest int64, writing bool) {
	for _, r := range []*Relay{t.s2c, t.err} {
		at, busy := r.Activity()
		latest += at
		writing = writing || busy || pending(r.Src)
	}
	return latest, writing
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
	c.forwarded = true
	c.resumeLocked()
	if c.gone {
		return os.ErrProcessDone
	}
	by := "client"
	if terminal {
		by = "other"
	}
	c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: signalName(sig), By: by})
	if terminal && c.inOurGroup() {
		return nil
	}
	if err := c.proc.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// signalled reports whether a signal came for it, also after its exit.
func (c *Child) signalled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forwarded
}
