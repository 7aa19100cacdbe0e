package overlay

import (
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/style"
)

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
