package drill

import (
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/decide/fault"
)

// A Verdict says in a word what a side did.
type Verdict string

const (
	Recovered Verdict = "recovered" // Recovered: a client that ended as well as without the fault.
	Told      Verdict = "told"      // Told: a client that failed and told its user why.
	Failed    Verdict = "failed"    // Failed: a client that failed and told nobody.
	Hung      Verdict = "hung"      // Hung: a client that did not end, or a server that did not answer.
	Crashed   Verdict = "crashed"   // Crashed: its process ended by itself, with an error.
	Healthy   Verdict = "healthy"   // Healthy: a server of which nothing else is to be said.
	Ended     Verdict = "ended"     // Ended: a server that the fault has ended.
)

// A Trial is what both sides did under one fault.
type Trial struct {
	Fault   string  `json:"fault"`   // Fault is its spec with its seed; empty = there was none.
	Applied bool    `json:"applied"` // Applied: a message matched it.
	Client  Acted   `json:"client"`
	Server  Acted   `json:"server"`
	Seconds float64 `json:"seconds"` // Seconds is how long the client ran.

	Retries    int `json:"retries"`    // Retries counts the requests that the client sent more often than without the fault.
	Duplicates int `json:"duplicates"` // Duplicates counts those of them that called a tool which the server had run already.
	Restarts   int `json:"restarts"`   // Restarts is how often the client started its server again; 0 for a URL.
}

// Acted is what one side did.
type Acted struct {
	Verdict Verdict `json:"verdict"`
	Said    string  `json:"said,omitempty"` // Said says more, verbatim.
}

// bad reports whether somebody must look at it.
func (a Acted) bad() bool { return a.Verdict == Hung || a.Verdict == Crashed }

// Fine reports whether nobody hung or crashed, and, where there was no fault, whether all
// went well.
func (t *Trial) Fine() bool {
	return !t.Client.bad() && !t.Server.bad() && (t.Fault != "" || t.Client.Verdict == Recovered)
}

// A Report is what a drill has found.
type Report struct {
	Plain  Trial   `json:"plain"` // Plain is the trial without a fault. If it fails, the drill ends with it.
	Trials []Trial `json:"trials"`
}

// Fine reports whether all trials are.
func (r *Report) Fine() bool {
	return r.Plain.Fine() && !slices.ContainsFunc(r.Trials, func(t Trial) bool { return !t.Fine() })
}

// handshake are the methods of which a client that connects again sends more.
var handshake = []string{"initialize", "server/discover", "ping"}

// judge compares a trial with the one without a fault.
func (o *outcome) judge(f *fault.Fault, got, base side) Trial {
	t := Trial{
		Applied: got.applied, Seconds: o.took.Round(time.Millisecond).Seconds(), Restarts: max(0, got.files-base.files),
		Client: Acted{o.Verdict, o.Said}, Server: o.server(f, &got),
	}
	if f != nil {
		t.Fault = f.Text()
	}
	for key, n := range got.sent {
		method, _, _ := strings.Cut(key, " ")
		more := n - base.sent[key]
		if more <= 0 || slices.Contains(handshake, method) {
			continue
		}
		t.Retries += more
		t.Duplicates += max(0, min(more, got.reached[key]-base.reached[key]))
	}
	return t
}

// ending are the kinds of faults after which a server may end, or cannot answer.
var ending = []string{"kill", "stop", "hang", "reset"}

// gentle are the kinds that leave a request to the server whole.
var gentle = []string{"delay", "drop", "duplicate"}

// server judges the server. What the fault keeps from it, or makes unreadable, it need not
// answer.
func (o *outcome) server(f *fault.Fault, got *side) Acted {
	kind := ""
	if f != nil {
		kind = f.Kind().Name
	}
	ours := got.cut || slices.Contains(ending, kind)
	switch {
	case kind == "kill" && got.applied:
		return Acted{Ended, "killed"}
	case got.died != "" && ours:
		return Acted{Ended, got.died}
	case got.died != "":
		return Acted{Crashed, got.died}
	case got.waiting == "" || got.waited < o.quiet || ours:
	case !got.applied || got.toward == session.S2C || slices.Contains(gentle, kind):
		return Acted{Hung, "no response to " + got.waiting + " in " + got.waited.Round(100*time.Millisecond).String()}
	}
	return Acted{Verdict: Healthy}
}
