package call

import (
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check/diagnosis"
)

// reason is the likely reason and how to mend it: the diagnosis of the session,
// else what silence means. d is of the connection that is in trouble.
func (t *trouble) reason(s *session.Snapshot, d *diagnosis.Diagnosis, e *analysis.Evidence) (reason, mend string) {
	if t.lapsed {
		t.told = append(t.told, "unanswered-request", "request-never-answered")
	}
	t.covers(s, d)
	switch {
	case d.Conn != e.Conn.ID:
	case d.Reason != "":
		return d.Reason, d.Mend
	case t.lapsed && (d.Cause == "unanswered-request" || d.Cause == "request-never-answered" || d.Cause == "no-answer"):
		return t.silence(e)
	case !d.Empty():
		return d.Sentence, d.Mend
	}
	if t.lapsed {
		return t.silence(e)
	}
	return "it does not say", "its own log may tell"
}

// covers notes the findings that the diagnosis says, or refutes: they need not be
// told again.
func (t *trouble) covers(s *session.Snapshot, d *diagnosis.Diagnosis) {
	all := s.Findings()
	for _, i := range d.Refuted {
		t.told = append(t.told, all[i].Rule)
	}
	if d.Finding < 0 {
		return
	}
	t.told = append(t.told, all[d.Finding].Rule)
	for _, i := range d.Groups[0].Follows {
		t.told = append(t.told, all[i].Rule)
	}
}

// silence is what it most likely means that an answer did not come.
func (t *trouble) silence(e *analysis.Evidence) (reason, mend string) {
	wait := "--timeout " + t.method + "=2m"
	switch {
	case len(e.Came) == 0 && len(e.Stderr) == 0:
		return "the server has written nothing: it is still starting, waits for something, or does not speak MCP over stdio",
			"try the command by hand; one that is slow to start needs " + wait
	case len(e.Came) == 0:
		return "the server wrote to stderr only: it is still starting, or does not flush its stdout",
			"flush stdout after every message; one that is slow to start needs " + wait
	}
	if t.method == "subscriptions/listen" {
		return "the server has not acknowledged the subscription, which comes before everything else",
			"send notifications/subscriptions/acknowledged as soon as subscriptions/listen comes; " + wait + " waits longer"
	}
	return "the server answers other requests: this one is slow, waits for something, or was dropped", wait + " waits longer"
}
