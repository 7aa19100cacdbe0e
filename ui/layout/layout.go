package layout

import (
	"slices"

	"wiretea/ui/config"
	"wiretea/ui/keys"
)

// A Rect is a place on the screen, in cells, border included.
type Rect struct{ X, Y, W, H int }

// Contains reports whether a cell is in the rect.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inside is the rect within the border. It is empty if the border takes all the room.
func (r Rect) Inside() Rect {
	return Rect{r.X + 1, r.Y + 1, max(0, r.W-2), max(0, r.H-2)}
}

// A Placed pane has its scope and its place.
type Placed struct {
	Scope keys.Scope
	Rect
}

// A Layout is how the panes share the screen. It belongs to the goroutine that runs Update.
type Layout struct {
	config.Layout

	Focus keys.Scope // Focus is the pane that takes the keys.
	Zoom  keys.Scope // Zoom is the pane over all others, Global for none.
	Page  keys.Scope // Page is the page over everything, Global for none.

	NoStderr  bool               // NoStderr: the session has no stderr.
	Held      func(w, h int) int // Held is how high the pane of held messages wants to be in a body, 0 = it is not shown; nil = 0.
	Composing func() bool        // Composing reports whether the composer is open; nil = never.

	keys keys.Map
	area func() Rect
	drag border // drag is the border that is dragged.
}

// usual are the shares of the panes at first.
var usual = config.Layout{Main: 56, Body: 72, Low: 42}

// New returns the layout that was kept, with no pane hidden; the zero one is the usual one.
// area is what header and footer leave now.
func New(bound keys.Map, kept config.Layout, area func() Rect) *Layout {
	l := &Layout{Layout: kept, Focus: keys.Traffic, keys: bound, area: area}
	if kept.Main <= 0 {
		l.Layout = usual
	}
	l.HideDetail, l.HideStderr, l.HideFindings = false, false, false
	l.sound(func(share int) bool { return share >= minShare && share <= maxShare }) // It came from a file.
	return l
}

// sound gives the shares that are not valid their usual values.
func (l *Layout) sound(valid func(share int) bool) {
	for _, f := range []struct {
		share *int
		usual int
	}{{&l.Main, usual.Main}, {&l.Layout.Body, usual.Body}, {&l.Low, usual.Low}} {
		if !valid(*f.share) {
			*f.share = f.usual
		}
	}
}

// Reset puts every pane at its place and size as at first.
func (l *Layout) Reset() {
	l.Layout, l.Focus, l.Zoom, l.Page = usual, keys.Traffic, keys.Global, keys.Global
}

// Take puts a saved layout in force. Shares of 0 are as at first.
func (l *Layout) Take(saved config.Layout) {
	l.Layout, l.Page, l.Zoom = saved, keys.Global, keys.Global
	l.sound(func(share int) bool { return share != 0 })
	l.Refocus()
}

// Kept is what of the layout is kept for the next time: panes are hidden for this session.
func (l *Layout) Kept() config.Layout {
	kept := l.Layout
	kept.HideDetail, kept.HideStderr, kept.HideFindings = false, false, false
	return kept
}

// Area is what header and footer leave.
func (l *Layout) Area() Rect { return l.area() }

// Limits of shares, in percent, and of panes, in cells.
const (
	minShare, maxShare = config.LeastShare, config.MostShare
	beside             = 100 // from this width on detail has room beside traffic
	tall               = 27  // from this height of the body on there is room for stderr and findings
	LeastHeight        = 4   // LeastHeight is that of a pane with its border.
)

// Shown lists the panes in the order in which tab goes through them.
func (l *Layout) Shown() []keys.Scope {
	at := l.area()
	return l.ShownIn(at.W, at.H)
}

// ShownIn is Shown for a body of w by h cells.
func (l *Layout) ShownIn(w, h int) []keys.Scope {
	if l.Page != keys.Global {
		return []keys.Scope{l.Page}
	}
	if l.Zoom != keys.Global {
		return []keys.Scope{l.Zoom}
	}
	list := []keys.Scope{keys.Traffic}
	_, held := l.withHeld(Rect{W: w, H: h})
	if held.H > 0 {
		list, h = append(list, keys.Held), h-held.H
	}
	if !l.HideDetail && h >= 2*LeastHeight {
		list = append(list, keys.Detail)
	}
	if h >= tall {
		if !l.HideStderr && !l.NoStderr {
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
func (l *Layout) withHeld(body Rect) (rest, held Rect) {
	n := 0
	if l.Held != nil && l.Page == keys.Global && l.Zoom == keys.Global {
		n = l.Held(body.W, body.H)
	}
	return Rect{body.X, body.Y, body.W, body.H - n}, Rect{body.X, body.Y + body.H - n, body.W, n}
}

// Place gives every pane that is shown its place in the body, beside the composer where that
// is open.
func (l *Layout) Place(body Rect) []Placed {
	if l.Composing == nil || !l.Composing() {
		return l.place(body)
	}
	_, rest := BesideComposer(body)
	if rest.W == 0 || rest.H == 0 {
		return nil
	}
	c := *l
	c.Page, c.Zoom, c.Below, c.HideStderr, c.HideFindings, c.Held = keys.Global, keys.Global, true, true, true, nil
	return c.place(rest)
}

func (l *Layout) place(body Rect) []Placed {
	list := l.ShownIn(body.W, body.H)
	if len(list) == 1 {
		return []Placed{{list[0], body}}
	}
	var out []Placed
	body, held := l.withHeld(body)
	if held.H > 0 {
		list = slices.DeleteFunc(list, func(s keys.Scope) bool { return s == keys.Held })
		out = append(out, Placed{keys.Held, held})
	}
	top, low := body, Rect{}
	var lower []keys.Scope
	for _, s := range list {
		if s == keys.Stderr || s == keys.Findings {
			lower = append(lower, s)
		}
	}
	if len(lower) > 0 {
		top.H = clamp(body.H*l.Layout.Body/100, LeastHeight, body.H-LeastHeight)
		low = Rect{body.X, body.Y + top.H, body.W, body.H - top.H}
	}
	if len(list) > len(lower)+1 {
		a, b := top, top
		if l.below(top.W) {
			a.H = clamp(top.H*l.Main/100, LeastHeight, top.H-LeastHeight)
			b.Y, b.H = top.Y+a.H, top.H-a.H
		} else {
			a.W = clamp(top.W*l.Main/100, 30, top.W-30)
			b.X, b.W = top.X+a.W, top.W-a.W
		}
		out = append(out, Placed{keys.Traffic, a}, Placed{keys.Detail, b})
	} else {
		out = append(out, Placed{keys.Traffic, top})
	}
	switch len(lower) {
	case 1:
		out = append(out, Placed{lower[0], low})
	case 2:
		n := clamp(low.W*l.Low/100, 10, low.W-10)
		out = append(out, Placed{lower[0], Rect{low.X, low.Y, n, low.H}},
			Placed{lower[1], Rect{low.X + n, low.Y, low.W - n, low.H}})
	}
	return out
}

// Widths and heights of the body in cells from which on a composer leaves room for traffic.
const (
	composerBeside = 110 // it is at the right
	composerBelow  = 34  // it is below
)

// BesideComposer divides the body: the composer's place, and what is left for the panes;
// nothing where there is no room for both.
func BesideComposer(body Rect) (own, rest Rect) {
	switch {
	case body.W >= composerBeside:
		w := clamp(body.W*55/100, 60, 110)
		return Rect{body.X + body.W - w, body.Y, w, body.H}, Rect{body.X, body.Y, body.W - w, body.H}
	case body.H >= composerBelow:
		h := body.H * 60 / 100
		return Rect{body.X, body.Y + body.H - h, body.W, h}, Rect{body.X, body.Y, body.W, body.H - h}
	}
	return body, Rect{}
}

// below reports whether detail is below traffic on a screen of that width.
func (l *Layout) below(w int) bool { return l.Below || w < beside }

// Over is the place of a box of w by h cells over the panes, border included: in the middle
// of the body; one that rests at its foot, where it covers least of what one goes on with.
func (l *Layout) Over(body Rect, w, h int, rests bool) Rect {
	if body.W-w < 6 {
		w = body.W // What would be left at its sides is only the borders of panes.
	}
	if rests {
		return Rect{body.X + (body.W-w)/2, body.Y + body.H - h, w, h}
	}
	middle := Rect{body.X + (body.W-w)/2, body.Y + (body.H-h)/2, w, h}
	placed := l.Place(body)
	for _, step := range [...]int{0, -1, 1, -2, 2, -3, 3} {
		at := middle
		if at.Y += step; at.Y >= body.Y && at.Y+h <= body.Y+body.H && !slices.ContainsFunc(placed, at.meets) {
			return at
		}
	}
	return middle
}

// meets reports whether the upper or lower border of a box is on one of a pane.
func (r Rect) meets(p Placed) bool {
	top, low, upper, lower := r.Y, r.Y+r.H-1, p.Y, p.Y+p.H-1
	return r.X < p.X+p.W && p.X < r.X+r.W && (top == upper || top == lower || low == upper || low == lower)
}
