package path

import (
	"slices"

	"wiretea/session"
	"wiretea/session/filter"
)

// ruleName is what of a message the rules by name look at.
type ruleName struct {
	stream         session.Stream
	kind           session.RowKind
	method, target string
}

// verdict is what the rules by name say of a message. Rules that need more come before.
type verdict struct {
	first []*Rule // first are the rules that need more of the message, in their order, up to rule.
	rule  *Rule   // rule is the first rule that matches by name; nil = none does.
	needy int     // needy is how many of first need texts.
}

// manyTexts is from how many rules on their texts are looked for at once: one pass for all of
// them costs as much as some twenty searches for one text.
const manyTexts = 16

// maxKnown is how many verdicts are kept.
const maxKnown = 4096

// Judge returns what the policy says of a message, and the rule that says so, nil if none
// does. A message whose text is not known is allowed unless it is denied whatever its text is.
func (p *Policy) Judge(m *filter.Passing) (Action, *Rule) {
	v := p.verdict(m)
	if len(v.first) > 0 {
		if action, rule, decided := p.look(m, &v); decided {
			return action, rule
		}
	}
	switch {
	case v.rule != nil:
		return v.rule.Action, v.rule
	case p.Default == Deny && (m.Kind == session.RowRequest || m.Kind == session.RowNotification) && !slices.Contains(exempt, m.Method):
		return Deny, &Rule{ID: defaultID, Action: Deny}
	}
	return Allow, nil
}

// look is Judge for the rules that need more of a message than its names, and reports whether
// one of them decides.
func (p *Policy) look(m *filter.Passing, v *verdict) (action Action, rule *Rule, decided bool) {
	var room [8]uint64
	var found []uint64
	if v.needy >= manyTexts && m.Body != nil {
		found = p.texts.In(m.Body, room[:0])
	}
	left, over := p.budget, false
	for _, r := range v.first {
		if found != nil && r.needs != nil && !slices.ContainsFunc(r.needs, func(i int) bool { return found[i/64]&(1<<(i%64)) != 0 }) {
			continue // Its filter does not match.
		}
		if r.searches {
			if left -= len(m.Body); left < 0 {
				if p.Closed {
					return Deny, &Rule{ID: errorID, Action: Deny, Reason: spent}, true
				}
				over = true
				continue
			}
		}
		switch r.filter.Passing(m) {
		case filter.Yes:
			return r.Action, r, true
		case filter.Body:
			if r.Action != Deny {
				return Allow, nil, true // It may be allowed.
			}
		case filter.No:
		}
	}
	if over && v.rule == nil && p.Default != Deny {
		return Log, &Rule{ID: errorID, Action: Log, Reason: spent}, true // It passes, and is marked.
	}
	return Allow, nil, false
}

// mayMatch reports whether the names of a message leave open whether the rule matches.
func (r *Rule) mayMatch(m *filter.Passing) bool {
	for _, failed := range []bool{false, true} {
		if r.filter.Passing(&filter.Passing{Stream: m.Stream, Kind: m.Kind, Failed: failed, Method: m.Method, Target: m.Target}) != filter.No {
			return true
		}
	}
	return false
}

// verdict returns what the rules by name say of a message.
func (p *Policy) verdict(m *filter.Passing) verdict {
	key := ruleName{m.Stream, m.Kind, m.Method, m.Target}
	p.mu.RLock()
	v, known := p.known[key]
	p.mu.RUnlock()
	if known {
		return v
	}
	response := m.Kind == session.RowResult || m.Kind == session.RowError
	for i := range p.Rules {
		r := &p.Rules[i]
		if response && !r.responses {
			continue
		}
		if !r.byName {
			if r.mayMatch(m) {
				v.first = append(v.first, r)
				if r.needs != nil {
					v.needy++
				}
			}
			continue
		}
		if r.filter.Passing(m) == filter.Yes {
			v.rule = r
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxKnown {
		clear(p.known)
	}
	p.known[key] = v
	return v
}
