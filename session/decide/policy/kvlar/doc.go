// Package kvlar reads the YAML policies and test suites of kvlar (github.com/kvlar-io/kvlar):
//
//	policy.yaml ─ Import ─► text of a policy, remarks
//	suite.yaml ─ Suite ─► cases ─ Run ─► failures
//
// The imported policy never allows what kvlar's would not. What it cannot say of a rule is
// remarked: a rule that allows is left out then, and one that denies, or requires approval,
// denies without what cannot be said, and so more than it did.
package kvlar
