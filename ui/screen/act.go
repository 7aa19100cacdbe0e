package screen

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A sent has been answered, or could not be sent.
type sent struct{ err error }

// A restarted server has been, or could not be.
type restarted struct{ err error }

// noSending says why nothing can be sent to the session's server, empty = it can.
// It is asked at each drawing, so it goes by what was looked up last.
func (s *Screen) noSending() string {
	t := s.tab()
	_, ok := t.source.(source.Sender)
	switch a := t.ctx.Attached; {
	case !ok:
		return "no server to send to: this is a recording"
	case !t.ctx.Live || t.ctx.Past:
		return "no server to send to: the session is over"
	case a != nil && a.Refused != "":
		return a.Refused
	}
	return ""
}

// send sends a line to the server, and closes a page: its answer shows in the
// traffic.
func (s *Screen) send(line string) tea.Cmd {
	return s.sendThen(line, s.toTraffic)
}

// sendFromPage sends a line of which a page that is open shows what came of it.
func (s *Screen) sendFromPage(line string) tea.Cmd {
	return s.sendThen(line, func() {})
}

// sendThen sends a line to the server, and does what is to be done when nobody
// objects to that. In the traffic its answer is the latest, or among those of the
// session's client, where the cursor is taken to it.
func (s *Screen) sendThen(line string, then func()) tea.Cmd {
	if why := s.noSending(); why != "" {
		return s.say(session.Error, why)
	}
	if line == "" {
		return s.say(session.Error, "send METHOD [PARAMS]")
	}
	t := s.tab()
	sender := t.source.(source.Sender)
	return s.unlessAsked(format.Visible([]byte(line), 4000), func() tea.Cmd {
		then()
		if t.ctx.Attached != nil {
			t.landing = t.landsFrom("")
		} else {
			t.traffic.Follow(&t.ctx)
		}
		return func() tea.Msg { return sent{sender.Send(context.Background(), line)} }
	})
}

// toTraffic closes a page: the answer shows in the traffic.
func (s *Screen) toTraffic() {
	if s.layout.page != keys.Global {
		s.layout.page, s.focus = keys.Global, keys.Traffic
	}
}

// maxResend is the longest request that is sent again, in bytes.
const maxResend = 64 << 20

// noResend says why the request of the selected row cannot be sent again, empty =
// it can.
func (s *Screen) noResend() string {
	if why := s.noSending(); why != "" {
		return why
	}
	t := s.tab()
	row := t.callOf()
	r := t.ctx.Snap.Row(row)
	switch {
	case row == session.NoRow:
		return "the selected row has no request"
	case r.Stream != session.C2S:
		return "this is the server's request: only the server can send it"
	case int64(r.Len) > maxResend:
		return "the request is longer than " + format.Size(maxResend)
	}
	return ""
}

// resend sends the request of the selected row again, its parameters byte for
// byte.
func (s *Screen) resend() tea.Cmd {
	t := s.tab()
	snap, log := t.ctx.Snap, t.ctx.Log
	row := t.callOf()
	r, sender := snap.Row(row), t.source.(source.Sender)
	what := fmt.Sprintf("%s\nwith the parameters of #%d, %s", t.named(r), r.N, format.Size(int64(r.Len)))
	return s.unlessAsked(what, func() tea.Cmd {
		t.landing = t.landsFrom(snap.Name(r.Method))
		return func() tea.Msg {
			m, err := recorder.ReadRequest(log, snap, row)
			if err != nil {
				return sent{fmt.Errorf("sending #%d again: %w", r.N, err)}
			}
			return sent{sender.Resend(context.Background(), m)}
		}
	})
}

// unlessAsked sends at once in a session of our own. In somebody else's it asks
// before the first time.
func (s *Screen) unlessAsked(what string, do func() tea.Cmd) tea.Cmd {
	t := s.tab()
	if t.ctx.Attached == nil || t.agreed {
		return do()
	}
	client := t.client()
	return s.pose(&askBox{
		head: "send into a live session?",
		parts: []askPart{
			{askText, "This goes to " + t.server() + ":"},
			{askThing, what},
			{askText, "The server has another client, " + client + ". The client sees neither this message nor its answer."},
			{askWarn, "Requests and notifications that the server sends because of it DO reach the client."},
			{askText, "While the answer is awaited the tee is NOT TRANSPARENT: it forwards what the server writes line by line."},
		},
		yes: "sends it, and asks no more",
		do:  func() tea.Cmd { t.agreed = true; return do() },
	})
}

// requestOf is the request that a row is, answers, or names; NoRow where there is
// none.
func requestOf(snap *session.Snapshot, row uint32) uint32 {
	if r := snap.Row(row); r.Kind != session.RowRequest {
		row = r.Pair
	}
	if row >= uint32(snap.Len()) || snap.Row(row).Kind != session.RowRequest {
		return session.NoRow
	}
	return row
}

// noCancel says why the request of the selected row, or its task, cannot be
// cancelled, empty = it can.
func (s *Screen) noCancel() string {
	t := s.tab()
	if _, ok := t.tools.Task(t.ctx.Snap, t.ctx.Snap.Row(t.ctx.Cursor).Op); ok && s.noSending() == "" {
		return ""
	}
	return s.noCancelRow(t.ctx.Cursor)
}

// noCancelRow says why the request of a row cannot be cancelled, empty = it can.
func (s *Screen) noCancelRow(row uint32) string {
	if why := s.noSending(); why != "" {
		return why
	}
	t := s.tab()
	snap := t.ctx.Snap
	row = requestOf(snap, row)
	r := snap.Row(row)
	c := s.conn()
	switch {
	case row == session.NoRow:
		return "the selected row has no request"
	case r.Stream != session.C2S:
		return "this is the server's request: only the server can take it back"
	case r.Flags&session.FlagCancelled != 0:
		return "the request was cancelled already"
	case r.Pair != session.NoRow:
		return "the request has been answered; is:pending shows those that wait"
	case r.Flags&session.FlagLost != 0, c == nil, c.ID != int(r.Conn), c.Ended:
		return "the request's connection is over"
	case unstoppable[snap.Name(r.Method)]:
		return snap.Name(r.Method) + " must not be cancelled"
	case snap.ID(r) == "":
		return "the request has no id"
	case len(snap.ID(r)) >= jsonrpc.MaxCapture:
		return "the request's id is too long to be named"
	}
	return ""
}

// unstoppable are the requests of the handshake: "The initialize request MUST NOT
// be cancelled by clients" ([V4] basic/utilities/cancellation), and some servers
// die of a notification before its end.
var unstoppable = map[string]bool{"initialize": true, "server/discover": true}

// cancel withdraws the request of the selected row, or cancels its task; on the
// page of tools, what is selected there.
func (s *Screen) cancel() tea.Cmd {
	t := s.tab()
	if s.focus == keys.Tools {
		cmd, _ := t.tools.Do(&t.ctx, keys.Cancel)
		return cmd
	}
	if task, ok := t.tools.Task(t.ctx.Snap, t.ctx.Snap.Row(t.ctx.Cursor).Op); ok {
		return s.cancelTask(task)
	}
	return s.cancelRow(t.ctx.Cursor)
}

// cancelRow withdraws the request of a row. A client's own request is asked about:
// the client is not told.
func (s *Screen) cancelRow(row uint32) tea.Cmd {
	if why := s.noCancelRow(row); why != "" {
		return s.say(session.Info, why)
	}
	t := s.tab()
	snap := t.ctx.Snap
	r := snap.Row(requestOf(snap, row))
	sender, id := t.source.(source.Sender), snap.ID(r)
	own := t.ctx.Attached != nil && r.Way == session.WayOut // own: we have sent it, and its client knows nothing of it.
	do := func() tea.Cmd {
		return func() tea.Msg {
			if err := sender.Cancel(context.Background(), id); err != nil {
				return pane.Say{Text: fmt.Sprintf("cancelling request %s: %v", id, err), Severity: session.Error}
			}
			if own {
				return pane.Say{Text: "withdrawn; its answer may still come and is kept from the client: NOT TRANSPARENT until then", Severity: session.Info}
			}
			return nil
		}
	}
	if t.ctx.Attached == nil || own {
		return do()
	}
	return s.pose(&askBox{
		head: "cancel the client's request?",
		parts: []askPart{
			{askText, "The server is told that nobody wants an answer to:"},
			{askThing, fmt.Sprintf("%s\n#%d, id %s, for %s now", t.named(r), r.N, format.Visible([]byte(id), 60), format.Duration(max(0, t.ctx.Now-r.T)))},
			{askWarn, "The client that sent it, " + t.client() + ", is not told: it goes on waiting, until it gives up by itself."},
		},
		yes: "cancels it",
		do:  do,
	})
}

// end ends the server of a session that another process has.
func (s *Screen) end(string) tea.Cmd {
	t := s.tab()
	ender, ok := t.source.(source.Ender)
	if !ok {
		return s.say(session.Error, "no other client's server to end; :quit ends our own")
	}
	if why := s.noSending(); why != "" {
		return s.say(session.Error, why)
	}
	return s.pose(&askBox{
		head: "end the server?",
		parts: []askPart{
			{askThing, t.server()},
			{askWarn, "Its client, " + t.client() + ", loses it. What it still waits for stays unanswered; it may show an error, or start the server again."},
		},
		yes: "ends it",
		do: func() tea.Cmd {
			return tea.Batch(s.say(session.Info, "ending the server…"), func() tea.Msg {
				if err := ender.End(context.Background()); err != nil {
					return pane.Say{Text: "ending the server: " + err.Error(), Severity: session.Error}
				}
				return nil // its end is in the traffic
			})
		},
	})
}

// restart ends the server and starts it again.
func (s *Screen) restart() tea.Cmd {
	server, ok := s.tab().source.(source.Server)
	if !ok {
		return nil
	}
	return tea.Batch(s.say(session.Info, "restarting the server…"), func() tea.Msg {
		return restarted{server.Restart(context.Background())}
	})
}

// named is the method and target of a row.
func (t *tab) named(r session.Row) string {
	snap := t.ctx.Snap
	return format.Visible([]byte(strings.TrimSpace(snap.Name(r.Method)+" "+snap.Name(r.Target))), 300)
}

// server names the server of the session: its command and its pid.
func (t *tab) server() string {
	name := t.source.Title()
	if h := t.ctx.Header; h != nil && len(h.Cmd) > 0 {
		name = strings.Join(h.Cmd, " ")
	}
	name = format.Visible([]byte(name), 120)
	if conns := t.ctx.Snap.Conns(); len(conns) > 0 && conns[len(conns)-1].PID > 0 {
		name += fmt.Sprintf(" (pid %d)", conns[len(conns)-1].PID)
	}
	return name
}

// client names the client of a session that another process has.
func (t *tab) client() string {
	a := t.ctx.Attached
	switch {
	case a == nil || a.Client == 0:
		return "which is not known"
	case a.ClientName == "":
		return fmt.Sprintf("pid %d", a.Client)
	}
	return fmt.Sprintf("%s (pid %d)", a.ClientName, a.Client)
}
