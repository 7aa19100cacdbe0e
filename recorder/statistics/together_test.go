package statistics

import "testing"

// TestTogether holds that two lists are counted in the same parts, and each as a whole.
func TestTogether(t *testing.T) {
	one, other := []int64{1e6, 2e6, 3e6}, []int64{1e3, 1e9}
	a, b := Together(one, other, MostBars)
	if len(a) != MostBars || len(a) != len(b) || a[len(a)-1].UpTo != 1e9 {
		t.Fatalf("%v and %v", a, b)
	}
	sum := func(bars []Bar) (n int) {
		for i, bar := range bars {
			if bar.UpTo != a[i].UpTo {
				t.Errorf("part %d ends at %d and at %d", i, a[i].UpTo, bar.UpTo)
			}
			n += bar.Count
		}
		return n
	}
	if sum(a) != 3 || sum(b) != 2 || b[0].Count != 1 || b[len(b)-1].Count != 1 {
		t.Errorf("%v and %v", a, b)
	}
	if a, b := Together(nil, nil, MostBars); len(a)+len(b) != 0 {
		t.Errorf("of nothing: %v and %v", a, b)
	}
	if a, b := Together([]int64{5e6}, nil, MostBars); len(a) != 1 || a[0].Count != 1 || b[0].Count != 0 {
		t.Errorf("of one: %v and %v", a, b)
	}
}
