package recorder

import (
	"slices"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/framing"
)

// bulkRaw is the size of the raw records, in bytes, that hold many frames: reading one
// of these frames means reading its whole record.
const bulkRaw = 32 << 10

// bulkFrame is the length of a frame, in bytes, from which on a record of its own
// costs less than its part of a raw one, where each of its quotes is escaped.
const bulkFrame = 1 << 10

// inPlaceFrom is the length of a body, in bytes, from which on it is written
// without being copied. A shorter one is copied after the head of its record.
const inPlaceFrom = 64 << 10

// A streamWriter turns one stream of one connection into records. Bytes wait in kept,
// in buf or in the splitter until their frame ends or is due. Of
// kept and buf only one has some: maxRaw bytes and a terminator at most.
type streamWriter struct {
	origin
	stream session.Stream
	way    session.Way
	split  framing.Splitter
	hints  hintReader // hints has scanned the frame so far, unless raw.

	kept        keptBody
	raw         bool   // raw: the frame that has begun is written raw, to its end.
	buf         []byte // buf is the frame's body so far or, where raw, its bytes not yet written.
	ahead       int    // ahead counts the bytes that were written while the splitter still holds them.
	first       int64  // first is when the first of the waiting bytes was read.
	last        int64  // last is when the stream's latest byte was read.
	spans       []span // spans are, in an event stream, the parts of buf that are data; the rest is syntax.
	partialRune bool   // partialRune: what waits is a part of a rune and is overdue.

	decided *session.Decided // decided is what was decided on the frame that has begun; nil = nothing was.
}

// A span is a part of a buffer.
type span struct{ from, to int }

// waiting reports whether there are bytes that are not written.
func (t *streamWriter) waiting() bool {
	return len(t.buf) > 0 || t.kept.size > 0 || len(t.split.Held()) > t.ahead
}

// due returns when the waiting bytes must be written.
func (t *streamWriter) due() (int64, bool) {
	return t.first + flushAfter, t.waiting() && !t.partialRune
}

// takeHeld moves what the splitter holds to what is to be written. The splitter
// will give it out anyway.
func (t *streamWriter) takeHeld() {
	t.join()
	held := t.split.Held()
	t.buf = append(t.buf, held[t.ahead:]...)
	t.ahead = len(held)
}

// find returns the writer of a stream, nil where nothing came from it yet.
func (w *Writer) find(at origin, stream session.Stream, way session.Way) *streamWriter {
	for _, t := range w.streams {
		if t.origin == at && t.stream == stream && t.way == way {
			return t
		}
	}
	return nil
}

// chunk takes the next bytes of a stream.
func (w *Writer) chunk(o *session.Observation) {
	at := w.originOf(o)
	t := w.find(at, o.Stream, o.Way)
	if t == nil {
		t = w.unused()
		t.origin, t.stream, t.way = at, o.Stream, o.Way
		t.split = framing.Splitter{Mode: w.modeOf(o)}
		w.streams = append(w.streams, t)
	}
	if w.pending != t || w.decided.Kind != 0 {
		w.flushPending()
	}
	if !t.waiting() {
		t.first = o.T
	}
	t.last, t.partialRune = o.T, false
	w.end.Bytes += int64(len(o.Data))
	if w.decided.Kind != 0 {
		t.decided = w.decisionOn(o)
	}
	w.cur, w.chunkData = t, o.Data
	t.split.Push(o.Data, w.emit)
	w.chunkData = nil
}

// piece takes the next part of a frame of the current stream.
func (w *Writer) piece(p framing.Piece) {
	t := w.cur
	if p.Start {
		t.raw = t.ahead > 0 || w.bulk && len(p.Data) < bulkFrame && t.decided == nil
		if !t.raw && w.pending == t {
			w.pending = nil
			w.flush(t, len(t.buf)) // frames that have ended
		}
	}
	switch {
	case !t.raw && t.kept.size+len(t.buf)+len(p.Pre)+len(p.Data) > maxRaw:
		t.raw = true
		t.join()
		fallthrough
	case t.raw:
		w.gather(t, p.Pre)
		w.gather(t, p.Data)
		w.gather(t, p.Term)
	case p.Kind == framing.Event:
		t.event(p)
	default:
		if p.Start {
			t.hints.begin()
		}
		t.hints.scanner.Write(p.Data)
		if (!p.Start || !p.End) && !w.keep(t, p.Data, p.End) {
			t.join()
			t.buf = append(t.buf, p.Data...)
			p.Data = t.buf
		}
	}
	if p.End {
		w.ended(t, p)
	}
}

// ended closes the frame whose last piece this is.
func (w *Writer) ended(t *streamWriter, p framing.Piece) {
	w.end.Frames++
	switch {
	case !t.raw && p.Kind == framing.Event:
		w.event(t, p.Term)
		t.buf = t.buf[:0]
	case !t.raw:
		w.frame(t, p.Data, p.Term)
		t.buf = t.buf[:0]
	case w.bulk && t.decided == nil:
		return // the next frames go into the same record
	default:
		w.flush(t, len(t.buf))
	}
	t.raw, t.first = false, t.last
	t.decided = nil
}

// gather keeps bytes that are to be written raw, and writes them once there are
// maxRaw of them, or bulkRaw where they are many frames.
func (w *Writer) gather(t *streamWriter, p []byte) {
	limit := maxRaw
	if w.bulk {
		limit = bulkRaw
	}
	skip := min(t.ahead, len(p))
	t.ahead -= skip
	for p = p[skip:]; len(p) > 0; {
		if len(t.buf) >= limit {
			w.flush(t, wholeRunes(t.buf))
		}
		n := min(len(p), limit-len(t.buf))
		t.buf = append(t.buf, p[:n]...)
		p = p[n:]
	}
	if len(t.buf) >= limit {
		w.flush(t, wholeRunes(t.buf))
	}
	if w.bulk {
		w.pending = t
	}
}

// flushPending writes the bulk bytes of the one stream that has some. Only one may
// have any, so that the order of the streams is kept.
func (w *Writer) flushPending() {
	t := w.pending
	if t == nil {
		return
	}
	w.pending = nil
	if t.split.Pending() > 0 {
		w.flush(t, wholeRunes(t.buf)) // the frame goes on
		return
	}
	w.flush(t, len(t.buf))
	t.raw = false
}

// wholeRunes is the length of p without a rune at its end that is not all there.
func wholeRunes(p []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if tail := p[len(p)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return len(p) - back
			}
			break
		}
	}
	return len(p)
}

// flush writes the first n waiting bytes of a stream as raw records of maxRaw bytes
// at most.
func (w *Writer) flush(t *streamWriter, n int) {
	for p := t.buf[:n]; len(p) > 0; {
		m := len(p)
		if m > maxRaw {
			m = wholeRunes(p[:maxRaw])
		}
		n := w.next()
		w.buf = appendRaw(w.buf, n, t.origin, t.last, t.first, t.stream, t.way, w.appendDecided(nil, t.decided), p[:m])
		p = p[m:]
	}
	t.buf = slices.Delete(t.buf, 0, n)
	t.first = t.last
}

// finishStream ends the writer of a stream that has ended: its last frame has no
// terminator.
func (w *Writer) finishStream(t *streamWriter) {
	w.cur = t
	t.split.Flush(w.emit)
	w.flushPending()
	w.streams = slices.DeleteFunc(w.streams, func(other *streamWriter) bool { return other == t })
	if cap(t.buf) <= 2*maxRaw && len(w.spare) < maxKeepers {
		w.spare = append(w.spare, t)
	}
}

// unused returns a writer for a stream that begins: one of a stream that has ended, with its
// memory, where there is one. Over HTTP each body is a stream.
func (w *Writer) unused() *streamWriter {
	n := len(w.spare)
	if n == 0 {
		return &streamWriter{}
	}
	t := w.spare[n-1]
	w.spare = w.spare[:n-1]
	t.kept.release()
	t.buf, t.spans = t.buf[:0], t.spans[:0]
	t.raw, t.partialRune, t.ahead, t.first, t.last, t.decided = false, false, 0, 0, 0, nil
	return t
}

// cutOff writes the waiting bytes raw, for a stream that has not ended and of which
// bytes are missing, and resets its writer.
func (w *Writer) cutOff(t *streamWriter) {
	if t.split.Pending() > 0 {
		w.end.Frames++
	}
	t.takeHeld()
	w.flush(t, len(t.buf))
	t.split = framing.Splitter{Mode: t.split.Mode}
	t.raw, t.ahead, t.decided = false, 0, nil
}

// frame writes one frame's record. Its body is what is kept, else the one given.
func (w *Writer) frame(t *streamWriter, body, term []byte) {
	w.buf = appendHead(w.buf, "f", w.next(), t.origin, t.last)
	w.buf = appendStream(w.buf, t.last, t.first, t.stream, t.way)
	w.buf = w.appendDecided(w.buf, t.decided)
	verbatim := t.hints.end()
	if t.stream != session.Stderr {
		w.buf = t.hints.appendHints(w.buf)
	}
	if verbatim && t.kept.size >= inPlaceFrom {
		w.buf = append(appendLen(w.buf, t.kept.size, term), verbatimName...)
		w.inPlace(t)
		return
	}
	if len(t.kept.parts) > 0 {
		t.join()
		body = t.buf
	}
	w.buf = appendBody(w.buf, body, term, verbatim)
}

// inPlace writes a body without copying it, after the records before it and the head
// of its own record, which are in buf.
func (w *Writer) inPlace(t *streamWriter) {
	list := append(append(append(w.vector[:0], w.buf), t.kept.parts...), []byte(recordEnd))
	w.giveWay()
	if w.sink.writeParts(list) {
		w.dirty = true
		w.buf = w.buf[:0]
	} else {
		for _, p := range list[1:] {
			w.buf = append(w.buf, p...)
		}
		w.commit()
	}
	clear(list)
	w.vector = list
	t.kept.release()
}

// maxMarks is how many frames are remembered for those that replace or answer them: as many as
// control.MaxHeld are held, and more that were decided on at once.
const maxMarks = 16 << 10

// forgotten is said of a frame that replaces or answers one that is not remembered.
const forgotten = "; which record it replaces or answers is not known any more"

// marks are the record numbers of frames that others may replace or answer, by their marks.
type marks struct {
	numbers map[int64]uint64
	order   []int64 // order has the marks in the order in which they came, as a ring from first.
	first   int     // first is where the oldest is, once there are maxMarks.
}

// add remembers a frame.
func (m *marks) add(mark int64, n uint64) {
	if m.numbers == nil {
		m.numbers = map[int64]uint64{}
	}
	if _, known := m.numbers[mark]; known {
		return // A long one has several records: the first counts.
	}
	m.numbers[mark] = n
	if len(m.order) < maxMarks {
		m.order = append(m.order, mark)
		return
	}
	delete(m.numbers, m.order[m.first])
	m.order[m.first] = mark
	m.first = (m.first + 1) % maxMarks
}

// appendDecided appends what was decided on the frame of the record that is being written;
// nothing for nil.
func (w *Writer) appendDecided(dst []byte, d *session.Decided) []byte {
	if d == nil {
		return dst
	}
	if d.Mark != 0 {
		w.marks.add(d.Mark, w.n)
	}
	by := d.By
	if of := w.marks.numbers[d.Of]; of != 0 {
		dst = appendInt(dst, "of", int64(of))
	} else if d.Of != 0 {
		by += forgotten
	}
	return appendField(dst, "by", by)
}

// decisionOn returns what was decided on a chunk, nil for nothing: it comes right before it,
// unless the bytes are in a gap.
func (w *Writer) decisionOn(o *session.Observation) *session.Decided {
	d := w.decided
	w.decided = session.Observation{}
	if d.Conn != o.Conn || d.Trip != o.Trip || d.Stream != o.Stream || d.Way != o.Way {
		return nil
	}
	return &d.Decided
}
