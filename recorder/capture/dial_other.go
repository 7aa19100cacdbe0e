//go:build !unix

package capture

import (
	"context"
	"fmt"

	"wiretea/recorder"
	"wiretea/session"
)

// dial returns nothing: this system has no unix sockets.
func dial(*session.Header) (c session.Control, refused string) {
	return nil, "a live session cannot be acted on here: that needs a unix socket"
}

// Notified returns the Log of a session file, which is polled here.
func Notified(f *recorder.File) (log recorder.Log, closeNotifier func()) { return f, func() {} }

// Intercept opens no place: that needs a unix socket.
func Intercept(context.Context, *session.Header, string) (session.Intercept, error) {
	return nil, fmt.Errorf("%w: messages of a live session cannot be held here: that needs a unix socket", session.ErrRefused)
}
