package statistics

import (
	"math"
	"slices"
)

// Columns is how many parts of time a series has, and Bands how many parts of latencies.
const (
	Columns = 240
	Bands   = 12
)

// A Series is how requests went over time, in parts of the same length.
type Series struct {
	From, To int64 // From and To are where it begins and ends, in nanoseconds of the session.

	Requests [Columns]int64 // Requests are those that began in a part.
	Bytes    [Columns]int64 // Bytes are those of requests that began, and their answers.
	Open     [Columns]int64 // Open is how many waited for their answers at once, at most.

	// Heat counts the answers by when the request began and by latency; band b ends at
	// Band(b).
	Heat      [Bands][Columns]int64
	low, high float64 // low and high are the shortest and the longest latency, in nanoseconds.
}

// Empty reports whether there is nothing to be drawn.
func (s *Series) Empty() bool { return s.To <= s.From }

// Answered reports whether there are latencies.
func (s *Series) Answered() bool { return s.high > 0 }

// Band is the longest latency of a band, in nanoseconds. The bands grow by a factor.
func (s *Series) Band(b int) int64 {
	return int64(s.low * math.Pow(s.high/s.low, float64(b+1)/Bands))
}

// Column is the time at which a part begins.
func (s *Series) Column(i int) int64 { return s.From + int64(float64(s.To-s.From)*float64(i)/Columns) }

// newSeries counts samples, which ascend by their beginnings.
func newSeries(list []sample, clock int64) Series {
	var s Series
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
	var ends []int64
	for _, one := range list {
		at := s.at(one.from)
		s.Requests[at]++
		s.Bytes[at] += one.bytes
		if one.latency >= 0 {
			s.Heat[s.band(one.latency)][at]++
		}
		ends = append(ends, one.to)
	}
	s.overlap(list, ends)
	return s
}

// at is the part of a time.
func (s *Series) at(t int64) int {
	return min(Columns-1, max(0, int(float64(t-s.From)/float64(s.To-s.From)*Columns)))
}

// band is that of a latency.
func (s *Series) band(ns int64) int {
	if s.high <= s.low {
		return 0
	}
	return min(Bands-1, int(math.Log(max(1, float64(ns))/s.low)/math.Log(s.high/s.low)*Bands))
}

// overlap counts how many requests waited at once. ends are sorted by it.
func (s *Series) overlap(list []sample, ends []int64) {
	slices.Sort(ends)
	open, next, last := int64(0), 0, 0
	fill := func(to int) { // What is open in a part where nothing begins.
		for i := last + 1; i <= to; i++ {
			s.Open[i] = max(s.Open[i], open)
		}
		last = max(last, to)
	}
	for _, one := range list {
		for next < len(ends) && ends[next] <= one.from {
			fill(s.at(ends[next]))
			open--
			next++
		}
		fill(s.at(one.from))
		open++
		s.Open[s.at(one.from)] = max(s.Open[s.at(one.from)], open)
	}
	for ; next < len(ends); next++ {
		fill(s.at(ends[next]))
		open--
	}
}
