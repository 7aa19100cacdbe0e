package rule

import (
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxSeen is how many messages of one frame bring events: session keeps no more
// of a batch, so the rest is unknown here.
const maxSeen = 64

// Coverage records which streams could not be read completely, so that no side is
// accused of not having sent something.
type Coverage struct {
	unread [2]bool
	first  bool // first: the first message of a round trip was seen,
	begun  bool // begun: and it is one with which a client begins.
}

// Note records a frame that could not be read, and how a connection of HTTP begins. It
// ignores all other events.
func (c *Coverage) Note(ev *session.Event) {
	if ev.Kind == session.MessageSeen && !c.first && ev.Frame.Trip != nil && ev.Frame.Stream == session.C2S {
		c.first, c.begun = true, Begins(ev)
	}
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
	return c.Reads(ev, stream) && (ev.Conn.Started || c.begun)
}

// Begins reports whether a message is one with which a client begins. A connection of
// HTTP that has another one first is in the middle of its session.
func Begins(ev *session.Event) bool {
	return ev.Method != nil && (ev.Method.Name == mcp.Initialize || ev.Method.Name == mcp.ServerDiscover) || HasModernMeta(ev.Message)
}
