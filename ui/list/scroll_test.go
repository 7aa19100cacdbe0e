package list_test

import (
	"testing"

	"wiretea/ui/keys"
	"wiretea/ui/list"
)

func TestList(t *testing.T) {
	steps := []struct {
		do       keys.Action
		at, from int
	}{
		{keys.Down, 1, 0}, {keys.HalfDown, 3, 0}, {keys.Down, 4, 1}, {keys.PageDown, 7, 4}, {keys.Bottom, 9, 6}, {keys.Down, 9, 6},
		{keys.Up, 8, 6}, {keys.PageUp, 5, 5}, {keys.HalfUp, 3, 3}, {keys.Top, 0, 0}, {keys.Up, 0, 0},
	}
	var l list.List
	l.Fit(10, 4)
	for i, s := range steps {
		if !l.Do(s.do, 10) {
			t.Fatalf("step %d: %s does not move", i, s.do)
		}
		from, to := l.Fit(10, 4)
		if l.At != s.at || from != s.from || to != from+4 {
			t.Fatalf("step %d, %s: at %d, lines %d to %d; want %d from %d", i, s.do, l.At, from, to, s.at, s.from)
		}
	}
	if l.Do(keys.Enter, 10) {
		t.Error("enter moves")
	}
}

func TestListOfNothing(t *testing.T) {
	var l list.List
	for _, a := range []keys.Action{keys.Down, keys.Bottom, keys.PageUp} {
		l.Do(a, 0)
		if from, to := l.Fit(0, 4); l.At != 0 || from != 0 || to != 0 {
			t.Errorf("%s: at %d, lines %d to %d", a, l.At, from, to)
		}
	}
	if _, ok := l.Line(0); ok {
		t.Error("there is a line")
	}
}

func TestListShrinksAndGrows(t *testing.T) {
	l := list.List{At: 50}
	l.Fit(100, 10)
	if from, to := l.Fit(5, 10); l.At != 4 || from != 0 || to != 5 {
		t.Errorf("at %d, lines %d to %d", l.At, from, to)
	}
	if from, _ := l.Fit(100, 2); l.At != 4 || from != 3 {
		t.Errorf("at %d from %d", l.At, from)
	}
}

func TestListWheel(t *testing.T) {
	var l list.List
	l.Fit(100, 10)
	l.Wheel(3)
	if l.At != 3 || l.Top != 3 {
		t.Errorf("at %d, top %d", l.At, l.Top)
	}
	l.At = 12
	l.Wheel(-3)
	if l.At != 9 || l.Top != 0 {
		t.Errorf("at %d, top %d", l.At, l.Top)
	}
	if i, ok := l.Line(4); i != 4 || !ok {
		t.Errorf("line %d, %v", i, ok)
	}
	if _, ok := l.Line(10); ok {
		t.Error("there is a line below the window")
	}
}

func TestPage(t *testing.T) {
	var p list.Page
	p.Fit(20, 8)
	for _, s := range []struct {
		do  keys.Action
		top int
	}{{keys.Down, 1}, {keys.PageDown, 8}, {keys.HalfDown, 12}, {keys.Down, 12}, {keys.Top, 0}, {keys.Bottom, 12}, {keys.HalfUp, 8}} {
		if !p.Do(s.do) || p.Top != s.top {
			t.Errorf("%s: top %d, want %d", s.do, p.Top, s.top)
		}
	}
	if from, to := p.Fit(3, 8); from != 0 || to != 3 {
		t.Errorf("lines %d to %d", from, to)
	}
}
