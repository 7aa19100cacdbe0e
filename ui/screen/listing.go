package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A following keeps the tools page up to date with one server: it lists what the
// server offers, and again when the server says that it has changed, within the
// bounds of client.FollowCatalogue. The page itself reads the answers in the
// session.
type following struct {
	client *client.Client
	wrong  chan string // wrong are what is wrong with lists; closed at the end.
}

// Messages of a following.
type (
	// listedWrong: a list is not whole.
	listedWrong struct {
		of  *following
		why string
	}

	// followed: a following has ended.
	followed struct{ err error }

	// listed: lists that were asked for have come, or not.
	listed struct{ wrong []string }
)

// follow begins to follow what the server offers, once the page of tools is open:
// once a connection, and only where the client is ours.
func (s *Screen) follow() tea.Cmd {
	t := s.tab()
	if s.layout.page != keys.Tools || !t.ctx.Live || t.ctx.Past {
		return nil
	}
	c := t.caller()
	if c == nil || c == t.followed {
		return nil
	}
	t.followed = c
	f := &following{client: c, wrong: make(chan string, 1)}
	follow := c.FollowCatalogue
	if t.tools.Listed(t.ctx.Snap) {
		follow = c.FollowChanges
	}
	return tea.Batch(f.news(), func() tea.Msg {
		defer close(f.wrong)
		return followed{follow(context.Background(), f.got)}
	})
}

// got takes what was listed. Of what is wrong only the latest is kept until it is
// said.
func (f *following) got(all client.Catalogue) {
	var wrong []string
	for _, s := range []*client.Section{&all.Tools, &all.Prompts, &all.Resources, &all.Templates} {
		wrong = appendWrong(wrong, s.Err)
	}
	if len(wrong) == 0 {
		return
	}
	select {
	case <-f.wrong:
	default:
	}
	f.wrong <- strings.Join(wrong, "; ")
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

// news waits for something that is wrong.
func (f *following) news() tea.Cmd {
	return func() tea.Msg {
		if why, more := <-f.wrong; more {
			return listedWrong{f, why}
		}
		return nil
	}
}

// listing takes what became of lists.
func (s *Screen) listing(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case listedWrong:
		return tea.Batch(s.say(session.Warning, msg.why), msg.of.news()), true
	case followed:
		var answer *client.RPCError
		if errors.As(msg.err, &answer) {
			return s.say(session.Warning, "the server does not tell of changes: "+msg.err.Error()+"; u lists anew"), true
		}
		return nil, true
	case listed:
		if len(msg.wrong) > 0 {
			return s.say(session.Warning, strings.Join(msg.wrong, "; ")), true
		}
		return nil, true
	}
	return nil, false
}

// list asks for lists: over all their pages where the client is ours, else for
// one page each, and the next as the pane sees the one before.
func (s *Screen) list(msg pane.List) tea.Cmd {
	t := s.tab()
	if why := s.noSending(); why != "" {
		return s.say(session.Error, why)
	}
	if c := t.caller(); c != nil {
		if msg.Cursor != nil {
			return nil // It goes through the pages itself.
		}
		return func() tea.Msg {
			var wrong []string
			for _, method := range msg.Methods {
				_, err := c.List(context.Background(), method)
				wrong = appendWrong(wrong, err)
			}
			return listed{wrong}
		}
	}
	if t.ctx.Attached != nil && !t.agreed && msg.Cursor != nil {
		return nil // Nobody is asked for what no key was pressed for.
	}
	lines := slices.Clone(msg.Methods)
	if msg.Cursor != nil {
		lines[0] += fmt.Sprintf(` {"cursor":%s}`, msg.Cursor)
	}
	sender := t.source.(source.Sender)
	return s.unlessAsked(strings.Join(lines, "\n"), func() tea.Cmd {
		return func() tea.Msg {
			for _, line := range lines {
				if err := sender.Send(context.Background(), line); err != nil {
					return sent{err}
				}
			}
			return sent{}
		}
	})
}
