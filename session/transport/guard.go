package transport

import (
	"errors"
	"os"
	"slices"
	"time"
)

const (
	// guardAfter is how long a server may take to end, once its client is on the way
	// out, until it gets a guard. Clients kill after 2 s or more.
	guardAfter = 300 * time.Millisecond

	// guardEnd is for how long the end of a guard is waited for. It is killed: that
	// takes as long as the system takes.
	guardEnd = time.Second
)

// errNoGuard is returned where a guard cannot be had.
var errNoGuard = errors.New("no guard on this system")

// A guard is a process that ends the server when the tee is killed. A client whose
// server heeds neither the end of its input nor SIGTERM kills what it started: that
// is the tee, and SIGKILL cannot be passed on.
//
//	client ── SIGKILL ──► tee ── pipe ──► guard ── SIGKILL ──► server
//
// Only the tee holds the writing end of the pipe, and it ends the guard before
// itself: where the pipe ends, the tee was killed. There is a guard only when it may
// be needed, the client being on its way out and the server still there. It holds
// nothing of the client's, and no signal but SIGKILL ends it. It is in the tee's
// group: who kills that needs no guard.
type guard struct {
	proc *os.Process
	life *os.File      // life is the tee's end of the pipe.
	gone chan struct{} // gone is closed when the process was waited for.
}

// watch starts the guard when it may be needed. It returns then, or when the server
// has exited.
func (t *Tee) watch() {
	defer close(t.watched)
	defer func() { _ = recover() }() // The server is on its own then, as without a guard.
	select {
	case <-t.c2s.Done():
	case <-t.asked:
	case <-t.child.Exited():
		return
	}
	select {
	case <-time.After(guardAfter):
	case <-t.child.Exited():
		return
	}
	g := &guard{gone: make(chan struct{})}
	var err error
	if g.proc, g.life, err = startGuard(t.Guard, t.child); err != nil {
		return // Nobody can be told. The server is on its own.
	}
	go func() {
		// It ends with the guard.
		defer close(g.gone)
		_, _ = g.proc.Wait()
	}()
	t.guard.Store(g)
}

// startGuard starts this program, under the given arguments, as the guard of a
// server. It returns our end of the pipe too.
func startGuard(args []string, server *Child) (proc *os.Process, life *os.File, err error) {
	if len(args) == 0 {
		return nil, nil, errNoGuard
	}
	path, err := ourProgram()
	if err != nil {
		return nil, nil, err
	}
	id, err := identify(server.PID())
	if err != nil {
		return nil, nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	theirs, life, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirs.Close()
	shutDescriptors()
	proc, err = os.StartProcess(path, append(slices.Clone(args), id), &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: []*os.File{theirs, null, null},
	})
	if err != nil {
		life.Close()
		return nil, nil, err
	}
	return proc, life, nil
}

// dismiss ends the guard, once the server has exited. Nothing of it is left in the
// group, whose end the client may be waiting for.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_ = g.proc.Kill()
	select {
	case <-g.gone:
	case <-time.After(guardEnd):
	}
	g.life.Close()
}
