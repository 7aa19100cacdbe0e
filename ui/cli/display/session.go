package display

import (
	"context"
	"errors"
	"fmt"
	"io"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/cli/flags"
	"wiretea/ui/format"
	"wiretea/ui/source"
)

// A Session is a capture.Run as the screen shows it.
type Session struct {
	*capture.Run
	title string

	questions *source.Questions // questions holds the server's questions; nil means that nobody is asked.
	record    *flags.Record
}

// NewSession begins a session that the screen will show. Where asks is set, the server's
// questions go to the person at the screen unless a flag says otherwise. moved is
// capture.Config.Moved. warn takes what the user must see at once.
func NewSession(title string, o *flags.Session, asks bool, moved func(*session.Snapshot, recorder.Log), warn io.Writer) (*Session, error) {
	l := &Session{title: title, record: &o.Record}
	wake := capture.NewWake()
	if asks {
		l.questions = source.NewQuestions(wake.Notify)
		o.Client.AskOnScreen(l.questions)
	}
	cfg, err := o.Config()
	if err != nil {
		return nil, err
	}
	cfg.Wake, cfg.Moved, cfg.Warn, cfg.Intercepts = wake, moved, warn, true
	if l.Run, err = capture.New(cfg); err != nil {
		return nil, o.Record.Failure(err)
	}
	return l, nil
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
	return errors.Join(err, Release(l.Run, l.record, errw, false))
}

// Release says where a closed session was recorded, unless quiet is set, and what its
// file lacks. It gives back what the session held, and prunes its folder.
func Release(r *capture.Run, record *flags.Record, errw io.Writer, quiet bool) error {
	if path := r.FinalPath(); path != "" && !quiet {
		fmt.Fprintf(errw, "recorded: %s\n", path)
	}
	ReportLoss(r, errw)
	err := r.Release()
	record.Prune(errw)
	return err
}

// ReportLoss says what a session file lacks, if anything.
func ReportLoss(r *capture.Run, errw io.Writer) {
	if lost := r.Lost(); lost > 0 {
		fmt.Fprintf(errw, "wiretea: the session file lacks %s: its disk could not be written\n", format.Size(lost))
	}
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
