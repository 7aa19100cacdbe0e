package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// An unsubscribed subscription has ended, or could not be had.
type unsubscribed struct{ err error }

// modernEra reports whether the session's latest connection speaks the modern
// era.
func (t *tab) modernEra() bool {
	if c := t.caller(); c != nil {
		server := c.Server()
		return server.Era == mcp.Modern
	}
	conns := t.ctx.Snap.Conns()
	return len(conns) > 0 && conns[len(conns)-1].Era == mcp.Modern
}

// subscribe subscribes to a resource, in the era's way.
func (s *Screen) subscribe(uri string) tea.Cmd {
	t := s.tab()
	switch why := s.noSending(); {
	case why != "":
		return s.say(session.Error, why)
	case uri == "":
		return s.say(session.Error, "subscribe URI")
	case t.tools.Subscribed(uri) != nil:
		return s.say(session.Info, format.Visible([]byte(uri), 200)+" is subscribed to already")
	case t.modernEra():
		return s.listenTo(client.Filter{URIs: []string{uri}})
	}
	return s.sendFromPage("resources/subscribe " + string(uriParams(uri)))
}

// unsubscribe ends the subscription to a resource.
func (s *Screen) unsubscribe(uri string) tea.Cmd {
	t := s.tab()
	if why := s.noSending(); why != "" {
		return s.say(session.Error, why)
	}
	if uri == "" {
		return s.say(session.Error, "unsubscribe URI")
	}
	sub := t.tools.Subscribed(uri)
	switch {
	case sub != nil && sub.Listen && sub.Alone:
		return s.cancelRow(sub.Row)
	case sub != nil && sub.Listen:
		n := t.ctx.Snap.Row(sub.Row).N
		return s.say(session.Info, fmt.Sprintf("#%d subscribes to more than that; ctrl-x on it, here or in T, ends all of it", n))
	case sub == nil && t.modernEra():
		return s.say(session.Info, "nobody is subscribed to "+format.Visible([]byte(uri), 200))
	}
	// To a legacy server it may be said in any case.
	return s.sendFromPage("resources/unsubscribe " + string(uriParams(uri)))
}

// listen opens a subscription: to the lists and resources that are named, or to
// the changes of all lists.
func (s *Screen) listen(words string) tea.Cmd {
	t := s.tab()
	if why := s.noSending(); why != "" {
		return s.say(session.Error, why)
	}
	var f client.Filter
	for _, word := range strings.Fields(words) {
		switch word {
		case "tools":
			f.Tools = true
		case "prompts":
			f.Prompts = true
		case "resources":
			f.Resources = true
		default:
			f.URIs = append(f.URIs, word)
		}
	}
	switch {
	case t.modernEra() && words == "":
		return s.listenTo(client.Filter{Tools: true, Prompts: true, Resources: true})
	case t.modernEra():
		return s.listenTo(f)
	case len(f.URIs) == 0:
		return s.say(session.Info, "before 2026-07-28 a server tells of changes of its lists unasked; :subscribe URI is for resources")
	case len(f.URIs) > 1:
		return s.say(session.Info, "before 2026-07-28 each resource is subscribed to on its own; :subscribe URI")
	}
	return s.subscribe(f.URIs[0])
}

// listenTo opens a subscription of the modern era. It is a request that stays
// open, until it is cancelled or its connection ends.
func (s *Screen) listenTo(f client.Filter) tea.Cmd {
	c := s.tab().caller()
	if c == nil {
		return s.say(session.Error, "what a subscription tells would reach the client, which did not ask for it: from 2026-07-28 on only wiretea run can subscribe")
	}
	return func() tea.Msg {
		sub, err := c.Listen(context.Background(), f)
		for err == nil {
			_, err = sub.Next(context.Background())
		}
		return unsubscribed{err}
	}
}

// unsubscribedMsg takes the end of a subscription. That it has ended shows in the
// traffic; what the server refused is said.
func (s *Screen) unsubscribedMsg(msg unsubscribed) tea.Cmd {
	var answer *client.RPCError
	var late *client.TimeoutError
	if errors.As(msg.err, &answer) || errors.As(msg.err, &late) {
		return s.say(session.Error, "subscribing: "+msg.err.Error())
	}
	return nil
}

// subscribePane carries out what a pane asks for.
func (s *Screen) subscribePane(msg pane.Subscribe) tea.Cmd {
	if msg.Off {
		return s.unsubscribe(msg.URI)
	}
	return s.subscribe(msg.URI)
}

// completeURIs are the resources that can be subscribed to, and completeSubscribed
// those that are.
func completeURIs(s *Screen) []string       { return s.tab().tools.URIs() }
func completeSubscribed(s *Screen) []string { return s.tab().tools.SubscribedURIs() }

func completeListen(s *Screen) []string {
	return append([]string{"tools", "prompts", "resources"}, s.tab().tools.URIs()...)
}

// cancelTask has the server cancel a task. Whoever follows it here is told.
func (s *Screen) cancelTask(msg pane.CancelTask) tea.Cmd {
	t := s.tab()
	if why := s.noSending(); why != "" {
		return s.say(session.Error, why)
	}
	line := fmt.Sprintf(`tasks/cancel {"taskId":%s}`, quoted(msg.ID))
	c := t.caller()
	tasker, ok := t.source.(source.Tasker)
	switch {
	case c != nil:
		return s.cancellingTask(msg, func() error { return cancelTaskOf(c, msg) })
	case ok:
		return s.unlessAsked(format.Visible([]byte(line), 4000), func() tea.Cmd {
			return s.cancellingTask(msg, func() error { return tasker.CancelTask(context.Background(), msg.ID) })
		})
	}
	return s.sendFromPage(line)
}

// cancellingTask says that a task is being cancelled, and why it was not.
func (s *Screen) cancellingTask(msg pane.CancelTask, cancel func() error) tea.Cmd {
	return tea.Batch(s.say(session.Info, "cancelling the task of "+msg.What+"…"), func() tea.Msg {
		err := cancel()
		var answer *client.RPCError
		if err == nil || errors.As(err, &answer) {
			return nil // It shows in the traffic.
		}
		return pane.Say{Text: "cancelling the task: " + err.Error(), Severity: session.Error}
	})
}

// cancelTaskOf cancels a task. In the modern era that is a wish: the state says what
// became of it, so it is asked for, by the call that follows the task or by us.
func cancelTaskOf(c *client.Client, msg pane.CancelTask) error {
	ctx := context.Background()
	if c.Server().Era != mcp.Modern {
		if msg.Request != "" {
			if err := c.Cancel(msg.Request); !errors.Is(err, client.ErrNotOutstanding) {
				return err
			}
		}
		_, err := c.CancelTask(ctx, msg.ID)
		return err
	}
	if _, err := c.CancelTask(ctx, msg.ID); err != nil || c.Following(msg.ID) {
		return err
	}
	wait := time.NewTimer(client.DefaultPoll)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-c.Done():
		return nil
	}
	_, err := c.GetTask(ctx, msg.ID)
	return err
}
