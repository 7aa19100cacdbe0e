package http

import (
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
)

const (
	stormGETs   = 5                       // more GETs than this
	stormWithin = int64(10 * time.Second) // within this time, in nanoseconds, are a storm.
	refusedGETs = 3                       // refusedGETs is how many GETs that are answered 405 are a loop.
	paceSlack   = int64(100 * time.Millisecond)
)

// pace follows how soon a client tries again.
type pace struct {
	gets    [stormGETs]int64 // gets are the times of the latest GETs,
	next    int              // next is where the next one is written.
	stormed bool
	refused int    // refused counts the GETs that were answered 405.
	wait    int64  // wait is until when a method must not be tried again; 0 = no limit.
	since   int64  // since is when the refusal came.
	method  string // method and target are those of the request that was put off.
	target  string
}

// request judges a new request.
func (p *pace) request(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	if x.Request.Method != "GET" || !accepts(fieldOf(x.Request, "Accept"), typeEvents) {
		return
	}
	oldest := p.gets[p.next]
	p.gets[p.next] = max(1, ev.T)
	p.next = (p.next + 1) % len(p.gets)
	if oldest != 0 && ev.T-oldest <= stormWithin && !p.stormed {
		p.stormed = true
		reportSince(oldest, ev, t, r, reconnectStorm, "the client opened %s %d times in %s", rule.Short([]byte("GET "+pathOf(x.Request.Target))), len(p.gets)+1, rule.FormatDuration(ev.T-oldest))
	}
}

// notOffered judges a GET that was answered 405.
func (p *pace) notOffered(ev *session.Event, t *trip, r session.Reporter) {
	if p.refused++; p.refused == refusedGETs {
		report(ev, t, r, reconnectStorm, "the client sent GET %d times, although the server answers 405", p.refused)
	}
}

// retryAfter takes a refusal for a time, and reports whether it names one.
func (p *pace) retryAfter(ev *session.Event, t *trip) bool {
	value := fieldOf(ev.Trip.Response, "Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 && t.method != "" {
		p.wait, p.since, p.method, p.target = ev.T+int64(seconds)*int64(time.Second), max(1, ev.Trip.ResT), t.method, t.target
	}
	return value != ""
}

// posted judges a message that was sent after a refusal.
func (p *pace) posted(ev *session.Event, t *trip, r session.Reporter) {
	x := tripOf(ev)
	if p.wait == 0 || t.method != p.method || t.target != p.target || !t.isRequest() {
		return
	}
	if left := p.wait - x.ReqT; left > paceSlack && !t.ours {
		f := rateLimited.At(ev, "%s was sent again %s before the time that Retry-After named", t.name(), rule.FormatDuration(left)).Graded(session.Warning)
		f.Fault, f.Breaks, f.Hint = session.Client, nil, "wait as long as Retry-After says before sending the request again"
		r.Report(f.Since(p.since))
	}
	p.wait = 0
}
