package check

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"wiretea/session"
)

// TestRestart has a server started twice: ids, timers and the way it ends are
// those of each life alone.
func TestRestart(t *testing.T) {
	const life = `
1ms proc start
10ms c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
30ms s2c {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
31ms c2s {"jsonrpc":"2.0","method":"notifications/initialized"}
50ms c2s {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}
60ms s2c {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
`
	const crash = life + `
70ms c2s {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}
80ms io eof s2c server
81ms io eof err server
82ms proc exit 1
83ms io closed c2s server
`
	const goodbye = life + `
70ms c2s {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}
80ms s2c {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
90ms io eof c2s client
91ms io eof s2c server
92ms io eof err server
93ms proc exit 0
`
	var recs []session.Record
	for i, text := range []string{crash, goodbye, crash} {
		part := parseConversation(t, text).raw()
		if i > 0 {
			part = part[1:] // One header is enough.
		}
		for _, r := range part {
			r.Conn = i + 1
			r.T += int64(i) * int64(time.Minute)
			r.T1 = r.T
			recs = append(recs, r)
		}
	}
	var got []string
	for _, f := range analyze(number(recs)).Findings() {
		got = append(got, fmt.Sprintf("%s of %d: %s", f.Rule, f.Conn, f.Message))
	}
	want := []string{
		"server-exited of 1: server exited with code 1, 10 ms after tools/call #7",
		"server-exited of 3: server exited with code 1, 10 ms after tools/call #30",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestTimersStayFew holds the checkers to what they promise: requests that are
// answered in time cost no timer, and those that are not cost one.
func TestTimersStayFew(t *testing.T) {
	const n = 2000
	a := session.NewAnalyzer(session.Config{Checkers: New()})
	add := func(at time.Duration, s session.Stream, body string) {
		a.Add(&session.Record{Kind: session.RecFrame, Conn: 1, Stream: s, T: int64(at), T1: int64(at), Body: []byte(body), Term: []byte("\n")})
	}
	for i := range n {
		at := time.Duration(i) * time.Millisecond
		add(at, session.C2S, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		add(at+1, session.S2C, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	}
	if due, ok := a.Next(); ok {
		t.Errorf("something comes due at %v though nothing waits", time.Duration(due))
	}
	add(n*time.Millisecond, session.C2S, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	last := time.Duration(0)
	for range 10 {
		due, ok := a.Next()
		if !ok {
			break
		}
		last = time.Duration(due)
		a.Advance(due)
	}
	if _, ok := a.Next(); ok || last < time.Minute {
		t.Errorf("after %v there is still something to come", last)
	}
}
