package process

import (
	"slices"

	"wiretea/session"
)

// history compares the connections of a session. That a server exits after a
// message does not show that the message is the reason: it may exit in the same
// way whatever it is sent. The message is blamed only if the server lived longer
// on a connection without it, before or afterwards.
type history struct {
	lives    []*life // lives are the latest connections, the last of them the current one.
	suspects []suspect
}

// Bounds of the state.
const (
	maxLives    = 16
	maxSuspects = 8
	maxStrange  = 8
)

// A life is how far the server came on a connection.
type life struct {
	conn    int
	probed  bool // probed: server/discover was sent before the era was decided.
	mute    bool // mute: the connection ended before the server answered anything.
	reached reach
	strange []strange // strange are the messages so far that the server need not know.
}

// A reach is how far the server is known to have come. Numbers count the messages
// of the client, from 1.
type reach struct {
	answered int   // answered is the number of the latest message that was sent before an answer.
	lasted   int64 // lasted is how long the server lived, from its start.
}

// A strange message is one with a method that the server need not know.
type strange struct {
	method string
	before reach
}

// A suspect is the exit of a server after a message that may be the reason.
type suspect struct {
	finding session.Finding // finding blames the message.
	method  string
	number  int   // number is that of the message.
	lasted  int64 // lasted is how long the server lived.
	fresh   bool  // fresh: the process had answered nothing before.
}

// begin returns the life of a new connection.
func (h *history) begin(conn int) *life {
	l := &life{conn: conn}
	if len(h.lives) == maxLives {
		h.lives = slices.Delete(h.lives, 0, 1)
	}
	h.lives = append(h.lives, l)
	return l
}

// accuse reports a finding that blames a message if another connection shows
// that the server lives without it, and keeps it for later connections
// otherwise. told reports whether the finding was reported, refuted whether another
// connection shows that the server ends without the message too.
func (h *history) accuse(r session.Reporter, s suspect) (told, refuted bool) {
	for _, l := range h.lives {
		if s.without(l) {
			r.Report(s.finding)
			return true, false
		}
		refuted = refuted || s.fresh && l.mute && !l.probed && l.conn != s.finding.Conn
	}
	if len(h.suspects) < maxSuspects {
		h.suspects = append(h.suspects, s)
	}
	return false, refuted
}

// mute reports whether the server ended before it answered anything on another
// connection than that.
func (h *history) mute(but int) bool {
	return slices.ContainsFunc(h.lives, func(l *life) bool { return l.mute && l.conn != but })
}

// lived reports the findings that a life confirms.
func (h *history) lived(r session.Reporter, l *life) {
	h.suspects = slices.DeleteFunc(h.suspects, func(s suspect) bool {
		if !s.without(l) {
			return false
		}
		r.Report(s.finding)
		return true
	})
}

// without reports whether the server lived on without the message that is
// suspected.
func (s *suspect) without(l *life) bool {
	switch {
	case l.conn == s.finding.Conn:
		return false
	case s.fresh:
		return !l.probed && l.reached.answered > 0
	}
	came := l.reached
	if i := slices.IndexFunc(l.strange, func(m strange) bool { return m.method == s.method }); i >= 0 {
		came = l.strange[i].before
	}
	return came.answered >= s.number && came.lasted >= s.lasted
}

// sends records a message of the client.
func (l *life) sends(a *asked, probing bool) {
	l.probed = l.probed || probing
	if a.unknown && !probing && len(l.strange) < maxStrange {
		l.strange = append(l.strange, strange{a.method, l.reached})
	}
}

// answers records an answer after message number n, at a time since the start.
func (l *life) answers(n int, since int64) {
	if len(l.strange) < maxStrange {
		l.reached = reach{max(l.reached.answered, n), max(l.reached.lasted, since)}
	}
}
