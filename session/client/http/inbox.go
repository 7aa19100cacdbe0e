package http

import (
	"context"
	"io"
	"sync"
)

// inboxSize is how much waits for Read before streams wait too, in bytes.
const inboxSize = 8 << 20

// An inbox is what came and Read has not returned yet, in order.
type inbox struct {
	mu     sync.Mutex
	news   sync.Cond // news is signalled whenever something below changes.
	items  []item
	size   int
	closed bool
}

// An item is a line, or what is to be told behind those before it.
type item struct {
	line []byte
	tell func()
}

func newInbox() *inbox {
	b := &inbox{}
	b.news.L = &b.mu
	return b
}

// put adds an item. It waits while there is no room, until ctx ends.
func (b *inbox) put(ctx context.Context, it item) {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.news.Broadcast()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size >= inboxSize && len(it.line) > 0 && ctx.Err() == nil {
		b.news.Wait()
	}
	if b.closed || ctx.Err() != nil {
		return
	}
	b.items, b.size = append(b.items, it), b.size+len(it.line)
	b.news.Broadcast()
}

// first puts a line before all others, without waiting for room.
func (b *inbox) first(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items, b.size = append([]item{{line: line}}, b.items...), b.size+len(line)
	b.news.Broadcast()
}

// read is Conn.Read.
func (b *inbox) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 {
		if len(b.items) == 0 {
			if b.closed {
				return 0, io.EOF
			}
			b.news.Wait()
			continue
		}
		it := &b.items[0]
		n := copy(p, it.line)
		it.line, b.size = it.line[n:], b.size-n
		tell := it.tell
		if len(it.line) == 0 {
			b.items[0] = item{}
			b.items = b.items[1:]
		}
		b.news.Broadcast()
		if n > 0 {
			return n, nil
		}
		if tell != nil {
			b.mu.Unlock()
			tell()
			b.mu.Lock()
		}
	}
	return 0, nil
}

// close ends it: read returns io.EOF behind what is there.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.news.Broadcast()
}
