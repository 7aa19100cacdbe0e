package traffic

import (
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// conn is the connection of a row; nil where the snapshot does not know it.
func (d *drawer) conn(r session.Row) *session.Conn {
	if d.at == nil || d.at.ID != int(r.Conn) {
		if d.at = d.c.Snap.Conn(int(r.Conn)); d.at != nil {
			_, d.asks = d.at.HumanWait()
		}
	}
	return d.at
}

// standing writes how a request that waits stands: whom it waits for, and how far
// it has come. It returns how many cells are left.
func (d *drawer) standing(i uint32, r session.Row, left int) int {
	c := d.conn(r)
	if c == nil || !d.c.Live || d.c.Over(c) {
		return left
	}
	you := "its user"
	if c.Ours {
		you = "you"
	}
	switch {
	case r.Flags&session.FlagAsks != 0:
		return d.whom("⚠ waits for ", you, left)
	case r.Kind != session.RowRequest:
		return left
	}
	x := d.c.Snap.Waiting(i)
	switch {
	case x == nil:
		return left
	case c.ForHuman(x):
		return d.whom("⚠ asks ", you, left)
	case x.Progress > 0:
		left = d.part(d.th.Accent, text.Progress(x.Done, x.Total, left), left)
	}
	if x.Sender == session.C2S && d.asks > 0 {
		left = d.whom("⚠ waits for ", you, left)
	}
	return left
}

// whom writes who is waited for; where there is little room, that alone, or the
// sign.
func (d *drawer) whom(words, who string, left int) int {
	for _, text := range []string{words + who, "⚠ " + who} {
		if cells.Width(text) <= left {
			return d.part(d.th.Warning, text, left)
		}
	}
	return d.part(d.th.Warning, "⚠", left)
}

// titleBar is how many cells a title has for the progress of a request.
const titleBar = 14

// farthest is how far the latest request that tells its progress has come: its own
// row is soon pushed out of sight by what it tells. It is empty where none does.
func farthest(c *pane.Context) string {
	conn := c.Snap.LastConn()
	if !c.Live || conn == nil {
		return ""
	}
	open := conn.Open[session.C2S]
	for i := len(open) - 1; i >= 0; i-- {
		if x := open[i]; x.Progress > 0 {
			return text.Progress(x.Done, x.Total, titleBar)
		}
	}
	return ""
}

// waiting is the timer of a request that has no answer. While people are waited
// for, or it is held here, nothing is late, and afterwards its time begins again.
func (d *drawer) waiting(i uint32, r session.Row) (style.Style, string) {
	ns := max(0, d.c.Now-r.T)
	text := running(ns)
	turning := pane.Spinner(ns)
	name := d.c.Snap.Name(r.Method)
	m, known := mcp.Lookup(name)
	since, ours := d.c.Waits(i)
	c, run := d.conn(r), max(0, d.c.Now-since)
	switch {
	case known && m.Unbounded:
		return d.th.Text, turning + " " + text
	case c == nil:
	case r.Stream == session.C2S && d.asks > 0, c.ForHuman(&session.Exchange{Sender: r.Stream, Method: name}):
		return d.th.Text, turning + " " + text
	case ours:
		return d.th.Text, "‖ " + text
	case r.Stream == session.C2S && c.People > since:
		run = max(0, d.c.Now-c.People)
	}
	limit := int64(d.limits(r).For(name))
	switch {
	case run >= limit:
		return d.th.Error, "✖ " + text
	case run >= min(limit/2, pane.HangsAfter):
		return d.th.Warning, turning + " " + text + "!"
	}
	return d.th.Text, turning + " " + text
}

// limits are those of a row's connection.
func (d *drawer) limits(r session.Row) session.Limits {
	if c := d.conn(r); c != nil {
		return c.Limits
	}
	return session.DefaultLimits()
}

// running writes for how long something has lasted.
func running(ns int64) string {
	if ns < int64(time.Minute) {
		return strconv.FormatFloat(float64(ns/1e8)/10, 'f', 1, 64) + " s"
	}
	return text.Duration(ns / 1e8 * 1e8)
}
