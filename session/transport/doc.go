// Package transport is bytes in motion: it starts a server as a child process,
// carries the three streams between it and its client, and keeps a copy of what
// passed, with the time and the order in which it was read.
//
//	client ──write──►┐                        ┌──stdin──► server (Child)
//	                 Relay c2s ───────────────┘             │
//	client ◄──read───┐                        ┌──stdout─────┤
//	                 Relay s2c ◄──────────────┘             │
//	(tee: stderr) ◄─ Relay err ◄─────────────────stderr─────┘
//	                   │  Put before the write, Wake after it
//	                   ▼
//	                  Tap ── Take ──► recorder.Writer
//
// A Relay carries one direction: read, copy to the tap, write, wake. The same
// relay serves run, where the client's end is a pair of pipes in this process,
// and tee, where it is the inherited descriptors 0, 1 and 2. Stdio wires a
// Child, three relays and a client's end into a Conn, which is one connection of
// the session; starting it again gives the next one. Tee wires them to the client
// that started this process in place of the server. A Gate, which only a Tee has,
// lets somebody put lines into the stream to the server and take the answers out.
//
// # Contract
//
//   - A relay never parses, never alters, never joins, splits or reorders what
//     it forwards, and never waits for the tap, a disk or a screen. What one read
//     returned is written before the next read.
//   - The one exception is a Gate that is used: a chunk of the client's is split
//     where a line is put in, and the server's lines are forwarded as wholes while
//     some may have to be taken out. What is forwarded stays what it was, in its
//     order, and the tap says of the rest which way it went.
//   - The copy is taken before the bytes are forwarded: a cause comes out of the
//     tap before its effect. Time and order are given out under one lock.
//   - The end of a stream is passed on at once, in its direction only: a stream
//     that is half closed stays half open.
//   - The tap never blocks its producers. Its memory is bounded; what does not
//     fit is counted, and comes out as a gap in the place where it is missing.
//     Events of streams and of the process are never dropped.
//   - O_NONBLOCK is never set on a descriptor that others hold too.
//   - The child's exit is recorded when it happens, not when its stdout ends.
//   - Nothing hangs: a server that ignores the end of its input and SIGTERM, is
//     stopped, or leaves a grandchild that holds its stdout, is ended or left
//     within the times of a Grace.
//   - A client that kills the tee, because the server heeds neither the end of its
//     input nor SIGTERM, has killed the server.
//   - Every goroutine ends with the value that started it, and a panic in one
//     becomes an error of that value. One there is for the whole process: it watches
//     for readers that hang up on a tee's relays, whose threads wait in their reads.
//
// It does not know lines, JSON or MCP, judges nothing, and writes no file. The
// environment's values never leave it.
//
// # Signals
//
// A tee passes on what is sent to it, but for what the terminal sends to the whole
// group, of which the server is. That a client did so the system does not tell: a
// signal to the group reaches the server twice, from the client and from the tee,
// unless the server is ended by the first, or has not got to it when the second
// comes. Not to pass it on would be worse: a server that is alone in getting none
// lives on. SIGKILL reaches the tee and its guard with the server, and is not passed
// on by anybody.
//
// A client that kills the tee with no warning, the input open and no signal before,
// or within 300 ms of that, leaves a server that sees its input end.
//
// # Windows
//
// The package compiles and pipes work, but there are no process groups: only the
// child itself is ended, at once, by TerminateProcess, after its stdin was closed
// and the grace has passed. Processes it leaves are not found, sockets in place
// of pipes are not offered, and a read that does not end is given up only when
// its pipe is closed by the system.
package transport
