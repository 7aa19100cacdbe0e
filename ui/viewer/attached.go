package viewer

import (
	"cmp"
	"fmt"
	"io"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/ui/format"
	"wiretea/ui/source"
)

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
		Waiting: func(t client.Task) {
			name := cmp.Or(a.Attachment().ClientName, "the client")
			fmt.Fprintf(warn, "the task %s wants input, and asks %s for it: only the client can answer; ctrl-x cancels the task\n", format.Visible([]byte(t.ID), 60), name)
		},
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
		out.Client, out.ClientName = s.Header.PPID, format.Visible([]byte(name), longestName)
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
	lines := []string{"the session goes on; wiretea attach " + format.ShellFile(recorder.SessionName(a.Path())) + " shows it again"}
	if n := a.Tasks(); n > 0 {
		lines = append(lines, format.Plural(n, "task")+" begun here had not ended: cancelled")
	}
	return lines
}
