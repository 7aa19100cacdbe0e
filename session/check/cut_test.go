package check

import (
	"slices"
	"testing"

	"wiretea/session"
)

// TestAfterCut holds that after a fault that acts on the connection itself only what is wrong
// with a message by itself is found, and after one in the handshake nothing.
func TestAfterCut(t *testing.T) {
	const text = `1ms proc start
10ms c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
30ms s2c {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
31ms c2s {"jsonrpc":"2.0","method":"notifications/initialized"}
50ms c2s {"jsonrpc":"2.0","id":1,"method":"tools/list"}
51ms s2c {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}
60ms c2s {"jsonrpc":"2.0","id":1,"method":"ping"}
61ms s2c {"jsonrpc":"2.0","id":1,"result":{}}
62ms s2c {"jsonrpc":"2.0","id":77,"result":{}}
190ms io eof c2s client
195ms io eof s2c server
196ms io eof err server
197ms proc exit 7
198ms end`
	for name, step := range map[string]struct {
		at   int64 // at is when the fault acts, in ms; 0 = it does not.
		want []string
	}{
		"never":         {0, []string{"duplicate-request-id", "fails-at-shutdown", "invalid-input-schema", "orphan-response"}},
		"before":        {5, nil},
		"in the middle": {20, nil},
		"later":         {40, []string{"invalid-input-schema"}},
		"at the end":    {180, []string{"duplicate-request-id", "invalid-input-schema", "orphan-response"}},
	} {
		t.Run(name, func(t *testing.T) {
			recs := parseConversation(t, text).framed()
			if step.at > 0 {
				i := slices.IndexFunc(recs, func(r session.Record) bool { return r.T > step.at*1e6 })
				cut := session.Record{Kind: session.RecPath, Conn: 1, T: step.at * 1e6, Path: session.PathEvent{Event: session.PathCut, What: "fault", Text: "reset"}}
				recs = slices.Insert(recs, i, cut)
			}
			var got []string
			for _, f := range analyze(recs).Findings() {
				got = append(got, f.Rule)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, step.want) {
				t.Errorf("found %v, want %v", got, step.want)
			}
		})
	}
}

// TestHeldTwice holds that nobody is blamed for the time of an exchange whose request was held,
// also where its response is held too.
func TestHeldTwice(t *testing.T) {
	const text = `1ms proc start
10ms c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
30ms s2c {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
31ms c2s {"jsonrpc":"2.0","method":"notifications/initialized"}
50ms c2s {"jsonrpc":"2.0","id":1,"method":"tools/list"}
9050ms s2c {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}
9100ms end`
	for name, want := range map[string]int{"": 1, "request": 0, "request and response": 0} {
		recs := parseConversation(t, text).framed()
		for i := range recs {
			request, response := recs[i].T == 50e6, recs[i].T == 9050e6
			if name != "" && request || name == "request and response" && response {
				recs[i].Way, recs[i].By = session.WayIn, "hold: m:tools/list"
			}
		}
		slow := 0
		for _, f := range analyze(recs).Findings() {
			if f.Rule == "slow-response" {
				slow++
			}
		}
		if slow != want {
			t.Errorf("held %q: %d findings of slow-response, want %d", name, slow, want)
		}
	}
}
