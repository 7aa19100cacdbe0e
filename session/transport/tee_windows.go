package transport

import (
	"os"
	"syscall"
)

// ending are the signals that ask a program to end: none is caught.
var ending []os.Signal

func keepIgnored() {}

// catch does nothing: a console sends its signals to all its processes.
func catch(chan<- os.Signal) {}

// A clientEnd is the client's end of a tee.
type clientEnd struct {
	in, out, err *os.File
	kinds        [3]FDKind
}

func inherit() (*clientEnd, error) {
	return &clientEnd{in: os.Stdin, out: os.Stdout, err: os.Stderr}, nil
}

// takeOver hides the handles from the rest of this process.
func (c *clientEnd) takeOver() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err == nil {
		os.Stdin, os.Stdout, os.Stderr = null, null, null
	}
	return err
}

// clientLog returns nil: stderr is told as long as its stream lasts.
func clientLog() *os.File { return nil }

func fromTerminal(os.Signal) bool { return true }

func signalName(sig os.Signal) string {
	if sig == syscall.SIGTERM {
		return "SIGTERM"
	}
	return "SIGKILL" // No other is sent here.
}

// Quit ends this process with the server's exit code. It does not return.
func (e Exit) Quit() { os.Exit(e.Code) }
