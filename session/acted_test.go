package session

import (
	"testing"
	"time"
)

// decidedOn marks a frame as one that a policy has decided on.
func decidedOn(r Record, way Way, of uint64) Record {
	r.Way, r.By, r.Of = way, "policy: test", of
	return r
}

// TestActed holds of which exchanges the analysis knows that they were acted on, and that no
// finding is reported at them, except at a frame that its peer sent.
func TestActed(t *testing.T) {
	for name, test := range map[string]struct {
		recs  []Record
		acted bool
		found int // found is how many of the reports, one at each message, count.
	}{
		"untouched": {[]Record{client(10, request("1", "tools/call", "")), server(11, result("1", `{}`))}, false, 2},
		"noted":     {[]Record{decidedOn(client(10, request("1", "tools/call", "")), Crossed, 0), server(11, result("1", `{}`))}, false, 2},
		"denied": {[]Record{
			decidedOn(client(10, request("1", "tools/call", "")), WayIn, 0),
			decidedOn(server(11, result("1", `{}`)), WayOut, 4),
		}, true, 1},
		"request altered": {[]Record{
			decidedOn(client(10, request("1", "tools/call", "")), WayIn, 0),
			decidedOn(client(11, request("1", "tools/call", "")), WayOut, 4),
			server(12, result("1", `{}`)),
		}, true, 1},
		"request sent twice": {[]Record{
			decidedOn(client(10, request("1", "tools/call", "")), WayIn, 0),
			decidedOn(client(11, request("1", "tools/call", "")), WayOut, 4),
			decidedOn(client(12, request("1", "tools/call", "")), WayOut, 4),
			server(13, result("1", `{}`)),
			server(14, result("1", `{}`)),
		}, true, 1},
		"response altered": {[]Record{
			client(10, request("1", "tools/call", "")),
			decidedOn(server(11, result("1", `{}`)), WayIn, 0),
			decidedOn(server(12, result("1", `{}`)), WayOut, 5),
		}, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			acted, found := false, 0
			a, w := play(t, Config{}, handshake()...)
			before := len(a.Snapshot().Findings())
			w.seen = func(ev *Event, r Reporter) {
				if ev.Kind == MessageSeen && ev.Exchange != nil {
					acted = acted || ev.Exchange.Acted
					r.Report(Finding{Rule: "test", Severity: Warning, Row: ev.Frame.Row, Conn: 1, T: ev.T})
				}
			}
			feed(a, test.recs...)
			for _, f := range a.Snapshot().Findings()[before:] {
				found += f.Count
			}
			if acted != test.acted || found != test.found {
				t.Errorf("acted %v, %d findings; want %v, %d", acted, found, test.acted, test.found)
			}
		})
	}
}

// TestActedLatency holds that the time of what was held, altered or answered on the way is no
// latency, and that of a held response is.
func TestActedLatency(t *testing.T) {
	for name, test := range map[string]struct {
		recs []Record
		want int64
	}{
		"untouched": {[]Record{client(10, request("1", "tools/call", "")), server(30, result("1", `{}`))}, 20},
		"request held": {[]Record{
			decidedOn(client(10, request("1", "tools/call", "")), WayIn, 0),
			decidedOn(client(25, request("1", "tools/call", "")), WayOut, 4),
			server(30, result("1", `{}`)),
		}, 0},
		"answered": {[]Record{
			decidedOn(client(10, request("1", "tools/call", "")), WayIn, 0),
			decidedOn(server(30, result("1", `{}`)), WayOut, 4),
		}, 0},
		"response held": {[]Record{
			client(10, request("1", "tools/call", "")),
			decidedOn(server(30, result("1", `{}`)), WayIn, 0),
			decidedOn(server(99, result("1", `{}`)), WayOut, 5),
		}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := play(t, Config{}, handshake()...)
			feed(a, test.recs...)
			for _, m := range a.Snapshot().Methods() {
				if m.Name == "tools/call" && m.Max/1e6 != test.want {
					t.Errorf("%+v, want %d ms", m, test.want)
				}
			}
		})
	}
}

// TestHeldIsNotLate holds that a request is not late while it is held here, nor while the answer to
// what its receiver asks meanwhile is, and that its timeout begins again when it goes on; and that
// its latency begins there.
func TestHeldIsNotLate(t *testing.T) {
	call := func(at int64) Record { return client(at, request("1", "tools/call", "")) }
	question := func(at int64) Record { return server(at, request("7", "roots/list", "")) }
	for name, test := range map[string]struct {
		recs    []Record
		late    bool
		latency int64
	}{
		"untouched": {[]Record{call(10), server(9010, result("1", `{}`))}, true, 9000},
		"held":      {[]Record{decidedOn(call(10), WayIn, 0), decidedOn(call(8000), WayOut, 1), server(9010, result("1", `{}`))}, false, 1010},
		"held, and late after it": {[]Record{
			decidedOn(call(10), WayIn, 0), decidedOn(call(3000), WayOut, 1), server(9010, result("1", `{}`)),
		}, true, 6010},
		"question held": {[]Record{
			call(10), decidedOn(question(20), WayIn, 0), decidedOn(question(8000), WayOut, 2),
			client(8100, result("7", `{}`)), server(9010, result("1", `{}`)),
		}, false, 9000},
		"answer held": {[]Record{
			call(10), question(20), decidedOn(client(30, result("7", `{}`)), WayIn, 0), decidedOn(client(8000, result("7", `{}`)), WayOut, 3),
			server(9010, result("1", `{}`)),
		}, false, 9000},
		"question denied": {[]Record{
			call(10), decidedOn(question(20), WayIn, 0), decidedOn(client(21, result("7", `{}`)), WayOut, 2), server(9010, result("1", `{}`)),
		}, true, 9000},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := play(t, Config{Limits: Limits{Timeout: 5 * time.Second}}, handshake()...)
			feed(a, test.recs...)
			s := a.Snapshot()
			last := uint32(s.Len() - 1)
			r := s.Row(last)
			if late := (s.Row(r.Pair).Flags|r.Flags)&FlagLate != 0; late != test.late {
				t.Errorf("late: %v", late)
			}
			if ns, ok := s.Latency(last); !ok || ns/1e6 != test.latency {
				t.Errorf("latency %d ms, want %d", ns/1e6, test.latency)
			}
		})
	}
}
