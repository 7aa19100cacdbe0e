//go:build unix

package capture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
)

// dial returns what acts on the session of a tee.
func dial(h *session.Header) (c session.Control, refused string) {
	switch {
	case h.Sock == "":
		return nil, "its tee accepts no requests: it runs with --no-control, or could not create its socket"
	}
	client, err := path.Dial(h.Sock)
	switch {
	case errors.Is(err, session.ErrGone):
		return nil, "its tee has exited, or no longer listens"
	case err != nil:
		return nil, err.Error()
	}
	return client, ""
}

// Intercept opens a place in the path of a live session, by which people know it. The error
// wraps session.ErrRefused where the session has none.
func Intercept(ctx context.Context, h *session.Header, by string) (session.Intercept, error) {
	if h == nil || h.Sock == "" {
		return nil, fmt.Errorf("%w: %s", session.ErrRefused, noPlace)
	}
	client, err := path.Dial(h.Sock)
	if err != nil {
		return nil, err
	}
	return client.Intercept(ctx, by)
}

// A NotifiedLog is a session file that another process writes. That process sends a
// notification when it has written, so the file need not be polled.
type NotifiedLog struct {
	*recorder.File
	notifier *path.Notifier // notifier is nil once it is broken.
	last     time.Time      // last is when Wait returned last.
}

const (
	// waitAtLeast is the time between two returns of Wait: a flood is read in portions.
	waitAtLeast = 10 * time.Millisecond

	// waitAtMost is when the file is polled anyway: its writer may have been
	// killed.
	waitAtMost = 500 * time.Millisecond
)

// Notified returns the Log of a session file, and a function that closes its
// notifier.
func Notified(f *recorder.File) (log recorder.Log, closeNotifier func()) {
	h := f.Header()
	if h == nil || h.Sock == "" || f.Live() != recorder.Live {
		return f, func() {}
	}
	client, err := path.Dial(h.Sock)
	if err != nil {
		return f, func() {}
	}
	notifier, err := client.Notifier()
	if err != nil {
		return f, func() {}
	}
	return &NotifiedLog{File: f, notifier: notifier}, notifier.Close
}

// Polling reports whether the notifier is broken, so that the file is polled.
func (l *NotifiedLog) Polling() bool { return l.notifier == nil }

// Wait implements recorder.Log. Where the notifier is broken, it polls.
func (l *NotifiedLog) Wait(ctx context.Context, size int64) error {
	if err := Pause(ctx, time.Until(l.last.Add(waitAtLeast))); err != nil {
		return ctx.Err()
	}
	defer func() { l.last = time.Now() }()
	now, cancel := context.WithCancel(context.Background())
	cancel()
	for l.notifier != nil {
		if err := l.File.Wait(now, size); !errors.Is(err, context.Canceled) {
			return err
		}
		until, cancel := context.WithTimeout(ctx, waitAtMost)
		err := l.notifier.Wait(until, size)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			l.notifier = nil
		}
	}
	return l.File.Wait(ctx, size)
}
