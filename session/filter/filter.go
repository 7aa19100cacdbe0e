package filter

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"wiretea/session"
)

// A Verdict is the result of a filter for the metadata of a row.
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
// Words side by side must all match, | separates alternatives and binds less, -
// or ! before a word or a parenthesis negates it. A word that is not one of
// Words is searched for, ignoring case, in method, target and the whole
// raw body.
//
// A row is judged in two phases: Meta by its row, without any body; if that
// does not decide, Match with the body. A Filter may be used from several
// goroutines.
type Filter struct {
	root     node                     // nil matches every row.
	names    []func(name string) bool // names are the tests for names.
	rules    []ruleOperand            // rules are the tests for the rules of findings.
	prepared atomic.Pointer[prepared]
}

// A ruleOperand is what a rule: word compares the rules of findings with.
type ruleOperand struct {
	text    string
	matches func(rule string) bool
}

// UnknownRule returns the first text after rule: that fits none of the known rules; empty
// where each fits one. Such a filter is right, but no row has what it wants.
func (f *Filter) UnknownRule(known []string) string {
	for _, r := range f.rules {
		if !slices.ContainsFunc(known, r.matches) {
			return r.text
		}
	}
	return ""
}

// A Error is an error in the text of a filter.
type Error struct {
	Pos int // Pos is the byte offset of the error.
	Msg string
}

// Error returns the message, with the position counted from 1.
func (e *Error) Error() string { return fmt.Sprintf("%s at %d", e.Msg, e.Pos+1) }

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

// Meta returns the result for the metadata of row i. It is No for a number
// beyond the end.
func (f *Filter) Meta(s *session.Snapshot, i uint32) Verdict {
	if i >= uint32(s.Len()) {
		return No
	}
	if f.root == nil {
		return Yes
	}
	at := subject{p: f.prepare(s), i: i, row: s.Peek(i)}
	return f.root.meta(at)
}

// Match reports whether row i matches, given its body.
func (f *Filter) Match(s *session.Snapshot, i uint32, body []byte) bool {
	if i >= uint32(s.Len()) {
		return false
	}
	if f.root == nil {
		return true
	}
	at := subject{p: f.prepare(s), i: i, row: s.Peek(i), body: body}
	return f.root.match(at)
}

// prepared is what a filter computes once for a snapshot: the names that match
// each name test, and the rows that match each rule test.
type prepared struct {
	s     *session.Snapshot
	names []session.RowSet // names are sets of interned names.
	rules []session.RowSet

	// passing is the message where no row shows it yet; then tests has the tests for
	// names, and the rest is empty.
	passing *Passing
	tests   []func(name string) bool
}

// prepare returns the prepared data for s.
func (f *Filter) prepare(s *session.Snapshot) *prepared {
	p := f.prepared.Load()
	if p != nil && p.s == s {
		return p
	}
	p = &prepared{s: s}
	for _, matches := range f.names {
		p.names = append(p.names, s.NamesWhere(matches))
	}
	for _, r := range f.rules {
		p.rules = append(p.rules, s.RowsWhere(func(f *session.Finding) bool { return r.matches(f.Rule) }))
	}
	f.prepared.Store(p)
	return p
}

// A subject is the row to judge. It is passed by value, so that judging a
// million rows allocates nothing.
type subject struct {
	p    *prepared
	i    uint32
	row  *session.Row
	body []byte
}

// A node is a part of a filter: and, or, not, or a word.
type node interface {
	// meta decides without the body, and match with it.
	meta(at subject) Verdict
	match(at subject) bool
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

// writeInner writes a node within one that binds more than or.
func writeInner(b *strings.Builder, n node) {
	if _, or := n.(orNode); or {
		b.WriteByte('(')
		n.write(b)
		b.WriteByte(')')
		return
	}
	n.write(b)
}
