package panetest

import (
	"testing"

	"wiretea/session"
)

// OverHTTP makes it a session with a server at a URL.
func (s *Session) OverHTTP(url string) {
	s.header.Trans, s.header.URL, s.header.Cmd, s.header.Cwd = "http", url, nil, ""
}

// HTTP lets something happen to a round trip.
func (s *Session) HTTP(ms float64, trip int, ev session.HTTPEvent) {
	ev.Conn = s.conn
	s.seen = append(s.seen, session.Observation{Kind: session.ObsHTTP, Trip: trip, T: nanos(ms), HTTP: &ev})
}

// Body writes to the body of a round trip's request or response.
func (s *Session) Body(ms float64, trip int, stream session.Stream, text string) {
	s.seen = append(s.seen, session.Observation{Trip: trip, Stream: stream, T: nanos(ms), Data: []byte(text)})
}

// Request writes a request of a round trip, with a body unless that is empty.
func (s *Session) Request(ms float64, trip int, method, body string, fields ...session.HTTPField) {
	s.HTTP(ms, trip, session.HTTPEvent{Event: "req", Method: method, Target: "/mcp", Proto: "HTTP/1.1", Fields: fields})
	if body != "" {
		s.Body(ms, trip, session.C2S, body)
	}
	s.HTTP(ms, trip, session.HTTPEvent{Event: "sent"})
}

// Answer writes a response of JSON, and ends its round trip. An empty body has no type.
func (s *Session) Answer(ms float64, trip, status int, body string, fields ...session.HTTPField) {
	if body != "" {
		fields = append(fields, session.HTTPField{Name: "Content-Type", Value: "application/json"})
	}
	s.HTTP(ms, trip, session.HTTPEvent{Event: "res", Status: status, Proto: "HTTP/1.1", Fields: fields})
	if body != "" {
		s.Body(ms, trip, session.S2C, body)
	}
	s.HTTP(ms, trip, session.HTTPEvent{Event: "end", Why: "eof", Received: int64(len(body))})
}

// Opens writes the head of a response that is an event stream.
func (s *Session) Opens(ms float64, trip int, fields ...session.HTTPField) {
	fields = append(fields, session.HTTPField{Name: "Content-Type", Value: "text/event-stream"})
	s.HTTP(ms, trip, session.HTTPEvent{Event: "res", Status: 200, Proto: "HTTP/1.1", Fields: fields})
}

// Event writes a message as an event of a stream.
func (s *Session) Event(ms float64, trip int, message string) {
	s.Body(ms, trip, session.S2C, "event: message\ndata: "+message+"\n\n")
}

// Trips is a session over HTTP with a round trip of each kind: with a response, without a body
// of its own, with messages of a stream between those of others, cut off, refused, and
// one that waits.
func Trips(t testing.TB) *Session {
	s := New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	s.Request(1, 1, "POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		session.HTTPField{Name: "Accept", Value: "application/json, text/event-stream"})
	s.Answer(13, 1, 200, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`)
	s.Request(14, 2, "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.Answer(15, 2, 202, "")
	s.Request(16, 3, "GET", "")
	s.Opens(17, 3)
	s.Request(20, 4, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	s.Event(21, 3, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s.Answer(30, 4, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	s.Event(31, 3, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
	s.HTTP(41_317, 3, session.HTTPEvent{Event: "end", Why: "server"})
	s.Conn(2)
	s.Request(60_100, 5, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Answer(60_101, 5, 401, "", session.HTTPField{Name: "WWW-Authenticate", Value: "Bearer realm=x"})
	s.Request(60_102, 6, "DELETE", "")
	s.HTTP(60_103, 6, session.HTTPEvent{Event: "err", Why: "connection refused"})
	s.HTTP(60_103, 6, session.HTTPEvent{Event: "end", Why: "reset"})
	s.Request(60_200, 7, "GET", "")
	s.Answer(60_201, 7, 405, "")
	s.Request(60_300, 8, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{}}}`)
	return s
}
