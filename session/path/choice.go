package path

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// maxEdited is the longest text of a person's choice, in bytes.
const maxEdited = MaxMessage

// choose decides on held messages, as session.Intercept.Decide says. by is the place.
func (i *Interceptor) choose(p *place, ids []uint64, c session.Choice) error {
	i.mu.Lock()
	if p.closed {
		i.mu.Unlock()
		return session.ErrGone
	}
	var mine []*entry
	found := 0
	for _, e := range i.entries {
		if e.held != nil && !e.claimed && (len(ids) == 0 || slices.Contains(ids, e.shown.ID)) {
			mine = append(mine, e)
			found++
		}
	}
	for _, e := range mine {
		if err := check(e, &c); err != nil {
			i.mu.Unlock()
			return fmt.Errorf("%s: %w", name(&e.shown), err)
		}
	}
	claim(mine)
	i.mu.Unlock()
	for _, e := range mine {
		i.conclude(e, words(&c, e)+" by "+p.by, func() session.Ruling { return i.settle(p, e, &c) })
	}
	i.issue()
	if found < len(slices.Compact(slices.Sorted(slices.Values(ids)))) {
		return session.ErrNotHeld
	}
	return nil
}

// check returns why a choice cannot be made for an entry.
func check(e *entry, c *session.Choice) error {
	request, response := e.held.Kind == session.RowRequest, e.held.Kind == session.RowResult || e.held.Kind == session.RowError
	if len(c.Text) > maxEdited {
		return refuse("the text has more than %d MiB", maxEdited>>20)
	}
	if (c.Status != 0 || c.Header != nil) && (e.head.Status == 0 || c.Verb != session.Release) {
		return refuse("it has no status and no header fields that could be changed")
	}
	if c.Status != 0 && (c.Status < 200 || c.Status > 599) {
		return refuse("%d is not the status of a response: 200 to 599", c.Status)
	}
	switch c.Verb {
	case session.Release:
		if bytes.IndexByte(c.Text, '\n') >= 0 && e.Carrier.Ordered() {
			return refuse("the text has a line break: a message is one line")
		}
		if c.Follow && (!request || e.held.Batch) {
			return refuse("only a single request has a response that can be held")
		}
		return nil
	case session.Drop, session.Deny:
		return nil
	case session.AnswerError, session.AnswerToolError, session.Respond:
	default:
		return refuse("%.40q is not a choice", string(c.Verb))
	}
	if e.held.Batch || !request && !response || e.held.ID == "" {
		return refuse("%v", ErrNoAnswer)
	}
	if c.Verb == session.AnswerToolError && e.held.Method != mcp.ToolsCall {
		return refuse("only the call of a tool is answered with a tool's error")
	}
	if c.Verb == session.Respond {
		_, _, err := answerOf(c, e.held.Body)
		return err
	}
	return nil
}

// words says what a choice does.
func words(c *session.Choice, e *entry) string {
	said := map[session.ChoiceVerb]string{
		session.Release: "released", session.Drop: "dropped", session.Deny: "denied",
		session.AnswerError: "answered with an error", session.AnswerToolError: "answered with a tool's error", session.Respond: "answered",
	}[c.Verb]
	switch {
	case c.Verb == session.Release && (len(c.Text) > 0 || c.Status != 0 || c.Header != nil):
		return "edited and released"
	case c.Verb == session.Release && e.held.Wait.Ask:
		return "allowed"
	}
	return said
}

// settle makes a choice for an entry.
func (i *Interceptor) settle(p *place, e *entry, c *session.Choice) (r session.Ruling) {
	by := e.held.By + "; " + words(c, e) + " by " + p.by
	if c.Reason != "" {
		by += ": " + c.Reason
	}
	var err error
	switch c.Verb {
	case session.Release:
		text := e.held.Text
		if len(c.Text) > 0 {
			text = c.Text
		}
		if c.Follow {
			i.follow(p, e.held)
		}
		r = i.path.Release(e.held, text, by)
	case session.Drop:
		if r = i.path.Drop(e.held, by); e.held.Carrier == session.ByBody && e.held.Kind != session.RowNotification {
			r.Effect = &session.Effect{Silent: true} // HTTP answers every request.
		}
	case session.Deny:
		r = i.path.Refuse(e.held, by, cmp.Or(c.Reason, e.held.Reason))
	case session.AnswerError:
		r, err = i.path.Answer(e.held, by, "error", errorValue(cmp.Or(c.Code, codeDenied), cmp.Or(c.Reason, "answered by wiretea")))
	case session.AnswerToolError:
		r, err = i.path.Answer(e.held, by, "result", toolErrorValue(e.held.Modern, cmp.Or(c.Reason, "answered by wiretea")))
	case session.Respond:
		var member string
		var value []byte
		if member, value, err = answerOf(c, e.held.Body); err == nil {
			r, err = i.path.Answer(e.held, by, member, value)
		}
	}
	if err != nil {
		panic(err) // check has refused it.
	}
	r.Head = session.HTTPHead{Status: c.Status, Fields: c.Header}
	return r
}

// follow holds the response to a request too.
func (i *Interceptor) follow(p *place, h *Held) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p.closed || len(i.following) >= MaxHeld {
		return
	}
	i.following[Key{Scope: h.Scope, Stream: h.Stream.Reverse(), Kind: ResponseKey, Raw: h.ID}] = p.id
	i.follows.Store(int64(len(i.following)))
}

// errNotJSON is returned for an answer that is not one JSON value.
var errNotJSON = errors.New("it is not one JSON value")

// answerOf is the answer that a choice gives to a request, or in place of a response: the
// member of the response, and its value. A text that is a whole response has one of them.
func answerOf(c *session.Choice, request []byte) (member string, value []byte, err error) {
	filled, err := fillTemplate(c.Text, request, MaxMessage)
	if err != nil {
		return "", nil, refuse("%v", err)
	}
	var b bytes.Buffer
	if json.Compact(&b, filled) != nil {
		return "", nil, refuse("%v", errNotJSON)
	}
	value = b.Bytes()
	if lex.Get(value, "jsonrpc") != nil {
		for _, member := range []string{"result", "error"} {
			if v := lex.Get(value, member); v != nil {
				return member, v, nil
			}
		}
		return "", nil, refuse("it is a message, and has neither a result nor an error")
	}
	return "result", value, nil
}
