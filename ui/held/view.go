package held

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/lazy"
	"wiretea/session/text"
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
		left += " " + text.Count(int64(n))
	}
	if f := p.state.Own.Filter; f != "" {
		right = "intercept " + text.Visible([]byte(f), 60)
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
	cols := p.columnsIn(w, p.state.Held[from:to])
	p.factsSeen = cols.facts
	lines := make([]string, 0, h)
	for i := from; i < to; i++ {
		cursor := " "
		if i == p.list.At {
			cursor = "▸"
		}
		lines = append(lines, p.line(c, &p.state.Held[i], w, cols, cursor, c.Theme.Over(i == p.list.At, focus)))
	}
	return cells.Fill(lines, w, h)
}

// columns are those of a line that go where what the messages are about needs their room.
type columns struct {
	facts bool // facts: the id and the size.
	since bool // since: for how long it is held.
}

// Widths of the columns of a line, the gap before each included.
const (
	signsW  = 5 // signsW is the cursor, the arrow, and the mark.
	factsW  = 20
	sinceW  = 12
	untilW  = 20
	editedW = 9
	longest = 60 // longest is the subject from which on a longer one takes no more columns.
)

// columnsIn returns the columns for which a line of w cells has room beside these messages.
func (p *Pane) columnsIn(w int, shown []session.Held) columns {
	need := 0
	for i := range shown {
		h := &shown[i]
		n := min(cells.Width(Subject(h)), longest)
		if h.Status > 0 {
			n += 4
		}
		if _, edited := p.edits[h.ID]; edited {
			n += editedW
		}
		need = max(need, n)
	}
	room := w - signsW - 1 - untilW - need
	return columns{facts: room >= factsW+sinceW, since: room >= sinceW}
}

// line draws a message: direction, subject, id, size, for how long, and until when.
func (p *Pane) line(c *pane.Context, h *session.Held, w int, cols columns, cursor string, over style.Style) string {
	th := c.Theme
	arrow, look := "→", th.Client
	if h.Stream == session.S2C {
		arrow, look = "←", th.Server
	}
	mark := kindMarks.Get()[h.Kind]
	switch {
	case h.Ask:
		mark, look = "?", th.Warning
	case h.Batch:
		mark = "≡"
	}
	right := ""
	if cols.facts {
		right = cells.FitLeft(p.facts(h), factsW)
	}
	if cols.since {
		right += "  " + cells.FitLeft("held "+span(c.Wall().Sub(h.Since)), sinceW-2)
	}
	words, sev := Until(c.Wall(), h)
	limit, sign := th.Severity(sev)
	if sev == session.NoSeverity {
		limit, sign = th.Dim, "◔"
	}
	until := cells.Fit(sign+" "+words, untilW-2)
	status, edited := "", ""
	if h.Status > 0 {
		status = fmt.Sprintf(" %d", h.Status)
	}
	if _, ok := p.edits[h.ID]; ok {
		edited = " ✎ edited"
	}
	room := max(8, w-2-cells.Width(right)-untilW)
	subject := shortSubject(h, room-signsW+1-cells.Width(status+edited))
	line := style.NewLine(w, over)
	line.Put(th.Text, cursor+" ")
	line.Put(look, arrow+cmp.Or(mark, " ")+" ")
	line.Put(th.Strong, subject)
	line.Put(th.Dim, status)
	line.Put(th.Mark, edited)
	line.Put(th.Text, cells.Spaces(room-signsW+1-cells.Width(subject+status+edited)+1))
	line.Put(th.Dim, right+"  ")
	line.Put(limit, until)
	return line.String()
}

// facts are the id and the size of a message.
func (p *Pane) facts(h *session.Held) string {
	words := text.Size(int64(p.size(h)))
	if h.MessageID != "" {
		words = "id " + text.Visible([]byte(h.MessageID), 12) + "  " + words
	}
	return words
}

// kindMarks are the marks behind the arrow, as in traffic.
var kindMarks = lazy.Value[map[session.RowKind]string]{New: func() map[session.RowKind]string {
	return map[session.RowKind]string{session.RowNotification: "·", session.RowError: "✖"}
}}

// size is how many bytes go on.
func (p *Pane) size(h *session.Held) int {
	if e, ok := p.edits[h.ID]; ok && e.Text != nil {
		return len(e.Text)
	}
	return h.Size
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
	return text.Visible([]byte(words), 200)
}

// shortSubject names a message in w cells: in full, or by what its method acts on.
func shortSubject(h *session.Held, w int) string {
	words := Subject(h)
	if cells.Width(words) > w && h.Target != "" {
		words = text.Visible([]byte(h.Target), 200)
	}
	return cells.Fit(words, min(w, cells.Width(words)))
}

// span writes a time that passes, in whole seconds.
func span(d time.Duration) string {
	if d = max(0, d).Truncate(time.Second); d == 0 {
		return "0 s"
	}
	return text.Wait(d)
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
	var lines []string
	if why := p.why(c, &sel); h < 5 {
		lines = []string{c.Theme.Dim.Paint(cells.Fit(" "+why, w))}
	} else {
		for _, part := range cells.Wrap(why, max(1, w-2)) {
			lines = append(lines, c.Theme.Dim.Paint(cells.Fit(" "+strings.TrimPrefix(part, "· "), w)))
		}
		lines = lines[:min(len(lines), 2)]
	}
	switch room := h - len(lines); {
	case room < 1:
	case p.wrong != "":
		lines = append(lines, c.Theme.Error.Paint(cells.Fit(" ✖ "+p.wrong, w)))
	case p.shown == sel.ID:
		lines = append(lines, p.view.Lines(c.Theme, w, room, false)...)
	}
	return cells.Fill(lines[:min(len(lines), h)], w, h)
}

// GivesUp says which side waits for a message, or for its response, and when that side's own
// timeout ends.
func GivesUp(now time.Time, h *session.Held) string {
	who, response := "the server", h.Kind == session.RowResult || h.Kind == session.RowError
	if response == (h.Stream == session.S2C) {
		who = "the client"
	}
	return who + " gives up in " + span(h.Timeout.Sub(now))
}

// why says who holds a message, for what reason, and how long the other side waits.
func (p *Pane) why(c *pane.Context, h *session.Held) string {
	words := "held by " + text.Visible([]byte(strings.TrimPrefix(h.By, "hold: ")), 80)
	switch by, person := strings.CutPrefix(h.By, "hold: "); {
	case !person:
	case by == session.ByFollowed:
		words = "held as its request was"
	case by == p.state.Own.Filter:
		words = "held by your filter " + text.Visible([]byte(by), 80)
	default: // That of another screen, or an earlier one of this.
		words = "held by the filter " + text.Visible([]byte(by), 80)
	}
	if h.Ask {
		words = "rule " + text.Visible([]byte(h.Rule), 40) + " asks"
	}
	if h.Reason != "" {
		words += ": " + text.Visible([]byte(h.Reason), 120)
	}
	if !h.Timeout.IsZero() {
		words += " · " + GivesUp(c.Wall(), h)
	}
	if e, ok := p.edits[h.ID]; ok && e.Status > 0 {
		words += fmt.Sprintf(" · status %d → %d", h.Status, e.Status)
	}
	if !p.factsSeen {
		words += " · " + p.facts(h)
	}
	return words
}
