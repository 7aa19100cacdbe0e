package session

import "time"

// An Effect is what a fault does to what carries a message, beside what it does to the text:
// to the stream, to the round trip, or to the server's process. Which fields apply depends on
// the transport.
type Effect struct {
	Rate  int // Rate is at how many bytes a second the text is written; 0 = all at once.
	Piece int // Piece is how many bytes one write has, with a pause between two; 0 = all of them.

	Join   bool // Join: the text is written together with what follows it in its stream.
	Behind bool // Behind: the text follows the next one of its stream.

	End  StreamEnd // End is how the stream ends behind the text.
	Kill bool      // Kill ends the server's process, by SIGKILL.

	// Stop stops the server's process for that time; 0 = it is not stopped.
	Stop time.Duration

	// Lasts: what comes after the message in its connection is a consequence.
	Lasts bool

	// What follows is for HTTP.

	Silent bool        // Silent: a request is never answered, and neither is a response forwarded.
	Status int         // Status is that of the response in place of the server's; 0 = as it comes.
	Expire bool        // Expire: from now on the server does not know the MCP session.
	Header []HTTPField // Header are fields that are set; one without a value is removed.
	Buffer bool        // Buffer: what follows in the stream is kept until its end.
}

// A StreamEnd is how a stream ends.
type StreamEnd uint8

const (
	StaysOpen StreamEnd = iota // StaysOpen: the stream goes on.
	Closes                     // Closes: the writer has closed its end, in order.
	Aborts                     // Aborts: the stream is lost in the middle of the text; over stdio like Closes.
	Resets                     // Resets: both directions are lost at once.
)
