package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A triedNow brings the answer of a fresh server.
type triedNow struct {
	tab *tab
	cmp pane.Compare
	err error
}

// noAgain says why the selected request cannot be sent again, empty = it can: to the
// live server, or where there is none to a fresh one.
func (s *Screen) noAgain() string {
	if s.fresher() != nil {
		return s.noFresh()
	}
	return s.noResend()
}

func (s *Screen) again() tea.Cmd {
	if s.fresher() != nil {
		return s.tryFresh()
	}
	return s.resend()
}

// fresher is what starts a fresh server; nil where there is a live one, or somebody
// else's session is watched.
func (s *Screen) fresher() source.Fresher {
	f, ok := s.tab().source.(source.Fresher)
	if _, watched := s.tab().source.(source.Attached); !ok || watched || s.noSending() == "" {
		return nil
	}
	return f
}

// noFresh says why the selected request cannot be sent to a fresh server, empty = it
// can.
func (s *Screen) noFresh() string {
	t := s.tab()
	row := requestOf(t.ctx.Snap, t.ctx.Cursor)
	r := t.ctx.Snap.Row(row)
	switch {
	case t.trying:
		return "a request is being sent to a fresh server"
	case row == session.NoRow:
		return "the selected row has no request"
	case r.Stream != session.C2S:
		return "this is the server's request: only a server can send it"
	case slices.Contains([]string{"initialize", "server/discover"}, t.ctx.Snap.Name(r.Method)):
		return "a fresh server is asked that by itself, before any other request"
	case int64(r.Len) > maxResend:
		return "the request is longer than " + format.Size(maxResend)
	}
	return s.fresher().Fresh().Why
}

// tryFresh sends the selected request to a fresh server and compares its answer with
// the recorded one. What stands in a recording is asked about first: it may come from a
// stranger.
func (s *Screen) tryFresh() tea.Cmd {
	t := s.tab()
	f := s.fresher()
	server := f.Fresh()
	row := requestOf(t.ctx.Snap, t.ctx.Cursor)
	if server.Chosen || t.trusts {
		return s.startFresh(t, f, row)
	}
	command := commandWords(server.Argv)
	const rest = 12 // lines that the question takes besides, at most
	room := s.bodyRect()
	if len(cells.Wrap(command, max(1, min(room.w, 78)-6))) > room.h-rest {
		return s.say(session.Error, "the recorded command is too long to show; open --server 'CMD' chooses one")
	}
	parts := []askPart{
		{askText, "To send this request again, the command that stands in the recording is run on this computer:"},
		{askWhole, command},
	}
	if server.Dir != "" {
		parts = append(parts, askPart{askText, "in " + format.Visible([]byte(server.Dir), 200)})
	}
	if len(server.Env) > 0 {
		parts = append(parts, askPart{askText, "It was recorded with " + format.Visible([]byte(strings.Join(server.Env, ", ")), 200) + "; their values are not in a recording, and are taken from here."})
	}
	parts = append(parts,
		askPart{askWarn, "Whoever made the recording chose the command. Say yes only to one that you would type yourself."},
		askPart{askText, "The server is fresh: nothing of what came before in the recording is sent to it. What it asks is declined."})
	return s.pose(&askBox{
		head: "run the recorded command?", parts: parts, yes: "runs it, now and later in this session",
		do: func() tea.Cmd { t.trusts = true; return s.startFresh(t, f, row) },
	})
}

// commandWords writes a command as a shell would have to be given it, made visible.
func commandWords(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = format.ShellWord(word)
	}
	return format.Visible([]byte(strings.Join(words, " ")), 0)
}

func (s *Screen) startFresh(t *tab, f source.Fresher, row uint32) tea.Cmd {
	t.trying = true
	snap, log, server := t.ctx.Snap, t.ctx.Log, f.Fresh()
	return tea.Batch(s.say(session.Info, "starting "+commandWords(server.Argv)+" …"), func() tea.Msg {
		msg := triedNow{tab: t}
		msg.cmp, msg.err = tryRow(f, snap, log, row)
		return msg
	})
}

// tryRow sends the request of a row to a fresh server, and puts both answers side by
// side.
func tryRow(f source.Fresher, snap *session.Snapshot, log recorder.Log, row uint32) (pane.Compare, error) {
	r := snap.Row(row)
	m, err := recorder.ReadRequest(log, snap, row)
	if err != nil {
		return pane.Compare{}, fmt.Errorf("sending #%d again: %w", r.N, err)
	}
	trial := source.Trial{Request: m}
	for _, c := range snap.Conns() {
		if c.ID == int(r.Conn) {
			trial.Era, trial.Version = c.Era, c.Version.String()
		}
	}
	got, err := f.Try(context.Background(), trial)
	if err != nil {
		return pane.Compare{}, fmt.Errorf("sending #%d to a fresh server: %w", r.N, err)
	}
	word := "result"
	if got.Error {
		word = "error"
	}
	name := "a fresh server"
	if got.Server != "" {
		name += ", " + got.Server
	}
	cmp := pane.Compare{
		Title: strings.TrimSpace(snap.Name(r.Method) + " " + snap.Name(r.Target)),
		Old:   pane.Side{Name: fmt.Sprintf("#%d has no answer in the recording", r.N), Body: []byte("{}")},
		New:   pane.Side{Name: name + ", " + format.Duration(int64(got.Took)), Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"%s":%s}`, word, got.Body)},
	}
	if ns, ok := snap.Latency(row); ok {
		old, err := recorder.ReadMessage(log, snap, r.Pair)
		if err != nil {
			return pane.Compare{}, err
		}
		cmp.Old.Name = fmt.Sprintf("#%d, recorded, %s", snap.Row(r.Pair).N, format.Duration(ns))
		cmp.Old.Body, cmp.New.Body = Carried(old, cmp.New.Body)
	}
	return cmp, nil
}

// freshMsg takes the answer of a fresh server.
func (s *Screen) freshMsg(msg tea.Msg) (tea.Cmd, bool) {
	tried, ok := msg.(triedNow)
	if !ok {
		return nil, false
	}
	tried.tab.trying = false
	switch {
	case errors.Is(tried.err, context.Canceled):
		return nil, true
	case tried.err != nil:
		return s.say(session.Error, oneLine(tried.err.Error())), true
	case tried.tab != s.tab():
		return nil, true
	}
	s.notice.text = ""
	return s.compare(tried.cmp), true
}
