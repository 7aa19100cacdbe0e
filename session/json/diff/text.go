package diff

import (
	"bytes"
	"fmt"
	"hash/maphash"
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
