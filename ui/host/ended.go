package host

import (
	"fmt"
	"time"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/ui/format"
)

// ended says how a session that was watched has ended: what became of the server,
// by whom, and when. It is empty while the session goes on or is still read, and
// for one that was over from the start.
func (t *Tab) ended(snap *session.Snapshot) string {
	if t.Ctx.Live || !t.Ctx.Lived || t.Reading() {
		return ""
	}
	c := snap.LastConn()
	switch {
	case snap.End() == nil:
		return "The session broke off" + clockOf(snap, snap.Clock()) + ": what recorded it was killed, or lost its disk. Nothing is known of what came after."
	case c == nil || !c.Started:
		return "The session is over: no server was started."
	}
	if !c.Exited {
		return "The session is over" + clockOf(snap, snap.Clock()) + ", and the server had not exited."
	}
	words := fmt.Sprintf("The server exited with code %d", c.ExitCode)
	if c.ExitSig != "" {
		words = "The server was ended by " + format.Visible([]byte(c.ExitSig), 20)
	}
	return words + clockOf(snap, c.ExitT) + ", " + endedBy(c) + ". The session is recorded to its end."
}

// clockOf writes a time of the session as the time of day, where that is known.
func clockOf(snap *session.Snapshot, t int64) string {
	h := snap.Header()
	if h == nil || h.T0.IsZero() {
		return ""
	}
	return " at " + h.T0.Add(time.Duration(t)).Local().Format("15:04:05")
}

// endedBy says whose doing the end of a process was.
func endedBy(c *session.Conn) string {
	if n := len(c.Signals); n > 0 {
		sig := c.Signals[n-1]
		if sig.Signal == c.ExitSig {
			return "sent by " + senderWords.Get()[sig.By]
		}
		return format.Visible([]byte(sig.Signal), 20) + " sent by " + senderWords.Get()[sig.By]
	}
	switch {
	case c.ExitSig != "":
		return "a signal that did not come through wiretea"
	case c.StdinEOF > 0 && c.StdinEOF <= c.ExitT:
		return format.Duration(c.ExitT-c.StdinEOF) + " after its stdin was closed"
	}
	return "by itself, while its input was open"
}

// senderWords are the senders of signals as the session file names them.
var senderWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"us": "wiretea", "client": "the client", "other": "somebody else", "": "somebody else"}
}}
