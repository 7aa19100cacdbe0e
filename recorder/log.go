package recorder

import (
	"context"
	"errors"
	"sync"
)

// A Log is the bytes of one session file while it grows or after it has ended,
// wherever they are kept. Its methods may be called from any goroutine.
type Log interface {
	// ReadAt is io.ReaderAt. For bytes that are not kept any more
	// it returns ErrEvicted.
	ReadAt(p []byte, off int64) (int, error)

	// Size is the number of bytes, evicted ones included.
	Size() int64

	// Wait returns nil once Size is larger than size, ErrFinished when nothing
	// will be added any more, and ctx's error when it ends before that. What
	// is known at once is answered whatever ctx says.
	Wait(ctx context.Context, size int64) error
}

// ErrFinished is returned by Log.Wait when the log has ended.
var ErrFinished = errors.New("the session has ended")

// ErrEvicted is returned by Log.ReadAt for bytes that a memory tail had to
// discard.
var ErrEvicted = errors.New("this part of the session is not in memory any more")

// evicting is implemented by logs that do not keep old bytes.
type evicting interface {
	// Kept is the offset of the first record at or after off that is kept.
	Kept(off int64) int64
}

// A notifier wakes readers in this process when a log has grown. The zero value is
// ready. Publishing a size without a waiting reader does not allocate.
type notifier struct {
	mu       sync.Mutex
	size     int64
	finished bool
	wake     chan struct{} // closed at the next change; nil while no reader waits
}

// publish publishes the size.
func (b *notifier) publish(size int64, finished bool) {
	b.mu.Lock()
	b.size = size
	b.finished = b.finished || finished
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
	b.mu.Unlock()
}

// Size returns the size that was published last.
func (b *notifier) Size() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size
}

// Wait is Log.Wait.
func (b *notifier) Wait(ctx context.Context, size int64) error {
	for {
		b.mu.Lock()
		switch {
		case b.size > size:
			b.mu.Unlock()
			return nil
		case b.finished:
			b.mu.Unlock()
			return ErrFinished
		}
		if b.wake == nil {
			b.wake = make(chan struct{})
		}
		wake := b.wake
		b.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
