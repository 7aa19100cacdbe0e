package statistics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

// How long a client is watched before something is said of what it has not done.
const (
	listsWithin = int64(10 * time.Second)
	callsWithin = int64(time.Minute)
)

// A client is what one client did about the tools of its server. Times are in nanoseconds of
// the session, rows session.NoRow where there is none.
type client struct {
	ready   int64  // ready is when it had initialized; less than 0 = that was not seen.
	end     int64  // end is until when it was watched.
	asked   bool   // asked: it requested tools/list,
	listed  uint32 // and listed is the row of the latest answer.
	called  bool
	changed uint32 // changed is the row of the latest notice that the tools have changed.
	unsure  bool   // unsure: there are frames of the client in which a request may be.
}

// ClientWords say what a client has not done with the tools of its server, as far as the
// recording shows it: it never listed them, called none, or did not list them again after
// they had changed. Nothing is said of wiretea's own sessions, of short ones, of those with
// several connections, of HTTP, and where something is missing.
func ClientWords(log recorder.Log, s *session.Snapshot) []string {
	conns, h := s.Conns(), s.Header()
	if len(conns) != 1 || h == nil || h.Trans != "stdio" || h.Mode != "tee" || s.Totals().Damaged > 0 {
		return nil
	}
	conn := &conns[0]
	if conn.Ours || conn.Phase != session.PhaseLegacy || !conn.Initialized || conn.Gaps[session.C2S] || conn.Gaps[session.S2C] {
		return nil
	}
	who := recorder.ReadHandshake(log, s, recorder.HandshakeRows)
	tools, declared := recorder.Members(who.Server.Capabilities)["tools"]
	c := watch(s, conn)
	if !declared || c.unsure || c.ready < 0 {
		return nil
	}
	name := cmp.Or(text.Visible([]byte(who.Client.Name), 60), "the client")
	return c.words(s, name, tools)
}

// watch collects what a client did.
func watch(s *session.Snapshot, conn *session.Conn) *client {
	c := &client{ready: -1, end: s.Clock(), listed: session.NoRow, changed: session.NoRow}
	for _, t := range []int64{conn.ExitT, conn.StdinEOF, conn.StdoutEOF} {
		if t > 0 {
			c.end = min(c.end, t)
		}
	}
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		method := s.Name(row.Method)
		switch row.Kind {
		case session.RowBatch, session.RowText, session.RowPart, session.RowGrowing:
			c.unsure = c.unsure || row.Stream == session.C2S
		case session.RowRequest:
			if row.Stream == session.C2S && row.Way != session.WayOut {
				c.asked = c.asked || method == mcp.ToolsList
				c.called = c.called || method == mcp.ToolsCall
			}
		case session.RowResult:
			if method == mcp.ToolsList && row.Stream == session.S2C && row.Way == session.Crossed {
				c.listed = i
			}
		case session.RowNotification:
			switch {
			case method == mcp.InitializedNotification && row.Stream == session.C2S && c.ready < 0:
				c.ready = row.T
			case method == mcp.ToolsListChangedNotification && row.Stream == session.S2C:
				c.changed = i
			}
		}
	}
	return c
}

// words say what the client has not done. tools is the capability that the server declared.
func (c *client) words(s *session.Snapshot, name string, tools json.RawMessage) (words []string) {
	since := func(t int64) string { return text.Wait(time.Duration(c.end - t)) }
	if !c.asked {
		if c.end-c.ready >= listsWithin {
			words = append(words, fmt.Sprintf("%s did not request the list of tools in the %s after the handshake, though the server declares tools", name, since(c.ready)))
		}
		return words
	}
	if c.listed == session.NoRow {
		return nil
	}
	listed := s.Row(c.listed)
	if !c.called && c.end-listed.T >= callsWithin {
		words = append(words, fmt.Sprintf("%s called none of the tools in the %s after it had listed them", name, since(listed.T)))
	}
	if c.changed == session.NoRow || c.changed < c.listed || string(recorder.Members(tools)["listChanged"]) != "true" {
		return words
	}
	if changed := s.Row(c.changed); c.end-changed.T >= listsWithin {
		words = append(words, fmt.Sprintf("%s did not list the tools again in the %s after the server reported that they had changed (#%d)", name, since(changed.T), changed.N))
	}
	return words
}
