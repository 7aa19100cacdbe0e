package layout

import "wiretea/ui/keys"

// A border is a line between panes that can be dragged.
type border uint8

const (
	noBorder   border = iota
	mainBorder        // between traffic and detail
	bodyBorder        // above stderr and findings
	lowBorder         // between stderr and findings
)

// Grab begins to drag the border under a cell, and reports whether there is one.
func (l *Layout) Grab(body Rect, x, y int) bool {
	l.drag = l.at(body, x, y)
	return l.drag != noBorder
}

// Drop ends dragging.
func (l *Layout) Drop() { l.drag = noBorder }

// at returns the border under a cell.
func (l *Layout) at(body Rect, x, y int) border {
	rects := map[keys.Scope]Rect{}
	for _, p := range l.Place(body) {
		rects[p.Scope] = p.Rect
	}
	// Two panes have two lines between them, both of which can be dragged.
	upper := func(r Rect) bool { return (y == r.Y || y == r.Y-1) && x >= r.X && x < r.X+r.W }
	left := func(r Rect) bool { return (x == r.X || x == r.X-1) && y >= r.Y && y < r.Y+r.H }
	if d, ok := rects[keys.Detail]; ok && len(rects) > 1 && (l.below(body.W) && upper(d) || !l.below(body.W) && left(d)) {
		return mainBorder
	}
	for _, s := range []keys.Scope{keys.Stderr, keys.Findings} {
		if r, ok := rects[s]; ok && len(rects) > 1 && upper(r) {
			return bodyBorder
		}
	}
	if f, ok := rects[keys.Findings]; ok && len(rects) > 1 && f.X > body.X && left(f) {
		return lowBorder
	}
	return noBorder
}

// Drag moves the border that is dragged to a cell.
func (l *Layout) Drag(body Rect, x, y int) {
	body, _ = l.withHeld(body)
	top := body
	for _, p := range l.Place(body) {
		if p.Scope == keys.Stderr || p.Scope == keys.Findings {
			top.H = p.Y - body.Y
			break
		}
	}
	switch l.drag {
	case mainBorder:
		if l.below(body.W) {
			l.Main = share(y-top.Y, top.H)
		} else {
			l.Main = share(x-top.X, top.W)
		}
	case bodyBorder:
		l.Layout.Body = share(y-body.Y, body.H)
	case lowBorder:
		l.Low = share(x-body.X, body.W)
	case noBorder:
	}
}

func share(part, whole int) int {
	if whole <= 0 {
		return 50
	}
	return clamp((part*100+whole/2)/whole, minShare, maxShare)
}

func clamp(v, low, high int) int {
	if high < low {
		return low
	}
	return min(max(v, low), high)
}
