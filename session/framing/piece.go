package framing

// MaxHeader is the longest Content-Length header block that is recognised, in
// bytes. A longer one is not a header block but lines.
const MaxHeader = 8 << 10

// A Piece is a part of one frame, in the order of the stream. A frame that lies
// whole in one chunk is one Piece with Start and End both set.
type Piece struct {
	// Data is the next part of the frame's body, without terminator. It aliases
	// the chunk given to Push, or the Splitter's own memory, and is valid until
	// emit returns. It may be empty.
	Data []byte

	// Term is the frame's terminator, set with End: "\n" or "\r\n"; after a header
	// block two of them, the last line's and the empty line's; empty where the
	// stream ended in mid-line and after a Content-Length body. It is valid as
	// long as Data is.
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
	Body               // Body is the exact number of bytes that a Header announced. After one that announced 0 there is none.
)
