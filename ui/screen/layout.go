package screen

import (
	"slices"

	"wiretea/ui/config"
	"wiretea/ui/keys"
)

// A rect is a place on the screen, in cells, border included.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// inside is the rect within the border; empty where there is no room.
func (r rect) inside() rect {
	return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)}
}

// A placed pane has its scope and its place.
type placed struct {
	scope keys.Scope
	rect
}

// layout is how the panes share the screen. The zero layout is not valid; see newLayout.
type layout struct {
	config.Layout

	zoom keys.Scope // zoom is the pane over everything, Global for none.
	page keys.Scope // page is the page over everything, Global for none.

	noStderr bool // noStderr: the session has no stderr.

	held func(w, h int) int // held is how high the pane of held messages wants to be in a body, 0 = it is not shown; nil = 0.
}

func newLayout() layout { return layout{Layout: config.Layout{Main: 56, Body: 72, Low: 42}} }

// Limits of shares, in percent, and of panes, in cells.
const (
	minShare, maxShare = config.LeastShare, config.MostShare
	beside             = 100 // from this width on detail has room beside traffic
	tall               = 27  // from this height of the body on there is room for stderr and findings
	leastHeight        = 4
)

// shown lists the panes in the order in which tab goes through them.
func (l *layout) shown(w, h int) []keys.Scope {
	if l.page != keys.Global {
		return []keys.Scope{l.page}
	}
	if l.zoom != keys.Global {
		return []keys.Scope{l.zoom}
	}
	list := []keys.Scope{keys.Traffic}
	_, held := l.withHeld(rect{w: w, h: h})
	if held.h > 0 {
		list, h = append(list, keys.Held), h-held.h
	}
	if !l.HideDetail && h >= 2*leastHeight {
		list = append(list, keys.Detail)
	}
	if h >= tall {
		if !l.HideStderr && !l.noStderr {
			list = append(list, keys.Stderr)
		}
		if !l.HideFindings {
			list = append(list, keys.Findings)
		}
	}
	return list
}

// withHeld divides a body: what the other panes get, and below them the pane of held
// messages; nothing while none is held.
func (l *layout) withHeld(body rect) (rest, held rect) {
	n := 0
	if l.held != nil && l.page == keys.Global && l.zoom == keys.Global {
		n = l.held(body.w, body.h)
	}
	return rect{body.x, body.y, body.w, body.h - n}, rect{body.x, body.y + body.h - n, body.w, n}
}

// place gives every pane that is shown its rect in the body.
func (l *layout) place(body rect) []placed {
	list := l.shown(body.w, body.h)
	if len(list) == 1 {
		return []placed{{list[0], body}}
	}
	var out []placed
	body, held := l.withHeld(body)
	if held.h > 0 {
		list = slices.DeleteFunc(list, func(s keys.Scope) bool { return s == keys.Held })
		out = append(out, placed{keys.Held, held})
	}
	top, low := body, rect{}
	var lower []keys.Scope
	for _, s := range list {
		if s == keys.Stderr || s == keys.Findings {
			lower = append(lower, s)
		}
	}
	if len(lower) > 0 {
		top.h = clamp(body.h*l.Body/100, leastHeight, body.h-leastHeight)
		low = rect{body.x, body.y + top.h, body.w, body.h - top.h}
	}
	if len(list) > len(lower)+1 {
		a, b := top, top
		if l.below(top.w) {
			a.h = clamp(top.h*l.Main/100, leastHeight, top.h-leastHeight)
			b.y, b.h = top.y+a.h, top.h-a.h
		} else {
			a.w = clamp(top.w*l.Main/100, 30, top.w-30)
			b.x, b.w = top.x+a.w, top.w-a.w
		}
		out = append(out, placed{keys.Traffic, a}, placed{keys.Detail, b})
	} else {
		out = append(out, placed{keys.Traffic, top})
	}
	switch len(lower) {
	case 1:
		out = append(out, placed{lower[0], low})
	case 2:
		n := clamp(low.w*l.Low/100, 10, low.w-10)
		out = append(out, placed{lower[0], rect{low.x, low.y, n, low.h}},
			placed{lower[1], rect{low.x + n, low.y, low.w - n, low.h}})
	}
	return out
}

// Widths and heights of the body in cells from which on a composer leaves room for traffic.
const (
	composerBeside = 110 // it is at the right
	composerBelow  = 34  // it is below
)

// besideComposer divides the body: the composer's place, and what is left for the panes;
// nothing where there is no room for both.
func besideComposer(body rect) (own, rest rect) {
	switch {
	case body.w >= composerBeside:
		w := clamp(body.w*55/100, 60, 110)
		return rect{body.x + body.w - w, body.y, w, body.h}, rect{body.x, body.y, body.w - w, body.h}
	case body.h >= composerBelow:
		h := body.h * 60 / 100
		return rect{body.x, body.y + body.h - h, body.w, h}, rect{body.x, body.y, body.w, body.h - h}
	}
	return body, rect{}
}

// placed are the panes that are shown, with their places.
func (s *Screen) placed(body rect) []placed {
	if !s.tab().composer.IsOpen() {
		return s.layout.place(body)
	}
	_, rest := besideComposer(body)
	if rest.w == 0 || rest.h == 0 {
		return nil
	}
	l := s.layout
	l.page, l.zoom, l.Below, l.HideStderr, l.HideFindings, l.held = keys.Global, keys.Global, true, true, true, nil
	return l.place(rest)
}

// below reports whether detail is below traffic on a screen of that width.
func (l *layout) below(w int) bool { return l.Below || w < beside }

// grow makes a pane larger, or with a negative step smaller, in percent.
func (l *layout) grow(s keys.Scope, step int) {
	switch s {
	case keys.Traffic:
		l.Main = clamp(l.Main+step, minShare, maxShare)
	case keys.Detail:
		l.Main = clamp(l.Main-step, minShare, maxShare)
	case keys.Stderr, keys.Findings:
		l.Body = clamp(l.Body-step, minShare, maxShare)
	}
}

// A border is a line between panes that can be dragged.
type border uint8

const (
	noBorder   border = iota
	mainBorder        // between traffic and detail
	bodyBorder        // above stderr and findings
	lowBorder         // between stderr and findings
)

// at returns the border under a cell.
func (l *layout) at(body rect, x, y int) border {
	rects := map[keys.Scope]rect{}
	for _, p := range l.place(body) {
		rects[p.scope] = p.rect
	}
	// Two panes have two lines between them, both of which can be dragged.
	upper := func(r rect) bool { return (y == r.y || y == r.y-1) && x >= r.x && x < r.x+r.w }
	left := func(r rect) bool { return (x == r.x || x == r.x-1) && y >= r.y && y < r.y+r.h }
	if d, ok := rects[keys.Detail]; ok && len(rects) > 1 && (l.below(body.w) && upper(d) || !l.below(body.w) && left(d)) {
		return mainBorder
	}
	for _, s := range []keys.Scope{keys.Stderr, keys.Findings} {
		if r, ok := rects[s]; ok && len(rects) > 1 && upper(r) {
			return bodyBorder
		}
	}
	if f, ok := rects[keys.Findings]; ok && len(rects) > 1 && f.x > body.x && left(f) {
		return lowBorder
	}
	return noBorder
}

// drag moves a border to a cell.
func (l *layout) drag(b border, body rect, x, y int) {
	body, _ = l.withHeld(body)
	top := body
	for _, p := range l.place(body) {
		if p.scope == keys.Stderr || p.scope == keys.Findings {
			top.h = p.y - body.y
			break
		}
	}
	switch b {
	case mainBorder:
		if l.below(body.w) {
			l.Main = share(y-top.y, top.h)
		} else {
			l.Main = share(x-top.x, top.w)
		}
	case bodyBorder:
		l.Body = share(y-body.y, body.h)
	case lowBorder:
		l.Low = share(x-body.x, body.w)
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
