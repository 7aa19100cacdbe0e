package recorder

import (
	"bytes"
	"strings"
	"testing"

	"wiretea/session"
)

// TestEventInRawRecords holds that the body of an event is its data, without the syntax
// between its lines, also where it came in raw records among those of another round trip.
func TestEventInRawRecords(t *testing.T) {
	answers := []string{
		"{\"jsonrpc\":\"2.0\",\"id\":1,\n \"result\":{\n  \"text\":\"one\"}}",
		"{\"jsonrpc\":\"2.0\",\n\"id\":2,\"result\":{\"text\":\"two\"}}",
	}
	head := []session.HTTPField{{Name: "Content-Type", Value: "text/event-stream"}}
	for size := 1; size < 40; size++ {
		h := header()
		h.Trans = "http"
		file := appendHeader(nil, &h)
		n := uint64(0)
		put := func(trip int, add func(n uint64, at origin) []byte) {
			n++
			file = add(n, origin{conn: 1, trip: trip})
		}
		event := func(trip int, ev session.HTTPEvent) {
			put(trip, func(n uint64, at origin) []byte { return appendHTTP(file, n, at, int64(n), &ev) })
		}
		var streams [2]string
		for i, answer := range answers {
			event(i+1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"})
			event(i+1, session.HTTPEvent{Event: "res", Status: 200, Fields: head})
			lines := strings.Split(answer, "\n")
			streams[i] = ": hello\n\nid: 7\ndata: " + strings.Join(lines, "\r\nevent: message\ndata: ") + "\nretry: 5\n\ndata: {\"next\":1}\n\n"
		}
		for at := 0; at < max(len(streams[0]), len(streams[1])); at += size {
			for i, s := range streams {
				if part := s[min(at, len(s)):min(at+size, len(s))]; part != "" {
					put(i+1, func(n uint64, at origin) []byte {
						return appendRaw(file, n, at, int64(n), int64(n), session.S2C, session.Crossed, nil, []byte(part))
					})
				}
			}
		}
		event(1, session.HTTPEvent{Event: "end", Why: "eof"})
		event(2, session.HTTPEvent{Event: "end", Why: "eof"})
		log := bytesLog(file)
		s, found := snapshotOf(t, log), 0
		bodies := NewBodies(log)
		for i := range uint32(s.Len()) {
			row := s.Row(i)
			if row.Kind.Event() || row.Stream != session.S2C || row.Flags&session.FlagEvent == 0 {
				continue
			}
			found++
			want := answers[0]
			if int(row.Len) != len(want) {
				want = answers[1]
			}
			whole, err := ReadFrame(log, row, 0, 1000)
			if string(whole) != want || err != nil {
				t.Errorf("size %d: the body is %q, %v, want %q", size, whole, err, want)
			}
			middle, err := ReadFrame(log, row, 5, 20)
			if string(middle) != want[5:25] || err != nil {
				t.Errorf("size %d: a part is %q, %v, want %q", size, middle, err, want[5:25])
			}
			if b, err := bodies.Read(row, 1000); string(b) != want || err != nil {
				t.Errorf("size %d: Bodies has %q, %v", size, b, err)
			}
			var out bytes.Buffer
			if _, err := NewBodyReader(log, s, i, 1000).WriteTo(&out); out.String() != want || err != nil {
				t.Errorf("size %d: WriteTo writes %q, %v", size, &out, err)
			}
		}
		if found != 2 {
			t.Errorf("size %d: %d events of several lines, want 2", size, found)
		}
	}
}
