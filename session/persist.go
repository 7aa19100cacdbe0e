package session

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
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

// ReadSnapshot reads what WriteTo wrote. Whatever r returns, it neither panics
// nor takes more memory than a small multiple of what was read. An incomplete
// snapshot is ErrSnapshot; errors of r are returned.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	d := &decoder{r: r, sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	s := d.snapshot()
	if d.err != nil {
		return nil, fmt.Errorf("reading snapshot: %w", d.err)
	}
	return s, nil
}

// readStep is how much is read at once: memory grows only with what came.
const readStep = 1 << 20

// decoder reads and computes the checksum up to the first error.
type decoder struct {
	r   io.Reader
	sum hash.Hash32
	buf []byte
	err error
}

// fail records the first error. A truncated text is not a snapshot.
func (d *decoder) fail(err error) {
	if d.err != nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrSnapshot
	}
	d.err = err
}

// take returns the next n ≤ readStep bytes, nil after an error.
func (d *decoder) take(n int) []byte {
	if d.err != nil {
		return nil
	}
	if cap(d.buf) < n {
		d.buf = make([]byte, n)
	}
	p := d.buf[:n]
	if _, err := io.ReadFull(d.r, p); err != nil {
		d.fail(err)
		return nil
	}
	d.sum.Write(p) // It never fails.
	return p
}

// each passes the next n bytes to use in steps that are multiples of unit.
func (d *decoder) each(n int64, unit int, use func(p []byte)) {
	if n%int64(unit) != 0 {
		d.fail(ErrSnapshot)
		return
	}
	for n > 0 && d.err == nil {
		k := min(n, int64(readStep/unit*unit))
		if p := d.take(int(k)); p != nil {
			use(p)
		}
		n -= k
	}
}

// bytes returns a copy of the next n bytes.
func (d *decoder) bytes(n int64) []byte {
	var all []byte
	d.each(n, 1, func(p []byte) { all = append(all, p...) })
	return all
}

// section returns the next section's tag and length.
func (d *decoder) section() (string, int64) {
	head := d.take(12)
	if head == nil {
		return "", 0
	}
	n := binary.LittleEndian.Uint64(head[4:])
	if n > maxSection {
		d.fail(ErrSnapshot)
		return "", 0
	}
	return string(head[:4]), int64(n)
}

func (d *decoder) snapshot() *Snapshot {
	if string(d.take(len(snapshotMagic))) != snapshotMagic {
		d.fail(ErrSnapshot)
		return nil
	}
	s := &Snapshot{}
	for d.err == nil {
		sum := d.sum.Sum32()
		switch tag, n := d.section(); tag {
		case "meta":
			d.meta(s, d.bytes(n))
		case "name":
			d.names(s, d.bytes(n))
		case "idtx":
			if n > idBlock || len(s.ids.blocks) == idBlocks {
				d.fail(ErrSnapshot)
			}
			s.ids.blocks = append(s.ids.blocks, d.bytes(min(n, idBlock)))
		case "mark":
			d.each(n, markSize, func(p []byte) {
				le := binary.LittleEndian
				for ; len(p) > 0; p = p[markSize:] {
					s.marks = append(s.marks, mark{int64(le.Uint64(p)), le.Uint32(p[8:]), le.Uint32(p[12:]), le.Uint16(p[16:]), Severity(p[18])})
				}
			})
		case "late":
			d.each(n, lateSize, func(p []byte) {
				le := binary.LittleEndian
				for ; len(p) > 0; p = p[lateSize:] {
					s.lates = append(s.lates, lateness{int64(le.Uint64(p)), le.Uint32(p[8:]), le.Uint32(p[12:])})
				}
			})
		case "trip":
			d.trips(s, n)
		case "rows":
			d.rows(s, n)
		case "sum.":
			if p := d.take(int(min(n, 4))); len(p) < 4 || binary.LittleEndian.Uint32(p) != sum {
				d.fail(ErrSnapshot)
			}
			return s
		default:
			d.fail(ErrSnapshot)
		}
	}
	return nil
}

// trips reads the round trips of a chunk. What they point to is checked where it is used.
func (d *decoder) trips(s *Snapshot, n int64) {
	p := d.take(int(min(n, tripSize)))
	if len(p) < tripSize {
		d.fail(ErrSnapshot)
		return
	}
	le := binary.LittleEndian
	c := int(le.Uint32(p))
	if c < len(s.trips) || c > len(s.trips)+1<<10 {
		d.fail(ErrSnapshot)
		return
	}
	for len(s.trips) <= c {
		s.trips = append(s.trips, nil)
	}
	chunk := new(tripChunk)
	for i := range chunk {
		chunk[i] = le.Uint32(p[4+4*i:])
	}
	s.trips[c] = chunk
}

func (d *decoder) meta(s *Snapshot, text []byte) {
	if d.err != nil {
		return
	}
	var m snapshotMeta
	if err := json.Unmarshal(text, &m); err != nil {
		d.fail(ErrSnapshot)
		return
	}
	s.header, s.end, s.totals, s.clock = m.Header, m.End, m.Totals, m.Clock
	s.findings, s.conns, s.methods = m.Findings, m.Conns, m.Methods
	s.turns, s.inPath, s.aparts = m.Turns, m.InPath, m.Aparts
}

func (d *decoder) names(s *Snapshot, p []byte) {
	for len(p) > 0 {
		if len(p) < 4 {
			d.fail(ErrSnapshot)
			return
		}
		n := binary.LittleEndian.Uint32(p)
		p = p[4:]
		if uint64(n) > uint64(len(p)) {
			d.fail(ErrSnapshot)
			return
		}
		s.names = append(s.names, string(p[:n]))
		p = p[n:]
	}
}

func (d *decoder) rows(s *Snapshot, n int64) {
	if n/rowSize > int64(maxRows) || s.n > 0 {
		d.fail(ErrSnapshot)
		return
	}
	d.each(n, rowSize, func(p []byte) {
		for ; len(p) > 0; p = p[rowSize:] {
			if s.n%chunkRows == 0 {
				s.chunks = append(s.chunks, new(chunk))
			}
			s.chunks[s.n>>chunkBits][s.n%chunkRows].decode(p)
			s.n++
		}
	})
}
