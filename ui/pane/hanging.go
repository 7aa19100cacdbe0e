package pane

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/spinner"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/keys"
)

// HangsAfter is from when on a request that waits for its response is amber and is told
// of, in nanoseconds.
const HangsAfter = int64(5 * time.Second)

// Hanging is the client's request that has waited longest for its response.
type Hanging struct {
	Name  string        // Name is what it acts on, such as the tool's name, else its method; safe to print.
	For   time.Duration // For is how long it has waited.
	Limit time.Duration // Limit is when wiretea gives up, as For; 0 = never, or it is not known.

	row    uint32
	n      uint64 // n is its record number.
	greets bool   // greets: it belongs to the handshake, which cannot be cancelled.
	only   bool   // only: no other request is pending.
}

// Hanging returns the request of the latest connection that hangs; false where none
// does, and while a person is waited for.
func (c *Context) Hanging() (h Hanging, ok bool) {
	conn := c.Snap.LastConn()
	if conn == nil || !c.Live || c.Past || conn.Ended || conn.Exited {
		return h, false
	}
	if _, asks := conn.HumanWait(); asks > 0 {
		return h, false
	}
	for _, x := range conn.Open[session.C2S] {
		m, known := mcp.Lookup(x.Method)
		since, ours := c.Waits(x.Req)
		if waits := c.Now - max(since, conn.People); known && m.Unbounded || waits < HangsAfter || ours {
			continue
		}
		h = Hanging{Name: text.Visible([]byte(cmp.Or(x.Target, x.Method)), 60), For: time.Duration(c.Now - since), row: x.Req, n: x.ReqN}
		h.only = len(conn.Open[session.C2S]) == 1
		h.greets = x.Method == mcp.Initialize || x.Method == mcp.ServerDiscover
		// A probe has a limit of its own, and the time in which a person was asked, or
		// the server is fetched, does not count.
		if conn.Ours && x.Method != mcp.ServerDiscover && conn.People <= x.ReqT && c.Launcher == "" {
			if limit := conn.Limits.For(x.Method); limit > h.For {
				h.Limit = limit
			}
		}
		return h, true
	}
	return h, false
}

// Over reports whether a connection has ended, or nobody answers on it any more: wiretea is
// its client, and has begun another since. Over HTTP no record says that it has ended. It
// reports false for nil.
func (c *Context) Over(conn *session.Conn) bool {
	return conn != nil && (conn.Ended || conn.Ours && conn.ID != c.Snap.LastConn().ID)
}

// Holds reports whether a row is a message that is held here now.
func (c *Context) Holds(r session.Row) bool { return c.HeldAt(r) >= 0 }

// HeldAt returns the index in Held of the message of a row; -1 = it is not held now.
func (c *Context) HeldAt(r session.Row) int {
	if len(c.Held) == 0 {
		return -1
	}
	id := c.Snap.ID(r)
	return slices.IndexFunc(c.Held, func(h session.Held) bool {
		return h.Conn == int(r.Conn) && h.Stream == r.Stream && h.Kind == r.Kind && h.MessageID == id && (id != "" || h.Method == c.Snap.Name(r.Method))
	})
}

// Dropped reports whether the request of row i came and was dropped here: it did not go on, and
// is not held any more. It reports false where it is not known what is held, and where something is
// missing in the recording.
func (c *Context) Dropped(i uint32) bool {
	r := c.Snap.Row(i)
	switch {
	case r.Kind != session.RowRequest || r.Pair != session.NoRow || r.Way != session.WayIn || r.Flags&session.FlagDecided == 0:
		return false
	case c.Live && (c.Held == nil || c.Holds(r) || c.Now-r.T <= settles):
		return false
	}
	if c.renamed(i, r) {
		return false
	}
	if x := c.Snap.Waiting(i); x != nil {
		return x.Kept
	}
	if conn := c.Snap.Conn(int(r.Conn)); conn == nil || conn.Gaps[r.Stream] {
		return false
	}
	return c.Snap.Onward(i) == session.NoRow
}

// mostRenamed is how many rows after a request are looked at for one that went on with another id.
const mostRenamed = 1 << 12

// renamed reports whether a request that came on the connection of row i, or this one, may have gone
// on with another id: it then has an exchange of its own.
func (c *Context) renamed(i uint32, r session.Row) bool {
	for k := i + 1; k < min(uint32(c.Snap.Len()), i+mostRenamed); k++ {
		o := c.Snap.Row(k)
		if o.Kind == session.RowRequest && o.Way == session.WayOut && o.Flags&session.FlagDecided != 0 && o.Conn == r.Conn && o.Stream == r.Stream &&
			(o.Pair != session.NoRow || c.Snap.Waiting(k) != nil) {
			return true
		}
	}
	return false
}

// settles is how long after a message came it is known whether it is held, in nanoseconds.
const settles = int64(time.Second)

// Waits says since when the receiver of a request, of row i, has had the time to answer it: not
// while it is held here (ours), nor while what its receiver asks meanwhile is.
func (c *Context) Waits(i uint32) (since int64, ours bool) {
	r := c.Snap.Row(i)
	since = r.T
	if x := c.Snap.Waiting(i); x != nil {
		since, ours = max(since, x.Went), x.Kept
	}
	ours = ours || c.Holds(r) || slices.ContainsFunc(c.Held, func(h session.Held) bool {
		request := h.Kind == session.RowRequest
		return h.Conn == int(r.Conn) && h.Kind != session.RowNotification && (h.Stream == r.Stream) != request
	})
	return since, ours
}

// HangingWords says which request hangs, until when, and what can be done; empty where
// none does.
func (c *Context) HangingWords() string {
	h, ok := c.Hanging()
	if !ok {
		return ""
	}
	words := h.Name + " waits for " + text.Wait(h.For)
	if h.Limit > 0 {
		words += "; wiretea gives up at " + text.Wait(h.Limit)
	}
	switch {
	case c.Launcher != "":
		words += ": " + c.Launcher + " has not started the server, it may be downloading or building it"
	case !h.greets && c.Attached == nil:
		words += "; " + c.Keys.WordOf(keys.Cancel, keys.Traffic)
		if c.Cursor != h.row && !h.only {
			words += fmt.Sprintf(" on #%d", h.n)
		}
		words += " cancels"
	}
	return words
}

// Spinner returns the frame of the spinner for a time in nanoseconds, from 0 on: ten
// frames a second, one cell wide.
func Spinner(ns int64) string {
	frames := spinner.MiniDot.Frames
	return frames[(ns/1e8)%int64(len(frames))]
}
