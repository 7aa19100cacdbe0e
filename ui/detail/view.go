package detail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/jsonrpc"
	"wiretea/session/text"
	"wiretea/ui/jsonview"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A spot is where a tab's name is in the first line.
type spot struct {
	tab      tabKind
	from, to int
}

// footHeight is from which height on the last line says where the cursor is.
const footHeight = 8

// top is how many lines are above the content: the tabs, and how the frame went
// where it did not cross.
func (p *Pane) top() int {
	switch {
	case p.h > 3 && p.sub.shown(p.tab()).Way != session.Crossed:
		return 2
	case p.h > 1:
		return 1
	}
	return 0
}

// wayLine says which way the frame of the tab went.
func (p *Pane) wayLine(c *pane.Context) string {
	r, by := p.sub.shown(p.tab()), ""
	if p.event != nil && r.N == p.sub.r.N {
		by = p.event.By
	}
	return c.Theme.Warning.Paint(cells.Fit(" "+wayWords(r.Way, r.Stream, by), p.w))
}

// wayWords says which way a frame went, and by whose decision; by may be empty.
func wayWords(way session.Way, stream session.Stream, by string) string {
	kept := "%s the %s did not get this"
	if strings.HasPrefix(by, "hold: ") || strings.HasSuffix(by, session.ByAsked) || strings.HasSuffix(by, session.ByHeld) { // It may still be held, or have gone on since.
		kept = "%s held before it reached the %s"
	}
	words := fmt.Sprintf(kept, "⇥", "server")
	_, done, _ := strings.Cut(by, "; ")
	switch released := strings.Contains(done, "released") || strings.Contains(done, "allowed"); {
	case released && way == session.WayOut && stream == session.S2C:
		words = "↤ sent on to the client"
	case released && way == session.WayOut:
		words = "↦ sent on to the server"
	case way == session.WayOut && stream == session.S2C:
		words = "↤ sent to the client by wiretea"
	case way == session.WayOut:
		words = "↦ sent by wiretea, not by the client"
	case stream == session.S2C:
		words = fmt.Sprintf(kept, "⇤", "client")
	}
	if by != "" {
		words += " · " + text.Visible([]byte(by), 0)
	}
	return words
}

// bodySize is the size of the content.
func (p *Pane) bodySize() (w, h int) {
	h = p.h - p.top()
	if p.h >= footHeight {
		h--
	}
	return p.w, max(1, h)
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.w, p.h, p.pictures = w, h, nil
	lines := make([]string, 0, h)
	if p.top() > 0 {
		lines = append(lines, p.tabLine(c))
	}
	if p.top() > 1 {
		lines = append(lines, p.wayLine(c))
	}
	_, room := p.bodySize()
	foot := ""
	switch v := p.view(); {
	case p.sub.row == session.NoRow:
		lines = append(lines, note(c.Theme.Dim, " no row selected", w, room)...)
	case v != nil && v.Empty():
		lines = append(lines, note(c.Theme.Dim, " (empty)", w, room)...)
	case v != nil:
		lines = append(lines, v.Lines(c.Theme, w, room, focus)...)
		foot = p.foot(c, v)
	case p.sub.frame(p.tab()) != session.NoRow:
		if f := p.shownFrame(); f != nil && f.err != nil {
			lines = append(lines, note(c.Theme.Error, " ✖ "+text.Line(f.err.Error()), w, room)...)
		} else {
			lines = append(lines, cells.Lines(nil, w, room)...)
		}
	case p.tab() == requestTab:
		lines = append(lines, note(c.Theme.Warning, " no request has this id", w, room)...)
	case p.tab() == responseTab:
		style, words := p.waiting(c)
		lines = append(lines, note(style, " "+words, w, room)...)
	case p.tab() == contentTab:
		lines = append(lines, p.content(c, w, room, focus)...)
	default:
		lines = append(lines, p.list(c, w, room, focus)...)
	}
	if len(lines) < h {
		lines = append(lines, cells.Fit(foot, w))
	}
	return lines
}

// note is a page with one line.
func note(style style.Style, text string, w, h int) []string {
	return cells.Lines([]string{style.Paint(cells.Fit(text, w))}, w, h)
}

// list draws the tabs that are lists.
func (p *Pane) list(c *pane.Context, w, h int, focus bool) []string {
	s := &p.sheet
	if s.dirty || s.w != w || s.tab != p.tab() {
		*s = sheet{items: s.items[:0], tab: p.tab(), w: w}
		switch p.tab() {
		case timingTab:
			p.timing(c, s)
		case findingsTab:
			p.findings(c, s)
		case eventTab:
			p.eventFacts(c, s)
		case httpTab:
			p.http(c, s)
		case clientsTab:
			p.clients(c, s)
		case noTab, contentTab, requestTab, responseTab, messageTab, rawTab, numTabs:
		}
	}
	return p.drawn(len(s.items), w, h, c.Theme, focus, func(i int, line *style.Line) {
		for _, part := range s.items[i].parts {
			line.Put(part.style, part.text)
		}
	})
}

// drawn draws the lines of the tab's list that are in sight, of n.
func (p *Pane) drawn(n, w, h int, th *style.Theme, focus bool, draw func(i int, line *style.Line)) []string {
	l := &p.lists[p.tab()]
	from, to := l.Fit(n, h)
	lines := make([]string, 0, h)
	for i := from; i < to; i++ {
		line := style.NewLine(w, th.Over(i == l.At, focus))
		line.Space(min(margin, w-1))
		draw(i, line)
		lines = append(lines, line.String())
	}
	return cells.Fill(lines, w, h)
}

// tabLine draws the names of the tabs: whole, else short, else those around the one that is
// shown, with ‹ and › where there are more.
func (p *Pane) tabLine(c *pane.Context) string {
	th := c.Theme
	for _, names := range []*[numTabs]string{&tabNames, &shortNames} {
		line, at := "", 0
		p.spots = p.spots[:0]
		for _, t := range p.sub.tabs {
			text := p.label(t, names)
			look := th.Dim
			if t == p.tab() {
				look = th.Current
			}
			line += " " + look.Paint(text) + " "
			p.spots = append(p.spots, spot{t, at, at + cells.Width(text) + 2})
			at += cells.Width(text) + 2
		}
		if at <= p.w {
			return line + cells.Spaces(p.w-at)
		}
	}
	return p.someTabs(th)
}

// label is the name of a tab, with what it counts.
func (p *Pane) label(t tabKind, names *[numTabs]string) string {
	if n := p.marks.count(); t == findingsTab && n > 0 {
		return names[t] + " " + strconv.Itoa(n)
	}
	if t == clientsTab {
		return p.clientsLabel(names[t])
	}
	if t == messageTab && p.sub.r.Kind == session.RowStderr {
		return "line"
	}
	return names[t]
}

// someTabs draws the tab that is shown and as many beside it as there is room for.
func (p *Pane) someTabs(th *style.Theme) string {
	p.spots = p.spots[:0]
	taken := func(i int) int { return cells.Width(p.label(p.sub.tabs[i], &shortNames)) + 2 }
	from := max(0, slices.Index(p.sub.tabs, p.tab()))
	to, used := from+1, taken(from)
	for grown := true; grown; {
		grown = false
		if to < len(p.sub.tabs) && used+taken(to) <= p.w-2 {
			used, to, grown = used+taken(to), to+1, true
		}
		if from > 0 && used+taken(from-1) <= p.w-2 {
			from, grown = from-1, true
			used += taken(from)
		}
	}
	if to == from+1 {
		return th.Current.Paint(cells.Fit("‹"+p.label(p.tab(), &tabNames)+"›", p.w))
	}
	more := func(sign string, there bool) string {
		if !there {
			return " "
		}
		return th.Dim.Paint(sign)
	}
	line, at := more("‹", from > 0), 1
	for i, t := range p.sub.tabs[from:to] {
		look := th.Dim
		if t == p.tab() {
			look = th.Current
		}
		line += " " + look.Paint(p.label(t, &shortNames)) + " "
		p.spots = append(p.spots, spot{t, at, at + taken(from+i)})
		at += taken(from + i)
	}
	return cells.Fit(line+more("›", to < len(p.sub.tabs)), p.w)
}

// foot is the line below the content: the path of the value under the cursor.
func (p *Pane) foot(c *pane.Context, v *jsonview.View) string {
	th := c.Theme
	right := ""
	d := v.Document()
	switch _, why, bad := d.Defect(); {
	case bad && p.sub.r.Kind != session.RowPart:
		right = th.Error.Paint("✖ " + why)
	case d.Kind() == jsonview.Hex:
		right = th.Dim.Paint("no text, " + text.Size(int64(len(d.Body()))))
	case d.Len() > 1:
		right = th.Dim.Paint(text.Plural(int64(d.Len()), "line"))
	}
	left := v.Path()
	if v == p.text.view {
		left = "text of " + p.text.path + strings.TrimSuffix("  "+strings.TrimSuffix(left, "."), "  ")
	}
	room := p.w - 2 - cells.Width(right)
	if room < 12 {
		right, room = "", p.w-2
	}
	return " " + th.Dim.Paint(cells.Fit(left, max(0, room))) + right + " "
}

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	if p.sub.row == session.NoRow {
		return "detail", ""
	}
	left = text.Line(p.sub.name(c.Snap))
	if p.sub.r.N > 0 {
		left += " " + number(p.sub.r)
	}
	switch f := p.shownFrame(); {
	case f == nil:
	case p.load != nil && f.row == p.load.row && f.total > firstWindow && !f.whole:
		return left, c.Theme.Accent.Paint(fmt.Sprintf("reading %d %%", int(100*float64(f.n)/float64(min(f.total, maxShown)))))
	case f.whole && f.total > maxShown:
		return left, c.Theme.Warning.Paint("the first " + text.Size(maxShown) + " of " + text.Size(f.total))
	}
	return left, p.state(c)
}

// state says how the exchange went, or how large a frame is.
func (p *Pane) state(c *pane.Context) string {
	th := c.Theme
	if p.sub.req == session.NoRow && p.sub.resp == session.NoRow {
		switch {
		case p.sub.r.Kind == session.RowTrip:
			return tripState(c, p.sub.row)
		case p.sub.isEvent():
			return th.Dim.Paint(when(c, p.sub.r.T))
		}
		size := int64(p.sub.r.Len)
		if f := p.cache.get(p.sub.row); f != nil && f.whole && f.err == nil && p.sub.r.Flags&session.FlagJoined != 0 {
			size = f.n // of a value over several lines, all of it
		}
		return th.Dim.Paint(text.Size(size))
	}
	if p.sub.resp == session.NoRow {
		style, words := p.waiting(c)
		return style.Paint(words)
	}
	out := ""
	if ns, ok := c.Snap.Latency(p.sub.resp); ok {
		out = th.Text.Paint(text.Duration(ns)) + th.Dim.Paint(" · ")
	}
	resp := c.Snap.Row(p.sub.resp)
	flags := resp.Flags
	if p.sub.req != session.NoRow {
		flags |= c.Snap.Row(p.sub.req).Flags
	}
	if flags&session.FlagLate != 0 {
		out += th.Warning.Paint("late") + th.Dim.Paint(" · ")
	}
	if flags&session.FlagCancelled != 0 {
		out += th.Warning.Paint("cancelled") + th.Dim.Paint(" · ")
	}
	known := p.answer.known && p.answer.row == p.sub.resp
	switch {
	case resp.Flags&session.FlagProbe != 0:
		return out + th.Dim.Paint("legacy server")
	case resp.Kind == session.RowError && known && p.answer.code != "":
		return out + th.Error.Paint("error "+p.answer.code)
	case resp.Kind == session.RowError:
		return out + th.Error.Paint("error")
	case resp.Failed():
		return out + th.Error.Paint("tool error")
	}
	return out + th.OK.Paint("ok")
}

// waiting says why there is no response, or for how long it is waited for.
func (p *Pane) waiting(c *pane.Context) (style.Style, string) {
	th := c.Theme
	flags := p.sub.r.Flags
	ns := max(0, c.Now-p.sub.r.T)
	conn := c.Snap.Conn(int(p.sub.r.Conn))
	switch {
	case flags&session.FlagCancelled != 0 && flags&session.FlagLate != 0 && conn != nil && conn.Ours && p.sub.r.Stream == session.C2S:
		return th.Error, "timed out"
	case flags&session.FlagCancelled != 0:
		return th.Warning, "cancelled"
	case c.Dropped(p.sub.req):
		return th.Dim, "dropped here: no response"
	case flags&session.FlagLost != 0 && p.sub.trip != session.NoRow: // The round trip says why.
		return th.Error, "no response"
	case flags&session.FlagLost != 0:
		return th.Error, "no response: connection closed"
	case !c.Live && flags&session.FlagLate != 0:
		return th.Error, "late, no response"
	case !c.Live, c.Over(conn):
		return th.Warning, "no response"
	}
	words := pane.Spinner(ns) + " " + text.Duration(ns)
	who, since := p.people(c)
	went, ours := c.Waits(p.sub.req)
	ns = min(ns, max(0, c.Now-max(since, went)))
	switch {
	case ours:
		return th.Text, "‖ " + text.Duration(max(0, c.Now-p.sub.r.T)) + ", held here"
	case who != "":
		return th.Text, words + ", waits for " + who
	case flags&session.FlagLate != 0:
		return th.Error, words + " late"
	case c.Header != nil && ns >= min(int64(c.Header.Limits.For(c.Snap.Name(p.sub.r.Method)))/2, pane.HangsAfter):
		return th.Warning, words
	}
	return th.Text, words
}

// A sheet is a list of lines of our own: the tabs that show no bytes.
type sheet struct {
	items []item
	tab   tabKind
	w     int
	dirty bool // dirty: what it says may have changed.
}

// An item is a line of a sheet, and where it leads.
type item struct {
	parts []part
	row   uint32 // row is a row to go to, or NoRow.
	rule  string // rule is a rule to explain, empty = none.
}

// A part is text in a style. It is safe to print.
type part struct {
	style style.Style
	text  string
}

// margin is the cells left of a line.
const margin = 1

// labelWidth is how wide the labels of facts are.
const labelWidth = 12

// line adds a line that leads nowhere.
func (s *sheet) line(parts ...part) *item {
	s.items = append(s.items, item{parts: parts, row: session.NoRow})
	return &s.items[len(s.items)-1]
}

// fact adds a line with a label.
func (s *sheet) fact(th *style.Theme, label string, parts ...part) *item {
	return s.line(append([]part{{th.Dim, cells.Fit(label, labelWidth)}}, parts...)...)
}

// heading adds an empty line and a heading.
func (s *sheet) heading(th *style.Theme, text string, more ...part) {
	if len(s.items) > 0 {
		s.line()
	}
	s.line(append([]part{{th.Strong, text}}, more...)...)
}

// text adds a text, broken into lines, behind an indentation.
func (s *sheet) text(style style.Style, indent int, text, rule string) {
	for _, l := range cells.Wrap(text, max(8, s.w-indent-margin)) {
		s.line(part{"", cells.Spaces(indent)}, part{style, strings.TrimRight(l, " ")}).rule = rule
	}
}

// An answer is what a response says, in brief.
type answer struct {
	row   uint32 // row is the response's.
	known bool
	code  string // code is an error's.
}

// answerWindow is how much of a response is looked at, in bytes.
const answerWindow = 1 << 20

// ensureAnswer has the response read for the title.
func (p *Pane) ensureAnswer(c *pane.Context) tea.Cmd {
	resp := p.sub.resp
	if resp == session.NoRow || p.answer.known && p.answer.row == resp {
		return nil
	}
	p.answer = answer{row: resp, known: true}
	row := c.Snap.Row(resp)
	if row.Flags&session.FlagJoined != 0 {
		return nil
	}
	log := c.Log
	return pane.Work(p, func() pane.Then {
		a := answer{row: resp, known: true}
		if body, err := recorder.ReadFrame(log, row, 0, answerWindow); err == nil {
			jsonrpc.Scan(body, func(m *jsonrpc.Message) { a.code = text.Visible(m.Field(jsonrpc.ErrorCode).Raw, 12) })
		}
		return func(*pane.Context) tea.Cmd {
			if a.row == p.sub.resp {
				p.answer = a
			}
			return nil
		}
	})
}
