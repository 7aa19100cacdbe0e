package diff

import (
	"cmp"
	"math"
	"slices"
	"time"

	"wiretea/session"
)

// Verdict is what the test says of a method's latency.
type Verdict string

// The verdicts.
const (
	Slower Verdict = "slower"  // Slower: it takes longer in the second recording.
	Faster Verdict = "faster"  // Faster: it takes less time there.
	Alike  Verdict = "alike"   // Alike: there is no sign of a change, or it is too small to matter.
	TooFew Verdict = "too few" // TooFew: so few calls could show no change, however large.
)

const (
	// level is how likely a report may be to see a change where there is none, over
	// all its tests together.
	level = 0.01

	// matters is by what factor medians must part to be called a change: with many
	// calls the test sees the smallest ones.
	matters = 1.1
)

// group is what latencies are compared by: the method and, where it does different
// work for each, the tool or prompt.
type group struct{ method, target string }

// samples gathers the latencies of the client's calls that say something of the
// server.
func (s *Side) samples() map[group][]int64 {
	out := map[group][]int64{}
	for _, c := range s.calls {
		if c.sender != session.C2S || c.took < 0 || c.human || longLived(c.method) || c.ends == cancelled {
			continue
		}
		g := group{method: c.method}
		if c.method == "tools/call" || c.method == "prompts/get" {
			g.target = c.target
		}
		out[g] = append(out[g], c.took)
	}
	return out
}

// compareLatencies judges the methods that both recordings have.
func (d *differ) compareLatencies() []Latency {
	a, b := d.a.samples(), d.b.samples()
	var out []Latency
	for g, before := range a {
		now := b[g]
		if len(now) == 0 {
			continue
		}
		slices.Sort(before)
		slices.Sort(now)
		l := Latency{Method: g.method, Target: g.target, NA: len(before), NB: len(now), P: rankSum(before, now),
			MedianA: time.Duration(median(before)), MedianB: time.Duration(median(now))}
		if least := exact(min(len(before), 25), min(len(now), 25), 0); least > level {
			l.Verdict, l.P = TooFew, 1
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(x, y Latency) int {
		return cmp.Or(cmp.Compare(x.Method, y.Method), cmp.Compare(x.Target, y.Target))
	})
	correct(out)
	for i := range out {
		l := &out[i]
		l.judge()
		l.Counts = d.opt.Slower > 0 && l.Verdict == Slower && l.Factor() >= d.opt.Slower
	}
	return out
}

// correct raises the p of each test for there being several (Holm): the smallest
// times their number, the next times one less, and so on.
func correct(list []Latency) {
	var tests []*Latency
	for i := range list {
		if list[i].Verdict != TooFew {
			tests = append(tests, &list[i])
		}
	}
	slices.SortStableFunc(tests, func(x, y *Latency) int { return cmp.Compare(x.P, y.P) })
	least := 0.0
	for i, l := range tests {
		least = max(least, min(1, l.P*float64(len(tests)-i)))
		l.P = least
	}
}

func (l *Latency) judge() {
	switch {
	case l.Verdict == TooFew:
	case l.P < level && l.Factor() >= matters:
		l.Verdict = Slower
	case l.P < level && l.Factor() <= 1/matters:
		l.Verdict = Faster
	default:
		l.Verdict = Alike
	}
}

// Factor is how many times as long the median call takes in the second recording.
func (l *Latency) Factor() float64 {
	return float64(max(l.MedianB, 1)) / float64(max(l.MedianA, 1))
}

// exactUpTo is for how many values of both samples together the distribution of U is
// counted out. Beyond it the normal one is as good.
const exactUpTo = 50

// rankSum is the two-sided test of Mann and Whitney: how likely two samples are to
// part as much as these do, or more, where both come from one distribution. It
// supposes nothing of that distribution. p is 1 where a sample is empty.
func rankSum(a, b []int64) (p float64) {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return 1
	}
	u, ties := statistic(a, b)
	if ties == 0 && n+m <= exactUpTo {
		return exact(n, m, int(math.Min(u, float64(n*m)-u)))
	}
	nf, mf := float64(n), float64(m)
	total := nf + mf
	variance := nf * mf / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1 // All values are one.
	}
	// A half is taken off because U moves in steps.
	z := math.Max(0, math.Abs(u-nf*mf/2)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// statistic returns U, in how many of all pairs a's value is the larger one, equal
// ones counted as half; and the sum of t³−t over the groups of t equal values.
func statistic(a, b []int64) (u, ties float64) {
	type value struct {
		v     int64
		first bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.v, y.v) })
	ranks := 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		for ; i < j; i++ {
			if all[i].first {
				ranks += float64(j) - (t-1)/2 // the mean of the group's ranks
			}
		}
	}
	n := float64(len(a))
	return ranks - n*(n+1)/2, ties
}

// exact is the two-sided p of a U that is at most half of n·m: twice the share of the
// orders of n and m values whose U is not larger.
func exact(n, m, u int) float64 {
	// ways[k] is in how many orders U is k: the coefficients of the Gaussian binomial,
	// the product of (1−q^(m+i))/(1−q^i) for i up to n.
	ways := make([]float64, u+1)
	ways[0] = 1
	for i := 1; i <= n; i++ {
		for k := u; k >= m+i; k-- {
			ways[k] -= ways[k-m-i]
		}
		for k := i; k <= u; k++ {
			ways[k] += ways[k-i]
		}
	}
	sum := 0.0
	for _, w := range ways {
		sum += w
	}
	all := 1.0 // all is n+m over n.
	for i := 1; i <= n; i++ {
		all = all * float64(m+i) / float64(i)
	}
	return math.Min(1, 2*sum/all)
}

// median of sorted values, the mean of the two in the middle where there are two.
func median(sorted []int64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
