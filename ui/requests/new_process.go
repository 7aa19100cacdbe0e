package requests

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/jsonrpc"
	"wiretea/session/text"
	"wiretea/ui/compare"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A triedMsg brings the answer of a fresh server.
type triedMsg struct {
	cmp pane.CompareMsg
	err error
}

// NoResend says why the selected request cannot be sent again, empty = it can: to the
// live server, or where there is none to a fresh one.
func (q *Requests) NoResend() string {
	f, t := q.fresher(), q.tab
	if f == nil {
		return q.NoRequest()
	}
	row := t.Ctx.Snap.RequestOf(t.Ctx.Cursor)
	r := t.Ctx.Snap.Row(row)
	switch {
	case q.trying:
		return "a request is being sent to a fresh server"
	case row == session.NoRow:
		return "the selected row has no request"
	case r.Stream != session.C2S:
		return "this is the server's request: only a server can send it"
	case Unstoppable(t.Ctx.Snap.Name(r.Method)):
		return "a fresh server is asked that by itself, before any other request"
	case int64(r.Len) > maxResend:
		return "the request is longer than " + text.Size(maxResend)
	}
	server := f.Fresh()
	if server.Why == "" && !server.Chosen && !q.trusts && !q.shows(text.CommandLine(server.Argv)) {
		return "the recorded command is too long to show; open --server 'CMD' chooses one"
	}
	return server.Why
}

// shows reports whether there is room to ask whether a command may be run.
func (q *Requests) shows(command string) bool {
	const rest = 12 // lines that the question takes besides, at most
	at := q.tab.Layout().Area()
	return len(cells.Wrap(command, max(1, min(at.W, 78)-6))) <= at.H-rest
}

// Resend sends the selected request again, to the live server or to a fresh one, whose
// answer it compares with the recorded one. What is in a recording is asked about
// first: it may come from a stranger.
func (q *Requests) Resend() tea.Cmd {
	f, t := q.fresher(), q.tab
	if f == nil {
		return q.resend()
	}
	server := f.Fresh()
	row := t.Ctx.Snap.RequestOf(t.Ctx.Cursor)
	if server.Chosen || q.trusts {
		return q.startFresh(f, row)
	}
	command := text.CommandLine(server.Argv)
	parts := []overlay.Part{
		overlay.Text.Of("To send this request again, the command in the recording is run on this computer:"),
		overlay.Whole.Of(command),
	}
	if server.Dir != "" {
		parts = append(parts, overlay.Text.Of("in "+text.Visible([]byte(server.Dir), 200)))
	}
	if len(server.Env) > 0 {
		parts = append(parts, overlay.Text.Of("It was recorded with "+text.Visible([]byte(strings.Join(server.Env, ", ")), 200)+"; their values are not in a recording, and are taken from here."))
	}
	parts = append(parts,
		overlay.Warn.Of("Whoever made the recording chose the command. Say yes only to one that you would type yourself."),
		overlay.Text.Of("The server is fresh: nothing of what came before in the recording is sent to it. What it asks is declined."))
	t.Open(&overlay.Confirm{
		Head: "run the recorded command?", Parts: parts, Yes: "runs it, now and later in this session",
		Do: func() tea.Cmd { q.trusts = true; return q.startFresh(f, row) },
	})
	return nil
}

// fresher is what starts a fresh server; nil where there is a live one, or somebody
// else's session is watched.
func (q *Requests) fresher() source.Fresher {
	f, ok := q.tab.Source.(source.Fresher)
	if _, watched := q.tab.Source.(source.Attached); !ok || watched || q.Disabled() == "" {
		return nil
	}
	return f
}

func (q *Requests) startFresh(f source.Fresher, row uint32) tea.Cmd {
	t := q.tab
	q.trying = true
	snap, log, server := t.Ctx.Snap, t.Ctx.Log, f.Fresh()
	return tea.Batch(q.tab.Say(session.Info, "starting "+text.CommandLine(server.Argv)+" …"), t.Addressed(q, func() tea.Msg {
		cmp, err := tryRow(f, snap, log, row)
		return triedMsg{cmp, err}
	}))
}

// tryRow sends the request of a row to a fresh server, and puts both answers side by
// side.
func tryRow(f source.Fresher, snap *session.Snapshot, log recorder.Log, row uint32) (pane.CompareMsg, error) {
	r := snap.Row(row)
	m, err := recorder.ReadRequest(log, snap, row)
	if err != nil {
		return pane.CompareMsg{}, fmt.Errorf("sending #%d again: %w", r.N, err)
	}
	trial := source.Trial{Request: m}
	if c := snap.Conn(int(r.Conn)); c != nil {
		trial.Era, trial.Version = c.Era, c.Version.String()
	}
	got, err := f.Try(context.Background(), trial)
	if err != nil {
		return pane.CompareMsg{}, fmt.Errorf("sending #%d to a fresh server: %w", r.N, err)
	}
	name := "a fresh server"
	if got.Server != "" {
		name += ", " + got.Server
	}
	cmp := pane.CompareMsg{
		Title: strings.TrimSpace(snap.Name(r.Method) + " " + snap.Name(r.Target)),
		Old:   pane.Side{Name: fmt.Sprintf("#%d has no answer in the recording", r.N), Body: []byte("{}")},
		New:   pane.Side{Name: name + ", " + text.Duration(int64(got.Took)), Body: jsonrpc.AppendAnswer(nil, "0", got.Error, got.Body)},
	}
	if ns, ok := snap.Latency(row); ok {
		old, err := recorder.ReadMessage(log, snap, r.Pair)
		if err != nil {
			return pane.CompareMsg{}, err
		}
		cmp.Old.Name = fmt.Sprintf("#%d, recorded, %s", snap.Row(r.Pair).N, text.Duration(ns))
		cmp.Old.Body, cmp.New.Body = compare.Carried(old, cmp.New.Body)
	}
	return cmp, nil
}
