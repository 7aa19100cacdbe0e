package term

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// Exit codes of all commands but tee.
const (
	ExitFine    = 0 // ExitFine: nothing to say.
	ExitFound   = 1 // ExitFound: findings, or an error answer.
	ExitUsage   = 2 // ExitUsage: wrong flags, a file that cannot be used, or output that cannot be written.
	ExitServer  = 3 // ExitServer: the server could not be started, or died.
	ExitTimeout = 4 // ExitTimeout: the time was up.

	// ExitInterrupted is what shells say of a program that ctrl-c ended: its user
	// knows why there is no result, and a script must not take it for one.
	ExitInterrupted = 130

	ExitPipe = 141 // ExitPipe: nobody reads our output; what shells say of a program that SIGPIPE ended.
)

// A Failure is an error that knows its exit code and what could be done about it.
type Failure struct {
	Code int
	Hint string // Hint is one line; empty = none.
	Err  error  // Err is nil where everything was said already.
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// FolderHint is what helps where the error is recorder.ErrNoFolder.
const FolderHint = "create it, or name a file elsewhere"

// Usage returns a failure for words that cannot be carried out.
func Usage(hint, format string, args ...any) error {
	return &Failure{Code: ExitUsage, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Silently returns a failure that has been explained on the screen already; nil
// for exitFine.
func Silently(code int) error {
	if code == ExitFine {
		return nil
	}
	return &Failure{Code: code}
}

// ExitCode returns the code for what a command returned.
func ExitCode(err error) int {
	var f *Failure
	switch {
	case err == nil:
		return ExitFine
	case errors.As(err, &f):
		return f.Code
	}
	return ExitUsage
}

// ReaderGone reports whether an error says that nobody reads our standard
// output any more, as behind | head.
func ReaderGone(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Path == os.Stdout.Name() && errors.Is(failed, syscall.EPIPE)
}

// WithHint is an error for a line that holds its hint too.
func WithHint(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok && f.Hint != "" {
		return fmt.Errorf("%w; %s", err, f.Hint)
	}
	return err
}

// ScreenFailure is StartFailure for the screen, which shows the process, its stderr and how
// it ended, and can start the server again.
func ScreenFailure(err error) error {
	var notStarted *transport.StartError
	if errors.Is(err, client.ErrClosed) && !errors.As(err, &notStarted) {
		return errors.New("the server closed the connection before it answered; R starts it again")
	}
	return StartFailure(err)
}

// StartFailure says why there is no connection, with a hint and the exit code.
func StartFailure(err error) error {
	var notStarted *transport.StartError
	var late *client.TimeoutError
	var answer *client.RPCError
	var refused *client.HTTPError
	switch {
	case errors.As(err, &refused):
		return &Failure{Code: ExitServer, Hint: refused.Hint, Err: fmt.Errorf("connecting: %w", err)}
	case errors.As(err, &notStarted):
		return &Failure{Code: ExitServer, Hint: notStarted.Hint, Err: fmt.Errorf("starting %q: %s", notStarted.Name, notStarted.Why)}
	case errors.As(err, &late):
		return &Failure{Code: ExitTimeout, Hint: "the server may be slow to start: --timeout initialize=5m", Err: late}
	case errors.As(err, &answer) && answer.Code == mcp.MethodNotFound:
		return &Failure{Code: ExitServer, Hint: "the server may speak the other era: --era auto tries both", Err: fmt.Errorf("connecting: %w", err)}
	case errors.Is(err, client.ErrVersion):
		return &Failure{Code: ExitServer, Hint: "--protocol-version asks for another one", Err: fmt.Errorf("connecting: %w", err)}
	case errors.Is(err, client.ErrClosed):
		return &Failure{Code: ExitServer, Hint: "the server exited, or closed its stdout, before it answered: see its stderr and exit code", Err: fmt.Errorf("connecting: %w", err)}
	}
	return &Failure{Code: ExitServer, Err: fmt.Errorf("connecting: %w", err)}
}

// TaskLine describes the state of a task that a request has become.
func TaskLine(title string, t client.Task) string {
	return strings.TrimRight(title+", task "+t.ID+" "+t.Status+" "+t.Message, " ")
}
