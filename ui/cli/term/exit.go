package term

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Exit codes of all commands but tee.
const (
	ExitFine    = 0 // ExitFine: nothing to say.
	ExitFound   = 1 // ExitFound: findings, or an error answer.
	ExitUsage   = 2 // ExitUsage: wrong flags, or a file that cannot be used.
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
	var f *Failure
	if errors.As(err, &f) && f.Hint != "" {
		return fmt.Errorf("%w; %s", err, f.Hint)
	}
	return err
}
