package http

import (
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// Bounds for what is known of all connections of a recording.
const (
	maxSessions = 4096
	maxPaths    = 16
)

// history is what is known of all connections.
type history struct {
	conns       []*httpConn
	initialized int64             // initialized is when a client last sent initialize.
	owners      map[string]caller // owners are to whom sessions were issued, by the hash of their id.
	callers     map[caller]*life  // callers are the latest sessions by whom they were issued to.
	paths       []string          // paths are where HTTP+SSE takes messages,
	streamed    []string          // and streamed the places of its streams.
	refusals    []refusal
	logins      []*login
	flapped     []flap
	flapping    bool // flapping: session-flap was reported.
}

// A caller is who sends a request, as far as its head tells.
type caller struct {
	server string
	host   string
	auth   string // auth is the hash of the credential; empty = none.
	agent  string
}

func callerOf(q *session.HTTPEvent) caller {
	c := caller{server: q.Server, agent: fieldOf(q, "User-Agent")}
	c.host = q.Remote[:max(0, strings.LastIndexByte(q.Remote, ':'))]
	if auth := secretOf(q, "Authorization"); auth != nil {
		c.auth = auth.Hash
	}
	return c
}

// A flap is the end of a session by 404.
type flap struct {
	name string
	at   int64
	idle int64
}

// waits returns the round trip of another connection that has an unanswered request
// with an id; nil if there is none.
func (h *history) waits(not *httpConn, id uint64) *trip {
	for _, c := range h.conns {
		if c != not {
			if t := c.waits(id, nil); t != nil {
				return t
			}
		}
	}
	return nil
}

func (h *history) leave(c *httpConn) {
	h.conns = slices.DeleteFunc(h.conns, func(o *httpConn) bool { return o == c })
}

// isOld reports whether a target is where HTTP+SSE takes messages.
func (h *history) isOld(target string) bool {
	path, query, _ := strings.Cut(target, "?")
	for query != "" {
		var part string
		part, query, _ = strings.Cut(query, "&")
		name, _, _ := strings.Cut(part, "=")
		if strings.EqualFold(name, "sessionId") || strings.EqualFold(name, "session_id") || strings.EqualFold(name, "session-id") {
			return true
		}
	}
	return slices.Contains(h.paths, path)
}

// addPath takes the path of an endpoint event.
func (h *history) addPath(path string) {
	if !slices.Contains(h.paths, path) && len(h.paths) < maxPaths {
		h.paths = append(h.paths, path)
	}
}

// issue judges a session that was issued, against those before it.
func (h *history) issue(ev *session.Event, t *trip, l *life, r session.Reporter) {
	now, id := callerOf(ev.Trip.Request), l.id
	before, again := h.owners[id.Hash]
	switch {
	case t.session != nil && t.session.Hash == id.Hash:
	case again && (before.auth != now.auth || before.agent != now.agent):
		report(ev, t, r, sessionShared, "%s was issued to two clients", nick(id))
	case again:
		report(ev, t, r, sessionWeak, "%s was issued for two initializes", nick(id))
	case id.Len < weakLength:
		report(ev, t, r, sessionWeak, "the length of the id of %s is %d, should be 16 or more", nick(id), id.Len)
	}
	if len(h.owners) < maxSessions {
		rule.Put(&h.owners, id.Hash, now)
		rule.Put(&h.callers, now, l)
	}
}

// flap judges that a session ended by 404, and how soon.
func (h *history) flap(ev *session.Event, id *session.Secret, idle int64, r session.Reporter) {
	rule.Push(&h.flapped, flap{name: nick(id), at: ev.T, idle: idle}, flaps)
	if h.flapping {
		return
	}
	n := len(h.flapped)
	switch first := h.flapped[0]; {
	case n == flaps && ev.T-first.at <= flapWithin:
		h.flapping = true
		r.Report(sessionFlap.At(ev, "%d sessions were answered 404 within %s", n, rule.FormatDuration(ev.T-first.at)))
	case n > 1 && h.flapped[n-2].idle < shortIdle && idle < shortIdle && idle > flapWithin && h.flapped[n-2].idle > flapWithin:
		h.flapping = true
		before := h.flapped[n-2]
		r.Report(sessionFlap.At(ev, "%s was gone after %s without a request, %s after %s", before.name, rule.FormatDuration(before.idle), nick(id), rule.FormatDuration(idle)))
	}
}
