package session

import "testing"

// TestLatencyBuckets checks that each latency is in one bucket, between the end of the
// one before and its own, and that buckets are as narrow as their precision says.
func TestLatencyBuckets(t *testing.T) {
	for ns := int64(1); ns <= latencyMax && ns > 0; ns += 1 + ns/97 {
		b := bucketOf(ns)
		if end := bucketEnd(b); ns > end || bucketOf(end) != b || end-ns > max(1<<lowBits, ns>>(subBits-1)) {
			t.Fatalf("%d ns are in bucket %d, which ends at %d", ns, b, end)
		}
		if b > 0 && bucketEnd(b-1) >= ns {
			t.Fatalf("%d ns are in bucket %d, and bucket %d ends at %d", ns, b, b-1, bucketEnd(b-1))
		}
	}
	var l latencies
	for _, ns := range []int64{-1, 0, 1e6, 2e6, 3e6, 1e9, 2 * latencyMax} {
		l.add(ns)
	}
	if p := l.at(50); p < 2e6 || p > 2.05e6 {
		t.Errorf("the median is %d", p)
	}
	if p := l.at(0); p >= 1<<lowBits {
		t.Errorf("the least is %d", p)
	}
	if p := l.at(100); p < latencyMax {
		t.Errorf("the greatest is %d", p)
	}
}
