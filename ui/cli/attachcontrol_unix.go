//go:build unix

package cli

import (
	"context"
	"errors"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/control"
)

// dialControl finds what acts on a live session; where there is nothing, refused
// says why.
func dialControl(h *session.Header) (c session.Control, refused string) {
	switch {
	case h == nil:
		return nil, "the session has not begun"
	case h.Mode == "run":
		return nil, "it is the session of a wiretea run, which acts on it itself"
	case h.Sock == "":
		return nil, "its tee lets nobody act on it: --no-control, or it could make no socket"
	}
	client, err := control.Dial(h.Sock)
	switch {
	case errors.Is(err, session.ErrGone):
		return nil, "its tee has ended, or does not listen any more"
	case err != nil:
		return nil, err.Error()
	}
	return client, ""
}

// A rungLog is a session file that another process writes, which rings a bell: one
// need not look whether it has grown.
type rungLog struct {
	*recorder.File
	bell *control.Notifier
	last time.Time // last is when Wait returned last.
}

// Bounds of waiting for the bell.
const (
	// rungAfter is how long a Wait takes at least after the one before: a flood is
	// read in portions.
	rungAfter = 10 * time.Millisecond

	// rungAtLeast is when the file is looked at though nothing rings: its writer
	// may have been killed.
	rungAtLeast = 500 * time.Millisecond
)

// withBell returns the Log of a session file, and what gives its bell back.
func withBell(f *recorder.File) (log recorder.Log, hush func()) {
	h := f.Header()
	if h == nil || h.Sock == "" || f.Live() != recorder.Live {
		return f, func() {}
	}
	client, err := control.Dial(h.Sock)
	if err != nil {
		return f, func() {}
	}
	bell, err := client.Notifier()
	if err != nil {
		return f, func() {}
	}
	return &rungLog{File: f, bell: bell}, bell.Close
}

// Wait is recorder.Log.Wait. Where the bell is broken, it looks from time to time.
func (l *rungLog) Wait(ctx context.Context, size int64) error {
	if err := restFor(ctx, time.Until(l.last.Add(rungAfter))); err != nil {
		return err
	}
	defer func() { l.last = time.Now() }()
	now, cancel := context.WithCancel(context.Background())
	cancel()
	for l.bell != nil {
		if err := l.File.Wait(now, size); !errors.Is(err, context.Canceled) {
			return err
		}
		until, cancel := context.WithTimeout(ctx, rungAtLeast)
		err := l.bell.Wait(until, size)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			l.bell = nil
		}
	}
	return l.File.Wait(ctx, size)
}

// restFor waits, unless d is over already.
func restFor(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
