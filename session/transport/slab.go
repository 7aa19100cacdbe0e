package transport

import (
	"unsafe"

	"wiretea/session"
)

const (
	slabSize    = 256 << 10 // slabSize is the data of one slab, in bytes.
	maxEntries  = 4096      // maxEntries bounds a batch where chunks are tiny.
	defaultFree = 4 << 20   // defaultFree is how much memory is kept for reuse, in bytes.
)

// A slab is a batch in the making: data back to back, and what it consists of.
// Its bulk holds no pointers.
type slab struct {
	tap     *Tap
	outside []byte // outside is its memory outside the collector's heap; nil = it has none.
	next    *slab
	shares  int // shares counts the users once it was lent: the consumer, and each Keep.
	buf     []byte
	entries []entry
	events  []session.Observation // events are those that entries refer to.
}

// An entry is one observation.
type entry struct {
	t      int64
	n      int64 // n is the length of the data, the place in events, or the bytes missing.
	conn   int32 // conn is the connection, or the round trip below 0.
	kind   session.ObsKind
	stream session.Stream
	way    session.Way
}

const entrySize = int64(unsafe.Sizeof(entry{}))

func (s *slab) cost() int64 { return slabSize + int64(len(s.entries))*entrySize }

// room returns a slab with room for at least a byte, or nil at the limit.
func (t *Tap) room() *slab {
	if s := t.tail; s != nil && len(s.buf) < cap(s.buf) && len(s.entries) < maxEntries {
		return s
	}
	if t.held+slabSize > t.limit {
		return nil
	}
	return t.grow()
}

// grow appends an empty slab, whatever the limit.
func (t *Tap) grow() *slab {
	s := t.free
	if s == nil {
		s = t.newSlab()
	} else {
		t.free, s.next = s.next, nil
		t.frees--
	}
	if t.tail == nil {
		t.head = s
	} else {
		t.tail.next = s
	}
	t.tail = s
	t.held += s.cost()
	t.waits += s.cost()
	return s
}

func (t *Tap) add(s *slab, e entry) {
	s.entries = append(s.entries, e)
	t.held += entrySize
	t.waits += entrySize
}

// newSlab returns an empty slab. That of a lasting tap lies outside the collector's heap,
// with room for all its entries, if the system gives such memory.
func (t *Tap) newSlab() *slab {
	if t.lasting {
		if mem := outside(slabSize + maxEntries*int(entrySize)); mem != nil {
			entries := unsafe.Slice((*entry)(unsafe.Pointer(&mem[slabSize])), maxEntries)
			return &slab{tap: t, outside: mem, buf: mem[:0:slabSize], entries: entries[:0]}
		}
	}
	return &slab{tap: t, buf: make([]byte, 0, slabSize)}
}

// recycle keeps a slab for reuse, or leaves it to the collector if enough are kept.
func (t *Tap) recycle(s *slab) {
	t.held -= s.cost()
	t.announceRoom()
	if t.frees >= t.maxFree {
		return
	}
	clear(s.events)
	s.buf, s.entries, s.events = s.buf[:0], s.entries[:0], s.events[:0]
	s.next, t.free = t.free, s
	t.frees++
}

// Trim gives back the memory that is kept for reuse.
func (t *Tap) Trim() {
	t.mu.Lock()
	free := t.free
	t.free, t.frees = nil, 0
	t.mu.Unlock()
	for free != nil { // Traffic that comes meanwhile does not wait.
		s := free
		free = s.next
		if s.outside == nil {
			continue // The collector takes it.
		}
		giveBack(s.outside)
		t.mu.Lock()
		s.next, t.free = t.free, s
		t.frees++
		t.mu.Unlock()
	}
}

// Close gives back what Tap.Keep kept.
func (s *slab) Close() error {
	s.tap.mu.Lock()
	s.tap.unshare(s)
	s.tap.mu.Unlock()
	return nil
}

// unshare gives back a share of what was lent; mu is held.
func (t *Tap) unshare(s *slab) {
	if s.shares--; s.shares == 0 {
		t.recycle(s)
	}
}

// drop counts bytes that cannot be kept: in the stream's gap if that is the last
// thing that waits of the stream, else in a new one. Gaps are few, since one needs
// something kept before it, so they may pass the limit.
func (t *Tap) drop(now int64, conn int32, s session.Stream, n int64) {
	for _, g := range t.gaps {
		if g.conn == conn && g.stream == s {
			g.slab.entries[g.index].n += n
			return
		}
	}
	slab := t.tail
	if slab == nil {
		slab = t.grow()
	}
	t.gaps = append(t.gaps, openGap{conn: conn, stream: s, slab: slab, index: len(slab.entries)})
	t.add(slab, entry{t: now, n: n, conn: conn, kind: session.ObsGap, stream: s})
}

// closeGap ends the stream's gap: what is missing later is another one.
func (t *Tap) closeGap(conn int32, s session.Stream) {
	for i, g := range t.gaps {
		if g.conn == conn && g.stream == s {
			t.gaps = append(t.gaps[:i], t.gaps[i+1:]...)
			return
		}
	}
}

func dropTaken(gaps []openGap, s *slab) []openGap {
	kept := gaps[:0]
	for _, g := range gaps {
		if g.slab != s {
			kept = append(kept, g)
		}
	}
	return kept
}
