package jsonview

import (
	"sort"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/text"
)

// none stands for "no line".
const none = ^uint32(0)

// nextAtMost returns the first line behind n whose depth is at most depth, or
// none.
func (r *reader) nextAtMost(n uint32, depth int) uint32 {
	d := r.doc
	i := r.blockOf(n)
	lines := r.block(i)
	for k := int(n-d.blocks[i].line) + 1; k < len(lines); k++ {
		if lines[k].depth <= depth {
			return d.blocks[i].line + uint32(k)
		}
	}
	i = d.nextBlock(i, uint32(depth))
	if i < 0 {
		return none
	}
	for k, l := range r.block(i) {
		if l.depth <= depth {
			return d.blocks[i].line + uint32(k)
		}
	}
	return none
}

// prevAtMost returns the last line before n whose depth is at most depth, or
// none.
func (r *reader) prevAtMost(n uint32, depth int) uint32 {
	d := r.doc
	i := r.blockOf(n)
	lines := r.block(i)
	for k := int(n-d.blocks[i].line) - 1; k >= 0; k-- {
		if lines[k].depth <= depth {
			return d.blocks[i].line + uint32(k)
		}
	}
	i = d.prevBlock(i, uint32(depth))
	if i < 0 {
		return none
	}
	lines = r.block(i)
	for k := len(lines) - 1; k >= 0; k-- {
		if lines[k].depth <= depth {
			return d.blocks[i].line + uint32(k)
		}
	}
	return none
}

// nextBlock returns the first block behind i that has a line of at most that depth,
// or -1.
func (d *Document) nextBlock(i int, depth uint32) int {
	for i++; i < len(d.blocks); {
		switch {
		case i%fanOut == 0 && d.least[i/fanOut] > depth:
			i += fanOut
		case d.blocks[i].least <= depth:
			return i
		default:
			i++
		}
	}
	return -1
}

// prevBlock returns the last block before i that has a line of at most that depth,
// or -1.
func (d *Document) prevBlock(i int, depth uint32) int {
	for i--; i >= 0; {
		switch {
		case i%fanOut == fanOut-1 && d.least[i/fanOut] > depth:
			i -= fanOut
		case d.blocks[i].least <= depth:
			return i
		default:
			i--
		}
	}
	return -1
}

// closeOf returns the line that ends the container that line n opens. It
// reports false for one that has no end; then it is the last line in it.
func (r *reader) closeOf(n uint32) (uint32, bool) {
	c := r.nextAtMost(n, r.at(n).depth)
	switch {
	case c == none:
		return r.doc.lines - 1, false
	case r.at(c).kind != closeLine:
		return c - 1, false
	}
	return c, true
}

// openOf returns the line that opens what line n ends.
func (r *reader) openOf(n uint32) uint32 { return r.prevAtMost(n, r.at(n).depth) }

// parentOf returns the line that opens the container around line n, or none.
func (r *reader) parentOf(n uint32) uint32 {
	l := r.at(n)
	if l.depth == 0 || l.kind == textLine || l.kind == noteLine {
		return none
	}
	if l.kind == closeLine {
		n = r.openOf(n)
	}
	return r.prevAtMost(n, l.depth-1)
}

// nextSibling returns the line behind the element of line n, which may be the
// end of its container, or none.
func (r *reader) nextSibling(n uint32) uint32 {
	if r.at(n).kind == openLine {
		c, ok := r.closeOf(n)
		if !ok {
			return none
		}
		n = c
	}
	if n+1 >= r.doc.lines {
		return none
	}
	return n + 1
}

// count returns which element of its container the one is that begins at line
// n, from 0; for the end of a container, how many there are. around is the line
// that opens it. It reports false where they were not counted.
func (r *reader) count(n, around uint32) (int, bool) {
	depth := r.at(around).depth + 1
	if depth >= len(r.doc.marks) {
		return 0, false
	}
	marks := r.doc.marks[depth]
	at, have := around+1, 0
	if i := sort.Search(len(marks), func(i int) bool { return marks[i].line > n }) - 1; i >= 0 && marks[i].line > around {
		at, have = marks[i].line, int(marks[i].n)
	}
	for at != n {
		if at == none || at > n {
			return 0, false
		}
		at = r.nextSibling(at)
		have++
	}
	return have, true
}

// pathDepth is how many levels of a path are written.
const pathDepth = 64

// path returns the way to line n from the outermost value: .result.tools[3].name.
func (r *reader) path(n uint32) string {
	if r.doc.kind != JSON || r.doc.lines == 0 {
		return ""
	}
	l := r.at(n)
	if l.kind == textLine || l.kind == noteLine {
		return ""
	}
	if l.kind == closeLine {
		n = r.openOf(n)
	}
	var parts []string
	for n != none {
		if len(parts) == pathDepth {
			parts = append(parts, "…")
			break
		}
		around := r.parentOf(n)
		if around == none {
			break
		}
		parts = append(parts, r.step(n, around))
		n = around
	}
	if len(parts) == 0 {
		return "."
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// step is the last part of the path to line n.
func (r *reader) step(n, around uint32) string {
	l := r.at(n)
	if !l.hasKey() {
		if i, ok := r.count(n, around); ok {
			return "[" + strconv.Itoa(i) + "]"
		}
		return "[…]"
	}
	key := r.doc.body[l.off:lex.StringEnd(r.doc.body[:l.value], l.off)]
	if name := key[1 : len(key)-1]; isName(name) {
		return "." + string(name)
	}
	return "[" + text.Visible(key, 0) + "]"
}

// isName reports whether a key can be written without quotes.
func isName(key []byte) bool {
	for i, c := range key {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}

// value returns the place of the value of line n; for the ends of a container,
// the whole container.
func (r *reader) value(n uint32) (from, to int) {
	l := r.at(n)
	switch l.kind {
	case openLine, closeLine:
		open, last := l, l
		if l.kind == openLine {
			c, ok := r.closeOf(n)
			if last = r.at(c); !ok {
				return l.value, last.end
			}
		} else {
			open = r.at(r.openOf(n))
		}
		return open.value, last.off + 1
	case leafLine:
		return l.value, trimEnd(r.doc.body, l.value, l.end)
	case textLine:
		to = l.end
		if to > l.off && r.doc.body[to-1] == '\n' {
			to--
		}
		return l.off, to
	case noteLine:
	}
	return l.off, l.end
}

// trimEnd returns where a value ends that has only white space and a comma
// behind it, up to end. Beyond trimLimit of them it gives up.
func trimEnd(b []byte, from, end int) int {
	least := max(from+1, end-trimLimit)
	comma := false
	for end > least {
		switch b[end-1] {
		case ' ', '\n', '\r', '\t':
		case ',':
			if comma {
				return end
			}
			comma = true
		default:
			return end
		}
		end--
	}
	return end
}

const trimLimit = 64 << 10
