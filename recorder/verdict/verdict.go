package verdict

import (
	"slices"
	"sort"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/lazy"
)

// A Verdict is a session under a policy: the diagnosis, and the findings in groups.
type Verdict struct {
	Session  Session
	Sentence string              // Sentence is the root cause; empty if nothing is wrong.
	Fix      string              // Fix says what to change; it may be empty.
	Severity session.Severity    // Severity is that of the finding that Sentence stands for; none if nothing is wrong.
	Findings []Finding           // Findings are ordered by group, the root of each first.
	Known    int                 // Known is the number of findings that the baseline has.
	Cost     *statistics.Context // Cost is what fills a model's context; nil where the frames are unknown.
	policy   *Policy
}

// A Finding is a finding of a Verdict.
type Finding struct {
	session.Finding
	Follows bool // Follows says that the finding follows from the last one before it that does not.
}

// A Session is a session to be judged.
type Session struct {
	Snapshot *session.Snapshot
	Log      recorder.Log      // Log has the frames; nil means that they are unknown.
	Own      []session.Finding // Own are the findings of check itself.

	// Probed reports whether a connection was made to probe the server, so that the
	// client's faults are intended; nil reports none.
	Probed func(conn int) bool

	// Covered reports whether one of Own says the same as f; nil reports that none
	// does.
	Covered func(f *session.Finding) bool

	// Text takes out of a text what readers of the verdict must not see, such as secrets
	// of the session; nil takes nothing out.
	Text func(string) string
}

// Shown is a text without what Text takes out.
func (s *Session) Shown(text string) string {
	if s.Text == nil {
		return text
	}
	return s.Text(text)
}

// OfProbe reports whether a connection was made to probe the server.
func (s *Session) OfProbe(conn int) bool { return s.Probed != nil && s.Probed(conn) }

// Judge judges a session.
func (p *Policy) Judge(e Session) *Verdict {
	v := &Verdict{Session: e, policy: p}
	all := e.Snapshot.Findings()
	if e.Log != nil {
		v.Cost = statistics.ReadContext(e.Log, e.Snapshot, e.OfProbe)
	}
	own := append(slices.DeleteFunc(slices.Clone(e.Own), func(f session.Finding) bool { return explained(&f, all) }), p.slow(e.Snapshot, e.OfProbe)...)
	own = append(own, p.tooLarge(e.Snapshot, v.Cost)...)
	listed := make([]bool, len(all))
	for i := range all {
		f := &all[i]
		provoked := e.OfProbe(f.Conn) && (f.Fault == session.Client || ofProbing.Get()[f.Rule]) || e.Covered != nil && e.Covered(f)
		if provoked || p.Ignore[f.Rule] {
			continue
		}
		if p.before(&e, f) {
			v.Known++
			continue
		}
		listed[i] = true
	}
	d := analysis.Diagnose(e.Snapshot, e.Log, func(i int) bool {
		// A finding that the project plays down is not a root; what is played up, or never
		// was more than an info, may follow from one.
		return listed[i] && (p.level(&all[i]) >= session.Warning || all[i].Severity < session.Warning)
	})
	if d.Finding >= 0 && d.Severity < session.Error && slices.ContainsFunc(own, func(f session.Finding) bool { return f.Rule == CallFailed.ID }) {
		d.Finding, d.Sentence, d.Mend = -1, "", "" // A remark does not hide that a call failed.
	}
	for _, i := range d.Refuted {
		listed[i] = false
	}
	if i := slices.IndexFunc(own, func(f session.Finding) bool { return f.Key == Cause }); i >= 0 {
		d.Finding, d.Conn, d.Sentence, d.Mend = -1, own[i].Conn, own[i].Message, own[i].Hint
	}
	v.Sentence, v.Fix = d.Sentence, d.Mend
	v.group(p, &d, all, listed, p.wanted(&d, own, v))
	v.fallback()
	v.Sentence, v.Fix = e.Shown(v.Sentence), e.Shown(v.Fix)
	for i := range v.Findings {
		f := &v.Findings[i]
		f.Message, f.Hint = e.Shown(f.Message), e.Shown(f.Hint)
	}
	return v
}

// before reports whether the baseline has a finding, as it is shown or as it was before
// secrets were taken out.
func (p *Policy) before(e *Session, f *session.Finding) bool {
	if p.Baseline == nil {
		return false
	}
	shown := *f
	shown.Message = e.Shown(f.Message)
	return p.Baseline.has(f) || p.Baseline.has(&shown)
}

// explained reports whether a finding of check's own only says that no response came,
// and the wire shows why.
func explained(own *session.Finding, all []session.Finding) bool {
	return own.Key == Lapsed && slices.ContainsFunc(all, func(f session.Finding) bool {
		return f.Conn == own.Conn && f.Fault != session.Client && f.Severity >= session.Warning && cause.ExplainsSilence(f.Rule)
	})
}

// ofProbing are rules about what probing causes and nobody does wrong.
var ofProbing = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"probe-sibling": true, "response-after-cancel": true}
}}

// level is what a finding counts as.
func (p *Policy) level(f *session.Finding) session.Severity {
	if sev, set := p.Severity[f.Rule]; set {
		return sev
	}
	return f.Severity
}

// wanted are the findings of check itself that are to be reported. A diagnosis
// that rests on no finding gets one, so that every format tells of it.
func (p *Policy) wanted(d *cause.Diagnosis, own []session.Finding, v *Verdict) (list []session.Finding) {
	if d.Finding < 0 && !d.Empty() && !slices.ContainsFunc(own, func(f session.Finding) bool { return f.Message == d.Sentence }) {
		rule := NoHandshake
		if d.Cause == "not-started" {
			rule = NotStarted
		}
		own = slices.DeleteFunc(own, func(f session.Finding) bool { return f.Rule == NotStarted.ID || f.Rule == NoHandshake.ID })
		f := Found(rule, d.Sentence)
		f.Conn = d.Conn
		if d.Mend != "" {
			f.Hint = d.Mend
		}
		own = slices.Insert(own, 0, f)
	}
	for i := range own {
		switch {
		case p.Ignore[own[i].Rule]:
			if own[i].Message == d.Sentence {
				v.Sentence, v.Fix = "", ""
			}
		case p.before(&v.Session, &own[i]):
			v.Known++
			if own[i].Message == d.Sentence {
				v.Sentence, v.Fix = "", ""
			}
		default:
			list = append(list, own[i])
		}
	}
	return list
}

// A findingGroup is a finding and those that follow from it.
type findingGroup struct {
	root    session.Finding
	first   bool // first: the diagnosis rests on it.
	follows []session.Finding
}

// group puts the findings in order: the group of the diagnosis, then the worst
// roots first, each with what follows from it.
func (v *Verdict) group(p *Policy, d *cause.Diagnosis, all []session.Finding, listed []bool, own []session.Finding) {
	levelled := func(f session.Finding) session.Finding {
		f.Severity = p.level(&f)
		return f
	}
	var groups []findingGroup
	for _, g := range d.Groups {
		var members []session.Finding
		for _, i := range append([]int{g.Root}, g.Follows...) {
			if listed[i] {
				members = append(members, levelled(all[i]))
				listed[i] = false
			}
		}
		if len(members) > 0 {
			groups = append(groups, findingGroup{members[0], g.Root == d.Finding, members[1:]})
		}
	}
	for _, f := range own {
		cause := len(groups) > 0 && groups[0].first && f.Conn == groups[0].root.Conn
		if cause && (f.Rule == NoHandshake.ID || f.Rule == StoppedEarly.ID) {
			groups[0].follows = append(groups[0].follows, levelled(f))
			continue
		}
		groups = append(groups, findingGroup{root: levelled(f), first: d.Finding < 0 && !d.Empty() && f.Message == d.Sentence})
	}
	for i := range all {
		if listed[i] {
			groups = append(groups, findingGroup{root: levelled(all[i])})
		}
	}
	sort.SliceStable(groups, func(a, b int) bool {
		if groups[a].first != groups[b].first {
			return groups[a].first
		}
		return groups[a].root.Severity > groups[b].root.Severity
	})
	v.place(groups)
	if len(groups) > 0 && groups[0].first {
		v.Severity = groups[0].root.Severity
	}
}

// place lists the groups. What was found again on another connection, in the
// other era or by a probe, counts to where it was found first, with what follows
// from it.
func (v *Verdict) place(groups []findingGroup) {
	type spot struct{ group, at int }
	known := map[string]spot{} // by fingerprint: the place of the first one.
	var lists [][]Finding      // lists are the groups that are left.
	add := func(f session.Finding, group int) (in int) {
		key := Fingerprint(f.Rule, f.Fault.String(), f.Message)
		if s, found := known[key]; found && lists[s.group][s.at].Conn != f.Conn {
			lists[s.group][s.at].Count += f.Count
			return s.group
		}
		follows := group < len(lists)
		if !follows {
			lists = append(lists, nil)
		}
		known[key] = spot{group, len(lists[group])}
		lists[group] = append(lists[group], Finding{f, follows})
		return group
	}
	for _, g := range groups {
		in := add(g.root, len(lists))
		for _, f := range g.follows {
			if f.Rule == g.root.Rule && f.Conn != g.root.Conn {
				lists[in][0].Count += f.Count // the same on another connection
				continue
			}
			add(f, in)
		}
	}
	v.Findings = slices.Concat(lists...)
}

// fallback takes the worst finding for the diagnosis where there is none: rules
// of check itself, and what the project plays up.
func (v *Verdict) fallback() {
	if v.Sentence != "" {
		return
	}
	for _, f := range v.Findings {
		if f.Severity >= session.Warning {
			v.Sentence, v.Fix, v.Severity = f.Message, f.Hint, f.Severity
			return
		}
	}
}

// Failed reports whether there is a finding that the policy does not let pass.
func (v *Verdict) Failed() bool {
	return slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Severity >= v.policy.FailOn })
}

// FailOn is the lowest severity that fails.
func (v *Verdict) FailOn() session.Severity { return v.policy.FailOn }

// Headline is the diagnosis with its fix, on one line; empty if nothing is wrong.
func (v *Verdict) Headline() string {
	if v.Fix == "" || v.Sentence == "" {
		return v.Sentence
	}
	return v.Sentence + " → " + v.Fix
}

// Keys of findings of check's own.
const (
	Refused = "refused" // Refused is the key of a handshake that was answered by an error.
	Cause   = "cause"   // Cause is the key of a finding that explains the other ones.
	Lapsed  = "lapsed"  // Lapsed is the key of a request without a response, which the wire may explain.
)
