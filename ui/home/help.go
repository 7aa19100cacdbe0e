package home

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
	"wiretea/ui/keys"
	"wiretea/ui/list"
)

// A help lists home's keys, is searched by typing, and carries out what is
// chosen.
type help struct {
	list.Chooser
	bindings []*keys.Binding
}

func openHelp() *help {
	b := &help{}
	for i := range keys.Table {
		if k := &keys.Table[i]; k.Help != "" && k.In(keys.Home) && does(k.Action) {
			b.bindings = append(b.bindings, k)
		}
	}
	b.find()
	return b
}

// find finds the bindings that match the search.
func (b *help) find() {
	b.Look(len(b.bindings), func(i int) string { return helpWords(b.bindings[i]) + " " + b.bindings[i].Words() })
}

func (h *Home) helpKey(msg tea.KeyPressMsg) tea.Cmd {
	b := h.help
	switch msg.String() {
	case "esc", "ctrl+c":
		h.help = nil
		return nil
	case "enter":
		h.help = nil
		if at := b.Chosen(); at >= 0 {
			return h.do(b.bindings[at].Action)
		}
		return nil
	}
	if b.Key(msg) {
		b.find()
	}
	return nil
}

func (b *help) title() string {
	if b.Search == "" {
		return "help · type to search · enter does it · esc closes"
	}
	return "help · " + visible(b.Search)
}

// view draws the inside: h lines of w cells.
func (b *help) view(hm *Home, w, h int) []string {
	th := hm.theme
	if len(b.Found) == 0 {
		return cells.Lines([]string{"", th.Dim.Paint("  nothing of that name")}, w, h)
	}
	var lines []string
	from, to := 0, 0 // the lines of the one that is chosen
	for i, at := range b.Found {
		if i == b.At {
			from = len(lines)
		}
		lines = append(lines, hm.helpLines(b.bindings[at], w, i == b.At)...)
		if i == b.At {
			to = len(lines)
		}
	}
	from, to = b.WindowOf(len(lines), from, to, h)
	return cells.Lines(lines[from:to], w, h)
}

// keysWidth is the column of the keys in the help, in cells.
const keysWidth = 20

// helpLines draws a binding: what it does, and why it cannot be done now.
func (h *Home) helpLines(k *keys.Binding, w int, chosen bool) []string {
	th := h.theme
	over := th.Text
	if chosen {
		over = th.Selected
	}
	text, style := helpWords(k), th.Text
	if why := h.disabled(k.Action); why != "" {
		text, style = text+" — "+why, th.Dim
	}
	return cells.Beside(k.Words(), th.Accent.With(over).Paint, text, style.With(over).Paint, keysWidth, w)
}

// helpWords is what a binding does here: the table's words are for sessions.
func helpWords(k *keys.Binding) string {
	switch k.Action {
	case keys.Enter:
		return "attach to the live session, run the server, open the recording"
	case keys.Filter, keys.Search:
		return "show only the lines that have what is typed"
	case keys.FilterOff:
		return "take the filter off"
	case keys.Back:
		return "take the filter off; then leave"
	case keys.Bottom:
		return "to the last line"
	case keys.Quit:
		return "leave"
	}
	return k.Help
}
