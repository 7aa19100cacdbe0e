package http

import (
	"slices"
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/framing"
	"wiretea/session/mcp"
)

// resumed judges the Last-Event-ID of a new request.
func (c *httpConn) resumed(ev *session.Event, t *trip, r session.Reporter) {
	x, s := ev.Trip, &c.streams
	t.stream.root = t.Number
	id := fieldOf(x.Request, "Last-Event-Id")
	if x.Request.Method != "GET" || id == "" || t.old {
		return
	}
	h := hashOf(id)
	t.stream.resumes = true
	for _, b := range s.broken {
		if wait := b.at + b.retry - ev.T; b.id == h && b.retry > 0 && wait > retrySlack+b.retry/10 {
			reportSince(b.at, ev, t, r, retryIgnored, "the client reconnected %s after the stream ended, and retry asked for %s", rule.FormatDuration(ev.T-b.at), rule.FormatDuration(b.retry))
		}
	}
	s.broken = slices.DeleteFunc(s.broken, func(b brokenStream) bool { return b.id == h })
	known, ok := s.ids[h]
	switch {
	case ok:
		t.stream.root, t.stream.cursor = known.root, known.seq
		s.left = slices.DeleteFunc(s.left, func(l leftRequest) bool { return l.root == known.root })
	case !s.forgot && c.begun && !ev.Conn.Gaps[session.S2C]:
		report(ev, t, r, lastEventIDUnknown, "the client resumes after the event %s, which was not sent in this session", rule.Excerpt([]byte(id)))
	}
}

// fields judges the fields of an event. body is the hash of its data, 0 for none.
func (c *httpConn) fields(ev *session.Event, t *trip, f framing.Fields, body uint64, r session.Reporter) {
	s := &t.stream
	if ms, err := strconv.ParseInt(f.Retry, 10, 64); f.HasRetry && err == nil && ms >= 0 {
		s.retry = min(ms*int64(time.Millisecond), mostRetryWaits)
	}
	if !f.HasID || t.old {
		return
	}
	x := tripOf(ev)
	v := c.revision(ev, t)
	if t.era == mcp.Modern {
		if !s.idReported {
			s.idReported = true
			found := legacyArtifacts.At(ev, "the events of %s have ids, and 2026-07-28 has no resumption", t.name()).Keyed("id").AtRow(x.Row)
			found.Fault = session.Server
			r.Report(found)
		}
		return
	}
	if v == mcp.V4 && !s.primed && !s.unprimed && body != 0 && !s.resumes && t.isRequest() {
		s.unprimed = true
		report(ev, t, r, primingMissing, "the stream of %s has ids, and no event with an id and empty data at its beginning", t.name())
	}
	if f.ID != "" {
		c.eventID(ev, t, f.ID, body, r)
	}
}

// eventID judges the id of an event against those before it.
func (c *httpConn) eventID(ev *session.Event, t *trip, id string, body uint64, r session.Reporter) {
	s, all := &t.stream, &c.streams
	h := hashOf(id)
	known, again := all.ids[h]
	shown := rule.Excerpt([]byte(id))
	switch {
	case !again:
		if len(all.ids) >= maxEventIDs {
			all.forgot = true
			return
		}
		all.seq++
		rule.Put(&all.ids, h, eventID{root: s.root, seq: all.seq, body: body})
	case s.resumes && s.cursor == 0:
	case s.resumes && known.root != s.root:
		report(ev, t, r, replayWrongStream, "the resumed stream brings the event %s of another stream", shown)
	case s.resumes && known.seq <= s.cursor:
		report(ev, t, r, replayRepeats, "the resumed stream repeats the event %s, which the client has", shown)
	case s.resumes:
	case known.body != body:
		report(ev, t, r, eventIDReused, "two different events have the id %s", shown)
	}
}
