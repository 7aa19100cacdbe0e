package session

import (
	"fmt"
	"slices"
	"testing"

	"wiretea/session/mcp"
)

func TestParseSeverity(t *testing.T) {
	for word, want := range map[string]Severity{"info": Info, "warning": Warning, "warn": Warning, "error": Error} {
		if got, ok := ParseSeverity(word); !ok || got != want {
			t.Errorf("%s is %v, %t", word, got, ok)
		}
	}
	for _, word := range []string{"", "none", "fatal", "Info"} {
		if got, ok := ParseSeverity(word); ok || got != NoSeverity {
			t.Errorf("%q is %v, %t", word, got, ok)
		}
	}
}

// TestRequestOf holds which row is the request of each row, and which request waits: not one that was cancelled.
func TestRequestOf(t *testing.T) {
	a, _ := play(t, Config{},
		client(0, request("1", "tools/call", `{"name":"x"}`)),                 // 0
		client(1, request("2", "ping", "")),                                   // 1
		server(2, result("1", "{}")),                                          // 2
		client(3, notification("notifications/cancelled", `{"requestId":2}`)), // 3
		server(4, notification("notifications/message", `{"level":"info"}`)),  // 4
		server(5, result("99", "{}")),                                         // 5
		frame(6, Stderr, `{"jsonrpc":"2.0","id":2,"method":"ping"}`),          // 6
		client(7, request("3", "ping", "")),                                   // 7
		on(0, gap(8, Stderr, 9)),                                              // 8
	)
	s := a.Snapshot()
	for i, want := range []uint32{0, 1, 0, 1, NoRow, NoRow, NoRow, 7, NoRow} {
		if got := s.RequestOf(uint32(i)); got != want {
			t.Errorf("the request of row %d is %d, want %d", i, got, want)
		}
		if x := s.Waiting(uint32(i)); (x != nil) != (i == 7) {
			t.Errorf("row %d waits: %+v", i, x)
		}
	}
}

// TestManyMethods holds that methods beyond the limit are counted together, as "…".
func TestManyMethods(t *testing.T) {
	a := NewAnalyzer(Config{})
	const more = 5
	for i := range MaxMethodStats + more {
		feed(a, client(int64(i), request(fmt.Sprint(i), fmt.Sprintf("x/%d", i), "")))
	}
	all := a.Snapshot().Methods()
	if last := all[len(all)-1]; len(all) != MaxMethodStats+1 || last.Name != "…" || last.Count != more || all[0].Name != "x/0" || all[0].Count != 1 {
		t.Errorf("%d methods, %+v … %+v", len(all), all[0], last)
	}
}

// TestProbeTime holds that the time of the first probe stays.
func TestProbeTime(t *testing.T) {
	a, _ := play(t, Config{}, client(5, request("1", mcp.ServerDiscover, "")), client(9, request("2", mcp.ServerDiscover, "")))
	if c := a.Snapshot().Conn(1); c.ProbeT != ms(5) || c.Phase != PhaseProbing {
		t.Errorf("%+v", c)
	}
}

// TestBodyInPieces holds that a body over HTTP is one message, also where it has lines and
// was recorded in pieces.
func TestBodyInPieces(t *testing.T) {
	event := func(at int64, ev HTTPEvent) Record { return Record{Kind: RecHTTP, T: ms(at), Trip: 1, HTTP: &ev} }
	piece := func(at int64, text string) Record {
		r := raw(at, C2S, text)
		r.Trip = 1
		return r
	}
	a, w := play(t, Config{}, event(0, HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}),
		piece(1, "{\"jsonrpc\":\"2.0\",\n"), piece(2, "\"id\":1,\n\"method\":\"ping\"}\n"), event(3, HTTPEvent{Event: "sent"}),
		event(4, HTTPEvent{Event: "end", Why: "client"}))
	s := a.Snapshot()
	if kinds := rowKinds(s); !slices.Equal(kinds, []RowKind{RowTrip, RowRequest, RowTripResponse}) {
		t.Errorf("the rows are %v, %q", kinds, w.only("message"))
	}
}

// TestDecidedTotal holds that what was held, stopped or changed is counted when it comes.
func TestDecidedTotal(t *testing.T) {
	stopped := client(1, request("1", "ping", ""))
	stopped.Way, stopped.By = WayIn, "policy: none"
	instead := server(2, failure("1", -32000))
	instead.Way, instead.By, instead.Of = WayOut, "policy: none", 2
	records := []Record{client(0, request("0", "ping", "")), stopped, instead, client(3, request("2", "ping", ""))}
	a := NewAnalyzer(Config{})
	var want []int64
	for i := range records {
		feed(a, records[i])
		want = append(want, a.Snapshot().Totals().Decided)
	}
	if !slices.Equal(want, []int64{0, 1, 1, 1}) {
		t.Fatalf("decided: %v", want)
	}
}

// TestWordless holds that a value without a word, as a file of a later version may have
// one, is a question mark.
func TestWordless(t *testing.T) {
	for v, want := range map[Severity]string{Error: "error", Error + 1: "?", 200: "?"} {
		if got := v.String(); got != want {
			t.Errorf("severity %d is %q", v, got)
		}
	}
}
