package session

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
