package check

import (
	"math/rand/v2"
	"slices"

	"bytes"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"wiretea/session"
)

// A tripper feeds an Analyzer with calls over HTTP, each with its response.
type tripper struct {
	a      *session.Analyzer
	recs   []session.Record
	digits []int // digits is where the id's digits begin in each body, -1 if it has none.
	n      int
	t      int64
}

func newTripper(t testing.TB, checkers []session.Checker) *tripper {
	t.Helper()
	const hello = `10ms trip 1 POST /mcp @post {"jsonrpc":"2.0","id":"0","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
20ms trip 1 200 @json | Mcp-Session-Id: #1a2b3c4d/36 {"jsonrpc":"2.0","id":"0","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
30ms trip 2 POST /mcp @post | Mcp-Session-Id: #1a2b3c4d/36 | MCP-Protocol-Version: 2025-11-25 {"jsonrpc":"2.0","method":"notifications/initialized"}
40ms trip 2 202`
	const call = `50ms trip 3 POST /mcp @post | Mcp-Session-Id: #1a2b3c4d/36 | MCP-Protocol-Version: 2025-11-25 {"jsonrpc":"2.0","id":1000000000,"method":"tools/call","params":{"name":"echo","arguments":{}}}
60ms trip 3 200 @sse
70ms trip 3 sse {"jsonrpc":"2.0","id":1000000000,"result":{"content":[]}}
80ms trip 3 end eof`
	x := &tripper{a: session.NewAnalyzer(session.Config{Checkers: checkers}), n: 2, t: int64(time.Second)}
	for _, rec := range parseConversation(t, hello).framed() {
		x.a.Add(&rec)
	}
	x.recs = parseConversation(t, call).framed()[1:]
	for _, rec := range x.recs {
		x.digits = append(x.digits, bytes.Index(rec.Body, []byte("1000000000")))
	}
	return x
}

// call adds a round trip with a new id.
func (x *tripper) call() {
	x.n++
	for i := range x.recs {
		rec := &x.recs[i]
		for n, at := x.n, x.digits[i]+9; x.digits[i] >= 0 && at > x.digits[i]; at-- {
			rec.Body[at] = byte('0' + n%10)
			n /= 10
		}
		x.t += 1000
		rec.Trip, rec.T, rec.T1, rec.N = x.n, x.t, x.t, uint64(8*x.n+i)
		x.a.Add(rec)
	}
}

// TestTripsAllocateLittle holds the checkers to it that a healthy round trip costs them
// next to no memory.
func TestTripsAllocateLittle(t *testing.T) {
	with, without := newTripper(t, New()), newTripper(t, nil)
	const calls = 5000
	if n, m := testing.AllocsPerRun(calls, with.call), testing.AllocsPerRun(calls, without.call); n-m > 2 {
		t.Errorf("%v allocations for a round trip, %v without checkers", n, m)
	}
	if found := with.a.Snapshot().Findings(); len(found) > 0 {
		t.Errorf("healthy round trips bring %s: %s", found[0].Rule, found[0].Message)
	}
}

// BenchmarkTrips measures what all checkers together add to the analysis of a round trip.
func BenchmarkTrips(b *testing.B) {
	for name, checkers := range map[string][]session.Checker{"none": nil, "all": New()} {
		b.Run(name, func(b *testing.B) {
			x := newTripper(b, checkers)
			b.ReportAllocs()
			for b.Loop() {
				x.call()
			}
		})
	}
}

// TestTripsTorn holds that records of round trips which are missing, doubled or out of
// order neither stop the analysis nor make findings without their form.
func TestTripsTorn(t *testing.T) {
	for _, family := range []string{"http", "http-sessions", "http-headers", "sse", "http-auth", "cors"} {
		for _, file := range glob(t, family) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			whole := parseConversation(t, string(ar.Files[0].Data)).raw()
			for seed := range uint64(10) {
				rng := rand.New(rand.NewPCG(seed, 1))
				recs := slices.Clone(whole)
				for range 3 {
					i, j := 1+rng.IntN(len(recs)-1), 1+rng.IntN(len(recs)-1)
					switch rng.IntN(3) {
					case 0:
						recs = slices.Delete(recs, i, i+1)
					case 1:
						recs = slices.Insert(recs, i, recs[j%len(recs)])
					case 2:
						recs[i], recs[j] = recs[j], recs[i]
					}
				}
				for _, f := range analyze(number(recs)).Findings() {
					checkForm(t, &f)
				}
			}
		}
	}
}
