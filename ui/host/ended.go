package host

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/style"
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
		return "The session broke off" + clockOf(snap, snap.Clock()) + ": " + session.NoEnd + ". Nothing is known of what came after."
	case c == nil || !c.Started:
		return "The session is over: no server was started."
	}
	if !c.Exited {
		return "The session is over" + clockOf(snap, snap.Clock()) + ", and the server had not exited."
	}
	words := fmt.Sprintf("The server exited with code %d", c.ExitCode)
	if c.ExitSig != "" {
		words = "The server was ended by " + text.Visible([]byte(c.ExitSig), 20)
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
		return text.Visible([]byte(sig.Signal), 20) + " sent by " + senderWords.Get()[sig.By]
	}
	switch {
	case c.ExitSig != "":
		return "a signal that did not come through wiretea"
	case c.StdinEOF > 0 && c.StdinEOF <= c.ExitT:
		return text.Duration(c.ExitT-c.StdinEOF) + " after its stdin was closed"
	}
	return "by itself, while its input was open"
}

// senderWords are the senders of signals as the session file names them.
var senderWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"us": "wiretea", "client": "the client", "other": "somebody else", "": "somebody else"}
}}

// Name names the session: of a URL its host and its path.
func (t *Tab) Name() string {
	title := t.Source.Title()
	if h := t.Ctx.Header; t.Ctx.HTTP() && t.Ctx.Attached != nil && h.Name == "" {
		title = h.URL
	}
	if _, rest, url := strings.Cut(title, "://"); url && t.Ctx.HTTP() {
		return rest
	}
	return title
}

// Severity is how bad the root cause of what is wrong with the session is.
func (t *Tab) Severity() session.Severity {
	_, sev := t.Findings.Cause(&t.Ctx)
	return sev
}

// Counts are the numbers of findings by severity, worst first, without those that were
// silenced. For a session without findings they are its verdict's sign and the number of tool
// calls that failed.
func (t *Tab) Counts() string {
	found, _ := t.Findings.Counts(&t.Ctx)
	if words := CountWords(t.Ctx.Theme, found); words != "" {
		return words
	}
	sign := t.VerdictSign()
	for _, m := range t.Ctx.Snap.Methods() {
		if m.Sender == session.C2S && m.Name == mcp.ToolsCall && m.Errors > 0 {
			sign += t.Ctx.Theme.Warning.Paint(" " + text.Plural(m.Errors, "failed call"))
		}
	}
	return sign
}

// CountWords writes numbers of findings by severity.
func CountWords(th *style.Theme, found [4]int64) string {
	var parts []string
	for _, sev := range []session.Severity{session.Error, session.Warning, session.Info} {
		if n := found[sev]; n > 0 {
			look, sign := th.Severity(sev)
			parts = append(parts, look.Paint(sign+" "+text.Count(n)))
		}
	}
	return strings.Join(parts, "  ")
}

// Vouched reports whether the server has answered the handshake and no request hangs. It is
// true for a session that is over.
func (t *Tab) Vouched() bool {
	if !t.Ctx.Live || t.Ctx.Past || t.Ctx.Paused {
		return true
	}
	_, hangs := t.Ctx.Hanging()
	conns := t.Ctx.Snap.Conns()
	if !t.Ctx.HTTP() { // Connections over HTTP are side by side.
		conns = conns[max(0, len(conns)-1):]
	}
	return !hangs && slices.ContainsFunc(conns, func(c session.Conn) bool { return c.Phase >= session.PhaseLegacy })
}

// VerdictSign is the header's sign for a session without findings. It may be an error: a
// server that could not be started breaks no rule. While the server has not answered the
// handshake, or lets a request wait for long, nothing is known and the sign is empty.
func (t *Tab) VerdictSign() string {
	cause, sev := t.Findings.Cause(&t.Ctx)
	if cause.Empty() || cause.Finding >= 0 {
		sev = session.NoSeverity
	}
	look, sign := t.Ctx.Theme.Severity(sev)
	if c := t.Ctx.Snap.LastConn(); sev == session.Error && c != nil && c.Failed && !c.Started {
		if t.Ctx.Live && !t.Ctx.Past && !t.Ctx.Paused {
			return "" // The word for how the session stands says it.
		}
		return look.Paint(sign + " not started")
	}
	if sev == session.NoSeverity && !t.Vouched() {
		return ""
	}
	return look.Paint(sign)
}
