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
// A Relay carries one direction: read, copy to the tap, write, wake. The same relay
// serves run, where the client's end is a pair of pipes in this process, and tee,
// where it is the inherited descriptors 0, 1 and 2. Stdio connects a Child, three
// relays and a client's end to a Conn, which is one connection of the session; the
// next start makes the next one. Tee connects them to the client that started this
// process in place of the server. A Gate, which only a Tee has, injects lines into the
// stream to the server and removes the answers to them.
//
// # Contract
//
//   - A relay never parses, never alters, never joins, splits or reorders what
//     it forwards, and never waits for a disk or a screen. What one read
//     returned is written before the next read.
//   - The one exception is a Gate in use: a chunk of the client's is split where a
//     line is injected, and the server's lines are forwarded whole while some may have
//     to be removed. The rest stays unchanged and in order, and the tap has the way
//     of every byte.
//   - The copy is taken before the bytes are forwarded: a cause comes out of the
//     tap before its effect. Time and order are assigned under one lock.
//   - The end of a stream is passed on at once, in its direction only: a stream
//     that is half closed stays half open.
//   - The tap's memory is bounded. When it is full because the machine is busy, producers
//     wait for a consumer that advances, half a second at most; what does not fit is
//     counted, and comes out as a gap in the place where it is missing.
//     Events of streams and of the process are never dropped.
//   - O_NONBLOCK is never set on a descriptor that others hold too.
//   - The child's exit is recorded when it happens, not when its stdout ends.
//   - Nothing hangs: a server that ignores the end of its input and SIGTERM, is
//     stopped, or leaves a grandchild that holds its stdout, is killed or left behind
//     within the times of a Grace. A tee kills nothing: it leaves behind what a client
//     without a tee would have left.
//   - A client that kills the tee has killed the server, and nothing that the server
//     started.
//   - Every goroutine ends with the value that started it, and a panic in one
//     becomes an error of that value. One goroutine serves the whole process: it
//     watches for readers that close their end while a tee's relay blocks in a read.
//
// The package does not know lines, JSON or MCP, and writes no file. The values of
// environment variables never leave it.
//
// # Signals
//
// A tee forwards the signals that it receives, except those that the terminal sends to
// the whole process group, which includes the server. The system does not tell when a
// client signals the group: the server then gets the signal twice, from the client and
// from the tee, unless the first one ends it. Not forwarding would be worse: a server
// alone in its group would get none. SIGKILL cannot be forwarded; one to the group
// reaches the server too. One to the tee alone kills the server: on Linux the system does
// that, on macOS a guard, which is started 300 ms after the client has closed the input
// or sent a signal; without a guard, the server sees the end of its input.
//
// # Windows
//
// The package compiles and pipes work, but there are no process groups: only the
// child itself is ended, at once, by TerminateProcess, after its stdin was closed
// and the grace has passed. Processes that it leaves are not found, sockets in
// place of pipes are not supported, and a read that does not return ends only when the
// system closes its pipe.
package transport
