package export

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// A trip is a round trip of HTTP with its bodies, as far as they are exported.
type trip struct {
	server  *url.URL
	began   time.Time // began is when the request's head came.
	times   struct{ req, sent, res, end int64 }
	request *session.HTTPEvent
	link    *session.HTTPEvent // link, response and end are nil where there is none.
	answer  *session.HTTPEvent
	end     *session.HTTPEvent
	failed  string // failed is why there is no response.
	bodies  [2][]byte
	lengths [2]int64 // lengths are those of the whole bodies.
	number  int
}

// overHTTP reports whether the session has round trips.
func (r *Recording) overHTTP() bool { h := r.Snap.Header(); return h != nil && h.Trans == "http" }

// trips calls f for every round trip of which the filter selects a row, in the order of
// their ends; those that have not ended come last.
func (r *Recording) trips(ctx context.Context, f func(*trip) error) error {
	wanted := map[int]bool{}
	if err := r.rows(ctx, func(i uint32, _ session.Row) error {
		if t := r.Snap.TripRow(i); t != session.NoRow {
			wanted[int(r.Snap.Row(t).Skip)] = true
		}
		return nil
	}); err != nil {
		return err
	}
	server, err := url.Parse(r.Snap.Header().URL)
	if err != nil {
		server = &url.URL{}
	}
	reader := recorder.NewReader(r.Log, 0)
	open := map[int]*trip{}
	var order []int
	for rec, err := range reader.Records() {
		if err != nil {
			return err
		}
		if !wanted[rec.Trip] {
			continue
		}
		t := open[rec.Trip]
		if t == nil {
			t = &trip{server: server, number: rec.Trip, began: r.Snap.Header().T0.Add(time.Duration(rec.T)), request: &session.HTTPEvent{}}
			t.times.req, t.times.sent, t.times.res = rec.T, rec.T, rec.T
			open[rec.Trip] = t
			order = append(order, rec.Trip)
		}
		t.add(rec)
		if t.end != nil {
			delete(open, rec.Trip)
			if err := f(t); err != nil {
				return err
			}
		}
	}
	for _, number := range order {
		if t := open[number]; t != nil {
			if err := f(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes the next record of the round trip.
func (t *trip) add(rec *session.Record) {
	t.times.end = rec.T
	stream := rec.Stream
	if rec.Kind == session.RecHTTP {
		stream = session.S2C
		switch rec.HTTP.Event {
		case "req":
			t.request = rec.HTTP
		case "conn":
			t.link = rec.HTTP
		case "res":
			t.answer, t.times.res = rec.HTTP, rec.T
		case "err":
			t.failed = rec.HTTP.Why
		case "end":
			t.end = rec.HTTP
		}
	}
	if stream > session.S2C {
		return
	}
	wire := recorder.AppendWire(nil, rec)
	t.lengths[stream] += int64(len(wire))
	if len(wire) > 0 && stream == session.C2S {
		t.times.sent = rec.T
	}
	room := mostBody - len(t.bodies[stream])
	t.bodies[stream] = append(t.bodies[stream], wire[:min(room, len(wire))]...)
}

// url is the URL of the request.
func (t *trip) url() string {
	return (&url.URL{Scheme: t.server.Scheme, Host: t.server.Host}).String() + t.request.Target
}

// harEntry is the round trip in an HTTP archive.
func (t *trip) harEntry() object {
	ms := func(ns int64) float64 { return float64(ns) / 1e6 }
	timings := object{"blocked": -1, "dns": -1, "connect": -1, "ssl": -1,
		"send": ms(t.times.sent - t.times.req), "wait": ms(max(0, t.times.res-t.times.sent)), "receive": ms(max(0, t.times.end-max(t.times.res, t.times.sent)))}
	if t.link != nil && !t.link.Reused {
		timings["dns"], timings["connect"], timings["ssl"] = ms(t.link.DNS), ms(t.link.Dial+t.link.TLS), ms(t.link.TLS)
	}
	query := none
	if u, err := url.Parse(t.request.Target); err == nil {
		for name, values := range u.Query() {
			for _, v := range values {
				query = append(query, object{"name": name, "value": v})
			}
		}
	}
	request := object{"method": t.request.Method, "url": t.url(), "httpVersion": t.request.Proto, "cookies": none, "headers": harFields(t.request),
		"queryString": query, "headersSize": -1, "bodySize": t.lengths[session.C2S]}
	if t.lengths[session.C2S] > 0 {
		media := t.request.MediaType()
		request["postData"] = object{"mimeType": media, "params": none, "text": textOf(t.bodies[session.C2S])}
	}
	response := object{"status": 0, "statusText": "", "httpVersion": "", "cookies": none, "headers": none, "redirectURL": "", "headersSize": -1, "bodySize": -1,
		"content": object{"size": 0, "mimeType": ""}}
	if t.answer != nil {
		location, _ := t.answer.Field("Location")
		response["status"], response["httpVersion"], response["headers"], response["redirectURL"] = t.answer.Status, t.answer.Proto, harFields(t.answer), location
		response["bodySize"] = t.lengths[session.S2C]
		response["content"] = object{"size": t.lengths[session.S2C], "mimeType": t.answer.MediaType(), "text": textOf(t.bodies[session.S2C])}
	}
	e := object{"startedDateTime": t.began.UTC().Format(time.RFC3339Nano), "time": ms(t.times.end - t.times.req), "cache": object{}, "timings": timings,
		"request": request, "response": response, "connection": strconv.Itoa(t.request.Conn), "_trip": t.number}
	if t.link != nil {
		e["serverIPAddress"] = t.link.Remote
	}
	switch {
	case t.failed != "":
		e["comment"] = t.failed
	case t.end == nil:
		e["comment"] = "not ended when it was exported"
	case t.end.Why != "eof":
		e["comment"] = "ended: " + t.end.Why
	}
	return e
}

// harFields are the header fields; of a credential what is kept of it.
func harFields(ev *session.HTTPEvent) []object {
	list := []object{}
	for i := range ev.Fields {
		name, value, _ := strings.Cut(ev.Fields[i].String(), ": ")
		list = append(list, object{"name": name, "value": value})
	}
	return list
}
