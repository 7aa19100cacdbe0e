//go:build unix

package cli

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

	"wiretea/ui/terminal"
)

// An onPty is a program that runs in a pseudo-terminal, and what a person in
// front of it would see.
type onPty struct {
	cmd     *exec.Cmd
	tty     *os.File
	started time.Time

	mu     sync.Mutex
	moved  *sync.Cond // moved is signalled when something below has changed.
	term   *terminal.Terminal
	at     time.Time // at is when the latest output was read.
	writes int       // writes counts what was read.
	over   bool      // over: the program has closed the terminal.

	reader sync.WaitGroup
}

// startOnPty starts a program in a terminal of w columns and h rows. env is all
// of its environment but TERM and COLORTERM, which an entry in env may replace.
func startOnPty(w, h int, opt terminal.Options, env []string, argv ...string) (*onPty, error) {
	p := &onPty{term: terminal.New(w, h, opt), cmd: exec.Command(argv[0], argv[1:]...)}
	p.moved = sync.NewCond(&p.mu)
	p.cmd.Env = append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "PATH=" + os.Getenv("PATH")}, env...)
	p.started = time.Now()
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
	if err != nil {
		return nil, fmt.Errorf("starting %s in a pseudo-terminal: %w", argv[0], err)
	}
	p.tty = tty
	p.reader.Go(p.read)
	return p, nil
}

// read plays the terminal until the program has closed it.
func (p *onPty) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := p.tty.Read(buf)
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
		_, _ = p.tty.Write(replies)
	}
}

var (
	errPtyLate = errors.New("waited in vain")
	errPtyOver = errors.New("the program has ended")
)

// until waits until the terminal satisfies a condition, and returns when the
// output that did it was read. Amid an update, when other rows may still be those
// of before, it does not look.
func (p *onPty) until(patience time.Duration, is func(*terminal.Terminal) bool) (time.Time, error) {
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
			return time.Time{}, fmt.Errorf("%w; the screen is:\n%s", errPtyLate, p.term)
		}
		p.moved.Wait()
	}
	return p.at, nil
}

// untilText waits until a text is shown.
func (p *onPty) untilText(patience time.Duration, text string) (time.Time, error) {
	at, err := p.until(patience, func(t *terminal.Terminal) bool { return strings.Contains(t.String(), text) })
	if err != nil {
		err = fmt.Errorf("waiting for %q: %w", text, err)
	}
	return at, err
}

// look calls f with the terminal, which does not change meanwhile.
func (p *onPty) look(f func(*terminal.Terminal)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.term)
}

// count returns how many pieces of output were read.
func (p *onPty) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// keys presses keys, named as Bubble Tea names them.
func (p *onPty) keys(names ...string) error {
	for _, name := range names {
		b, err := terminal.Key(name)
		if err != nil {
			return err
		}
		if _, err := p.tty.Write(b); err != nil {
			return fmt.Errorf("pressing %s: %w", name, err)
		}
	}
	return nil
}

// typed types text in one go.
func (p *onPty) typed(text string) error {
	_, err := p.tty.Write([]byte(text))
	return err
}

// wait waits until the program has ended, and kills it if it does not.
func (p *onPty) wait(patience time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = p.cmd.Process.Signal(syscall.SIGQUIT)
		_ = p.cmd.Process.Kill()
		err = errors.Join(errPtyLate, <-ended)
	}
	// What the program started may hold the terminal open, but we need no more than
	// the program wrote, which is there to be read.
	deadline := time.AfterFunc(5*time.Second, func() { p.tty.Close() })
	p.reader.Wait()
	deadline.Stop()
	p.tty.Close()
	return err
}

// quit ends the program by its keys.
func (p *onPty) quit() error {
	_ = p.keys("ctrl+c", "y") // it may have ended, or not ask
	return p.wait(time.Minute)
}

// end asks the program to end by a signal, whatever its keys mean just then, and
// does not mind the code with which it does.
func (p *onPty) end() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	err := p.wait(time.Minute)
	var code *exec.ExitError
	if errors.As(err, &code) && !errors.Is(err, errPtyLate) {
		return nil
	}
	return err
}

// cpu is the processor time that the program has used; zero where the system
// does not tell.
func (p *onPty) cpu() time.Duration { return processCPU(p.cmd.Process.Pid) }

// memory is what the program holds now and has held at most, in bytes; zero
// where the system does not tell.
func (p *onPty) memory() (now, most int64) { return processMemory(p.cmd.Process.Pid) }

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

func processMemory(pid int) (now, most int64) {
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
