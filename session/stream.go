package session

import "slices"

// Stream is one of the three byte streams of a stdio connection.
type Stream uint8

const (
	C2S    Stream = iota // C2S is client to server: the server's stdin.
	S2C                  // S2C is server to client: the server's stdout.
	Stderr               // Stderr is the server's stderr.
)

// AnyStream is, of a gap, that it is not known which stream lacks bytes.
const AnyStream = Stderr + 1

// Streams lists the three streams.
var Streams = [...]Stream{C2S, S2C, Stderr}

// ParseStream returns the stream of that word; "stderr" is taken for err.
func ParseStream(word string) (Stream, bool) {
	if word == "stderr" {
		return Stderr, true
	}
	i := slices.Index(streamWords, word)
	return Stream(max(0, i)), i >= 0
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

// Way is how a frame or its bytes travelled.
type Way uint8

const (
	Crossed Way = iota // Crossed: received and forwarded unchanged. The normal case.
	WayIn              // WayIn: received and not forwarded.
	WayOut             // WayOut: sent by wiretea, received from neither side.
)
