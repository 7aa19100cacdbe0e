package detail

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// timing makes the sheet of an exchange's times.
func (p *Pane) timing(c *pane.Context, s *sheet) {
	p.moments(c, s)
	p.progressBar(c, s)
	p.operation(c, s)
	p.questions(c, s)
	p.standing(c, s)
	p.seen(c, s, "progress and log", p.around.notes, p.around.nNotes, "none for this request")
	p.seen(c, s, "stderr meanwhile", p.around.errs, p.around.nErrs, "nothing was written")
}

// when writes a time of the session.
func when(c *pane.Context, t int64) string {
	if clock := c.Clock(t); c.Time == pane.Absolute && clock != "" {
		return clock
	}
	return text.Seconds(t) + " s"
}

// moments says when what was read, and where the time went.
func (p *Pane) moments(c *pane.Context, s *sheet) {
	th := c.Theme
	var req, resp session.Row
	if p.sub.req == session.NoRow {
		s.fact(th, "request", part{th.Dim, "not known"})
	} else {
		req = c.Snap.Row(p.sub.req)
		s.fact(th, "sent", part{th.Text, right(when(c, req.T), 12)}, part{th.Dim, right(number(req), 8)}, part{th.Dim, right(text.Size(int64(req.Len)), 10)}).row = p.sub.req
	}
	if p.sub.resp == session.NoRow {
		style, words := p.waiting(c)
		s.fact(th, "response", part{style, right(words, 12)})
		who, since := p.people(c)
		went, ours := c.Waits(p.sub.req)
		if who != "" || ours {
			since = c.Now // its clock stands still
		}
		p.timeout(c, s, c.Now-max(went, since))
		return
	}
	resp = c.Snap.Row(p.sub.resp)
	s.fact(th, "first byte", part{th.Text, right(when(c, resp.T-1000*int64(resp.Dur)), 12)}).row = p.sub.resp
	s.fact(th, "last byte", part{th.Text, right(when(c, resp.T), 12)}, part{th.Dim, right(number(resp), 8)}, part{th.Dim, right(text.Size(int64(resp.Len)), 10)}).row = p.sub.resp
	if ns, ok := c.Snap.Latency(p.sub.resp); ok {
		transfer := min(ns, 1000*int64(resp.Dur))
		split := ""
		if transfer > 0 {
			split = "  = " + text.Duration(ns-transfer) + " to the first byte + " + text.Duration(transfer) + " to the last"
		}
		s.fact(th, "latency", part{th.Strong, right(text.Duration(ns), 12)}, part{th.Dim, split})
		if went := c.Snap.Onward(p.sub.req); went != session.NoRow {
			s.fact(th, "held here", part{th.Text, right(text.Duration(c.Snap.Row(went).T-req.T), 12)}, part{th.Dim, "  before that, not counted"}).row = went
		}
		people := p.peopleTime(c.Snap)
		if people > 0 {
			s.fact(th, "of it", part{th.Asks, right(text.Duration(people), 12)}, part{th.Dim, "  waiting for the user"})
		}
		p.timeout(c, s, ns-people)
	}
}

func number(r session.Row) string { return "#" + strconv.FormatUint(uint64(r.N), 10) }

func right(text string, w int) string { return cells.FitLeft(text, max(w, cells.Width(text))) }

// timeout adds the timeout in force, and how much of it was used.
func (p *Pane) timeout(c *pane.Context, s *sheet, ns int64) {
	if c.Header == nil || p.sub.req == session.NoRow {
		return
	}
	limit := int64(c.Header.Limits.For(c.Snap.Name(c.Snap.Row(p.sub.req).Method)))
	if limit <= 0 {
		return
	}
	style := c.Theme.Dim
	switch {
	case ns > limit:
		style = c.Theme.Error
	case ns > limit/2:
		style = c.Theme.Warning
	}
	s.fact(c.Theme, "timeout", part{c.Theme.Text, right(text.Duration(limit), 12)}, part{style, fmt.Sprintf("  %d %% used", 100*ns/limit)})
}

// standing compares the latency with the others of its method.
func (p *Pane) standing(c *pane.Context, s *sheet) {
	if p.sub.req == session.NoRow {
		return
	}
	req, all := c.Snap.Row(p.sub.req), c.Snap.Methods()
	at := slices.IndexFunc(all, func(m session.MethodStats) bool {
		return m.Name == c.Snap.Name(req.Method) && m.Sender == req.Stream
	})
	if at < 0 {
		return
	}
	m := all[at]
	answered := m.Count - m.Pending - m.Cancelled
	if m.Max == 0 || answered < 2 {
		return
	}
	th := c.Theme
	ns, over := c.Snap.Latency(p.sub.req)
	if !over && c.Live && p.sub.r.Flags&(session.FlagCancelled|session.FlagLost) == 0 {
		ns = c.Now - req.T
	}
	s.heading(th, text.Visible([]byte(m.Name), 0), part{th.Dim, "  " + text.Plural(answered, "answer")})
	for _, q := range []struct {
		name string
		ns   int64
	}{{"p50", m.P50}, {"p95", m.P95}, {"p99", m.P99}, {"max", m.Max}} {
		s.fact(th, q.name, part{th.Text, right(text.Duration(q.ns), 12)})
	}
	if !over && ns <= 0 {
		return
	}
	s.fact(th, "this one", part{th.Strong, right(text.Duration(ns), 12)}, part{th.Dim, "  " + standingWords(m, ns)})
	if w := min(s.w-2*margin, 60); w >= 16 {
		bar, at := scale(m, ns, w)
		mark := []rune(bar)
		s.line(part{th.Dim, string(mark[:at])}, part{th.Accent, "●"}, part{th.Dim, string(mark[at+1:])})
	}
}

// standingWords says between which of its fellows a latency lies.
func standingWords(m session.MethodStats, ns int64) string {
	switch {
	case ns > m.Max:
		return "slower than all before"
	case ns == m.Max && m.Max > m.P50:
		return "the slowest"
	case ns > m.P99:
		return "slower than 99 %"
	case ns > m.P95:
		return "slower than 95 %"
	case ns > m.P50:
		return "slower than half"
	}
	return "among the faster half"
}

// scale draws a line of w cells from half the median to the maximum, on a
// logarithmic scale, with ticks at the percentiles, and says where ns lies.
func scale(m session.MethodStats, ns int64, w int) (bar string, at int) {
	low := math.Log(max(1, float64(min(m.P50, ns))/2))
	high := math.Log(max(2, float64(max(m.Max, ns))))
	place := func(v int64) int {
		f := (math.Log(max(1, float64(v))) - low) / max(1e-9, high-low)
		return min(max(int(math.Round(f*float64(w-1))), 0), w-1)
	}
	cells := []rune(strings.Repeat("─", w))
	cells[0], cells[w-1] = '├', '┤'
	for _, q := range []int64{m.P50, m.P95, m.P99, m.Max} {
		if i := place(q); i > 0 && i < w-1 {
			cells[i] = '┼'
		}
	}
	return string(cells), place(ns)
}

// seen lists rows with the time since the request.
func (p *Pane) seen(c *pane.Context, s *sheet, title string, rows []seen, n int, none string) {
	th := c.Theme
	if p.sub.req == session.NoRow {
		return
	}
	if n == 0 {
		if !p.around.busy {
			s.heading(th, title, part{th.Dim, "  " + none})
		}
		return
	}
	from := c.Snap.Row(p.sub.req).T
	s.heading(th, title, part{th.Dim, "  " + text.Count(int64(n))})
	for _, x := range rows {
		r := c.Snap.Row(x.row)
		s.line(part{th.Dim, right(number(r), 8) + " " + right("+"+text.Duration(r.T-from), 9) + "  "}, part{th.Text, x.text}).row = x.row
	}
	if n > len(rows) {
		s.line(part{th.Dim, fmt.Sprintf("  … and %s more", text.Count(int64(n-len(rows))))})
	}
}
