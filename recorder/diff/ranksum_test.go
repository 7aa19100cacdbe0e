package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRankSum compares with the figures that SciPy's mannwhitneyu gives, two-sided.
func TestRankSum(t *testing.T) {
	males, females := []int64{19, 22, 16, 29, 24}, []int64{20, 11, 17, 12}
	for _, test := range []struct {
		name string
		a, b []int64
		want float64
	}{
		{"scipy's example, exact", males, females, 0.1111111111111111},
		{"the other way round", females, males, 0.1111111111111111},
		{"apart, 3 and 3", []int64{1, 2, 3}, []int64{4, 5, 6}, 0.1},
		{"apart, 5 and 5", []int64{1, 2, 3, 4, 5}, []int64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"one of each", []int64{1}, []int64{2}, 1},
		{"all equal", []int64{7, 7, 7, 7}, []int64{7, 7, 7}, 1},
		{"nothing", nil, []int64{1}, 1},
		{"mixed", []int64{1, 4, 5, 8}, []int64{2, 3, 6, 7}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := rankSum(test.a, test.b); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("p = %v, want %v", got, test.want)
			}
		})
	}
}

// TestRankSumNormal holds that the two ways of computing p agree where both apply.
func TestRankSumNormal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, m := 10+random.IntN(15), 10+random.IntN(15)
		order := random.Perm(n + m)
		a, b := make([]int64, n), make([]int64, m)
		for i, v := range order {
			if i < n {
				a[i] = int64(v)
			} else {
				b[i-n] = int64(v)
			}
		}
		u, ties := statistic(a, b)
		if ties != 0 {
			t.Fatalf("ties in %v", order)
		}
		counted := exact(n, m, int(math.Min(u, float64(n*m)-u)))
		spread := math.Sqrt(float64(n*m) / 12 * float64(n+m+1))
		normal := math.Erfc(math.Max(0, math.Abs(u-float64(n*m)/2)-0.5) / spread / math.Sqrt2)
		if math.Abs(counted-normal) > 0.02 {
			t.Errorf("n %d, m %d, U %v: exact %v, normal %v", n, m, u, counted, normal)
		}
	}
}

// TestRankSumFair holds that of samples of one distribution as many are called
// different as the level says, and hardly any more.
func TestRankSumFair(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	sample := func(n int) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = int64(1e6 * math.Exp(random.NormFloat64())) // as latencies are
		}
		return out
	}
	const trials = 2000
	wrong := 0
	for range trials {
		if rankSum(sample(8+random.IntN(80)), sample(8+random.IntN(80))) < 0.05 {
			wrong++
		}
	}
	if share := float64(wrong) / trials; share < 0.03 || share > 0.07 {
		t.Errorf("%v of equal samples are called different at 0.05", share)
	}
}

func TestLatencyVerdicts(t *testing.T) {
	spread := func(from, n int64) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = from*1000 + int64(i)
		}
		return out
	}
	side := func(of map[string][]int64) *Side {
		s := &Side{}
		for method, times := range of {
			for _, took := range times {
				s.calls = append(s.calls, &call{method: method, took: took, ends: result})
			}
		}
		return s
	}
	a := side(map[string][]int64{"slow": spread(1000, 20), "fast": spread(3000, 20), "few": spread(1, 4), "near": spread(1000, 40), "gone": spread(1, 20)})
	b := side(map[string][]int64{"slow": spread(2500, 20), "fast": spread(1000, 20), "few": spread(900, 4), "near": spread(1020, 40)})
	d := &differ{a: a, b: b, opt: Options{Slower: 2}}
	want := map[string]Verdict{"slow": Slower, "fast": Faster, "few": TooFew, "near": Alike}
	list := d.compareLatencies()
	if len(list) != len(want) {
		t.Errorf("judged %d methods, want %d: %+v", len(list), len(want), list)
	}
	for _, l := range list {
		if l.Verdict != want[l.Method] {
			t.Errorf("%s is called %s, want %s: %+v", l.Method, l.Verdict, want[l.Method], l)
		}
		if l.Counts != (l.Method == "slow") {
			t.Errorf("%s counts: %v", l.Method, l.Counts)
		}
	}
}

// TestHeldIsNotSlow holds that what was held here is not compared by its latency.
func TestHeldIsNotSlow(t *testing.T) {
	session := func(held bool) string {
		var b strings.Builder
		for i := range 20 {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, i+1)
			if held {
				fmt.Fprintf(&b, "held %s\nwait 900\nwent %s\n", call, call)
			} else {
				fmt.Fprintf(&b, "c> %s\n", call)
			}
			fmt.Fprintf(&b, "s> {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[]}}\n", i+1)
		}
		return b.String()
	}
	if rep := compared(t, session(false), session(true), Options{Slower: 2}); len(rep.Latencies) != 0 {
		t.Errorf("compared: %+v", rep.Latencies)
	}
	if rep := compared(t, session(false), session(false), Options{Slower: 2}); len(rep.Latencies) != 1 || rep.Latencies[0].Verdict != Alike {
		t.Errorf("nothing is held: %+v", rep.Latencies)
	}
}
