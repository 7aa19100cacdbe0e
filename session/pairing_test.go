package session

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestPairing(t *testing.T) {
	ping := func(id string) string { return request(id, "ping", "") }
	tests := []struct {
		name    string
		records []Record
		want    []string
	}{
		{"answer", []Record{client(0, ping("1")), server(5, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c result answer #1 ping",
		}},
		{"error answer", []Record{client(0, ping("1")), server(5, failure("1", -32601))}, []string{
			"message c2s request new #1 ping",
			"message s2c error answer #1 ping",
		}},
		{"the two sides count apart", []Record{client(0, ping("1")), server(1, ping("1")), client(2, result("1", "{}")), server(3, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c request new #1 ping",
			"message c2s result answer #1 ping",
			"message s2c result answer #1 ping",
		}},
		{"answers in any order", []Record{client(0, ping("1")), client(0, ping("2")), client(0, ping("3")), server(1, result("3", "{}")), server(1, result("1", "{}")), server(1, result("2", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message c2s request new #2 ping",
			"message c2s request new #3 ping",
			"message s2c result answer #3 ping",
			"message s2c result answer #1 ping",
			"message s2c result answer #2 ping",
		}},
		{"reused after the answer", []Record{client(0, ping("1")), server(1, result("1", "{}")), client(2, ping("1")), server(3, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c result answer #1 ping",
			"message c2s request reused #1 ping",
			"message s2c result answer #1 ping",
		}},
		{"clash", []Record{client(0, ping("1")), client(1, request("1", "tools/list", "")), server(2, result("1", "{}")), server(3, result("1", "{}")), server(4, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message c2s request clash #1 tools/list",
			"message s2c result answer #1 ping",
			"message s2c result answer #1 tools/list",
			"message s2c result duplicate #1 tools/list",
		}},
		{"duplicate", []Record{client(0, ping("1")), server(1, result("1", "{}")), server(2, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c result answer #1 ping",
			"message s2c result duplicate #1 ping",
		}},
		{"orphan", []Record{client(0, ping("1")), server(1, result("2", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c result orphan",
		}},
		{"string for number", []Record{client(0, ping("3")), server(1, result(`"3"`, "{}")), server(2, result("3", "{}"))}, []string{
			"message c2s request new #3 ping",
			"message s2c result type #3 ping",
			"message s2c result duplicate #3 ping",
		}},
		{"number for string", []Record{client(0, ping(`"3"`)), server(1, result("3", "{}"))}, []string{
			`message c2s request new #"3" ping`,
			`message s2c result type #"3" ping`,
		}},
		{"both types", []Record{client(0, ping(`"3"`)), client(0, ping("3")), server(1, result("3", "{}")), server(1, result(`"3"`, "{}"))}, []string{
			`message c2s request new #"3" ping`,
			`message c2s request new #3 ping`,
			`message s2c result answer #3 ping`,
			`message s2c result answer #"3" ping`,
		}},
		{"an escaped id is the same string", []Record{client(0, ping(`"é/"`)), server(1, result(`"\u00e9\/"`, "{}"))}, []string{
			`message c2s request new #"é/" ping`,
			`message s2c result answer #"é/" ping`,
		}},
		{"numbers are compared as written", []Record{client(0, ping("1.0")), server(1, result("1", "{}"))}, []string{
			"message c2s request new #1.0 ping",
			"message s2c result orphan",
		}},
		{"ids that pair nothing", []Record{client(0, ping("null")), server(1, result("null", "{}")), server(2, `{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}`), client(3, ping("[1]"))}, []string{
			"message c2s request none",
			"message s2c result none",
			"message s2c error none",
			"message c2s request none",
		}},
		{"cancelled, then answered", []Record{client(0, ping("1")), client(1, notification("notifications/cancelled", `{"requestId":1}`)), server(2, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message c2s notification none #1 ping",
			"message s2c result cancelled #1 ping",
		}},
		{"cancelling compares types", []Record{client(0, ping("1")), client(1, notification("notifications/cancelled", `{"requestId":"1"}`)), server(2, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message c2s notification none",
			"message s2c result answer #1 ping",
		}},
		{"a server cannot cancel the client's request", []Record{client(0, ping("1")), server(1, notification("notifications/cancelled", `{"requestId":1}`)), server(2, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c notification none",
			"message s2c result answer #1 ping",
		}},
		{"but it can end a subscription", []Record{client(0, request("1", "subscriptions/listen", "{}")), server(1, notification("notifications/cancelled", `{"requestId":1}`)), end(2)}, []string{
			"message c2s request new #1 subscriptions/listen",
			"message s2c notification none #1 subscriptions/listen",
		}},
		{"an id used again after it was cancelled", []Record{client(0, ping("1")), client(1, notification("notifications/cancelled", `{"requestId":1}`)), client(2, ping("1")), server(3, result("1", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message c2s notification none #1 ping",
			"message c2s request reused #1 ping",
			"message s2c result answer #1 ping",
		}},
		{"late", []Record{client(0, ping("1")), server(60_000, result("1", "{}")), client(60_000, ping("2")), server(120_001, result("2", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message s2c result answer #1 ping",
			"message c2s request new #2 ping",
			"late #2 at 120000",
			"message s2c result late #2 ping",
		}},
		{"progress", []Record{
			client(0, request("1", "tools/call", `{"name":"echo","_meta":{"progressToken":"a"}}`)),
			server(1, notification("notifications/progress", `{"progressToken":"a","progress":1}`)),
			server(2, notification("notifications/progress", `{"progressToken":"b","progress":1}`)),
			server(3, result("1", "{}")),
			server(4, notification("notifications/progress", `{"progressToken":"a","progress":2}`)),
		}, []string{
			"message c2s request new #1 tools/call",
			"message s2c notification none #1 tools/call",
			"message s2c notification none",
			"message s2c result answer #1 tools/call",
			"message s2c notification none",
		}},
		{"a batch", []Record{client(0, "["+ping("1")+","+ping("2")+"]"), server(1, "["+result("2", "{}")+","+result("1", "{}")+","+result("1", "{}")+"]")}, []string{
			"message c2s request new #1 ping",
			"message c2s request new #2 ping",
			"message s2c result answer #2 ping",
			"message s2c result answer #1 ping",
			"message s2c result duplicate #1 ",
		}},
		{"several values on a line", []Record{client(0, ping("1")+ping("2")), server(1, result("1", "{}")+" "+result("2", "{}"))}, []string{
			"message c2s request new #1 ping",
			"message c2s request new #2 ping",
			"message s2c result answer #1 ping",
			"message s2c result answer #2 ping",
		}},
		{"lost", []Record{client(0, ping("1")), client(0, ping("2")), server(1, result("1", "{}")), end(2)}, []string{
			"message c2s request new #1 ping",
			"message c2s request new #2 ping",
			"message s2c result answer #1 ping",
			"gone #2",
		}},
		{"cancelled is not lost", []Record{client(0, ping("1")), client(1, notification("notifications/cancelled", `{"requestId":1}`)), end(2)}, []string{
			"message c2s request new #1 ping",
			"message c2s notification none #1 ping",
		}},
		{"connections count apart", []Record{on(1, process(0, "start")), on(1, client(0, ping("1"))), on(2, process(1, "start")), on(2, client(2, ping("1"))), on(2, server(3, result("1", "{}")))}, []string{
			"message c2s request new #1 ping",
			"gone #1",
			"message c2s request new #1 ping",
			"message s2c result answer #1 ping",
		}},
		{"what a gap may have held accuses nobody", []Record{client(0, ping("1")), gap(1, S2C, 10), gap(1, C2S, 10), server(2, result("9", "{}")), end(70_000)}, []string{
			"message c2s request new #1 ping",
			"message s2c result none",
		}},
		{"an id used again, where a gap may hold the answer", []Record{client(0, ping("1")), gap(1, S2C, 10), client(2, ping("1")), server(3, result("1", "{}")), end(4)}, []string{
			"message c2s request new #1 ping",
			"message c2s request reused #1 ping",
			"message s2c result answer #1 ping",
		}},
		{"an altered frame stands in for the original", []Record{
			{Kind: RecFrame, Stream: C2S, Body: []byte(ping("1")), Term: []byte("\n"), Way: WayIn},
			{Kind: RecFrame, Stream: C2S, Body: []byte(ping("1")), Term: []byte("\n"), Way: WayOut, Of: 1},
			{Kind: RecFrame, Stream: S2C, Body: []byte(result("1", "{}")), Term: []byte("\n"), Way: WayIn},
			{Kind: RecFrame, Stream: S2C, Body: []byte(result("1", "[]")), Term: []byte("\n"), Way: WayOut, Of: 3},
		}, []string{
			"message c2s request new #1 ping",
			"message c2s request none #1 ping",
			"message s2c result answer #1 ping",
			"message s2c result none #1 ping",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, w := play(t, Config{}, tt.records...)
			same(t, "messages", w.only("message", "late", "gone"), tt.want)
		})
	}
}

func TestExchangeFields(t *testing.T) {
	var got Exchange
	w := &witness{seen: func(ev *Event, _ Reporter) {
		if ev.Kind == MessageSeen && ev.Match == MatchAnswer {
			got = *ev.Exchange
		}
	}}
	answer := server(30, result("7", "{}"))
	answer.T1 = ms(25)
	a, _ := play(t, Config{Checkers: []Checker{w}},
		client(10, request("7", "tools/call", `{"name":"echo","_meta":{"progressToken":12}}`)),
		server(15, notification("notifications/progress", `{"progressToken":12,"progress":1}`)),
		server(20, notification("notifications/progress", `{"progressToken":12,"progress":2,"total":2.5}`)),
		answer)
	want := Exchange{
		Conn: 1, Sender: C2S, ID: "7", Method: "tools/call", Target: "echo", Req: 0, ReqN: 1, ReqT: ms(10),
		State: Answered, Resp: 3, RespT1: ms(25), RespT: ms(30), ProgressToken: "12", Progress: 2, LastProgress: ms(20),
		LastNote: 2, Done: 2, Total: 2.5,
	}
	if got != want {
		t.Errorf("exchange\n %+v\nwant\n %+v", got, want)
	}
	s := a.Snapshot()
	for _, i := range []uint32{0, 3} {
		r := s.Row(i)
		if r.Pair != 3-i || s.Name(r.Method) != "tools/call" || s.Name(r.Target) != "echo" || s.ID(r) != "7" {
			t.Errorf("row %d: %+v", i, r)
		}
		if ns, ok := s.Latency(i); !ok || ns != ms(20) {
			t.Errorf("latency of row %d = %d, %v", i, ns, ok)
		}
	}
	for _, i := range []uint32{1, 2} {
		if r := s.Row(i); r.Pair != 0 || s.Name(r.Target) != "echo" {
			t.Errorf("progress row %d: %+v", i, r)
		}
		if ns, ok := s.Latency(i); ok {
			t.Errorf("a progress row has latency %d", ns)
		}
	}
	if d := s.Row(3).Dur; d != 5000 {
		t.Errorf("Dur = %d µs", d)
	}
	m := s.Methods()
	if len(m) != 1 || m[0].Name != "tools/call" || m[0].Count != 1 || m[0].Pending != 0 || m[0].Max != ms(20) || m[0].P50 > ms(21) || m[0].P50 < ms(19) {
		t.Errorf("methods %+v", m)
	}
}

func TestOpenKeepsOrder(t *testing.T) {
	a, w := play(t, Config{})
	var open string
	w.seen = func(ev *Event, _ Reporter) {
		open = ""
		for _, x := range ev.Conn.Open[C2S] {
			open += x.ID + " "
		}
	}
	var records []Record
	for i := range 8 {
		records = append(records, client(0, request(fmt.Sprint(i), "ping", "")))
	}
	steps := []struct {
		answer int
		want   string
	}{
		{0, "1 2 3 4 5 6 7 "}, {6, "1 2 3 4 5 7 "}, {2, "1 3 4 5 7 "}, {7, "1 3 4 5 "}, {4, "1 3 5 "}, {1, "3 5 "}, {5, "3 "}, {3, ""},
	}
	feed(a, records...)
	for _, s := range steps {
		feed(a, server(1, result(fmt.Sprint(s.answer), "{}")))
		if open != s.want {
			t.Errorf("after the answer to %d: %q, want %q", s.answer, open, s.want)
		}
	}
}

func TestManyWaiting(t *testing.T) {
	const n = maxWaiting + 1000
	a := NewAnalyzer(Config{})
	for i := range n {
		feed(a, client(0, request(fmt.Sprint(i), "ping", "")))
	}
	if got := len(a.conns[1].Open[C2S]); got != maxWaiting {
		t.Errorf("%d wait, want %d", got, maxWaiting)
	}
	for i := range n - 10 {
		feed(a, server(1, result(fmt.Sprint(i), "{}")))
	}
	feed(a, end(2))
	got := a.Snapshot().Totals()
	if got.Exchanges != n || got.Pending != 0 || got.Lost != 10 {
		t.Errorf("totals %+v", got)
	}
}

func TestUsedIDsAreForgottenBeforeMemoryIs(t *testing.T) {
	for name, hash := range map[string]func(i uint64) uint64{
		"texts":   func(i uint64) uint64 { return i + 1 },
		"numbers": func(i uint64) uint64 { return digitsMark | i },
		"strings": func(i uint64) uint64 { return digitsMark | stringMark | i },
	} {
		t.Run(name, func(t *testing.T) {
			var ids idTable
			for i := range uint64(100) {
				ids.insert(hash(i)).at = idAnswered
			}
			ids.insert(hash(1000)).at = 5
			if e := ids.find(hash(50)); e == nil || e.at != idAnswered {
				t.Errorf("find = %v", e)
			}
			ids.n = maxIDs
			ids.insert(hash(2000))
			if !ids.forgot || ids.find(hash(50)) != nil {
				t.Error("a full table keeps what is done")
			}
			if e := ids.find(hash(1000)); e == nil || e.at != 5 {
				t.Errorf("a full table forgot what waits: %v", e)
			}
		})
	}
}

// TestSparseIDs holds that ids of one in each run take no more memory than others.
func TestSparseIDs(t *testing.T) {
	var ids idTable
	for i := range uint64(10_000) {
		ids.insert(digitsMark | i*idRunSize)
	}
	if len(ids.runs) > 2 {
		t.Errorf("%d runs", len(ids.runs))
	}
}

// TestIDTable compares the table with a map: numbers that follow one another, that jump ahead
// and back, and those that others fill up to, with texts and strings among them.
func TestIDTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var ids idTable
		used := map[uint64]uint32{}
		next := random.Uint64N(1 << 40)
		for i := range uint32(20_000) {
			var h uint64
			switch random.Uint64N(10) {
			case 0:
				h = digitsMark | random.Uint64N(1<<46) // anywhere
			case 1:
				h = digitsMark | next + random.Uint64N(4*idRunSize) // ahead
			case 2:
				h = digitsMark | stringMark | random.Uint64N(5000)
			case 3:
				h = 1 + random.Uint64N(digitsMark-1)&^stringMark
			default:
				next += 1 + random.Uint64N(2)
				h = digitsMark | next
			}
			at, is := used[h]
			e := ids.find(h)
			if is != (e != nil) || is && e.at != at {
				t.Fatalf("find(%x) = %v, want %v, %d", h, e, is, at)
			}
			if e == nil {
				e = ids.insert(h)
			}
			e.at, used[h] = i, i
		}
		if len(ids.runs)*idRunSize > 8*len(used) {
			t.Fatalf("%d runs for %d ids", len(ids.runs), len(used))
		}
		n := 0
		for e := range ids.all() {
			if n++; used[e.hash] != e.at {
				t.Fatalf("all yields %x at %d, want %d", e.hash, e.at, used[e.hash])
			}
		}
		if n != len(used) || ids.n != n {
			t.Fatalf("%d ids, %d counted, want %d", n, ids.n, len(used))
		}
	}
}

func TestTimeoutsInForce(t *testing.T) {
	limits := Limits{Timeout: time.Second, Timeouts: map[string]time.Duration{"tools/call": 3 * time.Second}}
	a, w := play(t, Config{Limits: limits},
		client(0, request("1", "ping", "")),
		client(0, request("2", "tools/call", "{}")),
		client(0, request("3", "subscriptions/listen", "{}")),
		client(0, request("4", "tasks/result", "{}")),
		client(500, request("5", "ping", "")),
		server(900, result("5", "{}")),
	)
	if next, ok := a.Next(); !ok || next != ms(1000)+1 {
		t.Errorf("Next = %d, %v", next, ok)
	}
	a.Advance(ms(1000))
	same(t, "at the timeout", w.only("late"), nil)
	a.Advance(ms(100_000))
	same(t, "after all", w.only("late"), []string{"late #1 at 1000", "late #2 at 3000"})
	if _, ok := a.Next(); ok {
		t.Error("something else is due")
	}
	s := a.Snapshot()
	for i, late := range []bool{true, true, false, false, false} {
		if got := s.Row(uint32(i)).Flags&FlagLate != 0; got != late {
			t.Errorf("row %d late = %v", i, got)
		}
	}
	if got := s.Totals(); got.Late != 2 || got.Pending != 4 {
		t.Errorf("totals %+v", got)
	}
}

func TestManyCancelled(t *testing.T) {
	const n = maxCancelled + 100
	a, w := play(t, Config{})
	for i := range n {
		id := fmt.Sprint(i)
		feed(a, client(0, request(id, "ping", "")), client(0, notification("notifications/cancelled", `{"requestId":`+id+`}`)))
	}
	w.lines = nil
	feed(a, server(1, result("0", "{}")), server(1, result(fmt.Sprint(n-1), "{}")), server(1, result("0", "{}")))
	same(t, "answers", w.only("message"), []string{
		"message s2c result cancelled #0 ping",
		fmt.Sprintf("message s2c result cancelled #%d ping", n-1),
		"message s2c result duplicate #0 ping",
	})
	feed(a, end(2))
	if got := a.Snapshot().Totals(); got.Cancelled != n-2 || got.Pending != 0 || got.Lost != 0 {
		t.Errorf("totals %+v", got)
	}
	if m := a.Snapshot().Methods()[0]; m.Cancelled != n-2 || m.Pending != 0 {
		t.Errorf("method %+v", m)
	}
}

func TestClashesBeyondWhatIsKept(t *testing.T) {
	a := NewAnalyzer(Config{})
	feed(a, client(0, request("1", "ping", "")), client(0, request("1", "tools/list", "")))
	for i := range maxWaiting {
		feed(a, client(0, request(fmt.Sprint(i+2), "ping", "")))
	}
	w := &witness{}
	a.cfg.Checkers = []Checker{w}
	feed(a, server(1, result("1", "{}")), server(1, result("1", "{}")))
	same(t, "answers", w.only("message"), []string{"message s2c result answer #1 tools/list", "message s2c result duplicate #1 tools/list"})
}

// TestManyUnderOneID has more requests of one id than are kept, and answers those
// that were: the oldest come first.
func TestManyUnderOneID(t *testing.T) {
	const more = 1000
	a := NewAnalyzer(Config{})
	for range maxWaiting + more {
		feed(a, client(0, request("1", "ping", "")))
	}
	for i := range maxWaiting {
		feed(a, server(1, result("1", "{}")))
		if i == maxWaiting/2 {
			if open := a.conns[1].Open[C2S]; len(open) != maxWaiting-i-1 || open[0].Req != uint32(more+i+1) {
				t.Fatalf("%d wait, the oldest is row %d", len(open), open[0].Req)
			}
		}
	}
	w := &witness{}
	a.cfg.Checkers = []Checker{w}
	feed(a, server(2, result("1", "{}")))
	same(t, "answer", w.only("message"), []string{"message s2c result duplicate #1 ping"})
	if got := a.Snapshot().Totals(); got.Exchanges != maxWaiting+more || got.Pending != more {
		t.Errorf("totals %+v", got)
	}
}
