package session

import (
	"cmp"
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// httpEvent is an event of a round trip.
func httpEvent(at int64, trip int, ev HTTPEvent) Record {
	return Record{Kind: RecHTTP, T: ms(at), Trip: trip, HTTP: &ev}
}

// TestDecoder holds that an Analyzer finds the same in frames that a Decoder decoded
// before, of which one is used for all.
func TestDecoder(t *testing.T) {
	records := []Record{
		process(0, "start"), client(1, request("1", "tools/call", `{"name":"x"}`)), server(2, "Server started!"), server(3, result("1", "{}")),
		client(4, "["+request("2", "ping", "")+","+notification("notifications/initialized", "{}")+"]"), server(5, "{\"a\":\n"), server(6, "1}"), frame(7, Stderr, request("3", "ping", "")), end(8),
	}
	_, want := play(t, Config{}, records...)
	var dec Decoder
	var d Decoded
	w := &witness{}
	a := NewAnalyzer(Config{Checkers: []Checker{w}})
	decoded := 0
	for i, r := range records {
		r.N, r.Off, r.Conn = uint64(i+1), int64(i)*1000, max(1, r.Conn)
		if dec.Decode(&r, &d); r.Decoded != nil {
			decoded++
		}
		a.Add(&r)
	}
	same(t, "events", w.only("message", "gone", "ended", "frame"), want.only("message", "gone", "ended", "frame"))
	if decoded != 6 || len(w.only("message")) == 0 { // neither incomplete JSON nor records of other kinds
		t.Errorf("%d frames were decoded before", decoded)
	}
}

// TestTripOfLaterRow holds that a snapshot knows nothing of rows that came after it.
func TestTripOfLaterRow(t *testing.T) {
	a, _ := play(t, Config{}, httpEvent(0, 1, HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}))
	s := a.Snapshot()
	a.Add(&Record{Kind: RecFrame, N: 2, T: ms(1), Conn: 1, Trip: 1, Stream: C2S, Body: []byte(request("1", "ping", ""))})
	if later := a.Snapshot(); later.TripRow(0) != 0 || later.TripRow(1) != 0 {
		t.Fatalf("the rows are of the trips %d and %d", later.TripRow(0), later.TripRow(1))
	}
	for i, want := range []uint32{0, NoRow, NoRow} {
		if got := s.TripRow(uint32(i)); got != want {
			t.Errorf("row %d is of the trip of row %d, want %d", i, got, want)
		}
	}
}

// TestSharedGap holds that lines of the file that may have belonged to any connection are
// counted once.
func TestSharedGap(t *testing.T) {
	damage := Record{Kind: RecGap, T: ms(3), Stream: S2C, Gap: Gap{Stream: S2C, Bytes: 100, Lines: 3, Why: "damage"}}
	a := NewAnalyzer(Config{})
	for i, r := range []Record{client(0, pingLine), on(2, client(1, pingLine)), on(3, client(2, pingLine)), damage} {
		r.N = uint64(i + 1)
		if i < 3 {
			r.Conn = max(1, r.Conn)
		}
		a.Add(&r)
	}
	s := a.Snapshot()
	var lines int64
	gaps := 0
	for i := range uint32(s.Len()) {
		if r := s.Row(i); r.Kind == RowGap {
			gaps, lines = gaps+1, lines+int64(r.Skip)
		}
	}
	if gaps != 3 || lines != 3 || s.Totals().Damaged != 3 {
		t.Errorf("%d rows of gaps stand for %d damaged lines, of %d", gaps, lines, s.Totals().Damaged)
	}
}

// TestTimerHeap holds that timers are due in the order of their times, and those of one
// moment in the order in which they were set.
func TestTimerHeap(t *testing.T) {
	var h timerHeap
	var want []timer
	rnd := rand.New(rand.NewPCG(1, 2))
	for seq := range uint64(500) {
		at := timer{t: rnd.Int64N(40), seq: seq}
		heap.Push(&h, at)
		want = append(want, at)
	}
	slices.SortFunc(want, func(a, b timer) int { return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.seq, b.seq)) })
	for i, next := range want {
		if got := heap.Pop(&h).(timer); got.t != next.t || got.seq != next.seq {
			t.Fatalf("timer %d is of %d, number %d; want %d, %d", i, got.t, got.seq, next.t, next.seq)
		}
	}
}

// TestNoResponse holds that what stands for a response that did not come lies where its
// record is, and has no status.
func TestNoResponse(t *testing.T) {
	req, over := httpEvent(0, 1, HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}), httpEvent(2, 1, HTTPEvent{Event: "end", Why: "server"})
	for _, records := range [][]Record{{req, httpEvent(1, 1, HTTPEvent{Event: "err", Why: "connection refused"}), over}, {req, over}} {
		a := NewAnalyzer(Config{})
		feed(a, records...)
		if v := a.Snapshot().Trip(0); v.ResponseRow.Kind != RowTripResponse || v.Status != 0 || v.ResponseRow.Off == 0 || v.ResponseRow.N == 0 {
			t.Errorf("%d records: %+v", len(records), v)
		}
	}
}

// TestBatchRow holds that the row of a batch shows its first message.
func TestBatchRow(t *testing.T) {
	a, _ := play(t, Config{}, client(0, "["+request("8", "ping", "")+","+request("9", "tools/call", `{"name":"x"}`)+","+notification("notifications/initialized", "{}")+"]"))
	s := a.Snapshot()
	if r := s.Row(0); r.Kind != RowBatch || s.ID(r) != "8" || s.Name(r.Method) != "ping" || s.Name(r.Target) != "" {
		t.Errorf("%s %s %s", s.ID(r), s.Name(r.Method), s.Name(r.Target))
	}
}

// TestRawBounds holds in which record a frame begins that was recorded in pieces, also
// where it begins with one.
func TestRawBounds(t *testing.T) {
	a := NewAnalyzer(Config{})
	feed(a, raw(0, S2C, "one\n"), raw(1, S2C, "two\nthr"), raw(2, S2C, "ee\n"), raw(3, S2C, "four\n"))
	s := a.Snapshot()
	offs := make([]int64, 0, 4)
	skips := make([]uint32, 0, 4)
	for i := range uint32(s.Len()) {
		offs, skips = append(offs, s.Row(i).Off), append(skips, s.Row(i).Skip)
	}
	if len(offs) != 4 || offs[1] != offs[2] || offs[0] == offs[1] || offs[3] <= offs[2]+1000 || !slices.Equal(skips, []uint32{0, 0, 4, 0}) {
		t.Errorf("the frames begin in the records at %d, behind %d bytes", offs, skips)
	}
}

// TestWall holds that the wall time is that of the latest clock record, until it is set again.
func TestWall(t *testing.T) {
	t0 := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	clock := func(at int64, ahead time.Duration) Record {
		return Record{Kind: RecClock, T: ms(at), Wall: t0.Add(time.Duration(ms(at)) + ahead)}
	}
	a, _ := play(t, Config{},
		Record{Kind: RecHeader, Header: &Header{T0: t0}},
		client(1, request("1", "ping", "")),
		clock(1000, 0), clock(2000, time.Hour), clock(3000, time.Hour), clock(4000, 0), clock(5000, -time.Hour), clock(6000, time.Hour),
	)
	s := a.Snapshot()
	for at, want := range map[int64]time.Duration{1500: 0, 2500: time.Hour, 3500: time.Hour, 4500: 0, 5500: -time.Hour, 6500: time.Hour} {
		if got := s.Wall(ms(at)).Sub(t0) - time.Duration(ms(at)); got != want {
			t.Errorf("at %d ms the wall clock is %v ahead, want %v", at, got, want)
		}
	}
}
