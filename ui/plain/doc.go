// Package plain prints a session line by line, as tcpdump prints packets.
//
//	session.Snapshot ─► Printer ─► one line a frame, event or finding
//
// Lines are in the order of the rows. Over HTTP, the head of a request or a response is on the
// line of its message where that follows. A frame that is still growing is printed when it
// has ended, and does not hold up the frames after it. Text of a peer is shown and
// never obeyed: every byte of it passes format.Visible.
//
// A Printer keeps no frames. It looks at each row once, reads the beginning of a body
// only where the line shows text, and never waits.
package plain
