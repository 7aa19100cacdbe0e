package intercept

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
)

// A respondMsg brings what an answer begins with.
type respondMsg struct {
	held   session.Held
	result []byte // result is the text of a result; nil = none is known.
	from   string // from says where it is from.
	err    error
}

// answerOf names what the same answer may be given to.
func answerOf(h *session.Held) string { return h.Method + "\x00" + h.Target }

// respond opens an answer: the one that was given last, else what the same request was
// answered with last in this session, else an empty one.
func (q *Intercept) respond(h session.Held) tea.Cmd {
	if last, ok := q.answered[answerOf(&h)]; ok {
		return q.respondBox(respondMsg{held: h, result: last, from: "as you answered last"})
	}
	snap, log := q.tab.Ctx.Snap, q.tab.Ctx.Log
	return q.tab.Addressed(q, func() tea.Msg {
		msg := respondMsg{held: h}
		if result, row, err := lastResult(snap, log, &h); err == nil && result != nil {
			msg.result, msg.from = result, fmt.Sprintf("as in #%d", snap.Row(row).N)
		}
		return msg
	})
}

// RespondWith opens an answer with what a recording has for the selected request: the latest
// result to the same method, and to the same tool, prompt or URI.
func (q *Intercept) RespondWith(path string) tea.Cmd {
	h, ok := q.tab.Held.Selected()
	switch {
	case !ok || q.place == nil:
		return q.tab.Say(session.Info, q.NoHeld())
	case !answerable(&h):
		return q.tab.Say(session.Info, "a notification has no response")
	}
	return q.tab.Addressed(q, func() tea.Msg {
		result, err := recorded(path, &h)
		return respondMsg{held: h, result: result, from: "from " + text.OneLine(path), err: err}
	})
}

// recorded reads a result from a recording.
func recorded(path string, h *session.Held) ([]byte, error) {
	f, err := recorder.Open(recorder.Find("", path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	snap, _, err := analysis.Read(context.Background(), f, session.Limits{})
	if err != nil {
		return nil, err
	}
	result, _, err := lastResult(snap, f, h)
	if err == nil && result == nil {
		err = fmt.Errorf("%s has no result for %s %s", path, h.Method, h.Target)
	}
	return result, err
}

// longestResult is the longest result that an answer begins with, in bytes.
const longestResult = 4 << 20

// lastResult reads the latest result in a session of what a held message is about; nil where
// there is none.
func lastResult(snap *session.Snapshot, log recorder.Log, h *session.Held) ([]byte, uint32, error) {
	for i := snap.Len() - 1; i >= 0; i-- {
		r := snap.Row(uint32(i))
		if r.Kind != session.RowResult || r.Flags&session.FlagDecided != 0 || snap.Name(r.Method) != h.Method || snap.Name(r.Target) != h.Target || int64(r.Len) > longestResult {
			continue
		}
		text, err := recorder.ReadMessage(log, snap, uint32(i))
		if err != nil {
			return nil, 0, err
		}
		if member, content, ok := recorder.Payload(text); ok && member == "result" {
			return content, uint32(i), nil
		}
	}
	return nil, 0, nil
}

// emptyResult is what an answer begins with where nothing is known.
func emptyResult(h *session.Held) []byte {
	switch h.Method {
	case mcp.ToolsCall:
		return []byte(`{"content":[{"type":"text","text":""}]}`)
	case mcp.ResourcesRead:
		uri, err := json.Marshal(h.Target)
		if err != nil {
			return []byte(`{}`)
		}
		return fmt.Appendf(nil, `{"contents":[{"uri":%s,"text":""}]}`, uri)
	case mcp.PromptsGet:
		return []byte(`{"messages":[{"role":"user","content":{"type":"text","text":""}}]}`)
	}
	return []byte(`{}`)
}

// respondBox opens an answer.
func (q *Intercept) respondBox(msg respondMsg) tea.Cmd {
	if msg.err != nil {
		return q.tab.Say(session.Error, msg.err.Error())
	}
	result := msg.result
	if result == nil {
		result = emptyResult(&msg.held)
	}
	b := &formBox{of: q, held: msg.held, title: "respond", keeps: "answers"}
	b.says = "{{params.arguments.NAME}} is filled in from the request"
	if msg.from != "" {
		b.says = msg.from + " · " + b.says
	}
	b.form = form.New(form.Config{Title: "the result", Values: result, Malformed: true, Buttons: true})
	_ = b.form.SetMode(form.Raw) // It is offered.
	b.keep = func(f *form.Form) (tea.Cmd, error) {
		text := bytes.TrimSpace(f.Line())
		if len(text) == 0 {
			return nil, errors.New("an answer is a JSON object: the result, or a whole response")
		}
		q.answered[answerOf(&msg.held)] = text
		return q.decide(msg.held.ID, session.Choice{Verb: session.Respond, Text: text}), nil
	}
	return b.open()
}
