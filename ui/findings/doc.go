// Package findings is the pane that lists what is wrong with the session. The first
// lines are the most likely root cause in one sentence, as package cause finds it;
// the consequences of a finding are listed below it.
//
//	Snapshot ─ diagnosis, in a command ─► groups ┐
//	Snapshot.Findings ──────────────────────────┴─► tree ─ folds ─► lines
//
// The list is grouped by cause, by rule or by fault. Many findings of one rule are one
// line with a count, which can be unfolded, so that the list stays short whatever a
// peer does; a finding that was reported many times unfolds into its frames. A rule can
// be silenced: its findings are not counted, and are folded at the end of the list.
//
// The details of the finding under the cursor are below the list: who is at fault,
// what to change, which clients break, and the sentence of the specification. The pane
// judges nothing itself; package check does. The list is rebuilt only when the number
// of findings has changed, and costs O(distinct findings), session.MaxFindings at most.
package findings
