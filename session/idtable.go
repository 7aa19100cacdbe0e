package session

import (
	"hash/maphash"
	"iter"
	"slices"
	"strconv"
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

// An IDRef contains a short id. Its top byte says how:
//
//	0        no id
//	1        the decimal integer in the lower 56 bits
//	0x10+n   n bytes of text, n ≤ 7
//	0x20     text of idTexts: 16 bits of length, 40 bits of offset
//	0x30+n   the first n bytes of a text that idTexts had no room for
const (
	idInteger = 1
	idInline  = 0x10
	idStored  = 0x20
	idCut     = 0x30
)

// idTexts holds the ids that do not fit into an IDRef, in blocks that never
// change once written, so that snapshots share them.
type idTexts struct {
	blocks [][]byte
}

const (
	idBlock  = 64 << 10
	idBlocks = 512 // idBlocks bounds the texts to 32 MiB.
)

// ref returns the reference for an id's raw text of at most MaxCapture bytes,
// and stores the text if necessary.
func (t *idTexts) ref(raw []byte) IDRef {
	if len(raw) == 0 {
		return 0
	}
	if n, ok := canonicalInt(raw); ok {
		return idInteger<<56 | IDRef(n)
	}
	if len(raw) <= 7 {
		return inlineID(idInline, raw)
	}
	if len(t.blocks) == 0 || len(t.blocks[len(t.blocks)-1])+len(raw) > idBlock {
		if len(t.blocks) == idBlocks || len(raw) > idBlock {
			return inlineID(idCut, raw[:7])
		}
		t.blocks = append(t.blocks, make([]byte, 0, idBlock))
	}
	b := len(t.blocks) - 1
	off := len(t.blocks[b])
	t.blocks[b] = append(t.blocks[b], raw...)
	return idStored<<56 | IDRef(len(raw))<<40 | IDRef(b*idBlock+off)
}

// text returns the raw text of an id. It is total: an invalid reference is
// empty.
func (t idTexts) text(r IDRef) string {
	switch tag := uint8(r >> 56); {
	case tag == idInteger:
		return strconv.FormatUint(uint64(r&(1<<56-1)), 10)
	case tag > idInline && tag <= idInline+7:
		return inlineText(r, int(tag-idInline))
	case tag == idStored:
		n, off := int(r>>40&0xffff), int(r&(1<<40-1))
		b, off := off/idBlock, off%idBlock
		if b < len(t.blocks) && off+n <= len(t.blocks[b]) {
			return string(t.blocks[b][off : off+n])
		}
	case tag > idCut && tag <= idCut+7:
		return inlineText(r, int(tag-idCut)) + "…"
	}
	return ""
}

// published returns the texts for a snapshot. The last block's slice header may
// still grow, so the list is copied.
func (t *idTexts) published() idTexts {
	return idTexts{blocks: append([][]byte(nil), t.blocks...)}
}

func inlineID(tag IDRef, raw []byte) IDRef {
	r := (tag + IDRef(len(raw))) << 56
	for i, c := range raw {
		r |= IDRef(c) << (8 * i)
	}
	return r
}

func inlineText(r IDRef, n int) string {
	var b [7]byte
	for i := range n {
		b[i] = byte(r >> (8 * i))
	}
	return string(b[:n])
}

// canonicalInt returns the value of a decimal integer below 2^56 that is written
// as strconv would write it; false for any other text.
func canonicalInt(raw []byte) (uint64, bool) {
	if len(raw) == 0 || len(raw) > 16 || raw[0] == '0' && len(raw) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, n < 1<<56
}

// An IDMatcher looks for ids in rows, without making the text of each row's id.
type IDMatcher struct {
	raws []string
	refs []IDRef // refs are the references of those raws that need no stored text.
}

// MatchIDs returns the matcher for the raw texts of ids.
func MatchIDs(raws ...string) IDMatcher {
	m := IDMatcher{raws: raws}
	for _, raw := range raws {
		if _, integer := canonicalInt([]byte(raw)); integer || len(raw) <= 7 {
			m.refs = append(m.refs, new(idTexts).ref([]byte(raw)))
		}
	}
	return m
}

// Match reports whether a row of the snapshot with that id has one of them.
func (m IDMatcher) Match(s *Snapshot, id IDRef) bool {
	switch {
	case id == 0:
		return false
	case slices.Contains(m.refs, id):
		return true
	case id>>56 != idStored:
		return false
	}
	return slices.ContainsFunc(m.raws, func(raw string) bool {
		return int(id>>40&0xffff) == len(raw) && s.ids.text(id) == raw
	})
}
