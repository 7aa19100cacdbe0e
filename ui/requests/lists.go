package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A following keeps the tools page up to date with one server: it lists what the
// server offers, and again when the server says that it has changed, within the
// bounds of client.FollowCatalogue. The page itself reads the answers in the
// session.
type following struct {
	wrong chan string // wrong are what is wrong with lists; closed at the end.
}

// A listedWrongMsg says that a list is not whole.
type listedWrongMsg struct {
	of  *following
	why string
}

// FollowLists begins to follow what the server offers: once a connection, and only where
// the client is ours. It is called while the page of tools is open.
func (q *Requests) FollowLists() tea.Cmd {
	t, c := q.tab, q.Client()
	if !t.Ctx.Live || t.Ctx.Past || c == nil || c == q.followed {
		return nil
	}
	q.followed = c
	f := &following{wrong: make(chan string, 1)}
	follow := c.FollowCatalogue
	if t.Tools.Listed(t.Ctx.Snap) {
		follow = c.FollowChanges
	}
	return tea.Batch(t.Addressed(q, f.wait()), func() tea.Msg {
		defer close(f.wrong)
		err := follow(context.Background(), func(all client.Catalogue) {
			var wrong []string
			for _, s := range []*client.Section{&all.Tools, &all.Prompts, &all.Resources, &all.Templates} {
				wrong = appendWrong(wrong, s.Err)
			}
			if len(wrong) == 0 {
				return
			}
			select { // Only the latest is kept until it is said.
			case <-f.wrong:
			default:
			}
			f.wrong <- strings.Join(wrong, "; ")
		})
		if _, answer := errors.AsType[*client.RPCError](err); answer {
			return pane.SayMsg{Text: "the server does not tell of changes: " + err.Error() + "; u lists anew", Severity: session.Warning}
		}
		return nil
	})
}

// appendWrong adds what is wrong with a list. What the server answered shows in
// the traffic and in the page.
func appendWrong(wrong []string, err error) []string {
	var answer *client.RPCError
	if err == nil || errors.As(err, &answer) || errors.Is(err, client.ErrClosed) || errors.Is(err, client.ErrCancelled) {
		return wrong
	}
	return append(wrong, err.Error())
}

// wait waits for something that is wrong.
func (f *following) wait() tea.Cmd {
	return func() tea.Msg {
		if why, more := <-f.wrong; more {
			return listedWrongMsg{f, why}
		}
		return nil
	}
}

// Update implements host.Receiver.
func (q *Requests) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case listedWrongMsg:
		return tea.Batch(q.tab.Say(session.Warning, msg.why), q.tab.Addressed(q, msg.of.wait()))
	case triedMsg:
		q.trying = false
		switch {
		case errors.Is(msg.err, context.Canceled):
			return nil
		case msg.err != nil:
			return q.tab.Say(session.Error, text.OneLine(msg.err.Error()))
		}
		return tea.Batch(q.tab.Say(session.Info, ""), pane.Tell(msg.cmp))
	}
	return nil
}

// List asks for lists: over all their pages where the client is ours, else for
// one page each, and the next as the pane sees the one before.
func (q *Requests) List(msg pane.ListMsg) tea.Cmd {
	t := q.tab
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	if c := q.Client(); c != nil {
		if msg.Cursor != nil {
			return nil // It goes through the pages itself.
		}
		return func() tea.Msg {
			var wrong []string
			for _, method := range msg.Methods {
				_, err := c.List(context.Background(), method)
				wrong = appendWrong(wrong, err)
			}
			if len(wrong) == 0 {
				return nil
			}
			return pane.SayMsg{Text: strings.Join(wrong, "; "), Severity: session.Warning}
		}
	}
	if t.Ctx.Attached != nil && !q.agreed && msg.Cursor != nil {
		return nil // Nobody is asked for what no key was pressed for.
	}
	lines := slices.Clone(msg.Methods)
	if msg.Cursor != nil {
		lines[0] += fmt.Sprintf(` {"cursor":%s}`, msg.Cursor)
	}
	sender := t.Source.(source.Sender)
	return q.Confirmed(strings.Join(lines, "\n"), func() tea.Cmd {
		return func() tea.Msg {
			for _, line := range lines {
				if err := sender.Send(context.Background(), line); err != nil {
					return failure("", err)
				}
			}
			return nil
		}
	})
}
