package process

import (
	"strconv"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// An ending is what ended an MCP session over HTTP, as far as it is known.
type ending struct {
	t       int64
	status  int  // status is that of the response that says it.
	deleted bool // deleted: it answers the client's DELETE; else the server does not know the session.
}

// mayEnd reports whether a row may be the end of a session: a DELETE, or a response 404.
func mayEnd(s *session.Snapshot, r session.Row) bool {
	return r.Kind == session.RowTrip && s.Name(r.Method) == "DELETE" || r.Kind == session.RowTripResponse && r.Skip == 404
}

// mostEnds is how many rows are looked at that may be the end of a session, the latest.
const mostEnds = 8192

// endings looks up how the sessions ended, by connection.
func endings(s *session.Snapshot, rows []uint32) map[int]ending {
	ends := map[int]ending{}
	for _, row := range rows[max(0, len(rows)-mostEnds):] {
		r := s.Row(row)
		conn := s.Conn(int(r.Conn))
		if conn == nil || conn.Session == "" {
			continue
		}
		e := ending{t: r.T, status: int(r.Skip)}
		if r.Kind == session.RowTrip {
			v := s.Trip(row)
			if !v.Over || v.Status == 0 {
				continue
			}
			e = ending{t: v.ResponseRow.T, status: v.Status, deleted: true}
		}
		if conn.LastT[session.S2C] <= e.t { // The server said nothing later.
			ends[conn.ID] = e
		}
	}
	return ends
}

// over reports whether it ended the session. A server may refuse to delete one.
func (e *ending) over() bool {
	return e.status != 0 && (!e.deleted || e.status < 300 || e.status == 404)
}

// standing says in a word how a session stands, with its sign.
func (p *Pane) standing(c *pane.Context, sc *session.Conn) (style.Style, string, string) {
	th := c.Theme
	switch e := p.ends[sc.ID]; {
	case e.over() && e.deleted:
		return th.Dim, "○", "deleted"
	case e.over():
		return th.Error, "✖", strconv.Itoa(e.status)
	case !c.Live && sc.Session != "":
		return th.Dim, "○", "open"
	case !c.Live, sc.Ended: // A session without an id ends with the recording.
		return th.Dim, "○", "over"
	case sc.OpenTrips == 0:
		return th.OK, "●", "idle"
	}
	return th.OK, "●", "open"
}

// fate says how a session stands, in a sentence.
func (p *Pane) fate(c *pane.Context, sc *session.Conn) string {
	e := p.ends[sc.ID]
	at := c.Clock(e.t)
	if at == "" {
		at = text.Seconds(e.t) + " s"
	}
	status := strconv.Itoa(e.status)
	switch {
	case e.over() && e.deleted:
		return "the client deleted it at " + at + ", status " + status
	case e.over():
		return "the server answered " + status + " at " + at + ": it does not know the session"
	case e.deleted:
		return "open; the server refused to delete it at " + at + ", status " + status
	case sc.Session == "" && sc.Era == mcp.Modern:
		return "none: in the modern era requests belong to no session"
	case sc.Session == "":
		return "none: the server gave no session id"
	case !c.Live:
		return "open when the recording ends"
	}
	return "open"
}
