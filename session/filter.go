package session

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// A Verdict is what the metadata of a row say of a filter.
type Verdict uint8

const (
	No   Verdict = iota // No: the row does not match.
	Yes                 // Yes: it matches.
	Body                // Body: its body decides.
)

// A Filter selects rows:
//
//	m:tools/call t:echo d:s2c is:pending lat>500ms size>64k sev>=warning b~"rex" -m:ping (a | b) "any text"
//
// Words that stand side by side must all hold, | stands between alternatives and
// binds less, - or ! before a word or a parenthesis turns it round. A word that
// is none of FilterWords is looked for, whatever its case, in method, target
// and the whole raw body.
//
// A row is judged in two phases: Meta by what its row tells, without any body;
// where that does not decide, Match with the body. A Filter may be used from
// several goroutines.
type Filter struct {
	root     node // nil matches every row.
	names    []*nameTest
	rules    []*ruleTest
	prepared atomic.Pointer[prepared]
}

// A FilterError says where the text of a filter is wrong.
type FilterError struct {
	Pos int // Pos is the byte offset of the fault.
	Msg string
}

// Error returns the message, with the position counted from 1.
func (e *FilterError) Error() string { return fmt.Sprintf("%s at %d", e.Msg, e.Pos+1) }

// String returns the filter in its canonical spelling, which parses to the same
// filter.
func (f *Filter) String() string {
	if f.root == nil {
		return ""
	}
	var b strings.Builder
	f.root.write(&b)
	return b.String()
}

// NeedsBody reports whether there can be rows whose body decides.
func (f *Filter) NeedsBody() bool { return f.root != nil && f.root.needsBody() }

// Meta says what the metadata of row i decide. A number beyond the end is No.
func (f *Filter) Meta(s *Snapshot, i uint32) Verdict {
	if i >= s.n {
		return No
	}
	if f.root == nil {
		return Yes
	}
	at := subject{p: f.prepare(s), i: i, row: s.see(i)}
	return f.root.meta(at)
}

// Match reports whether row i matches, given its body.
func (f *Filter) Match(s *Snapshot, i uint32, body []byte) bool {
	if i >= s.n {
		return false
	}
	if f.root == nil {
		return true
	}
	at := subject{p: f.prepare(s), i: i, row: s.see(i), body: body}
	return f.root.match(at)
}

// see returns row i, which must be one, to be read.
func (s *Snapshot) see(i uint32) *Row {
	if s.past == nil {
		return s.raw(i)
	}
	r := s.past.row(s, i)
	return &r
}

// prepared is what a filter works out once for a snapshot: which names match
// each test of names, and at which rows each test of rules holds.
type prepared struct {
	s     *Snapshot
	names []bits
	rules []bits
}

// prepare returns what belongs to s.
func (f *Filter) prepare(s *Snapshot) *prepared {
	p := f.prepared.Load()
	if p != nil && p.s == s {
		return p
	}
	p = &prepared{s: s}
	for _, t := range f.names {
		set := newBits(len(s.names))
		for i, name := range s.names {
			if i != int(noName) && t.matches(name) {
				set.set(uint32(i))
			}
		}
		p.names = append(p.names, set)
	}
	for _, t := range f.rules {
		p.rules = append(p.rules, t.rows(s))
	}
	f.prepared.Store(p)
	return p
}

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(i uint32) { b[i/64] |= 1 << (i % 64) }

func (b bits) has(i uint32) bool { return int(i/64) < len(b) && b[i/64]>>(i%64)&1 != 0 }

// A subject is the row that is judged. It is handed on by value, so that judging
// a million of them allocates nothing.
type subject struct {
	p    *prepared
	i    uint32
	row  *Row
	body []byte
}

// A node is a part of a filter: and, or, not, or a word.
type node interface {
	// meta decides without the body, and match with it.
	meta(at subject) Verdict
	match(at subject) bool
	needsBody() bool
	write(b *strings.Builder)
}

type andNode []node

func (n andNode) meta(at subject) Verdict {
	v := Yes
	for _, c := range n {
		switch c.meta(at) {
		case No:
			return No
		case Body:
			v = Body
		case Yes:
		}
	}
	return v
}

func (n andNode) match(at subject) bool {
	for _, c := range n {
		if !c.match(at) {
			return false
		}
	}
	return true
}

func (n andNode) needsBody() bool { return anyNeeds(n) }

func (n andNode) write(b *strings.Builder) {
	for i, c := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		writeInner(b, c)
	}
}

type orNode []node

func (n orNode) meta(at subject) Verdict {
	v := No
	for _, c := range n {
		switch c.meta(at) {
		case Yes:
			return Yes
		case Body:
			v = Body
		case No:
		}
	}
	return v
}

func (n orNode) match(at subject) bool {
	for _, c := range n {
		if c.match(at) {
			return true
		}
	}
	return false
}

func (n orNode) needsBody() bool { return anyNeeds(n) }

func (n orNode) write(b *strings.Builder) {
	for i, c := range n {
		if i > 0 {
			b.WriteString(" | ")
		}
		c.write(b)
	}
}

type notNode struct{ of node }

func (n notNode) meta(at subject) Verdict {
	switch n.of.meta(at) {
	case Yes:
		return No
	case No:
		return Yes
	case Body:
	}
	return Body
}

func (n notNode) match(at subject) bool { return !n.of.match(at) }

func (n notNode) needsBody() bool { return n.of.needsBody() }

func (n notNode) write(b *strings.Builder) {
	b.WriteByte('-')
	if _, and := n.of.(andNode); and {
		b.WriteByte('(')
		n.of.write(b)
		b.WriteByte(')')
		return
	}
	writeInner(b, n.of)
}

func anyNeeds(list []node) bool {
	for _, c := range list {
		if c.needsBody() {
			return true
		}
	}
	return false
}

// writeInner writes a node that stands inside one which binds more than or.
func writeInner(b *strings.Builder, n node) {
	if _, or := n.(orNode); or {
		b.WriteByte('(')
		n.write(b)
		b.WriteByte(')')
		return
	}
	n.write(b)
}
