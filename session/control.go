package session

import (
	"context"
	"errors"
)

// A Control acts on a live session: bytes go in, an outcome comes back. One
// implementation owns the server in this process, another one uses the socket
// of a tee in another process. Its methods may block, and may be called from
// any goroutine, also concurrently.
//
// What it sends appears in the session like all other traffic, with its Way, so
// it is visible without the outcome.
type Control interface {
	// Send sends one message of the user to the server: a single well-formed
	// JSON-RPC request or notification. The id of a request is replaced by a
	// unique one, and so is its progress token. Send waits for the response
	// until ctx is done; the response does not reach the server's client. When
	// ctx ends, the request is cancelled at the server. After a Cancel, Send
	// waits only a moment longer: then the error is ErrWithdrawn.
	Send(ctx context.Context, message []byte) (Outcome, error)

	// Cancel cancels a request at the server, by the raw text of its id,
	// whichever side sent it. The client that sent it is not told.
	Cancel(ctx context.Context, id, reason string) error

	// End ends the server, and returns when it has exited.
	End(ctx context.Context) error
}

// An Outcome is the result of sending a message.
type Outcome struct {
	ID     string // ID is the raw text of the request's id on the wire; empty for a notification.
	Answer []byte // Answer is the response's line without its terminator, as received; nil for a notification.

	// Withdrawn: the request was cancelled before its response came.
	Withdrawn bool
}

// Errors of Controls. Wrapping errors add details.
var (
	// ErrRefused is returned when the session's owner does not allow acting on
	// it, or not with such a message.
	ErrRefused = errors.New("refused")

	// ErrTooEarly is returned for actions that must wait for the handshake.
	ErrTooEarly = errors.New("the handshake has not ended")

	// ErrBusy is returned when the stream to the server was within a message
	// for too long.
	ErrBusy = errors.New("the stream to the server stayed in the middle of a message")

	// ErrGone is returned when the server, or the process in front of it, has
	// ended without a response.
	ErrGone = errors.New("the server has ended")

	// ErrNotHeld is returned when a message is not held, or not any more.
	ErrNotHeld = errors.New("the message is not held any more")

	// ErrWithdrawn is returned when a request was cancelled and has no
	// response.
	ErrWithdrawn = errors.New("the request was cancelled")
)
