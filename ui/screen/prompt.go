package screen

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/notes"
	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/intercept"
	"wiretea/ui/overlay"
)

// promptKind is what a prompt asks for.
type promptKind uint8

const (
	filterPrompt promptKind = iota
	searchPrompt
	commandPrompt
	commentPrompt   // commentPrompt asks what there is to say about the selected row.
	narrowPrompt    // narrowPrompt asks what items of a page are looked for.
	interceptPrompt // interceptPrompt asks which messages are held.
	numPrompts
)

var promptSigns = [numPrompts]string{"filter ", "/", ":", "✎ ", "names with ", intercept.Prompt}

// pasteLimit is how much of a paste a prompt takes, in bytes.
const pasteLimit = 16 << 10

// A prompt is the line at the bottom in which something is typed.
type prompt struct {
	kind  promptKind
	input textinput.Model
	back  int    // back is how far up in the history it stands, 0 = not.
	draft string // draft is what was typed before going up.

	choices []string // choices are the completions shown, chosen the one taken, -1 = none.
	chosen  int
	wrong   string // wrong is what is wrong with the filter, empty = nothing.
}

// ask opens a prompt.
func (s *Screen) ask(kind promptKind) tea.Cmd {
	p := &prompt{kind: kind, input: textinput.New(), chosen: -1}
	p.input.Prompt = ""
	p.input.CharLimit = pasteLimit
	text := ""
	switch kind {
	case filterPrompt:
		text = s.tab().Filter
	case narrowPrompt:
		text = s.tab().Tools.Narrowed()
	case commentPrompt:
		p.input.CharLimit = notes.MaxText / 4
		text = s.tab().Traffic.Comment(s.tab().Ctx.Cursor)
	case interceptPrompt:
		text, _ = s.tab().intercept.On()
	case searchPrompt, commandPrompt, numPrompts:
	}
	s.prompt = p
	p.set(text)
	return p.input.Focus()
}

// set puts a text into the line, with the cursor behind it.
func (p *prompt) set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
	p.judge()
}

// filters reports whether a filter is asked for.
func (p *prompt) filters() bool { return p.kind == filterPrompt || p.kind == interceptPrompt }

// judge says whether a filter can be understood, while it is typed.
func (p *prompt) judge() {
	p.wrong = ""
	if !p.filters() || p.input.Value() == "" {
		return
	}
	_, err := session.ParseFilter(p.input.Value())
	if p.kind == interceptPrompt {
		err = intercept.CheckFilter(p.input.Value())
	}
	if err != nil {
		p.wrong = err.Error()
	}
}

// promptKey edits the line, or carries it out.
func (s *Screen) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	p := s.prompt
	switch msg.String() {
	case "esc", "ctrl+c":
		s.prompt = nil
		return s.narrow(p, "")
	case "enter":
		return s.submit()
	case "up", "ctrl+p":
		p.recall(s.prefs.Settings.History(promptSigns[p.kind]), 1)
		return nil
	case "down", "ctrl+n":
		p.recall(s.prefs.Settings.History(promptSigns[p.kind]), -1)
		return nil
	case "f1":
		if p.filters() {
			return s.openHelp(filterPage, "")
		}
		return s.openHelp(allPage, "")
	case "f2":
		if p.kind == filterPrompt {
			s.prompt = nil
			return s.prefs.OpenFilters()
		}
	case "tab", "shift+tab":
		p.complete(s, msg.String() == "tab")
		return nil
	}
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	p.back, p.chosen, p.choices = 0, -1, nil
	p.judge()
	return tea.Batch(cmd, s.narrow(p, p.input.Value()))
}

// narrow shows what is typed in a narrowPrompt while it is typed.
func (s *Screen) narrow(p *prompt, text string) tea.Cmd {
	if p.kind != narrowPrompt {
		return nil
	}
	return s.tab().Tools.Narrow(text)
}

// paste puts what was pasted into the prompt, as one line; elsewhere it is not
// keys.
func (s *Screen) paste(text string) tea.Cmd {
	if t, ok := s.overlay.(overlay.Taker); ok && s.prompt == nil {
		return t.Take(tea.PasteMsg{Content: text})
	}
	if b, ok := s.overlay.(overlay.Searched); ok && s.prompt == nil {
		b.Typed(strings.Join(strings.Fields(text), " "))
		return nil
	}
	if s.composes("") {
		return s.tab().composer.Paste(tea.PasteMsg{Content: text})
	}
	if s.prompt == nil {
		return s.Say(session.Info, "press : or f first to paste into a line")
	}
	text = strings.Join(strings.Fields(text), " ")
	cut := text
	if len(cut) > pasteLimit {
		cut = strings.ToValidUTF8(cut[:pasteLimit], "")
	}
	s.prompt.set(s.prompt.input.Value() + cut)
	if len(cut) < len(text) {
		return s.Say(session.Warning, "the paste was longer than a line may be, and is cut")
	}
	return s.narrow(s.prompt, s.prompt.input.Value())
}

// recall goes up and down in the history.
func (p *prompt) recall(history []string, step int) {
	if p.back == 0 {
		p.draft = p.input.Value()
	}
	p.back = min(max(p.back+step, 0), len(history))
	text := p.draft
	if p.back > 0 {
		text = history[len(history)-p.back]
	}
	p.set(text)
}

// complete offers what a command or a filter can go on with.
func (p *prompt) complete(s *Screen, forward bool) {
	if p.choices == nil {
		p.choices = s.completions(p.kind, p.input.Value())
	}
	if len(p.choices) == 0 {
		return
	}
	step := 1
	if !forward {
		step, p.chosen = -1, max(0, p.chosen)
	}
	p.chosen = (p.chosen + step + len(p.choices)) % len(p.choices)
	p.set(p.choices[p.chosen])
}

// submit carries out what was typed. A filter that cannot be understood stays
// open.
func (s *Screen) submit() tea.Cmd {
	p := s.prompt
	text := strings.TrimSpace(p.input.Value())
	if p.wrong != "" {
		return s.Say(session.Error, p.wrong)
	}
	s.prompt, s.notice.text = nil, ""
	if text != "" && p.kind != narrowPrompt && p.kind != commentPrompt {
		s.prefs.Settings.Remember(promptSigns[p.kind], text)
	}
	switch p.kind {
	case filterPrompt:
		return s.sessions.SetFilter(s.tab().Tab, text)
	case searchPrompt:
		return s.sessions.Search(s.tab().Tab, text)
	case commandPrompt:
		return s.command(text)
	case commentPrompt:
		return s.tab().Comment(text)
	case narrowPrompt:
		return s.tab().Tools.Narrow(text)
	case interceptPrompt:
		return s.tab().intercept.Hold(text)
	case numPrompts:
	}
	return nil
}

// view draws the prompt over the footer: sign, text, and what is right or wrong
// with it.
func (p *prompt) view(s *Screen) string {
	th := s.prefs.Theme
	style, note := th.Accent, ""
	switch {
	case p.filters() && p.wrong != "":
		style, note = th.Error, "✖ "+p.wrong
	case p.filters() && p.input.Value() != "":
		style, note = th.OK, "✔"
	case p.kind == interceptPrompt:
		note = "m:tools/call t:echo d:c2s is:request -m:ping; nothing = off"
	case p.kind == filterPrompt:
		note = `m:tools/call t:echo d:s2c is:error lat>500ms sev>=warning b~"rex" -m:ping a|b`
	}
	if len(p.choices) > 1 {
		note = strings.Join(p.choices, "  ")
	}
	// The field takes a cell more than its width, for the cursor at its end.
	room := s.w - 2 - cells.Width(promptSigns[p.kind])
	if note == "" {
		p.input.SetWidth(max(1, room))
		return cells.Fit(" "+style.Paint(promptSigns[p.kind])+p.input.View(), s.w)
	}
	typed := cells.Width(p.input.Value())
	p.input.SetWidth(max(1, min(room, max(10, min(s.w/2, max(30, typed+2))))))
	line := " " + style.Paint(promptSigns[p.kind]) + p.input.View()
	return cells.Fit(line+th.Dim.Paint("  "+p.fitted(note, s.w-cells.Width(line)-3)), s.w)
}

// fitted cuts a note to w cells: a list between its words, a sentence anywhere.
func (p *prompt) fitted(note string, w int) string {
	if p.wrong != "" && p.choices == nil || cells.Width(note) <= w {
		return strings.TrimRight(cells.Fit(note, w), " ")
	}
	for cells.Width(note) > w {
		cut := strings.LastIndexByte(strings.TrimRight(note, " "), ' ')
		if cut < 0 {
			return ""
		}
		note = strings.TrimRight(note[:cut], " ")
	}
	return note
}
