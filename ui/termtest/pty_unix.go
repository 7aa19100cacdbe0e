//go:build unix

package termtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// A Pty is a program that runs in a pseudo-terminal, and what the user in
// front of it would see.
type Pty struct {
	Cmd     *exec.Cmd
	Tty     *os.File
	Started time.Time

	mu     sync.Mutex
	moved  *sync.Cond // moved is signalled when something below has changed.
	term   *Terminal
	at     time.Time // at is when the latest output was read.
	writes int       // writes counts what was read.
	over   bool      // over: the program has closed the terminal.

	reader sync.WaitGroup
}

// startOnPty starts a program in a terminal of w columns and h rows. env is all
// of its environment but TERM and COLORTERM, which an entry in env may replace.
func StartPty(w, h int, opt Options, env []string, argv ...string) (*Pty, error) {
	p := &Pty{term: New(w, h, opt), Cmd: exec.Command(argv[0], argv[1:]...)}
	p.moved = sync.NewCond(&p.mu)
	p.Cmd.Env = append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "PATH=" + os.Getenv("PATH")}, env...)
	p.Started = time.Now()
	tty, err := pty.StartWithSize(p.Cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
	if err != nil {
		return nil, fmt.Errorf("starting %s in a pseudo-terminal: %w", argv[0], err)
	}
	p.Tty = tty
	p.reader.Go(p.read)
	return p, nil
}

// read plays the terminal until the program has closed it.
func (p *Pty) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := p.Tty.Read(buf)
		now := time.Now()
		p.mu.Lock()
		if n > 0 {
			p.term.Write(buf[:n])
			p.at = now
			p.writes++
		}
		p.over = err != nil
		replies := p.term.Replies()
		p.moved.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
		// Nobody is there to take the answers of a program that has just ended.
		_, _ = p.Tty.Write(replies)
	}
}

var (
	ErrPtyLate = errors.New("waited in vain")
	errPtyOver = errors.New("the program has ended")
)

// until waits until the terminal satisfies a condition, and returns when the
// output that did it was read. Amid an update, when other rows may still be those
// of before, it does not look.
func (p *Pty) Until(patience time.Duration, is func(*Terminal) bool) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := false
	timer := time.AfterFunc(patience, func() {
		p.mu.Lock()
		late = true
		p.moved.Broadcast()
		p.mu.Unlock()
	})
	defer timer.Stop()
	for p.term.Holding() || !is(p.term) {
		switch {
		case p.over:
			return time.Time{}, errPtyOver
		case late:
			return time.Time{}, fmt.Errorf("%w; the screen is:\n%s", ErrPtyLate, p.term)
		}
		p.moved.Wait()
	}
	return p.at, nil
}

// untilText waits until a text is shown.
func (p *Pty) UntilText(patience time.Duration, text string) (time.Time, error) {
	at, err := p.Until(patience, func(t *Terminal) bool { return strings.Contains(t.String(), text) })
	if err != nil {
		err = fmt.Errorf("waiting for %q: %w", text, err)
	}
	return at, err
}

// look calls f with the terminal, which does not change meanwhile.
func (p *Pty) Look(f func(*Terminal)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.term)
}

// count returns how many pieces of output were read.
func (p *Pty) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// keys presses keys, named as Bubble Tea names them.
func (p *Pty) Keys(names ...string) error {
	for _, name := range names {
		b, err := Key(name)
		if err != nil {
			return err
		}
		if _, err := p.Tty.Write(b); err != nil {
			return fmt.Errorf("pressing %s: %w", name, err)
		}
	}
	return nil
}

// typed types text in one go.
func (p *Pty) Typed(text string) error {
	_, err := p.Tty.Write([]byte(text))
	return err
}

// wait waits until the program has ended, and kills it if it does not.
func (p *Pty) Wait(patience time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- p.Cmd.Wait() }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = p.Cmd.Process.Signal(syscall.SIGABRT)
		_ = p.Cmd.Process.Kill()
		err = errors.Join(ErrPtyLate, <-ended)
	}
	// What the program started may hold the terminal open, but we need no more than
	// the program wrote, which is there to be read.
	deadline := time.AfterFunc(5*time.Second, func() { p.Tty.Close() })
	p.reader.Wait()
	deadline.Stop()
	p.Tty.Close()
	return err
}

// quit ends the program by its keys.
func (p *Pty) Quit() error {
	_ = p.Keys("ctrl+c", "y") // it may have ended, or not ask
	return p.Wait(time.Minute)
}

// end asks the program to end by a signal, whatever its keys mean just then, and
// does not mind the code with which it does.
func (p *Pty) End() error {
	_ = p.Cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	err := p.Wait(time.Minute)
	var code *exec.ExitError
	if errors.As(err, &code) && !errors.Is(err, ErrPtyLate) {
		return nil
	}
	return err
}

// cpu is the processor time that the program has used; zero where the system
// does not tell.
func (p *Pty) Cpu() time.Duration { return processCPU(p.Cmd.Process.Pid) }

// memory is what the program holds now and has held at most, in bytes; zero
// where the system does not tell.
func (p *Pty) Memory() (now, most int64) { return ProcessMemory(p.Cmd.Process.Pid) }

func processCPU(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name of the program, in parentheses, may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	const ticks = time.Second / 100 // USER_HZ on all of today's systems
	user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
	system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * ticks
}

func ProcessMemory(pid int) (now, most int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			now = kib << 10
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			most = kib << 10
		}
	}
	return now, most
}
