package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// gossip reports of every kind: at once, of an earlier row, getting worse, of no
// row, and when a timer comes.
type gossip struct{ frames []uint32 }

func (g *gossip) Check(ev *Event, r Reporter) {
	switch ev.Kind {
	case FrameSeen:
		g.frames = append(g.frames, ev.Frame.Row)
		n := len(g.frames)
		switch {
		case n%5 == 0:
			r.Report(Finding{Rule: "at-once", Severity: Info, Row: ev.Frame.Row, T: ev.T})
		case n%7 == 0:
			r.Report(Finding{Rule: "worse", Severity: min(Error, Severity(1+n/20)), Row: ev.Frame.Row, T: ev.T, Key: "k"})
		case n%11 == 0:
			r.Report(Finding{Rule: "belated", Severity: Error, Row: g.frames[n-4], T: ev.T, Key: fmt.Sprint(n % 2)})
		case n%13 == 0:
			r.At(ev.T+ms(3), ev.Conn.ID, TimerKey{Rule: "timer", Num: uint64(ev.Frame.Row)})
		}
	case Timer:
		r.Report(Finding{Rule: "timer", Severity: Warning, Row: uint32(ev.Timer.Num), T: ev.T})
	case ExchangeLate:
		r.Report(Finding{Rule: "late", Severity: Warning, Row: ev.Exchange.Req, T: ev.T})
	case ConnEnded:
		r.Report(Finding{Rule: "ended", Severity: Info, Row: NoRow, T: ev.T, Key: fmt.Sprint(ev.Conn.ID)})
	default:
	}
}

// tale makes up a session that has something of everything.
func tale(seed uint64, n int) []Record {
	rng := rand.New(rand.NewPCG(seed, 9))
	list := []Record{{Kind: RecHeader, Header: &Header{Format: "mcpcap", SID: "ab", Mode: "run", Limits: Limits{Timeout: 20e6}}}}
	at := int64(0)
	add := func(conn int, r Record) { list = append(list, on(conn, r)) }
	for conn := 1; conn <= 3; conn++ {
		at++
		add(conn, process(at, "start"))
		add(conn, client(at+1, request("0", "initialize", `{"protocolVersion":"2025-11-25"}`)))
		add(conn, server(at+2, result("0", `{"protocolVersion":"2025-11-25","capabilities":{}}`)))
		add(conn, client(at+3, notification("notifications/initialized", "{}")))
		at += 4
		var open []int
		for id := 1; id <= n; id++ {
			at += rng.Int64N(6)
			add(conn, client(at, request(fmt.Sprint(id), []string{"tools/call", "ping", "tools/list"}[id%3], fmt.Sprintf(`{"name":"t%d","_meta":{"progressToken":%d}}`, id%4, id))))
			open = append(open, id)
			if conn == 3 && id == n-2 {
				add(conn, gap(at, S2C, 100))
			}
			if conn == 2 && id == n-3 {
				lost := gap(at, AnyStream, 7)
				lost.Gap.Lines, lost.Gap.Why = 3, "damage"
				add(conn, lost)
			}
			if rng.IntN(3) == 0 {
				add(conn, server(at, notification("notifications/progress", fmt.Sprintf(`{"progressToken":%d,"progress":1}`, open[rng.IntN(len(open))]))))
			}
			switch k := rng.IntN(len(open)); rng.IntN(8) {
			case 0:
				add(conn, client(at, notification("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, open[k]))))
				if rng.IntN(2) == 0 {
					open = slices.Delete(open, k, k+1)
				}
			case 1:
				add(conn, frame(at, Stderr, "some words"))
			case 2:
				add(conn, server(at, request(fmt.Sprintf(`"s%d"`, id), "elicitation/create", "{}")))
				if rng.IntN(2) == 0 {
					add(conn, client(at+1, result(fmt.Sprintf(`"s%d"`, id), "{}")))
					at++
				}
			case 3:
				add(conn, server(at, failure(fmt.Sprint(open[k]), -32000)))
				open = slices.Delete(open, k, k+1)
			case 4:
				add(conn, server(at, "no JSON at all"))
			default:
				add(conn, server(at, result(fmt.Sprint(open[k]), "{}")))
				open = slices.Delete(open, k, k+1)
			}
		}
		if conn == 2 {
			add(conn, ioEvent(at, C2S, "eof"))
		}
		add(conn, Record{Kind: RecProc, T: ms(at), Proc: Proc{Event: "signal", Signal: "SIGTERM"}})
		add(conn, process(at+1, "exit"))
		add(conn, ioEvent(at+1, S2C, "eof"))
		at += 30
	}
	return append(list, end(at+1))
}

// asThen is what a snapshot shows, to be compared, without what a History leaves
// out.
type asThen struct {
	Rows     []string
	Totals   Totals
	Findings []Finding
	At       [][]Finding
	Conns    []Conn
	Open     [][]Exchange
	Methods  []MethodStats
	Clock    int64
}

func seenOf(s *Snapshot) asThen {
	got := asThen{Totals: s.Totals(), Methods: slices.Clone(s.Methods()), Clock: s.Clock()}
	for i := range uint32(s.Len()) {
		r := s.Row(i)
		r.Op = 0
		if r.Sev == NoSeverity && s.Row(i).Sev == NoSeverity && i > 0 {
			ns, ok := s.Latency(i)
			got.Rows = append(got.Rows, fmt.Sprint(r, s.Name(r.Method), s.ID(r), ns, ok))
			continue
		}
		got.Rows = append(got.Rows, fmt.Sprint(r))
		got.At = append(got.At, slices.Clone(s.RowFindings(i)))
	}
	got.Findings = slices.Clone(s.Findings())
	for _, c := range s.Conns() {
		for _, list := range c.Open {
			var open []Exchange
			for _, x := range list {
				e := *x
				e.at, e.ProgressToken, e.Done, e.Total, e.Operation = 0, "", 0, 0, 0
				e.Era, e.Version = 0, 0 // the connection's, not the request's
				open = append(open, e)
			}
			got.Open = append(got.Open, open)
		}
		c.Open = [2][]*Exchange{}
		c.ProbeT, c.Limits = 0, Limits{}
		c.Signals = slices.Clone(c.Signals)
		got.Conns = append(got.Conns, c)
	}
	return got
}

// TestHistory holds that a moment of the past is what the session was then.
func TestHistory(t *testing.T) {
	for seed := range uint64(3) {
		records := tale(seed, 20)
		whole := NewAnalyzer(Config{Checkers: []Checker{&gossip{}}})
		feed(whole, records...)
		h := NewHistory(whole.Snapshot())
		then := NewAnalyzer(Config{Checkers: []Checker{&gossip{}}})
		var moments []*Snapshot
		for i := range records {
			r := records[i]
			r.N, r.Off = uint64(i+1), int64(i)*1000
			if r.Conn == 0 {
				r.Conn = 1
			}
			then.Add(&r)
			moments = append(moments, then.Snapshot())
		}
		order := rand.New(rand.NewPCG(seed, 3)).Perm(len(moments)) // forwards, backwards, anywhere
		for _, k := range order {
			want := moments[k]
			got := h.At(uint32(want.Len()), want.Clock())
			sameMoment(t, fmt.Sprintf("seed %d, after record %d of %d", seed, k, len(records)), want, got)
		}
		if h.At(uint32(h.Len()), 1<<62) != h.Whole() {
			t.Error("the end is not the whole")
		}
	}
}

// TestHistoryOfHeld holds that the moments of a session in which requests were held are what the
// session was then, and that a request which went on counts once.
func TestHistoryOfHeld(t *testing.T) {
	call := func(at int64, id string) Record { return client(at, request(id, "tools/call", `{"name":"echo"}`)) }
	records := append(handshake(),
		decidedOn(call(10, "1"), WayIn, 0), // 4
		decidedOn(call(20, "1"), WayOut, 4),
		decidedOn(call(25, "2"), WayIn, 0), // dropped
		decidedOn(call(30, "3"), WayIn, 0), // 7, which waits
		server(40, result("1", `{}`)),
		decidedOn(call(50, "3"), WayOut, 7),
		client(60, request("4", "ping", "")),
	)
	whole := NewAnalyzer(Config{})
	feed(whole, records...)
	if m := whole.Snapshot().Methods(); len(m) != 3 || m[1].Count != 3 || m[1].Pending != 2 {
		t.Errorf("methods %+v", m)
	}
	h := NewHistory(whole.Snapshot())
	then := NewAnalyzer(Config{})
	for i := range records {
		r := records[i]
		r.N, r.Off, r.Conn = uint64(i+1), int64(i)*1000, 1
		then.Add(&r)
		want := then.Snapshot()
		sameMoment(t, fmt.Sprintf("after record %d", i), want, h.At(uint32(want.Len()), want.Clock()))
	}
	var unanswered []uint32
	for i := range uint32(whole.Snapshot().Len()) {
		if whole.Snapshot().Unanswered(i) {
			unanswered = append(unanswered, whole.Snapshot().Row(i).N)
		}
	}
	if !slices.Equal(unanswered, []uint32{7, 10}) {
		t.Errorf("unanswered: #%v", unanswered)
	}
}

// sameMoment holds that two snapshots show the same.
func sameMoment(t *testing.T, when string, want, got *Snapshot) {
	t.Helper()
	was, seen := seenOf(want), seenOf(got)
	if fmt.Sprintf("%+v", was) == fmt.Sprintf("%+v", seen) {
		return
	}
	if diff := cmp.Diff(was, seen, cmp.AllowUnexported(Conn{}, Exchange{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-was +seen):\n%s", when, diff)
	}
}

// TestHistoryOfMany goes to moments between and at the sums, in a session of many rows.
func TestHistoryOfMany(t *testing.T) {
	records := tale(7, 4*sumRows/10)
	whole := NewAnalyzer(Config{Checkers: []Checker{&gossip{}}})
	feed(whole, records...)
	stored := whole.Snapshot()
	if stored.Len() < sumRows+sumRows/2 {
		t.Fatalf("%d rows are too few", stored.Len())
	}
	h := NewHistory(stored)
	for _, k := range []int{sumRows + 77, 3, sumRows - 1} {
		then := NewAnalyzer(Config{Checkers: []Checker{&gossip{}}})
		feed(then, records[:k+1]...)
		want := then.Snapshot()
		sameMoment(t, fmt.Sprint("after record ", k), want, h.At(uint32(want.Len()), want.Clock()))
	}
}

// TestHistoryTimes holds that times and rows lead to each other.
func TestHistoryTimes(t *testing.T) {
	a := NewAnalyzer(Config{})
	feed(a, tale(1, 300)...)
	h := NewHistory(a.Snapshot())
	for n := uint32(1); n < uint32(h.Len()); n += 11 {
		at := h.TimeAt(n)
		if got := h.RowsAt(at); got < n || h.TimeAt(got) != at {
			t.Fatalf("row %d is of %d, when %d rows had come", n, at, got)
		}
		if before := h.RowsAt(at - 1); before >= n {
			t.Fatalf("before %d, %d rows had come", at, before)
		}
	}
	if h.TimeAt(0) != 0 || h.RowsAt(-1) != 0 || int(h.RowsAt(1<<62)) != h.Len() {
		t.Error("the ends")
	}
}

// TestHistoryOfPieces holds that a frame in pieces grows until its last one has
// come, and is seen at once where nothing comes between.
func TestHistoryOfPieces(t *testing.T) {
	a := NewAnalyzer(Config{})
	body := request("1", "ping", "")
	feed(a, raw(1000, C2S, body[:9]), frame(2000, Stderr, "meanwhile"), raw(3000, C2S, body[9:]+"\n"),
		raw(4000, S2C, "x"), raw(5000, S2C, "y\n"), frame(6000, Stderr, "later"))
	h := NewHistory(a.Snapshot())
	for _, tt := range []struct {
		n    uint32
		at   int64
		want []RowKind
	}{
		{1, 0, []RowKind{RowGrowing}},
		{2, 0, []RowKind{RowGrowing, RowStderr}},
		{2, ms(3000), []RowKind{RowRequest, RowStderr}},
		{3, 0, []RowKind{RowRequest, RowStderr, RowText}},
		{4, 0, []RowKind{RowRequest, RowStderr, RowText, RowStderr}},
	} {
		s := h.At(tt.n, tt.at)
		if got := rowKinds(s); !slices.Equal(got, tt.want) {
			t.Errorf("%d rows at %d: %v, want %v", tt.n, tt.at, got, tt.want)
		}
	}
}

// TestMarked holds that a snapshot of the past has the marks of its rows.
func TestMarked(t *testing.T) {
	a := NewAnalyzer(Config{})
	chatter(a, 10)
	marked := a.Snapshot().Marked([]uint32{2, 5})
	if then := NewHistory(marked).At(4, 0); !then.IsMarked(2) || then.IsMarked(5) {
		t.Error("marks of the past")
	}
	for row, want := range map[uint32]int64{1: -1, 2: 2, 4: 2, 5: 5, 7: 5} {
		now := marked.Row(row).T
		if at, ok := marked.LastMark(func(t int64) bool { return t > now }); ok != (want >= 0) || ok && at != marked.Row(uint32(want)).T {
			t.Errorf("the last mark of row %d is at %d, %t", row, at, ok)
		}
	}
}

// TestMoments goes from finding to finding and from operation to operation, there and
// back.
func TestMoments(t *testing.T) {
	a := NewAnalyzer(Config{Checkers: []Checker{&gossip{}}})
	feed(a, tale(3, 40)...)
	h := NewHistory(a.Snapshot())
	type stop struct {
		n  uint32
		at int64
	}
	var there, back []stop
	n, at := uint32(0), int64(0)
	for {
		rows, clock, row, ok := h.Finding(n, at, 1)
		if !ok {
			break
		}
		if s := h.At(rows, clock); row != NoRow && len(s.RowFindings(row)) == 0 {
			t.Fatalf("nothing is found at row %d when it is said to be", row)
		}
		if rows < n || rows == n && clock <= at {
			t.Fatalf("from %d at %d to %d at %d", n, at, rows, clock)
		}
		n, at = rows, clock
		there = append(there, stop{n, at})
	}
	if n, at = uint32(h.Len()), h.Whole().Clock()+1; len(there) < 20 {
		t.Fatalf("%d stops", len(there))
	}
	for {
		rows, clock, _, ok := h.Finding(n, at, -1)
		if !ok {
			break
		}
		n, at = rows, clock
		back = append(back, stop{n, at})
	}
	slices.Reverse(back)
	if !slices.Equal(there, back) {
		t.Errorf("there %v\nand back %v", there, back)
	}
	ends := 0
	for i := range uint32(h.Len()) + 1 {
		if h.Ends(i) {
			ends++
		}
	}
	if want := h.Whole().Totals(); int64(ends) != want.Exchanges-want.Pending-want.Lost-want.Cancelled {
		t.Errorf("%d operations end, %+v", ends, want)
	}
}
