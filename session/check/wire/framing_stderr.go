package wire

import (
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for messages on stderr that wait until it is clear that they do not
// appear on stdout as well.
const (
	misplacedWait = int64(time.Second)
	maxMisplaced  = 8
)

// misplaced is a message on stderr that may be only the log of one.
type misplaced struct {
	id    string // id is a response's raw id; empty for other messages.
	due   int64
	found session.Finding
}

// stderr judges a line of stderr.
func (conn *framingConn) stderr(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	if f.Text.Defects&jsonrpc.InvalidUTF8 != 0 && len(f.Term) > 0 {
		r.Report(stderrNotUTF8.At(ev, "server wrote bytes to stderr that are not UTF-8%s", badBytes(f.Head)))
	}
	if f.Text.Syntax != jsonrpc.Complete || !rule.StartsMessage(f.Head) || len(conn.misplaced) >= maxMisplaced {
		return
	}
	jsonrpc.Scan(f.Head, func(m *jsonrpc.Message) {
		if id, ok := misses(ev.Conn, m); ok {
			conn.misplaced = append(conn.misplaced, misplaced{
				id: id, due: ev.T + misplacedWait,
				found: stderrHasProtocol.At(ev, "server wrote a message to stderr: %s", rule.Excerpt(f.Head)),
			})
			r.At(ev.T+misplacedWait, ev.Conn.ID, session.TimerKey{Rule: stderrHasProtocol.ID})
		}
	})
}

// misses reports whether the client may be waiting for a message on stderr: the
// response to an open request or, from a server that has written nothing to
// stdout, a message that only servers send. Anything else is a log of the
// traffic.
func misses(c *session.Conn, m *jsonrpc.Message) (id string, ok bool) {
	if !m.Version.Is("2.0") {
		return "", false
	}
	switch m.Kind {
	case jsonrpc.Result, jsonrpc.Error:
		return string(m.ID.Raw), isOpen(c, m.ID.Raw)
	case jsonrpc.Request, jsonrpc.Notification:
		name, _ := m.Method.Unquoted()
		method, known := mcp.Lookup(name)
		return "", known && method.Dir == mcp.ServerToClient && c.Frames[session.S2C] == 0
	case jsonrpc.Invalid:
	}
	return "", false
}

func isOpen(c *session.Conn, id []byte) bool {
	return slices.ContainsFunc(c.Open[session.C2S], func(x *session.Exchange) bool { return x.ID == string(id) })
}

// unmisplace drops waiting messages when the same response comes on stdout, or
// when stdout turns out to be in use.
func (conn *framingConn) unmisplace(ev *session.Event) {
	if ev.Frame.Stream != session.S2C {
		return
	}
	conn.misplaced = slices.DeleteFunc(conn.misplaced, func(m misplaced) bool {
		return m.id == "" || ev.Message.Kind.Response() && m.id == string(ev.Message.ID.Raw)
	})
}

// reportMisplaced reports messages that have waited long enough; at the end of
// the connection, all of them.
func (conn *framingConn) reportMisplaced(ev *session.Event, r session.Reporter) {
	conn.misplaced = slices.DeleteFunc(conn.misplaced, func(m misplaced) bool {
		due := ev.Kind == session.ConnEnded || ev.T >= m.due
		if due {
			r.Report(m.found)
		}
		return due
	})
}
