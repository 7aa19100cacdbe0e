package session

import (
	"fmt"
	"strings"
	"testing"
)

// pairs returns n requests and their answers of about 200 bytes each, by turns.
func pairs(n int) []Record {
	records := make([]Record, 0, 2*n)
	pad := strings.Repeat("x", 100)
	for i := range n {
		records = append(records,
			client(int64(i), request(fmt.Sprint(i), "tools/call", fmt.Sprintf(`{"name":"tool-%d","arguments":{"text":%q}}`, i%20, pad[:90]))),
			server(int64(i), result(fmt.Sprint(i), fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, pad))))
	}
	for i := range records {
		records[i].N, records[i].Conn = uint64(i+1), 1
	}
	return records
}

// BenchmarkAdd reports the cost of one frame of a session of 200,000.
func BenchmarkAdd(b *testing.B) {
	records := pairs(100_000)
	b.SetBytes(int64(len(records[0].Body)+len(records[1].Body)) / 2)
	b.ReportAllocs()
	var a *Analyzer
	for i := 0; b.Loop(); i++ {
		if i%len(records) == 0 {
			a = NewAnalyzer(Config{})
		}
		a.Add(&records[i%len(records)])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkAddPipelined has 1,000 requests waiting at every moment.
func BenchmarkAddPipelined(b *testing.B) {
	records := pairs(50_000)
	var mixed []Record
	for i := 0; i < len(records); i += 2000 {
		for k := i; k < i+2000; k += 2 {
			mixed = append(mixed, records[k])
		}
		for k := i + 1; k < i+2000; k += 2 {
			mixed = append(mixed, records[k])
		}
	}
	for i := range mixed {
		mixed[i].T = ms(int64(i))
	}
	b.ReportAllocs()
	var a *Analyzer
	for i := 0; b.Loop(); i++ {
		if i%len(mixed) == 0 {
			a = NewAnalyzer(Config{})
		}
		a.Add(&mixed[i%len(mixed)])
	}
}

// BenchmarkAddClashing has a client that gives all its requests one id and a server
// that answers none of them.
func BenchmarkAddClashing(b *testing.B) {
	ask := client(0, request("1", "ping", ""))
	ask.Conn = 1
	a := NewAnalyzer(Config{})
	for range 2 * maxWaiting {
		a.Add(&ask)
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Add(&ask)
	}
}

// BenchmarkLongLine reports the rate at which a line of 100 MB passes.
func BenchmarkLongLine(b *testing.B) {
	piece := raw(1, S2C, strings.Repeat("x", 1<<20))
	first, last := raw(0, S2C, `{"jsonrpc":"2.0","id":1,"result":{"text":"`), raw(2, S2C, "\"}}\n")
	b.SetBytes(100 << 20)
	for b.Loop() {
		a := NewAnalyzer(Config{})
		a.Add(&first)
		for range 100 {
			a.Add(&piece)
		}
		a.Add(&last)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	a := NewAnalyzer(Config{})
	for _, r := range pairs(100_000) {
		a.Add(&r)
	}
	next := pairs(1)[0]
	for b.Loop() {
		a.Add(&next)
		a.Snapshot()
	}
}
