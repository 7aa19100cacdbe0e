package replay

import (
	"errors"
	"hash/maphash"
	"net/http"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// ErrNoHTTP is returned for a recording without round trips of HTTP.
var ErrNoHTTP = errors.New("the recording is of a server on standard input and output")

// A trip is one recorded round trip as its client had it.
type trip struct {
	*session.Trip
	request
	body []piece // body is the response's body.
	sent []byte  // sent is the request's body until its end is known.
}

// A piece is what one record has of a response's body.
type piece struct {
	t, off int64
}

// A request is what a recorded and a live request are matched by.
type request struct {
	key      uint64
	verb     string // verb is the HTTP method.
	method   string // method is its first message's; empty for a response, and without a message.
	modern   bool
	ids      []string // ids are the raw ids of the requests in it,
	tokens   []string // and tokens their raw progress tokens, in the same order.
	answers  bool     // answers: it has responses to the server's requests.
	message  bool     // message: it has a message.
	expected bool     // expected: it has a request.
	session  string   // session is the id of a live request's session; empty for none, and in a recording.
}

// newRequest reads a request's body.
func newRequest(verb string, body []byte) request {
	r := request{verb: verb, key: maphash.String(keySeed.Get(), verb)}
	scanMessages(body, func(m *jsonrpc.Message) {
		live := liveMessage(m)
		key := keyOfMessage(&live, m, body)
		if live.Kind.Response() {
			key = mix(maphash.String(keySeed.Get(), live.ID), 'r')
			r.answers = true
		}
		if live.Kind == jsonrpc.Request {
			r.expected = true
			r.ids = append(r.ids, live.ID)
			r.tokens = append(r.tokens, string(m.Field(jsonrpc.MetaProgressToken).Raw))
		}
		if !r.message && !live.Kind.Response() {
			r.method = live.Method
		}
		r.message, r.modern = true, r.modern || live.Modern
		r.key = mix(r.key, key)
	})
	if !r.message && len(body) > 0 {
		r.key = mix(r.key, keyOfText(body))
	}
	return r
}

// greets reports whether it begins a session.
func (r *request) greets() bool { return r.method == mcp.Initialize || r.method == mcp.ServerDiscover }

// readTrips reads the round trips of a recording in the order in which they began.
func readTrips(log recorder.Log) ([]*trip, error) {
	var all []*trip
	byTrip := map[*session.Trip]*trip{}
	err := recorder.Trips(log, func(of *session.Trip, rec *session.Record) error {
		t := byTrip[of]
		if t == nil {
			t = &trip{Trip: of}
			byTrip[of] = t
			all = append(all, t)
		}
		t.take(rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, ErrNoHTTP
	}
	for _, t := range all {
		t.request, t.sent = newRequest(t.Request.Method, t.sent), nil
		if res := t.Response; res != nil && res.Status >= http.StatusContinue && res.Status < http.StatusOK {
			t.Response = nil // The one that it announces did not come.
		}
	}
	return all, nil
}

// take takes what a record has of a body.
func (t *trip) take(rec *session.Record) {
	switch {
	case rec.Kind == session.RecHTTP && rec.HTTP.Event == "sse":
		t.body = append(t.body, piece{rec.T, rec.Off})
	case rec.Kind != session.RecFrame && rec.Kind != session.RecRaw, ClientEnd.lacks(rec.Stream, rec.Way):
	case rec.Stream == session.C2S:
		t.sent = append(append(t.sent, rec.Body...), rec.Term...)
	default:
		t.body = append(t.body, piece{rec.T, rec.Off})
	}
}

// endpoint is the path at which the recorded client found the server.
func endpoint(all []*trip) string {
	for _, t := range all {
		if t.greets() || t.Request.Method == http.MethodPost {
			path, _, _ := strings.Cut(t.Request.Target, "?")
			return path
		}
	}
	return "/"
}
