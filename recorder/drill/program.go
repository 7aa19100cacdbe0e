package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/transport"
)

// Program is a client program. It ends by itself, with the exit code 0 where it did its work.
type Program struct {
	// Command returns its command line, and what is added to its environment as NAME=value,
	// for a server at a place.
	Command func(at Place) (argv, env []string)

	Timeout time.Duration // Timeout is how long it may run.
}

// Try implements Client. The program's stdin is empty.
func (p *Program) Try(ctx context.Context, at Place) (Result, error) {
	argv, env := p.Command(at)
	program := &capture.Process{Argv: argv, Env: env, Grace: transport.Grace{EOF: time.Second, Term: time.Second}}
	run, err := capture.New(capture.Config{Server: program, Limits: session.DefaultLimits(), Record: capture.Record{None: true}})
	if err != nil {
		return Result{}, err
	}
	conn, err := run.Start()
	if err != nil {
		return Result{}, errors.Join(err, run.Close(ctx, "error"), run.Release())
	}
	_ = conn.CloseWrite() // Whether it reads its stdin is its own affair.
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, conn)
	}()
	hung := p.await(ctx, conn)
	err = run.Close(ctx, "eof")
	<-read
	ended := Result{Hung, "still ran after " + p.Timeout.String()}
	if !hung {
		ended = exitOf(run)
	}
	return ended, errors.Join(err, run.Release())
}

// await waits until the program has exited, and reports whether its time was up before.
func (p *Program) await(ctx context.Context, conn capture.Conn) (hung bool) {
	exited := conn.Done()
	if process, ok := conn.(*transport.Conn); ok {
		exited = process.Child.Exited()
	}
	select {
	case <-exited:
	case <-ctx.Done():
	case <-time.After(p.Timeout):
		return true
	}
	return false
}

// shellSignals are the exit codes by which shells report the signals of a crash: SIGILL,
// SIGABRT, SIGBUS, SIGFPE and SIGSEGV.
var shellSignals = []int{132, 134, 135, 136, 139}

// exitOf is how a program ended that was not ended by us.
func exitOf(run *capture.Run) Result {
	s := run.Snapshot()
	c := s.LastConn()
	if c == nil || !c.Exited {
		return Result{Failed, "its process ended in an unknown way"}
	}
	if c.ExitCode == 0 && c.ExitSig == "" {
		return Result{Verdict: Recovered}
	}
	how := fmt.Sprintf("exit code %d", c.ExitCode)
	if c.ExitSig != "" {
		how = c.ExitSig
	}
	e := analysis.Gather(s, run.Log(), c)
	said := e.Stderr
	if len(said) == 0 && len(e.Came) > 0 {
		said = e.Came[len(e.Came)-1:]
	}
	panicked := slices.ContainsFunc(e.Stderr, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
	switch {
	case c.ExitSig != "" || slices.Contains(shellSignals, c.ExitCode) || panicked:
		return Result{Crashed, how + strings.Join(append([]string{""}, e.LastStderr()...), "; ")}
	case len(said) > 0:
		return Result{Told, reason(said)}
	}
	return Result{Failed, how}
}

// thrown matches what runtimes print of an exception that nobody caught, before or behind
// its stack.
var thrown = lazy.Regexp{Text: `^[\w.]*(Error|Exception|Exit)(\b.*: |$)`}

// gutter is what Python prints before the lines of an exception group, and between its parts.
const gutter = " |+-"

// reason is the line that says why a program failed: the last exception, of a group the
// innermost, else the last line.
func reason(said []string) string {
	for _, line := range slices.Backward(said) {
		bare := strings.TrimLeft(line, gutter)
		if thrown.Get().MatchString(bare) && (bare == line || strings.Contains(line, "|")) {
			return bare
		}
	}
	return said[len(said)-1]
}
