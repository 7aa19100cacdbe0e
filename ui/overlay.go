package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/draw"
	"wiretea/ui/keys"
	"wiretea/ui/units"
)

// An overlay is a box over the panes that takes the keys while it is open.
type overlay interface {
	key(s *Screen, msg tea.KeyPressMsg) tea.Cmd
	title() string

	// size is how large the box is, border included, in a body of w by h cells.
	size(s *Screen, w, h int) (int, int)

	// view draws the inside: at most h lines of at most w cells.
	view(s *Screen, w, h int) []string
}

// roomy is the size of a box that is read for a while.
func roomy(w, h int) (int, int) {
	h = min(h, max(8, h*4/5))
	if w < 70 {
		return w, h
	}
	return min(w, max(60, w*3/4)), h
}

// overlayKey gives a key to the overlay; esc closes it.
func (s *Screen) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "esc" {
		s.overlay = nil
		return nil
	}
	return s.overlay.key(s, msg)
}

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
		if k.Help == "" || k.Scopes[0] == keys.Home || !k.In(s.focus) && b.search == "" {
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
	if !b.In(s.focus) {
		s.show(b.Scopes[0])
	}
	return s.do(b.Action)
}

func (b *helpBox) view(s *Screen, w, h int) []string {
	list := b.found(s)
	if len(list) == 0 {
		return []string{"", s.theme.Dim.Paint("  nothing of that name")}
	}
	var lines []string
	group, at := "", 0
	for i, k := range list {
		if k.Group != group {
			if group = k.Group; len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, s.theme.Title.Paint(" "+group))
		}
		if i == b.at {
			at = len(lines)
		}
		lines = append(lines, b.line(s, k, w, i == b.at))
	}
	if at < b.top {
		b.top = at
	}
	if at >= b.top+h {
		b.top = at - h + 1
	}
	b.top = clamp(b.top, 0, len(lines)-h)
	if at <= 1 {
		b.top = 0
	}
	return lines[b.top:min(len(lines), b.top+h)]
}

func (b *helpBox) line(s *Screen, k *keys.Binding, w int, chosen bool) string {
	th := s.theme
	over := th.Text.With("")
	if chosen {
		over = th.Selected
	}
	help, style := k.Help, th.Text
	if why := s.disabledIn(k); why != "" {
		help, style = help+" — "+why, th.Dim
	}
	if k.Name != "" {
		help += "  :" + k.Name
	}
	line := th.Accent.With(over).Paint(draw.Fit("  "+k.Words(), 20)) + style.With(over).Paint(draw.Fit(help, max(0, w-20)))
	return draw.Fit(line, w)
}

// disabledIn says why a binding cannot be carried out now, in the pane that has
// the focus.
func (s *Screen) disabledIn(k *keys.Binding) string {
	if !k.In(s.focus) {
		return "in " + k.Scopes[0].String()
	}
	return s.disabled(k.Action)
}

// An explainBox shows what a rule is.
type explainBox struct {
	rule *check.Rule
	top  int
}

// explain opens the explanation of a rule.
func (s *Screen) explain(id string) tea.Cmd {
	rule := check.Lookup(id)
	if rule == nil {
		return s.say(session.Error, "there is no rule "+id+"; tab after :explain lists them")
	}
	s.overlay = &explainBox{rule: rule}
	return nil
}

func (b *explainBox) title() string { return b.rule.ID }

func (b *explainBox) size(_ *Screen, w, h int) (int, int) { return roomy(w, h) }

func (b *explainBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "j", "down":
		b.top++
	case "k", "up":
		b.top = max(0, b.top-1)
	case "pgdown", "space", "ctrl+d":
		b.top += 10
	case "pgup", "ctrl+u":
		b.top = max(0, b.top-10)
	case "q", "enter":
		s.overlay = nil
	}
	return nil
}

func (b *explainBox) view(s *Screen, w, h int) []string {
	var text strings.Builder
	_ = check.WriteText(&text, b.rule) // a Builder takes everything
	var lines []string
	for line := range strings.Lines(text.String()) {
		line = units.Visible([]byte(strings.TrimRight(line, "\n")), 0)
		if line == "" {
			lines = append(lines, "")
		}
		for _, part := range draw.Wrap(line, max(10, w-2)) {
			lines = append(lines, " "+part)
		}
	}
	b.top = clamp(b.top, 0, len(lines)-h)
	return lines[b.top:min(len(lines), b.top+h)]
}
