package filter

import (
	"bytes"
	"cmp"
	"math/bits"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
)

// bodyTest is a word that needs the body.
type bodyTest struct {
	text, op string
	key      string // key is the word; empty = b.
	find     func(body []byte) bool
	least    int // least is the minimum length of a matching body.
}

func (t *bodyTest) meta(at subject) Verdict {
	if !at.row.Kind.HasBody() || tooShort(at.row, t.least) {
		return No
	}
	return Body
}

func (t *bodyTest) match(at subject) bool { return at.row.Kind.HasBody() && t.find(at.body) }

func (t *bodyTest) write(b *strings.Builder) {
	b.WriteString(cmp.Or(t.key, "b") + t.op)
	b.WriteString(Value(t.text))
}

// tooShort reports whether a row's body has less than least bytes. For a joined
// row the body may be the whole value.
func tooShort(r *session.Row, least int) bool {
	return r.Flags&session.FlagJoined == 0 && r.Kind != session.RowGrowing && int64(r.Len) < int64(least)
}

// literal is a bare word: it is searched for in method, target and body.
func (f *Filter) literal(text string) node {
	l := NewLiteral(text)
	names := f.nameTest(func(name string) bool { return l.In([]byte(name)) })
	return &literalTest{body: bodyTest{text: text, find: l.In, least: len(text)}, names: names}
}

type literalTest struct {
	body  bodyTest
	names int // names is the index of its name test.
}

func (t *literalTest) named(at subject) bool {
	return at.method(t.names) || at.target(t.names)
}

func (t *literalTest) meta(at subject) Verdict {
	if t.named(at) {
		return Yes
	}
	return t.body.meta(at)
}

func (t *literalTest) match(at subject) bool    { return t.named(at) || t.body.match(at) }
func (t *literalTest) write(b *strings.Builder) { b.WriteString(Value(t.body.text)) }

// A Literal searches for a text ignoring the case of ASCII letters. It searches
// for the text's rarest byte in both cases and compares around it. The zero
// Literal is the empty text, which is found nowhere.
type Literal struct {
	low    []byte // low is the text in lower case.
	pivot  int    // pivot is the offset of the byte that is searched for.
	lo, up byte   // lo and up are that byte in both cases.
}

// common lists bytes by their frequency in JSON traffic, most frequent first.
const common = "\",: etaonirsldcumphgfyb_/0123456789.-{}[]\\vwkxjqz"

// NewLiteral returns the Literal of a text.
func NewLiteral(text string) Literal {
	l := Literal{low: make([]byte, len(text))}
	rarest := -1
	for i := range len(text) {
		l.low[i] = lower(text[i])
		rank := strings.IndexByte(common, l.low[i])
		if rank < 0 {
			rank = len(common)
		}
		if rank > rarest {
			rarest, l.pivot, l.lo = rank, i, l.low[i]
		}
	}
	l.up = l.lo
	if l.lo >= 'a' && l.lo <= 'z' {
		l.up = l.lo - 'a' + 'A'
	}
	return l
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Len returns the length of the text in bytes.
func (l *Literal) Len() int { return len(l.low) }

// In reports whether body contains the text.
func (l *Literal) In(body []byte) bool { return l.Index(body) >= 0 }

// Index returns where the text is in body first; -1 where it is not.
func (l *Literal) Index(body []byte) int {
	if len(l.low) == 0 || len(body) < len(l.low) {
		return -1
	}
	// The pivot can only be where there is room for the rest around it.
	part := body[l.pivot : len(body)-(len(l.low)-1-l.pivot)]
	next := func(c byte, from int) int {
		if i := bytes.IndexByte(part[from:], c); i >= 0 {
			return from + i
		}
		return len(part)
	}
	lo := next(l.lo, 0)
	up := len(part)
	if l.up != l.lo {
		up = next(l.up, 0)
	}
	for {
		at := min(lo, up)
		if at == len(part) {
			return -1
		}
		if l.equal(body[at : at+len(l.low)]) {
			return at
		}
		if at == lo {
			lo = next(l.lo, at+1)
		} else {
			up = next(l.up, at+1)
		}
	}
}

func (l *Literal) equal(p []byte) bool {
	for i, c := range l.low {
		if lower(p[i]) != c {
			return false
		}
	}
	return true
}

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
