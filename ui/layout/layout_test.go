package layout_test

import (
	"strings"
	"testing"

	"wiretea/ui/config"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
)

// in is the usual layout in a body of w by h cells.
func in(w, h int) *layout.Layout {
	return layout.New(keys.Map{}, config.Layout{}, func() layout.Rect { return layout.Rect{Y: 1, W: w, H: h} })
}

// TestPlaces holds that the panes that are shown, whatever their shares, cover the body and
// not one another.
func TestPlaces(t *testing.T) {
	for name, change := range map[string]func(*layout.Layout){
		"usual":       func(*layout.Layout) {},
		"below":       func(l *layout.Layout) { l.Below = true },
		"no detail":   func(l *layout.Layout) { l.HideDetail = true },
		"no stderr":   func(l *layout.Layout) { l.NoStderr = true },
		"no findings": func(l *layout.Layout) { l.HideFindings = true },
		"neither":     func(l *layout.Layout) { l.HideStderr, l.HideFindings = true, true },
		"held":        func(l *layout.Layout) { l.Held = func(_, h int) int { return h / 4 } },
		"zoomed":      func(l *layout.Layout) { l.Zoom = keys.Detail },
		"a page":      func(l *layout.Layout) { l.Open(keys.Tools) },
		"least": func(l *layout.Layout) {
			l.Main, l.Low, l.Layout.Body = config.LeastShare, config.LeastShare, config.LeastShare
		},
		"most": func(l *layout.Layout) {
			l.Main, l.Low, l.Layout.Body = config.MostShare, config.MostShare, config.MostShare
		},
	} {
		for w := 60; w <= 240; w += 37 {
			for h := 5; h <= 70; h += 4 {
				l := in(w, h)
				change(l)
				body, covered, owner := l.Area(), 0, make([]keys.Scope, w*h)
				placed := l.Place(body)
				if len(placed) != len(l.Shown()) {
					t.Fatalf("%s, %dx%d: %d panes are placed, %v are shown", name, w, h, len(placed), l.Shown())
				}
				for _, p := range placed {
					for y := p.Y; y < p.Y+p.H; y++ {
						for x := p.X; x < p.X+p.W; x++ {
							at := (y-body.Y)*w + x
							if !body.Contains(x, y) || owner[at] != keys.Global {
								t.Fatalf("%s, %dx%d: cell %d,%d of %s is another pane's, or outside", name, w, h, x, y, p.Scope)
							}
							owner[at] = p.Scope
							covered++
						}
					}
				}
				if covered != w*h {
					t.Fatalf("%s, %dx%d: %d cells are covered", name, w, h, covered)
				}
			}
		}
	}
}

// where says what is shown, and which pane has the focus.
func where(l *layout.Layout) string {
	words := []string{string(l.Focus)}
	if l.Page != keys.Global {
		words = append(words, "page "+string(l.Page))
	}
	if l.Zoom != keys.Global {
		words = append(words, "zoom "+string(l.Zoom))
	}
	return strings.Join(words, ", ")
}

// TestFocus holds what actions make of the focus, the zoom and the page, one after the other.
func TestFocus(t *testing.T) {
	l := in(160, 42)
	back := func() { l.Back() }
	do := func(a keys.Action) func() { return func() { l.Do(a) } }
	for i, step := range []struct {
		does func()
		want string
	}{
		{do(keys.PrevPane), "findings"}, {do(keys.NextPane), "traffic"}, {do(keys.Zoom), "traffic, zoom traffic"},
		{func() { l.Show(keys.Detail) }, "detail, zoom detail"}, {func() { l.Open(keys.Stats) }, "statistics, page statistics, zoom detail"},
		{do(keys.Zoom), "statistics, page statistics, zoom detail"}, {func() { l.ToTraffic() }, "traffic, zoom detail"}, {l.Refocus, "detail, zoom detail"},
		{back, "detail"}, {back, "traffic"}, {back, "traffic"},
		{func() { l.Show(keys.Stderr) }, "stderr"}, {func() { l.NoStderr = true; l.Refocus() }, "traffic"},
		{func() { l.Show(keys.Stderr) }, "stderr, zoom stderr"}, {l.Uncover, "traffic"},
	} {
		if step.does(); where(l) != step.want {
			t.Fatalf("step %d: %s, want %s", i, where(l), step.want)
		}
		if l.IsOpen() != (step.want != "traffic") {
			t.Errorf("step %d: open: %t", i, l.IsOpen())
		}
	}
	if l.Show(keys.Tools) || l.Page != keys.Global {
		t.Error("a page is shown as a pane")
	}
	if says := l.Do(keys.ShowFinds) + l.Do(keys.ShowFinds); says != "findings hidden; ! shows it again" || !l.HideFindings {
		t.Errorf("%q, %t", says, l.HideFindings)
	}
}

// TestKept holds that what comes from a file is brought into bounds, and that hidden panes come
// back the next time.
func TestKept(t *testing.T) {
	l := layout.New(keys.Map{}, config.Layout{Main: 99, Body: 60, Low: -3, Below: true, HideStderr: true, Columns: "what"}, nil)
	if want := (config.Layout{Main: 56, Body: 60, Low: 42, Below: true, Columns: "what"}); l.Layout != want {
		t.Errorf("%+v, want %+v", l.Layout, want)
	}
	l = in(160, 42)
	usual := l.Layout
	l.Do(keys.ShowStderr)
	l.Do(keys.ShowStderr)
	if !l.HideStderr || l.Kept().HideStderr {
		t.Errorf("hidden: %t, and the next time: %t", l.HideStderr, l.Kept().HideStderr)
	}
	l.Open(keys.Tools)
	if l.Take(config.Layout{Main: 30, HideDetail: true}); where(l) != "traffic" || l.Layout != (config.Layout{Main: 30, Body: usual.Body, Low: usual.Low, HideDetail: true}) {
		t.Errorf("%s, %+v", where(l), l.Layout)
	}
	if l.Reset(); l.Layout != usual {
		t.Errorf("%+v, want %+v", l.Layout, usual)
	}
}

// TestOver holds that a box over the panes is in the body, and that none of its borders is on
// one of a pane where a few lines up or down help; one that rests is at the foot.
func TestOver(t *testing.T) {
	for w := 40; w <= 200; w += 20 {
		for h := 12; h <= 60; h++ {
			l := in(w, h)
			body := l.Area()
			for high := 4; high <= h; high++ {
				at := l.Over(body, w/2, high, false)
				if at.W > w || at.H != high || at.Y < body.Y || at.Y+at.H > body.Y+body.H || at.X < 0 || at.X+at.W > w {
					t.Fatalf("a box of %d lines in %dx%d is at %+v", high, w, h, at)
				}
				if at := l.Over(body, w/2, high, true); at.Y+at.H != body.Y+body.H {
					t.Fatalf("a box that rests is at %+v of %+v", at, body)
				}
			}
		}
	}
	l := in(120, 36)
	low := l.Place(l.Area())[0]
	edge := low.Y + low.H // the border between traffic and what is below
	for high := 4; high < 30; high++ {
		if at := l.Over(l.Area(), 60, high, false); at.Y == edge || at.Y == edge-1 || at.Y+at.H == edge || at.Y+at.H-1 == edge {
			t.Errorf("a box of %d lines, %+v, has a border on that of a pane at line %d", high, at, edge)
		}
	}
}

// TestDrag holds that a border follows the mouse while it is dragged, within bounds.
func TestDrag(t *testing.T) {
	l := in(160, 42)
	body := l.Area()
	traffic := l.Place(body)[0]
	if l.Grab(body, traffic.W/2, traffic.Y+3) {
		t.Error("there is a border in the midst of traffic")
	}
	if !l.Grab(body, traffic.W-1, traffic.Y+3) {
		t.Fatal("there is no border between traffic and detail")
	}
	for x, want := range map[int]int{80: 50, 0: config.LeastShare, 159: config.MostShare, -5: config.LeastShare} {
		if l.Drag(body, x, 5); l.Main != want {
			t.Errorf("dragged to %d: %d, want %d", x, l.Main, want)
		}
	}
	l.Drop()
	was := l.Main
	if l.Drag(body, 80, 5); l.Main != was {
		t.Error("a border that was let go of moves on")
	}
}
