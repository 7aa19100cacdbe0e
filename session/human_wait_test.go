package session

import (
	"testing"
	"time"
)

// TestPeopleAreNotLate holds that no request of the client's is late while the
// server waits for people, and that each then has its whole time.
func TestPeopleAreNotLate(t *testing.T) {
	tests := []struct {
		name    string
		mode    string
		records []Record
		until   int64
		want    []string
	}{
		{"while a form is open", "tee", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(100, request("91", "elicitation/create", "{}")),
		}, 500_000, nil},
		{"its time begins again behind the answer", "tee", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(100, request("91", "elicitation/create", "{}")),
			client(10_500, result("91", "{}")),
		}, 500_000, []string{"late #1 at 11500"}},
		{"a question that is taken back", "tee", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(100, request("91", "sampling/createMessage", "{}")),
			server(10_500, notification("notifications/cancelled", `{"requestId":91}`)),
		}, 500_000, []string{"late #1 at 11500"}},
		{"one that was late before", "tee", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(2000, request("91", "elicitation/create", "{}")),
		}, 500_000, []string{"late #1 at 1000"}},
		{"one that was sent after the answer has its own", "tee", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(100, request("91", "elicitation/create", "{}")),
			client(900, request("2", "tools/call", "{}")),
			client(950, result("91", "{}")),
			client(960, request("3", "tools/call", "{}")),
		}, 500_000, []string{"late #1 at 1950", "late #2 at 1950", "late #3 at 1960"}},
		{"the roots of another client", "tee", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(100, request("91", "roots/list", "{}")),
		}, 500_000, []string{"late #1 at 1000", "late #91 at 1100"}},
		{"our own user is asked for roots", "run", []Record{
			client(0, request("1", "tools/call", "{}")),
			server(100, request("91", "roots/list", "{}")),
		}, 500_000, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			head := Record{Kind: RecHeader, Header: &Header{Mode: tt.mode, Limits: Limits{Timeout: time.Second}}}
			a, w := play(t, Config{}, append([]Record{head}, tt.records...)...)
			a.Advance(ms(tt.until))
			same(t, "late", w.only("late"), tt.want)
		})
	}
}

// TestAsks holds what waits for people.
func TestAsks(t *testing.T) {
	a, _ := play(t, Config{},
		client(0, request("1", "tools/call", "{}")),
		server(100, request("92", "elicitation/create", "{}")),
		server(200, request("93", "sampling/createMessage", "{}")),
		server(300, request("94", "ping", "")))
	conn := a.Snapshot().Conns()[0]
	if since, n := conn.HumanWait(); since != ms(100) || n != 2 || conn.People != 0 {
		t.Errorf("%d since %d, people %d", n, since, conn.People)
	}
	feed(a, client(400, result("92", "{}")), client(500, failure("93", -1)))
	conn = a.Snapshot().Conns()[0]
	if _, n := conn.HumanWait(); n != 0 || conn.People != ms(500) {
		t.Errorf("%d ask, people %d", n, conn.People)
	}
}

// TestAskingResults holds that a result that asks for input says so until a
// request brings it.
func TestAskingResults(t *testing.T) {
	a, _ := play(t, Config{},
		client(0, request("1", "tools/call", `{"name":"a"}`)),
		server(1, result("1", `{"resultType":"input_required","requestState":"s1"}`)))
	asks := func() bool { return a.Snapshot().Row(1).Flags&FlagAsks != 0 }
	if !asks() {
		t.Error("it does not ask")
	}
	feed(a, client(2, request("2", "tools/call", `{"name":"a","requestState":"other"}`)))
	if !asks() {
		t.Error("another call has brought it")
	}
	feed(a, client(3, request("3", "tools/call", `{"name":"a","requestState":"s1"}`)))
	if asks() {
		t.Error("it asks, and has it")
	}
}

// TestWaitIsNotCountedInTimeouts holds that a wait for a person costs nothing, however
// many of the shortest timeouts it lasts.
func TestWaitIsNotCountedInTimeouts(t *testing.T) {
	head := Record{Kind: RecHeader, Header: &Header{Mode: "tee", Limits: Limits{Timeout: 1}}}
	a, w := play(t, Config{}, head, server(0, request("91", "elicitation/create", "{}")), client(0, request("1", "tools/call", "{}")))
	a.Advance(ms(1 << 40))
	same(t, "late", w.only("late"), nil)
	r := client(1<<40, result("91", "{}"))
	r.N, r.Conn = 9, 1
	a.Add(&r)
	a.Advance(ms(1<<40) + 9)
	if late := w.only("late"); len(late) != 1 {
		t.Errorf("after the answer: %q", late)
	}
}
