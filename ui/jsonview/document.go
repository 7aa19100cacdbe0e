package jsonview

import (
	"context"
	"fmt"
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/highlight"
)

// Kind is how a Document is shown.
type Kind uint8

const (
	JSON Kind = iota // JSON: values, at least at the beginning.
	Text             // Text: lines.
	Hex              // Hex: bytes that are not text.
)

// A Document is the index of a body. It never changes and may be read from any
// goroutine.
type Document struct {
	body  []byte
	kind  Kind
	lines uint32

	blocks   []block
	least    []uint32 // least are the least depths of every fanOut blocks.
	marks    [][]mark // marks are by the depth of their elements, and in order.
	perDepth [shown]uint32

	bad   int    // bad is where JSON ends and text begins, -1 = nowhere.
	wrong string // wrong is what is wrong there.
	note  uint32 // note is the line that says so.

	opt Options
}

// Options say how a text is read.
type Options struct {
	// Raw shows text as text, also where it is JSON, with the ends of its
	// lines.
	Raw bool

	// More says that the body is only the beginning of what there is: that it
	// ends in the middle is nothing wrong.
	More bool

	// Spans are what the pieces of a text are, for their colours; nil = nothing is
	// known. A Document of another kind does without them.
	Spans []highlight.Span
}

// fanOut is how many blocks are passed over at once, at best, on the way to a line of
// a smaller depth.
const fanOut = 256

// Index reads a body. It fails only when ctx ends, with ctx's error, and for
// bodies of 4 GiB. The Document keeps the body, which must not be changed.
func Index(ctx context.Context, body []byte, opt Options) (*Document, error) {
	if len(body) > maxBody {
		return nil, fmt.Errorf("%s are too much to show", text.Size(int64(len(body))))
	}
	d := &Document{body: body, bad: -1, opt: opt}
	x := &indexer{ctx: ctx, body: body, doc: d}
	switch start := lex.SkipSpace(body, 0); {
	case !opt.Raw && start < len(body) && beginsValue(body[start]) && x.tryJSON():
		d.kind = JSON
	case isBinary(body):
		d.kind = Hex
	default:
		d.kind = Text
		x.text(0)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range d.blocks {
		if i%fanOut == 0 {
			d.least = append(d.least, d.blocks[i].least)
		}
		d.least[i/fanOut] = min(d.least[i/fanOut], d.blocks[i].least)
	}
	return d, nil
}

// tryJSON reads the body as JSON, and what follows a defect as text. It reports
// false, and takes everything back, where it is JSON by chance at best: a number
// at the beginning of a line of log, or its bracket.
func (x *indexer) tryJSON() bool {
	x.count, x.doc.marks = []uint32{0}, make([][]mark, 1)
	d := x.doc
	end, wrong := x.json()
	if wrong == "" || d.opt.More && end == len(x.body) {
		return true
	}
	first := x.body[lex.SkipSpace(x.body, 0)]
	if first != '{' && first != '[' || d.lines < 2 {
		*d = Document{body: d.body, bad: -1, opt: d.opt}
		*x = indexer{ctx: x.ctx, body: x.body, doc: d}
		return false
	}
	d.bad, d.wrong, d.note = end, wrong, d.lines
	x.last = nil
	x.newline(end, 0)
	x.last = nil
	x.text(end)
	return true
}

// sample is how much of a body is looked at to tell text from bytes.
const sample = 64 << 10

// isBinary reports whether a body is not text: it has NULs, or a good part of it
// is neither UTF-8 nor printable.
func isBinary(body []byte) bool {
	head := body[:min(len(body), sample)]
	odd := 0
	for i := 0; i < len(head); {
		c := head[i]
		switch {
		case c == 0:
			return true
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(head[i:])
			if r == utf8.RuneError && size == 1 && utf8.FullRune(head[i:]) {
				odd++
			}
			i += size
			continue
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\x1b' && c != '\b' && c != '\f':
			odd++
		}
		i++
	}
	return odd >= 4 && odd*12 > len(head)
}

// Kind returns how the Document is shown.
func (d *Document) Kind() Kind { return d.kind }

// Body returns the bytes. They must not be changed.
func (d *Document) Body() []byte { return d.body }

// Len returns the number of lines, nothing folded or wrapped; 0 for Hex.
func (d *Document) Len() int { return int(d.lines) }

// Defect returns where JSON breaks off, and why. It reports false where it does
// not.
func (d *Document) Defect() (off int, why string, ok bool) {
	return d.bad, d.wrong, d.bad >= 0
}

// Memory returns about how many bytes the Document keeps.
func (d *Document) Memory() int64 {
	n := int64(cap(d.body)) + 16*int64(cap(d.blocks)) + 4*int64(cap(d.least)) + 16*int64(cap(d.opt.Spans))
	for _, m := range d.marks {
		n += 8 * int64(cap(m))
	}
	return n
}
