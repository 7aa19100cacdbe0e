package jsonview

import (
	"context"
	"math"

	"wiretea/session/json/lex"
)

// A block is a place in the text where a line begins, and what is there. A
// Document keeps one for a few lines.
type block struct {
	off   uint32 // off is where its first line begins.
	line  uint32 // line is the number of that line.
	depth uint32 // depth is that line's.
	least uint32 // least is the least depth of its lines.
}

const (
	blockLines = 32   // lines in a block
	blockBytes = 4096 // A block ends with the line that goes beyond so many bytes.

	maxMarks  = 256 // Elements are counted in containers up to this depth.
	markEvery = 16  // One in so many elements is marked.

	maxBody = math.MaxUint32 - 1 // bytes of a Document
	shown   = 16                 // depths whose lines are counted
)

// A mark says that the element that begins at a line is the nth of its
// container, from 0.
type mark struct{ line, n uint32 }

// An indexer makes the index of a text.
type indexer struct {
	ctx   context.Context
	body  []byte
	doc   *Document
	last  *block
	depth int
	kinds []uint64 // kinds has a bit for each container around: set = object.
	count []uint32 // count is how many elements the containers around have had, by depth.
	steps int
}

// newline begins a line.
func (x *indexer) newline(off, depth int) {
	d := x.doc
	if b := x.last; b == nil || d.lines-b.line >= blockLines || off-int(b.off) >= blockBytes {
		d.blocks = append(d.blocks, block{uint32(off), d.lines, uint32(depth), uint32(depth)})
		x.last = &d.blocks[len(d.blocks)-1]
	} else if uint32(depth) < b.least {
		b.least = uint32(depth)
	}
	if depth < shown {
		d.perDepth[depth]++
	}
	d.lines++
}

// element counts an element or a member that begins with the next line.
func (x *indexer) element() {
	k := x.depth
	if k >= maxMarks {
		return
	}
	n := x.count[k]
	x.count[k] = n + 1
	if n%markEvery == 0 && n > 0 {
		x.doc.marks[k] = append(x.doc.marks[k], mark{x.doc.lines, n})
	}
}

// push enters a container.
func (x *indexer) push(object bool) {
	word, bit := x.depth>>6, uint64(1)<<(x.depth&63)
	if word == len(x.kinds) {
		x.kinds = append(x.kinds, 0)
	}
	if object {
		x.kinds[word] |= bit
	} else {
		x.kinds[word] &^= bit
	}
	x.depth++
	if x.depth < maxMarks {
		for len(x.count) <= x.depth {
			x.count = append(x.count, 0)
			x.doc.marks = append(x.doc.marks, nil)
		}
		x.count[x.depth] = 0
	}
}

// inObject reports whether the innermost container is an object.
func (x *indexer) inObject() bool {
	at := x.depth - 1
	return x.kinds[at>>6]>>(at&63)&1 == 1
}

// cancelled is asked once a line.
func (x *indexer) cancelled() bool {
	x.steps++
	return x.steps&(1<<14-1) == 0 && x.ctx.Err() != nil
}

// text makes lines of what begins at off, at line feeds.
func (x *indexer) text(off int) {
	for off < len(x.body) {
		x.newline(off, 0)
		off = endOfText(x.body, off)
		if x.cancelled() {
			return
		}
	}
}

// json reads values from the beginning and makes pretty lines of them. It
// returns where they end, and what is wrong there, empty = nothing.
func (x *indexer) json() (end int, wrong string) {
	body := x.body
	pos := lex.SkipSpace(body, 0)
	for pos < len(body) && !x.cancelled() {
		// An element, a member, or a value of the outermost level begins here.
		if x.depth > 0 && x.inObject() {
			if body[pos] != '"' {
				return pos, "expected a key"
			}
			x.element()
			x.newline(pos, x.depth)
			if pos, wrong = stringEnd(body, pos); wrong != "" {
				return pos, wrong
			}
			if pos = lex.SkipSpace(body, pos); pos == len(body) {
				break
			}
			if body[pos] != ':' {
				return pos, "expected a colon"
			}
			if pos = lex.SkipSpace(body, pos+1); pos == len(body) {
				break
			}
			if !beginsValue(body[pos]) {
				return pos, noValue
			}
		} else {
			if !beginsValue(body[pos]) {
				return pos, noValue
			}
			x.element()
			x.newline(pos, x.depth)
		}
		opened := false
		if pos, opened, wrong = x.value(pos); wrong != "" {
			return pos, wrong
		}
		if opened {
			continue
		}
		if pos, wrong = x.after(pos); wrong != "" {
			return pos, wrong
		}
	}
	if x.depth > 0 || x.doc.lines == 0 || pos < len(body) {
		return len(body), endsEarly
	}
	return len(body), ""
}

const (
	noValue   = "expected a value"
	endsEarly = "the text ends here, in the middle of a value"
)

// value steps over the value that begins at pos, or into it where it is a
// container with something in it.
func (x *indexer) value(pos int) (end int, opened bool, wrong string) {
	switch c := x.body[pos]; c {
	case '{', '[':
		x.push(c == '{')
		pos = lex.SkipSpace(x.body, pos+1)
		if pos < len(x.body) && x.body[pos] == c+2 { // '}' is '{'+2, and so is ']' of '['.
			x.depth--
			return pos + 1, false, ""
		}
		return pos, true, ""
	case '"':
		end, wrong = stringEnd(x.body, pos)
	case 't':
		end, wrong = literalEnd(x.body, pos, "true")
	case 'f':
		end, wrong = literalEnd(x.body, pos, "false")
	case 'n':
		end, wrong = literalEnd(x.body, pos, "null")
	default:
		end, wrong = numberEnd(x.body, pos)
	}
	return end, false, wrong
}

// after reads what may follow a value: commas, and the ends of containers, each
// of which is a line.
func (x *indexer) after(pos int) (end int, wrong string) {
	body := x.body
	for {
		pos = lex.SkipSpace(body, pos)
		if pos == len(body) || x.depth == 0 {
			return pos, ""
		}
		object := x.inObject()
		switch c := body[pos]; {
		case c == ',':
			return lex.SkipSpace(body, pos+1), ""
		case c == '}' && object, c == ']' && !object:
			x.depth--
			x.newline(pos, x.depth)
			pos++
			if x.cancelled() {
				return len(body), ""
			}
		case object:
			return pos, "expected a comma or }"
		default:
			return pos, "expected a comma or ]"
		}
	}
}
