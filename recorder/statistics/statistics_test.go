package statistics_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/ui/panetest"
)

// A call is a request, in milliseconds of the session.
type call struct {
	from, to int // to is 0 where there is no answer.
	sender   session.Stream
	method   string
	target   string
	answer   string // answer is a member of the response; empty = an empty result.
}

// play writes calls in the order of time.
func play(t testing.TB, calls ...call) *session.Snapshot {
	type line struct {
		at     int
		stream session.Stream
		text   string
	}
	var lines []line
	for i, c := range calls {
		lines = append(lines, line{c.from, c.sender, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"name":%q}}`, i+1, c.method, c.target)})
		if c.to > 0 {
			answer := c.answer
			if answer == "" {
				answer = `"result":{}`
			}
			lines = append(lines, line{c.to, session.C2S + session.S2C - c.sender, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, answer)})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at - b.at })
	s := panetest.New(t)
	for _, l := range lines {
		if l.stream == session.C2S {
			s.Client(float64(l.at), l.text)
		} else {
			s.Server(float64(l.at), l.text)
		}
	}
	return s.Context().Snap
}

const c2s, s2c = session.C2S, session.S2C

// TestCollect holds what is counted of methods and tools.
func TestCollect(t *testing.T) {
	snap := play(t,
		call{100, 110, c2s, "tools/call", "a", ""},
		call{200, 230, c2s, "tools/call", "b", `"error":{"code":-1,"message":"no"}`},
		call{300, 350, c2s, "tools/call", "a", `"result":{"isError":true,"content":[]}`},
		call{400, 0, c2s, "tools/call", "b", ""},
		call{500, 501, c2s, "ping", "", ""},
		call{600, 620, s2c, "ping", "", ""},
	)
	got := statistics.Collect(t.Context(), snap, statistics.Key{})
	line := func(k statistics.Key) string {
		l := got.Line(k)
		return fmt.Sprintf("%d of %d failed, %d wait, p50 %d, max %d", l.Errors, l.Count, l.Pending, l.P50/1e6, l.Max/1e6)
	}
	for k, want := range map[statistics.Key]string{
		{Sender: c2s, Method: "tools/call"}:              "2 of 4 failed, 1 wait, p50 30, max 50",
		{Sender: c2s, Method: "tools/call", Target: "a"}: "1 of 2 failed, 0 wait, p50 10, max 50",
		{Sender: c2s, Method: "tools/call", Target: "b"}: "1 of 2 failed, 1 wait, p50 30, max 30",
		{Sender: c2s, Method: "ping"}:                    "0 of 1 failed, 0 wait, p50 1, max 1",
		{Sender: s2c, Method: "ping"}:                    "0 of 1 failed, 0 wait, p50 20, max 20",
	} {
		if got := line(k); got != want {
			t.Errorf("%v: %s, want %s", k, got, want)
		}
	}
	if got.Line(statistics.Key{Method: "gone"}) != nil {
		t.Error("a line that is not there")
	}
	var slow []int64
	for _, x := range got.Slowest {
		slow = append(slow, x.Value/1e6)
	}
	if !slices.Equal(slow, []int64{50, 30, 10, 1}) || snap.Name(snap.Row(got.Slowest[0].Row).Target) != "a" {
		t.Errorf("slowest %v", got.Slowest)
	}
	if got.Largest[0].Row != got.Slowest[0].Row {
		t.Errorf("largest %v", got.Largest)
	}
	if len(got.Failing) != 2 || got.Failing[0].Target != "a" || got.Failing[1].Target != "b" {
		t.Errorf("failing %v", got.Failing)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if statistics.Collect(ended, snap, statistics.Key{}) != nil {
		t.Error("counted although nobody waits")
	}
}

// TestPeople holds that the time that a person took is left out of the latencies of what
// waited for it, and that nothing else is.
func TestPeople(t *testing.T) {
	got := statistics.Collect(t.Context(), play(t,
		call{100, 5100, c2s, "tools/call", "asks", ""},
		call{200, 4200, s2c, "elicitation/create", "", `"result":{"action":"decline"}`},
		call{300, 3000, s2c, "elicitation/create", "", `"result":{"action":"decline"}`}, // both at once
		call{4000, 5000, c2s, "tools/call", "late", ""},
		call{6000, 6500, c2s, "tools/call", "alone", ""},
		call{7000, 9000, s2c, "elicitation/create", "", `"result":{"action":"decline"}`},
		call{7100, 7400, c2s, "tools/call", "beside", ""}, // It does not wait for that.
		call{9500, 9800, c2s, "tools/call", "meanwhile", ""},
		call{9100, 0, s2c, "elicitation/create", "", ""}, // Nobody has answered.
	), statistics.Key{})
	for target, want := range map[string][2]int64{"beside": {300, 0}, "meanwhile": {300, 0}, "asks": {1000, 4000}, "late": {800, 200}, "alone": {500, 0}} {
		l := got.Line(statistics.Key{Sender: c2s, Method: "tools/call", Target: target})
		if l.Max/1e6 != want[0] || l.People/1e6 != want[1] {
			t.Errorf("%s: %d ms, people %d ms, want %v", target, l.Max/1e6, l.People/1e6, want)
		}
	}
	if l := got.Line(statistics.Key{Sender: s2c, Method: "elicitation/create"}); l.Max != 0 || l.People/1e6 != 8700 || l.Count != 4 {
		t.Errorf("the person: %+v", l)
	}
	if got.Slowest[0].Value/1e6 != 1000 {
		t.Errorf("slowest %v", got.Slowest)
	}
}

// TestHeldQuestion holds that a call does not take the time for which the server's question to a
// person is held here.
func TestHeldQuestion(t *testing.T) {
	s := panetest.New(t)
	const question = `{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"message":"Sure?"}}`
	s.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks"}}`)
	s.Decided(200, s2c, session.WayIn, "hold: test", question)
	s.Replaced(3200, s2c, "hold: test", question)
	s.Client(3300, `{"jsonrpc":"2.0","id":9,"result":{"action":"decline"}}`)
	s.Server(3400, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	l := statistics.Collect(t.Context(), s.Context().Snap, statistics.Key{}).Line(statistics.Key{Sender: c2s, Method: "tools/call", Target: "asks"})
	if l.Max/1e6 != 200 || l.People/1e6 != 3100 {
		t.Errorf("%d ms, people %d ms", l.Max/1e6, l.People/1e6)
	}
}

// TestReleased holds that a request which was held, and what went on in its place, count as one,
// which does not wait once there is the response.
func TestReleased(t *testing.T) {
	s := panetest.New(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	s.Decided(100, c2s, session.WayIn, "hold: test", call)
	s.Replaced(3200, c2s, "hold: test; released by screen", call)
	s.Server(3300, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	l := statistics.Collect(t.Context(), s.Context().Snap, statistics.Key{}).Line(statistics.Key{Sender: c2s, Method: "tools/call"})
	if l.Count != 1 || l.Pending != 0 {
		t.Errorf("%d requests, %d pending", l.Count, l.Pending)
	}
}

// TestAnsweredHere holds that an error with which wiretea answered is not a failure of the tool.
func TestAnsweredHere(t *testing.T) {
	s := panetest.New(t)
	s.Decided(100, c2s, session.WayIn, "hold: test", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
	s.Replaced(3200, s2c, "hold: test; answered with an error by screen", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`)
	got := statistics.Collect(t.Context(), s.Context().Snap, statistics.Key{})
	if l := got.Line(statistics.Key{Sender: c2s, Method: "tools/call"}); l.Count != 1 || l.Errors != 0 || l.Pending != 0 || len(got.Failing) != 0 {
		t.Errorf("%+v, failing %v", l.MethodStats, got.Failing)
	}
}

// TestHeatMap holds how latencies go over time, and that only those of the line count.
func TestHeatMap(t *testing.T) {
	var calls []call
	for i := range 24 { // Each takes longer than the next comes after it.
		calls = append(calls, call{100 * i, 100*i + 250, c2s, "tools/call", "a", ""})
	}
	calls = append(calls, call{2350, 2400, c2s, "ping", "", ""})
	snap := play(t, calls...)
	s := statistics.Collect(t.Context(), snap, statistics.Key{Sender: c2s, Method: "tools/call", Target: "a"}).Over
	heat := int64(0)
	for i := range statistics.Columns {
		for b := range statistics.Bands {
			heat += s.Counts[b][i]
		}
	}
	if heat != 24 {
		t.Errorf("%d latencies", heat)
	}
	if all := statistics.Collect(t.Context(), snap, statistics.Key{}).Over; all.Band(statistics.Bands-1)/1e6 < 249 || all.Band(0)/1e6 >= 60 {
		t.Errorf("bands from %d to %d", all.Band(0), all.Band(statistics.Bands-1))
	}
	if none := statistics.Collect(t.Context(), snap, statistics.Key{Sender: c2s, Method: "x"}).Over; none.Answered() {
		t.Error("a heat map of nothing")
	}
}

func TestHistogram(t *testing.T) {
	for text, all := range map[string][]int64{
		"": nil, "1000:3": {1, 2, 3}, "10000:1 100000:2 1000000:1": {1000, 50_000, 99_000, 1_000_000},
	} {
		var got []string
		for _, b := range statistics.Histogram(all, 3) {
			got = append(got, fmt.Sprintf("%d:%d", b.UpTo, b.Count))
		}
		if strings.Join(got, " ") != text {
			t.Errorf("%v: %v, want %s", all, got, text)
		}
	}
}

func BenchmarkCollect(b *testing.B) {
	var calls []call
	for i := range 50_000 {
		calls = append(calls, call{10 * i, 10*i + i%97 + 1, c2s, "tools/call", fmt.Sprint("t", i%20), ""})
	}
	snap := play(b, calls...)
	b.ResetTimer()
	for b.Loop() {
		statistics.Collect(b.Context(), snap, statistics.Key{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(snap.Len()), "ns/row")
}
