package intercept

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/held"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
)

// Do carries out an action on the selected held message. It reports false for one that is
// not the place's.
func (q *Intercept) Do(a keys.Action) (tea.Cmd, bool) {
	h, ok := q.tab.Held.Selected()
	if !ok || q.place == nil {
		return nil, false
	}
	switch a {
	case keys.Release:
		return q.release(h, false), true
	case keys.Follows:
		return q.release(h, true), true
	case keys.EditHeld:
		return q.edit(h), true
	case keys.EditHead:
		return q.editHead(h), true
	case keys.Revert:
		return q.revert(h), true
	case keys.DropHeld:
		q.tab.Open(newDropBox(q, h))
		return nil, true
	case keys.Respond:
		return q.respond(h), true
	}
	return nil, false
}

// Acts reports whether an action is one on the selected held message.
func Acts(a keys.Action) bool {
	switch a {
	case keys.Release, keys.Follows, keys.EditHeld, keys.EditHead, keys.Revert, keys.DropHeld, keys.Respond:
		return true
	}
	return false
}

// NoAct says why an action on the selected held message cannot be carried out, empty = it can.
func (q *Intercept) NoAct(a keys.Action) string {
	if why := q.NoHeld(); why != "" {
		return why
	}
	h, _ := q.tab.Held.Selected()
	switch {
	case a == keys.Follows && h.Kind != session.RowRequest:
		return "only a request has a response that can be held too"
	case a == keys.EditHead && h.Status == 0:
		return "the message is not the body of an HTTP response"
	case a == keys.Respond && !answerable(&h):
		return "a notification has no response"
	case a == keys.Revert && isZero(q.edited(h.ID)):
		return "the message was not edited"
	}
	return ""
}

// answerable reports whether a message has a response, or is one.
func answerable(h *session.Held) bool { return !h.Batch && h.Kind != session.RowNotification }

// isZero reports whether nothing was edited.
func isZero(e held.Edit) bool { return e.Text == nil && e.Status == 0 && e.Header == nil }

// release lets a message go on as it was edited; with follow its response is held too.
func (q *Intercept) release(h session.Held, follow bool) tea.Cmd {
	c := choiceOf(q.edited(h.ID))
	c.Follow = follow
	return q.decide(h.ID, c)
}

// soon is how long before its time is up a message that was edited is released as edited. A screen
// looks once a second at least.
const soon = 1500 * time.Millisecond

// Due releases what was edited and would else be released as it came.
func (q *Intercept) Due() tea.Cmd {
	var cmds []tea.Cmd
	for _, h := range q.tab.Held.State().Held {
		if isZero(q.edited(h.ID)) || h.Deny || h.Deadline.IsZero() || h.Deadline.Sub(q.tab.Ctx.Wall()) > soon {
			continue
		}
		cmds = append(cmds, q.release(h, false), q.tab.AddressedTo(keys.Held, q.tab.Held.SetEdit(h.ID, held.Edit{})))
	}
	return tea.Batch(cmds...)
}

// choiceOf releases a message as it was edited.
func choiceOf(e held.Edit) session.Choice {
	return session.Choice{Verb: session.Release, Text: e.Text, Status: e.Status, Header: e.Header}
}

// decide decides on one message. Its state says what came of it.
func (q *Intercept) decide(id uint64, c session.Choice) tea.Cmd {
	place := q.place
	if place == nil {
		return q.tab.Say(session.Error, "the place in the path is closed")
	}
	return q.do("", func(ctx context.Context) error { return place.Decide(ctx, []uint64{id}, c) })
}

// ReleaseAll releases all messages that are held now, those that were edited as edited. Where a
// policy asks about some, that would allow them: the person is asked first.
func (q *Intercept) ReleaseAll() tea.Cmd {
	if q.place == nil {
		return nil
	}
	all := slices.Clone(q.tab.Held.State().Held)
	others := slices.DeleteFunc(slices.Clone(all), func(h session.Held) bool { return h.Ask })
	asked := int64(len(all) - len(others))
	if asked == 0 {
		return q.releaseAll(all)
	}
	box := &overlay.Confirm{
		Head:  "allow what the policy asks about?",
		Parts: []overlay.Part{overlay.Warn.Of("A policy asks about " + text.Plural(asked, "message") + " of these. Releasing all allows that too.")},
		Yes:   "releases all", Do: func() tea.Cmd { return q.releaseAll(all) },
	}
	if len(others) > 0 {
		box.Or, box.OrDo = "releases "+text.Plural(int64(len(others)), "other message"), func() tea.Cmd { return q.releaseAll(others) }
	}
	q.tab.Open(box)
	return nil
}

// releaseAll releases messages.
func (q *Intercept) releaseAll(all []session.Held) tea.Cmd {
	place := q.place
	if place == nil {
		return nil
	}
	var plain []uint64
	edited := map[uint64]session.Choice{}
	for _, h := range all {
		if e := q.edited(h.ID); isZero(e) {
			plain = append(plain, h.ID)
		} else {
			edited[h.ID] = choiceOf(e)
		}
	}
	return q.do("", func(ctx context.Context) error {
		var errs []error
		for id, c := range edited {
			errs = append(errs, place.Decide(ctx, []uint64{id}, c))
		}
		if len(plain) > 0 {
			errs = append(errs, place.Decide(ctx, plain, session.Choice{Verb: session.Release}))
		}
		return errors.Join(errs...)
	})
}

// revert takes an edit back.
func (q *Intercept) revert(h session.Held) tea.Cmd {
	cmd := q.tab.AddressedTo(keys.Held, q.tab.Held.SetEdit(h.ID, held.Edit{}))
	return tea.Batch(cmd, q.tab.Say(session.Info, "reverted: it goes on as it came"))
}

// keepText keeps an edited text, unless it is the one that came.
func (q *Intercept) keepText(h session.Held, came, text []byte) (tea.Cmd, error) {
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if bytes.ContainsAny(text, "\r\n") && !q.tab.Ctx.HTTP() {
		return nil, errors.New("over stdio a message has no line break: write \\n within a string, or leave the break out")
	}
	e := q.edited(h.ID)
	if e.Text = text; bytes.Equal(text, came) {
		e.Text = nil
	}
	says := "edited; " + q.tab.Ctx.Keys.WordOf(keys.Release, keys.Held) + " releases it, " + q.tab.Ctx.Keys.WordOf(keys.Revert, keys.Held) + " reverts"
	if e.Text == nil {
		says = "nothing is changed"
	}
	return tea.Batch(q.tab.AddressedTo(keys.Held, q.tab.Held.SetEdit(h.ID, e)), q.tab.Say(session.Info, says)), nil
}

// NoDifference says why the selected held message cannot be compared with its edit, empty =
// it can.
func (q *Intercept) NoDifference() string {
	if why := q.NoHeld(); why != "" {
		return why
	}
	if h, _ := q.tab.Held.Selected(); q.edited(h.ID).Text == nil {
		return "the message was not edited"
	}
	return ""
}

// Difference compares the selected message as it came with what goes on in its place.
func (q *Intercept) Difference() tea.Cmd {
	h, _ := q.tab.Held.Selected()
	place, edit := q.place, q.edited(h.ID)
	return q.tab.Addressed(q, func() tea.Msg {
		came, err := place.Text(context.Background(), h.ID)
		if err != nil {
			return doneMsg{err: err}
		}
		return pane.CompareMsg{Title: held.Subject(&h), Old: pane.Side{Name: "as it came", Body: came}, New: pane.Side{Name: "edited", Body: edit.Text}}
	})
}
