package jsonview

import (
	"context"

	"wiretea/session/filter"
	"wiretea/ui/keys"
)

// A View is what the user does with a Document: the cursor, what is folded, what
// is searched for. The zero View shows nothing. It is for one goroutine; none of
// its methods costs more than a window of lines.
type View struct {
	doc  *Document
	read reader

	cursor place // cursor is the row that is selected.
	top    place // top is the first row shown.
	folds  folds
	auto   bool // auto: the folds are ours, not the person's.
	wrap   bool

	find filter.Literal
	hit  int // hit is where the current hit begins, -1 = none.

	w, h    int // w and h are the size drawn last.
	columns int // columns is how many bytes a hex row shows.

	rows     segmentRows
	cells    cellRow
	toks     []token
	cutToken *token // cutToken is the token that did not fit into the row laid out last.
	paint    paint
}

// New returns a View that shows nothing yet.
func New() *View { return &View{w: 80, h: 24, hit: -1, columns: 16} }

// Show shows a Document from its beginning, sensibly folded; nil = nothing.
func (v *View) Show(d *Document) {
	v.take(d)
	v.cursor, v.top, v.hit, v.auto = place{}, place{}, -1, true
	if d == nil {
		return
	}
	v.folds.set(d.sensible(v.h))
	v.foldMeta()
	v.cursor = v.firstRow(0)
	v.top = v.cursor
}

// Grown replaces the Document by one of the same body that goes further. What
// was folded and where the cursor is stay.
func (v *View) Grown(d *Document) {
	if v.doc == nil || d == nil || v.doc.kind != d.kind {
		v.Show(d)
		return
	}
	v.take(d)
	if v.auto && v.cursor == v.top && v.cursor.line == 0 {
		v.folds.set(d.sensible(v.h))
		v.foldMeta()
	}
	v.settle()
}

func (v *View) take(d *Document) {
	v.doc = d
	v.read = reader{doc: d}
	v.rows.w = 0
}

// Document returns what is shown, nil for nothing.
func (v *View) Document() *Document { return v.doc }

// Empty reports whether there is nothing to move about in.
func (v *View) Empty() bool {
	return v.doc == nil || len(v.doc.body) == 0 || v.doc.lines == 0 && v.doc.kind != Hex
}

// Resize says how large the window is, in cells.
func (v *View) Resize(w, h int) {
	w, h = max(1, w), max(1, h)
	if w == v.w && h == v.h {
		return
	}
	old := v.columns
	v.w, v.h, v.columns = w, h, hexColumns(w)
	if v.Empty() {
		return
	}
	if v.doc.kind == Hex {
		v.cursor.line = v.cursor.line * uint32(old) / uint32(v.columns)
		v.top.line = v.top.line * uint32(old) / uint32(v.columns)
		return
	}
	v.settle()
}

// settle puts the cursor and the top on rows that are shown.
func (v *View) settle() {
	if v.Empty() || v.doc.kind == Hex {
		return
	}
	for _, p := range []*place{&v.cursor, &v.top} {
		if p.line >= v.doc.lines {
			*p = v.firstRow(v.doc.lines - 1)
		}
		if at := v.hiddenBy(p.line); at != none {
			*p = v.firstRow(at)
		} else {
			*p = v.rowOf(p.line, p.off)
		}
	}
	if v.hit >= 0 && v.hit < len(v.doc.body) && v.read.lineOf(v.hit) == v.cursor.line {
		v.cursor = v.rowOf(v.cursor.line, v.hit)
	}
	v.reveal()
}

// reveal moves the window so that the cursor is in it.
func (v *View) reveal() {
	if v.cursor.before(v.top) {
		v.top = v.cursor
		return
	}
	at := v.top
	for range v.h {
		if at == v.cursor {
			return
		}
		next, ok := v.nextRow(at)
		if !ok {
			break
		}
		at = next
	}
	v.top = v.cursor
	for range v.h - 1 {
		prev, ok := v.prevRow(v.top)
		if !ok {
			return
		}
		v.top = prev
	}
}

// Do carries out an action that moves the cursor, or folds. It reports false for any
// other action.
func (v *View) Do(a keys.Action) bool {
	switch a {
	case keys.Up:
		v.Move(-1)
	case keys.Down:
		v.Move(1)
	case keys.Top:
		v.Top()
	case keys.Bottom:
		v.Bottom()
	case keys.HalfUp:
		v.Page(-1)
	case keys.HalfDown:
		v.Page(1)
	case keys.PageUp:
		v.Page(-2)
	case keys.PageDown:
		v.Page(2)
	default:
		return v.DoFold(a)
	}
	return true
}

// Move moves the cursor by rows, downwards positive.
func (v *View) Move(rows int) {
	if v.Empty() {
		return
	}
	v.cursor = v.walk(v.cursor, rows)
	v.hit = -1
	v.reveal()
}

// walk returns the row that lies that many rows away, or the last one there is.
func (v *View) walk(p place, rows int) place {
	for ; rows > 0; rows-- {
		q, ok := v.nextRow(p)
		if !ok {
			return p
		}
		p = q
	}
	for ; rows < 0; rows++ {
		q, ok := v.prevRow(p)
		if !ok {
			return p
		}
		p = q
	}
	return p
}

// Page moves by half pages, downwards positive; the window moves with the
// cursor.
func (v *View) Page(halves int) {
	if v.Empty() {
		return
	}
	rows := halves * max(1, (v.h-1)/2)
	v.cursor = v.walk(v.cursor, rows)
	v.top = v.walk(v.top, rows)
	v.hit = -1
	v.reveal()
	v.fillWindow()
}

// fillWindow moves the window up where there is nothing to show below.
func (v *View) fillWindow() {
	last := v.walk(v.top, v.h-1)
	if first := v.walk(last, 1-v.h); first.before(v.top) {
		v.top = first
	}
}

// Top moves to the first row.
func (v *View) Top() {
	if !v.Empty() {
		v.cursor, v.hit = v.firstRow(0), -1
		v.reveal()
	}
}

// Bottom moves to the last row.
func (v *View) Bottom() {
	if v.Empty() {
		return
	}
	v.hit = -1
	if v.doc.kind == Hex {
		v.cursor = place{line: uint32(v.hexRows() - 1)}
	} else if at := v.hiddenBy(v.doc.lines - 1); at != none {
		v.cursor = v.firstRow(at)
	} else {
		v.cursor = v.lastRow(v.doc.lines - 1)
	}
	v.reveal()
}

// Scroll moves the window by rows, downwards positive; the cursor stays in it.
func (v *View) Scroll(rows int) {
	if v.Empty() {
		return
	}
	v.top = v.walk(v.top, rows)
	v.fillWindow()
	if last := v.walk(v.top, v.h-1); last.before(v.cursor) {
		v.cursor = last
	}
	if v.cursor.before(v.top) {
		v.cursor = v.top
	}
}

// Click moves the cursor to the row at y, and folds or unfolds where x is on the
// sign of that.
func (v *View) Click(x, y int) {
	if v.Empty() || y < 0 || y >= v.h {
		return
	}
	at := v.top
	for range y {
		next, ok := v.nextRow(at)
		if !ok {
			return
		}
		at = next
	}
	v.cursor, v.hit = at, -1
	if v.doc.kind != JSON {
		return
	}
	l := v.read.at(at.line)
	if indent, _ := v.room(&l, v.w); l.kind == openLine && x >= indent-signWidth && x < indent {
		v.Toggle()
	}
}

// SetWrap wraps long lines, or cuts them.
func (v *View) SetWrap(on bool) {
	v.wrap = on
	v.settle()
}

// Wrapped reports whether long lines are wrapped.
func (v *View) Wrapped() bool { return v.wrap }

// SetSearch marks what is searched for; empty = nothing.
func (v *View) SetSearch(text string) { v.find, v.hit = filter.NewLiteral(text), -1 }

// Place returns the byte that the cursor is at, or the hit; what a search goes
// on from.
func (v *View) Place() int {
	switch {
	case v.hit >= 0:
		return v.hit
	case v.doc != nil && v.doc.kind == Hex:
		return int(v.cursor.line)*v.columns - 1
	}
	return v.cursor.off - 1
}

// Reveal moves the cursor to the row that shows a byte, unfolding what hides it,
// and marks the hit that begins there.
func (v *View) Reveal(off int) {
	if v.Empty() || off < 0 || off >= len(v.doc.body) {
		return
	}
	v.hit = off
	if v.doc.kind == Hex {
		v.cursor = place{line: uint32(off / v.columns)}
		v.reveal()
		return
	}
	n := v.read.lineOf(off)
	for at := v.hiddenBy(n); at != none; at = v.hiddenBy(n) {
		v.folds.flip(at)
		v.auto = false
	}
	if l := v.read.at(n); v.isFolded(n, &l) && off > l.value {
		v.folds.flip(n)
	}
	v.cursor = v.rowOf(n, off)
	v.reveal()
}

// Path returns the way to the value that the cursor is at: .result.tools[3].name.
// It is empty outside of JSON.
func (v *View) Path() string {
	if v.Empty() {
		return ""
	}
	return v.read.path(v.cursor.line)
}

// Value returns the bytes of the value that the cursor is at, exactly as they
// are; of a line of text without its end. They must not be changed.
func (v *View) Value() []byte {
	switch {
	case v.Empty():
		return nil
	case v.doc.kind == Hex:
		from := int(v.cursor.line) * v.columns
		return v.doc.body[min(from, len(v.doc.body)):min(from+v.columns, len(v.doc.body))]
	}
	from, to := v.read.value(v.cursor.line)
	return v.doc.body[from:to]
}

// step is how much is searched between two looks at the context.
const step = 1 << 20

// Find returns the first place of text behind from, or with back the last one
// before it, without regard to the case of ASCII letters. It goes on at the
// other end, and returns -1 where there is none, or when ctx ends.
func Find(ctx context.Context, body []byte, text string, from int, back bool) int {
	l := filter.NewLiteral(text)
	from = min(max(from, -1), len(body))
	if back {
		if at := backward(ctx, &l, body, 0, from); at >= 0 {
			return at
		}
		return backward(ctx, &l, body, max(from, 0), len(body))
	}
	if at := forward(ctx, &l, body, from+1, len(body)); at >= 0 {
		return at
	}
	return forward(ctx, &l, body, 0, min(from+1, len(body)))
}

// forward returns the first hit that begins in from:to, or -1.
func forward(ctx context.Context, l *filter.Literal, body []byte, from, to int) int {
	for ; from < to && ctx.Err() == nil; from += step {
		end := min(from+step, to)
		if at := l.Index(body[from:min(end+l.Len()-1, len(body))]); at >= 0 {
			return from + at
		}
	}
	return -1
}

// backward returns the last hit that begins in from:to, or -1.
func backward(ctx context.Context, l *filter.Literal, body []byte, from, to int) int {
	for end := to; end > from && ctx.Err() == nil; end -= step / 16 {
		found := -1
		for at := max(from, end-step/16); at < end; {
			n := l.Index(body[at:min(end+l.Len()-1, len(body))])
			if n < 0 {
				break
			}
			found = at + n
			at = found + 1
		}
		if found >= 0 {
			return found
		}
	}
	return -1
}
