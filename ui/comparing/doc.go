// Package comparing compares what is selected in a tab with something else, on its page of
// differences: two rows, the answer to a request with the one before to the same request, a
// message with what took its place.
//
//	key ─► Difference ─► command ─► pane.CompareMsg ─► Show ─► compare.Pane
//	a server that was built anew ─► CompareMsg, Quiet ─► ComparedMsg ─► Compared
//
// What comes unasked opens the page only where nothing else is open; else a notice says what
// was found, and Difference shows it.
package comparing
