// Package merge puts the rows of several sessions into one order, that of the wall
// clock: what a client did across its servers.
//
// A session stays what it is: its snapshot, its numbers, its findings. An Order has pairs
// of a session and a row, nothing else, and costs 20 bytes a row. It holds that
//
//   - each row that was given is in it once,
//   - the rows of one session stay in their own order, even where their times or the wall
//     clock went back,
//   - other rows are ordered by the wall time at which their last byte was read; of equal
//     times the session that was given first comes first.
//
// Clocks of different machines are not adjusted to one another.
package merge
