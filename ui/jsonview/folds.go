package jsonview

import (
	"math"
	"strings"

	"wiretea/session/lazy"
	"wiretea/ui/keys"
)

// folds say which containers are folded: those from a depth on, but for the ones
// that were turned the other way.
type folds struct {
	depth   int // depth is that of the first containers that are folded.
	flipped map[uint32]struct{}
}

const noFold = math.MaxInt

func (f *folds) set(depth int) { f.depth, f.flipped = depth, nil }

// folded reports whether the container that line n opens is folded.
func (f *folds) folded(n uint32, depth int) bool {
	_, flipped := f.flipped[n]
	return depth >= f.depth != flipped
}

func (f *folds) flip(n uint32) {
	if _, is := f.flipped[n]; is {
		delete(f.flipped, n)
		return
	}
	if f.flipped == nil {
		f.flipped = make(map[uint32]struct{})
	}
	f.flipped[n] = struct{}{}
}

// hiddenBy returns the line of the outermost folded container that hides line n,
// or none. Its cost grows with how many containers were turned, not with how
// deep the line is.
func (v *View) hiddenBy(n uint32) uint32 {
	f, r := &v.folds, &v.read
	l := r.at(n)
	if l.kind == textLine || l.kind == noteLine {
		return none
	}
	outer := none
	inner := l.depth // Containers of a smaller depth are around the line.
	if l.kind == closeLine {
		inner++
	}
	for depth := f.depth; depth < inner; depth++ {
		at := r.prevAtMost(n, depth)
		if at == none {
			break
		}
		if _, flipped := f.flipped[at]; !flipped {
			outer = at
			break
		}
	}
	for at := range f.flipped {
		if at >= n || at >= outer || r.at(at).depth >= f.depth {
			continue
		}
		if last, _ := r.closeOf(at); last >= n {
			outer = at
		}
	}
	return outer
}

// isFolded reports whether line n stands for a whole container.
func (v *View) isFolded(n uint32, l *line) bool {
	return l.kind == openLine && v.folds.folded(n, l.depth)
}

// after returns the next line that is not hidden, or none.
func (v *View) after(n uint32) uint32 {
	if l := v.read.at(n); v.isFolded(n, &l) {
		n, _ = v.read.closeOf(n)
	}
	if n+1 >= v.doc.lines {
		return none
	}
	return n + 1
}

// before returns the line before n that is not hidden, or none.
func (v *View) before(n uint32) uint32 {
	if n == 0 {
		return none
	}
	if at := v.hiddenBy(n - 1); at != none {
		return at
	}
	return n - 1
}

// sensible is the depth from which containers are folded at first: as many
// levels are open as make about two screens of lines, but two at least.
func (d *Document) sensible(height int) int {
	if int(d.lines) <= height || d.kind != JSON {
		return noFold
	}
	lines := d.perDepth[0] + d.perDepth[1]
	depth := 2
	for ; depth < shown-1; depth++ {
		if lines += d.perDepth[depth]; int(lines) > 2*height {
			return depth
		}
	}
	return depth
}

const (
	metaLines = 4       // lines of a _meta that stays unfolded
	metaSeen  = 100     // members that are looked at to find it
	metaBody  = 1 << 20 // bytes of the longest body in which it is looked for
)

// foldMeta folds the _meta of a message where it is long: in the modern era each request has
// one of some 20 lines, above or between what the message is about.
func (v *View) foldMeta() {
	if v.doc.kind != JSON || v.doc.lines == 0 || len(v.doc.body) > metaBody || v.folds.depth <= 2 {
		return
	}
	r := &v.read
	seen := 0
	for n := r.nextAtMost(0, 2); n != none && seen < metaSeen; n = r.nextAtMost(n, 2) {
		seen++
		l := r.at(n)
		if l.kind != openLine || l.depth != 2 || !strings.HasPrefix(string(v.doc.body[l.off:min(l.value, l.off+len(metaKey))]), metaKey) {
			continue
		}
		if last, _ := r.closeOf(n); last-n >= metaLines && !v.folds.folded(n, l.depth) {
			v.folds.flip(n)
		}
	}
}

// metaKey is how the key is written in a message.
const metaKey = `"_meta"`

// depths are how deep an action unfolds.
var depths = lazy.Value[map[keys.Action]int]{New: func() map[keys.Action]int {
	return map[keys.Action]int{keys.FoldAll: 0, keys.UnfoldAll: noFold, keys.Depth1: 1, keys.Depth2: 2, keys.Depth3: 3, keys.Depth4: 4, keys.Depth5: 5}
}}

// Depth returns how many levels an action unfolds; ok is false for any other action.
func Depth(a keys.Action) (depth int, ok bool) {
	depth, ok = depths.Get()[a]
	return depth, ok
}

// Folds reports whether an action is one that folds, and means something in JSON only.
func Folds(a keys.Action) bool {
	_, ok := depths.Get()[a]
	return ok || a == keys.Fold || a == keys.Unfold
}

// DoFold carries out an action that folds, or goes to a sibling. It reports false for
// any other action.
func (v *View) DoFold(a keys.Action) bool {
	if depth, ok := depths.Get()[a]; ok {
		v.Depth(depth)
		return true
	}
	switch a {
	case keys.Fold:
		v.Fold()
	case keys.Unfold:
		v.Unfold()
	case keys.SiblingDn, keys.SiblingUp:
		v.Sibling(a == keys.SiblingDn)
	default:
		return false
	}
	return true
}

// Toggle folds or unfolds the container that the cursor is at. It reports false
// where there is none.
func (v *View) Toggle() bool {
	at, ok := v.container()
	if !ok {
		return false
	}
	v.auto = false
	v.folds.flip(at)
	v.cursor = v.firstRow(at)
	v.settle()
	return true
}

// container returns the line that opens what the cursor is at.
func (v *View) container() (uint32, bool) {
	if v.Empty() || v.doc.kind != JSON {
		return 0, false
	}
	switch v.read.at(v.cursor.line).kind {
	case openLine:
		return v.cursor.line, true
	case closeLine:
		return v.read.openOf(v.cursor.line), true
	case leafLine, textLine, noteLine:
	}
	return 0, false
}

// Fold folds the container that the cursor is at; where there is none, or it is
// folded, the cursor goes to the one around.
func (v *View) Fold() {
	if v.Empty() || v.doc.kind != JSON {
		return
	}
	if at, ok := v.container(); ok && !v.folds.folded(at, v.read.at(at).depth) {
		v.Toggle()
		return
	}
	if around := v.read.parentOf(v.cursor.line); around != none {
		v.cursor, v.hit = v.firstRow(around), -1
		v.reveal()
	}
}

// Unfold unfolds the container that the cursor is at; where it is unfolded, the
// cursor goes to its first element.
func (v *View) Unfold() {
	at, ok := v.container()
	switch {
	case !ok:
	case v.folds.folded(at, v.read.at(at).depth):
		v.Toggle()
	case at == v.cursor.line:
		v.Move(1)
	}
}

// Depth folds all containers from a depth on: with 1 the outermost ones show
// their elements, and those are folded. 0 folds everything.
func (v *View) Depth(depth int) {
	if v.Empty() || v.doc.kind != JSON {
		return
	}
	v.auto = false
	v.folds.set(depth)
	v.settle()
}

// Sibling moves to the next element of the container around, or the one before.
func (v *View) Sibling(forward bool) {
	if v.Empty() || v.doc.kind != JSON {
		return
	}
	at := v.cursor.line
	l := v.read.at(at)
	if l.kind == closeLine {
		at = v.read.openOf(at)
	}
	to := none
	switch {
	case l.kind == textLine || l.kind == noteLine:
	case forward:
		if to = v.read.nextSibling(at); to != none && v.read.at(to).kind == closeLine {
			to = none
		}
	case at > 0:
		// The line before is the end of the one before, or it, or what is around.
		to = at - 1
		switch before := v.read.at(to); {
		case before.kind == closeLine:
			to = v.read.openOf(to)
		case before.depth < l.depth:
			to = none
		}
	}
	if to != none {
		v.cursor, v.hit = v.firstRow(to), -1
		v.reveal()
	}
}
