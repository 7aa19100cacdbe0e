package account

import (
	"context"
	"slices"
	"sort"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check/cause"
)

// An Outcome is what became of the request.
type Outcome uint8

const (
	Answered     Outcome = iota // Answered: there is a result.
	Refused                     // Refused: the answer is an error, or cannot be used.
	Misused                     // Misused: it was not sent, because it does not fit.
	ServerFailed                // ServerFailed: the server could not be started or reached, or died.
	TimedOut                    // TimedOut: the answer did not come in time.
	Interrupted                 // Interrupted: the user has ended it.
)

// A Request is the request that a session was made for.
type Request struct {
	Title  string   // Title is the request in a few words.
	Method string   // Method is empty for a whole message.
	Bare   bool     // Bare: it has no parameters, and is not short for something that has.
	Task   bool     // Task: it was to be run as a task.
	Open   bool     // Open: it is a subscription that was acknowledged.
	Forms  []string // Forms are words that stand for methods, for what was probably meant.
}

// A Session is one that is over.
type Session struct {
	*session.Snapshot
	Log recorder.Log
}

// An Account is what there is to say.
type Account struct {
	Outcome  Outcome
	Lines    []string          // Lines say why the result is missing, the cause first; nil where the request has a result.
	Findings []session.Finding // Findings are the other ones worth telling, the worst first, each rule of an earlier connection once.
	Failed   bool              // Failed: there is an error among all findings of the session.
	Whole    bool              // Whole: Lines are complete; the recording adds nothing to them.
}

// Of returns the account of a session. why is the error of the request; nil where it has a result.
// ctx is that of the request: where it has ended, the user ended it.
func Of(ctx context.Context, s Session, req *Request, why error) *Account {
	d := analysis.Diagnose(s.Snapshot, s.Log, nil)
	a := &Account{Whole: true}
	t := trouble{}
	if why != nil {
		t = troubleOf(ctx, req, s.Snapshot, why)
		a.Outcome, a.Whole = t.outcome, t.bare
		a.Lines = t.lines(s, &d)
	}
	a.Failed = slices.ContainsFunc(d.Shown(s.Findings()), func(f session.Finding) bool { return f.Severity == session.Error })
	a.Findings = found(s.Snapshot, &d, &t)
	return a
}

// found returns the diagnosis, unless t said it, and the findings, the worst first. What
// is only worth knowing is left to check; so is what was told already, by its rule, and
// what an earlier connection has in common with the last.
func found(s *session.Snapshot, d *cause.Diagnosis, t *trouble) []session.Finding {
	var found []session.Finding
	all, last := s.Findings(), len(s.Conns())
	for i, f := range all {
		again := f.Conn < last && slices.ContainsFunc(all, func(g session.Finding) bool { return g.Conn == last && g.Rule == f.Rule })
		if f.Severity >= session.Warning && i != d.Finding && !again && !slices.Contains(t.told, f.Rule) && !slices.Contains(d.Refuted, i) {
			found = append(found, f)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Severity > found[j].Severity })
	if said := t.account || d.Empty(); !said {
		f := session.Finding{Rule: d.Cause}
		if d.Finding >= 0 {
			f = all[d.Finding]
		}
		f.Message, f.Hint, f.Severity, f.Count = d.Sentence, d.Mend, d.Severity, 1 // The sentence says how often.
		found = slices.Insert(found, 0, f)
	}
	return found
}
