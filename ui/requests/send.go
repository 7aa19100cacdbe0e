package requests

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// Requests are what is asked of the server of a tab.
type Requests struct {
	tab *host.Tab

	sent     *sentRequest   // sent is what was sent last; nil = nothing was.
	agreed   bool           // agreed: the user has agreed to send into somebody else's session.
	followed *client.Client // followed is the latest client whose server's lists are followed; nil = none was.
	trying   bool           // trying: a request is under way to a new process.
	trusts   bool           // trusts: the user has agreed to run the recorded command.
}

// New returns the requests of a tab.
func New(t *host.Tab) *Requests { return &Requests{tab: t} }

// failure is a notice of an error, nothing for none.
func failure(doing string, err error) tea.Msg {
	if err == nil {
		return nil
	}
	return pane.SayMsg{Text: doing + err.Error(), Severity: session.Error}
}

// Client is our own client of the session's server; nil where there is none.
func (q *Requests) Client() *client.Client {
	if caller, ok := q.tab.Source.(source.Caller); ok {
		return caller.Client()
	}
	return nil
}

// Disabled says why nothing can be sent to the session's server, empty = it can.
// It is asked at each drawing, so it goes by what was looked up last.
func (q *Requests) Disabled() string {
	t := q.tab
	_, ok := t.Source.(source.Sender)
	switch a := t.Ctx.Attached; {
	case !ok:
		return "no server to send to: this is a recording"
	case !t.Ctx.Live || t.Ctx.Past:
		return "no server to send to: the session is over"
	case a != nil && a.Refused != "":
		return a.Refused
	}
	return ""
}

// Send sends a line to the server, and closes a page that covers the traffic, where its
// answer shows.
func (q *Requests) Send(line string) tea.Cmd { return q.send(line, q.tab.Layout().ToTraffic) }

// sendHere sends a line of which a page that is open shows what came of it.
func (q *Requests) sendHere(line string) tea.Cmd { return q.send(line, func() {}) }

// send sends a line, and calls then once the user has confirmed it where that is needed. In
// a session of our own the response is the latest row; among those of another client the
// cursor is moved to it.
func (q *Requests) send(line string, then func()) tea.Cmd {
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	if line == "" {
		return q.tab.Say(session.Error, "send METHOD [PARAMS]")
	}
	t := q.tab
	sender := t.Source.(source.Sender)
	return q.Confirmed(text.Visible([]byte(line), 4000), func() tea.Cmd {
		then()
		if t.Ctx.Attached != nil {
			q.Follow("", session.NoRow)
		} else {
			t.Traffic.Follow(&t.Ctx)
			if method, _, err := client.ParseLine(line); err == nil {
				q.Follow(method, session.NoRow)
				q.sent.stays = true
			}
		}
		return func() tea.Msg { return failure("", sender.Send(context.Background(), line)) }
	})
}

// maxResend is the longest request that is sent again, in bytes.
const maxResend = 64 << 20

// NoRequest says why the request of the selected row cannot be sent to the live server again, empty =
// it can.
func (q *Requests) NoRequest() string {
	if why := q.Disabled(); why != "" {
		return why
	}
	t := q.tab
	row := q.Selected()
	r := t.Ctx.Snap.Row(row)
	switch {
	case row == session.NoRow:
		return "the selected row has no request"
	case r.Stream != session.C2S:
		return "this is the server's request: only the server can send it"
	case int64(r.Len) > maxResend:
		return "the request is longer than " + text.Size(maxResend)
	}
	return ""
}

// resend sends the request of the selected row to the live server, its parameters byte
// for byte.
func (q *Requests) resend() tea.Cmd {
	t := q.tab
	snap, log := t.Ctx.Snap, t.Ctx.Log
	row := q.Selected()
	r, sender := snap.Row(row), t.Source.(source.Sender)
	what := fmt.Sprintf("%s\nwith the parameters of #%d, %s", q.Named(r), r.N, text.Size(int64(r.Len)))
	return q.Confirmed(what, func() tea.Cmd {
		q.Follow(snap.Name(r.Method), row)
		return func() tea.Msg {
			m, err := recorder.ReadRequest(log, snap, row)
			if err != nil {
				return failure(fmt.Sprintf("sending #%d again: ", r.N), err)
			}
			return failure("", sender.Resend(context.Background(), m))
		}
	})
}

// Confirmed calls do at once in a session of our own. In a session of another client the
// user confirms the first time.
func (q *Requests) Confirmed(what string, do func() tea.Cmd) tea.Cmd {
	t := q.tab
	if t.Ctx.Attached == nil || q.agreed {
		return do()
	}
	client := q.theirClient()
	q.tab.Open(&overlay.Confirm{
		Head: "send into a live session?",
		Parts: []overlay.Part{
			overlay.Text.Of("This goes to " + q.server() + ":"),
			overlay.Thing.Of(what),
			overlay.Text.Of("The server has another client, " + client + ". The client sees neither this message nor its answer."),
			overlay.Warn.Of("Requests and notifications that the server sends because of it DO reach the client."),
			overlay.Text.Of("While the answer is awaited the tee is NOT TRANSPARENT: it forwards what the server writes line by line."),
		},
		Yes: "sends it, and later ones unasked",
		Do:  func() tea.Cmd { q.agreed = true; return do() },
	})
	return nil
}

// End ends the server of a session that another process has.
func (q *Requests) End() tea.Cmd {
	t := q.tab
	ender, ok := t.Source.(source.Ender)
	if !ok {
		return q.tab.Say(session.Error, "no other client's server to end; :quit ends our own")
	}
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	q.tab.Open(&overlay.Confirm{
		Head: "end the server?",
		Parts: []overlay.Part{
			overlay.Thing.Of(q.server()),
			overlay.Warn.Of("Its client, " + q.theirClient() + ", loses it. What it still waits for stays unanswered; it may show an error, or start the server again."),
		},
		Yes: "ends it",
		Do: func() tea.Cmd {
			return tea.Batch(q.tab.Say(session.Info, "ending the server…"), func() tea.Msg {
				return failure("ending the server: ", ender.End(context.Background())) // its end is in the traffic
			})
		},
	})
	return nil
}

// Restart ends the server and starts it again.
func (q *Requests) Restart() tea.Cmd {
	server, ok := q.tab.Source.(source.Server)
	if !ok {
		return nil
	}
	restart := func() tea.Cmd { return q.restart(server) }
	now := q.tab.Ctx.Snap.LastConn()
	if now == nil || !now.Started || now.Exited || now.Version == mcp.NoVersion && now.VersionText == "" {
		return restart()
	}
	parts := []overlay.Part{overlay.Text.Of("The server runs. What it holds in memory is lost.")}
	if n := q.tab.Ctx.Snap.Totals().Pending; n > 0 {
		parts = append(parts, overlay.Warn.Of(text.Plural(n, "request")+" under way will not be answered."))
	}
	q.tab.Open(&overlay.Confirm{Head: "restart the server?", Parts: parts, Yes: "restarts it", Also: []string{q.tab.Ctx.Keys.WordOf(keys.Restart, keys.Traffic)}, Do: restart})
	return nil
}

// restart ends the server and starts it again.
func (q *Requests) restart(server source.Server) tea.Cmd {
	old := q.tab.TellOne(keys.Compare, pane.OutdatedMsg{Why: "older than the last restart"})
	begins, failed, done := "restarting the server…", "restarting: ", "the server has been restarted"
	if q.tab.Ctx.HTTP() { // wiretea has not started it.
		begins, failed, done = "connecting again…", "connecting: ", "another session with the server has begun"
	}
	return tea.Batch(old, q.tab.Say(session.Info, begins), func() tea.Msg {
		if err := server.Restart(context.Background()); err != nil {
			return failure(failed, err)
		}
		return pane.SayMsg{Text: done, Severity: session.Info}
	})
}

// Named is the method and target of a row.
func (q *Requests) Named(r session.Row) string {
	snap := q.tab.Ctx.Snap
	return text.Visible([]byte(strings.TrimSpace(snap.Name(r.Method)+" "+snap.Name(r.Target))), 300)
}

// server names the server of the session: its command and its pid.
func (q *Requests) server() string {
	t := q.tab
	name := t.Source.Title()
	if h := t.Ctx.Header; h != nil && len(h.Server()) > 0 {
		name = strings.Join(h.Server(), " ")
	}
	name = text.Visible([]byte(name), 120)
	if c := t.Ctx.Snap.LastConn(); c != nil && c.PID > 0 {
		name += fmt.Sprintf(" (pid %d)", c.PID)
	}
	return name
}

// theirClient names the client of a session that another process has.
func (q *Requests) theirClient() string {
	a := q.tab.Ctx.Attached
	switch {
	case a == nil || a.Client == 0:
		return "which is not known"
	case a.ClientName == "":
		return fmt.Sprintf("pid %d", a.Client)
	}
	return fmt.Sprintf("%s (pid %d)", a.ClientName, a.Client)
}
