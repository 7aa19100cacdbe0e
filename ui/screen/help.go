package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// A helpBox lists every binding, is searched by typing, and carries out what is
// chosen.
type helpBox struct {
	list.Chooser
	bindings []*keys.Binding // bindings are those that hold here, or all of a session's once something is searched.
}

func (s *Screen) openHelp() tea.Cmd {
	b := &helpBox{}
	b.find(s.focus)
	s.overlay = b
	return nil
}

func (b *helpBox) title() string {
	if b.Search == "" {
		return "help · type to search · enter does it · esc closes"
	}
	return "help · " + format.Visible([]byte(b.Search), 60)
}

func (b *helpBox) size(_ *Screen, w, h int) (int, int) { return roomy(w, h) }

// find finds the bindings that match the search.
func (b *helpBox) find(focus keys.Scope) {
	b.bindings = b.bindings[:0]
	for i := range keys.Table {
		k := &keys.Table[i]
		if k.Help == "" || k.Scopes[0] == keys.Home || b.Search == "" && (k.Scopes[0] == keys.Composer || !k.In(focus)) {
			continue
		}
		b.bindings = append(b.bindings, k)
	}
	b.Look(len(b.bindings), func(i int) string {
		k := b.bindings[i]
		return k.Help + " " + k.Words() + " " + k.Name + " " + k.Group
	})
}

func (b *helpBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "enter" {
		s.overlay = nil
		if at := b.Chosen(); at >= 0 {
			return s.run(b.bindings[at])
		}
		return nil
	}
	if b.Key(msg) {
		b.find(s.focus)
	}
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
		if strings.Contains(strings.ToLower("signs "+l.Sign+" "+l.Means), strings.ToLower(b.Search)) {
			out = append(out, l)
		}
	}
	return out
}

func (b *helpBox) view(s *Screen, w, h int) []string {
	signs := b.signs()
	if len(b.Found)+len(signs) == 0 {
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
	for i, at := range b.Found {
		k := b.bindings[at]
		if i == 0 || k.Group != b.bindings[b.Found[i-1]].Group {
			group(k.Group)
		}
		if i == b.At {
			from = len(lines)
		}
		lines = append(lines, b.lines(s, k, w, i == b.At)...)
		if i == b.At {
			to = len(lines)
		}
	}
	for i, l := range signs {
		if i == 0 {
			group("signs")
		}
		lines = append(lines, helpLines(s.theme.Accent, l.Sign, s.theme.Text, l.Means, w)...)
	}
	if b.At >= len(b.Found)-1 {
		to = min(len(lines), from+h) // what cannot be chosen is seen with the last one that can
	}
	if from <= 1 {
		from = 0 // The head of its group is seen with the first.
	}
	from, to = b.WindowOf(len(lines), from, to, h)
	return lines[from:to]
}

// keysWidth is the column of the keys in the help, in cells.
const keysWidth = 20

// lines draws a binding: what it does, and why it cannot be done now.
func (b *helpBox) lines(s *Screen, k *keys.Binding, w int, chosen bool) []string {
	th := s.theme
	over := th.Text
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
func helpLines(keyStyle style.Style, words string, style style.Style, text string, w int) []string {
	return cells.Beside(words, keyStyle.Paint, text, style.Paint, keysWidth, w)
}

// disabledIn says why a binding cannot be carried out now, in the pane that has
// the focus.
func (s *Screen) disabledIn(k *keys.Binding) string {
	if !k.In(s.focus) {
		return "in " + k.Scopes[0].String()
	}
	return s.disabled(k.Action)
}
