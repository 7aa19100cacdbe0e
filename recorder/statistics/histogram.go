package statistics

import "math"

// A Bar is a part of a histogram: how many latencies were that long, at most.
type Bar struct {
	UpTo  int64 // UpTo is in nanoseconds.
	Count int
}

// Histogram counts latencies, which ascend and are in nanoseconds, in at most n parts that
// grow by a factor: a tail shows however long it is.
func Histogram(all []int64, n int) []Bar {
	if len(all) == 0 {
		return nil
	}
	const least = 1000 // a microsecond
	low, high := max(all[0], least), max(all[len(all)-1], least)
	if high <= low {
		return []Bar{{high, len(all)}}
	}
	factor := math.Pow(float64(high)/float64(low), 1/float64(n))
	bars := make([]Bar, n)
	for i := range bars {
		bars[i].UpTo = int64(math.Round(float64(low) * math.Pow(factor, float64(i+1))))
	}
	bars[n-1].UpTo = high
	i := 0
	for _, d := range all {
		for i < len(bars)-1 && d > bars[i].UpTo {
			i++
		}
		bars[i].Count++
	}
	return bars
}
