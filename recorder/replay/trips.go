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
	request
	conn     int
	target   string             // target is the path and query.
	began    int64              // began is when the request's head came, in nanoseconds of the session.
	response *session.HTTPEvent // response is nil if there was none.
	resT     int64
	body     []piece // body is that of the response.
	endT     int64
	why      string // why is how it ended; empty if the recording ends before.

	sent []byte // sent is the request's body until its end is known.
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

// stream reports whether the response is an event stream.
func (t *trip) stream() bool { return t.response != nil && t.response.IsEvents() }

// readTrips reads the round trips of a recording in the order in which they began.
func readTrips(log recorder.Log) ([]*trip, error) {
	var all []*trip
	byNumber := map[int]*trip{}
	for rec, err := range recorder.NewReader(log, 0).Records() {
		if err != nil {
			return nil, err
		}
		if rec.Trip == 0 {
			continue
		}
		t := byNumber[rec.Trip]
		if t == nil {
			t = &trip{conn: rec.Conn, began: rec.T}
			byNumber[rec.Trip] = t
			all = append(all, t)
		}
		t.take(rec)
	}
	if len(all) == 0 {
		return nil, ErrNoHTTP
	}
	for _, t := range all {
		t.request, t.sent = newRequest(t.verb, t.sent), nil
	}
	return all, nil
}

// take takes a record of the round trip.
func (t *trip) take(rec *session.Record) {
	switch rec.Kind {
	case session.RecHTTP:
		t.event(rec)
	case session.RecFrame, session.RecRaw:
		if ClientEnd.lacks(rec.Stream, rec.Way) {
			return
		}
		if rec.Stream == session.C2S {
			t.sent = append(append(t.sent, rec.Body...), rec.Term...)
		} else {
			t.body = append(t.body, piece{rec.T, rec.Off})
		}
	case session.RecUnknown, session.RecHeader, session.RecIO, session.RecProc, session.RecClock, session.RecGap, session.RecEnd, session.RecPath:
	}
}

func (t *trip) event(rec *session.Record) {
	switch ev := rec.HTTP; ev.Event {
	case "req":
		t.verb, t.target, t.began = ev.Method, ev.Target, rec.T
	case "res":
		if ev.Status >= http.StatusOK || ev.Status < http.StatusContinue {
			t.response, t.resT = ev, rec.T
		}
	case "sse":
		t.body = append(t.body, piece{rec.T, rec.Off})
	case "end":
		t.endT, t.why = rec.T, ev.Why
	}
}

// endpoint is the path at which the recorded client found the server.
func endpoint(all []*trip) string {
	for _, t := range all {
		if t.greets() || t.verb == http.MethodPost {
			path, _, _ := strings.Cut(t.target, "?")
			return path
		}
	}
	return "/"
}
