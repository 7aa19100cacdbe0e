package screen_test

import (
	"math/rand/v2"
	"testing"

	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// corners tells how the borders of panes look: one of them has the focus.
func corners(term *termtest.Terminal) (all []termtest.Style) {
	w, h := term.Size()
	for y := range h {
		for x := range w {
			if text, style := term.Cell(x, y); text == "╭" {
				all = append(all, style)
			}
		}
	}
	return all
}

// focused is which pane's border looks unlike the others', -1 for none.
func focused(term *termtest.Terminal) int {
	all := corners(term)
	if len(all) < 3 {
		return -1
	}
	at := -1
	for i, style := range all {
		others := 0
		for _, other := range all {
			if other == style {
				others++
			}
		}
		if others == 1 {
			at = i
		}
	}
	return at
}

func waitFocus(s *termtest.Session, want int) {
	s.WaitTerminal(func(term *termtest.Terminal) bool { return focused(term) == want })
}

// TestFocus holds how panes get the focus: traffic, detail, stderr, findings.
func TestFocus(t *testing.T) {
	s := show(t, 160, 45, screen.Options{}, recording(t))
	s.WaitText("traffic")
	waitFocus(s, 0)
	for _, next := range []int{1, 2, 3, 0} {
		s.Keys("tab")
		waitFocus(s, next)
	}
	for _, next := range []int{3, 2} {
		s.Keys("shift+tab")
		waitFocus(s, next)
	}
	s.Keys("esc")
	waitFocus(s, 0)
	s.Keys("enter")
	waitFocus(s, 1)
	s.Keys("!")
	waitFocus(s, 3)
	s.Keys("!") // hides it
	s.WaitTerminal(func(term *termtest.Terminal) bool { return len(corners(term)) == 3 && focused(term) == 0 })
	s.Keys("!")
	waitFocus(s, 3)
	s.Click(10, 3)
	waitFocus(s, 0)
	s.Click(150, 10)
	waitFocus(s, 1)
	s.Click(10, 40)
	waitFocus(s, 2)
}

// TestLayout holds zoom, turning, resizing by keys and by mouse, and that it is
// kept.
func TestLayout(t *testing.T) {
	screen := screen.New(screen.Options{Sources: []source.Source{recording(t)}, Dark: true})
	s := termtest.Run(t, screen, 160, 45, termtest.SessionOptions{})
	s.WaitText("traffic")
	column := func() (x int) {
		s.Terminal(func(term *termtest.Terminal) {
			for x = 1; x < 160; x++ {
				if text, _ := term.Cell(x, 1); text == "╭" {
					return
				}
			}
		})
		return x
	}
	before := column()
	s.Keys("+")
	s.WaitTerminal(func(term *termtest.Terminal) bool { text, _ := term.Cell(before, 1); return text != "╭" })
	if after := column(); after <= before {
		t.Errorf("traffic was %d wide and is %d after growing", before, after)
	}
	s.Drag(column(), 5, 60, 5)
	s.WaitTerminal(func(term *termtest.Terminal) bool { text, _ := term.Cell(60, 1); return text == "╭" })
	s.Keys("\\")
	s.WaitTerminal(func(term *termtest.Terminal) bool { return len(corners(term)) == 1 })
	s.Keys("\\", "|")
	s.WaitTerminal(func(term *termtest.Terminal) bool {
		text, _ := term.Cell(60, 1)
		return len(corners(term)) == 4 && text != "╭"
	})
	s.Keys("|")
	s.WaitTerminal(func(term *termtest.Terminal) bool { return len(corners(term)) == 3 })
	s.Keys("ctrl+c")
	s.WaitEnd()
	if l := screen.Settings().Layout; l.HideDetail || l.Main < 36 || l.Main > 39 {
		t.Errorf("the layout that is kept is %+v", l)
	}
}

// TestSizes holds that the screen keeps to any size, and that after a storm of
// them it is what it would have been from the start.
func TestSizes(t *testing.T) {
	s := show(t, 80, 24, screen.Options{}, recording(t))
	s.WaitText("traffic")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		s.Resize(1+rnd.IntN(220), 1+rnd.IntN(70))
	}
	for _, size := range [][2]int{{10, 3}, {1, 1}, {20, 5}, {300, 3}, {3, 100}, {500, 200}, {120, 40}} {
		s.Resize(size[0], size[1])
	}
	s.Golden("recording-120x40")
	sane(t, s)
}

// TestLight holds that the terminal's background decides.
func TestLight(t *testing.T) {
	colour := func(light bool) (c termtest.Style) {
		s := termtest.Run(t, screen.New(screen.Options{Sources: []source.Source{recording(t)}, Dark: !light}), 100, 30,
			termtest.SessionOptions{Terminal: termtest.Options{Light: light}})
		s.WaitText("traffic")
		s.Terminal(func(term *termtest.Terminal) { _, c = term.Cell(1, 0) })
		return c
	}
	light := colour(true)
	if light == colour(false) {
		t.Errorf("the name is %v on light and on dark", light)
	}
	s := termtest.Run(t, screen.New(screen.Options{Sources: []source.Source{recording(t)}, Dark: true}), 100, 30,
		termtest.SessionOptions{Terminal: termtest.Options{Light: true}})
	// The program begins in the dark; the terminal's answer changes it.
	s.WaitTerminal(func(term *termtest.Terminal) bool { _, c := term.Cell(1, 0); return c == light })
}
