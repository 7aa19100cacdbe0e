package cli

import (
	"slices"
	"sort"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check/diagnosis"
)

// A judgement is what a session comes to under a policy: the diagnosis, and the
// findings in groups.
type judgement struct {
	snap     *session.Snapshot
	log      recorder.Log // log has the frames; nil = they are not known.
	sentence string       // sentence is the root cause; empty = nothing is wrong.
	mend     string
	found    []placed // found are group by group, roots first.
	known    int      // known counts what the baseline has.
	probe    func(conn int) bool
}

// A placed is a finding with its place among the others.
type placed struct {
	session.Finding
	follows bool // follows: it follows from the last one before it that does not.
}

// An evidenceOf is a session that is to be judged. probe reports whether a
// connection was made to probe the server: what a client does wrong there is
// meant.
type evidenceOf struct {
	snap  *session.Snapshot
	log   recorder.Log
	own   []session.Finding // own are the findings of check itself.
	probe func(conn int) bool
	told  func(f *session.Finding) bool // told reports whether one of own says it already; nil = none does.
}

// judge judges a session.
func (p *policy) judge(e evidenceOf) *judgement {
	v := &judgement{snap: e.snap, log: e.log, probe: e.probe}
	all := e.snap.Findings()
	own := append(slices.DeleteFunc(slices.Clone(e.own), func(f session.Finding) bool { return explained(&f, all) }), p.slow(e.snap, e.probe)...)
	listed := make([]bool, len(all))
	for i := range all {
		f := &all[i]
		provoked := e.probe(f.Conn) && (f.Fault == session.Client || ofProbing[f.Rule]) || e.told != nil && e.told(f)
		if provoked || p.ignore[f.Rule] {
			continue
		}
		if p.baseline.has(f) {
			v.known++
			continue
		}
		listed[i] = true
	}
	d := analysis.Diagnose(e.snap, e.log, func(i int) bool {
		// What the project plays down is no root; what is played up, or never
		// was more than an info, may follow from one.
		return listed[i] && (p.level(&all[i]) >= session.Warning || all[i].Severity < session.Warning)
	})
	for _, i := range d.Refuted {
		listed[i] = false
	}
	v.sentence, v.mend = d.Sentence, d.Mend
	v.group(p, &d, all, listed, p.wanted(&d, own, v))
	v.fallback()
	return v
}

// explained reports whether a finding of check's own says no more than that no
// answer came, where the wire shows why.
func explained(own *session.Finding, all []session.Finding) bool {
	return own.Key == lapsed && slices.ContainsFunc(all, func(f session.Finding) bool {
		return f.Conn == own.Conn && f.Fault == session.Server && f.Severity >= session.Warning && diagnosis.ExplainsSilence(f.Rule)
	})
}

// ofProbing are rules of what nobody does wrong, and that probing brings.
var ofProbing = map[string]bool{"probe-sibling": true, "response-after-cancel": true}

// level is what a finding counts as.
func (p *policy) level(f *session.Finding) session.Severity {
	if sev, set := p.severity[f.Rule]; set {
		return sev
	}
	return f.Severity
}

// wanted are the findings of check itself that are to be reported. A diagnosis
// that rests on no finding gets one, so that every format tells of it.
func (p *policy) wanted(d *diagnosis.Diagnosis, own []session.Finding, v *judgement) (list []session.Finding) {
	if d.Finding < 0 && !d.Empty() {
		rule := noHandshake
		if d.Cause == "not-started" {
			rule = notStarted
		}
		own = slices.DeleteFunc(own, func(f session.Finding) bool { return f.Rule == notStarted.ID || f.Rule == noHandshake.ID })
		f := foundBy(rule, d.Sentence)
		f.Conn = d.Conn
		if d.Mend != "" {
			f.Hint = d.Mend
		}
		own = slices.Insert(own, 0, f)
	}
	for i := range own {
		switch {
		case p.ignore[own[i].Rule]:
			if own[i].Message == d.Sentence {
				v.sentence, v.mend = "", ""
			}
		case p.baseline.has(&own[i]):
			v.known++
			if own[i].Message == d.Sentence {
				v.sentence, v.mend = "", ""
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
func (v *judgement) group(p *policy, d *diagnosis.Diagnosis, all []session.Finding, listed []bool, own []session.Finding) {
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
	for i, f := range own {
		cause := len(groups) > 0 && groups[0].first && f.Conn == groups[0].root.Conn
		if cause && (f.Rule == noHandshake.ID || f.Rule == stoppedEarly.ID) {
			groups[0].follows = append(groups[0].follows, levelled(f))
			continue
		}
		groups = append(groups, findingGroup{root: levelled(f), first: i == 0 && d.Finding < 0 && !d.Empty() && f.Message == d.Sentence})
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
}

// place lists the groups. What was found again on another connection, in the
// other era or by a probe, counts to where it was found first.
func (v *judgement) place(groups []findingGroup) {
	known := map[string]int{} // by fingerprint: the place of the first one.
	add := func(f session.Finding, follows bool) {
		key := fingerprint(f.Rule, f.Fault.String(), f.Message)
		if at, found := known[key]; found && v.found[at].Conn != f.Conn {
			v.found[at].Count += f.Count
			return
		}
		known[key] = len(v.found)
		v.found = append(v.found, placed{f, follows})
	}
	for _, g := range groups {
		before := len(v.found)
		add(g.root, false)
		for _, f := range g.follows {
			add(f, len(v.found) > before)
		}
	}
}

// fallback takes the worst finding for the diagnosis where there is none: rules
// of check itself, and what the project plays up.
func (v *judgement) fallback() {
	if v.sentence != "" {
		return
	}
	for _, f := range v.found {
		if f.Severity >= session.Warning {
			v.sentence, v.mend = f.Message, f.Hint
			return
		}
	}
}

// failed reports whether there is a finding that the policy does not let pass.
func (v *judgement) failed(p *policy) bool {
	for i := range v.found {
		if v.found[i].Severity >= p.failOn {
			return true
		}
	}
	return false
}

// headline is the diagnosis with what to change, on one line; empty = nothing is
// wrong.
func (v *judgement) headline() string {
	if v.mend == "" || v.sentence == "" {
		return v.sentence
	}
	return v.sentence + " → " + v.mend
}
