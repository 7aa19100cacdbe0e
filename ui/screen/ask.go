package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
	"wiretea/ui/style"
)

// An askBox is a question over the panes. It takes all keys: y does what it asks
// about, n something else where that is said, any other key does not. It is
// opened by a key only, never by what comes from elsewhere, so that nobody answers
// it who was typing something else.
type askBox struct {
	head  string // head is what it is about, in a few words.
	parts []askPart
	yes   string // yes is what y does, in words: "sends it".
	do    func() tea.Cmd
	or    string // or is what n does, empty = nothing of its own.
	orDo  func() tea.Cmd
}

// An askPart is a paragraph of a question.
type askPart struct {
	kind askKind
	text string // text is made visible.
}

type askKind uint8

const (
	askText  askKind = iota // askText says something.
	askThing                // askThing is what it is about, as it stands; at most thingLines lines of it are shown.
	askWhole                // askWhole is an askThing of which all is shown.
	askWarn                 // askWarn is what should be known before.
)

// thingLines is how much of an askThing is shown.
const thingLines = 4

// pose opens a question.
func (s *Screen) pose(b *askBox) tea.Cmd {
	s.prompt, s.chord = nil, ""
	s.overlay = b
	return nil
}

// posed is the question that is open, nil for none.
func (s *Screen) posed() *askBox {
	b, _ := s.overlay.(*askBox)
	return b
}

func (b *askBox) title() string { return b.head }

func (b *askBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	s.overlay = nil
	switch k := msg.String(); {
	case k == "y" || k == "Y":
		return b.do()
	case b.or != "" && (k == "n" || k == "N"):
		return b.orDo()
	}
	return nil
}

// size is as much as the question takes, and as much as there is.
func (b *askBox) size(s *Screen, w, h int) (int, int) {
	w = min(w, 78)
	return w, min(h, len(b.lines(s, w-2))+2)
}

// lines is the whole question in lines of w cells, the answers last.
func (b *askBox) lines(s *Screen, w int) []string {
	var lines []string
	for i, p := range b.parts {
		if i > 0 && (p.thing() || b.parts[i-1].thing()) {
			lines = append(lines, "")
		}
		lines = append(lines, p.lines(s.theme, w)...)
	}
	return append(append(lines, ""), b.answers(s, w)...)
}

func (b *askBox) answers(s *Screen, w int) []string {
	th := s.theme
	words := []string{th.Accent.Paint("y") + " " + b.yes}
	if b.or != "" {
		words = append(words, th.Accent.Paint("n")+" "+b.or)
	}
	words = append(words, th.Accent.Paint("any other key")+" does not")
	if line := " " + strings.Join(words, th.Dim.Paint(" · ")); cells.Width(line) < w {
		return []string{line}
	}
	for i := range words {
		words[i] = " " + words[i]
	}
	return words
}

// thing reports whether it is what a question is about.
func (p askPart) thing() bool { return p.kind == askThing || p.kind == askWhole }

func (p askPart) lines(th *style.Theme, w int) []string {
	lead, style := " ", th.Text
	switch p.kind {
	case askThing, askWhole:
		lead, style = "   ", th.Strong
	case askWarn:
		lead, style = " ⚠ ", th.Warning
	case askText:
	}
	room := max(1, w-cells.Width(lead)-1)
	parts := cells.Wrap(p.text, room)
	if p.kind == askThing && len(parts) > thingLines {
		parts = append(parts[:thingLines-1], cells.Fit(strings.Join(parts[thingLines-1:], " "), room))
	}
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = style.Paint(lead) + style.Paint(part)
		lead = cells.Spaces(cells.Width(lead))
	}
	return lines
}

// view draws the question. Where there is no room for all of it, what should be
// known before stays longest, and the answers in any case.
func (b *askBox) view(s *Screen, w, h int) []string {
	lines := b.lines(s, w)
	if len(lines) <= h {
		return lines
	}
	lines = nil
	for _, kind := range []askKind{askWarn, askThing, askWhole, askText} {
		for _, p := range b.parts {
			if p.kind == kind {
				lines = append(lines, p.lines(s.theme, w)...)
			}
		}
	}
	answers := b.answers(s, w)
	lines = append(lines[:min(len(lines), max(0, h-len(answers)))], answers...)
	return lines[:min(len(lines), h)]
}
