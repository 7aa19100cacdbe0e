package compat_test

import (
	"testing"

	"wiretea/session/check"
	"wiretea/session/check/compat"
)

// TestRules checks that the rules of the table exist, and that no such rule names
// clients of its own: the table is the only source of who breaks on it.
func TestRules(t *testing.T) {
	for f := range compat.NumFaults {
		id := f.Rule()
		if id == "" {
			continue
		}
		switch r := check.Lookup(id); {
		case r == nil:
			t.Errorf("fault %s: no rule %s", f, id)
		case r.Breaks != nil:
			t.Errorf("rule %s names the clients that break, the table has them", id)
		}
	}
}
