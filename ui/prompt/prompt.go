package prompt

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/style"
)

// longest is the longest text of a prompt, and how much of a paste it takes, in bytes.
const longest = 16 << 10

// A Kind is what a prompt asks for.
type Kind struct {
	Sign    string                                  // Sign is before the text, which is remembered under it.
	Note    string                                  // Note is what is shown while nothing is typed; empty = nothing.
	Limit   int                                     // Limit is the longest text in characters; 0 = 16384.
	Forgets bool                                    // Forgets: what was typed is not remembered.
	Text    func() string                           // Text is what is in the line at first; nil = nothing.
	Says    func(text string) string                // Says is what is shown beside a text; nil or "" = nothing.
	Wrong   func(text string) error                 // Wrong says why a text that is not empty cannot be taken; nil = any can.
	Offer   func(text string) []string              // Offer are the lines that a text can go on to; nil = none.
	Typed   func(text string) tea.Cmd               // Typed is called while a text is typed, and with "" where nothing is asked for any more; nil = nothing is.
	Keys    func(key string) (cmd tea.Cmd, is bool) // Keys are further keys; nil = none.
	Do      func(text string) tea.Cmd               // Do carries out what was typed.
}

// A Prompt is the line. It belongs to the goroutine that runs Update.
type Prompt struct {
	screen   host.Screen
	settings *config.Settings

	kind  *Kind // kind is what is asked for; nil = the line is not open.
	input textinput.Model
	back  int    // back is how far up in the history it stands, 0 = not.
	draft string // draft is what was typed before going up.

	choices []string // choices are the completions shown, chosen the one taken, -1 = none.
	chosen  int
	wrong   string // wrong is what is wrong with the text, empty = nothing.
}

// New returns the prompt of a screen. What is typed is remembered in settings.
func New(s host.Screen, settings *config.Settings) *Prompt {
	return &Prompt{screen: s, settings: settings}
}

// IsOpen reports whether something is asked for.
func (p *Prompt) IsOpen() bool { return p.kind != nil }

// Close closes the line.
func (p *Prompt) Close() { p.kind = nil }

// Text is what is typed; false where something else is asked for than kind, or nothing.
func (p *Prompt) Text(kind *Kind) (string, bool) { return p.input.Value(), p.kind == kind }

// Open asks for something.
func (p *Prompt) Open(kind *Kind) tea.Cmd {
	text := ""
	if kind.Text != nil {
		text = kind.Text()
	}
	*p = Prompt{screen: p.screen, settings: p.settings, kind: kind, input: textinput.New(), chosen: -1}
	p.input.Prompt = ""
	if p.input.CharLimit = kind.Limit; kind.Limit == 0 {
		p.input.CharLimit = longest
	}
	p.put(text)
	return p.input.Focus()
}

// Fill is Open with a text, and what that can go on with.
func (p *Prompt) Fill(kind *Kind, text string) tea.Cmd {
	cmd := p.Open(kind)
	p.put(text)
	p.choices = p.offered()
	return cmd
}

// put puts a text into the line, with the cursor behind it.
func (p *Prompt) put(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
	p.judge()
}

// judge says whether a text can be taken, while it is typed.
func (p *Prompt) judge() {
	p.wrong = ""
	if p.kind.Wrong == nil || p.input.Value() == "" {
		return
	}
	if err := p.kind.Wrong(p.input.Value()); err != nil {
		p.wrong = err.Error()
	}
}

func (p *Prompt) offered() []string {
	if p.kind.Offer == nil {
		return nil
	}
	return p.kind.Offer(p.input.Value())
}

// typed tells what is asked for what was typed.
func (p *Prompt) typed(kind *Kind, text string) tea.Cmd {
	if kind.Typed == nil {
		return nil
	}
	return kind.Typed(text)
}

// Key edits the line, or carries it out.
func (p *Prompt) Key(msg tea.KeyPressMsg) tea.Cmd {
	kind := p.kind
	if kind.Keys != nil {
		if cmd, is := kind.Keys(msg.String()); is {
			return cmd
		}
	}
	switch msg.String() {
	case "esc", "ctrl+c":
		p.Close()
		return p.typed(kind, "")
	case "enter":
		return p.submit()
	case "up", "ctrl+p":
		p.recall(p.settings.History(kind.Sign), 1)
		return nil
	case "down", "ctrl+n":
		p.recall(p.settings.History(kind.Sign), -1)
		return nil
	case "tab", "shift+tab":
		p.complete(msg.String() == "tab")
		return nil
	}
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	p.back, p.chosen, p.choices = 0, -1, nil
	p.judge()
	return tea.Batch(cmd, p.typed(kind, p.input.Value()))
}

// Paste puts what was pasted behind what was typed, as one line.
func (p *Prompt) Paste(text string) tea.Cmd {
	text = strings.Join(strings.Fields(text), " ")
	cut := text
	if len(cut) > longest {
		cut = strings.ToValidUTF8(cut[:longest], "")
	}
	p.put(p.input.Value() + cut)
	if len(cut) < len(text) {
		return p.screen.Say(session.Warning, "the paste was longer than a line may be, and is cut")
	}
	return p.typed(p.kind, p.input.Value())
}

// recall goes up and down in the history.
func (p *Prompt) recall(history []string, step int) {
	if p.back == 0 {
		p.draft = p.input.Value()
	}
	p.back = min(max(p.back+step, 0), len(history))
	text := p.draft
	if p.back > 0 {
		text = history[len(history)-p.back]
	}
	p.put(text)
}

// complete offers what a text can go on with.
func (p *Prompt) complete(forward bool) {
	if p.choices == nil {
		p.choices = p.offered()
	}
	if len(p.choices) == 0 {
		return
	}
	step := 1
	if !forward {
		step, p.chosen = -1, max(0, p.chosen)
	}
	p.chosen = (p.chosen + step + len(p.choices)) % len(p.choices)
	p.put(p.choices[p.chosen])
}

// submit carries out what was typed. A text that cannot be taken stays open.
func (p *Prompt) submit() tea.Cmd {
	kind, text := p.kind, strings.TrimSpace(p.input.Value())
	if p.wrong != "" {
		return p.screen.Say(session.Error, p.wrong)
	}
	p.Close()
	if text != "" && !kind.Forgets {
		p.settings.Remember(kind.Sign, text)
	}
	return kind.Do(text)
}

// View draws the line, w cells: sign, text, and what is right or wrong with it.
func (p *Prompt) View(th *style.Theme, w int) string {
	style, note := th.Accent, ""
	switch {
	case p.wrong != "":
		style, note = th.Error, "✖ "+p.wrong
	case p.kind.Wrong != nil && p.input.Value() != "":
		style, note = th.OK, "✔"
	case p.input.Value() == "":
		note = p.kind.Note
	case p.kind.Says != nil:
		note = p.kind.Says(p.input.Value())
	}
	if len(p.choices) > 1 {
		note = strings.Join(p.choices, "  ")
	}
	// The field takes a cell more than its width, for the cursor at its end.
	room := w - 2 - cells.Width(p.kind.Sign)
	if note == "" {
		p.input.SetWidth(max(1, room))
		return cells.Fit(" "+style.Paint(p.kind.Sign)+p.input.View(), w)
	}
	typed := cells.Width(p.input.Value())
	field := max(10, min(w/2, max(30, typed+2)))
	// A note gets the room that is not typed in: what was probably meant is at the end of what is wrong.
	field = max(min(field, room-cells.Width(note)-3), min(field, typed+2))
	p.input.SetWidth(max(1, min(room, field)))
	p.input.SetCursor(p.input.Position()) // It is in sight in the new width.
	line := " " + style.Paint(p.kind.Sign) + p.input.View()
	return cells.Fit(line+th.Dim.Paint("  "+p.fitted(note, w-cells.Width(line)-3)), w)
}

// fitted cuts a note to w cells: a list between its words, a sentence anywhere.
func (p *Prompt) fitted(note string, w int) string {
	if len(p.choices) < 2 || cells.Width(note) <= w {
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
