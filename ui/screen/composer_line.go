package screen

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/composer/store"
	"wiretea/ui/pane"
)

// lineKind is what the line below the form asks for.
type lineKind uint8

const (
	repeatLine   lineKind = iota // repeatLine asks how often, and how many at once.
	templateLine                 // templateLine asks for a name.
)

// lineWords are what stands before the line, what is right, and what enter does.
var lineWords = [...]struct{ sign, hint, enter string }{
	repeatLine:   {"repeat ", "times × at once", "repeat the request"},
	templateLine: {"template ", "its name", "keep the template"},
}

// A composerLine is a line that is typed below the form.
type composerLine struct {
	kind  lineKind
	input textinput.Model
	fresh bool // fresh: it is a proposal, in whose place comes what is typed first.
}

// askLine opens the line.
func (s *Screen) askLine(kind lineKind) tea.Cmd {
	if kind == templateLine {
		if why := s.noHistory(); why != "" {
			return s.say(session.Info, why)
		}
	}
	l := &composerLine{kind: kind, input: textinput.New()}
	l.input.Prompt, l.input.CharLimit = "", 200
	if kind == repeatLine {
		l.input.SetValue("100 × 4")
		l.input.CursorEnd()
		l.fresh = true
	}
	s.composer.line = l
	return l.input.Focus()
}

func (l *composerLine) paste(text string) {
	l.propose(text)
	l.input.SetValue(l.input.Value() + strings.Join(strings.Fields(text), " "))
	l.input.CursorEnd()
}

// propose takes the proposal away where text is typed, and leaves it to be edited
// where something else is pressed.
func (l *composerLine) propose(text string) {
	if l.fresh && text != "" {
		l.input.SetValue("")
	}
	l.fresh = false
}

// lineKey edits the line, or carries it out.
func (s *Screen) lineKey(msg tea.KeyPressMsg) tea.Cmd {
	c := s.composer
	l := c.line
	switch msg.String() {
	case "esc", "ctrl+c":
		c.line = nil
		return nil
	case "enter":
		return s.lineDone(l.kind, strings.TrimSpace(l.input.Value()))
	}
	l.propose(msg.Text)
	var cmd tea.Cmd
	l.input, cmd = l.input.Update(msg)
	return cmd
}

func (s *Screen) lineDone(kind lineKind, text string) tea.Cmd {
	c := s.composer
	switch kind {
	case templateLine:
		if text == "" {
			return s.say(session.Info, "a template needs a name")
		}
		c.line = nil
		return s.keepTemplate(c.tab, c.parcel(), text)
	case repeatLine:
		times, atOnce, err := parseRepeat(text)
		if err != nil {
			return s.say(session.Error, err.Error())
		}
		c.line = nil
		return s.repeat(c.tab, c.parcel(), times, atOnce)
	}
	return nil
}

func (l *composerLine) view(s *Screen, w int) string {
	th, words := s.theme, lineWords[l.kind]
	hint := "  " + words.hint
	l.input.SetWidth(max(4, w-cells.Width(words.sign)-cells.Width(hint)-4))
	return cells.Fit(" "+th.Accent.Paint(words.sign)+l.input.View()+th.Dim.Paint(hint), w)
}

// hints are the line's keys for the footer.
func (l *composerLine) hints(s *Screen) string {
	th := s.theme
	return cells.Fit("  "+th.Accent.Paint("enter")+th.Dim.Paint(" "+lineWords[l.kind].enter)+"  "+th.Accent.Paint("esc")+th.Dim.Paint(" back to the form"), s.w)
}

// templateKept says what has become of a template.
func templateKept(name string, kept store.Entry, err error) pane.Say {
	switch {
	case err != nil:
		return pane.Say{Text: fmt.Sprintf("template %s: %v", name, err), Severity: session.Error}
	case len(kept.Removed) > 0:
		return pane.Say{Text: fmt.Sprintf("template %s is kept, without %s: no secret is", name, strings.Join(kept.Removed, ", ")), Severity: session.Warning}
	}
	return pane.Say{Text: fmt.Sprintf("template %s is kept; ctrl-r in the composer lists it", name), Severity: session.Info}
}
