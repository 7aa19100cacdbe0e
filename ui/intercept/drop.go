package intercept

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/composer/form"
	"wiretea/ui/held"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
)

// A dropBox asks how a held message is dropped or denied. It is opened by a key only.
type dropBox struct {
	of   *Intercept
	held session.Held
	ways []dropWay
}

// A dropWay is a way to drop a message.
type dropWay struct {
	key, words string
	verb       session.ChoiceVerb
	asks       bool // asks: its words are asked for first.
}

// newDropBox returns the box of a message, with the ways that it allows.
func newDropBox(q *Intercept, h session.Held) *dropBox {
	b := &dropBox{of: q, held: h}
	request, response := h.Kind == session.RowRequest, h.Kind == session.RowResult || h.Kind == session.RowError
	call := h.Method == mcp.ToolsCall && (h.Stream == session.C2S) == request
	if h.Ask {
		b.ways = append(b.ways, dropWay{"d", "deny it, as the rule does by itself", session.Deny, true})
	}
	switch {
	case request && !h.Batch:
		b.ways = append(b.ways, dropWay{"e", "answer it with an error", session.AnswerError, true})
		if call {
			b.ways = append(b.ways, dropWay{"t", "answer it with a tool error, which the model reads", session.AnswerToolError, true})
		}
		b.ways = append(b.ways, dropWay{"n", "drop it without an answer: its sender waits until it gives up", session.Drop, false})
	case response && !h.Batch:
		b.ways = append(b.ways, dropWay{"e", "put an error in its place", session.AnswerError, true})
		if call {
			b.ways = append(b.ways, dropWay{"t", "put a tool error in its place, which the model reads", session.AnswerToolError, true})
		}
		b.ways = append(b.ways, dropWay{"n", "drop it: who waits for it goes on waiting, until it gives up", session.Drop, false})
	default:
		b.ways = append(b.ways, dropWay{"n", "drop it; nobody is told", session.Drop, false})
	}
	return b
}

// NamesEscape implements overlay.Hinted.
func (b *dropBox) NamesEscape() {}

// Title implements overlay.Box.
func (b *dropBox) Title() string {
	if b.held.Ask {
		return "deny?"
	}
	return "drop?"
}

// Size implements overlay.Box.
func (b *dropBox) Size(_ *style.Theme, w, h int) (int, int) {
	return min(w, 78), min(h, len(b.ways)+6)
}

// View implements overlay.Box.
func (b *dropBox) View(th *style.Theme, w, h int) []string {
	roomy := h >= len(b.ways)+4 // Else its blank lines are left out, and then the reason.
	lines := overlay.Thing.Of(held.Subject(&b.held)).Lines(th, w)[:1]
	if b.held.Reason != "" && h >= len(b.ways)+3 {
		lines = append(lines, " "+th.Dim.Paint(text.Visible([]byte(b.held.Rule+": "+b.held.Reason), w-2)))
	} else if roomy {
		lines = append(lines, "")
	}
	for _, way := range b.ways {
		lines = append(lines, " "+th.Accent.Paint(way.key)+" "+way.words)
	}
	if roomy {
		lines = append(lines, "")
	}
	return append(lines, " "+th.Accent.Paint("esc")+" keeps it held")
}

// Key implements overlay.Box.
func (b *dropBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	i := slices.IndexFunc(b.ways, func(w dropWay) bool { return w.key == msg.String() })
	switch {
	case i < 0:
		return nil, msg.String() == "q"
	case !b.ways[i].asks:
		return b.of.decide(b.held.ID, session.Choice{Verb: b.ways[i].verb}), true
	}
	return b.of.askWords(b.held, b.ways[i]), false // What it opens takes the place of this box.
}

// A wordsSchema is the form of what is said to the sender of a message that is dropped.
type wordsSchema struct {
	Type       string `json:"type"`
	Properties struct {
		Code    *wordsField `json:"code,omitempty"`
		Message wordsField  `json:"message"`
	} `json:"properties"`
}

// A wordsField is a field of it. Typing replaces its default.
type wordsField struct {
	Type        string `json:"type"`
	Default     any    `json:"default"`
	Description string `json:"description"`
}

// askWords asks what is said to the sender of a message that is dropped.
func (q *Intercept) askWords(h session.Held, way dropWay) tea.Cmd {
	schema := wordsSchema{Type: "object"}
	schema.Properties.Message = wordsField{"string", cmp.Or(h.Reason, "stopped by a person at wiretea"), "what its sender is told"}
	if way.verb == session.AnswerError {
		schema.Properties.Code = &wordsField{"integer", -32000, "the code of the error"}
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return q.tab.Say(session.Error, err.Error())
	}
	title, _, _ := strings.Cut(way.words, ",")
	b := &formBox{of: q, held: h, title: title, keeps: "answers"}
	b.form = form.New(form.Config{Title: "the answer", Schema: text, Buttons: true})
	b.keep = func(f *form.Form) (tea.Cmd, error) {
		var v struct {
			Code    int64
			Message string
		}
		if err := json.Unmarshal(f.Values(), &v); err != nil {
			return nil, fmt.Errorf("the answer cannot be read: %w", err)
		}
		return q.decide(h.ID, session.Choice{Verb: way.verb, Code: v.Code, Reason: v.Message}), nil
	}
	return b.open()
}
