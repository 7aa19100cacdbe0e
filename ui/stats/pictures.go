package stats

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/chart"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

const (
	picturesFrom = 16  // from this height on there are pictures below the table
	besideFrom   = 100 // and from this width on both of them
	mostPictures = 15  // lines of pictures
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
	same := p.got != nil && p.got.Focus == focus
	if p.busy || same && (p.got.Rows == c.Snap.Len() || c.Live && time.Since(p.counted) < busyPart*p.took) {
		return nil
	}
	p.busy = true
	snap := c.Snap
	return pane.Work(p, func() pane.Then {
		begun := time.Now()
		got := statistics.Collect(context.Background(), snap, focus)
		return func(c *pane.Context) tea.Cmd {
			p.busy, p.counted, p.took = false, time.Now(), time.Since(begun)
			p.takeLines(got)
			if p.focus() != focus {
				return p.collect(c)
			}
			return nil
		}
	})
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
	words := strings.TrimSpace(text.Visible([]byte(k.Method), 60) + " " + text.Visible([]byte(k.Target), 60))
	if k.Method == "" {
		return "all requests of the client"
	}
	if k.Session > 0 {
		words = session.Letter(k.Session) + " " + words
	}
	if l := p.got.Subject; l != nil && l.People > 0 && len(l.Latencies) > 0 {
		words += " · without " + text.Duration(l.People) + " in which a person was asked"
	} else if l != nil && l.People > 0 {
		words += " · people took " + text.Duration(l.People)
	}
	return words
}

// latencies is the histogram of what the pictures are about.
func (p *Pane) latencies(th *style.Theme, w, h int) []string {
	l := p.got.Subject
	if l == nil || len(l.Latencies) == 0 {
		return []string{" " + th.Dim.Paint("no latencies: nothing was answered, or people answered")}
	}
	words := "latency of " + text.Plural(int64(len(l.Latencies)), "answer")
	marks := []chart.Mark{{Name: "p50", Value: l.P50}, {Name: "p95", Value: l.P95}, {Name: "p99", Value: l.P99}, {Name: "max", Value: l.Max}}
	return append([]string{" " + th.Dim.Paint(words)}, chart.Histogram(th, p.got.Bars, marks, w, h-1)...)
}

// overTime is how the latencies went over time.
func (p *Pane) overTime(th *style.Theme, w, h int) []string {
	if !p.got.Over.Answered() {
		return []string{" " + th.Dim.Paint("nothing to draw over time")}
	}
	return append([]string{" " + th.Dim.Paint("latency over time")}, chart.Heat(th, &p.got.Over, w-2, h-1)...)
}
