package check

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"wiretea/session"
)

// BenchmarkChecks measures what all checkers together add to the analysis of a
// healthy exchange of two frames of 200 bytes.
func BenchmarkChecks(b *testing.B) {
	for _, bb := range []struct {
		name     string
		checkers []session.Checker
	}{
		{"none", []session.Checker{idle{}, idle{}}},
		{"all", New()},
	} {
		b.Run(bb.name, func(b *testing.B) {
			x := newExchanger(b, bb.checkers)
			b.ReportAllocs()
			for b.Loop() {
				x.exchange()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/frame")
		})
	}
}

// TestChecksAllocateNothing holds the checkers to it that a healthy exchange
// costs no memory. What the Analyzer itself needs as it grows is less than one
// allocation an exchange.
func TestChecksAllocateNothing(t *testing.T) {
	x := newExchanger(t, New())
	if n := testing.AllocsPerRun(5000, x.exchange); n >= 1 {
		t.Errorf("%v allocations for a healthy exchange", n)
	}
}

// idle is a checker that applies no rule.
type idle struct{}

func (idle) Check(*session.Event, session.Reporter) {}

// An exchanger feeds an Analyzer, after a handshake, with requests and their
// responses, of 200 bytes each.
type exchanger struct {
	a      *session.Analyzer
	recs   [2]session.Record
	digits [2]int // digits is where the id's digits begin in each body.
	n      uint64
	t      int64
}

func newExchanger(t testing.TB, checkers []session.Checker) *exchanger {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/healthy/legacy.txtar")
	if err != nil {
		t.Fatal(err)
	}
	x := &exchanger{a: session.NewAnalyzer(session.Config{Checkers: checkers}), n: 100, t: int64(time.Second)}
	const handshake = 5 // header, start, initialize, its result, initialized
	for _, rec := range parseConversation(t, string(ar.Files[0].Data)).framed()[:handshake] {
		x.a.Add(&rec)
	}
	pad := strings.Repeat("x", 110)
	for i, body := range []string{
		`{"jsonrpc":"2.0","id":1000000000,"method":"tools/call","params":{"name":"echo","arguments":{"m":"` + pad + `"}}}`,
		`{"result":{"content":[{"type":"text","text":"` + pad + `"}]},"jsonrpc":"2.0","id":1000000000}`,
	} {
		x.recs[i] = session.Record{Kind: session.RecFrame, Conn: 1, Stream: session.Stream(i), Body: []byte(body), Term: []byte("\n")}
		x.digits[i] = bytes.Index(x.recs[i].Body, []byte("1000000000")) + 1
	}
	return x
}

// exchange adds a request with a new id and its response.
func (x *exchanger) exchange() {
	x.n++
	for i := range x.recs {
		rec := &x.recs[i]
		for at, n := x.digits[i]+8, x.n; at >= x.digits[i]; at-- {
			rec.Body[at] = byte('0' + n%10)
			n /= 10
		}
		x.t += 1000
		rec.T, rec.T1, rec.N = x.t, x.t, 2*x.n+uint64(i)
		x.a.Add(rec)
	}
}
