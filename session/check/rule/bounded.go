package rule

import "slices"

// A RowMark remembers one row, or none.
type RowMark struct {
	row uint32
	set bool
}

// Is reports whether row is the remembered one.
func (m RowMark) Is(row uint32) bool { return m.set && m.row == row }

// Put remembers a row and reports whether it differs from the one before.
func (m *RowMark) Put(row uint32) bool {
	fresh := !m.Is(row)
	m.row, m.set = row, true
	return fresh
}

// Put sets a map's entry, and makes the map first if it is nil.
func Put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// Push appends v to a list of at most limit entries: a full list loses its first
// entry, which is reported.
func Push[T any](list *[]T, v T, limit int) (lost bool) {
	if len(*list) == limit {
		lost = true
		*list = append((*list)[:0], (*list)[1:]...)
	}
	*list = append(*list, v)
	return lost
}

// A HashSet is a set of hashes. When it is full it takes no more, and Lost is set.
type HashSet struct {
	hashes map[uint64]bool
	Lost   bool // Lost: a hash that belongs to the set is missing from it.
}

// Add adds a hash while there are fewer than limit. ok = false says that there is
// no hash for the value, which then is missing.
func (s *HashSet) Add(h uint64, ok bool, limit int) {
	if !ok || len(s.hashes) >= limit {
		s.Lost = true
		return
	}
	Put(&s.hashes, h, true)
}

// Has reports whether the set has a hash.
func (s *HashSet) Has(h uint64) bool { return s.hashes[h] }

// A Ring keeps the latest values, up to a limit that is the same in each call.
type Ring[T any] struct {
	values []T
	next   int // next is where a full ring is written next.
}

// Push adds a value. A full ring loses its oldest one, which is returned.
func (r *Ring[T]) Push(v T, limit int) (lost T, full bool) {
	if len(r.values) < limit {
		r.values = append(r.values, v)
		return lost, false
	}
	lost, r.values[r.next] = r.values[r.next], v
	r.next = (r.next + 1) % limit
	return lost, true
}

// Latest returns the latest value that f accepts, nil if there is none.
func (r *Ring[T]) Latest(f func(*T) bool) *T {
	n := len(r.values)
	for i := range n {
		if v := &r.values[(r.next+2*n-1-i)%n]; f(v) {
			return v
		}
	}
	return nil
}

// KeySet is a small set of names that a peer invents. It bounds the number of
// findings that a peer can cause.
type KeySet struct{ known []string }

const maxNames = 16

// Key returns name while there are at most maxNames different ones, and "…" for
// all others.
func (n *KeySet) Key(name string) string {
	if slices.Contains(n.known, name) {
		return name
	}
	if len(n.known) < maxNames {
		n.known = append(n.known, name)
		return name
	}
	return "…"
}

// MaxNameKept is the size of the longest name that checkers keep, in bytes.
const MaxNameKept = 256

// MaxTools is how many tools of a connection are kept.
const MaxTools = 10_000
