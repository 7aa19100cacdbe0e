package client

import "sync"

// Bounds of an inbox. A single item may be longer.
const (
	inboxLen  = 1024     // notifications
	inboxSize = 64 << 20 // bytes of them
)

// A sized knows how many bytes of a message it keeps.
type sized interface{ size() int }

// An inbox holds what the reader goroutine has for a caller, who may take their time:
// when it is full the oldest item is dropped and counted.
type inbox[T sized] struct {
	mu      sync.Mutex
	items   []T
	bytes   int // bytes are those of items.
	dropped int
	ready   chan struct{} // ready has a token while there may be items.
}

func newInbox[T sized]() *inbox[T] { return &inbox[T]{ready: make(chan struct{}, 1)} }

// add never blocks.
func (b *inbox[T]) add(item T) {
	b.mu.Lock()
	for len(b.items) >= inboxLen || len(b.items) > 0 && b.bytes+item.size() > inboxSize {
		b.first()
		b.dropped++
	}
	b.items, b.bytes = append(b.items, item), b.bytes+item.size()
	b.mu.Unlock()
	b.signal()
}

// first takes the oldest item out, of which there must be one.
func (b *inbox[T]) first() T {
	var none T
	item := b.items[0]
	b.items[0] = none
	b.items, b.bytes = b.items[1:], b.bytes-item.size()
	return item
}

func (b *inbox[T]) signal() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take returns the oldest item, and leaves a token in ready while there are more.
func (b *inbox[T]) take() (item T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		return item, false
	}
	if item = b.first(); len(b.items) > 0 {
		b.signal()
	} else {
		b.items = nil
	}
	return item, true
}

// lost returns how many items were dropped so far.
func (b *inbox[T]) lost() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}
