package held

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// beside is the width from which on the text is beside the list, and not below it.
const beside = 100

// most is how many messages are seen at once where the pane is not zoomed.
const most = 6

// Want is how high the pane wants to be in a body of w by h cells, border included; 0 while
// nothing is held, and where there is no room for it.
func (p *Pane) Want(w, h int) int {
	n := len(p.state.Held)
	if n == 0 || h < 12 {
		return 0
	}
	want := min(n, most) + 2
	if w < beside {
		want += 4
	}
	return min(max(want, min(12, h*2/7)), h/2)
}

// Title implements pane.Pane.
func (p *Pane) Title(*pane.Context) (left, right string) {
	n := len(p.state.Held)
	left = "held"
	if n > 0 {
		left += " " + format.Count(int64(n))
	}
	if f := p.state.Own.Filter; f != "" {
		right = "intercept " + format.Visible([]byte(f), 60)
	}
	return left, right
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.left, p.atText = 0, h
	if len(p.state.Held) == 0 {
		return cells.Fill([]string{c.Theme.Dim.Paint(" Nothing is held.")}, w, h)
	}
	if w >= beside {
		p.left = w / 2
		list, text := p.lines(c, p.left-2, h, focus), p.text(c, w-p.left, h)
		for i := range list {
			list[i] += c.Theme.Border.Paint(" │") + text[i]
		}
		return list
	}
	n := h
	if h > 3 {
		n = min(len(p.state.Held), max(1, h/2))
	}
	p.atText = n
	return append(p.lines(c, w, n, focus), p.text(c, w, h-n)...)
}

// lines draws h lines of the list.
func (p *Pane) lines(c *pane.Context, w, h int, focus bool) []string {
	from, to := p.list.Fit(len(p.state.Held), h)
	lines := make([]string, 0, h)
	for i := from; i < to; i++ {
		line := p.line(c, &p.state.Held[i], w)
		switch {
		case i == p.list.At && focus:
			line = c.Theme.Selected.Paint("▸" + line)
		case i == p.list.At:
			line = c.Theme.SelectedBlur.Paint("▸" + line)
		default:
			line = " " + line
		}
		lines = append(lines, cells.Fit(line, w))
	}
	return cells.Fill(lines, w, h)
}

// line draws a message: direction, subject, id, size, for how long, and until when.
func (p *Pane) line(c *pane.Context, h *session.Held, w int) string {
	th := c.Theme
	arrow, look := "→", th.Client
	if h.Stream == session.S2C {
		arrow, look = "←", th.Server
	}
	mark := kindMarks[h.Kind]
	switch {
	case h.Ask:
		mark, look = "?", th.Warning
	case h.Batch:
		mark = "≡"
	}
	right := ""
	if w >= factsW {
		right = cells.FitLeft(p.facts(h), 20)
	}
	if w >= 50 {
		right += "  " + cells.FitLeft("held "+span(c.Wall().Sub(h.Since)), 10)
	}
	words, sev := Until(c.Wall(), h)
	limit, sign := th.Severity(sev)
	if sev == session.NoSeverity {
		limit, sign = th.Dim, "◔"
	}
	right = th.Dim.Paint(right) + "  " + limit.Paint(cells.Fit(sign+" "+words, 18))
	left := " " + look.Paint(arrow+cmp.Or(mark, " ")) + " " + p.subject(th, h)
	if _, edited := p.edits[h.ID]; edited {
		left += th.Mark.Paint(" ✎ edited")
	}
	room := max(8, w-1-cells.Width(right)-1)
	return cells.Fit(left, room) + " " + right
}

// factsW is the width of a line from which on it has the id and the size.
const factsW = 70

// facts are the id and the size of a message.
func (p *Pane) facts(h *session.Held) string {
	words := format.Size(int64(p.size(h)))
	if h.MessageID != "" {
		words = "id " + format.Visible([]byte(h.MessageID), 12) + "  " + words
	}
	return words
}

// kindMarks are the marks behind the arrow, as in traffic.
var kindMarks = map[session.RowKind]string{session.RowNotification: "·", session.RowError: "✖"}

// size is how many bytes go on.
func (p *Pane) size(h *session.Held) int {
	if e, ok := p.edits[h.ID]; ok && e.Text != nil {
		return len(e.Text)
	}
	return h.Size
}

// subject is what a message is about.
func (p *Pane) subject(th *style.Theme, h *session.Held) string {
	words := th.Strong.Paint(Subject(h))
	if h.Status > 0 {
		words += th.Dim.Paint(fmt.Sprintf(" %d", h.Status))
	}
	return words
}

// Subject names a message: its method and what it acts on, made visible.
func Subject(h *session.Held) string {
	method := h.Method
	if method == "" {
		method = "a message"
		if h.Kind == session.RowResult || h.Kind == session.RowError {
			method = "a response"
		}
	}
	words := strings.TrimSpace(method + " " + h.Target)
	if h.Kind == session.RowResult || h.Kind == session.RowError {
		words += " (response)"
	}
	return format.Visible([]byte(words), 200)
}

// span writes a time that passes, in whole seconds.
func span(d time.Duration) string {
	if d = max(0, d).Truncate(time.Second); d == 0 {
		return "0 s"
	}
	return format.Wait(d)
}

// Until says what happens to a held message without a person, and when: "released in 12 s".
// The severity rises as the time runs out: a warning below half of it, an error in the last
// fifth.
func Until(now time.Time, h *session.Held) (words string, sev session.Severity) {
	if h.Deadline.IsZero() {
		return "until you decide", session.NoSeverity
	}
	left, all := h.Deadline.Sub(now), h.Deadline.Sub(h.Since)
	words = "released in "
	if h.Deny {
		words = "denied in "
	}
	// The second that has begun counts whole: 1 s, and never 0 s before the end.
	words += span(left + time.Second - 1)
	switch {
	case left*5 <= all:
		return words, session.Error
	case left*2 <= all:
		return words, session.Warning
	}
	return words, session.NoSeverity
}

// text draws h lines of who holds the selected message and what it says.
func (p *Pane) text(c *pane.Context, w, h int) []string {
	sel, ok := p.Selected()
	if !ok || h < 1 {
		return cells.Fill(nil, w, max(0, h))
	}
	lines := []string{c.Theme.Dim.Paint(cells.Fit(" "+p.why(c, &sel, w), w))}
	switch {
	case h == 1:
	case p.wrong != "":
		lines = append(lines, c.Theme.Error.Paint(cells.Fit(" ✖ "+p.wrong, w)))
	case p.shown == sel.ID:
		lines = append(lines, p.view.Lines(c.Theme, w, h-1, false)...)
	}
	return cells.Fill(lines[:min(len(lines), h)], w, h)
}

// why says who holds a message, for what reason, and how long the other side waits.
func (p *Pane) why(c *pane.Context, h *session.Held, w int) string {
	words := "held by " + format.Visible([]byte(strings.TrimPrefix(h.By, "hold: ")), 80)
	if strings.HasPrefix(h.By, "hold: ") {
		words = "held by your filter " + format.Visible([]byte(strings.TrimPrefix(h.By, "hold: ")), 80)
	}
	if h.Ask {
		words = "rule " + format.Visible([]byte(h.Rule), 40) + " asks"
	}
	if h.Reason != "" {
		words += ": " + format.Visible([]byte(h.Reason), 120)
	}
	if w < factsW+2 { // The line of the message, which is as wide, has no room for them.
		words += " · " + p.facts(h)
	}
	if !h.Timeout.IsZero() {
		words += " · its sender gives up in " + span(h.Timeout.Sub(c.Wall()))
	}
	if e, ok := p.edits[h.ID]; ok && e.Status > 0 {
		words += fmt.Sprintf(" · status %d → %d", h.Status, e.Status)
	}
	return words
}
