package compat_test

import (
	"testing"

	"wiretea/session/check"
	"wiretea/session/check/compat"
)

// TestRules checks that the rules of the table exist.
func TestRules(t *testing.T) {
	for f := range compat.NumFaults {
		id := f.Rule()
		if id == "" {
			continue
		}
		if check.Lookup(id) == nil {
			t.Errorf("fault %s: no rule %s", f, id)
		}
	}
}
