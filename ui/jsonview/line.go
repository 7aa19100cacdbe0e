package jsonview

import (
	"sort"
	"wiretea/session/json/lex"
)

// lineKind is what a line holds.
type lineKind uint8

const (
	leafLine  lineKind = iota // a scalar or an empty container, with its key
	openLine                  // the beginning of a container, with its key
	closeLine                 // its end
	textLine
	noteLine // what is wrong from here on; it covers no bytes
)

// A line is a line of a Document. It covers the bytes from off to end, with the
// white space and the comma behind it; the first one also those before it.
type line struct {
	off, end int
	value    int // value is where its value begins: behind the key where there is one.
	depth    int
	kind     lineKind
}

// hasKey reports whether the line begins with a key.
func (l *line) hasKey() bool { return l.value > l.off }

// A reader reads lines of a Document and keeps the latest blocks of them. It is
// for one goroutine.
type reader struct {
	doc  *Document
	kept [keptBlocks]struct {
		block int // block is the number of the block, plus one.
		lines []line
	}
}

const keptBlocks = 16

// at returns line n, which must be there.
func (r *reader) at(n uint32) line {
	i := r.blockOf(n)
	return r.block(i)[n-r.doc.blocks[i].line]
}

// blockOf returns the number of the block of line n.
func (r *reader) blockOf(n uint32) int {
	blocks := r.doc.blocks
	return sort.Search(len(blocks), func(i int) bool { return blocks[i].line > n }) - 1
}

// lineOf returns the number of the line that covers a byte.
func (r *reader) lineOf(off int) uint32 {
	blocks := r.doc.blocks
	i := max(0, sort.Search(len(blocks), func(i int) bool { return int(blocks[i].off) > off })-1)
	lines := r.block(i)
	n := sort.Search(len(lines), func(i int) bool { return lines[i].off > off })
	return blocks[i].line + uint32(max(0, n-1))
}

// block returns the lines of block i.
func (r *reader) block(i int) []line {
	kept := &r.kept[i%keptBlocks]
	if kept.block != i+1 {
		kept.block, kept.lines = i+1, r.read(i, kept.lines[:0])
	}
	return kept.lines
}

// read reads the lines of block i from the text.
func (r *reader) read(i int, lines []line) []line {
	d := r.doc
	b := d.blocks[i]
	n, end := d.lines, len(d.body)
	if i+1 < len(d.blocks) {
		n, end = d.blocks[i+1].line, int(d.blocks[i+1].off)
	}
	n -= b.line
	pos := int(b.off)
	switch {
	case d.bad >= 0 && b.line == d.note:
		return append(lines, line{off: pos, end: pos, value: pos, kind: noteLine})
	case d.kind == Text || d.bad >= 0 && b.line > d.note:
		for range n {
			next := endOfText(d.body, pos)
			lines = append(lines, line{off: pos, end: next, value: pos, kind: textLine})
			pos = next
		}
		return lines
	}
	depth := int(b.depth)
	for k := range n {
		l, next := readLine(d.body[:end], pos, k+1 == n)
		// That a line ends a container is known once it is seen.
		if k > 0 && l.kind == closeLine {
			depth--
		}
		l.depth = depth
		if l.kind == openLine {
			depth++
		}
		if k > 0 {
			lines[k-1].end = l.off
		}
		lines = append(lines, l)
		pos = next
	}
	lines[n-1].end = end
	return lines
}

// readLine reads the line of JSON that begins at pos, and returns where the next
// one begins; for the last one of a block, which may be long, that is not looked
// for. The text has been read before and is right up to the next line.
func readLine(b []byte, pos int, last bool) (l line, next int) {
	l = line{off: pos, value: pos}
	if pos >= len(b) {
		return l, pos
	}
	switch c := b[pos]; c {
	case '}', ']':
		l.kind = closeLine
		return l, behindComma(b, pos+1)
	case '"':
		end := lex.StringEnd(b, pos)
		colon := lex.SkipSpace(b, end)
		if colon >= len(b) || b[colon] != ':' {
			return l, behindComma(b, end)
		}
		l.value = lex.SkipSpace(b, colon+1)
	}
	if l.value >= len(b) {
		return l, len(b)
	}
	switch c := b[l.value]; {
	case c == '{' || c == '[':
		inside := lex.SkipSpace(b, l.value+1)
		if inside < len(b) && b[inside] == c+2 {
			return l, behindComma(b, inside+1)
		}
		l.kind = openLine
		return l, inside
	case last:
		return l, len(b)
	case c == '"':
		return l, behindComma(b, lex.StringEnd(b, l.value))
	}
	end := l.value
	for end < len(b) && !ends(b, end) {
		end++
	}
	return l, behindComma(b, end)
}

// behindComma steps over white space, a comma, and white space.
func behindComma(b []byte, i int) int {
	i = lex.SkipSpace(b, i)
	if i < len(b) && b[i] == ',' {
		i = lex.SkipSpace(b, i+1)
	}
	return i
}
