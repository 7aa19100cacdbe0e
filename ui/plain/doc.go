// Package plain prints a session line by line, as tcpdump prints packets.
//
//	session.Snapshot ─► Printer ─► one line a frame, event or finding
//
// Lines come in the order of the rows; a frame that is still growing is printed
// when it has ended, and does not hold up what follows. What a peer sent is
// shown, never obeyed: every byte of it passes units.Visible.
//
// A Printer keeps no frame. It looks at each row once, reads the beginning of a
// body only where the line shows text, and never waits.
package plain
