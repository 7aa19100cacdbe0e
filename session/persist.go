package session

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A stored snapshot is a magic text with a version, then sections: a tag of four
// bytes, a length of eight, that many bytes. All numbers are little-endian. The
// last section holds the CRC-32C of everything before it.
//
//	meta  JSON: what is small
//	name  the interned names: a length of four bytes and the text, each
//	idtx  the id texts, a section a block
//	mark  reports of findings: time, row, rows there were, finding, severity
//	late  requests that were late: time, row, rows there were
//	trip  the row of the round trip of each row of a chunk: the chunk's number, then four bytes a row
//	rows  rowSize bytes a row
//	sum.  the checksum
const snapshotMagic = "wiretea snapshot 9\n"

// rowSize is the stored size of a row in bytes.
const rowSize = 64

// tripSize is the stored size of a chunk's round trips in bytes.
const tripSize = 4 + 4*chunkRows

// markSize is the stored size of a mark in bytes.
const markSize = 20

// lateSize is the stored size of a lateness in bytes.
const lateSize = 16

// maxSection bounds a section's length; only the rows of a real snapshot come
// near it.
const maxSection = 1 << 38

// ErrSnapshot is returned when a stored snapshot is not one, is damaged, or has
// another version.
var ErrSnapshot = errors.New("not a snapshot of this version")

// snapshotMeta is the small part of a snapshot.
type snapshotMeta struct {
	Header   *Header
	End      *End
	Totals   Totals
	Clock    int64
	Findings []Finding
	Conns    []Conn
	Methods  []MethodStats
	Turns    []transition
	InPath   []PathEvent
	Aparts   []apart
}

// WriteTo writes the snapshot so that ReadSnapshot can read it back.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	meta, err := json.Marshal(snapshotMeta{s.header, s.end, s.totals, s.clock, s.findings, s.conns, s.methods, s.turns, s.inPath, s.aparts})
	if err != nil {
		return 0, fmt.Errorf("writing snapshot: %w", err)
	}
	e := &encoder{w: w, sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	e.write([]byte(snapshotMagic))
	e.section("meta", int64(len(meta)))
	e.write(meta)
	e.names(s.names)
	for _, b := range s.ids.blocks {
		e.section("idtx", int64(len(b)))
		e.write(b)
	}
	e.marks(s.marks)
	e.lates(s.lates)
	e.trips(s.trips)
	e.rows(s)
	sum := e.sum.Sum32()
	e.section("sum.", 4)
	e.write(binary.LittleEndian.AppendUint32(nil, sum))
	if e.err != nil {
		return e.n, fmt.Errorf("writing snapshot: %w", e.err)
	}
	return e.n, nil
}

// encoder writes, counts and computes the checksum up to the first error.
type encoder struct {
	w   io.Writer
	sum interface {
		io.Writer
		Sum32() uint32
	}
	n   int64
	err error
	buf []byte
}

func (e *encoder) write(p []byte) {
	if e.err != nil {
		return
	}
	e.sum.Write(p) // It never fails.
	n, err := e.w.Write(p)
	e.n += int64(n)
	e.err = err
}

func (e *encoder) section(tag string, n int64) {
	e.write(binary.LittleEndian.AppendUint64([]byte(tag), uint64(n)))
}

func (e *encoder) names(list []string) {
	e.buf = e.buf[:0]
	for _, name := range list {
		e.buf = binary.LittleEndian.AppendUint32(e.buf, uint32(len(name)))
		e.buf = append(e.buf, name...)
	}
	e.section("name", int64(len(e.buf)))
	e.write(e.buf)
}

func (e *encoder) marks(list []mark) {
	e.buf = e.buf[:0]
	for _, m := range list {
		e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(m.t))
		e.buf = binary.LittleEndian.AppendUint32(e.buf, m.row)
		e.buf = binary.LittleEndian.AppendUint32(e.buf, m.at)
		e.buf = binary.LittleEndian.AppendUint16(e.buf, m.finding)
		e.buf = append(e.buf, byte(m.sev), 0)
	}
	e.section("mark", int64(len(e.buf)))
	e.write(e.buf)
}

func (e *encoder) lates(list []lateness) {
	e.buf = e.buf[:0]
	for _, l := range list {
		e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(l.T))
		e.buf = binary.LittleEndian.AppendUint32(e.buf, l.Row)
		e.buf = binary.LittleEndian.AppendUint32(e.buf, l.Rows)
	}
	e.section("late", int64(len(e.buf)))
	e.write(e.buf)
}

func (e *encoder) trips(list []*tripChunk) {
	for c, chunk := range list {
		if chunk == nil {
			continue
		}
		e.buf = binary.LittleEndian.AppendUint32(e.buf[:0], uint32(c))
		for _, trip := range chunk {
			e.buf = binary.LittleEndian.AppendUint32(e.buf, trip)
		}
		e.section("trip", tripSize)
		e.write(e.buf)
	}
}

func (e *encoder) rows(s *Snapshot) {
	e.section("rows", int64(s.n)*rowSize)
	buf := make([]byte, chunkRows*rowSize)
	for c := 0; uint32(c)*chunkRows < s.n; c++ {
		k := min(s.n-uint32(c)*chunkRows, chunkRows)
		for i := range k {
			s.chunks[c][i].encode(buf[i*rowSize:])
		}
		e.write(buf[:k*rowSize])
	}
}

func (r *Row) encode(b []byte) {
	_ = b[rowSize-1]
	le := binary.LittleEndian
	le.PutUint64(b[0:], uint64(r.Off))
	le.PutUint64(b[8:], uint64(r.T))
	le.PutUint64(b[16:], uint64(r.ID))
	le.PutUint32(b[24:], r.Dur)
	le.PutUint32(b[28:], r.Len)
	le.PutUint32(b[32:], r.Skip)
	le.PutUint32(b[36:], r.Pair)
	le.PutUint32(b[40:], r.Method)
	le.PutUint32(b[44:], r.Target)
	le.PutUint32(b[48:], r.Op)
	le.PutUint32(b[52:], r.N)
	le.PutUint16(b[56:], r.Conn)
	le.PutUint16(b[58:], uint16(r.Flags))
	b[60], b[61], b[62], b[63] = byte(r.Kind), byte(r.Stream), byte(r.Way), byte(r.Sev)
}

func (r *Row) decode(b []byte) {
	_ = b[rowSize-1]
	le := binary.LittleEndian
	r.Off, r.T, r.ID = int64(le.Uint64(b[0:])), int64(le.Uint64(b[8:])), IDRef(le.Uint64(b[16:]))
	r.Dur, r.Len, r.Skip, r.Pair = le.Uint32(b[24:]), le.Uint32(b[28:]), le.Uint32(b[32:]), le.Uint32(b[36:])
	r.Method, r.Target, r.Op, r.N = le.Uint32(b[40:]), le.Uint32(b[44:]), le.Uint32(b[48:]), le.Uint32(b[52:])
	r.Conn, r.Flags = le.Uint16(b[56:]), Flags(le.Uint16(b[58:]))
	r.Kind, r.Stream, r.Way, r.Sev = RowKind(b[60]), Stream(b[61]), Way(b[62]), Severity(b[63])
}
