// Package compare is the page that shows two texts as one: what only the old one
// has with −, what only the new one has with +, what is equal folded.
//
//	pane.Compare ──command: jsondiff──► lines ──► page; pane.Compared
//
// JSON is compared by its structure, anything else line by line. Values that must
// differ, such as times, are left out by their path; what is left out stays so for
// the comparisons that follow, as it is the same server that is asked.
//
// It compares what it is given: finding two texts that are worth it is up to
// others. Texts beyond jsondiff.MaxBytes are not compared, and the page says so.
package compare
