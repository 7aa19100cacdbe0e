package compat_test

import (
	"slices"
	"testing"

	"wiretea/session/check"
	"wiretea/session/check/compat"
)

// What a rule says that it breaks is what the table says of its faults: all that break with
// each of them, and none that breaks with none.
func TestRulesBreak(t *testing.T) {
	faults := map[string][]compat.Fault{}
	for f := range compat.NumFaults {
		if rule := f.Rule(); rule != "" {
			faults[rule] = append(faults[rule], f)
		}
	}
	for id, list := range faults {
		rule := check.Lookup(id)
		if rule == nil {
			t.Errorf("there is no rule %s", id)
			continue
		}
		for c := range compat.NumClients {
			says := slices.Contains(rule.Breaks, c.String())
			breaks := func(f compat.Fault) bool { return c.Of(f).Outcome.Breaks() }
			spares := func(f compat.Fault) bool { return !breaks(f) }
			known := func(f compat.Fault) bool { return c.Of(f).Outcome != compat.Unknown }
			switch {
			case says && slices.ContainsFunc(list, known) && !slices.ContainsFunc(list, breaks):
				t.Errorf("rule %s says that it breaks %v, the table does not", id, c)
			case !says && !slices.ContainsFunc(list, spares):
				t.Errorf("rule %s breaks %v, and does not say so", id, c)
			}
		}
	}
}
