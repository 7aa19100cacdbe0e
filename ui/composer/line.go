package composer

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// lineKind is what the line below the form asks for.
type lineKind uint8

const (
	repeatLine   lineKind = iota // repeatLine asks how often, and how many at once.
	templateLine                 // templateLine asks for a name.
)

// lineWords are what precedes the line, what is right, and what enter does.
var lineWords = [...]struct{ sign, hint, enter string }{
	repeatLine:   {"repeat ", "times × at once", "repeat the request"},
	templateLine: {"template ", "its name", "keep the template"},
}

// A line is that is typed below the form.
type line struct {
	kind  lineKind
	input textinput.Model
	fresh bool // fresh: it is a proposal, in whose place comes what is typed first.
}

// askLine opens the line.
func (c *Composer) askLine(kind lineKind) tea.Cmd {
	if kind == templateLine {
		if why := c.noHistory(); why != "" {
			return c.tab.Say(session.Info, why)
		}
	}
	l := &line{kind: kind, input: textinput.New()}
	l.input.Prompt, l.input.CharLimit = "", 200
	if kind == repeatLine {
		l.input.SetValue("100 × 4")
		l.input.CursorEnd()
		l.fresh = true
	}
	c.line = l
	return l.input.Focus()
}

// propose takes the proposal away where text is typed, and leaves it to be edited
// where something else is pressed.
func (l *line) propose(text string) {
	if l.fresh && text != "" {
		l.input.SetValue("")
	}
	l.fresh = false
}

// lineKey edits the line, or carries it out.
func (c *Composer) lineKey(msg tea.KeyPressMsg) tea.Cmd {
	l := c.line
	switch msg.String() {
	case "esc", "ctrl+c":
		c.line = nil
		return nil
	case "enter":
		return c.lineDone(l.kind, strings.TrimSpace(l.input.Value()))
	}
	l.propose(msg.Text)
	var cmd tea.Cmd
	l.input, cmd = l.input.Update(msg)
	return cmd
}

func (c *Composer) lineDone(kind lineKind, text string) tea.Cmd {
	switch kind {
	case templateLine:
		if text == "" {
			return c.tab.Say(session.Info, "a template needs a name")
		}
		c.line = nil
		p, history, key := c.parcel(), Store{Dir: c.history}, c.historyKey()
		return func() tea.Msg {
			e := p.entry(time.Now())
			e.Template = text
			kept, err := history.Add(key, e)
			return templateKept(text, kept, err)
		}
	case repeatLine:
		times, atOnce, err := parseRepeat(text)
		if err != nil {
			return c.tab.Say(session.Error, err.Error())
		}
		c.line = nil
		return c.repeat(c.parcel(), times, atOnce)
	}
	return nil
}

// templateKept says what has become of a template.
func templateKept(name string, kept Entry, err error) pane.SayMsg {
	switch {
	case err != nil:
		return pane.SayMsg{Text: fmt.Sprintf("template %s: %v", name, err), Severity: session.Error}
	case len(kept.Removed) > 0:
		return pane.SayMsg{Text: fmt.Sprintf("template %s is kept, without %s: no secret is", name, strings.Join(kept.Removed, ", ")), Severity: session.Warning}
	}
	return pane.SayMsg{Text: fmt.Sprintf("template %s is kept; ctrl-r in the composer lists it", name), Severity: session.Info}
}
