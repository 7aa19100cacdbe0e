package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Exit codes of all commands but tee.
const (
	exitFine    = 0 // exitFine: nothing to say.
	exitFound   = 1 // exitFound: findings, or an error answer.
	exitUsage   = 2 // exitUsage: wrong flags, or a file that cannot be used.
	exitServer  = 3 // exitServer: the server could not be started, or died.
	exitTimeout = 4 // exitTimeout: the time was up.

	exitPipe = 141 // exitPipe: nobody reads our output; what shells say of a program that SIGPIPE ended.
)

// A failure is an error that knows its exit code and what could be done about it.
type failure struct {
	code int
	hint string // hint is one line; empty = none.
	err  error  // err is nil where everything was said already.
}

func (f *failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// usage returns a failure for words that cannot be carried out.
func usage(hint, format string, args ...any) error {
	return &failure{code: exitUsage, hint: hint, err: fmt.Errorf(format, args...)}
}

// silently returns a failure that has been explained on the screen already; nil
// for exitFine.
func silently(code int) error {
	if code == exitFine {
		return nil
	}
	return &failure{code: code}
}

// exitCode returns the code for what a command returned.
func exitCode(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &f):
		return f.code
	}
	return exitUsage
}

// readerGone reports whether an error says that nobody reads our standard
// output any more, as behind | head.
func readerGone(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Path == os.Stdout.Name() && errors.Is(failed, syscall.EPIPE)
}
