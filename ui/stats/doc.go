// Package stats is the page of statistics by method: how many requests, how they
// ended, how long they took and how much they carried, as a table that can be
// sorted.
//
// It counts nothing itself: the numbers are the snapshot's. It shows no single
// exchange; Enter filters traffic by the method under the cursor.
package stats
