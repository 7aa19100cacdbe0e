// Package findings is the pane that lists what is wrong with the session. On top
// stands the most likely root cause in one sentence, as package diagnosis draws
// it; what follows from a finding stands below it.
//
//	Snapshot ─ diagnosis, in a command ─► groups ┐
//	Snapshot.Findings ──────────────────────────┴─► tree ─ folds ─► lines
//
// The list is by cause, by rule or by whose fault it is. Many findings of one rule
// are one line with a count that can be unfolded, so that the list stays short
// whatever a peer does; so can a finding that was reported many times, into the
// frames that it stands at. A rule can be silenced: its findings are not counted
// then, and stand folded at the end.
//
// Below the list stands what is to be known of the finding under the cursor: who
// is at fault, what to change, which clients break on it and the sentence of the
// specification. The pane judges nothing itself; package check does. The list is
// made anew only where the number of findings has changed, and costs as much as
// there are distinct ones (session.MaxFindings at most), not as there are frames.
package findings
