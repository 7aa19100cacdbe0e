package traffic

import (
	"fmt"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// View draws the lines around the cursor.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	said := p.remark(c.Theme, w, h)
	h -= len(said)
	list := p.shown()
	heads := p.Lay(c, &p.table, p.sort.Sorting, WidthsOf(c), w, h)
	if len(list) == 0 {
		heads, p.table.headed = nil, false
	}
	h -= len(heads)
	p.w, p.h = w, h
	p.lines = p.place(c, list, h)
	if len(list) == 0 {
		return cells.Lines([]string{"", "  " + c.Theme.Dim.Paint(p.nothing(c))}, w, h)
	}
	d := drawer{p: p, c: c, th: c.Theme, cols: p.table.cols, w: w, Line: style.NewLine(w, "")}
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
			out[y] = d.draw(list, p.lines[y], c.Theme.Over(p.lines[y] == p.at, focus))
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

// place says what is on each of at most h lines: a place in the list, or -1
// for the rule above the first row of a connection. The cursor's row is among
// them.
func (p *Pane) place(c *pane.Context, list []uint32, h int) []int {
	top, lines := p.where(h), p.lines
	for {
		lines = lines[:0]
		for at := top; at < len(list) && len(lines) < h; at++ {
			if h > 1 && at > 0 && !c.HTTP() && !p.isSorted() && c.Snap.Row(list[at]).Conn > c.Snap.Row(list[at-1]).Conn {
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
		parts = append(parts, format.Visible([]byte(c.Snap.Name(r.Method)), 0), format.Visible([]byte(c.Snap.Name(r.Target)), 0))
	}
	if r.Kind == session.RowTrip || r.Kind == session.RowTripEnd {
		parts = append(parts, format.Trip(c.Snap, i))
	}
	parts = append(parts, p.way(c, i, r), format.Visible([]byte(p.comments[i]), 0))
	if x, ok := p.texts.of(i); ok {
		parts = append(parts, x.text)
	}
	parts = append(parts, format.Visible([]byte(c.Snap.ID(r)), 0))
	if ns, ok := c.Snap.Latency(i); ok {
		parts = append(parts, format.Duration(ns))
	}
	if sized(r.Kind) {
		parts = append(parts, format.Size(int64(r.Len)))
	}
	if r.Sev != session.NoSeverity {
		_, text := c.Theme.Severity(r.Sev)
		parts = append(parts, text+" "+r.Sev.String())
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "  ")
}
