// Package replay plays a recording again: its client's side to a live server, or
// its server's side to a live client.
//
//	recorder.Reader ─► session.Analyzer ─► builder ─► Script (one a connection)
//	                                                   │
//	client ⇄ Mock   matcher ► groups ► splice ◄────────┤ bodies are read from the
//	server ⇄ Player walk ► splice ► compare  ◄─────────┘ recording when they are needed
//
// A Script is one connection as one of its ends had it: the client's, which Mock
// plays to, or the server's, which Player plays to. They differ where a user
// acted on the session: what was injected reached the server only, what was taken
// out did not reach the client. Its steps are frames, grouped where one value is
// spread over several, and the ends of streams and of the process; its messages
// know which request they answer or name.
//
// # Contract
//
//   - Recorded bytes are never marshalled again. Where an id, a token or a cursor
//     has to be another one, those bytes alone are replaced, and a Content-Length
//     that counts them.
//   - What the recording does not know is not made up: Mock says so in an error
//     answer, unless its Policy says otherwise, and Player reports it.
//   - A request is sent when all that its client had seen before it has come: not
//     earlier, and not only when something else was late.
//   - No wait is unbounded. Player gives up an answer after its Timeout, and
//     Mock leaves soon after the end of its input, also where the recorded server
//     did not.
//   - Memory is about 300 bytes a frame, for Player as much again for what comes,
//     and what is in flight; bodies stay in the recording.
//   - Every goroutine ends with the call that began it, but for a read of a
//     stream that cannot be interrupted.
//
// # Mock
//
// Each of the client's messages has a group of steps: what the server did between it
// and the client's next message, responses and progress aside, which belong to their
// request wherever they were. A message that matches starts its group; a group waits
// where the recorded server waited for the client to answer a question or to
// give a request up. Requests match by era, method and parameters; the order of
// members, how numbers are written, _meta, ids, tokens and what a client answers
// to questions do not count.
//
// # HTTPMock
//
// A recording of HTTP is played by round trips: a live request stands for a recorded one
// with the same message, and gets its status, its header fields and the pieces of its
// body. A piece waits for the answers that the recorded client had sent before it, and
// on a stream that belongs to no request for all that it had sent. Each session gets all of it.
//
// # Player
//
// The recorded steps are walked in their order. The client's messages keep their
// own ids and progress tokens; what the server gave out (cursors, task ids,
// requestState, the ids of its requests and its tokens) is replaced by what the
// live server gave in the same place. What comes is analysed as the recording
// was, found among the recorded messages, translated back, and compared as JSON.
//
// The package starts no process and has no screen. It does not judge: findings
// are session/check's.
package replay
