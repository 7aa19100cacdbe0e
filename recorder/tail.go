package recorder

import (
	"io"
	"sync"
)

// firstChunk is the least size of a tail's first piece of memory in bytes, tailChunk that
// of the pieces of a tail that has grown.
const (
	firstChunk = 8 << 10
	tailChunk  = 256 << 10
)

// A tail keeps the end of a log in memory, at most max bytes and one batch. It
// discards whole batches, so that it always begins with a record. Offsets count from the tail's own beginning.
type tail struct {
	mu     sync.Mutex
	max    int64
	chunks [][]byte
	start  int64 // offset of chunks[0]
	size   int64
}

// append adds a batch of whole records.
func (t *tail) append(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, size := len(t.chunks)-1, firstChunk
	if last >= 0 {
		size = min(2*cap(t.chunks[last]), tailChunk)
	}
	if last < 0 || cap(t.chunks[last])-len(t.chunks[last]) < len(p) {
		t.chunks = append(t.chunks, make([]byte, 0, max(size, len(p))))
		last++
	}
	t.chunks[last] = append(t.chunks[last], p...)
	t.size += int64(len(p))
	for len(t.chunks) > 1 && t.size-t.start > t.max {
		t.start += int64(len(t.chunks[0]))
		t.chunks[0] = nil
		t.chunks = t.chunks[1:]
	}
}

// oldest is the offset of the first byte that is kept.
func (t *tail) oldest() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.start
}

// ReadAt is io.ReaderAt; it returns ErrEvicted for offsets before oldest.
func (t *tail) ReadAt(p []byte, off int64) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if off < t.start {
		return 0, ErrEvicted
	}
	n, at := 0, t.start
	for _, c := range t.chunks {
		if skip := off + int64(n) - at; skip < int64(len(c)) {
			n += copy(p[n:], c[skip:])
			if n == len(p) {
				return n, nil
			}
		}
		at += int64(len(c))
	}
	return n, io.EOF
}
