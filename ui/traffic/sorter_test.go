package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorter holds that lists of any length are sorted as a stable sort does it, whatever a
// while is, that each place is there once, and that more and more is done.
func TestSorter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{0, 1, 2, 3, 100, sortRun - 1, sortRun, sortRun + 1, 2 * sortRun, 3*sortRun + 5, 7*sortRun - 1, 8*sortRun + 1} {
		for _, turn := range []bool{false, true} {
			values := make([]Value, n)
			for i := range values {
				values[i] = Value{N: random.Int64N(20), Text: fmt.Sprint("t", random.IntN(3)), None: random.IntN(10) == 0}
			}
			w := Sorting{by: colSize, turn: turn}.Sorter(n, func(place int) Value { return values[place] })
			for last, rounds := 0, 0; last < 100; rounds++ {
				percent := w.Work(0)
				if percent < last || rounds > 1000 {
					t.Fatalf("%d places: %d %% after %d %%", n, percent, last)
				}
				last = percent
			}
			want := make([]uint32, n)
			for i := range want {
				want[i] = uint32(i)
			}
			slices.SortStableFunc(want, func(i, j uint32) int {
				a, b := values[i], values[j]
				switch {
				case a.None || b.None:
					return map[bool]int{true: 1}[a.None] - map[bool]int{true: 1}[b.None]
				case turn:
					a, b = b, a
				}
				if a.N != b.N {
					return int(b.N - a.N)
				}
				return int(a.Text[1]) - int(b.Text[1])
			})
			shown, at := w.Places()
			if !slices.Equal(shown, want) {
				t.Errorf("%d places, turned %t: not sorted", n, turn)
			}
			for k, place := range shown {
				if at[place] != uint32(k) {
					t.Fatalf("%d places: %d is at %d, not at %d", n, place, k, at[place])
				}
			}
		}
	}
}
