package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Widths in cells.
const (
	signWidth   = 2  // who asks
	methodWidth = 14 // least of a method that is shown before columns are left out
	methodMost  = 40
	barLeast    = 18
	barMost     = 48
)

// A drawer draws the table of one View.
type drawer struct {
	p      *Pane
	c      *pane.Context
	th     *style.Theme
	method int // method is the width of that column.
	bar    int // bar is the width of the bar, 0 = none.
	w      int
	*style.Line
}

// above is how many lines are above the rows.
func (p *Pane) above() int { return min(1, len(p.head)) }

// View draws a header, the rows around the cursor, the sums, and pictures of the selected
// row.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	if len(p.rows) == 0 {
		p.head = nil
		return cells.Lines([]string{"", "  " + c.Theme.Dim.Paint("no requests yet")}, w, h)
	}
	pictures := p.pictures(c.Theme, w, h)
	h -= len(pictures)
	d := p.fit(c, w, h)
	below := 0
	if h >= 4 {
		below = 1
	}
	lines := make([]string, 0, h)
	if p.above() == 1 {
		lines = append(lines, d.header())
	}
	from, to := p.list.Fit(len(p.rows), h-len(lines)-below)
	for i := from; i < to; i++ {
		lines = append(lines, d.row(&p.rows[i], c.Theme.Over(i == p.list.At, focus)))
	}
	if below == 1 {
		d.Reset(d.w, "")
		d.Space(signWidth + 1)
		d.Left(d.th.Strong, "total", d.method)
		d.numbers(&d.p.sum)
		lines = append(lines, d.String())
	}
	return append(cells.Lines(lines, w, h), pictures...)
}

// fit chooses the columns for w cells: those needed most as long as enough is
// left for the method; then the bar.
func (p *Pane) fit(c *pane.Context, w, h int) *drawer {
	d := &drawer{p: p, c: c, th: c.Theme, w: w, Line: style.NewLine(w, "")}
	left := w - signWidth - 2 // One cell is blank before the border.
	taken := map[column]bool{method: true}
	for _, col := range byNeed {
		if left-columns[col].width-1 < methodWidth {
			break
		}
		taken[col] = true
		left -= columns[col].width + 1
	}
	p.shown = slices.DeleteFunc(slices.Clone(allColumns), func(c column) bool { return !taken[c] })
	longest := 6
	for i := range p.rows {
		longest = max(longest, min(methodMost, cells.Width(p.label(&p.rows[i]))))
	}
	d.method = max(0, left)
	if len(p.shown) == len(allColumns) && left > longest {
		d.method = longest
		if rest := left - longest - 2; rest >= barLeast {
			d.bar = min(rest, barMost)
		}
	}
	p.head = p.head[:0]
	if h < 3 {
		return d
	}
	for _, col := range p.shown {
		end := signWidth + 1 + d.method
		if len(p.head) > 0 {
			end = p.head[len(p.head)-1] + columns[col].width + 1
		}
		p.head = append(p.head, end)
	}
	return d
}

// header names the columns. The one sorted by has an arrow that points to the
// way its values go.
func (d *drawer) header() string {
	d.Reset(d.w, "")
	d.Space(signWidth + 1)
	for _, col := range d.p.shown {
		style, head := d.th.Dim, columns[col].head
		if col == d.p.sort {
			style = d.th.Accent
			if (columns[col].value == nil) != d.p.turn {
				head = "▴" + head
			} else {
				head = "▾" + head
			}
		}
		if col == method {
			d.Left(style, head, d.method)
			continue
		}
		d.Space(1)
		d.Right(style, head, columns[col].width)
	}
	if d.bar > 0 {
		low, high := text.Duration(d.p.low), text.Duration(d.p.high)
		legend := "● p50 ━ p99 ─ max"
		if cells.Width(low)+cells.Width(high)+cells.Width(legend)+2 > d.bar {
			legend = ""
		}
		d.Space(2)
		d.Put(d.th.Dim, low)
		gap := d.bar - cells.Width(low) - cells.Width(high) - cells.Width(legend)
		d.Space(gap / 2)
		d.Put(d.th.Dim, legend)
		d.Space(gap - gap/2)
		d.Put(d.th.Dim, high)
	}
	return d.String()
}

// label is what a row is called: of one below a method what that acts on.
func (p *Pane) label(r *row) string {
	if letter := session.Letter(r.session); letter != "" {
		return letter + " " + text.Visible([]byte(r.target), methodMost)
	}
	if r.target != "" {
		return "  " + text.Visible([]byte(r.target), methodMost)
	}
	name := text.Visible([]byte(r.Name), methodMost)
	if r.unfolds() {
		name += fmt.Sprintf(" (%s)", text.Count(int64(len(r.line.Targets))))
	}
	return name
}

// row is a line of the table.
func (d *drawer) row(r *row, over style.Style) string {
	d.Reset(d.w, over)
	if r.label != "" {
		return d.standsOut(r)
	}
	sign, style := "→", d.th.Client
	if r.Sender == session.S2C {
		sign, style = "⇠", d.th.Asks
	}
	switch {
	case r.target != "":
		sign = " "
	case r.unfolds() && d.p.open[r.key()]:
		sign = "▾"
	case r.unfolds():
		sign = "▸"
	}
	d.Space(1)
	d.Left(style, sign, signWidth)
	d.name(r)
	d.numbers(&r.MethodStats)
	if d.bar > 0 {
		d.Space(2)
		d.Left(d.th.Text, d.scale(&r.MethodStats), d.bar)
	}
	return d.String()
}

// name draws what a row is called, the letter of its session in the session's colour.
func (d *drawer) name(r *row) {
	letter := session.Letter(r.session)
	d.Put(d.th.Session(r.session), letter)
	d.Left(d.th.Text, strings.TrimPrefix(d.p.label(r), letter), d.method-cells.Width(letter))
}

// standsOut is the line of a request that stands out, or of a method that fails.
func (d *drawer) standsOut(r *row) string {
	const labelWidth, valueWidth = 9, 9
	m, target, value, look, number := r.Name, r.target, text.Count(r.Errors), d.th.Error, ""
	of := r.session
	if r.extreme != nil {
		snap := d.c.Snap
		at := snap.Row(r.extreme.Row)
		of = snap.Member(int(at.Conn))
		m, target, look, number = snap.Name(at.Method), snap.Name(at.Target), d.th.Strong, fmt.Sprintf("#%d", at.N)
		value = text.Duration(r.extreme.Value)
		if r.label == "largest" {
			value = text.Size(r.extreme.Value)
		}
	} else {
		number = fmt.Sprintf("of %s", text.Count(r.Count))
	}
	d.Space(signWidth + 1)
	d.Left(d.th.Dim, r.label, labelWidth)
	d.Right(look, value, valueWidth)
	d.Space(2)
	d.Left(d.th.Dim, number, 8)
	d.Space(1)
	if of > 0 {
		d.Put(d.th.Session(of), session.Letter(of)+" ")
	}
	d.Put(d.th.Text, text.Visible([]byte(strings.TrimSpace(m+" "+target)), 100))
	return d.String()
}

func (d *drawer) numbers(m *session.MethodStats) {
	for _, col := range d.p.shown {
		if col == method {
			continue
		}
		v := columns[col].value(m)
		d.Space(1)
		d.Right(d.style(col, v), col.write(v), columns[col].width)
	}
}

// style of a number: bold is what the table is about, coloured what went wrong.
func (d *drawer) style(col column, v int64) style.Style {
	switch col {
	case count, p50:
		return d.th.Strong
	case failed:
		return d.th.Error
	case pending:
		return d.th.Warning
	case cancelled, bytesOut, bytesIn:
		return d.th.Dim
	default:
		return d.th.Text
	}
}

// scale draws the latencies of a method on the scale that all rows share, which
// is logarithmic: a dot at the median, a thick line to the 99th percentile, a
// thin one to the longest.
func (d *drawer) scale(m *session.MethodStats) string {
	if m.P50 <= 0 {
		return ""
	}
	at := func(ns int64) int {
		if d.p.high <= d.p.low {
			return 0
		}
		f := math.Log(float64(max(ns, d.p.low))/float64(d.p.low)) / math.Log(float64(d.p.high)/float64(d.p.low))
		return min(d.bar-1, int(math.Round(f*float64(d.bar-1))))
	}
	mid, tail, end := at(m.P50), at(m.P99), at(m.Max)
	tail = max(tail, mid)
	return cells.Spaces(mid) + "●" + strings.Repeat("━", tail-mid) + strings.Repeat("─", max(0, end-tail))
}
