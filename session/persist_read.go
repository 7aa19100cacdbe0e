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
