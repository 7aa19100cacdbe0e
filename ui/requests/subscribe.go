package requests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// modern reports whether the session's latest connection speaks the modern
// era.
func (q *Requests) modern() bool {
	if c := q.Client(); c != nil {
		server := c.Server()
		return server.Era == mcp.Modern
	}
	conn := q.tab.Ctx.Snap.LastConn()
	return conn != nil && conn.Era == mcp.Modern
}

// Subscribe subscribes to a resource, in the era's way.
func (q *Requests) Subscribe(uri string) tea.Cmd {
	t := q.tab
	switch why := q.Disabled(); {
	case why != "":
		return q.tab.Say(session.Error, why)
	case uri == "":
		return q.tab.Say(session.Error, "subscribe URI")
	case t.Tools.Subscribed(uri) != nil:
		return q.tab.Say(session.Info, text.Visible([]byte(uri), 200)+" is subscribed to already")
	case q.modern():
		return q.listenTo(client.Filter{URIs: []string{uri}})
	}
	return q.sendHere("resources/subscribe " + uriParams(uri))
}

// Unsubscribe ends the subscription to a resource.
func (q *Requests) Unsubscribe(uri string) tea.Cmd {
	t := q.tab
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	if uri == "" {
		return q.tab.Say(session.Error, "unsubscribe URI")
	}
	sub := t.Tools.Subscribed(uri)
	switch {
	case sub != nil && sub.Listen && sub.Alone:
		return q.CancelRow(sub.Row)
	case sub != nil && sub.Listen:
		n := t.Ctx.Snap.Row(sub.Row).N
		return q.tab.Say(session.Info, fmt.Sprintf("#%d subscribes to more than that; ctrl-x on it, here or in T, ends all of it", n))
	case sub == nil && q.modern():
		return q.tab.Say(session.Info, "there is no subscription to "+text.Visible([]byte(uri), 200))
	}
	// To a legacy server it may be said in any case.
	return q.sendHere("resources/unsubscribe " + uriParams(uri))
}

// Listen opens a subscription: to the lists and resources that are named, or to
// the changes of all lists.
func (q *Requests) Listen(words string) tea.Cmd {
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
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
	case q.modern() && words == "":
		return q.listenTo(client.Filter{Tools: true, Prompts: true, Resources: true})
	case q.modern():
		return q.listenTo(f)
	case len(f.URIs) == 0:
		return q.tab.Say(session.Info, "before 2026-07-28 a server tells of changes of its lists unasked; :subscribe URI is for resources")
	case len(f.URIs) > 1:
		return q.tab.Say(session.Info, "before 2026-07-28 each resource is subscribed to on its own; :subscribe URI")
	}
	return q.Subscribe(f.URIs[0])
}

// listenTo opens a subscription of the modern era. It is a request that stays
// open, until it is cancelled or its connection ends.
func (q *Requests) listenTo(f client.Filter) tea.Cmd {
	c := q.Client()
	if c == nil {
		return q.tab.Say(session.Error, "what a subscription tells would reach the client, which did not ask for it: from 2026-07-28 on only wiretea run can subscribe")
	}
	return func() tea.Msg {
		sub, err := c.Listen(context.Background(), f)
		for err == nil {
			_, err = sub.Next(context.Background())
		}
		// That it has ended shows in the traffic; what the server refused is said.
		_, answer := errors.AsType[*client.RPCError](err)
		if _, late := errors.AsType[*client.TimeoutError](err); answer || late {
			return failure("subscribing: ", err)
		}
		return nil
	}
}

// uriParams are parameters with a URI.
func uriParams(uri string) string { return `{"uri":` + lex.Quote(uri) + `}` }

// CancelTask has the server cancel a task. Whoever follows it here is told.
func (q *Requests) CancelTask(msg pane.CancelTaskMsg) tea.Cmd {
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	line := fmt.Sprintf(`tasks/cancel {"taskId":%s}`, lex.Quote(msg.ID))
	c := q.Client()
	if c == nil {
		return q.sendHere(line)
	}
	return tea.Batch(q.tab.Say(session.Info, "cancelling the task of "+msg.What+"…"), func() tea.Msg {
		err := cancelTaskOf(c, msg)
		if _, answer := errors.AsType[*client.RPCError](err); answer {
			return nil // It shows in the traffic.
		}
		return failure("cancelling the task: ", err)
	})
}

// cancelTaskOf cancels a task. In the modern era that is a wish: the state says what
// became of it, so it is asked for, by the call that follows the task or by us.
func cancelTaskOf(c *client.Client, msg pane.CancelTaskMsg) error {
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
	select {
	case <-time.After(client.DefaultPoll):
	case <-c.Done():
		return nil
	}
	_, err := c.GetTask(ctx, msg.ID)
	return err
}
