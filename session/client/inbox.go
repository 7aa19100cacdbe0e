package client

import "sync"

// inboxLen is how many notifications wait for whoever reads them.
const inboxLen = 1024

// An inbox holds what the reader goroutine has for somebody else, who may take
// their time: when it is full the oldest is dropped and counted.
type inbox[T any] struct {
	mu      sync.Mutex
	items   []T
	dropped int
	bell    chan struct{} // bell has a token while there may be items.
}

func newInbox[T any]() *inbox[T] { return &inbox[T]{bell: make(chan struct{}, 1)} }

// add never blocks.
func (b *inbox[T]) add(item T) {
	b.mu.Lock()
	if len(b.items) >= inboxLen {
		var none T
		b.items[0] = none
		b.items = b.items[1:]
		b.dropped++
	}
	b.items = append(b.items, item)
	b.mu.Unlock()
	b.ring()
}

func (b *inbox[T]) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// take returns the oldest item, and leaves the bell rung while there are more.
func (b *inbox[T]) take() (item T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		return item, false
	}
	var none T
	item, b.items[0] = b.items[0], none
	if b.items = b.items[1:]; len(b.items) > 0 {
		b.ring()
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
