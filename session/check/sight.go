package check

import (
	"hash/maphash"
	"strconv"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// maxSeen is how many messages of one frame bring events (session holds no more
// back): what those beyond it say is not known here.
const maxSeen = 64

// A sight remembers of which streams not everything could be read, so that nobody
// is accused of not having said something.
type sight struct{ blind [2]bool }

// frame takes note of a frame.
func (s *sight) frame(f *session.Frame) {
	if f.Stream == session.Stderr || f.Part {
		return
	}
	if f.Text.Emitted == 0 && f.Text.Syntax != jsonrpc.Empty || f.Text.Emitted > maxSeen {
		s.blind[f.Stream] = true
	}
}

// sees reports whether all that a stream carried from the beginning is known.
func (s *sight) sees(ev *session.Event, stream session.Stream) bool {
	return !s.blind[stream] && !ev.Conn.Gaps[stream] && ev.Conn.Started
}

// composed reports whether a message is what people made the client send.
func composed(ev *session.Event) bool { return ev.Frame.Stream == session.C2S && !clients(ev) }

// textMark tells the hashes of "1" and 1 apart.
const textMark = 0x9e3779b97f4a7c15

// hashID returns the hash of an id or a token: of its JSON type and of what it
// says, however that is written. It reports false where nothing can be found by it.
func hashID[T string | []byte](raw T) (uint64, bool) {
	text := string(raw)
	if text == "" || len(text) >= jsonrpc.MaxCapture {
		return 0, false
	}
	if text[0] != '"' {
		return maphash.String(seed, plainNumber(text)), text[0] == '-' || text[0] >= '0' && text[0] <= '9'
	}
	for i := range len(text) {
		if text[i] == '\\' {
			return maphash.String(seed, unquoted([]byte(text))) ^ textMark, true
		}
	}
	return maphash.String(seed, text[1:len(text)-1]) ^ textMark, true
}

// plainNumber writes 1.0 and 1e0 as 1.
func plainNumber(text string) string {
	for i := range len(text) {
		if c := text[i]; c == '.' || c == 'e' || c == 'E' {
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				return strconv.FormatFloat(f, 'f', -1, 64)
			}
		}
	}
	return text
}

// numberOf reads a number; it reports false for anything else, and for one that
// no program can keep.
func numberOf(v *jsonrpc.Value) (float64, bool) {
	if v.Type != jsonrpc.Number || !v.Whole() {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return f, err == nil
}
