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

// maxLives and maxSuspects bound the state.
const (
	maxLives    = 16
	maxSuspects = 8
)

// A life is how far the server came on a connection without the messages that
// servers exit on. Numbers count the messages of the client, from 1.
type life struct {
	conn     int
	probed   bool  // probed: server/discover was sent before the era was decided.
	strange  bool  // strange: a method that the server need not know was sent.
	answered int   // answered is the number of the latest message whose answer came before that.
	lasted   int64 // lasted is how long the server is known to have lived before that, from its start.
}

// A suspect is the exit of a server after a message that may be the reason.
type suspect struct {
	finding session.Finding // finding blames the message.
	number  int             // number is that of the message.
	lasted  int64           // lasted is how long the server lived.
	fresh   bool            // fresh: the process had answered nothing before.
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
// otherwise. It reports whether the finding was reported.
func (h *history) accuse(r session.Reporter, s suspect) bool {
	for _, l := range h.lives {
		if s.without(l) {
			r.Report(s.finding)
			return true
		}
	}
	if len(h.suspects) < maxSuspects {
		h.suspects = append(h.suspects, s)
	}
	return false
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
		return !l.probed && l.answered > 0
	}
	return l.answered >= s.number && l.lasted >= s.lasted
}

// sends records a message of the client before it is judged.
func (l *life) sends(a *asked, probing bool) {
	l.probed = l.probed || probing
	l.strange = l.strange || a.unknown && !probing
}

// answers records an answer to message number n, at a time since the start.
func (l *life) answers(n int, since int64) {
	if !l.strange {
		l.answered, l.lasted = max(l.answered, n), max(l.lasted, since)
	}
}
