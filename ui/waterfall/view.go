package waterfall

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Widths and heights in cells.
const (
	leastBars   = 12 // least of the bars; with less there are none
	tookWidth   = 9
	leastTarget = 12 // least of what a request acts on, before how it does is left out
	lanesFrom   = 14 // from this height on there are lanes,
	statusFrom  = 6  // and from this one on a line about the selected request.
)

// A drawing is one View.
type drawing struct {
	p        *Pane
	c        *pane.Context
	from, to int64   // from and to are the drawn times at the ends.
	label    int     // label is the width of the names,
	bars     int     // and bars that of the bars.
	times    []int64 // times are when the cells of the bars begin, and the last one ends.
	folded   []bool  // folded are the cells in which idle time is folded.
	guides   [2]int  // guides are the cells at the ends of the selected request; -1 = none.
	*style.Line
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.first = 0
	if p.got == nil {
		return cells.Lines([]string{"", "  " + c.Theme.Dim.Paint("looking at the session …")}, w, h)
	}
	if len(p.got.requests) == 0 {
		return cells.Lines([]string{"", "  " + c.Theme.Dim.Paint("no requests yet")}, w, h)
	}
	d := &drawing{p: p, c: c, Line: style.NewLine(w, "")}
	d.from, d.to = p.window(c)
	d.label = min(40, max(10, w/4))
	if d.bars = w - d.label - tookWidth - 3; d.bars < leastBars { // One cell is blank before the border.
		d.bars, d.label = 0, max(1, w-tookWidth-2)
	}
	d.measure()
	d.guides = [2]int{-1, -1}
	if from, to, ok := p.span(c); ok && d.bars > 0 {
		d.guides = [2]int{d.column(from), d.column(to)}
	}
	var lines []string
	if d.bars > 0 && h >= statusFrom {
		lines = append(lines, d.axis(w))
	}
	if d.bars > 0 && h >= lanesFrom {
		lines = append(lines, d.lanes(w)...)
	}
	p.first = len(lines)
	below := 0
	if h >= statusFrom {
		below = 1
	}
	from, to := p.list.Fit(len(p.got.requests), max(1, h-len(lines)-below))
	for i := from; i < to; i++ {
		lines = append(lines, d.request(w, p.got.requests[i], c.Theme.Over(i == p.list.At, focus)))
	}
	if below == 1 {
		free := h - 1 - len(lines)
		if lines = cells.Lines(lines, w, h-1); free > 1 && d.bars > 0 {
			lines[h-2] = d.legend(w)
		}
		lines = append(lines, d.status(w))
	}
	return cells.Lines(lines, w, h)
}

// column is the cell of a drawn time, from -1 before the first to bars after the last.
func (d *drawing) column(v int64) int {
	x := float64(v-d.from) / float64(d.to-d.from) * float64(d.bars)
	return int(min(float64(d.bars), max(-1, x)))
}

// measure finds the times of the cells, and those in which idle time is folded.
func (d *drawing) measure() {
	a := &d.p.got.axis
	d.times, d.folded = make([]int64, d.bars+1), make([]bool, d.bars)
	for x := range d.times {
		d.times[x] = a.from(d.from + int64(float64(d.to-d.from)*float64(x)/float64(max(1, d.bars))))
	}
	for _, g := range a.gaps {
		for x := max(0, d.column(a.to(g.from))); x < d.bars && d.times[x] < g.to; x++ {
			d.folded[x] = d.times[x+1] > g.from
		}
	}
}

// axis names the times of some cells, and what is folded.
func (d *drawing) axis(w int) string {
	const apart = 16
	digits := 3
	if (d.to-d.from)/int64(d.bars)*apart < 10e6 { // Milliseconds do not tell the words apart.
		digits = 6
	}
	line := []rune(cells.Spaces(d.bars))
	for x := 0; x+6+digits <= d.bars; {
		word := []rune("'" + strconv.FormatFloat(float64(d.times[x])/1e9, 'f', digits, 64))
		if slices.Contains(d.folded[x:min(x+len(word), d.bars)], true) {
			x++
			continue
		}
		copy(line[x:], word)
		x += apart
	}
	for x, folded := range d.folded {
		if folded {
			line[x] = []rune(foldedTime)[0]
		}
	}
	d.Reset(w, "")
	words := "seconds"
	if n := len(d.p.got.axis.gaps); n > 0 {
		words = "seconds, " + foldedTime + " idle"
	}
	d.Left(d.c.Theme.Dim, " "+words, d.label+1)
	d.Left(d.c.Theme.Dim, strings.TrimRight(string(line), " "), d.bars)
	return d.String()
}

// lanes are the lines of what else happened: of each kind that the session has.
func (d *drawing) lanes(w int) []string {
	th := d.c.Theme
	looks := [numLanes]style.Style{process: th.Info, stderr: th.Dim, fromClient: th.Client, fromServer: th.Server}
	var lines []string
	for of := range numLanes {
		if len(d.p.got.lanes[of]) == 0 {
			continue
		}
		d.Reset(w, "")
		d.Left(th.Dim, " "+laneNames[of], d.label+1)
		for x := range d.bars {
			sev, n := d.p.got.worst(of, d.times[x], d.times[x+1])
			look, sign := looks[of], [...]string{" ", "╷", "│", "┃"}[min(n, 3)]
			if of == findings && n > 0 {
				look, sign = th.Severity(sev)
			}
			d.Put(look, sign)
		}
		d.Put(th.Dim, " "+text.Count(int64(len(d.p.got.lanes[of]))))
		lines = append(lines, d.String())
	}
	return lines
}

// nameOf is what a request is called, in w cells: what it acts on and how, else its method.
func nameOf(q *subject, w int) string {
	method, target := q.c.Snap.Name(q.row.Method), q.c.Snap.Name(q.row.Target)
	if target == "" {
		return text.Visible([]byte(method), w)
	}
	if _, verb, ok := strings.Cut(method, "/"); ok {
		method = verb
	}
	verb := "  " + text.Visible([]byte(method), w)
	if room := w - cells.Width(verb); room >= leastTarget {
		return text.Visible([]byte(target), room) + verb
	}
	return text.Visible([]byte(target+verb), w)
}

// request is the line of a request.
func (d *drawing) request(w int, at uint32, over style.Style) string {
	th, q := d.c.Theme, d.p.subject(d.c, at)
	d.Reset(w, over)
	sign, look := "→ ", th.Client
	if q.row.Stream == session.S2C {
		sign, look = "⇠ ", th.Asks
	}
	label := d.label - 3
	if q.in > 0 {
		letters := cells.Width(session.Letter(len(d.c.Snap.Members())))
		d.Left(th.Session(q.in), session.Letter(q.in), letters)
		label -= letters
	}
	d.Left(look, " "+sign, 3)
	d.Left(th.Text, nameOf(&q, label), label)
	d.Space(1)
	if d.bars > 0 {
		d.bar(&q)
		d.Space(1)
	}
	words, wordsLook := q.outcome(th)
	d.Right(wordsLook, words, tookWidth)
	return d.String()
}

// outcome says how long a request took, or what became of it.
func (q *subject) outcome(th *style.Theme) (string, style.Style) {
	took, answered := q.c.Snap.Latency(q.i)
	answer := q.c.Snap.Row(q.row.Pair)
	switch {
	case answered && answer.Failed():
		return "✖ " + text.Duration(took), th.Error
	case answered:
		return text.Duration(took), th.Text
	case q.row.Flags&session.FlagCancelled != 0:
		return "cancelled", th.Dim
	case q.c.Dropped(q.i):
		return "dropped", th.Dim
	case q.row.Flags&session.FlagLost != 0:
		return "lost", th.Error
	}
	if x := q.c.Snap.Waiting(q.i); x != nil && x.Kept {
		return "‖ " + text.Duration(max(0, until(q.c, q.i, &q.row)-q.row.T)), th.Text
	}
	return "⧗ " + text.Duration(max(0, until(q.c, q.i, &q.row)-q.row.T)), th.Warning
}

// bar draws a request over time; see Signs.
func (d *drawing) bar(q *subject) {
	th, a := d.c.Theme, &d.p.got.axis
	ph := q.phases()
	from, to := d.column(a.to(ph.begin)), d.column(a.to(ph.end))
	short := (a.to(ph.end)-a.to(ph.begin))*int64(d.bars) < d.to-d.from // It takes less than a cell.
	ticks := map[int]bool{}
	for _, t := range d.p.got.ticks(q.i) {
		ticks[d.column(a.to(t.t))] = true
	}
	look := q.look(th)
	for x := range d.bars {
		at, next := d.times[x], d.times[x+1]
		switch {
		case x == 0 && to < 0:
			d.Put(th.Dim, "‹")
		case x == d.bars-1 && from >= d.bars:
			d.Put(th.Dim, "›")
		case x < from || x > to:
			d.background(x)
		case short && x == from:
			d.Put(look, "▌")
		case short:
			d.background(x)
		case ticks[x]:
			d.Put(th.Strong, progressTick)
		case next <= ph.sent:
			d.Put(look, requestComes)
		case at >= ph.first && ph.first < ph.end:
			d.Put(look, answerComes)
		case at >= ph.head:
			d.Put(look, openStream)
		default:
			d.Put(look, waiting)
		}
	}
}

// background is a cell without a bar: a fold, a guide of the selected request, or nothing.
func (d *drawing) background(x int) {
	switch th := d.c.Theme; {
	case d.folded[x]:
		d.Put(th.Dim, foldedTime)
	case x == d.guides[0] || x == d.guides[1]:
		d.Put(guides(th), guideLine)
	default:
		d.Put("", " ")
	}
}

// status says what the selected request is.
func (d *drawing) status(w int) string {
	at, ok := d.p.selected()
	if !ok {
		return cells.Fit("", w)
	}
	th, q := d.c.Theme, d.p.subject(d.c, at)
	row := q.row
	outcome, look := q.outcome(th)
	words := fmt.Sprintf(" #%d at %s s", row.N, text.Seconds(row.T))
	words += d.p.phaseWords(&q)
	words += d.overlapping()
	method, of := strings.TrimSpace(q.c.Snap.Name(row.Method)+" "+q.c.Snap.Name(row.Target)), ""
	if q.in > 0 {
		of = th.Session(q.in).Paint(session.Letter(q.in)) + " "
	}
	return cells.Fit(" "+of+th.Strong.Paint(text.Visible([]byte(method), 60))+"  "+look.Paint(outcome)+th.Dim.Paint(words), w)
}
