//go:build !unix

package cli

import (
	"wiretea/recorder"
	"wiretea/session"
)

// dialControl finds nothing: there are no sockets here.
func dialControl(*session.Header) (c session.Control, refused string) {
	return nil, "a live session cannot be acted on here: that needs a unix socket"
}

// withBell returns the Log of a session file. It has no bell here.
func withBell(f *recorder.File) (log recorder.Log, hush func()) { return f, func() {} }
