package session

import (
	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
)

// MaxStderrJSON is how long a stderr line may be, in bytes, to be looked at as
// JSON.
const MaxStderrJSON = 64 << 10

// maxSpare is how much memory for a frame that came in pieces is kept for the
// next one, in bytes.
const maxSpare = 64 << 10

// A stream turns the records of one stream of a connection into frames. Bytes
// pass through: of a frame that comes in pieces only the first MaxWhole are
// kept, and of one of stderr the first HeadSize.
type stream struct {
	c     *conn
	a     *Analyzer
	id    Stream
	split framing.Splitter
	take  func(framing.Piece) // take is piece, bound once.

	// Where the bytes lie: in and out count those given to and by split; raws
	// are the raw records that hold what is not out yet.
	in, out int64
	raws    []rawRecord

	cur  incoming
	scan *jsonrpc.Scanner // scan reads cur.
	held *held            // held are cur's messages.
	asm  assembly

	// torn: bytes are missing before what comes next; the rest of the line that
	// they cut is no frame.
	torn bool

	stallAt int64 // stallAt is when cur is stalled, 0 = it is not about to.
}

// A rawRecord says which bytes of the stream a raw record holds.
type rawRecord struct {
	pos, end int64
	off      int64
	n        uint64
	t1, t    int64
}

// incoming is the frame that is coming in.
type incoming struct {
	open    bool // open: it began and did not end.
	kind    framing.Kind
	row     uint32 // row is NoRow until it has one.
	off     int64
	skip    uint32
	raw     bool
	n, of   uint64
	way     Way
	t1, t   int64
	len     int64
	kept    []byte // kept are its first bytes, as many as keeps says.
	buf     []byte // buf is memory for kept.
	scans   bool   // scans: it is read as JSON.
	stalled bool   // stalled: FrameStalled was given.
}

func newStream(c *conn, id Stream) *stream {
	st := &stream{c: c, a: c.a, id: id}
	st.take = st.piece
	st.scan, st.held = new(jsonrpc.Scanner), newHeld(st)
	return st
}

// addFrame takes a frame that the writer of the session cut out.
func (c *conn) addFrame(r *Record) {
	if r.Stream > Stderr {
		return
	}
	st := c.streamOf(r)
	if st.split.Pending() > 0 {
		st.tear() // A line that began in raw must end in raw: something was lost.
	}
	st.torn = false
	st.raws = st.raws[:0]
	st.came(r, int64(len(r.Body)+len(r.Term)))
	cur := &st.cur
	st.begin(st.split.Observe(r.Body, r.Term))
	cur.off, cur.skip, cur.raw = r.Off, 0, false
	cur.n, cur.of, cur.way = r.N, r.Of, r.Way
	cur.t1, cur.t = min(r.T1, st.a.clock), st.a.clock
	cur.kept = r.Body[:min(len(r.Body), st.keeps())]
	cur.len = int64(len(r.Body))
	st.read(r.Body)
	st.end(r.Term)
}

// addRaw takes bytes of a stream.
func (c *conn) addRaw(r *Record) {
	if r.Stream > Stderr || len(r.Body) == 0 {
		return
	}
	st := c.streamOf(r)
	st.came(r, int64(len(r.Body)))
	st.raws = append(st.dropRaws(), rawRecord{
		pos: st.in, end: st.in + int64(len(r.Body)), off: r.Off, n: r.N,
		t1: min(r.T1, st.a.clock), t: st.a.clock,
	})
	st.in += int64(len(r.Body))
	st.cur.way = r.Way
	st.split.Push(r.Body, st.take)
	if st.cur.open && st.id != Stderr && !st.torn {
		st.setStall()
	}
}

// came counts bytes that were read.
func (st *stream) came(r *Record, n int64) {
	c, now := st.c, st.a.clock
	if c.First[st.id] < 0 {
		c.First[st.id] = min(r.T1, now)
	}
	c.LastT[st.id] = now
	c.Bytes[st.id] += n
	st.a.totals.Bytes[st.id] += n
}

// dropRaws forgets the raw records that are wholly out, but never the latest.
func (st *stream) dropRaws() []rawRecord {
	i := 0
	for i < len(st.raws) && st.raws[i].end <= st.out {
		i++
	}
	return st.raws[:copy(st.raws, st.raws[i:])]
}

// piece takes a part of a frame from the Splitter.
func (st *stream) piece(p framing.Piece) {
	if p.Start {
		st.begin(p.Kind)
		st.locate()
	}
	cur := &st.cur
	cur.t = st.a.clock
	if room := st.keeps() - len(cur.kept); room > 0 {
		cur.buf = append(cur.buf, p.Data[:min(room, len(p.Data))]...)
		cur.kept = cur.buf
	}
	cur.len += int64(len(p.Data))
	st.read(p.Data)
	st.out += int64(len(p.Data) + len(p.Term))
	if p.End {
		st.end(p.Term)
	} else {
		st.grew()
	}
}

// begin begins a frame.
func (st *stream) begin(k framing.Kind) {
	cur := &st.cur
	way := cur.way
	if cap(cur.buf) > maxSpare {
		cur.buf = nil
	}
	*cur = incoming{open: true, kind: k, row: NoRow, way: way, buf: cur.buf[:0]}
	cur.scans = k != framing.Header
	if cur.scans {
		st.held.reset()
		st.scan.Reset(st.held.take)
	}
	if st.asm.open && k == framing.Line {
		st.asm.scan.Write(lineFeed)
	}
}

// keeps is how many bytes of a frame that comes in pieces are kept.
func (st *stream) keeps() int {
	if st.id == Stderr {
		return HeadSize
	}
	return MaxWhole
}

// head is what rules may look at of a frame that has not ended.
func (cur *incoming) head() []byte { return cur.kept[:min(len(cur.kept), HeadSize)] }

// whole is the body of a frame that has ended, nil where it was not kept.
func (cur *incoming) whole() []byte {
	if cur.open || int64(len(cur.kept)) != cur.len {
		return nil
	}
	return cur.kept
}

var lineFeed = []byte{'\n'}

// locate finds the raw record in which the frame that begins now begins.
func (st *stream) locate() {
	cur := &st.cur
	cur.raw = true
	cur.t1 = st.a.clock
	for _, r := range st.raws {
		if st.out < r.end {
			cur.off, cur.skip, cur.n = r.off, clamp32(st.out-r.pos), r.n
			if cur.t1 = r.t; st.out == r.pos {
				cur.t1 = r.t1
			}
			return
		}
	}
}

// read gives a part of the frame's body to the scanners.
func (st *stream) read(p []byte) {
	cur := &st.cur
	if cur.scans && st.id == Stderr && cur.len > MaxStderrJSON {
		cur.scans = false
	}
	if !cur.scans {
		return
	}
	st.scan.Write(p)
	if st.asm.open && cur.kind == framing.Line {
		st.asm.scan.Write(p)
	}
}

// grew shows a frame that goes on.
func (st *stream) grew() {
	if st.torn {
		return
	}
	st.show()
	st.fill(st.a.store.edit(st.cur.row))
	ev := st.a.event(FrameGrew, st.c)
	ev.Frame = st.facts(nil, jsonrpc.Text{BadAt: -1})
	st.a.emit()
}

// show gives the frame a row, if it has none.
func (st *stream) show() {
	if st.cur.row == NoRow {
		st.cur.row = st.a.store.add(Row{Kind: RowGrowing, Pair: NoRow, Conn: rowConn(st.c.ID), Stream: st.id})
	}
}

// fill writes what is known of the frame into its row.
func (st *stream) fill(row *Row) {
	cur := &st.cur
	row.Off, row.Skip, row.N = cur.off, cur.skip, rowN(cur.n)
	row.T, row.Dur = cur.t, micros(cur.t-cur.t1)
	row.Len, row.Way = clamp32(cur.len), cur.way
	if cur.raw {
		row.Flags |= FlagRaw
	}
}

// facts returns the frame as checkers see it. It is valid until the next call.
func (st *stream) facts(term []byte, text jsonrpc.Text) *Frame {
	cur := &st.cur
	st.a.frame = Frame{
		Row: cur.row, N: cur.n, Stream: st.id, Way: cur.way, T: cur.t, T1: cur.t1,
		Len: cur.len, Head: cur.head(), Whole: cur.whole(), Term: term,
		Header: cur.kind == framing.Header, Body: cur.kind == framing.Body,
		Text: text, Lines: 1, First: cur.row,
		of: cur.of,
	}
	return &st.a.frame
}

// end ends the frame with its terminator, which is empty where the stream ended
// in mid-line.
func (st *stream) end(term []byte) {
	cur := &st.cur
	cur.open = false
	st.noStall()
	st.show()
	row := st.a.store.edit(cur.row)
	st.fill(row)
	row.Kind = st.plainKind()
	if len(term) == 0 && cur.kind == framing.Line {
		row.Flags |= FlagUnterminated
	}
	if st.torn {
		st.torn = false
		return
	}
	st.c.Frames[st.id]++
	st.a.totals.Frames[st.id]++
	if st.id == Stderr {
		text := jsonrpc.Text{BadAt: -1}
		if cur.scans {
			text = st.scan.End()
		}
		st.a.see(st.c, st.facts(term, text))
		return
	}
	st.joinOrJudge(term)
}

// plainKind is the kind of the frame's row before its messages are known.
func (st *stream) plainKind() RowKind {
	switch {
	case st.id == Stderr:
		return RowStderr
	case st.cur.kind == framing.Header:
		return RowHeader
	}
	return RowText
}

// flush ends the stream: what is unfinished is a frame without terminator, and
// lines that wait for more are frames of their own.
func (st *stream) flush() {
	st.split.Flush(st.take)
	st.giveUp()
	st.torn = false
}

// tear takes note that bytes are missing here. The unfinished frame and the
// unfinished assembly are shown and not judged; the rest of the line is skipped.
func (st *stream) tear() {
	st.asm.abandon()
	st.torn = true
	if st.split.Pending() > 0 {
		st.split.Flush(st.take)
	}
	if st.cur.open {
		st.end(nil)
	}
	st.raws = st.raws[:0]
	st.torn = true
	if st.id != Stderr {
		st.c.peers[st.id].ids.forgot = true
	}
}

// setStall arms the timer for a value that is complete and has no terminator.
func (st *stream) setStall() {
	st.noStall()
	whole := st.scan.Syntax() == jsonrpc.Complete || st.asm.open && st.asm.scan.Syntax() == jsonrpc.Complete
	if st.cur.stalled || !st.cur.scans || !whole {
		return
	}
	st.stallAt = st.a.clock + stallAfter
	st.a.growing++
	st.a.dueBy(st.stallAt)
}

func (st *stream) noStall() {
	if st.stallAt != 0 {
		st.stallAt = 0
		st.a.growing--
	}
}

// stalled reports a frame that is complete but for its terminator.
func (st *stream) stalled() {
	st.noStall()
	st.cur.stalled = true
	ev := st.a.event(FrameStalled, st.c)
	ev.Frame = st.facts(nil, jsonrpc.Text{Syntax: jsonrpc.Complete, Len: st.cur.len, BadAt: -1})
	st.a.emit()
}

// see gives a frame that ended to the checkers.
func (a *Analyzer) see(c *conn, f *Frame) {
	ev := a.event(FrameSeen, c)
	ev.Frame = f
	a.emit()
}
