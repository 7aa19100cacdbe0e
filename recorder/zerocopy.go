package recorder

import (
	"io"
	"slices"
)

// A Keeper is a Source whose data can be kept without copying it.
type Keeper interface {
	Source

	// Keep makes the data of the latest batch stay valid until what it returns is
	// closed.
	Keep() io.Closer
}

// maxParts is of how many parts a body may consist: so many go into one write.
const maxParts = 64

// maxBatches is of how many batches the parts of all bodies may be, where a body counts its own:
// whatever else came in these is kept with it. They take 8 MiB at most.
const maxBatches = 32

// maxKeepers is how many streams there may be: the batches of many bodies that cross at the
// same time have a part of each, so that to keep one body is to keep them all.
const maxKeepers = 8

// A keptBody is a frame's body so far, in parts where the source has them. It is
// written from there.
type keptBody struct {
	parts   [][]byte
	size    int         // size is that of all parts, in bytes.
	batches []io.Closer // batches are those that are kept for it.
	latest  uint64      // latest is the number of the last of them.
}

// release closes the batches that were kept.
func (b *keptBody) release() {
	for _, k := range b.batches {
		k.Close()
	}
	clear(b.parts)
	clear(b.batches)
	b.parts, b.batches, b.size, b.latest = b.parts[:0], b.batches[:0], 0, 0
}

// keep takes a part of t's frame without copying it, if that is possible. The last one is
// written before the batch goes.
func (w *Writer) keep(t *streamWriter, p []byte, last bool) bool {
	if w.keeper == nil || len(w.streams) > maxKeepers || len(t.buf) > 0 || len(t.kept.parts) == maxParts || !sharesEnd(p, w.chunkData) {
		return false
	}
	b := &t.kept
	if !last && b.latest != w.batch {
		if w.keptBatches() == maxBatches {
			return false
		}
		b.batches, b.latest = append(b.batches, w.keeper.Keep()), w.batch
	}
	b.parts, b.size = append(b.parts, p), b.size+len(p)
	return true
}

// keptBatches is how many batches are kept.
func (w *Writer) keptBatches() (n int) {
	for _, t := range w.streams {
		n += len(t.kept.batches)
	}
	return n
}

// join copies what is kept in parts to buf.
func (t *streamWriter) join() {
	t.buf = slices.Grow(t.buf, t.kept.size)
	for _, p := range t.kept.parts {
		t.buf = append(t.buf, p...)
	}
	t.kept.release()
}

// sharesEnd reports whether p is a part of all: both have the same end.
func sharesEnd(p, all []byte) bool {
	return cap(p) > 0 && cap(all) > 0 && &p[:cap(p)][cap(p)-1] == &all[:cap(all)][cap(all)-1]
}
