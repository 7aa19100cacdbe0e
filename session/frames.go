package session

import (
	"bytes"

	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
)

// MaxStderrJSON is the maximum length of a stderr line that is parsed as JSON,
// in bytes.
const MaxStderrJSON = 64 << 10

// maxSpare is how much memory of a frame that came in pieces is kept for the
// next one, in bytes.
const maxSpare = 64 << 10

// A stream turns the records of one stream of a connection into frames. Bytes
// pass through: of a frame that comes in pieces only the first MaxWhole bytes
// are kept, and of one of stderr the first HeadSize.
type stream struct {
	c     *conn
	a     *Analyzer
	id    Stream
	split framing.Splitter
	take  func(framing.Piece) // take is the method value piece, bound once.

	// Positions: in and out count the bytes given to and by split; raws are the
	// raw records with bytes that are not out yet.
	in, out int64
	raws    []rawRecord

	cur  incoming
	scan *jsonrpc.Scanner // scan reads cur.
	held *held            // held are cur's messages.
	asm  assembly

	// torn: bytes are missing before the next ones; the rest of the line that
	// the gap cut is not a frame.
	torn bool

	trip *Trip // trip is the round trip of which this is a body; nil over stdio.

	stallAt int64 // stallAt is when cur counts as stalled, 0 = never.
}

// A rawRecord is a raw record with its range of the stream's bytes.
type rawRecord struct {
	pos, end int64
	off      int64
	n        uint64
	t1, t    int64
}

// incoming is the frame that has not ended.
type incoming struct {
	open    bool // open: it began and did not end.
	kind    framing.Kind
	row     uint32 // row is NoRow until it has one.
	off     int64
	skip    uint32
	raw     bool
	split   bool // split: an event's syntax is between the lines of its data.
	n, of   uint64
	way     Way
	acted   bool // acted: it was decided on, and did not cross as it was.
	t1, t   int64
	len     int64
	kept    []byte   // kept is its first bytes, up to keeps().
	buf     []byte   // buf is memory for kept.
	syntax  []byte   // syntax is what an event has beside its message, at most HeadSize bytes.
	scans   bool     // scans: it is parsed as JSON.
	decoded *Decoded // decoded is what was found in it before; nil = scan reads it.
	stalled bool     // stalled: FrameStalled was emitted.
}

func newStream(c *conn, id Stream) *stream {
	st := &stream{c: c, a: c.a, id: id}
	st.take = st.piece
	st.scan, st.held = new(jsonrpc.Scanner), newHeld(st)
	return st
}

// addFrame adds a frame that the writer of the session framed.
func (c *conn) addFrame(r *Record) {
	st := c.streamOf(r)
	if st == nil {
		return
	}
	if st.split.Pending() > 0 {
		st.tear() // A line that began in raw must end in raw, so bytes were lost.
	}
	st.torn = false
	st.raws = st.raws[:0]
	st.came(r, int64(len(r.Pre)+len(r.Body)+len(r.Post)+len(r.Term)))
	cur := &st.cur
	st.begin(st.split.Observe(r.Body, r.Term))
	cur.off, cur.skip, cur.raw = r.Off, 0, false
	cur.n, cur.of, cur.way = r.N, r.Of, r.Way
	cur.acted = r.By != "" && r.Way != Crossed
	cur.note(r.Pre)
	cur.note(r.Post)
	cur.t1, cur.t = min(r.T1, st.a.clock), st.a.clock
	cur.kept = r.Body[:min(len(r.Body), st.keeps())]
	cur.len = int64(len(r.Body))
	if cur.scans && !st.asm.open {
		cur.decoded = r.Decoded
	}
	if cur.decoded == nil {
		st.read(r.Body)
	}
	if cur.kind == framing.Event && endsEvent(r.Post) {
		r.Term = r.Post
	}
	st.end(r.Term)
}

// endsEvent reports whether what follows the data of an event ends with its empty line.
func endsEvent(post []byte) bool {
	line, _ := bytes.CutSuffix(bytes.TrimSuffix(post, []byte("\n")), []byte("\r"))
	return len(line) < len(post) && len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r')
}

// addRaw adds bytes of a stream.
func (c *conn) addRaw(r *Record) {
	st := c.streamOf(r)
	if st == nil || len(r.Body) == 0 {
		return
	}
	st.came(r, int64(len(r.Body)))
	st.raws = append(st.dropRaws(), rawRecord{
		pos: st.in, end: st.in + int64(len(r.Body)), off: r.Off, n: r.N,
		t1: min(r.T1, st.a.clock), t: st.a.clock,
	})
	st.in += int64(len(r.Body))
	st.cur.of, st.cur.way, st.cur.acted = r.Of, r.Way, r.By != "" && r.Way != Crossed
	st.split.Push(r.Body, st.take)
	if st.cur.open && st.id != Stderr && !st.torn && st.trip == nil {
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
	if st.trip != nil {
		st.trip.Bytes[st.id] += n
		if st.id == S2C {
			st.trip.LastT = now
		}
	}
}

// dropRaws drops the raw records that are completely out, except the latest.
func (st *stream) dropRaws() []rawRecord {
	i := 0
	for i < len(st.raws) && st.raws[i].end <= st.out {
		i++
	}
	return st.raws[:copy(st.raws, st.raws[i:])]
}

// piece adds a part of a frame from the Splitter.
func (st *stream) piece(p framing.Piece) {
	if p.Start {
		st.begin(p.Kind)
		st.locate()
	}
	cur := &st.cur
	cur.t = st.a.clock
	cur.note(p.Pre)
	if cur.kind == framing.Event && cur.len == 0 && len(p.Pre)+len(p.Data) > 0 {
		st.out += int64(len(p.Pre))
		st.locate() // Pre may have been the end of the record before.
		p.Pre = nil
	}
	cur.split = cur.split || len(p.Pre) > 0
	if room := st.keeps() - len(cur.kept); room > 0 {
		cur.buf = append(cur.buf, p.Data[:min(room, len(p.Data))]...)
		cur.kept = cur.buf
	}
	cur.len += int64(len(p.Data))
	st.read(p.Data)
	st.out += int64(len(p.Pre) + len(p.Data) + len(p.Term))
	switch {
	case cur.kind == framing.Event && cur.len == 0:
		st.noMessage(p)
	case p.End:
		st.end(p.Term)
	default:
		st.grew()
	}
}

// note keeps the beginning of what an event has beside its message.
func (cur *incoming) note(syntax []byte) {
	cur.syntax = append(cur.syntax, syntax[:min(len(syntax), HeadSize-len(cur.syntax))]...)
}

// noMessage reports, at its end, an event that has no data.
func (st *stream) noMessage(p framing.Piece) {
	if p.End {
		st.cur.open = false
		st.c.seeHTTP(st.trip, &HTTPEvent{Event: "sse", Conn: st.c.ID, Text: st.cur.syntax})
	}
}

// begin begins a frame.
func (st *stream) begin(k framing.Kind) {
	cur := &st.cur
	of, way, acted := cur.of, cur.way, cur.acted
	if cap(cur.buf) > maxSpare {
		cur.buf = nil
	}
	*cur = incoming{open: true, kind: k, row: NoRow, of: of, way: way, acted: acted, buf: cur.buf[:0], syntax: cur.syntax[:0]}
	cur.scans = k != framing.Header
	if cur.scans {
		st.held.reset()
		st.scan.Reset(st.held.take)
	}
	if st.asm.open && k == framing.Line {
		st.asm.scan.Write(lineFeed)
	}
}

// keeps returns how many bytes of a frame that comes in pieces are kept.
func (st *stream) keeps() int {
	if st.id == Stderr {
		return HeadSize
	}
	return MaxWhole
}

// head returns the part of an unfinished frame that rules may use.
func (cur *incoming) head() []byte { return cur.kept[:min(len(cur.kept), HeadSize)] }

// whole returns the body of a frame that has ended, nil if it was not kept.
func (cur *incoming) whole() []byte {
	if cur.open || int64(len(cur.kept)) != cur.len {
		return nil
	}
	return cur.kept
}

var lineFeed = []byte{'\n'}

// locate finds the raw record in which the new frame begins.
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

// read passes a part of the frame's body to the scanners.
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

// grew reports more bytes of a frame.
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
		if st.trip != nil {
			st.a.store.setTrip(st.cur.row, st.trip.Row)
		}
	}
}

// fill writes the known facts of the frame into its row.
func (st *stream) fill(row *Row) {
	cur := &st.cur
	row.Off, row.Skip, row.N = cur.off, cur.skip, rowN(cur.n)
	row.T, row.Dur = cur.t, micros(cur.t-cur.t1)
	row.Len, row.Way = clamp32(cur.len), cur.way
	if cur.raw {
		row.Flags |= FlagRaw
	}
	if cur.raw && cur.split {
		row.Flags |= FlagEvent
	}
	if cur.acted {
		row.Flags |= FlagDecided
		st.c.onHold.acted = max(1, cur.t)
		if st.trip != nil {
			st.trip.open.acted = true
		}
	}
}

// facts returns the frame for checkers. It is valid until the next call.
func (st *stream) facts(term []byte, text jsonrpc.Text) *Frame {
	cur := &st.cur
	st.a.frame = Frame{
		Row: cur.row, N: cur.n, Stream: st.id, Way: cur.way, T: cur.t, T1: cur.t1,
		Len: cur.len, Head: cur.head(), Whole: cur.whole(), Term: term,
		Header: cur.kind == framing.Header, Body: cur.kind == framing.Body,
		Text: text, Lines: 1, First: cur.row, Trip: st.trip, Syntax: cur.syntax,
		of: cur.of, acted: cur.acted,
	}
	return &st.a.frame
}

// end ends the frame with its terminator, which is empty if the stream ended
// within a line.
func (st *stream) end(term []byte) {
	cur := &st.cur
	cur.open = false
	st.noStall()
	st.show()
	row := st.a.store.edit(cur.row)
	st.fill(row)
	row.Kind = st.plainKind()
	if len(term) == 0 && (cur.kind == framing.Line || cur.kind == framing.Event) {
		row.Flags |= FlagUnterminated
	}
	if st.torn {
		st.torn = false
		return
	}
	if st.trip != nil {
		st.trip.Frames[st.id]++
		if f := framing.EventFields(cur.syntax); f.HasID {
			st.trip.EventID = f.ID
		}
	}
	st.c.Frames[st.id]++
	st.a.totals.Frames[st.id]++
	if cur.acted && cur.way == WayIn {
		st.a.totals.Decided++
	}
	if st.id == Stderr {
		text, _ := st.decoded()
		st.a.see(st.c, st.facts(term, text))
		return
	}
	st.joinOrJudge(term)
}

// decoded returns what was found in the frame that has ended, as one text.
func (st *stream) decoded() (jsonrpc.Text, *held) {
	switch cur := &st.cur; {
	case cur.decoded != nil:
		return cur.decoded.text, &cur.decoded.held
	case cur.scans:
		return st.scan.End(), st.held
	}
	return jsonrpc.Text{BadAt: -1}, st.held
}

// plainKind returns the kind of the frame's row before its messages are known.
func (st *stream) plainKind() RowKind {
	switch {
	case st.id == Stderr:
		return RowStderr
	case st.cur.kind == framing.Header:
		return RowHeader
	}
	return RowText
}

// flush ends the stream: an unfinished line is a frame without terminator, and
// lines that wait for more are separate frames.
func (st *stream) flush() {
	st.split.Flush(st.take)
	st.giveUp()
	st.torn = false
}

// tear records that bytes are missing here. The unfinished frame and the
// unfinished assembly are shown but not judged; the rest of the line is
// skipped.
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

// setStall sets the timer for a complete value without a terminator.
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

// stalled reports a frame that lacks only its terminator.
func (st *stream) stalled() {
	st.noStall()
	st.cur.stalled = true
	ev := st.a.event(FrameStalled, st.c)
	ev.Frame = st.facts(nil, jsonrpc.Text{Syntax: jsonrpc.Complete, Len: st.cur.len, BadAt: -1})
	st.a.emit()
}

// see passes a frame that ended to the checkers.
func (a *Analyzer) see(c *conn, f *Frame) {
	ev := a.event(FrameSeen, c)
	ev.Frame = f
	a.emit()
}
