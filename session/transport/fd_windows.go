package transport

import (
	"errors"
	"io"
	"os"
	"time"
)

var errNoSockets = errors.New("sockets in place of pipes are not offered on windows")

// newPipe returns a pipe: our end, for a relay, which writes or reads it, and the other.
func newPipe(kind FDKind, weWrite, _ bool) (ours io.ReadWriteCloser, theirs *os.File, err error) {
	if kind != Pipe {
		return nil, nil, errNoSockets
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	if weWrite {
		return w, r, nil
	}
	return r, w, nil
}

// watchPeer does nothing: a pipe here does not tell that its reader went away.
func watchPeer(io.ReadCloser, io.WriteCloser) {}

// writable is not known here.
func writable(io.WriteCloser, time.Duration) bool { return true }

// pending is not known here.
func pending(io.ReadCloser) bool { return false }
