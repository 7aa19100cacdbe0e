package capture

import (
	"context"
	"time"
)

// A Wake says that something has moved. It holds one token at most: however often
// it is notified while nobody receives, it wakes once.
type Wake chan struct{}

// NewWake returns a Wake without a token.
func NewWake() Wake { return make(Wake, 1) }

// Notify puts the token there. It never blocks.
func (w Wake) Notify() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// Pause waits for d, or until ctx ends and returns its cause; it returns at once where d
// is not positive.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
