package framing

// MaxHeader is the longest Content-Length header block that is recognised, in
// bytes. A longer one is not a header block but lines.
const MaxHeader = 8 << 10

// A Piece is a part of one frame, in the order of the stream. A frame that lies
// whole in one chunk is one Piece with Start and End both set.
type Piece struct {
	// Pre is before Data in an event stream, and belongs to the frame but not to its
	// body: names of fields, other fields, comments.
	Pre []byte

	// Data is the next part of the frame's body, without terminator. It aliases
	// the chunk given to Push, or the Splitter's own memory, and is valid until
	// emit returns. It may be empty.
	Data []byte

	// Term is the frame's terminator, set with End: "\n" or "\r\n"; after a header
	// block two of them, the last line's and the empty line's; empty where the
	// stream ended in mid-line and after a body. An event's is its empty line, and the
	// end of the line before where it has one. It is valid as long as Data is.
	Term []byte

	Start bool // Start is set on a frame's first piece.
	End   bool // End is set on a frame's last piece.

	Kind Kind
}

// Kind says what a frame is to the framing.
type Kind uint8

const (
	Line   Kind = iota // Line is text up to a line feed, or up to the end of the stream.
	Header             // Header is a Content-Length header block, its lines separated as on the wire.
	Body               // Body is the exact number of bytes that a Header announced, after one that announced 0 none; or the body of an HTTP request or response.
	Event              // Event is a server-sent event up to its empty line. Its body is its data; empty for a comment.
)

// Mode is how a stream is cut.
type Mode uint8

const (
	Lines  Mode = iota // Lines is the framing of stdio: lines, and Content-Length blocks once a peer uses them.
	Whole              // Whole makes one frame of all bytes: a body of HTTP.
	Events             // Events are server-sent events: a body of HTTP of the type text/event-stream.
)
