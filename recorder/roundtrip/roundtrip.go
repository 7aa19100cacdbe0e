package roundtrip

import (
	"context"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// A Trip is what was read of a round trip. Times are in nanoseconds of the session.
type Trip struct {
	View session.TripView

	Request, Link, Response, End *session.HTTPEvent // nil where there is none, or it was not read.

	Err string // Err is why the response is missing; empty where it came.

	linkT, sentT, resT, endT int64 // times; 0 where there is none.
}

// far is within how many bytes of the log the records of a round trip are looked for.
const far = 16 << 20

// Read reads the records of a round trip: from its request on, and where the rest is far
// from there, at its response and its end. A Trip without a Request could not be read.
func Read(ctx context.Context, log recorder.Log, view session.TripView) *Trip {
	t := &Trip{View: view}
	number := int(view.Request.Skip)
	for _, row := range []session.Row{view.Request, view.Response, view.End} {
		over := t.End != nil || row.Kind == session.RowTripResponse && (t.Response != nil || t.Err != "") && view.Stream
		if over || !row.Kind.Event() {
			continue
		}
		r := recorder.NewReader(log, row.Off)
		var rec session.Record
		for ctx.Err() == nil && r.Next(&rec) == nil && rec.Off < row.Off+far {
			if rec.Trip == number {
				t.add(&rec)
			}
			if t.End != nil || t.Response != nil && view.Stream {
				break
			}
		}
	}
	return t
}

// add takes a record of the round trip.
func (t *Trip) add(rec *session.Record) {
	if rec.Kind != session.RecHTTP {
		if rec.Stream == session.C2S {
			t.sentT = rec.T
		}
		return
	}
	switch ev := rec.HTTP; ev.Event {
	case "req":
		t.Request = ev
	case "conn":
		t.Link, t.linkT = ev, rec.T
	case "sent":
		t.sentT = rec.T
	case "res":
		t.Response, t.resT = ev, rec.T
	case "err":
		t.Err = ev.Why
	case "end":
		t.End, t.endT = ev, rec.T
	}
}

// A Phase is a part of a round trip's time. Its ends are in nanoseconds of the session.
type Phase struct {
	Name     string // Name is queued, DNS, connect, TLS, request, first byte, body, stream, failed or waiting.
	From, To int64
}

// Phases are the parts of a round trip's time, as far as it has come. now is the time of a
// session that goes on; 0 for one that is over.
func (t *Trip) Phases(now int64) []Phase {
	at := t.View.Request.T
	var list []Phase
	add := func(name string, ns int64, always bool) {
		if ns > 0 || always {
			list = append(list, Phase{name, at, at + max(0, ns)})
		}
		at += max(0, ns)
	}
	if l := t.Link; l != nil {
		setup := l.DNS + l.Dial + l.TLS
		if queue := t.linkT - at - setup; queue >= int64(time.Millisecond) {
			add("queued", queue, false)
		}
		add("DNS", l.DNS, false)
		add("connect", l.Dial, false)
		add("TLS", l.TLS, false)
		at = max(at, t.linkT)
	}
	if t.sentT > at {
		add("request", t.sentT-at, false)
	}
	last := "body"
	if t.View.Stream {
		last = "stream"
	}
	switch {
	case t.resT > 0:
		add("first byte", t.resT-at, true)
		add(last, max(t.endT, t.resT)-at, t.endT > 0)
		if t.endT == 0 && now > at {
			add(last, now-at, true)
		}
	case t.endT > 0:
		add("failed", t.endT-at, true)
	default:
		add("waiting", now-at, true)
	}
	return list
}
