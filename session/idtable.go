package session

import (
	"hash/maphash"
	"iter"
)

// An idTable stores every id that one side used in one connection: the row of
// its request, and the state of the exchange. 16 bytes per id, no pointers. Numbers
// that follow one another, as nearly all clients count, are stored one after the other;
// other ids where their hashes say, in 16 to 32 MiB for a million. Only the hash of
// such an id is stored.
type idTable struct {
	slots []idEntry
	used  int // used is how many slots are.
	stray int // stray is how many of these have numbers that were outside the runs.

	runs  []*idRun // runs have the entries of the numbers from first on.
	first uint64   // first is a multiple of idRunSize.
	n     int      // n is how many ids there are.

	// forgot: some used ids are missing, so that nothing is known of an id that
	// is not found.
	forgot bool
}

const idRunSize = 1024

type idRun [idRunSize]idEntry

// An idEntry is one id. The hash 0 marks a free place.
type idEntry struct {
	hash uint64
	row  uint32 // row of the latest request with this id
	at   uint32 // at is the exchange's place in peer.live, or one of the states below.
}

// The states of exchanges that are no longer in memory.
const (
	idAnswered  = ^uint32(0) - iota
	idCancelled // idCancelled: cancelled, not answered.
	idWaiting   // idWaiting: open, but there were too many to store.
)

// maxIDs is how many ids a table holds before it drops completed ones.
const maxIDs = 3 << 20

// find returns the entry of a hash, nil if it was never used. The pointer is
// valid until the next insert.
func (t *idTable) find(hash uint64) *idEntry {
	e := t.inRun(hash)
	if t.used > 0 && (e == nil || e.hash == 0 && t.stray > 0) {
		e = t.slot(hash)
	}
	if e == nil || e.hash == 0 {
		return nil
	}
	return e
}

// isNumber reports whether a hash is that of a number, which its lower bits are.
func isNumber(hash uint64) bool { return hash&(digitsMark|stringMark) == digitsMark }

// inRun returns the place of a number among the runs, nil if it has none there.
func (t *idTable) inRun(hash uint64) *idEntry {
	n := hash&^digitsMark - t.first
	if !isNumber(hash) || n/idRunSize >= uint64(len(t.runs)) {
		return nil
	}
	return &t.runs[n/idRunSize][n%idRunSize]
}

// slot returns the slot of a hash, or the free one where it belongs.
func (t *idTable) slot(hash uint64) *idEntry {
	mask, i := uint64(len(t.slots)-1), hash
	if hash&digitsMark != 0 {
		i = maphash.Comparable(hashSeed.Get(), hash) // A peer must not be able to choose the slots.
	}
	for i &= mask; t.slots[i].hash != 0 && t.slots[i].hash != hash; {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

// insert returns the entry of a hash that is not in the table yet.
func (t *idTable) insert(hash uint64) *idEntry {
	if t.n >= maxIDs {
		t.drop()
	}
	t.n++
	e := t.place(hash)
	e.hash = hash
	return e
}

// place returns a free entry.
func (t *idTable) place(hash uint64) *idEntry {
	if isNumber(hash) {
		number := hash &^ digitsMark
		if len(t.runs) == 0 {
			t.first = number / idRunSize * idRunSize
		}
		// A peer must not be able to make many runs with a few ids in each.
		if full := t.n-t.used >= len(t.runs)*idRunSize/4; full && (number-t.first)/idRunSize == uint64(len(t.runs)) {
			t.runs = append(t.runs, new(idRun))
		}
		if e := t.inRun(hash); e != nil {
			return e
		}
		t.stray++
	}
	if t.used >= len(t.slots)/4*3 {
		old := t.slots
		t.slots = make([]idEntry, max(64, 2*len(old)))
		for _, e := range old {
			if e.hash != 0 {
				*t.slot(e.hash) = e
			}
		}
	}
	t.used++
	return t.slot(hash)
}

// drop forgets the ids of completed exchanges.
func (t *idTable) drop() {
	old := *t
	*t = idTable{forgot: true}
	for e := range old.all() {
		if e.at != idAnswered && e.at != idCancelled && e.at != idWaiting {
			*t.insert(e.hash) = e
		}
	}
}

// all returns the entries, in no order.
func (t *idTable) all() iter.Seq[idEntry] {
	return func(yield func(idEntry) bool) {
		each := func(entries []idEntry) bool {
			for _, e := range entries {
				if e.hash != 0 && !yield(e) {
					return false
				}
			}
			return true
		}
		for _, run := range t.runs {
			if !each(run[:]) {
				return
			}
		}
		each(t.slots)
	}
}
