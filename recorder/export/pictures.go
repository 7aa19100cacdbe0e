package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder/statistics"
	"wiretea/ui/format"
)

// A pagePictures is what the page draws of the statistics, in the units of its SVG.
type pagePictures struct {
	Answers  string
	Bars     []pageBar
	BarsH    int // BarsH is the height of the histogram.
	Cells    []pageCell
	Bands    []pageBand
	Lines    []pageSeries
	From, To string
}

type pageBar struct {
	Y, TextY    int
	W           string
	Label, Text string
}

type pageCell struct{ X, Y, Opacity, Title string }

type pageBand struct {
	Y    int
	Text string
}

type pageSeries struct{ Name, Most, Points string }

// Measures of the pictures.
const (
	barHeight, barMost   = 20, 420 // a bar of the histogram
	heatWidth, heatBand  = 720, 14 // a heat map
	seriesHeight         = 40
	mostTargets          = 50 // what a method acts on, beneath it
	cellWidth            = float64(heatWidth) / statistics.Columns
	leastOpacity, deeper = 0.15, 0.85
)

// pageStatistics takes the numbers by method, and the pictures of the client's requests.
func (r *Recording) pageStatistics(ctx context.Context, v *pageView, letter string) error {
	got := statistics.Collect(ctx, r.Snap, statistics.Key{})
	if got == nil {
		return ctx.Err()
	}
	byCount := func(a, b *statistics.Line) int { return cmp.Compare(b.Count, a.Count) }
	methods := slices.Clone(got.Lines)
	slices.SortStableFunc(methods, byCount)
	for _, m := range methods {
		v.Methods = append(v.Methods, newPageMethod(letter, m, format.Visible([]byte(m.Name), 200)))
		targets := slices.Clone(m.Targets)
		slices.SortStableFunc(targets, byCount)
		for _, t := range targets[:min(len(targets), mostTargets)] {
			v.Methods = append(v.Methods, newPageMethod(letter, t, "\u2003"+format.Visible([]byte(t.Target), 200)))
		}
	}
	if len(got.Bars) > 0 {
		v.Pictures = newPagePictures(got)
	}
	return nil
}

func newPageMethod(letter string, m *statistics.Line, name string) pageMethod {
	row := pageMethod{Letter: letter, Name: name, Sender: m.Sender.Sender().String(), Count: m.Count, Errors: m.Errors, Pending: m.Pending, Out: format.Size(m.BytesOut), In: format.Size(m.BytesIn)}
	if m.Max > 0 {
		row.P50, row.P95, row.P99, row.Max = format.Duration(m.P50), format.Duration(m.P95), format.Duration(m.P99), format.Duration(m.Max)
	}
	return row
}

func newPagePictures(got *statistics.Statistics) *pagePictures {
	l, s := got.Subject, &got.Over
	p := &pagePictures{
		Answers: format.Plural(int64(len(l.Latencies)), "answer"), BarsH: barHeight * len(got.Bars),
		From: format.Seconds(s.From) + " s", To: format.Seconds(s.To) + " s",
	}
	if l.People > 0 {
		p.Answers += ", without " + format.Duration(l.People) + " in which a person was asked"
	}
	most := slices.MaxFunc(got.Bars, func(a, b statistics.Bar) int { return cmp.Compare(a.Count, b.Count) }).Count
	last := int64(-1)
	for i, b := range got.Bars {
		text := format.Count(int64(b.Count))
		for _, m := range []struct {
			name  string
			value int64
		}{{"p50", l.P50}, {"p95", l.P95}, {"p99", l.P99}, {"max", l.Max}} {
			if m.value > last && m.value <= b.UpTo {
				text += " " + m.name
			}
		}
		last = b.UpTo
		p.Bars = append(p.Bars, pageBar{i * barHeight, i*barHeight + 14, fmt.Sprintf("%.1f", float64(b.Count)/float64(most)*barMost), "≤ " + format.Duration(b.UpTo), text})
	}
	p.heat(s)
	part := " in " + format.Duration((s.To-s.From)/statistics.Columns)
	p.series("requests", s.Requests[:], func(n int64) string { return format.Count(n) + part })
	p.series("bytes", s.Bytes[:], func(n int64) string { return format.Size(n) + part })
	p.series("at once", s.Open[:], format.Count)
	return p
}

// heat draws the latencies over time, the longest at the top.
func (p *pagePictures) heat(s *statistics.Series) {
	var most int64
	for b := range s.Heat {
		most = max(most, slices.Max(s.Heat[b][:]))
	}
	for b := range s.Heat {
		y := (statistics.Bands - 1 - b) * heatBand
		label := format.Duration(s.Band(b))
		if b+1 < len(s.Heat) && label == format.Duration(s.Band(b+1)) {
			label = "" // The band above has it.
		}
		p.Bands = append(p.Bands, pageBand{y + 11, label})
		for i, n := range s.Heat[b] {
			if n > 0 {
				p.Cells = append(p.Cells, pageCell{
					fmt.Sprintf("%.1f", float64(i)*cellWidth), fmt.Sprint(y), fmt.Sprintf("%.2f", leastOpacity+deeper*float64(n)/float64(most)),
					fmt.Sprintf("%s at %s s, ≤ %s", format.Plural(n, "answer"), format.Seconds(s.Column(i)), format.Duration(s.Band(b))),
				})
			}
		}
	}
}

// series draws numbers over time as an area.
func (p *pagePictures) series(name string, values []int64, write func(int64) string) {
	most := max(1, slices.Max(values))
	var b strings.Builder
	fmt.Fprintf(&b, "0,%d", seriesHeight)
	for i, v := range values {
		y := float64(seriesHeight) * (1 - float64(v)/float64(most))
		fmt.Fprintf(&b, " %.1f,%.1f %.1f,%.1f", float64(i)*cellWidth, y, float64(i+1)*cellWidth, y)
	}
	fmt.Fprintf(&b, " %d,%d", heatWidth, seriesHeight)
	p.Lines = append(p.Lines, pageSeries{name, write(most), b.String()})
}
