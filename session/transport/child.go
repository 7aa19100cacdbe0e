package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"wiretea/session"
)

// A Child is a server process that was started, with our ends of its streams.
type Child struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	Stderr io.ReadCloser

	tap   *Tap
	conn  int
	proc  *os.Process
	group Group
	grace Grace
	began time.Time // began is when its start was recorded.

	noGrace  context.Context // noGrace is done when no more grace is given.
	cutGrace context.CancelFunc
	exited   chan struct{}
	done     chan struct{}
	exit     Exit  // exit is set before exited is closed.
	err      error // err is set before done is closed.

	mu        sync.Mutex
	gone      bool // gone: the process was waited for; its pid may belong to another one.
	forwarded bool // forwarded: its client sent it a signal.

	ended   func()      // ended is called when a fault kills it; nil does nothing.
	stopped *time.Timer // stopped resumes it; nil = no fault has stopped it.
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // Code is the exit code; -1 where a signal ended it.
	Signal string // Signal is its name: "SIGKILL"; empty where there was none.
}

// Start starts the command as connection conn, and records its start, or why it
// failed, and later its exit. The grace's Orphans, Term and Kill are for the processes
// that it leaves behind. Errors about the command are StartErrors. The caller closes the
// three streams.
func (c Command) Start(tap *Tap, conn int, grace Grace) (*Child, error) {
	begun := make(chan *Child)
	var err error
	go func() {
		if c.Group == Inherit {
			// The system kills the child when this thread ends: see dieWithUs.
			runtime.LockOSThread()
		}
		var child *Child
		if child, err = c.start(); err != nil {
			tap.Proc(conn, session.Proc{Event: "failed", Err: err.Error()})
			close(begun)
			return
		}
		child.attend(tap, conn, c, grace)
		begun <- child
		child.wait()
	}()
	child := <-begun
	return child, err
}

// attend completes a child that was started, and records that.
func (c *Child) attend(tap *Tap, conn int, cmd Command, grace Grace) {
	c.tap, c.conn, c.group, c.grace = tap, conn, cmd.Group, grace.orDefault()
	c.noGrace, c.cutGrace = context.WithCancel(context.Background())
	c.exited, c.done = make(chan struct{}), make(chan struct{})
	kinds := make([]string, len(cmd.FDs))
	for i, k := range cmd.FDs {
		kinds[i] = k.String()
	}
	tap.Proc(conn, session.Proc{Event: "start", PID: c.proc.Pid, FDs: kinds, Why: cmd.Why})
	c.began = time.Now()
}

func (c *Command) start() (*Child, error) {
	path, err := c.resolve()
	if err != nil {
		return nil, err
	}
	child := &Child{}
	var theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			if f != nil {
				f.Close()
			}
		}
	}()
	var failed [3]error
	child.Stdin, theirs[0], failed[0] = newPipe(c.FDs[0], true, false)
	child.Stdout, theirs[1], failed[1] = newPipe(c.FDs[1], false, false)
	child.Stderr, theirs[2], failed[2] = newPipe(c.FDs[2], false, false)
	if err = cmp.Or(failed[:]...); err == nil {
		if c.Deep {
			growPipe(child.Stdin, pipeSize)
			growPipe(child.Stdout, pipeSize)
		}
		child.proc, err = os.StartProcess(path, c.Argv, &os.ProcAttr{
			Dir: c.Dir, Env: c.environ(), Files: theirs[:], Sys: sysProcAttr(c.Group),
		})
		if err == nil {
			return child, nil
		}
	}
	for i, end := range []io.Closer{child.Stdin, child.Stdout, child.Stderr} {
		if failed[i] == nil {
			end.Close()
		}
	}
	return nil, c.notStarted(err)
}

// PID returns the process id.
func (c *Child) PID() int { return c.proc.Pid }

// Age returns how long ago the start of the process was recorded.
func (c *Child) Age() time.Duration { return time.Since(c.began) }

// Exited is closed when the process has ended and its exit was recorded.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Exit returns, after Exited, how the process ended.
func (c *Child) Exit() Exit { return c.exit }

// Done is closed when the process and those that it left behind have ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err returns, after Done, the error of waiting for it or of ending it.
func (c *Child) Err() error { return c.err }

// wait records the exit when it happens, then ends the processes left behind.
func (c *Child) wait() {
	defer close(c.done)
	defer c.cutGrace()
	defer func() {
		if p := recover(); p != nil {
			c.err = errors.Join(c.err, panicked("child", p))
		}
	}()
	state, err := c.proc.Wait()
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	c.err = err
	if c.exit = (Exit{Code: -1}); state != nil {
		c.exit = exitOf(state)
	}
	c.tap.Proc(c.conn, session.Proc{Event: "exit", Code: c.exit.Code, Signal: c.exit.Signal})
	close(c.exited)
	if c.group == OwnSession {
		c.endLeftovers(c.members, c.noGrace.Done())
	}
}

// Signal sends a signal to the server's group, or to the server alone if that is in
// ours, and records it as ours. On Windows SIGKILL is TerminateProcess, and so is
// SIGTERM. After the exit it returns
// os.ErrProcessDone.
func (c *Child) Signal(sig syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return os.ErrProcessDone
	}
	c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: signalName(sig), By: "us"})
	c.resumeLocked()
	return c.signal(sig)
}

// byFault is Proc.By of a signal that a fault sends.
const byFault = "fault"

// Kill implements Process: what the server left is ended too.
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return
	}
	if c.ended != nil {
		c.ended()
	}
	c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: "SIGKILL", By: byFault})
	_ = c.signal(syscall.SIGKILL) // It may have ended in the same moment.
}

// Suspend implements Process. Windows cannot do that.
func (c *Child) Suspend(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone || !canStop {
		return
	}
	c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: "SIGSTOP", By: byFault})
	c.pause(true)
	if c.stopped != nil {
		c.stopped.Stop()
	}
	c.stopped = time.AfterFunc(d, c.Resume)
}

// Resume implements Process.
func (c *Child) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resumeLocked()
}

// resumeLocked is Resume; mu is held.
func (c *Child) resumeLocked() {
	if c.stopped == nil {
		return
	}
	c.stopped.Stop()
	c.stopped = nil
	if !c.gone {
		c.tap.Proc(c.conn, session.Proc{Event: "signal", Signal: "SIGCONT", By: byFault})
		c.pause(false)
	}
}
