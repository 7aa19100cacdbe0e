package jsonrpc

import (
	"slices"
	"unicode/utf8"
)

// maxKeys is how many keys are remembered at once, those of all open objects
// together, and how many objects can be open that are looked at.
const maxKeys = 64 << 10

// fewKeys is how many keys of one object are compared one by one. From the next
// on they are looked up.
const fewKeys = 16

// keySet finds keys that an object has twice. It remembers the hashes of the
// keys of all open objects, the innermost object's last.
//
// The table is an open-addressing index into hashes. Keys leave in the reverse
// order in which they came, so that clearing its slot removes one.
type keySet struct {
	hashes []uint64
	start  uint32   // start is where the innermost object's keys begin in hashes.
	starts []uint32 // starts are those of the objects around it.
	table  []uint32 // table has indexes into hashes, plus 1; 0 = free.
	used   int      // used counts the slots that are taken.
	beyond int64    // beyond counts the open objects that are not looked at.
}

func (k *keySet) reset() {
	if k.used > 0 {
		clear(k.table)
		k.used = 0
	}
	k.hashes, k.starts = k.hashes[:0], k.starts[:0]
	k.start, k.beyond = 0, 0
}

// open enters an object.
func (k *keySet) open() {
	if len(k.starts) == maxKeys {
		k.beyond++
		return
	}
	k.starts = append(k.starts, k.start)
	k.start = uint32(len(k.hashes))
}

// close leaves the innermost object.
func (k *keySet) close() {
	if k.beyond > 0 {
		k.beyond--
		return
	}
	if len(k.hashes)-int(k.start) > fewKeys {
		k.remove()
	}
	k.hashes = k.hashes[:k.start]
	last := len(k.starts) - 1
	k.start, k.starts = k.starts[last], k.starts[:last]
}

// add takes a key of the innermost object. It returns DuplicateKey where it had
// it before, KeysUnchecked where that cannot be remembered, and else 0.
func (k *keySet) add(h uint64) Defect {
	if k.beyond > 0 {
		return KeysUnchecked
	}
	own := k.hashes[k.start:]
	if len(own) > fewKeys {
		return k.addMany(h)
	}
	if slices.Contains(own, h) {
		return DuplicateKey
	}
	if len(k.hashes) == maxKeys {
		return KeysUnchecked
	}
	k.hashes = append(k.hashes, h)
	if len(own) == fewKeys {
		k.index(int(k.start))
	}
	return 0
}

// addMany is add for an object that has more than a few keys.
func (k *keySet) addMany(h uint64) Defect {
	mask := uint32(len(k.table) - 1)
	for at := k.home(h, k.start) & mask; k.table[at] != 0; at = (at + 1) & mask {
		if i := k.table[at] - 1; k.hashes[i] == h && i >= k.start {
			return DuplicateKey
		}
	}
	if len(k.hashes) == maxKeys {
		return KeysUnchecked
	}
	k.hashes = append(k.hashes, h)
	k.index(len(k.hashes) - 1)
	return 0
}

// home is where the probing for a key begins. The object is part of it, so that
// nested objects with the same keys do not crowd one place.
func (k *keySet) home(h uint64, start uint32) uint32 {
	return uint32(h>>32) ^ uint32(h) ^ start*0x9E3779B1
}

// index puts the innermost object's keys from hashes[from] on into the table.
func (k *keySet) index(from int) {
	if 2*(k.used+len(k.hashes)-from) > len(k.table) {
		k.grow()
		return
	}
	k.put(from, len(k.hashes), k.start)
}

// put puts hashes[from:to], keys of the object that begins at start, into the
// table.
func (k *keySet) put(from, to int, start uint32) {
	mask := uint32(len(k.table) - 1)
	for i := from; i < to; i++ {
		at := k.home(k.hashes[i], start) & mask
		for k.table[at] != 0 {
			at = (at + 1) & mask
		}
		k.table[at] = uint32(i) + 1
	}
	k.used += to - from
}

// grow makes a larger table and indexes every object anew that has more than a
// few keys.
func (k *keySet) grow() {
	k.table = make([]uint32, max(256, 2*len(k.table)))
	k.used = 0
	for j := range k.starts {
		from, to := k.bound(j+1), k.bound(j+2)
		if to-from > fewKeys {
			k.put(from, to, uint32(from))
		}
	}
}

// bound returns where the keys of the j-th open object begin, counted from 1 for
// the outermost; for one more than there are, where the last one's end.
func (k *keySet) bound(j int) int {
	switch {
	case j < len(k.starts):
		return int(k.starts[j])
	case j == len(k.starts):
		return int(k.start)
	}
	return len(k.hashes)
}

// remove takes the innermost object's keys out of the table, the last one first.
func (k *keySet) remove() {
	mask := uint32(len(k.table) - 1)
	for i := len(k.hashes) - 1; i >= int(k.start); i-- {
		at := k.home(k.hashes[i], k.start) & mask
		for k.table[at] != uint32(i)+1 {
			at = (at + 1) & mask
		}
		k.table[at] = 0
	}
	k.used -= len(k.hashes) - int(k.start)
}

// maxKeyText is how much of a key is kept. Known keys are shorter.
const maxKeyText = 64

// keyText is a key that has escapes or is cut by a chunk's end: its first bytes,
// unescaped, and the hash of all of them.
type keyText struct {
	from int // from is where in the chunk its bytes begin that are not added yet.
	kept int // kept counts the bytes in buf.
	buf  [maxKeyText]byte
	hash running
}

func (k *keyText) begin(from int) {
	k.from, k.kept = from, 0
	k.hash.reset()
}

func (k *keyText) add(b []byte) {
	k.kept += copy(k.buf[k.kept:], b)
	k.hash.write(b)
}

func (k *keyText) addByte(c byte) { k.add([]byte{c}) }

func (k *keyText) addRune(r rune) {
	var b [utf8.UTFMax]byte
	k.add(b[:utf8.EncodeRune(b[:], r)])
}

// text returns the key's first bytes, up to maxKeyText.
func (k *keyText) text() []byte { return k.buf[:k.kept] }
