package transport

import (
	"errors"
	"io"
	"os"
)

var errNoSockets = errors.New("sockets in place of pipes are not offered on windows")

// newSink returns a line that we write and they read.
func newSink(kind FDKind, _ bool) (ours io.WriteCloser, theirs *os.File, err error) {
	r, w, err := pipe(kind)
	return w, r, err
}

// newSource returns a line that they write and we read.
func newSource(kind FDKind, _ bool) (ours io.ReadCloser, theirs *os.File, err error) {
	return pipe(kind)
}

func pipe(kind FDKind) (r, w *os.File, err error) {
	if kind != Pipe {
		return nil, nil, errNoSockets
	}
	return os.Pipe()
}

// watchPeer does nothing: a pipe here does not tell that its reader went away.
func watchPeer(io.ReadCloser, io.WriteCloser) {}

// writable is not known here.
func writable(io.WriteCloser) bool { return true }

// pending is not known here.
func pending(io.ReadCloser) bool { return false }
