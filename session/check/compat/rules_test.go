package compat_test

import (
	"slices"
	"testing"

	"wiretea/session/check"
	"wiretea/session/check/compat"
	"wiretea/session/mcp"
)

// TestRules holds that the table has all that is read of it, that its faults are in the order
// of their constants, and that its methods, rules and clients exist.
func TestRules(t *testing.T) {
	if first, last := compat.NotJSON.String(), compat.ProbeSilent.String(); first != "not-json" || last != "probe-silent" {
		t.Fatalf("the first fault is %s and the last %s", first, last)
	}
	for f := range compat.NumFaults {
		if f.Title() == "" {
			t.Errorf("fault %s: no title", f)
		}
		if _, known := mcp.Lookup(f.In()); !known && f.In() != "" {
			t.Errorf("fault %s: no method %s", f, f.In())
		}
		if id := f.Rule(); id != "" && check.Lookup(id) == nil {
			t.Errorf("fault %s: no rule %s", f, id)
		}
		for c := range compat.NumClients {
			if c.Of(f).Outcome == compat.Unknown {
				t.Errorf("fault %s: no reaction of %v", f, c)
			}
		}
	}
	for c := range compat.NumClients {
		if c.Short() == "" || c.Version() == "" || !slices.ContainsFunc(mcp.Clients(), func(k mcp.KnownClient) bool { return k.Name == c.String() }) {
			t.Errorf("no client %v %s %s", c, c.Short(), c.Version())
		}
	}
}
