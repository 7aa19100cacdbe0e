// Package compare is the page that shows the difference between two texts: lines of
// the old one with −, lines of the new one with +, and equal parts folded.
//
//	pane.CompareMsg ──command: json/diff──► lines ──► page; pane.ComparedMsg
//
// JSON is compared by its structure, other text line by line. Values that are expected
// to differ, such as times, can be ignored by their path; they stay ignored for later
// comparisons, because these are with the same server.
//
// The page compares what it is given, and does not look for texts itself. Texts beyond
// diff.MaxBytes are not compared, and the page says so.
package compare
