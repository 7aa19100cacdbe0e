package stats

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/recorder/statistics"
	"wiretea/ui/cells"
	"wiretea/ui/chart"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

const (
	picturesFrom = 16  // from this height on there are pictures below the table
	besideFrom   = 100 // and from this width on both of them
	mostPictures = 18  // lines of pictures
	busyPart     = 10  // a session that goes on is counted for at most this part of the time
)

// focus is what the pictures are about: the row under the cursor, or all requests of the
// client where that is none of the table.
func (p *Pane) focus() statistics.Key {
	if r, ok := p.selected(); ok && r.extreme == nil {
		return r.key()
	}
	return statistics.Key{}
}

// collect returns the command that counts what is new; nil where nothing is, or one is
// under way.
func (p *Pane) collect(c *pane.Context) tea.Cmd {
	focus := p.focus()
	beside := c.Other
	if c.All != nil {
		beside = nil // All are counted together.
	}
	same := p.got != nil && p.got.Focus == focus && (beside == nil) == (p.other == nil) && (beside == nil || p.name == beside.Name && p.other.Rows == beside.Snap.Len())
	if p.busy || same && (p.got.Rows == rowsOf(c) || live(c) && time.Since(p.counted) < busyPart*p.took) {
		return nil
	}
	p.busy = true
	sessions := sessionsOf(c)
	return pane.Work(p, func() pane.Then {
		begun := time.Now()
		got, other, name := statistics.CollectAll(context.Background(), sessions, focus), (*statistics.Statistics)(nil), ""
		if beside != nil {
			other, name = statistics.Collect(context.Background(), beside.Snap, focus), beside.Name
		}
		return func(c *pane.Context) tea.Cmd {
			p.busy, p.counted, p.took = false, time.Now(), time.Since(begun)
			if len(c.Members()) != len(sessions) {
				return nil // Others are shown meanwhile.
			}
			p.other, p.name, p.sessions = other, name, len(sessions)
			p.takeLines(got)
			if p.focus() != focus {
				return p.collect(c)
			}
			return nil
		}
	})
}

// sessionsOf are the sessions that are shown, as they are counted.
func sessionsOf(c *pane.Context) []statistics.Session {
	var all []statistics.Session
	for _, of := range c.Members() {
		one := statistics.Session{Snap: of.Snap}
		if base, snap := of.Base, of.Snap; !base.IsZero() {
			one.On = func(t int64) int64 { return merge.Time(base, snap, t) }
		}
		all = append(all, one)
	}
	return all
}

// rowsOf counts the rows of the sessions that are shown.
func rowsOf(c *pane.Context) (n int) {
	for _, of := range c.Members() {
		n += of.Snap.Len()
	}
	return n
}

// live reports whether a session that is shown goes on.
func live(c *pane.Context) bool {
	return slices.ContainsFunc(c.Members(), func(of *pane.Context) bool { return of.Live })
}

// pictures draws what fits below the table: nil where nothing does.
func (p *Pane) pictures(th *style.Theme, w, h int) []string {
	shown := p.got != nil && h >= picturesFrom && w >= 30
	if p.turns = shown && w < besideFrom; !shown {
		return nil
	}
	h = min(h/2, mostPictures)
	head := th.Border.Paint("─ ") + th.Strong.Paint(cells.Fit(p.about(), min(w-4, cells.Width(p.about())))) + " "
	lines := []string{head + th.Border.Paint(strings.Repeat("─", max(0, w-cells.Width(head))))}
	if w < besideFrom {
		picture := p.latencies(th, w, h-1)
		hint := "} shows them over time"
		if p.over {
			picture, hint = p.overTime(th, w, h-1), "} shows how many took how long"
		}
		if rest := w - cells.Width(head); rest > cells.Width(hint)+3 {
			lines[0] = head + th.Border.Paint(strings.Repeat("─", rest-cells.Width(hint)-2)) + " " + th.Dim.Paint(hint) + " "
		}
		return append(lines, cells.Lines(picture, w, h-1)...)
	}
	left := w * 2 / 5
	one, other := cells.Lines(p.latencies(th, left, h-1), left, h-1), cells.Lines(p.overTime(th, w-left-3, h-1), w-left-3, h-1)
	for i := range one {
		lines = append(lines, one[i]+th.Border.Paint(" │ ")+other[i])
	}
	return lines
}

// about names what the pictures are about, and what people took of it.
func (p *Pane) about() string {
	k := p.got.Focus
	words := strings.TrimSpace(format.Visible([]byte(k.Method), 60) + " " + format.Visible([]byte(k.Target), 60))
	if k.Method == "" {
		return "all requests of the client"
	}
	if p.sessions > 1 && k.Target != "" {
		words = merge.Letter(k.Session) + " " + words
	}
	if l := p.got.Subject; l != nil && l.People > 0 && len(l.Latencies) > 0 {
		words += " · without " + format.Duration(l.People) + " in which a person was asked"
	} else if l != nil && l.People > 0 {
		words += " · people took " + format.Duration(l.People)
	}
	return words
}

// latencies is the histogram of what the pictures are about.
func (p *Pane) latencies(th *style.Theme, w, h int) []string {
	l := p.got.Subject
	if l == nil || len(l.Latencies) == 0 {
		return []string{" " + th.Dim.Paint("no latencies: nothing was answered, or people answered")}
	}
	words := "latency of " + format.Plural(int64(len(l.Latencies)), "answer")
	if p.other != nil {
		if o := p.other.Subject; o != nil && len(o.Latencies) > 0 {
			return p.overlaid(th, l, o, w, h)
		}
		words += ", none in " + p.name
	}
	marks := []chart.Mark{{Name: "p50", Value: l.P50}, {Name: "p95", Value: l.P95}, {Name: "p99", Value: l.P99}, {Name: "max", Value: l.Max}}
	return append([]string{" " + th.Dim.Paint(words)}, chart.Histogram(th, p.got.Bars, marks, w, h-1)...)
}

// overlaid are the latencies of both sessions in the same bars: l here, o in the other.
func (p *Pane) overlaid(th *style.Theme, l, o *statistics.Line, w, h int) []string {
	lines := []string{
		" " + chart.Legend(th, "this session, "+format.Plural(int64(len(l.Latencies)), "answer"), p.name+", "+format.Plural(int64(len(o.Latencies)), "answer")),
		" " + th.Dim.Paint(fmt.Sprintf("p50 %s → %s · p95 %s → %s", format.Duration(l.P50), format.Duration(o.P50), format.Duration(l.P95), format.Duration(o.P95))),
	}
	one, other := statistics.Together(l.Latencies, o.Latencies, statistics.MostBars)
	lines = append(lines, chart.Overlay(th, one, other, w, max(1, h-len(lines)))...)
	for i := range lines {
		lines[i] = cells.Fit(lines[i], w)
	}
	return lines
}

// overTime is how the latencies, the requests and the bytes went over time.
func (p *Pane) overTime(th *style.Theme, w, h int) []string {
	if p.other != nil && h >= 12 && !p.other.Over.Empty() {
		half := (h - 1) / 2
		return append(cells.Lines(p.series(th, &p.got.Over, "this session: ", w, half), w, half+1), p.series(th, &p.other.Over, p.name+": ", w, half)...)
	}
	return p.series(th, &p.got.Over, "", w, h)
}

// series is how requests went over time.
func (p *Pane) series(th *style.Theme, s *statistics.Series, of string, w, h int) []string {
	if s.Empty() {
		return []string{" " + th.Dim.Paint("nothing to draw over time")}
	}
	const label = 11
	room := max(1, w-label-13)
	part := max(1e-9, float64(s.To-s.From)/1e9/float64(min(room, statistics.Columns))) // seconds of a column
	perSecond := func(n int64) int64 { return int64(float64(n)/part + 0.5) }
	spark := func(name string, values []int64, peak bool, write func(int64) string) string {
		line, most := chart.Sparkline(values, room, peak)
		return th.Dim.Paint(cells.FitLeft(name, label-2)+" ┤") + th.Accent.Paint(line) + th.Dim.Paint("  ≤ "+write(most))
	}
	lines := []string{" " + th.Dim.Paint(of+"over time")}
	if rest := h - 4; rest >= 4 {
		lines = append([]string{" " + th.Dim.Paint(of+"latency over time")}, chart.Heat(th, s, label+room, rest)...)
	}
	return append(lines,
		spark("requests", s.Requests[:], false, func(n int64) string { return rate(float64(n)/part) + "/s" }),
		spark("bytes", s.Bytes[:], false, func(n int64) string { return format.Size(perSecond(n)) + "/s" }),
		spark("at once", s.Open[:], true, format.Count))
}

// rate writes how often something happens in a second.
func rate(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return format.Count(int64(v + 0.5))
}
