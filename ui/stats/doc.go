// Package stats is the page of statistics: how many requests there were, how they ended,
// how long they took and how many bytes they carried, by method and by tool, as a table
// that can be sorted, and as pictures of the row under the cursor. Below the table are the
// requests that stand out: the slowest, the largest, and what fails most.
//
//	MovedMsg ─► the snapshot's numbers by method, at once
//	ShownMsg, another row ─► a command: statistics.Collect ─► table, pictures
//
// It counts only while the page is open, and of a session that goes on no more than a tenth
// of the time.
package stats
