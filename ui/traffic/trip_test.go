package traffic

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/filter"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// onHTTP is a pane on that session.
func onHTTP(t testing.TB) (*Pane, *pane.Context) {
	c := panetest.Trips(t).Context()
	p := New()
	p.slice = 1 << 40
	panetest.Tell(t, p, c, pane.MovedMsg{})
	p.View(c, 80, 30, true)
	return p, c
}

func TestTrips(t *testing.T) {
	p, c := onHTTP(t)
	c.Now += 4200 * 1e6
	panetest.Golden(t, "TestTrips_folded", panetest.Text(t, p, c, 118, 18))
	panetest.Golden(t, "TestTrips_folded_78", panetest.Text(t, p, c, 78, 16))
	panetest.Do(t, p, c, keys.FoldTrips)
	for _, size := range []struct{ w, h int }{{118, 30}, {78, 30}, {64, 30}, {40, 30}} {
		panetest.Golden(t, fmt.Sprintf("TestTrips_%d", size.w), panetest.Text(t, p, c, size.w, size.h))
	}
	panetest.Do(t, p, c, keys.FoldTrips)
	panetest.Sizes(t, p, c)
}

// shown are the rows listed, and the one under the cursor, with the row that is selected in its
// line where that is another one.
func shown(p *Pane, c *pane.Context) string {
	var parts []string
	name := func(row uint32) string {
		r := c.Snap.Row(row)
		word := strings.TrimPrefix(c.Snap.Name(r.Method), "notifications/")
		switch {
		case r.Kind == session.RowTrip:
			word = tripName(c.Snap, row)
		case isAnswer(r):
			word += "'"
		}
		return word
	}
	for at, row := range p.list() {
		word := name(row)
		if at == p.at {
			if word = ">" + word; row != p.row {
				word += "/" + name(p.row)
			}
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, " ")
}

// TestFold holds that a round trip is one line, in which its message is selected, that it is
// unfolded and folded again, and that whatever is gone to is unfolded unless its line says it.
func TestFold(t *testing.T) {
	const all = "t1 initialize initialize' t2 initialized t3 t4 tools/call tools/list_changed tools/call' prompts/list_changed server t5 ping t6 t7 t8 tools/call"
	const folded = "t1 t2 t3 t4 tools/list_changed prompts/list_changed server t5 t6 t7 t8"
	p, c := onHTTP(t)
	at := func(list, row, shown string) string {
		t.Helper()
		if strings.Count(list+" ", row+" ") != 1 {
			t.Fatalf("%s is not once in %s", row, list)
		}
		return strings.TrimSuffix(strings.Replace(list+" ", row+" ", shown+" ", 1), " ")
	}
	step := func(want string, do func()) {
		t.Helper()
		do()
		if got := shown(p, c); got != want {
			t.Errorf("shown are\n%s, want\n%s", got, want)
		}
		panetest.Text(t, p, c, 80, 30)
	}
	do := func(actions ...keys.Action) func() { return func() { panetest.Do(t, p, c, actions...) } }
	filtered := func(text string) func() {
		return func() {
			f, err := filter.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			panetest.Tell(t, p, c, pane.FilteredMsg{Filter: f})
		}
	}
	step(at(folded, "t8", ">t8/tools/call"), func() {})
	step(at(folded, "t8", ">t8 tools/call"), do(keys.FoldTrip))
	step(at(folded, "t8", ">t8/tools/call"), do(keys.FoldTrip))
	step(at(folded, "t7", ">t7"), do(keys.Up))
	step(at(folded, "t5", ">t5/ping"), do(keys.Up, keys.Up))
	step(at(folded, "t5", ">t5 ping"), do(keys.FoldTrip))
	step(at(folded, "t5", ">t5/ping"), do(keys.FoldTrip))
	step(at(folded, "t1", ">t1/initialize'"), func() { panetest.Run(t, p, c, p.Goto(c, 2)) })
	step(at(folded, "t1", ">t1/initialize"), do(keys.Pair))
	step(at(folded, "t1", ">t1"), func() { panetest.Run(t, p, c, p.Goto(c, 0)) }) // A rule may have found something in the head.
	c.Search.Text = "prompts/list_changed"
	step(at(folded, "t1", ">t1"), func() { panetest.Tell(t, p, c, pane.RestyledMsg{}) })
	step(at(folded, "prompts/list_changed", ">prompts/list_changed"), do(keys.SearchNext))
	step("t3 tools/list_changed >prompts/list_changed server", filtered("is:sse"))
	step("t3 >t4 tools/list_changed prompts/list_changed server t7", func() {
		filtered("trip:3 | trip:4 | status:405")()
		panetest.Run(t, p, c, p.Goto(c, 13)) // The head of the response, which is in the request's line.
	})
	step("tools/call >tools/call", func() {
		filtered("m:tools/call")()
		panetest.Run(t, p, c, p.Goto(c, uint32(c.Snap.Len())-1))
	})
	step(">tools/call/tools/call' tools/call", do(keys.Up, keys.Pair))
	step(">tools/call tools/call' tools/call", do(keys.FoldTrip))
	step(at(all, "t4 tools/call", "t4 >tools/call"), func() {
		panetest.Tell(t, p, c, pane.FilteredMsg{})
		do(keys.FoldTrips)()
	})
	step(at(folded, "t4", ">t4/tools/call"), do(keys.FoldTrips))
}

// TestFollowHTTP holds that following selects the latest message, whatever else of its round
// trip comes behind it.
func TestFollowHTTP(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	c, p := s.Context(), New()
	p.View(c, 80, 30, true)
	step := func(want string) {
		t.Helper()
		s.Update(c)
		panetest.Tell(t, p, c, pane.MovedMsg{})
		if got := shown(p, c); got != want {
			t.Errorf("shown are %s, want %s", got, want)
		}
	}
	s.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	step(">t1/ping")
	s.Opens(2, 1)
	s.Event(3, 1, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
	step("t1 >message")
	s.Event(4, 1, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.HTTP(5, 1, session.HTTPEvent{Event: "end", Why: "eof"})
	step(">t1/ping message") // The line has the answer, which came last.
	s.Request(6, 2, "POST", `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.Opens(7, 2)
	s.Event(8, 2, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.HTTP(9, 2, session.HTTPEvent{Event: "end", Why: "eof"})
	step("t1 message >t2/ping")
	s.Request(10, 3, "GET", "")
	step("t1 message >t2/ping t3")
}

// TestTripPair holds that o goes from a request to the end of its stream and back, and
// nowhere where the response is in its line.
func TestTripPair(t *testing.T) {
	p, c := onHTTP(t)
	for _, row := range []uint32{0, 7} {
		panetest.Run(t, p, c, p.Goto(c, row))
		if stream := c.Snap.Trip(row).Stream; (p.Disabled(c, keys.Pair) == "") != stream {
			t.Errorf("row %d, a stream: %t: %q", row, stream, p.Disabled(c, keys.Pair))
		}
	}
	for _, want := range []session.RowKind{session.RowTripEnd, session.RowTrip} {
		panetest.Do(t, p, c, keys.Pair)
		if got := c.Snap.Row(p.Cursor()).Kind; got != want {
			t.Errorf("o goes to %s, want %s", got, want)
		}
	}
}

// TestFoldInCommands holds that many rows are folded in a command, and rows that come
// later at once.
func TestFoldInCommands(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	const trips = stretch
	for i := range trips {
		s.Request(float64(i), i+1, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		s.Answer(float64(i)+0.5, i+1, 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	c, p := s.Context(), New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	panetest.Do(t, p, c, keys.FoldTrips)
	if n := len(p.list()); n != 3*trips {
		t.Fatalf("%d rows are listed", n)
	}
	cmd, _ := p.Do(c, keys.FoldTrips)
	if p.folds.cancel == nil {
		t.Error("the rows are folded at once")
	}
	panetest.Run(t, p, c, cmd)
	if n := len(p.list()); n != trips || p.at != trips-1 {
		t.Errorf("%d rows are listed, the cursor is at %d", n, p.at)
	}
	cmd, _ = p.Do(c, keys.FoldTrips)
	panetest.Run(t, p, c, cmd)
	panetest.Do(t, p, c, keys.FoldTrips, keys.Up)
	s.Request(trips, trips+1, "DELETE", "")
	s.Answer(trips, trips+1, 204, "")
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if n := len(p.list()); n != trips+1 || p.at != trips-2 {
		t.Errorf("%d rows are listed then, the cursor is at %d", n, p.at)
	}
}

// TestTripFilters holds that the line of a request is shown for what its response says,
// also where that comes after the request was judged, and that it is found there.
func TestTripFilters(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	s.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, session.HTTPField{Name: "Accept", Value: "x/sent"})
	c, p := s.Context(), New()
	judged := func(text, want string) {
		t.Helper()
		f, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		panetest.Tell(t, p, c, pane.FilteredMsg{Filter: f})
		if got := strings.ReplaceAll(shown(p, c), ">", ""); got != want {
			t.Errorf("%s shows %q, want %q", text, got, want)
		}
	}
	judged("header:x/sent", "t1/ping")
	judged("header:x/got", "")
	c.Search.Text = "x/got"
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	s.Answer(2, 1, 404, "", session.HTTPField{Name: "Content-Type", Value: "x/got"})
	s.Update(c)
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if got := shown(p, c); got != ">t1/ping" || len(p.search.hits) != 1 {
		t.Errorf("shown are %q with %d hits", got, len(p.search.hits))
	}
	judged("status:404", "t1/ping")
	judged("is:error", "t1/ping")
	judged("status:200", "")
	if cells.Width(tripName(c.Snap, 0)) != 2 {
		t.Error("the name of a round trip is not short")
	}
}
