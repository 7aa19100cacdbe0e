package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
	"wiretea/session/filter"
)

// tripRecords are the records of two round trips of two clients that use the same id.
func tripRecords() []session.Record {
	stream := []session.HTTPField{{Name: "Content-Type", Value: "text/event-stream"}}
	event := func(trip, conn int, ev session.HTTPEvent) session.Record {
		return session.Record{Kind: session.RecHTTP, Trip: trip, Conn: conn, HTTP: &ev}
	}
	body := func(kind session.RecordKind, trip, conn int, s session.Stream, text string) session.Record {
		return session.Record{Kind: kind, Trip: trip, Conn: conn, Stream: s, Body: []byte(text)}
	}
	list := []session.Record{
		event(1, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}),
		body(session.RecFrame, 1, 1, session.C2S, "{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\"}}\n"),
		event(2, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}),
		body(session.RecFrame, 2, 1, session.C2S, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fast"}}`),
		event(1, 1, session.HTTPEvent{Event: "res", Status: 200, Fields: stream}),
		event(1, 1, session.HTTPEvent{Event: "sse", Text: []byte(": hello\n\n")}),
		event(2, 1, session.HTTPEvent{Event: "res", Status: 200}),
		body(session.RecFrame, 2, 1, session.S2C, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`),
		event(2, 1, session.HTTPEvent{Event: "end", Why: "eof"}),
		body(session.RecRaw, 1, 1, session.S2C, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"res"),
		body(session.RecRaw, 1, 1, session.S2C, "ult\":{}}\n\n"),
		event(1, 1, session.HTTPEvent{Event: "end", Why: "server"}),
		event(3, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}),
		body(session.RecFrame, 3, 1, session.C2S, `{"jsonrpc":"2.0","id":2,"method":"ping"}`),
		event(3, 1, session.HTTPEvent{Event: "res", Status: 401}),
		event(3, 1, session.HTTPEvent{Event: "end", Why: "eof"}),
	}
	for i := range list {
		list[i].N, list[i].T, list[i].T1 = uint64(i+1), int64(i+1)*1000, int64(i+1)*1000
	}
	return list
}

func TestTrips(t *testing.T) {
	var lost []string
	a := session.NewAnalyzer(session.Config{Checkers: []session.Checker{checker(func(ev *session.Event) {
		if ev.Kind == session.ExchangeGone {
			lost = append(lost, fmt.Sprint(ev.Exchange.Method, " ", ev.Trip.Number, " ", ev.Trip.Response.Status))
		}
	})}})
	for i, r := range tripRecords() {
		a.Add(&r)
		if v := a.Snapshot().Trip(0); i == 5 && (v.Status != 200 || !v.Stream || v.Over) {
			t.Errorf("the stream while it is open is %+v", v)
		}
	}
	snap := a.Snapshot()
	want := strings.TrimSpace(`
0 http POST /mcp trip 0 pair 4
1 request tools/call slow trip 0 pair 7
2 http POST /mcp trip 2 pair 6
3 request tools/call fast trip 2 pair 5
4 http response 200 /mcp trip 0 pair 8
5 result tools/call fast trip 2 pair 3
6 http response 200 /mcp trip 2 pair 2
7 result tools/call slow trip 0 pair 1
8 http end server /mcp trip 0 pair 0
9 http POST /mcp trip 9 pair 11
10 request ping  trip 9 pair none
11 http response 401 /mcp trip 9 pair 9`)
	var got []string
	describe := func(s *session.Snapshot) string {
		got = nil
		for i := range uint32(s.Len()) {
			r := s.Row(i)
			pair := "none"
			if r.Pair != session.NoRow {
				pair = fmt.Sprint(r.Pair)
			}
			got = append(got, fmt.Sprintf("%d %s %s %s trip %d pair %s", i, r.Kind, s.Name(r.Method), s.Name(r.Target), s.TripRow(i), pair))
		}
		return strings.Join(got, "\n")
	}
	if diff := cmp.Diff(want, describe(snap)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ping 3 401"}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if v := snap.Trip(0); v.Status != 200 || !v.Stream || !v.Over || v.Took() != 11000 {
		t.Errorf("the stream is %+v", v)
	}
	if v := snap.Trip(2); v.Status != 200 || v.Stream || v.Took() != 6000 {
		t.Errorf("the response is %+v", v)
	}
	if c := snap.Conn(1); c.Trips != 3 || c.OpenTrips != 0 || c.OpenStreams != 0 {
		t.Errorf("the connection is %+v", c)
	}
	if got := snap.Refusals(); got != 1 || !snap.Refused(10) || snap.Refused(1) {
		t.Errorf("%d requests were refused, and are %v, %v", got, snap.Refused(10), snap.Refused(1))
	}
}

// checker is a Checker that is told of events and reports nothing.
type checker func(*session.Event)

func (c checker) Check(ev *session.Event, _ session.Reporter) { c(ev) }

func TestTripFilters(t *testing.T) {
	a := session.NewAnalyzer(session.Config{})
	for _, r := range tripRecords() {
		a.Add(&r)
	}
	snap := a.Snapshot()
	for text, want := range map[string]string{
		"trip:2": "[2 3 5 6]", "status:4xx": "[9 10 11]", "status:401": "[9 10 11]", "is:sse": "[0 1 4 7 8]", "path:/mcp is:request": "[1 3 10]",
		"is:error": "[11]", "is:lost": "[4 10]", "is:http trip:3": "[9 10 11]", "status:none": "[]", "trip:2-": "[2 3 5 6 9 10 11]",
	} {
		f, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rows := []int{}
		for i := range uint32(snap.Len()) {
			if f.Meta(snap, i) == filter.Yes {
				rows = append(rows, int(i))
			}
		}
		if got := fmt.Sprint(rows); got != want {
			t.Errorf("%s selects %s, want %s", text, got, want)
		}
		again, err := filter.Parse(f.String())
		if err != nil || again.String() != f.String() {
			t.Errorf("%s is written as %s: %v", text, f, err)
		}
	}
	head := session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp", Proto: "HTTP/1.1", Fields: []session.HTTPField{
		{Name: "Accept", Value: "text/event-stream"}, {Name: "Authorization", Value: "Bearer", Secret: &session.Secret{Len: 812, Hash: "9c41d2e0", Iss: "https://as"}},
	}}
	want := "POST /mcp HTTP/1.1\nAccept: text/event-stream\nAuthorization: Bearer <812 bytes, #9c41d2e0, iss https://as>"
	if got := head.Head(); got != want {
		t.Errorf("the head is %q, want %q", got, want)
	}
	f, err := filter.Parse(`header:"accept: text"`)
	if err != nil || f.Meta(snap, 0) != filter.Body || !f.Match(snap, 0, []byte(want)) || f.Match(snap, 0, []byte("POST /accept: text")) ||
		f.Match(snap, 0, []byte("POST /mcp HTTP/1.1\nAccept: application/json\n\nX-Accept: no text")) {
		t.Errorf("header: is wrong: %v", err)
	}
}

// TestTripAccepted holds that a response which comes on the stream of another round trip
// is the response, in HTTP+SSE of 2024-11-05, although the round trip of its request has
// ended.
func TestTripAccepted(t *testing.T) {
	event := func(trip int, ev session.HTTPEvent) session.Record {
		return session.Record{Kind: session.RecHTTP, Trip: trip, Conn: 1, HTTP: &ev}
	}
	var matches []string
	a := session.NewAnalyzer(session.Config{Checkers: []session.Checker{checker(func(ev *session.Event) {
		if ev.Kind == session.MessageSeen || ev.Kind == session.ExchangeGone {
			matches = append(matches, ev.Match.String())
		}
	})}})
	for i, r := range []session.Record{
		event(1, session.HTTPEvent{Event: "req", Method: "GET", Target: "/sse"}),
		event(1, session.HTTPEvent{Event: "res", Status: 200, Fields: []session.HTTPField{{Name: "Content-Type", Value: "text/event-stream"}}}),
		event(2, session.HTTPEvent{Event: "req", Method: "POST", Target: "/messages"}),
		{Kind: session.RecFrame, Trip: 2, Conn: 1, Stream: session.C2S, Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)},
		event(2, session.HTTPEvent{Event: "res", Status: 200}),
		event(2, session.HTTPEvent{Event: "end", Why: "eof"}),
		{Kind: session.RecFrame, Trip: 1, Conn: 1, Stream: session.S2C, Post: []byte("\n\n"), Body: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)},
	} {
		r.N, r.T, r.T1 = uint64(i+1), int64(i+1), int64(i+1)
		a.Add(&r)
	}
	if got := strings.Join(matches, " "); got != "new answer" {
		t.Errorf("the messages are %s", got)
	}
}

// TestRefusedWithoutID holds that an error without an id, or with an id that was never used,
// answers the request of its round trip if HTTP refused that, and only then.
func TestRefusedWithoutID(t *testing.T) {
	for _, tt := range []struct {
		status int
		id     string
		state  session.RowKind
	}{{400, "null", session.RowError}, {200, "null", session.RowText}, {400, `"server-error"`, session.RowError}, {200, `"server-error"`, session.RowText}} {
		a := session.NewAnalyzer(session.Config{})
		for i, r := range []session.Record{
			{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}},
			{Kind: session.RecFrame, Stream: session.C2S, Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)},
			{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "res", Status: tt.status}},
			{Kind: session.RecFrame, Stream: session.S2C, Body: []byte(`{"jsonrpc":"2.0","id":` + tt.id + `,"error":{"code":-32000,"message":"no"}}`)},
			{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "end", Why: "eof"}},
		} {
			r.N, r.T, r.T1, r.Trip, r.Conn = uint64(i+1), int64(i+1), int64(i+1), 1, 1
			a.Add(&r)
		}
		snap := a.Snapshot()
		got := session.RowText
		if pair := snap.Row(1).Pair; pair != session.NoRow {
			got = snap.Row(pair).Kind
		}
		if got != tt.state || snap.Refusals() != 0 {
			t.Errorf("%d with the id %s: the request is paired with %v, and %d are refused", tt.status, tt.id, got, snap.Refusals())
		}
	}
}

// TestRefusedProbe holds that the refusal of server/discover by a legacy server, and of a
// stream that a server does not offer, does not count as a failure, and that of another
// request, or for another reason, does.
func TestRefusedProbe(t *testing.T) {
	known := `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no session"}}`
	for _, tt := range []struct {
		method, body string // method without a slash is one of HTTP.
		status       int
		failed       bool
	}{
		{"GET", "", 405, false},
		{"DELETE", "", 405, false},
		{"GET", "", 404, true},
		{"server/discover", known, 400, false},
		{"server/discover", strings.Replace(known, `"id":1`, `"id":null`, 1), 400, false},
		{"server/discover", strings.Replace(known, `"id":1`, `"id":"server-error"`, 1), 400, false},
		{"server/discover", "Not Found", 404, false},
		{"server/discover", "", 405, false},
		{"server/discover", known, 401, true},
		{"server/discover", "", 500, true},
		{"tools/list", known, 400, true},
		{"tools/list", "Not Found", 404, true},
	} {
		a := session.NewAnalyzer(session.Config{})
		n := 0
		add := func(r session.Record) {
			n++
			r.N, r.T, r.T1, r.Trip, r.Conn = uint64(n), int64(n), int64(n), 1, 1
			a.Add(&r)
		}
		if !strings.Contains(tt.method, "/") {
			add(session.Record{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "req", Method: tt.method, Target: "/mcp"}})
		} else {
			add(session.Record{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}})
			add(session.Record{Kind: session.RecFrame, Stream: session.C2S, Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q}`, tt.method)})
		}
		add(session.Record{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "res", Status: tt.status}})
		if tt.body != "" {
			add(session.Record{Kind: session.RecFrame, Stream: session.S2C, Body: []byte(tt.body)})
		}
		add(session.Record{Kind: session.RecHTTP, HTTP: &session.HTTPEvent{Event: "end", Why: "eof"}})
		snap := a.Snapshot()
		head := snap.Row(0).Pair
		if row := snap.Row(head); row.Kind != session.RowTripResponse || row.Failed() != tt.failed {
			t.Errorf("%s answered with %d %s: the row %v has failed: %v", tt.method, tt.status, tt.body, row.Kind, row.Failed())
		}
	}
}
