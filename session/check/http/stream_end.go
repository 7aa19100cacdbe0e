package http

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// closed judges the end of an event stream.
func (c *httpConn) closed(ev *session.Event, t *trip, r session.Reporter) {
	x, s := ev.Trip, &t.stream
	waits := x.Request.Method == "POST" && t.isRequest() && !t.old && t.waits()
	if x.EventID != "" && (waits || x.Request.Method == "GET") {
		rule.Push(&c.streams.broken, brokenStream{id: hashOf(x.EventID), at: ev.T, retry: s.retry}, maxBroken)
	}
	if s.acted {
		return
	}
	c.buffered(ev, t, r)
	silence := x.EndT - max(x.ResT, s.bytes)
	listens := x.Request.Method == "GET" && !t.old || t.method == mcp.SubscriptionsListen
	switch {
	case x.Gap || x.Why == "wiretea" || s.torn != "" && x.Why == "client":
	case waits && s.bare && x.Why != "client":
		advise(ev, t, r, contentType, "answer with Content-Type: application/json, or write the message as the data of an event", "%s was answered with JSON and the type %s", t.name(), typeEvents)
	case s.torn != "" && s.whole:
		f := truncatedEvent.At(ev, "the last event of the stream of %s has no empty line behind it, so clients discard it: %s", t.name(), s.torn)
		f.Hint = "end each event by an empty line, also the last one"
		r.Report(unfinished(ev, f.AtRow(t.Row)))
	case s.torn != "":
		r.Report(unfinished(ev, truncatedEvent.At(ev, "the stream of %s ended in the middle of an event: %s", t.name(), s.torn).AtRow(t.Row)))
	case !waits && !listens:
	case cut(ev, t, silence, r):
	case x.Why == "client":
		c.disconnected(ev, t, waits, r)
	case waits:
		c.unanswered(ev, t, r)
	}
}

// cut judges whether a stream ended because it was silent, and reports whether it did.
func cut(ev *session.Event, t *trip, silence int64, r session.Reporter) bool {
	x := ev.Trip
	for _, known := range cuts {
		after := int64(known.after)
		if silence < after-cutSlack || silence > after+cutSlack || x.Why == "client" && known.after < 5*time.Minute {
			continue
		}
		seconds := strconv.FormatFloat(float64(silence)/1e9, 'f', 1, 64)
		f := idleCut.At(ev, "the stream of %s ended after %s s of silence, which is the limit of %s", t.name(), seconds, known.who)
		switch from := gateway(x.Response); {
		case x.Why == "eof": // The server has ended it, or something that ends streams as servers do.
			f.Message = "the stream of " + t.name() + " ended after " + seconds + " s of silence, which is a usual limit of servers and of proxies"
			f.Key = "ended"
		case x.Why != "client" && from != "":
			f.Message += "; the response has come through " + from
			f.Fault = session.Intermediary
		case x.Why == "client":
			f.Message = "the client closed the stream of " + t.name() + " after " + seconds + " s of silence, as undici, the HTTP client of Node, does"
			f.Fault = session.Client
			if t.ours {
				return true
			}
		}
		r.Report(f)
		return true
	}
	return false
}

// unanswered judges a stream that the server ended without the response.
func (c *httpConn) unanswered(ev *session.Event, t *trip, r session.Reporter) {
	x, v := ev.Trip, c.revision(ev, t)
	resumable := x.EventID != ""
	if v == mcp.V4 && resumable {
		if t.stream.retry == 0 {
			report(ev, t, r, closeWithoutRetry, "the stream of %s ended before its response without retry", t.name())
		}
		return
	}
	f := closedWithoutResponse.At(ev, "the stream of %s ended after %s without its response", t.name(), rule.FormatDuration(x.EndT-x.ReqT))
	if v == mcp.V5 && t.method != mcp.SubscriptionsListen {
		f.Severity = session.Error
	}
	switch {
	case x.Why != "eof":
		f.Message, f.Key = fmt.Sprintf("the stream of %s broke off after %s without its response", t.name(), rule.FormatDuration(x.EndT-x.ReqT)), "broken"
		if x.Err != "" && !strings.HasPrefix(x.Err, session.NotDecoded) {
			f.Message += ": " + rule.Short([]byte(x.Err))
		}
		f = unfinished(ev, f)
	case t.method == mcp.SubscriptionsListen: // [V5] basic/patterns/subscriptions §Graceful Closure: it should.
		f.Key = "listen"
		f.Hint = "send the response before ending the subscription; if the server did not end it, find out what cut the stream off"
	}
	r.Report(f)
}

// unfinished accuses nobody of a response whose connection was closed before its end: who has
// closed it, or what lies between, is not known.
func unfinished(ev *session.Event, f session.Finding) session.Finding {
	if ev.Trip.Why != "eof" {
		f.Fault, f.Breaks, f.Hint = session.Nobody, nil, "find out what broke it off: the server, a proxy in front of it, or the network"
	}
	return f
}

// disconnected takes a stream that the client closed before the response.
func (c *httpConn) disconnected(ev *session.Event, t *trip, waits bool, r session.Reporter) {
	if !waits || !c.legacy(ev, t) || t.ours || len(c.streams.left) >= maxBroken {
		return
	}
	f := disconnectAsCancel.At(ev, "the client closed the stream of %s and did not cancel it", t.name())
	c.streams.left = append(c.streams.left, leftRequest{found: f, id: t.asks[0].id, root: t.stream.root, due: ev.T + cancelWithin})
	r.At(ev.T+cancelWithin, ev.Conn.ID, session.TimerKey{Rule: disconnectAsCancel.ID})
}

// given takes the end of a round trip whose request the client may have cancelled by it:
// [V5] basic/transports/streamable-http §Cancellation.
func (s *streams) given(ev *session.Event, t *trip) {
	x := ev.Trip
	if t.era != mcp.Modern || x.Why != "client" || x.Gap || !t.isRequest() || !t.waits() {
		return
	}
	for _, a := range t.asks {
		if a.token != 0 && !a.answered {
			rule.Push(&s.closed, closedRequest{token: a.token, name: t.name(), at: ev.T}, maxBroken)
		}
	}
}

// reused forgets closed requests whose progress tokens a new request has.
func (s *streams) reused(t *trip) {
	if len(s.closed) == 0 {
		return
	}
	s.closed = slices.DeleteFunc(s.closed, func(gone closedRequest) bool {
		return slices.ContainsFunc(t.asks, func(a ask) bool { return a.token == gone.token })
	})
}

// afterClose judges whether progress is that of a request whose stream the client has closed,
// and reports whether it is.
func (c *httpConn) afterClose(ev *session.Event, t *trip, r session.Reporter) bool {
	token, _ := rule.HashID(ev.Message.Field(jsonrpc.ParamProgressToken).Raw)
	i := slices.IndexFunc(c.streams.closed, func(gone closedRequest) bool { return token != 0 && gone.token == token })
	if i < 0 {
		return false
	}
	if gone := &c.streams.closed[i]; ev.T-gone.at > stopsWithin {
		reportSince(gone.at, ev, t, r, workAfterClose, "progress of %s came %s after the client had closed its stream", gone.name, rule.FormatDuration(ev.T-gone.at))
	}
	return true
}

// buffered judges whether the events of a stream were held back until its end.
func (c *httpConn) buffered(ev *session.Event, t *trip, r session.Reporter) {
	x, s := ev.Trip, &t.stream
	if s.events < burstEvents || s.progress < burstProgress || s.last-s.first > burstWithin || x.EndT-s.last > burstWithin {
		return
	}
	after, since := "the response had begun", x.ResT
	if s.first-since < burstAfter { // A proxy may hold back the head too.
		if after, since = "the request, with the head of the response", t.sent; since == 0 || s.first-since < burstAfter {
			return
		}
	}
	from := ""
	if proxy := gateway(x.Response); proxy != "" {
		from = " by " + proxy + ", or by the server"
	}
	report(ev, t, r, buffered, "%d events of %s, %d of them with progress, came within %s, %s after %s: they look as if they had been held back until the end%s",
		s.events, t.name(), s.progress, rule.FormatDuration(max(s.last-s.first, int64(time.Millisecond))), rule.FormatDuration(s.first-since), after, from)
}

// watch looks at the streams at a time, if that is the earliest.
func (c *httpConn) watch(at int64, ev *session.Event, r session.Reporter) {
	if s := &c.streams; s.watch == 0 || at < s.watch {
		s.watch = at
		r.At(at, ev.Conn.ID, session.TimerKey{Rule: notEnded.ID})
	}
}

// streamTimer looks at the streams that are open, and at the requests that were left.
func (c *httpConn) streamTimer(ev *session.Event, r session.Reporter) {
	s := &c.streams
	s.left = slices.DeleteFunc(s.left, func(l leftRequest) bool {
		if l.due <= ev.T {
			r.Report(l.found)
		}
		return l.due <= ev.T
	})
	if ev.Timer.Rule != notEnded.ID || ev.T < s.watch {
		return
	}
	s.watch = 0
	for _, t := range c.trips {
		if due := c.look(ev, t, r); due != 0 {
			c.watch(due, ev, r)
		}
	}
}

// look judges a stream that is open, and returns when it is due again; 0 = never.
func (c *httpConn) look(ev *session.Event, t *trip, r session.Reporter) (due int64) {
	s := &t.stream
	switch {
	case s.opened == 0 || s.acted || t.old || ev.Conn.Gaps[session.S2C]:
	case t.Request.Method == "POST" && t.isRequest() && t.done():
		if due = t.answer.last + endsWithin; due <= ev.T && !s.waiting {
			s.waiting, due = true, 0
			report(ev, t, r, notEnded, "the stream of %s is open %s after its response", t.name(), rule.FormatDuration(ev.T-t.answer.last))
		}
	case t.era == mcp.Modern && t.method == mcp.SubscriptionsListen, t.what == nothing && t.Request.Method == "GET":
		if due = max(s.opened, s.bytes) + aliveWithin; due <= ev.T && !s.quiet {
			s.quiet, due = true, 0
			report(ev, t, r, noKeepalive, "the stream of %s was silent for %s", t.name(), rule.FormatDuration(ev.T-max(s.opened, s.bytes)))
		}
	}
	if due <= ev.T {
		return 0
	}
	return due
}

// cancelled takes the cancellation of a request whose stream the client closed.
func (s *streams) cancelled(id uint64) {
	s.left = slices.DeleteFunc(s.left, func(l leftRequest) bool { return l.id == id })
}
