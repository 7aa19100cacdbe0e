package diff

import (
	"bytes"
	"fmt"
	"hash/maphash"

	"wiretea/session/json/lex"
)

// around is how many equal lines are shown on both sides of a difference, and
// the least that are folded are as many more.
const (
	around   = 3
	leastRun = 3
)

// TextLines shows two texts as one, line by line, for those that are no JSON. Long
// runs of equal lines are folded. Where there would be more than MaxLines the rest
// is left out and more is true; texts longer than MaxBytes give ErrTooLarge.
func TextLines(old, new []byte) (lines []Line, more bool, err error) {
	if n := max(len(old), len(new)); n > MaxBytes {
		return nil, false, fmt.Errorf("%w: %d bytes", ErrTooLarge, n)
	}
	var s sheet
	pairs := s.anchored(split(old), split(new), same, apart)
	for i := 0; i < len(pairs) && !s.more; {
		if p := pairs[i]; p.old == nil || p.new == nil {
			i = s.differing(pairs, i)
			continue
		}
		run := i
		for run < len(pairs) && pairs[run].old != nil && pairs[run].new != nil {
			run++
		}
		s.run(pairs[i:run], i > 0, run < len(pairs))
		i = run
	}
	return s.lines, s.more, nil
}

// split cuts a text into its lines, each with its terminator, so that CRLF is not
// LF and a missing last newline shows.
func split(text []byte) []*node {
	var lines []*node
	for line := range bytes.Lines(text) {
		lines = append(lines, &node{kind: 't', raw: line, hash: maphash.Bytes(seed.Get(), line)})
	}
	return lines
}

// apart pairs nothing.
func apart(old, new []*node) []pair {
	var pairs []pair
	for _, n := range old {
		pairs = append(pairs, pair{old: n})
	}
	for _, n := range new {
		pairs = append(pairs, pair{new: n})
	}
	return pairs
}

// differing shows the difference that begins at i, and returns where it ends.
func (s *sheet) differing(pairs []pair, i int) int {
	s.changes++
	for ; i < len(pairs); i++ {
		switch p := pairs[i]; {
		case p.new == nil:
			s.add(Line{Sign: '-', Change: s.changes, Text: p.old.raw})
		case p.old == nil:
			s.add(Line{Sign: '+', Change: s.changes, Text: p.new.raw})
		default:
			return i
		}
	}
	return i
}

// run shows lines that are equal, those in the middle folded. before and behind say
// whether there are differences on both sides.
func (s *sheet) run(pairs []pair, before, behind bool) {
	from, to := 0, len(pairs)
	if before {
		from = min(to, around)
	}
	if behind {
		to = max(from, to-around)
	}
	if to-from < leastRun {
		from, to = len(pairs), len(pairs)
	}
	for i, p := range pairs {
		switch {
		case i == from:
			l := Line{Sign: ' ', Same: to - from}
			for _, p := range pairs[from:to] {
				l.text = append(l.text, p.new.raw)
			}
			s.add(l)
		case i < from || i >= to:
			s.add(Line{Sign: ' ', Text: p.new.raw})
		}
	}
}

// A Line is one line of two texts shown as one.
type Line struct {
	Sign   byte   // Sign is '-' for what only the old text has, '+' for the new one, ' ' for both.
	Depth  int    // Depth is how far it is set in, in levels.
	Change int    // Change numbers the difference that the line belongs to, from 1; 0 = none. Both sides of a changed value have one number.
	Path   string // Path leads to the value as in Change; ends of containers have their container's.
	Key    []byte // Key is the member's name as JSON writes it; nil for elements, ends of containers and the whole.
	Text   []byte // Text is a scalar as it is written, or a container's brace; of a text that is not JSON, the line.
	Same   int    // Same counts the members of a container, or the lines, that are equal in both and are folded; 0 = it is not one.
	Past   bool   // Past: the values differ, and a pattern says that it does not count.

	folded *node    // folded is the container that is folded; nil = none.
	text   [][]byte // text are the lines that are folded.
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
	s.both(a, b, nil, "", 0)
	return s.lines, s.more, nil
}

// Unfold returns the lines that a folded one stands for: a container's with what
// is in it folded, or all lines of a text. It is nil for any other line. Of more
// than MaxLines the rest is left out.
func (l *Line) Unfold() []Line {
	var s sheet
	for _, text := range l.text {
		s.add(Line{Sign: ' ', Depth: l.Depth, Text: text})
	}
	if n := l.folded; n != nil {
		s.add(Line{Sign: ' ', Depth: l.Depth, Path: l.Path, Key: l.Key, Text: n.raw[:1], Past: l.Past})
		for i, kid := range n.kids {
			at := step{index: i}
			if n.kind == '{' {
				at = step{key: kid.key, member: true}
			}
			s.equal(kid, quoted(at), at.write(inside(l.Path)), l.Depth+1, false)
		}
		s.add(Line{Sign: ' ', Depth: l.Depth, Path: l.Path, Text: end(n)})
	}
	return s.lines
}

// inside is the path that those of a container's members begin with.
func inside(path string) string {
	if path == "." {
		return ""
	}
	return path
}

type sheet struct {
	aligner
	lines   []Line
	changes int // changes counts the differences so far.
	more    bool
}

func (s *sheet) add(l Line) {
	if len(s.lines) == MaxLines {
		s.more = true
		return
	}
	s.lines = append(s.lines, l)
}

// both shows two values that stand for each other.
func (s *sheet) both(a, b *node, key []byte, path string, depth int) {
	switch {
	case s.more:
	case same(a, b):
		s.equal(b, key, path, depth, a.hash != b.hash)
	case a.kind != b.kind || a.kind != '{' && a.kind != '[':
		s.changes++
		s.one('-', a, key, path, depth)
		s.one('+', b, key, path, depth)
	default:
		s.add(Line{Sign: ' ', Depth: depth, Path: whole(path), Key: key, Text: b.raw[:1]})
		for _, p := range s.align(a, b) {
			s.pair(p, path, depth+1)
		}
		s.add(Line{Sign: ' ', Depth: depth, Path: whole(path), Text: end(b)})
	}
}

func (s *sheet) pair(p pair, path string, depth int) {
	if s.more || p.new == nil && p.old.ignored || p.old == nil && p.new.ignored {
		return
	}
	key, path := quoted(p.step), p.step.write(path)
	switch {
	case p.new == nil:
		s.changes++
		s.one('-', p.old, key, path, depth)
	case p.old == nil:
		s.changes++
		s.one('+', p.new, key, path, depth)
	default:
		s.both(p.old, p.new, key, path, depth)
	}
}

// equal shows a value that is equal in both, or that does not count.
func (s *sheet) equal(n *node, key []byte, path string, depth int, past bool) {
	l := Line{Sign: ' ', Depth: depth, Path: whole(path), Key: key, Text: scalar(n), Past: past}
	if len(n.kids) > 0 {
		l.Text, l.Same, l.folded = n.raw[:1], len(n.kids), n
	}
	s.add(l)
}

// one shows the whole of a value that only one text has.
func (s *sheet) one(sign byte, n *node, key []byte, path string, depth int) {
	if s.more {
		return
	}
	l := Line{Sign: sign, Depth: depth, Change: s.changes, Path: whole(path), Key: key, Text: scalar(n)}
	if len(n.kids) == 0 {
		s.add(l)
		return
	}
	l.Text = n.raw[:1]
	s.add(l)
	for i, kid := range n.kids {
		at := step{index: i}
		if n.kind == '{' {
			at = step{key: kid.key, member: true}
		}
		s.one(sign, kid, quoted(at), at.write(path), depth+1)
	}
	s.add(Line{Sign: sign, Depth: depth, Change: s.changes, Path: whole(path), Text: end(n)})
}

// scalar is the text of a value without members.
func scalar(n *node) []byte {
	switch n.kind {
	case '{':
		return []byte("{}")
	case '[':
		return []byte("[]")
	}
	return n.raw
}

// end is a container's closing brace.
func end(n *node) []byte { return n.raw[len(n.raw)-1:] }

// quoted is a member's name as JSON writes it.
func quoted(at step) []byte {
	if !at.member {
		return nil
	}
	return []byte(lex.Quote(at.key))
}
