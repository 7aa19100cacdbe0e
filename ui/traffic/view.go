package traffic

import (
	"fmt"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// View draws the lines around the cursor.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	said := p.remark(c.Theme, w, h)
	h -= len(said)
	list := p.shown()
	letters := cells.Width(session.Letter(len(c.Snap.Members())))
	if p.left = 0; letters > 0 {
		p.left = min(w, letters+1)
	}
	heads := p.lay(c, w-p.left, h)
	if len(list) == 0 {
		heads = nil
		p.table.headed = false
	}
	h -= len(heads)
	p.w, p.h = w, h
	p.lines = p.place(c, list, h)
	if len(list) == 0 {
		return cells.Lines([]string{"", "  " + c.Theme.Dim.Paint(p.nothing(c))}, w, h)
	}
	d := drawer{p: p, c: c, th: c.Theme, cols: p.table.cols, w: w - p.left, Line: style.NewLine(w-p.left, "")}
	of := style.NewLine(p.left, "")
	for i := range heads {
		heads[i] = cells.Spaces(p.left) + heads[i]
	}
	out := make([]string, h)
	for y := range out {
		switch {
		case y >= len(p.lines):
			out[y] = cells.Spaces(w)
		case p.lines[y] < 0:
			text := fmt.Sprintf("── connection %d ", c.Snap.Row(list[p.lines[y+1]]).Conn)
			text += strings.Repeat("─", max(0, w-cells.Width(text)))
			out[y] = c.Theme.Dim.Paint(cells.Fit(text, w))
		default:
			over := c.Theme.Over(p.lines[y] == p.at, focus)
			if m := c.Snap.Member(int(c.Snap.Row(list[p.lines[y]]).Conn)); m > 0 {
				of.Reset(p.left, over)
				of.Left(c.Theme.Session(m), session.Letter(m), letters)
				out[y] = of.String()
			}
			out[y] += d.draw(list, p.lines[y], over)
		}
	}
	return append(append(heads, out...), said...)
}

// draw draws the row at a place of the rows shown.
func (d *drawer) draw(shown []uint32, at int, over style.Style) string {
	list := shown
	if d.p.isSorted() {
		list = d.p.sort.base
		at, _ = slices.BinarySearch(list, shown[at])
	}
	return d.line(list, at, over)
}

// opens reports whether the row at a place in a list is the first of its connection, so that a
// rule is above it. Connections of HTTP, and of several sessions, take turns.
func (p *Pane) opens(c *pane.Context, list []uint32, at int) bool {
	if at == 0 || len(c.Snap.Members()) > 0 {
		return false
	}
	r := c.Snap.Row(list[at])
	conn := c.Snap.Conn(int(r.Conn))
	return r.Conn > c.Snap.Row(list[at-1]).Conn && (conn == nil || c.Snap.TripRow(list[at]) == session.NoRow || conn.First[session.C2S] < 0 || conn.First[session.C2S] >= r.T)
}

// place says what is on each of at most h lines: a place in the list, or -1
// for the rule above the first row of a connection. The cursor's row is among
// them.
func (p *Pane) place(c *pane.Context, list []uint32, h int) []int {
	top, lines := p.where(h), p.lines
	for {
		lines = lines[:0]
		for at := top; at < len(list) && len(lines) < h; at++ {
			if h > 1 && !p.isSorted() && p.opens(c, list, at) {
				if len(lines) == h-1 {
					break
				}
				lines = append(lines, -1)
			}
			lines = append(lines, at)
		}
		if len(lines) == 0 || lines[len(lines)-1] >= p.at {
			break
		}
		top += p.at - lines[len(lines)-1] // rules have pushed the cursor out
	}
	p.top = top
	return lines
}

// Scroll is which rows of the list were drawn.
func (p *Pane) Scroll() cells.Scroll {
	return cells.Scroll{Top: p.top, Seen: p.h, All: len(p.shown())}
}

// nothing says why the list is empty.
func (p *Pane) nothing(c *pane.Context) string {
	switch {
	case p.scan.busy:
		return "looking…"
	case c.Snap.Len() == 0 && c.Live:
		return "no messages yet"
	case c.Snap.Len() == 0:
		return "the session is empty"
	case p.scan.filter != nil:
		return "no row matches the filter; " + c.Keys.WordOf(keys.FilterOff, keys.Traffic) + " shows all"
	}
	return "only stderr, which is not listed here"
}

// plain writes a row as one line, without columns.
func (p *Pane) plain(c *pane.Context, i uint32) string {
	r := c.Snap.Row(i)
	parts := []string{number(r.N), c.When(r.T, 0), strings.TrimSpace(signOf(r))}
	if !r.Kind.Event() {
		parts = append(parts, text.Visible([]byte(c.Snap.Name(r.Method)), 0), text.Visible([]byte(c.Snap.Name(r.Target)), 0))
	}
	if r.Kind == session.RowTrip || r.Kind == session.RowTripEnd {
		parts = append(parts, c.Snap.TripWords(i))
	}
	parts = append(parts, p.way(c, i, r), text.Visible([]byte(p.comments[i]), 0))
	if x, ok := p.texts.of(i); ok {
		parts = append(parts, x.text)
	}
	parts = append(parts, text.Visible([]byte(c.Snap.ID(r)), 0))
	if ns, ok := c.Snap.Latency(i); ok {
		parts = append(parts, text.Duration(ns))
	}
	if sized(r.Kind) {
		parts = append(parts, text.Size(int64(r.Len)))
	}
	if r.Sev != session.NoSeverity {
		_, text := c.Theme.Severity(r.Sev)
		parts = append(parts, text+" "+r.Sev.String())
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "  ")
}

// Title says what is shown, how many rows that are, and how the list moves. A narrow title
// loses some of that.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	th := c.Theme
	var parts []string
	if s := p.Found().Words(); s != "" {
		parts = append(parts, th.Text.Paint(s))
	}
	if s := farthest(c); s != "" {
		parts = append(parts, th.Accent.Paint(s))
	}
	count := text.Count(int64(len(p.found())))
	if p.only || p.scan.filter != nil {
		count += " of " + text.Count(p.listed(c.Snap))
	}
	parts = append(parts, th.Dim.Paint(count+ScanWords(p.Scanned(c))))
	if s, style := p.motion(c); s != "" {
		parts = append(parts, style.Paint(s))
	}
	what := ""
	switch {
	case p.only:
		what = "marked"
	case p.scan.filter != nil:
		what = text.Visible([]byte(p.scan.filter.String()), 0)
	}
	return FitTitle(th, p.w, "traffic", what, parts)
}

// titleEdge is what the border takes of a title's line besides the two titles,
// in cells.
const titleEdge = 6

// FitTitle is the title of a list of w cells, 0 = any: its name with what it shows at the left,
// and parts at the right. A narrow title loses the first parts.
func FitTitle(th *style.Theme, w int, name, what string, parts []string) (left, right string) {
	const dot = " · "
	room := func() int { return w - titleEdge - cells.Width(name) - cells.Width(strings.Join(parts, dot)) }
	for len(parts) > 1 && w > 0 && room() < 0 {
		parts = parts[1:]
	}
	left = name
	if n := room() - cells.Width(dot); what != "" && n >= min(cells.Width(what), 8) {
		left += dot + strings.TrimRight(cells.Fit(what, min(n, cells.Width(what))), " ")
	}
	return left, strings.Join(parts, th.Dim.Paint(dot))
}

// listed is how many rows there are without a filter: stderr has a pane of its own.
func (p *Pane) listed(s *session.Snapshot) int64 {
	n := int64(s.Len())
	if !p.scan.stderr {
		n -= s.Totals().Frames[session.Stderr]
	}
	return n
}

// Scanned is how many of the rows there are were judged by the filter.
func (p *Pane) Scanned(c *pane.Context) (judged, all int) {
	all = c.Snap.Len()
	if !p.scan.busy {
		return all, all
	}
	return int(p.scan.next), all
}

// ScanWords say how far a filter has come where it takes long enough to be said; else they are
// empty.
func ScanWords(judged, all int) string {
	if all-judged < 2*stretch {
		return ""
	}
	return fmt.Sprintf(" · %d %%", int64(judged)*100/int64(all))
}

// motion says whether the list is held still, follows, or has new rows below what is
// seen.
func (p *Pane) motion(c *pane.Context) (string, style.Style) {
	n := len(p.list())
	base, _ := slices.BinarySearch(p.list(), p.base)
	fresh := min(n-base, n-p.where(p.h)-p.h)
	switch {
	case c.Paused:
		return PausedWords(c.Backlog), c.Theme.Warning
	case p.sort.On():
		return p.sort.TitleWhile(p.sort.percent, p.sort.work != nil), c.Theme.Accent
	case !c.Live || c.Past:
		return "", ""
	case p.follow:
		return "following", c.Theme.OK
	case fresh > 0:
		return text.Count(int64(fresh)) + " new", c.Theme.Accent
	}
	return "", ""
}

// PausedWords say that a list is held still, and how many rows came since.
func PausedWords(backlog int) string {
	if backlog > 0 {
		return "‖ paused · " + text.Count(int64(backlog)) + " new"
	}
	return "‖ paused"
}

// Found is how far a search has come. The zero Found is that of no search.
type Found struct {
	On          bool // On: a text is searched for.
	Running     bool // Running: rows are still to be read.
	Hits        int
	Done, Total int // Done of Total rows were read.
	At          int // At is the place of the selected row among the hits, from 1; 0 = it is not one.
}

// Found returns how far the search has come.
func (p *Pane) Found() Found {
	s := &p.search
	f := Found{On: s.filter != nil, Running: s.filter != nil && s.running(), Hits: len(s.hits), Done: s.done, Total: s.total}
	if i, on := slices.BinarySearch(s.hits, p.row); on {
		f.At = i + 1
	}
	return f
}

// Words say how far the search has come, and which hit is selected.
func (f Found) Words() string {
	hits := text.Plural(int64(f.Hits), "hit")
	switch {
	case !f.On:
		return ""
	case f.Running && f.Total > inline:
		return fmt.Sprintf("%s, %d %%", hits, int64(f.Done)*100/int64(f.Total))
	case f.Running:
		return hits
	case f.Hits == 0:
		return "no hits"
	case f.At > 0:
		return fmt.Sprintf("hit %s of %s", text.Count(int64(f.At)), text.Count(int64(f.Hits)))
	}
	return hits
}
