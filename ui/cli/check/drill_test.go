package check

import (
	"slices"
	"testing"

	"wiretea/session/path"
)

// TestSeries holds that every kind of fault is tried over the transport that it works over, on
// a request and on a response.
func TestSeries(t *testing.T) {
	for _, over := range []path.Where{path.Stdio, path.HTTP} {
		tried := map[string]int{}
		for _, f := range series(over, "tools/call") {
			tried[f.Kind().Name]++
		}
		for _, k := range path.FaultKinds() {
			want := 2
			if !slices.Contains([]path.Where{path.Everywhere, over}, k.Where) {
				want = 0
			}
			if tried[k.Name] != want {
				t.Errorf("over %v: %s is tried %d times, want %d", over, k.Name, tried[k.Name], want)
			}
		}
	}
}
