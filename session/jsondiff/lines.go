package jsondiff

import (
	"github.com/go-json-experiment/json/jsontext"
)

// A Line is one line of two texts shown as one.
type Line struct {
	Sign  byte   // Sign is '-' for what only the old text has, '+' for the new one, ' ' for both.
	Depth int    // Depth is how far it is set in, in levels.
	Key   []byte // Key is the member's name as JSON writes it; nil for elements, ends of containers and the whole.
	Text  []byte // Text is a scalar as it is written, or a container's brace.
	Same  int    // Same counts the members of a container that is equal in both and stands folded; 0 = it is not one.
}

// MaxLines is the most lines that Lines returns.
const MaxLines = 100_000

// Lines shows two texts as one: what differs line by line, and what is equal with
// its containers folded. Where there would be more than MaxLines the rest is left
// out and more is true.
func Lines(old, new []byte, ignore ...Path) (lines []Line, more bool, err error) {
	a, b, err := parseBoth(old, new, ignore)
	if err != nil {
		return nil, false, err
	}
	var s sheet
	s.both(a, b, nil, 0)
	return s.lines, s.more, nil
}

type sheet struct {
	aligner
	lines []Line
	more  bool
}

func (s *sheet) add(sign byte, depth int, key, text []byte, same int) {
	if len(s.lines) == MaxLines {
		s.more = true
		return
	}
	s.lines = append(s.lines, Line{Sign: sign, Depth: depth, Key: key, Text: text, Same: same})
}

// both shows two values that stand for each other.
func (s *sheet) both(a, b *node, key []byte, depth int) {
	switch {
	case s.more:
	case same(a, b):
		s.folded(b, key, depth)
	case a.kind != b.kind || a.kind != '{' && a.kind != '[':
		s.one('-', a, key, depth)
		s.one('+', b, key, depth)
	default:
		s.add(' ', depth, key, b.raw[:1], 0)
		for _, p := range s.align(a, b) {
			s.pair(p, depth+1)
		}
		s.add(' ', depth, nil, b.raw[len(b.raw)-1:], 0)
	}
}

func (s *sheet) pair(p pair, depth int) {
	key := quoted(p.step)
	switch {
	case p.new == nil && p.old.ignored, p.old == nil && p.new.ignored:
	case p.new == nil:
		s.one('-', p.old, key, depth)
	case p.old == nil:
		s.one('+', p.new, key, depth)
	default:
		s.both(p.old, p.new, key, depth)
	}
}

// folded shows a value that is equal in both.
func (s *sheet) folded(n *node, key []byte, depth int) {
	if len(n.kids) > 0 {
		s.add(' ', depth, key, n.raw[:1], len(n.kids))
		return
	}
	s.leaf(' ', n, key, depth)
}

// one shows the whole of a value that only one text has.
func (s *sheet) one(sign byte, n *node, key []byte, depth int) {
	if s.more {
		return
	}
	if len(n.kids) == 0 {
		s.leaf(sign, n, key, depth)
		return
	}
	s.add(sign, depth, key, n.raw[:1], 0)
	for _, kid := range n.kids {
		s.one(sign, kid, quoted(step{key: kid.key, member: n.kind == '{'}), depth+1)
	}
	s.add(sign, depth, nil, n.raw[len(n.raw)-1:], 0)
}

func (s *sheet) leaf(sign byte, n *node, key []byte, depth int) {
	text := n.raw
	switch n.kind {
	case '{':
		text = []byte("{}")
	case '[':
		text = []byte("[]")
	}
	s.add(sign, depth, key, text, 0)
}

// quoted is a member's name as JSON writes it.
func quoted(at step) []byte {
	if !at.member {
		return nil
	}
	// Bad UTF-8 comes out replaced, as the decoder's names are.
	out, _ := jsontext.AppendQuote(nil, at.key)
	return out
}
