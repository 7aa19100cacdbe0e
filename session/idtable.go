package session

// An idTable stores every id that one side used in one connection: the row of
// its request, and the state of the exchange. 16 bytes per id, no pointers;
// about 16 to 32 MiB for a million. Only the hash of an id is stored.
type idTable struct {
	slots []idEntry
	n     int

	// forgot: some used ids are missing, so that nothing is known of an id that
	// is not found.
	forgot bool
}

// An idEntry is one id. The hash 0 marks a free slot.
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
	if t.n == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch t.slots[i].hash {
		case hash:
			return &t.slots[i]
		case 0:
			return nil
		}
	}
}

// insert returns the entry of a hash that is not in the table yet.
func (t *idTable) insert(hash uint64) *idEntry {
	if t.n >= len(t.slots)/4*3 {
		t.grow()
	}
	t.n++
	e := t.free(hash)
	e.hash = hash
	return e
}

func (t *idTable) free(hash uint64) *idEntry {
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i].hash != 0 {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

// grow makes room, by dropping entries if the table has its maximum size.
func (t *idTable) grow() {
	old, size := t.slots, max(64, 2*len(t.slots))
	keep := func(idEntry) bool { return true }
	if t.n >= maxIDs {
		size = len(old)
		keep = func(e idEntry) bool { return e.at != idAnswered && e.at != idCancelled && e.at != idWaiting }
		t.forgot = true
	}
	t.slots, t.n = make([]idEntry, size), 0
	for _, e := range old {
		if e.hash != 0 && keep(e) {
			*t.free(e.hash) = e
			t.n++
		}
	}
}
