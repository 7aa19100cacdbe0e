package recorder

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wiretea/session"
)

// httpObservations are what a tap saw of two round trips at once.
func httpObservations() []session.Observation {
	event := func(trip int, t int64, ev session.HTTPEvent) session.Observation {
		return session.Observation{Kind: session.ObsHTTP, Trip: trip, T: t, HTTP: &ev}
	}
	body := func(trip int, t int64, s session.Stream, data string) session.Observation {
		return session.Observation{Trip: trip, Stream: s, T: t, Data: []byte(data)}
	}
	stream := []session.HTTPField{{Name: "Content-Type", Value: "text/event-stream; charset=utf-8"}}
	return []session.Observation{
		event(1, 1, session.HTTPEvent{Event: "req", Conn: 1, Method: "POST", Target: "/mcp", Proto: "HTTP/1.1"}),
		event(2, 2, session.HTTPEvent{Event: "req", Conn: 2, Method: "POST", Target: "/mcp", Proto: "HTTP/1.1"}),
		body(1, 3, session.C2S, "{\n \"jsonrpc\":\"2.0\","), body(2, 4, session.C2S, `{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		body(1, 5, session.C2S, "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}\n"),
		event(1, 6, session.HTTPEvent{Event: "sent"}), event(2, 6, session.HTTPEvent{Event: "sent"}),
		event(1, 7, session.HTTPEvent{Event: "res", Status: 200, Fields: stream}),
		body(1, 8, session.S2C, ": hello\n\nid: 1\ndata:\n\nevent: mess"), body(1, 9, session.S2C, "age\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/message\"}\n\n"),
		event(2, 10, session.HTTPEvent{Event: "res", Status: 200, Fields: []session.HTTPField{{Name: "Content-Type", Value: "application/json"}}}),
		body(2, 11, session.S2C, `{"jsonrpc":"2.0","id":1,"result":{}}`),
		body(1, 12, session.S2C, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nid: 2\n\n"), body(1, 13, session.S2C, "\xff: x\ndata: 1\n\ndata: cut"),
		event(2, 14, session.HTTPEvent{Event: "end", Why: "eof", Sent: 40, Received: 36}),
		event(1, 15, session.HTTPEvent{Event: "end", Why: "server"}),
	}
}

// bodies puts the bodies of round trips together again.
func bodies(list []stored) map[string]string {
	out := map[string]string{}
	for _, rec := range list {
		at := rec.Stream
		if rec.Kind == session.RecHTTP {
			at = session.S2C
		}
		out[fmt.Sprint(rec.Trip, " ", at)] += string(AppendWire(nil, &rec))
	}
	return out
}

func TestHTTP(t *testing.T) {
	file := recordAll(t, &script{steps: []step{{batch: httpObservations()}}}, NewMemory(0))
	checkLines(t, file)
	got := strings.Split(string(file), "\n")[1:]
	want := []string{
		`{"k":"http","n":1,"t":1,"trip":1,"ev":"req","method":"POST","url":"/mcp","proto":"HTTP/1.1"}`,
		`{"k":"http","n":2,"c":2,"t":2,"trip":2,"ev":"req","method":"POST","url":"/mcp","proto":"HTTP/1.1"}`,
		`{"k":"f","n":3,"t":5,"trip":1,"t1":3,"d":"c2s","y":"q","id":"1","m":"tools/call","o":"echo","len":74,"e":"","s":"{\n \"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}\n"}`,
		`{"k":"f","n":4,"c":2,"t":4,"trip":2,"d":"c2s","y":"q","id":"1","m":"ping","len":40,"e":"","b":{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
		`{"k":"http","n":5,"t":7,"trip":1,"ev":"res","status":200,"fields":[{"n":"Content-Type","v":"text/event-stream; charset=utf-8"}]}`,
		`{"k":"http","n":6,"t":8,"trip":1,"ev":"sse","len":9,"s":": hello\n\n"}`,
		`{"k":"http","n":7,"t":8,"trip":1,"ev":"sse","len":13,"s":"id: 1\ndata:\n\n"}`,
		`{"k":"f","n":8,"t":9,"trip":1,"t1":8,"d":"s2c","y":"n","m":"notifications/message","pre":"event: message\ndata: ","mid":[[18,"data: "]],"post":"\n\n","len":51,"e":"","s":"{\"jsonrpc\":\"2.0\",\n\"method\":\"notifications/message\"}"}`,
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("record %d:\ngot  %s\nwant %s", i+1, got[i], w)
		}
	}
}

// TestHTTPExact holds that bodies can be put together again, however the chunks and the
// times fall.
func TestHTTPExact(t *testing.T) {
	want := map[string]string{}
	for _, o := range httpObservations() {
		if o.Kind == session.ObsBytes {
			want[fmt.Sprint(o.Trip, " ", o.Stream)] += string(o.Data)
		}
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var steps []step
		now := int64(0)
		for _, o := range httpObservations() {
			for o.Kind == session.ObsBytes && len(o.Data) > 1 && rng.IntN(3) > 0 {
				n := 1 + rng.IntN(len(o.Data)-1)
				part := o
				part.T, part.Data, o.Data = now, o.Data[:n], o.Data[n:]
				now += rng.Int64N(300 * ms)
				steps = append(steps, step{at: now, batch: []session.Observation{part}})
			}
			o.T = now
			steps = append(steps, step{at: now, batch: []session.Observation{o}, backlog: int64(rng.IntN(2)) * (65 << 20)})
		}
		file := recordAll(t, &script{steps: steps}, NewMemory(0))
		checkLines(t, file)
		got := bodies(mustRead(t, file))
		for at, w := range want {
			if got[at] != w {
				t.Fatalf("seed %d, body %s: got %q, want %q\n%s", seed, at, got[at], w, bytes.TrimSpace(file))
			}
		}
	}
}
