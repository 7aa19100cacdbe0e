package overlay

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/style"
)

// A Box is what is open over the panes.
type Box interface {
	Title() string

	// Size is how large the box is, border included, in a body of w by h cells.
	Size(th *style.Theme, w, h int) (int, int)

	// View draws the inside: at most h lines of at most w cells.
	View(th *style.Theme, w, h int) []string

	// Key takes a key, esc only where the box is an Escaper. With done the screen
	// closes the box.
	Key(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool)
}

// What a Box is besides, as far as it takes more than keys.
type (
	// A Taker takes all that comes: keys, esc too, pastes, and the mouse as pane.Click
	// and pane.Wheel. Its Key is not called.
	Taker interface{ Take(msg any) tea.Cmd }

	// An Escaper is told that esc was pressed, and reports whether it stays open.
	Escaper interface{ Escape() (stays bool) }

	// A Rester may open by itself. While it rests it is at the foot, and takes only
	// the keys that it wants.
	Rester interface {
		Resting() bool
		Wants(key string) bool
	}

	// A Hinted box says itself what esc does.
	Hinted interface{ NamesEscape() }

	// A Searched box is searched for what is pasted, one line.
	Searched interface{ Typed(text string) }
)

// Roomy is the size of a box that is read for a while.
func Roomy(w, h int) (int, int) {
	h = min(h, max(8, h*4/5))
	if w < 70 {
		return w, h
	}
	return min(w, max(60, w*3/4)), h
}

// A Page is a text that is read, and closed by q or enter.
type Page struct {
	Name string // Name is in its border.

	// Lines makes the text, in lines of at most w cells.
	Lines func(th *style.Theme, w int) []string

	Keys keys.Map
	Head string // Head is a line that is above the text; empty = none.
	Fits bool   // Fits: the box is no higher than the text.
	End  bool   // End: the end of the text is shown until somebody moves.

	page list.Page
}

// Title implements Box.
func (p *Page) Title() string { return p.Name }

// Size implements Box.
func (p *Page) Size(th *style.Theme, w, h int) (int, int) {
	w, h = Roomy(w, h)
	if p.Fits {
		h = min(h, max(8, len(p.Lines(th, w-2))+4))
	}
	return w, h
}

// Key implements Box.
func (p *Page) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch name := msg.String(); name {
	case "q", "enter":
		return nil, true
	default:
		p.End = !p.page.Do(p.Keys.Moving(name)) && p.End
	}
	return nil, false
}

// View implements Box.
func (p *Page) View(th *style.Theme, w, h int) []string {
	var head []string
	if p.Head != "" && h >= 6 {
		head = []string{" " + th.Dim.Paint(p.Head), ""}
	}
	lines := p.Lines(th, w)
	if p.End {
		p.page.Top = len(lines)
	}
	room := max(1, h-len(head))
	from, to := p.page.Fit(len(lines), room)
	if to == len(lines) || room < 4 {
		return append(head, lines[from:to]...)
	}
	from, to = p.page.Fit(len(lines), room-1)
	return append(append(head, lines[from:to]...), th.Dim.Paint(fmt.Sprintf("  ↓ %d more", len(lines)-to)))
}

// A Part is a paragraph of a question.
type Part struct {
	Kind Kind
	Text string // Text is made visible; line feeds stay.
}

// A Kind says how a Part is drawn.
type Kind uint8

const (
	Text   Kind = iota // Text says something.
	Strong             // Strong is what somebody asks.
	Quote              // Quote is what somebody said, or a value.
	Thing              // Thing is what the question is about; at most thingLines lines of it are shown.
	Whole              // Whole is a Thing of which all is shown.
	Warn               // Warn is what should be known before the answer.
	URL                // URL is a URL, all of it.
	Host               // Host is the host of a URL.
)

// Of returns a paragraph of the kind.
func (k Kind) Of(text string) Part { return Part{k, text} }

// thingLines is how much of a Thing is shown.
const thingLines = 4

// thing reports whether it is what a question is about.
func (p Part) thing() bool { return p.Kind == Thing || p.Kind == Whole }

func (p Part) look(th *style.Theme) (lead string, look style.Style) {
	switch p.Kind {
	case Strong:
		return " ", th.Strong
	case Quote:
		return "   ", th.Text
	case Thing, Whole:
		return "   ", th.Strong
	case Warn:
		return " ⚠ ", th.Warning
	case URL:
		return "   ", th.Key
	case Host:
		return "   ", th.HitNow
	case Text:
	}
	return " ", th.Text
}

// Lines draws the paragraph in lines of at most w cells.
func (p Part) Lines(th *style.Theme, w int) []string {
	lead, look := p.look(th)
	room := max(1, w-cells.Width(lead)-1)
	var parts []string
	for text := range strings.SplitSeq(p.Text, "\n") {
		switch {
		case p.Kind == URL, p.Kind == Host, text == "":
			parts = append(parts, cells.Hardwrap(text, room)...) // never broken at a hyphen
		default:
			parts = append(parts, cells.Wrap(text, room)...)
		}
	}
	if p.Kind == Thing && len(parts) > thingLines {
		parts = append(parts[:thingLines-1], cells.Fit(strings.Join(parts[thingLines-1:], " "), room))
	}
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = look.Paint(lead) + look.Paint(strings.TrimRight(part, " "))
		lead = cells.Spaces(cells.Width(lead))
	}
	return lines
}
