package session

import "slices"

// chunkRows is how many rows share one chunk, the unit in which snapshots share
// and copy memory: 64 KiB.
const chunkRows = 1 << chunkBits

const chunkBits = 10

// maxRows is where the store stops growing; NoRow must stay free.
const maxRows = ^uint32(0) - 1

type chunk [chunkRows]Row

// A tripChunk has the row of each row's round trip, plus one; 0 = none.
type tripChunk [chunkRows]uint32

// A store is the growing list of rows. A snapshot shares its chunks: rows below
// seen are copied with their chunk before they change, rows above it are in no
// snapshot and change in place.
type store struct {
	chunks []*chunk
	trips  []*tripChunk // trips has, beside a chunk, the round trips of its rows; nil where they have none.
	epochs []uint64     // epochs[i] is the epoch in which chunk i was made.
	epoch  uint64       // epoch counts the snapshots.
	seen   uint32       // seen is how many rows the latest snapshot has.
	n      uint32

	names interner
	ids   idTexts
}

// add appends a row and returns its number, or NoRow where the store is full.
func (s *store) add(r Row) uint32 {
	if s.n >= maxRows {
		return NoRow
	}
	i := s.n
	if i%chunkRows == 0 {
		s.chunks = append(s.chunks, new(chunk))
		s.epochs = append(s.epochs, s.epoch)
	}
	s.chunks[i>>chunkBits][i%chunkRows] = r
	s.n++
	return i
}

// setTrip notes the round trip of a row that is in no snapshot yet.
func (s *store) setTrip(i, trip uint32) {
	if i >= s.n || trip == NoRow {
		return
	}
	c := int(i >> chunkBits)
	for len(s.trips) <= c {
		s.trips = append(s.trips, nil)
	}
	if s.trips[c] == nil {
		s.trips[c] = new(tripChunk)
	}
	s.trips[c][i%chunkRows] = trip + 1
}

// at returns row i for reading, an empty Row for NoRow.
func (s *store) at(i uint32) Row {
	if i >= s.n {
		return Row{Pair: NoRow}
	}
	return s.chunks[i>>chunkBits][i%chunkRows]
}

// edit returns row i for changing. The pointer is valid until the next call of
// add, edit or publish. For NoRow it returns an unused row.
func (s *store) edit(i uint32) *Row {
	if i >= s.n {
		return new(Row)
	}
	c := i >> chunkBits
	if i < s.seen && s.epochs[c] < s.epoch {
		dup := *s.chunks[c]
		s.chunks[c] = &dup
		s.epochs[c] = s.epoch
	}
	return &s.chunks[c][i%chunkRows]
}

// publish returns the list of chunks for a snapshot, which from now on are
// copied before a row below n changes.
func (s *store) publish() ([]*chunk, uint32) {
	s.epoch++
	s.seen = s.n
	return slices.Clone(s.chunks), s.n
}

// Names 0 and 1 are reserved: no name, and the one for all names after the
// table was full.
const (
	noName   uint32 = 0
	manyName uint32 = 1
)

// Bounds of the name table. Methods may still be added when targets may not, so
// that a peer which invents targets cannot hide methods.
const (
	maxTargets = 64 << 10
	maxNames   = maxTargets + 4<<10
)

// maxName is the maximum stored length of a name, in bytes.
const maxName = 256

// interner interns methods and targets. It only grows, so that a snapshot may
// keep a part of list.
type interner struct {
	list  []string
	index map[string]uint32
}

func newInterner() interner {
	return interner{list: []string{"", "…"}, index: map[string]uint32{"": noName, "…": manyName}}
}

// method and target return the number of a name, manyName if the table is full.
// They do not retain text.
func (n *interner) method(text []byte) uint32 { return n.intern(text, maxNames) }
func (n *interner) target(text []byte) uint32 { return n.intern(text, maxTargets) }

func (n *interner) intern(text []byte, limit int) uint32 {
	text = text[:min(len(text), maxName)]
	if i, ok := n.index[string(text)]; ok {
		return i
	}
	if len(n.list) >= limit {
		return manyName
	}
	i := uint32(len(n.list))
	s := string(text)
	n.list = append(n.list, s)
	n.index[s] = i
	return i
}
