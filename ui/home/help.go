package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/draw"
	"wiretea/ui/keys"
)

// A help lists home's keys, is searched by typing, and carries out what is
// chosen.
type help struct {
	search string
	at     int
	top    int
}

// found lists home's bindings that match the search.
func (b *help) found() []*keys.Binding {
	var out []*keys.Binding
	for i := range keys.Table {
		k := &keys.Table[i]
		if k.Help == "" || !k.In(keys.Home) || !does(k.Action) {
			continue
		}
		if strings.Contains(strings.ToLower(k.Help+" "+k.Words()), strings.ToLower(b.search)) {
			out = append(out, k)
		}
	}
	return out
}

func (h *Home) helpKey(msg tea.KeyPressMsg) tea.Cmd {
	b := h.help
	list := b.found()
	switch msg.String() {
	case "esc", "ctrl+c":
		h.help = nil
		return nil
	case "up", "ctrl+p":
		b.at--
	case "down", "ctrl+n":
		b.at++
	case "pgup":
		b.at -= 10
	case "pgdown":
		b.at += 10
	case "enter":
		h.help = nil
		if b.at < len(list) {
			return h.do(list[b.at].Action)
		}
	case "backspace":
		if r := []rune(b.search); len(r) > 0 {
			b.search = string(r[:len(r)-1])
		}
	default:
		if msg.Text != "" {
			b.search, b.at = b.search+msg.Text, 0
		}
	}
	b.at = max(0, min(b.at, len(b.found())-1))
	return nil
}

func (b *help) title() string {
	if b.search == "" {
		return "help · type to search · enter does it · esc closes"
	}
	return "help · " + visible(b.search)
}

// view draws the inside: h lines of w cells.
func (b *help) view(hm *Home, w, h int) []string {
	th, list := hm.theme, b.found()
	if len(list) == 0 {
		return draw.Lines([]string{"", th.Dim.Paint("  nothing of that name")}, w, h)
	}
	lines := make([]string, len(list))
	for i, k := range list {
		over := th.Text.With("")
		if i == b.at {
			over = th.Selected
		}
		text, style := helpWords(k), th.Text
		if why := hm.disabled(k.Action); why != "" {
			text, style = text+" — "+why, th.Dim
		}
		lines[i] = th.Accent.With(over).Paint(draw.Fit("  "+k.Words(), 20)) + style.With(over).Paint(draw.Fit(text, max(0, w-20)))
	}
	b.top = max(0, min(max(min(b.top, b.at), b.at-h+1), len(lines)-h))
	return draw.Lines(lines[b.top:min(len(lines), b.top+h)], w, h)
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
