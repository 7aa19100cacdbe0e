package filter

import (
	"math/bits"

	"wiretea/session/lazy"
)

// gramLen is the length of a gram, the part of a text by which Texts looks for it.
const gramLen = 3

// Needs returns texts of which a body contains at least one, ignoring the case of ASCII
// letters, where the filter matches it; none where the filter can match without.
func (f *Filter) Needs() []string {
	if f.root == nil {
		return nil
	}
	return needs(f.root)
}

// needs is Needs for a node. Such a node is never decided by names alone.
func needs(n node) []string {
	switch n := n.(type) {
	case *bodyTest:
		if n.key == "" && n.op == ":" {
			return []string{n.text}
		}
	case andNode:
		for _, c := range n {
			if texts := needs(c); texts != nil {
				return texts
			}
		}
	case orNode:
		var all []string
		for _, c := range n {
			texts := needs(c)
			if texts == nil {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// Texts finds which of many texts a body contains, ignoring the case of ASCII letters, in one
// pass over it: at each byte it looks up the three that end there. Its zero value has no texts;
// after Build it does not change.
type Texts struct {
	texts   []Literal
	index   map[string]int // index is that of each text in lower case.
	heads   []int32        // heads are the first entries, from 1, by the hash of their gram; 0 = there is none.
	entries []textEntry
	shift   int // shift makes a hash an index of heads.
}

// A textEntry is a text in the table.
type textEntry struct {
	gram uint32
	at   int   // at is where the text has the gram.
	text int   // text is its index.
	next int32 // next is the next entry of the same hash, from 1; 0 = it is the last.
}

// Add adds a text, unless it is there, and returns its index. One that is shorter than three
// bytes cannot be looked for: it has none.
func (t *Texts) Add(text string) (index int, ok bool) {
	if len(text) < gramLen {
		return 0, false
	}
	f := NewLiteral(text)
	if index, ok = t.index[string(f.low)]; ok {
		return index, true
	}
	if t.index == nil {
		t.index = map[string]int{}
	}
	index = len(t.texts)
	t.texts, t.index[string(f.low)] = append(t.texts, f), index
	return index, true
}

// Build prepares for In. It is called after the last Add.
func (t *Texts) Build() {
	size := min(bits.Len(uint(16*len(t.texts))), 20)
	t.heads, t.shift = make([]int32, 1<<size), 32-size
	for i, f := range t.texts {
		at := max(0, min(f.pivot-gramLen/2, len(f.low)-gramLen)) // The rarest byte is in the gram.
		e := textEntry{gram: uint32(f.low[at])<<16 | uint32(f.low[at+1])<<8 | uint32(f.low[at+2]), at: at, text: i}
		head := &t.heads[t.hash(e.gram)]
		e.next = *head
		t.entries = append(t.entries, e)
		*head = int32(len(t.entries))
	}
}

func (t *Texts) hash(gram uint32) uint32 { return gram * 2654435761 >> t.shift }

// lowered are the bytes in lower case.
var lowered = lazy.Value[*[256]byte]{New: func() *[256]byte {
	var table [256]byte
	for c := range table {
		table[c] = lower(byte(c))
	}
	return &table
}}

// In sets in found which texts the body contains, and returns it: bit i is that of the text of
// index i. Found is made as long as it must be, and may be used again.
func (t *Texts) In(body []byte, found []uint64) []uint64 {
	found = found[:0]
	for range (len(t.texts) + 63) / 64 {
		found = append(found, 0)
	}
	var gram uint32
	low := lowered.Get()
	for i, c := range body {
		if gram = gram<<8&0xffffff | uint32(low[c]); i < gramLen-1 {
			continue
		}
		for next := t.heads[t.hash(gram)]; next != 0; {
			e := &t.entries[next-1]
			if next = e.next; e.gram != gram || found[e.text/64]&(1<<(e.text%64)) != 0 {
				continue
			}
			text, from := &t.texts[e.text], i-(gramLen-1)-e.at
			if from >= 0 && from+len(text.low) <= len(body) && text.equal(body[from:from+len(text.low)]) {
				found[e.text/64] |= 1 << (e.text % 64)
			}
		}
	}
	return found
}
