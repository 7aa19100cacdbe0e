package diff

import (
	"cmp"
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
