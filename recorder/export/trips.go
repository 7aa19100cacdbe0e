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
	*session.Trip
	server *url.URL
	began  time.Time // began is when the request's head came.
	last   int64     // last is the time of the latest record.
	bodies [2][]byte
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
	open := map[int]*trip{}
	var order []int
	if err := recorder.Trips(r.Log, func(of *session.Trip, rec *session.Record) error {
		if !wanted[of.Number] {
			return nil
		}
		t := open[of.Number]
		if t == nil {
			server := &url.URL{}
			if h := r.Snap.HeaderOf(of.Conn); h != nil {
				if u, err := url.Parse(h.URL); err == nil {
					server = u
				}
			}
			t = &trip{Trip: of, server: server, began: r.Snap.Header().T0.Add(time.Duration(of.ReqT))}
			open[of.Number] = t
			order = append(order, of.Number)
		}
		t.add(rec)
		if !t.Over {
			return nil
		}
		delete(open, of.Number)
		return f(t)
	}); err != nil {
		return err
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

// add adds what a record that the trip has taken has of a body.
func (t *trip) add(rec *session.Record) {
	t.last = rec.T
	stream := rec.Stream
	if rec.Kind == session.RecHTTP {
		stream = session.S2C
	}
	if stream > session.S2C {
		return
	}
	wire := recorder.AppendWire(nil, rec)
	room := mostBody - len(t.bodies[stream])
	t.bodies[stream] = append(t.bodies[stream], wire[:min(room, len(wire))]...)
}

// url is the URL of the request.
func (t *trip) url() string {
	return (&url.URL{Scheme: t.server.Scheme, Host: t.server.Host}).String() + t.Request.Target
}

// harEntry is the round trip in an HTTP archive.
func (t *trip) harEntry() object {
	ms := func(ns int64) float64 { return float64(ns) / 1e6 }
	sent := max(t.SentT, t.ReqT)
	timings := object{"blocked": -1, "dns": -1, "connect": -1, "ssl": -1,
		"send": ms(sent - t.ReqT), "wait": ms(max(0, t.ResT-sent)), "receive": ms(max(0, t.last-max(t.ResT, sent)))}
	if t.Link != nil && !t.Link.Reused {
		timings["dns"], timings["connect"], timings["ssl"] = ms(t.Link.DNS), ms(t.Link.Dial+t.Link.TLS), ms(t.Link.TLS)
	}
	query := none
	if u, err := url.Parse(t.Request.Target); err == nil {
		for name, values := range u.Query() {
			for _, v := range values {
				query = append(query, object{"name": name, "value": v})
			}
		}
	}
	request := object{"method": t.Request.Method, "url": t.url(), "httpVersion": t.Request.Proto, "cookies": none, "headers": harFields(t.Request),
		"queryString": query, "headersSize": -1, "bodySize": t.Bytes[session.C2S]}
	if t.Bytes[session.C2S] > 0 {
		media := t.Request.MediaType()
		request["postData"] = object{"mimeType": media, "params": none, "text": textOf(t.bodies[session.C2S])}
	}
	response := object{"status": 0, "statusText": "", "httpVersion": "", "cookies": none, "headers": none, "redirectURL": "", "headersSize": -1, "bodySize": -1,
		"content": object{"size": 0, "mimeType": ""}}
	if t.Response != nil {
		location, _ := t.Response.Field("Location")
		response["status"], response["httpVersion"], response["headers"], response["redirectURL"] = t.Response.Status, t.Response.Proto, harFields(t.Response), location
		response["bodySize"] = t.Bytes[session.S2C]
		response["content"] = object{"size": t.Bytes[session.S2C], "mimeType": t.Response.MediaType(), "text": textOf(t.bodies[session.S2C])}
	}
	e := object{"startedDateTime": t.began.UTC().Format(time.RFC3339Nano), "time": ms(t.last - t.ReqT), "cache": object{}, "timings": timings,
		"request": request, "response": response, "connection": strconv.Itoa(t.Request.Conn), "_trip": t.Number}
	if t.Link != nil {
		e["serverIPAddress"] = t.Link.Remote
	}
	switch {
	case t.Err != "":
		e["comment"] = t.Err
	case t.End == nil:
		e["comment"] = "not ended when it was exported"
	case t.Why != "eof":
		e["comment"] = "ended: " + t.Why
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
