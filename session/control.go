package session

import (
	"context"
	"errors"
)

// A Control acts upon a live session: bytes go in, an outcome comes back. One is
// implemented by whoever owns the server, in this process, and one speaks over the
// socket of a tee in another process. Its methods may take their time and may be
// called from any goroutine, also at once.
//
// What it sends shows in the session like everything else, with its Way: nobody
// needs the outcome to see it.
type Control interface {
	// Send puts one message of the user's own on the wire to the server: a single
	// well-formed request or notification of JSON-RPC. A request's id is replaced
	// by one that nobody else uses, and its progress token likewise; its
	// answer is waited for until ctx is done, and does not reach the client that
	// the server has. What ctx ends is withdrawn at the server. What Cancel withdraws
	// is waited for no longer than a moment: then the error is ErrWithdrawn.
	Send(ctx context.Context, message []byte) (Outcome, error)

	// Cancel withdraws a request at the server, by the raw text of its id, whoever
	// sent it. The client that sent it is not told.
	Cancel(ctx context.Context, id, reason string) error

	// End ends the server, and returns when it has exited.
	End(ctx context.Context) error
}

// An Outcome is what became of a message.
type Outcome struct {
	ID     string // ID is the raw text of the request's id on the wire; empty for a notification.
	Answer []byte // Answer is the response's line without its terminator, as it came; nil for a notification.

	// Withdrawn: somebody cancelled the request before its answer came.
	Withdrawn bool
}

// Errors of Controls. What they wrap says more.
var (
	// ErrRefused is returned when the session's owner lets nobody act on it, or
	// not with such a message.
	ErrRefused = errors.New("refused")

	// ErrTooEarly is returned for what must wait for the handshake.
	ErrTooEarly = errors.New("the handshake has not ended")

	// ErrBusy is returned when the stream to the server had no room between two
	// messages for too long.
	ErrBusy = errors.New("the stream to the server stayed in the middle of a message")

	// ErrGone is returned when the server, or who stands before it, has ended
	// without an answer.
	ErrGone = errors.New("the server has ended")

	// ErrWithdrawn is returned when a request was cancelled by somebody, and has no
	// answer.
	ErrWithdrawn = errors.New("somebody has cancelled it")
)
