package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/session/text"
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
		took = " " + text.Duration(c.ExitT-c.StdinEOF) + " after its stdin was closed"
	}
	switch {
	case !c.Exited:
		return "the server has not exited"
	case c.ExitSig != "":
		return "server ended by " + c.ExitSig + took
	}
	return fmt.Sprintf("server exited with code %d%s", c.ExitCode, took)
}

// An Attached is a capture.Attach as the screen shows it.
type Attached struct {
	*capture.Attach
	questions *source.Questions
}

// longestName is how much of a client's name is shown, in characters.
const longestName = 40

// OpenAttached attaches to a session that another process records. warn takes what
// the user should see, a line at a time; opt says how the server of a proxy is spoken to.
func OpenAttached(path string, opt http.Options, warn io.Writer) (*Attached, error) {
	wake := capture.NewWake()
	a := &Attached{questions: source.NewQuestions(wake.Notify)}
	var err error
	a.Attach, err = capture.OpenAttach(path, capture.AttachConfig{
		Asker: a.questions, Wake: wake, HTTP: opt,
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Attachment implements screen.Attached.
func (a *Attached) Attachment() source.Attachment {
	s := a.Session
	out := source.Attachment{Tee: s.Writer, Refused: a.Refused}
	switch name := s.ClientName(); {
	case s.Header == nil:
	case s.Header.Mode == "run": // wiretea is the client itself, and nothing stands between
		out.Tee, out.Client, out.ClientName = 0, s.Writer, "wiretea run"
	default:
		out.Client, out.ClientName = s.Header.PPID, text.Visible([]byte(name), longestName)
	}
	return out
}

// Questions implements source.Asking: a server may ask in its results, as in the modern
// era.
func (a *Attached) Questions() *source.Questions { return a.questions }

// Standing says what becomes of a session that goes on after its viewer has left, a
// line each; nil for a session that is over.
func (a *Attached) Standing() []string {
	if !a.Live() {
		return nil
	}
	return []string{"the session goes on; wiretea attach " + text.ShellFile(recorder.SessionName(a.Path())) + " shows it again"}
}
