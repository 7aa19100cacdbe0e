package home

import (
	"fmt"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// listTop is the screen's first line of the list: below the header and the
// border.
const listTop = 2

// Below this size there is no room for a list.
const leastW, leastH = 20, 6

// View draws the whole screen: h lines of w cells.
func (h *Home) View(w, height int) string {
	if w < leastW || height < leastH {
		return cells.Fit("wiretea: too small", max(1, w))
	}
	lines := make([]string, 0, height)
	lines = append(lines, h.header(w))
	lines = append(lines, h.body(w, height-2)...)
	lines = append(lines, h.footer(w))
	return strings.Join(lines, "\n")
}

// body is what header and footer leave: a sheet, the help, or the list with what
// is to be known of the row under the cursor.
func (h *Home) body(w, height int) []string {
	switch {
	case h.sheet != nil:
		return h.box(h.sheet.view(h.theme, w-2, height-2), w, text.Line(h.sheet.title()), "", true)
	case h.help != nil:
		return h.box(cells.Lines(h.help.View(h.theme, w-2, height-2), w-2, height-2), w, "help", "", true)
	}
	below := h.about(w-2, aboutRoom(height))
	list := height
	if len(below) > 0 {
		list -= len(below) + 2
	}
	name := "home"
	if h.inv != nil && h.inv.Project != "" {
		name = text.Line(h.inv.Project)
	}
	lines := h.box(h.list(w-2, list-2), w, name, h.listTitle(), len(below) == 0 || h.prompt == nil)
	if len(below) > 0 {
		lines = append(lines, h.box(below, w, h.aboutTitle(), "", false)...)
	}
	return lines
}

// box puts lines of w-2 cells into a border with a title left and right.
func (h *Home) box(inside []string, w int, left, right string, focus bool) []string {
	style, title := h.theme.Border, h.theme.Title
	if focus {
		style, title = h.theme.BorderFocus, h.theme.Accent
	}
	return cells.Box(inside, w, left, right, style.Paint, title.Paint)
}

// header says what there is, as far as there is room.
func (h *Home) header(w int) string {
	th := h.theme
	left := " " + th.Accent.Paint("wiretea") + "  " + th.Strong.Paint("⌂ home")
	if h.inv == nil {
		return cells.Fit(left+"   "+th.Dim.Paint("◌ looking"), w)
	}
	var parts []string
	if n := len(h.inv.Live); n > 0 {
		parts = append(parts, th.OK.Paint("● ")+text.Count(int64(n))+th.Dim.Paint(" live"))
	}
	if n := len(h.inv.Servers); n > 0 {
		parts = append(parts, text.Count(int64(n))+th.Dim.Paint(plural(" server", n)))
	}
	if n := len(h.inv.Recordings); n > 0 {
		parts = append(parts, text.Count(int64(n))+th.Dim.Paint(plural(" recording", n)+", ")+text.Size(h.inv.Bytes))
	}
	for ; ; parts = parts[1:] {
		right := strings.Join(parts, "   ")
		if fill := w - cells.Width(left) - cells.Width(right) - 1; fill >= 3 || len(parts) == 0 {
			return cells.Fit(left+cells.Spaces(fill)+right+" ", w)
		}
	}
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// listTitle is what is in the list's upper border, at the right.
func (h *Home) listTitle() string {
	switch {
	case h.filter != "":
		return h.theme.Warning.Paint("filter " + text.Line(h.filter) + " · " + text.Count(int64(len(h.shown))) + " of " + text.Count(int64(len(h.rows))))
	case h.inv != nil && h.inv.Fault != "":
		return h.theme.Error.Paint("✖ " + text.Line(h.inv.Fault))
	}
	return ""
}

// list draws the list: height lines of w cells.
func (h *Home) list(w, height int) []string {
	h.high = max(0, height)
	roomy := len(h.lines) // roomy is how many lines there are with the blank ones.
	if h.tight {
		roomy += max(0, len(h.lines)-len(h.shown)-1)
	}
	if tight := height < 16 && roomy > height; tight != h.tight {
		h.tight = tight
		h.lay()
	}
	switch {
	case h.inv == nil:
		return cells.Lines([]string{"", h.theme.Dim.Paint("  looking for sessions, servers and recordings…")}, w, height)
	case len(h.shown) == 0:
		return cells.Lines([]string{"", h.theme.Dim.Paint("  nothing matches; esc clears the filter")}, w, height)
	}
	h.scroll()
	cols := h.columns(w)
	lines := make([]string, 0, height)
	for _, l := range h.lines[h.top:min(len(h.lines), h.top+height)] {
		lines = append(lines, h.line(cols, l))
	}
	if h.isNew() {
		lines = append(lines, h.ways(w, height-len(lines))...)
	}
	return cells.Lines(lines, w, height)
}

// isNew reports whether there is nothing to go back to: whoever sees this is told
// how to begin.
func (h *Home) isNew() bool {
	return h.inv != nil && h.filter == "" && len(h.inv.Recordings) == 0 && len(h.inv.Live) == 0
}

// scroll keeps the row under the cursor, and the heading of the first row of a
// kind, among the lines that are shown.
func (h *Home) scroll() {
	h.at = max(0, min(h.at, len(h.shown)-1))
	line := h.lineOf[h.at]
	above := line
	if h.lines[line-1].row < 0 { // No row is in the first line.
		above = line - 1
	}
	if above < h.top || h.high < 2 {
		h.top = above
	}
	h.top = max(h.top, line-h.high+1)
	h.top = max(0, min(h.top, len(h.lines)-h.high))
}

// line draws one line of the list.
func (h *Home) line(cols columns, l line) string {
	i := l.row
	switch {
	case l.heading < numKinds:
		words := " " + h.theme.Title.Paint(headings[l.heading])
		if l.heading != demo {
			words += h.theme.Dim.Paint("  " + text.Count(int64(h.count[l.heading])))
		}
		if l.heading == recording && h.isSorted() {
			words += h.theme.Dim.Paint(" · ") + h.theme.Accent.Paint(h.orderWords())
		}
		return cells.Fit(words, cols.w)
	case i < 0:
		return ""
	}
	c := cellRow{Line: style.NewLine(cols.w, h.theme.Over(i == h.at, true)), th: h.theme, cols: cols}
	r := &h.rows[h.shown[i]]
	switch r.kind {
	case live:
		c.live(r.session, h.opt.Now())
	case server:
		c.server(r.server)
	case demo:
		c.sign(c.th.Accent, "▸")
		c.left(c.th.Strong, "wiretea demo", max(12, c.cols.name))
		c.Put(c.th.Dim, "the embedded server: healthy, then one fault after the other")
	case recording:
		c.recording(r.session, h.opt.Now(), h.judging && h.tried[r.session.Path], slices.Contains(h.marked, r.session.Path))
	case numKinds:
	}
	return c.String()
}

// footer is the question, the prompt, a notice, or the keys that matter here.
func (h *Home) footer(w int) string {
	th := h.theme
	switch {
	case h.asked != nil:
		words := fmt.Sprintf(" y deletes %s, %s, for good · any other key keeps it", text.Line(h.asked.Name), text.Size(h.asked.Size))
		return th.Warning.Paint(cells.Fit(words, w))
	case h.sheet != nil:
		return th.Warning.Paint(cells.Fit(" "+h.sheet.footer(), w))
	case h.prompt != nil:
		return h.promptLine(w)
	case h.launch != nil:
		return h.launchLine(w)
	case h.busy != "":
		return cells.Fit(" "+th.Accent.Paint("◌ ")+text.Line(h.busy), w)
	case h.notice.text != "":
		style, sign := th.Severity(h.notice.severity)
		if h.notice.severity == session.NoSeverity {
			style, sign = th.Severity(session.Info)
		}
		return cells.Fit(" "+style.Paint(sign+" "+text.Line(strings.Join(strings.Fields(h.notice.text), " "))), w)
	}
	return h.hints(w)
}

// promptLine is the line in which the filter is typed.
func (h *Home) promptLine(w int) string {
	th := h.theme
	h.prompt.SetWidth(max(8, w-12))
	note := ""
	if h.prompt.Value() == "" {
		h.prompt.SetWidth(2)
		note = "words of a name, client, command, date · live  server  recording  wrapped  error"
	}
	style := th.Accent
	if h.filter != "" && len(h.shown) == 0 {
		style = th.Error
	}
	return cells.Fit(" "+style.Paint("filter ")+h.prompt.View()+"  "+th.Dim.Paint(note), w)
}

// opens is what enter does with each kind.
var opens = [numKinds]string{"attach", "run", "play", "open"}

// unhinted are the actions without a hint of their own: another one does the same.
var unhinted = []keys.Action{keys.Help, keys.Command, keys.Search, keys.ShowStats}

// hints are the keys that matter here, as far as there is room.
func (h *Home) hints(w int) string {
	line := keyhelp.NewHints(h.theme, w, "?")
	if r := h.selected(); r != nil {
		line.Add("enter", opens[r.kind])
	}
	for k := range h.keys.All() {
		if k.Hint == "" || !k.In(keys.Home) || !does(k.Action) || slices.Contains(unhinted, k.Action) || h.disabled(k.Action) != "" {
			continue
		}
		line.Add(keys.Word(k.Keys[0]), k.Hint)
	}
	line.Add("q", "leave")
	return line.String()
}
