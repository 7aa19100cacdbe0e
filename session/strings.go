package session

import "slices"

// wordOf returns the word of a value, "?" if it has none.
func wordOf[T ~uint8](words []string, v T) string {
	if int(v) < len(words) {
		return words[v]
	}
	return "?"
}

// The words of enumerations, by value.
var (
	severityWords = []string{"", "info", "warning", "error"}
	faultWords    = []string{"nobody", "client", "server", "intermediary"}
	streamWords   = []string{"c2s", "s2c", "err"}
	wayWords      = []string{"", "in", "out"}
	stateWords    = []string{"pending", "answered", "failed", "cancelled", "lost"}
	matchWords    = []string{"none", "new", "reused", "clash", "answer", "late", "cancelled", "duplicate", "type", "orphan"}
	phaseWords    = []string{"new", "probing", "initialize", "legacy", "modern"}
	rowKindWords  = []string{
		"text", "request", "notification", "result", "error", "batch", "part", "header", "blank", "growing", "stderr", "io", "proc", "gap",
		"http", "http response", "http end",
	}
)

// String returns info, warning or error, and "" for none.
func (s Severity) String() string { return wordOf(severityWords, s) }

// String returns nobody, client or server.
func (f Fault) String() string { return wordOf(faultWords, f) }

// String returns the stream's word in the session file: c2s, s2c or err.
func (s Stream) String() string { return wordOf(streamWords, s) }

// String returns the word in the session file, empty for Crossed.
func (w Way) String() string { return wordOf(wayWords, w) }

// String returns the state's word in lower case.
func (s State) String() string { return wordOf(stateWords, s) }

// String returns the match's word in lower case.
func (m Match) String() string { return wordOf(matchWords, m) }

// String returns the phase's word in lower case.
func (p Phase) String() string { return wordOf(phaseWords, p) }

// String returns the kind's word in lower case.
func (k RowKind) String() string { return wordOf(rowKindWords, k) }

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
