package session

// Stream is one of the three byte streams of a stdio connection.
type Stream uint8

const (
	C2S    Stream = iota // C2S is client to server: the server's stdin.
	S2C                  // S2C is server to client: the server's stdout.
	Stderr               // Stderr is the server's stderr.
)

// Streams lists the three streams.
var Streams = [...]Stream{C2S, S2C, Stderr}

// String returns the stream's word in the session file: c2s, s2c or err.
func (s Stream) String() string {
	switch s {
	case C2S:
		return "c2s"
	case S2C:
		return "s2c"
	case Stderr:
		return "err"
	}
	return "?"
}

// ParseStream returns the stream of that word; "stderr" is taken for err.
func ParseStream(word string) (Stream, bool) {
	switch word {
	case "c2s":
		return C2S, true
	case "s2c":
		return S2C, true
	case "err", "stderr":
		return Stderr, true
	}
	return 0, false
}

// Reverse returns the stream on which the other side answers. Stderr has none
// and returns itself.
func (s Stream) Reverse() Stream {
	switch s {
	case C2S:
		return S2C
	case S2C:
		return C2S
	}
	return s
}

// Way says how a frame or its bytes travelled.
type Way uint8

const (
	Crossed Way = iota // Crossed: received and forwarded unchanged. The normal case.
	WayIn              // WayIn: received and not forwarded.
	WayOut             // WayOut: sent by us, received from nobody.
)

// String returns the word in the session file, empty for Crossed.
func (w Way) String() string {
	switch w {
	case WayIn:
		return "in"
	case WayOut:
		return "out"
	}
	return ""
}
