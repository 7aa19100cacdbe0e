package recorder

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
)

// ringTrips are two sessions over HTTP, the second with its handshake in a stream, and a call
// in the first that is open until the end. Before it a probe is refused, and a session ends.
func ringTrips(calls int) *script {
	s, at, trip := &script{}, int64(0), 0
	put := func(o session.Observation) {
		at += 1e6
		o.T = at
		s.steps = append(s.steps, step{at: at, batch: []session.Observation{o}})
	}
	event := func(n int, ev session.HTTPEvent) { put(session.Observation{Kind: session.ObsHTTP, Trip: n, HTTP: &ev}) }
	body := func(n int, stream session.Stream, text string) {
		put(session.Observation{Trip: n, Stream: stream, Data: []byte(text)})
	}
	ask := func(conn int, text string) int {
		trip++
		event(trip, session.HTTPEvent{Event: "req", Conn: conn, Method: "POST", Target: "/mcp", Proto: "HTTP/1.1"})
		body(trip, session.C2S, text)
		event(trip, session.HTTPEvent{Event: "sent"})
		return trip
	}
	answer := func(n int, media, text string, fields ...session.HTTPField) {
		status := 200
		if text == "" {
			status = 202
		}
		event(n, session.HTTPEvent{Event: "res", Status: status, Fields: append(fields, session.HTTPField{Name: "Content-Type", Value: media})})
		if text != "" {
			body(n, session.S2C, text)
		}
		event(n, session.HTTPEvent{Event: "end", Why: "eof"})
	}
	for i, media := range []string{"application/json", "text/event-stream"} {
		conn := i + 1
		hello := `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
		if conn == 2 {
			hello = "id: 1\ndata:\n\ndata: " + hello + "\n\n"
		}
		answer(ask(conn, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`),
			media, hello, session.HTTPField{Name: "Mcp-Session-Id", Secret: &session.Secret{Len: 36, Hash: fmt.Sprintf("%dabcdef0", conn)}})
		answer(ask(conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`), "", "")
	}
	answer(ask(3, `{"jsonrpc":"2.0","id":0,"method":"server/discover"}`), "application/json", `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}`)
	answer(ask(4, `{"jsonrpc":"2.0","id":0,"method":"initialize"}`), "application/json", `{"jsonrpc":"2.0","id":0,"result":{}}`)
	trip++
	event(trip, session.HTTPEvent{Event: "req", Conn: 4, Method: "DELETE", Target: "/mcp", Proto: "HTTP/1.1"})
	answer(trip, "", "")
	slow := ask(1, `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow"}}`)
	for i := range calls {
		answer(ask(i%2+1, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`, i+1)),
			"application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, i+1, strings.Repeat("x", 2000)))
	}
	answer(slow, "application/json", `{"jsonrpc":"2.0","id":"slow","result":{"content":[]}}`)
	return s
}

// TestRingHTTP holds that each file of a ring has the handshakes of the sessions over HTTP,
// and the requests that wait.
func TestRingHTTP(t *testing.T) {
	_, files := recordRing(t, ringTrips(200), Ring{Size: 64 << 10, Files: 1000}, true)
	if len(files) < 4 {
		t.Fatalf("only %d files", len(files))
	}
	for i, path := range files {
		s := snapshotOfFile(t, path)
		if want := map[bool]int{true: 4, false: 2}[i == 0]; len(s.Conns()) != want {
			t.Fatalf("file %d has %d connections, want %d", i+1, len(s.Conns()), want)
		}
		for _, c := range s.Conns()[:2] {
			if c.VersionText != "2025-06-18" || !c.Initialized || c.Session != fmt.Sprintf("%dabcdef0", c.ID) || c.Gaps[session.C2S] != (i > 0) {
				t.Errorf("file %d: %+v", i+1, c)
			}
		}
		slow := 0
		for row := range uint32(s.Len()) {
			r := s.Row(row)
			if r.Kind == session.RowResult && r.Pair == session.NoRow {
				t.Errorf("file %d: row %d, %s, has no request", i+1, row, s.ID(r))
			}
			if r.Kind == session.RowRequest && s.Name(r.Target) == "slow" {
				slow++
				if _, answered := s.Latency(row); answered != (i == len(files)-1) {
					t.Errorf("file %d: the slow call is answered: %t", i+1, answered)
				}
			}
		}
		if slow != 1 {
			t.Errorf("file %d has the slow call %d times", i+1, slow)
		}
	}
}
