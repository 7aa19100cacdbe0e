package statistics

import "math"

// Columns is how many parts of time a heat map has, and Bands how many parts of latencies.
const (
	Columns = 240
	Bands   = 12
)

// A HeatMap counts answers over time, in parts of the same length, and by latency.
type HeatMap struct {
	From, To int64 // From and To are where it begins and ends, in nanoseconds of the session.

	// Counts are the answers by when the request began and by latency; band b ends at
	// Band(b).
	Counts    [Bands][Columns]int64
	low, high float64 // low and high are the shortest and the longest latency, in nanoseconds.
}

// Answered reports whether there are latencies.
func (s *HeatMap) Answered() bool { return s.high > 0 }

// Band is the longest latency of a band, in nanoseconds. The bands grow by a factor.
func (s *HeatMap) Band(b int) int64 {
	return int64(s.low * math.Pow(s.high/s.low, float64(b+1)/Bands))
}

// Column is the time at which a part begins.
func (s *HeatMap) Column(i int) int64 { return s.From + int64(float64(s.To-s.From)*float64(i)/Columns) }

// newHeatMap counts samples, which ascend by their beginnings.
func newHeatMap(list []sample, clock int64) HeatMap {
	var s HeatMap
	if len(list) == 0 {
		return s
	}
	s.From, s.To = list[0].from, max(clock, list[0].from+1)
	s.low = math.Inf(1)
	for _, one := range list {
		if one.latency >= 0 {
			s.low, s.high = min(s.low, max(1, float64(one.latency))), max(s.high, 1, float64(one.latency))
		}
	}
	for _, one := range list {
		if one.latency >= 0 {
			s.Counts[s.band(one.latency)][s.at(one.from)]++
		}
	}
	return s
}

// at is the part of a time.
func (s *HeatMap) at(t int64) int {
	return min(Columns-1, max(0, int(float64(t-s.From)/float64(s.To-s.From)*Columns)))
}

// band returns the index of the band that a latency falls into.
func (s *HeatMap) band(ns int64) int {
	if s.high <= s.low {
		return 0
	}
	return min(Bands-1, int(math.Log(max(1, float64(ns))/s.low)/math.Log(s.high/s.low)*Bands))
}
