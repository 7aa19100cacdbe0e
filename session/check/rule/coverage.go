package rule

import (
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// maxSeen is how many messages of one frame bring events: session keeps no more
// of a batch, so the rest is unknown here.
const maxSeen = 64

// Coverage records which streams could not be read completely, so that no side is
// accused of not having sent something.
type Coverage struct{ unread [2]bool }

// Note records a frame that could not be read. It ignores all other events.
func (c *Coverage) Note(ev *session.Event) {
	if ev.Kind != session.FrameSeen || ev.Frame.Text.Emitted == 1 {
		return
	}
	f := ev.Frame
	if f.Stream != session.Stderr && !f.Part && (f.Text.Emitted > maxSeen || f.Text.Emitted == 0 && f.Text.Syntax != jsonrpc.Empty) {
		c.unread[f.Stream] = true
	}
}

// Reads reports whether everything seen of a stream could be read, without gaps.
func (c *Coverage) Reads(ev *session.Event, stream session.Stream) bool {
	return !c.unread[stream] && !ev.Conn.Gaps[stream]
}

// Sees reports whether all that a stream carried from its beginning is known.
func (c *Coverage) Sees(ev *session.Event, stream session.Stream) bool {
	return c.Reads(ev, stream) && ev.Conn.Started
}
