package session

import mathbits "math/bits"

// latencies is a histogram with a precision of two digits, in nanoseconds.
// Values can be removed again.
type latencies struct {
	count []uint32 // count is nil before the first value.
	n     int64
}

// The buckets have a precision of two digits: the lowest bits of a latency do
// not count, and of the others the highest eight do.
const (
	lowBits  = 9
	subBits  = 8
	halfSize = 1 << (subBits - 1)
)

// bucketOf returns the bucket of a latency from 0 to latencyMax.
func bucketOf(ns int64) int {
	u := uint64(ns) >> lowBits
	e := max(0, mathbits.Len64(u)-subBits)
	return e*halfSize + int(u>>e)
}

// bucketEnd returns the longest latency of a bucket.
func bucketEnd(i int) int64 {
	if i < 2*halfSize {
		return int64(i+1)<<lowBits - 1
	}
	e := i/halfSize - 1
	sub := i - e*halfSize
	return int64(sub+1)<<(e+lowBits) - 1
}

// add counts a latency, or with sign -1 removes it.
func (l *latencies) add(ns, sign int64) {
	if l.count == nil {
		l.count = make([]uint32, bucketOf(latencyMax)+1)
	}
	l.count[bucketOf(min(max(ns, 0), latencyMax))] += uint32(sign)
	l.n += sign
}

// at returns the p-th percentile; 0 if there are no values.
func (l *latencies) at(p float64) int64 {
	if l.n == 0 {
		return 0
	}
	rank := min(l.n, max(1, int64(p/100*float64(l.n)+0.5)))
	sum := int64(0)
	for i, n := range l.count {
		if sum += int64(n); sum >= rank {
			return bucketEnd(i)
		}
	}
	return 0
}
