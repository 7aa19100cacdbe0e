package attach

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// An injector sends lines into a live session, headless: answers go to out, all
// else to errw.
type injector struct {
	*attachOptions
	control session.Control
	file    *recorder.File
	in      io.Reader
	out     io.Writer
	errw    io.Writer
}

// injectLines sends the lines into the session at path, each once the one before
// it has been answered. Nobody is surprised: it is asked for, or said with --yes.
func (o *attachOptions) injectLines(cmd *cobra.Command, path string) error {
	for _, line := range o.send {
		if _, _, err := client.ParseLine(line); err != nil {
			return term.Usage("", "%w", err)
		}
	}
	f, err := term.OpenRecording(path)
	if err != nil {
		return err
	}
	defer f.Close()
	opt, err := o.http.Beside(f.Header())
	if err != nil {
		return err
	}
	control, refused := capture.Dial(f.Header(), opt)
	if control == nil {
		return &term.Failure{Code: term.ExitUsage, Err: errors.New("nothing can be sent: " + refused)}
	}
	if own, ok := control.(io.Closer); ok {
		defer own.Close()
	}
	i := injector{attachOptions: o, control: control, file: f, in: cmd.InOrStdin(), out: cmd.OutOrStdout(), errw: cmd.ErrOrStderr()}
	if err := i.ask(); err != nil {
		return err
	}
	worst := term.ExitFine
	for _, line := range o.send {
		code, err := i.sendLine(cmd.Context(), line)
		if err != nil {
			return err
		}
		worst = max(worst, code)
	}
	return term.Silently(worst)
}

// ask asks whether the lines may be sent, unless --yes says so.
func (i *injector) ask() error {
	if i.yes {
		return nil
	}
	if !term.IsTerminal(i.in) || !term.IsTerminal(i.errw) {
		return term.Usage("--yes confirms it", "sending into a live session needs a confirmation, and standard input is not a terminal")
	}
	fmt.Fprintln(i.errw, "The client of this session stays connected. What you send:")
	question := "Its answer is kept from the client; what else the server does because of it is not: its\n" +
		"requests and other notifications reach the client. Send? [y/N] "
	if i.file.Header().Via != "" {
		question = "It goes through the proxy in an MCP session of its own. Send? [y/N] "
	}
	for _, line := range i.send {
		fmt.Fprintf(i.errw, "  %s\n", text.Visible([]byte(line), 200))
	}
	if !term.Agreed(i.in, i.errw, question) {
		return term.Usage("", "not sent")
	}
	return nil
}

// sendLine sends one line and prints its answer. The code is the exit code that it
// calls for.
func (i *injector) sendLine(ctx context.Context, line string) (code int, err error) {
	analyzer := session.NewAnalyzer(session.Config{})
	follower := recorder.Follower{Log: i.file, Analyzer: analyzer, Once: true}
	if err := follower.Run(ctx); err != nil {
		return 0, term.RecordingFailure(i.file.Path(), err)
	}
	guest := &client.Guest{Speaks: func() (mcp.Era, json.RawMessage) { return capture.Speaks(analyzer.Snapshot(), i.file) }}
	message, err := composeFor(guest, line)
	if err != nil {
		return 0, term.Usage("", "%w", err)
	}
	method := ""
	jsonrpc.Scan(message, func(m *jsonrpc.Message) { method, _ = m.Method.Unquoted() })
	limit := i.limit(method)
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		waiting, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	began := time.Now()
	outcome, err := i.control.Send(waiting, message)
	took := time.Since(began)
	if err != nil {
		return 0, i.failed(cmp.Or(text.Visible([]byte(method), 80), "the line"), limit, ctx, err)
	}
	if outcome.ID == "" {
		fmt.Fprintf(i.errw, "wiretea: sent %s\n", text.Visible([]byte(method), 80))
		return term.ExitFine, nil
	}
	code, words := judgeAnswer(outcome.Answer)
	fmt.Fprintf(i.errw, "wiretea: %s, as %s: %s after %s; the client received none of it\n",
		text.Visible([]byte(method), 80), outcome.ID, words, text.Duration(int64(took)))
	return code, i.print(outcome.Answer)
}

// limit is how long the answer to a request is waited for.
func (i *injector) limit(method string) time.Duration {
	if i.timeout > 0 {
		return i.timeout
	}
	return capture.AnswerLimit(i.file.Header(), method)
}

// judgeAnswer returns the exit code that an answer calls for, and what it is in
// words.
func judgeAnswer(answer []byte) (code int, words string) {
	isError := false
	jsonrpc.Scan(answer, func(m *jsonrpc.Message) { isError = m.Kind == jsonrpc.Error })
	var of struct {
		Result json.RawMessage `json:"result"`
	}
	switch {
	case isError:
		return term.ExitFound, "answered with an error"
	case json.Unmarshal(answer, &of) == nil && client.ToolFailed(of.Result):
		return term.ExitFound, "answered, the tool reports an error (isError),"
	}
	return term.ExitFine, "answered"
}

// print prints an answer as it came.
func (i *injector) print(answer []byte) error {
	_, err := i.out.Write(append(answer, '\n'))
	return err
}

// failed words why there is no answer.
func (i *injector) failed(method string, limit time.Duration, ctx context.Context, err error) error {
	f := &term.Failure{Code: term.ExitUsage, Err: fmt.Errorf("sending %s: %w", method, err)}
	switch {
	case ctx.Err() != nil:
		f.Code, f.Err = term.ExitTimeout, fmt.Errorf("%s was withdrawn at the server: stopped by you", method)
	case errors.Is(err, context.DeadlineExceeded):
		f.Code, f.Err = term.ExitTimeout, fmt.Errorf("%s was not answered within %v, and has been withdrawn at the server", method, limit)
		f.Hint = "--timeout gives it more time; an answer that comes now is still kept from the client"
	case errors.Is(err, session.ErrWithdrawn):
		f.Code, f.Err = term.ExitTimeout, fmt.Errorf("%s was cancelled from another screen of the session", method)
	case errors.Is(err, session.ErrTooEarly):
		f.Hint = "the client is still connecting: try again in a moment"
	case errors.Is(err, session.ErrBusy):
		f.Code = term.ExitTimeout
		f.Hint = "the client is in the middle of a message, or the server does not read its input"
	case errors.Is(err, session.ErrGone):
		f.Code = term.ExitServer
	}
	return f
}

// composeFor makes a message of a line as typed, for a session whose client is
// another's: a whole message stays as it is, else a request says of its client
// what that client's latest request says. Ids are for session.Control to give.
func composeFor(guest *client.Guest, line string) ([]byte, error) {
	method, params, err := client.ParseLine(line)
	if err != nil {
		return nil, err
	}
	if method == "" {
		return params, nil
	}
	return guest.Message(method, params)
}
