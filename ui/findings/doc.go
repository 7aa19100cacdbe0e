// Package findings is the pane that lists what is wrong with the session: the
// worst first, and among those the one that was seen first. Repeats of a finding
// are one line with a count, so that the list stays short whatever a peer does.
//
// Below the list stands what is to be known of the finding under the cursor: who
// is at fault, what to change, which clients break on it and the sentence of the
// specification. The pane judges nothing itself; package check does.
package findings
