package layout_test

import (
	"fmt"
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
	l.HideDetail, l.HideFindings = true, true
	if kept := l.Kept(); kept.HideDetail || kept.HideFindings {
		t.Errorf("the next time: %+v", kept)
	}
	l.HideDetail, l.HideFindings = false, false
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

// TestDragInArea holds that shares are counted from the corner of the area.
func TestDragInArea(t *testing.T) {
	for name, c := range map[string]struct {
		x, y int // x and y are where the border is grabbed.
		want [3]int
	}{
		"main": {66, 15, [3]int{50, 72, 42}}, "body": {15, 38, [3]int{56, 50, 42}}, "low": {52, 45, [3]int{56, 72, 50}},
	} {
		l := layout.New(keys.Map{}, config.Layout{}, func() layout.Rect { return layout.Rect{X: 10, Y: 10, W: 100, H: 40} })
		if !l.Grab(l.Area(), c.x, c.y) {
			t.Fatalf("%s: no border at %d,%d: %s", name, c.x, c.y, places(l))
		}
		if l.Drag(l.Area(), 60, 30); [3]int{l.Main, l.Layout.Body, l.Low} != c.want {
			t.Errorf("%s: %+v, want %v", name, l.Layout, c.want)
		}
	}
}

// places writes where panes are.
func places(l *layout.Layout) string {
	var words []string
	for _, p := range l.Place(l.Area()) {
		words = append(words, fmt.Sprintf("%s %d,%d %dx%d", p.Scope, p.X, p.Y, p.W, p.H))
	}
	return strings.Join(words, "; ")
}

// TestWhere holds where the panes are at the sizes at which there is room for one more.
func TestWhere(t *testing.T) {
	for name, c := range map[string]struct {
		w, h   int
		change func(*layout.Layout)
		want   string
	}{
		"roomy":            {100, 27, nil, "traffic 0,1 56x19; detail 56,1 44x19; stderr 0,20 42x8; findings 42,20 58x8"},
		"narrow":           {99, 27, nil, "traffic 0,1 99x10; detail 0,11 99x9; stderr 0,20 41x8; findings 41,20 58x8"},
		"low":              {100, 26, nil, "traffic 0,1 56x26; detail 56,1 44x26"},
		"lower":            {100, 8, nil, "traffic 0,1 56x8; detail 56,1 44x8"},
		"lowest":           {100, 7, nil, "traffic 0,1 100x7"},
		"without detail":   {100, 27, func(l *layout.Layout) { l.HideDetail = true }, "traffic 0,1 100x19; stderr 0,20 42x8; findings 42,20 58x8"},
		"findings alone":   {100, 27, func(l *layout.Layout) { l.NoStderr = true }, "traffic 0,1 56x19; detail 56,1 44x19; findings 0,20 100x8"},
		"held":             {100, 20, func(l *layout.Layout) { l.Held = func(int, int) int { return 5 } }, "held 0,16 100x5; traffic 0,1 56x15; detail 56,1 44x15"},
		"held, and zoomed": {100, 20, func(l *layout.Layout) { l.Zoom, l.Held = keys.Detail, func(int, int) int { return 5 } }, "detail 0,1 100x20"},
		"composing":        {160, 40, func(l *layout.Layout) { l.Page, l.Composing = keys.Tools, func() bool { return true } }, "traffic 0,1 72x22; detail 0,23 72x18"},
		"composing below":  {109, 34, func(l *layout.Layout) { l.Composing = func() bool { return true } }, "traffic 0,1 109x7; detail 0,8 109x7"},
		"no room beside":   {109, 33, func(l *layout.Layout) { l.Composing = func() bool { return true } }, ""},
	} {
		l := in(c.w, c.h)
		if c.change != nil {
			c.change(l)
		}
		if got := places(l); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestRect holds which cells are in a rect, and what is within its border.
func TestRect(t *testing.T) {
	r := layout.Rect{X: 2, Y: 3, W: 4, H: 5}
	for at, want := range map[[2]int]bool{{2, 3}: true, {5, 7}: true, {1, 3}: false, {2, 2}: false, {6, 3}: false, {2, 8}: false} {
		if r.Contains(at[0], at[1]) != want {
			t.Errorf("cell %v: %t", at, !want)
		}
	}
	if in := r.Inside(); in != (layout.Rect{X: 3, Y: 4, W: 2, H: 3}) {
		t.Errorf("inside: %+v", in)
	}
	if in := (layout.Rect{W: 1, H: 1}).Inside(); in.W != 0 || in.H != 0 {
		t.Errorf("inside one cell: %+v", in)
	}
}

// TestGrow holds which share changes with each pane, and by how much.
func TestGrow(t *testing.T) {
	for focus, want := range map[keys.Scope][3]int{
		keys.Traffic: {61, 72, 42}, keys.Detail: {51, 72, 42}, keys.Stderr: {56, 67, 42}, keys.Findings: {56, 67, 42}, keys.Tools: {56, 72, 42},
	} {
		l := in(160, 42)
		l.Focus = focus
		if l.Do(keys.Grow); [3]int{l.Main, l.Layout.Body, l.Low} != want {
			t.Errorf("%s grows: %+v, want %v", focus, l.Layout, want)
		}
		if l.Do(keys.Shrink); l.Main != 56 || l.Layout.Body != 72 {
			t.Errorf("%s shrinks: %+v", focus, l.Layout)
		}
		for range 40 {
			l.Do(keys.Grow)
		}
		for _, share := range []int{l.Main, l.Layout.Body} {
			if share < config.LeastShare || share > config.MostShare {
				t.Errorf("%s grows to %+v", focus, l.Layout)
			}
		}
	}
}

// TestDetail holds the places of detail, one after the other, and where the focus goes.
func TestDetail(t *testing.T) {
	l := in(160, 42)
	l.Focus = keys.Detail
	for i, want := range []string{"true false detail", "true true traffic", "false false traffic"} {
		if l.Do(keys.Layout); fmt.Sprint(l.Below, l.HideDetail, " ", l.Focus) != want {
			t.Errorf("turn %d: below %t, away %t, focus %s, want %s", i, l.Below, l.HideDetail, l.Focus, want)
		}
	}
	l.HideDetail = true
	if l.Show(keys.Detail); l.HideDetail || l.Focus != keys.Detail {
		t.Errorf("away %t, focus %s", l.HideDetail, l.Focus)
	}
}

// TestCovered holds what closes what covers the traffic, and whether something is open.
func TestCovered(t *testing.T) {
	for name, c := range map[string]struct {
		change                         func(*layout.Layout)
		traffic, uncovered, back, pane string
		vacant                         bool
	}{
		"nothing":     {func(*layout.Layout) {}, "traffic", "traffic", "traffic", "findings", true},
		"a focus":     {func(l *layout.Layout) { l.Focus = keys.Detail }, "detail", "detail", "traffic", "findings", true},
		"a page":      {func(l *layout.Layout) { l.Open(keys.Tools) }, "traffic", "traffic", "traffic", "findings", false},
		"differences": {func(l *layout.Layout) { l.Open(keys.Compare) }, "traffic", "traffic", "traffic", "findings", true},
		"a zoom":      {func(l *layout.Layout) { l.Zoom, l.Focus = keys.Detail, keys.Detail }, "detail, zoom detail", "traffic", "detail", "findings, zoom findings", false},
		"its zoom":    {func(l *layout.Layout) { l.Zoom = keys.Traffic }, "traffic, zoom traffic", "traffic, zoom traffic", "traffic", "findings, zoom findings", false},
	} {
		for what, step := range map[string]struct {
			does func(*layout.Layout)
			want string
		}{
			"to traffic": {(*layout.Layout).ToTraffic, c.traffic}, "uncovered": {(*layout.Layout).Uncover, c.uncovered},
			"back": {func(l *layout.Layout) { l.Back() }, c.back}, "a pane": {func(l *layout.Layout) { l.Show(keys.Findings) }, c.pane},
		} {
			l := in(160, 42)
			c.change(l)
			if l.Vacant() != c.vacant {
				t.Errorf("%s: vacant: %t", name, l.Vacant())
			}
			if step.does(l); where(l) != step.want {
				t.Errorf("%s, %s: %s, want %s", name, what, where(l), step.want)
			}
		}
	}
}

// TestBorders holds where the borders are that can be grabbed, and which share each drags.
func TestBorders(t *testing.T) {
	for _, c := range []struct {
		x, y  int
		share string // share is that which dragging changes; empty = there is no border.
	}{
		{88, 1, "main"}, {89, 12, "main"}, {87, 12, ""}, {90, 12, ""}, {89, 30, "main"}, {89, 31, "body"}, {88, 0, ""},
		{10, 30, "body"}, {10, 31, "body"}, {10, 29, ""}, {159, 31, "body"}, {10, 32, ""},
		{66, 36, "low"}, {67, 36, "low"}, {65, 36, ""}, {68, 36, ""}, {67, 43, ""},
	} {
		l := in(160, 42)
		was := l.Layout
		if got := l.Grab(l.Area(), c.x, c.y); got != (c.share != "") {
			t.Errorf("cell %d,%d: grabbed: %t", c.x, c.y, got)
		}
		l.Drag(l.Area(), 40, 20)
		changed := map[string]bool{"main": l.Main != was.Main, "body": l.Layout.Body != was.Body, "low": l.Low != was.Low}
		for share, is := range changed {
			if is != (share == c.share) {
				t.Errorf("cell %d,%d: %s changed: %t", c.x, c.y, share, is)
			}
		}
	}
	l := in(160, 42)
	l.Below = true
	if detail := l.Place(l.Area())[1]; !l.Grab(l.Area(), 20, detail.Y) || l.Grab(l.Area(), 20, detail.Y+2) {
		t.Error("the border above detail")
	}
	if l.Grab(l.Area(), 20, l.Place(l.Area())[1].Y); l.Main != 56 {
		t.Error("a border moves before it is dragged")
	}
	if l.Drag(l.Area(), 3, 11); l.Main != 33 {
		t.Errorf("the border above detail is dragged to %d %%", l.Main)
	}
}
