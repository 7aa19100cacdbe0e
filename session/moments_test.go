package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
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

// TestTimeAt holds that times and rows lead to each other.
func TestTimeAt(t *testing.T) {
	a := NewAnalyzer(Config{})
	feed(a, tale(1, 300)...)
	s := a.Snapshot()
	for n := uint32(1); n < uint32(s.Len()); n += 11 {
		at := s.TimeAt(n)
		if got := s.RowsAt(at); got < n || s.TimeAt(got) != at {
			t.Fatalf("row %d is of %d, when %d rows had come", n, at, got)
		}
		if before := s.RowsAt(at - 1); before >= n {
			t.Fatalf("before %d, %d rows had come", at, before)
		}
	}
	if s.TimeAt(0) != 0 || s.RowsAt(-1) != 0 || int(s.RowsAt(1<<62)) != s.Len() {
		t.Error("the ends")
	}
}

// TestMoments goes from finding to finding and from operation to operation, there and
// back.
func TestMoments(t *testing.T) {
	a := NewAnalyzer(Config{Checkers: []Checker{&gossip{}}})
	feed(a, tale(3, 40)...)
	s := a.Snapshot()
	type stop struct {
		n  uint32
		at int64
	}
	var there, back []stop
	n, at := uint32(0), int64(0)
	for {
		rows, clock, row, ok := s.Reported(n, at, 1)
		if !ok {
			break
		}
		if row != NoRow && len(s.RowFindings(row)) == 0 {
			t.Fatalf("nothing is found at row %d when it is said to be", row)
		}
		if rows < n || rows == n && clock <= at {
			t.Fatalf("from %d at %d to %d at %d", n, at, rows, clock)
		}
		n, at = rows, clock
		there = append(there, stop{n, at})
	}
	if n, at = uint32(s.Len()), s.Clock()+1; len(there) < 20 {
		t.Fatalf("%d stops", len(there))
	}
	for {
		rows, clock, _, ok := s.Reported(n, at, -1)
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
	ends := len(s.OperationEnds())
	if want := s.Totals(); int64(ends) != want.Exchanges-want.Pending-want.Lost-want.Cancelled {
		t.Errorf("%d operations end, %+v", ends, want)
	}
}
