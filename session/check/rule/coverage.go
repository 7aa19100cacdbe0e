package rule

import (
	"strconv"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// maxSeen is how many messages of one frame bring events (session holds no more
// back): what those beyond it say is not known here.
const maxSeen = 64

// A sight remembers of which streams not everything could be read, so that nobody
// is accused of not having said something.
type Coverage struct{ unread [2]bool }

// Frame takes note of a frame.
func (s *Coverage) Frame(f *session.Frame) {
	if f.Stream == session.Stderr || f.Part {
		return
	}
	if f.Text.Emitted == 0 && f.Text.Syntax != jsonrpc.Empty || f.Text.Emitted > maxSeen {
		s.unread[f.Stream] = true
	}
}

// Sees reports whether all that a stream carried from the beginning is known.
func (s *Coverage) Sees(ev *session.Event, stream session.Stream) bool {
	return !s.unread[stream] && !ev.Conn.Gaps[stream] && ev.Conn.Started
}

// NumberOf reads a number; it reports false for anything else, and for one that
// no program can keep.
func NumberOf(v *jsonrpc.Value) (float64, bool) {
	if v.Type != jsonrpc.Number || !v.Whole() {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return f, err == nil
}
