package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/source"
)

// A Session is a capture.Run as the screen shows it.
type Session struct {
	*capture.Run
	title string

	questions *source.Questions // questions holds the server's questions; nil means that nobody is asked.
	release   func(*capture.Run, io.Writer) error
}

// NewSession begins a session with what cfg says, whose Wake must be set. The server's
// questions wait in questions; nil means that nobody is asked. release says where a closed
// session was recorded, and gives back what it held; nil = capture.Run.Release alone.
func NewSession(title string, cfg capture.Config, questions *source.Questions, release func(*capture.Run, io.Writer) error) (*Session, error) {
	cfg.Intercepts = true
	run, err := capture.New(cfg)
	if err != nil {
		return nil, err
	}
	if release == nil {
		release = func(run *capture.Run, _ io.Writer) error { return run.Release() }
	}
	return &Session{Run: run, title: title, questions: questions, release: release}, nil
}

// Title implements screen.Source.
func (l *Session) Title() string { return l.title }

// Questions implements source.Asking.
func (l *Session) Questions() *source.Questions { return l.questions }

// Close implements screen.Server.
func (l *Session) Close(ctx context.Context) error { return l.Run.Close(ctx, "quit") }

// Farewell ends the session, says how, and releases what it held. The error joins
// err.
func (l *Session) Farewell(ctx context.Context, out, errw io.Writer, err error) error {
	err = errors.Join(err, l.Close(ctx))
	fmt.Fprintln(out, ClosingLine(l.Snapshot()))
	return errors.Join(err, l.release(l.Run, errw))
}

// ClosingLine says how the last server process exited, and how long that took.
func ClosingLine(s *session.Snapshot) string {
	conns := s.Conns()
	if len(conns) == 0 || !conns[len(conns)-1].Started {
		return "no server was started"
	}
	c := conns[len(conns)-1]
	took := ""
	if c.StdinEOF > 0 && c.ExitT > c.StdinEOF {
		took = " " + format.Duration(c.ExitT-c.StdinEOF) + " after its stdin was closed"
	}
	switch {
	case !c.Exited:
		return "the server has not exited"
	case c.ExitSig != "":
		return "server ended by " + c.ExitSig + took
	}
	return fmt.Sprintf("server exited with code %d%s", c.ExitCode, took)
}
