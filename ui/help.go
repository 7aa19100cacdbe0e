package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/draw"
	"wiretea/ui/keys"
	"wiretea/ui/theme"
	"wiretea/ui/traffic"
)

// A helpBox lists every binding, is searched by typing, and carries out what is
// chosen.
type helpBox struct {
	search string
	at     int
	top    int
}

func (s *Screen) openHelp() tea.Cmd {
	s.overlay = &helpBox{}
	return nil
}

func (b *helpBox) title() string {
	if b.search == "" {
		return "help · type to search · enter does it · esc closes"
	}
	return "help · " + b.search
}

func (b *helpBox) size(_ *Screen, w, h int) (int, int) { return roomy(w, h) }

// found lists the bindings that hold here and match the search.
func (b *helpBox) found(s *Screen) []*keys.Binding {
	var out []*keys.Binding
	for i := range keys.Table {
		k := &keys.Table[i]
		if k.Help == "" || k.Scopes[0] == keys.Home || k.Scopes[0] == keys.Composer && b.search == "" || !k.In(s.focus) && b.search == "" {
			continue
		}
		text := strings.ToLower(k.Help + " " + k.Words() + " " + k.Name + " " + k.Group)
		if strings.Contains(text, strings.ToLower(b.search)) {
			out = append(out, k)
		}
	}
	return out
}

func (b *helpBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	list := b.found(s)
	switch name := msg.String(); name {
	case "up", "ctrl+p":
		b.at--
	case "down", "ctrl+n":
		b.at++
	case "pgup":
		b.at -= 10
	case "pgdown":
		b.at += 10
	case "enter":
		s.overlay = nil
		if b.at < len(list) {
			return s.run(list[b.at])
		}
	case "backspace":
		if r := []rune(b.search); len(r) > 0 {
			b.search = string(r[:len(r)-1])
		}
	default:
		if msg.Text != "" {
			b.search += msg.Text
			b.at = 0
		}
	}
	b.at = clamp(b.at, 0, len(b.found(s))-1)
	return nil
}

// run carries out a binding chosen in the help, in a pane where it holds.
func (s *Screen) run(b *keys.Binding) tea.Cmd {
	if b.Scopes[0] == keys.Composer {
		return s.say(session.Info, "open the composer first: c")
	}
	if !b.In(s.focus) {
		s.show(b.Scopes[0])
	}
	return s.do(b.Action)
}

// signs are the signs of rows that match the search.
func (b *helpBox) signs() []traffic.Legend {
	var out []traffic.Legend
	for _, l := range traffic.Signs {
		if strings.Contains(strings.ToLower("signs "+l.Sign+" "+l.Means), strings.ToLower(b.search)) {
			out = append(out, l)
		}
	}
	return out
}

func (b *helpBox) view(s *Screen, w, h int) []string {
	list, signs := b.found(s), b.signs()
	if len(list)+len(signs) == 0 {
		return []string{"", s.theme.Dim.Paint("  nothing of that name")}
	}
	var lines []string
	group := func(name string) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.theme.Title.Paint(" "+name))
	}
	from, to := 0, 0 // the lines of the one that is chosen
	for i, k := range list {
		if i == 0 || k.Group != list[i-1].Group {
			group(k.Group)
		}
		if i == b.at {
			from = len(lines)
		}
		lines = append(lines, b.lines(s, k, w, i == b.at)...)
		if i == b.at {
			to = len(lines)
		}
	}
	for i, l := range signs {
		if i == 0 {
			group("signs")
		}
		lines = append(lines, helpLines(s.theme.Accent, l.Sign, s.theme.Text, l.Means, w)...)
	}
	if b.at == len(list)-1 {
		to = min(len(lines), from+h) // what cannot be chosen is seen with the last one that can
	}
	b.top = clamp(b.top, to-h, from)
	if from <= 1 {
		b.top = 0
	}
	b.top = clamp(b.top, 0, len(lines)-h)
	return lines[b.top:min(len(lines), b.top+h)]
}

// keysWidth is the column of the keys in the help, in cells.
const keysWidth = 20

// lines draws a binding: what it does, and why it cannot be done now.
func (b *helpBox) lines(s *Screen, k *keys.Binding, w int, chosen bool) []string {
	th := s.theme
	over := th.Text.With("")
	if chosen {
		over = th.Selected
	}
	help, style := k.Help, th.Text
	if k.Name != "" {
		help += "  :" + k.Name
	}
	if why := s.disabledIn(k); why != "" {
		help, style = help+" — "+why, th.Dim
	}
	return helpLines(th.Accent.With(over), k.Words(), style.With(over), help, w)
}

// helpLines draws keys and, beside them, a text over as many lines as it takes.
func helpLines(keyStyle theme.Style, words string, style theme.Style, text string, w int) []string {
	var lines []string
	lead := draw.Fit("  "+words, min(w, keysWidth))
	for _, part := range draw.Wrap(text, max(8, w-keysWidth)) {
		lines = append(lines, draw.Fit(keyStyle.Paint(lead)+style.Paint(draw.Fit(part, max(0, w-keysWidth))), w))
		lead = draw.Spaces(min(w, keysWidth))
	}
	return lines
}

// disabledIn says why a binding cannot be carried out now, in the pane that has
// the focus.
func (s *Screen) disabledIn(k *keys.Binding) string {
	if !k.In(s.focus) {
		return "in " + k.Scopes[0].String()
	}
	return s.disabled(k.Action)
}
