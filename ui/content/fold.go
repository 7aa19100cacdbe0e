package content

import (
	"slices"
	"strconv"
)

// deepestOpen is how deep values are nested that are unfolded together; those within them
// are unfolded one by one.
const deepestOpen = 200

// folds say what of a document is unfolded: what was chosen line by line, else what is less
// deep than a depth, else what the layout unfolds by itself.
type folds struct {
	chosen map[string]bool
	depth  int // depth is one more than the depth from which all is folded; 0 = nothing was chosen.
}

// open reports whether a part is unfolded.
func (f *folds) open(key string, depth int, self bool) bool {
	if open, ok := f.chosen[key]; ok {
		return open
	}
	if f.depth > 0 {
		return depth < f.depth-1
	}
	return self
}

// Toggle folds or unfolds the part that a line of the last layout begins. It takes effect
// with the next one.
func (d *Document) Toggle(l Line) {
	if l.Fold == "" {
		return
	}
	if d.folds.chosen == nil {
		d.folds.chosen = map[string]bool{}
	}
	d.folds.chosen[l.Fold] = !l.Open
}

// Unfold unfolds all that is less deep than a depth, and folds the rest: with 0 everything
// is folded. It takes effect with the next layout.
func (d *Document) Unfold(depth int) { d.folds = folds{depth: 1 + max(0, min(depth, deepestOpen))} }

// folding adds the line or lines that begin a part which folds, and reports whether the
// part is unfolded. name is its name among what it is in, empty where the path leads
// to it; self is whether it is unfolded where nobody has chosen. put adds the lines.
func (l *layout) folding(name string, self bool, put func(open bool)) (open bool) {
	key := l.key(name)
	open = l.doc.folds.open(key, l.depth, self)
	first := len(l.lines)
	put(open)
	if first < len(l.lines) {
		l.lines[first].Fold, l.lines[first].Open = key, open
	}
	return open
}

// inside lays out what is in a part that folds.
func (l *layout) inside(name string, draw func()) {
	path := l.path
	l.path, l.depth = l.way(name), l.depth+1
	draw()
	l.path, l.depth = path, l.depth-1
}

// way is the way to a part by its name.
func (l *layout) way(name string) []string {
	if name == "" {
		return l.path
	}
	return append(slices.Clip(l.path), name)
}

// key is the key of a part by its name: that of the block, and the way to it.
func (l *layout) key(name string) string {
	return strconv.Itoa(l.block) + "\x00" + place(l.way(name)...)
}

// sign is before what folds.
func sign(open bool) string {
	if open {
		return "▾ "
	}
	return "▸ "
}
