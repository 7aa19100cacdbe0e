package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// A ShellBuild runs a build command in a shell. It has no terminal and no input.
type ShellBuild struct {
	Command string
	dir     string        // dir is where it runs; empty = our own folder.
	grace   time.Duration // grace is what it gets between SIGTERM and SIGKILL; 0 means buildGrace.
}

// buildGrace is how long a build that is given up may take to end.
const buildGrace = 2 * time.Second

// Build implements Builder. A build that is given up gets SIGTERM, and what is left
// of its process group SIGKILL.
func (b *ShellBuild) Build(ctx context.Context) Built {
	out := &keptOutput{}
	cmd := exec.CommandContext(ctx, buildShell[0], append(buildShell[1:], b.Command)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, out, out
	grace := cmp.Or(b.grace, buildGrace)
	// What it leaves running may hold its output, and is not waited for.
	cmd.WaitDelay = grace
	ofItsOwn(cmd)
	began := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		killGroup(cmd)
	}
	built := Built{Command: b.Command, Took: time.Since(began)}
	built.Output, built.At, built.Cut = out.text()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		built.Code, built.Signal = exit.ExitCode(), signalOf(exit.ProcessState)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		built.Err = err
	}
	return built
}

// CheckShell returns why builds cannot be run on this machine; nil if they can.
func CheckShell() error {
	if _, err := exec.LookPath(buildShell[0]); err != nil {
		return fmt.Errorf("no %s in PATH to run builds with", buildShell[0])
	}
	return nil
}

// How much of a build's output is kept, in bytes: its beginning and its end.
const (
	keptHead = 64 << 10
	keptTail = 192 << 10
)

// keptOutput keeps the beginning and the end of what is written. The zero value is
// empty. It may be written from several goroutines.
type keptOutput struct {
	mu   sync.Mutex
	head []byte
	tail []byte // tail is what came after head: twice keptTail at most.
	cut  int64  // cut counts what was left out between them.
}

func (k *keptOutput) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p)
	room := min(keptHead-len(k.head), len(p))
	k.head = append(k.head, p[:room]...)
	p = p[room:]
	if over := len(p) - keptTail; over > 0 {
		k.cut += int64(over + len(k.tail))
		k.tail, p = k.tail[:0], p[over:]
	}
	if k.tail = append(k.tail, p...); len(k.tail) >= 2*keptTail {
		k.trim()
	}
	return n, nil
}

// trim leaves keptTail of the tail.
func (k *keptOutput) trim() {
	if over := len(k.tail) - keptTail; over > 0 {
		k.cut += int64(over)
		k.tail = append(k.tail[:0], k.tail[over:]...)
	}
}

// text returns what is kept, and where how much is missing.
func (k *keptOutput) text() (text []byte, at int, cut int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trim()
	return append(k.head[:len(k.head):len(k.head)], k.tail...), len(k.head), k.cut
}
