// Package stats is the page of statistics by method: how many requests there were,
// how they ended, how long they took and how many bytes they carried, as a table that
// can be sorted.
//
// It counts nothing itself: the numbers are the snapshot's. It does not show single
// exchanges; enter filters traffic by the method under the cursor.
package stats
