package requests

import (
	"fmt"
	"slices"
	"strings"

	"wiretea/session/cells"
	"wiretea/session/mcp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
)

// NamesEscape implements overlay.Hinted.
func (b *box) NamesEscape() {}

// Title implements overlay.Box.
func (b *box) Title() string {
	title := "the server asks: " + kindWords[b.kind]
	if open := b.of.open(); len(open) > 1 {
		title += fmt.Sprintf(" · %d of %d", slices.Index(open, b.one)+1, len(open))
	}
	return title + " · waits " + whole(b.of.waited(b.one))
}

// Size implements overlay.Box.
func (b *box) Size(th *style.Theme, w, h int) (int, int) {
	bw, bh := overlay.Roomy(w, h)
	if w < 100 {
		bw = w
	}
	if h < 30 {
		bh = h
	}
	if b.stage != filling {
		return bw, min(bh, len(b.text(th, bw-2))+4)
	}
	return bw, bh
}

// text is what the question says, in lines of w cells.
func (b *box) text(th *style.Theme, w int) []string {
	var lines []string
	if b.occasion != "" {
		lines = append(lines, " "+th.Dim.Paint(cells.Fit("for "+b.occasion, max(1, w-2))))
	}
	for _, p := range b.parts {
		lines = append(lines, p.Lines(th, w)...)
	}
	return lines
}

// View implements overlay.Box: what is asked, the form, and the buttons.
func (b *box) View(th *style.Theme, w, h int) []string {
	text := b.text(th, w)
	b.h, b.formAt = h, -1
	if b.stage != filling {
		room := max(1, h-2)
		from, to := b.page.Fit(len(text), room)
		lines := slices.Clone(text[from:to])
		more := ""
		if rest := len(text) - to; rest > 0 {
			more = th.Dim.Paint(fmt.Sprintf(" ↓ %d more lines: j k", rest))
		}
		for len(lines) < room {
			lines = append(lines, "")
		}
		return append(lines, more, b.buttons(th, w))
	}
	room := min(len(text), max(2, h*2/5))
	if h < 12 {
		room = min(len(text), 2)
	}
	lines := slices.Clone(text[:room])
	if rest := len(text) - room; rest > 0 {
		lines[room-1] = th.Dim.Paint(fmt.Sprintf(" ↓ %d more lines: esc shows them", rest+1))
	}
	lines = append(lines, th.Border.Paint(strings.Repeat("─", w)))
	b.formAt = len(lines)
	lines = append(lines, b.editing().View(th, w, max(1, h-len(lines)-1), true)...)
	return append(lines, b.buttons(th, w))
}

// choices are the buttons of the stage: key and word.
func (b *box) choices() [][2]string {
	switch b.stage {
	case resting:
		return [][2]string{{"enter", "answers"}, {"esc", "later"}}
	case filling:
		return [][2]string{{"ctrl+s", "send the answer"}, {"esc", "decline, cancel, later"}}
	case choosing:
	}
	list := [][2]string{{"a", "accept"}}
	if b.kind != wantsForm && b.kind != wantsVisit {
		list[0][1] = "answer"
	}
	if b.kind == wantsVisit {
		list = append([][2]string{{"o", "open"}, {"y", "copy"}}, list...)
	}
	switch b.one.Method {
	case mcp.ElicitationCreate:
		list = append(list, [2]string{"d", "decline"}, [2]string{"c", "cancel"})
	case mcp.RootsList:
		list = append(list, [2]string{"d", "no roots"})
	default:
		list = append(list, [2]string{"d", "refuse"})
	}
	if len(b.of.open()) > 1 {
		list = append(list, [2]string{"n", "next"})
	}
	if b.editing() != nil {
		list = append(list, [2]string{"e", "edit"})
	}
	list = append(list, [2]string{"r", "raw"})
	return append(list, [2]string{"esc", "later"})
}

// buttons is the line of what can be done. A narrow line loses those in the middle: the first
// ones and the way out stay.
func (b *box) buttons(th *style.Theme, w int) string {
	list := b.choices()
	width := func() (n int) {
		for _, c := range list {
			n += cells.Width(c[0]) + cells.Width(c[1]) + 4
		}
		return n
	}
	for width() > w && len(list) > 2 {
		list = slices.Delete(list, len(list)-2, len(list)-1)
	}
	b.spots = b.spots[:0]
	var line strings.Builder
	at := 1
	line.WriteString(" ")
	for _, c := range list {
		word := keys.Word(c[0])
		n := cells.Width(word) + 1 + cells.Width(c[1])
		b.spots = append(b.spots, buttonSpot{c[0], at, at + n})
		line.WriteString(th.Accent.Paint(word) + th.Text.Paint(" "+c[1]) + "   ")
		at += n + 3
	}
	return line.String()
}
