package jsonrpc

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// Hashes differ from process to process, so that no peer can prepare two keys of
// one hash.
var (
	seed    = maphash.MakeSeed()
	secretA = rand.Uint64() | 1
	secretB = rand.Uint64() | 1
	secretC = rand.Uint64() | 1
)

// maxShort is the length, in bytes, of the longest text that sum hashes itself.
const maxShort = 16

// sum returns the hash of a whole text. Most keys, names and ids are short, and
// for those one multiplication is much less than a call of maphash, which does
// the others: the bytes, each of them in one of the factors at least, are hidden
// by secrets, multiplied and folded. The length tells apart what overlaps.
func sum(b []byte) uint64 {
	n := len(b)
	if n > maxShort {
		return maphash.Bytes(seed, b)
	}
	var x, y uint64
	switch {
	case n >= 8:
		x = binary.LittleEndian.Uint64(b)
		y = binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		x = uint64(binary.LittleEndian.Uint32(b))
		y = uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		x = uint64(b[0])<<16 | uint64(b[n/2])<<8 | uint64(b[n-1])
	}
	hi, lo := bits.Mul64(x^secretA, y^secretB)
	return hi ^ lo + uint64(n)*secretC
}

// running is the hash of a text that comes in parts.
type running struct {
	n    int64
	head [maxShort]byte
	long maphash.Hash
}

func (r *running) reset() {
	r.n = 0
	r.long.SetSeed(seed)
}

func (r *running) write(b []byte) {
	if r.n < maxShort {
		copy(r.head[r.n:], b)
	}
	r.n += int64(len(b))
	r.long.Write(b)
}

// sum returns what sum returns for the whole text.
func (r *running) sum() uint64 {
	if r.n <= maxShort {
		return sum(r.head[:r.n])
	}
	return r.long.Sum64()
}
