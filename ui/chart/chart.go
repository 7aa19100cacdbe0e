package chart

import (
	"slices"
	"strings"

	"wiretea/recorder/statistics"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/style"
)

// A Mark is a value that a histogram names, such as a percentile.
type Mark struct {
	Name  string
	Value int64
}

// labelWidth is the width of a latency beside a chart.
const labelWidth = 9

// Histogram draws how many latencies were how long, a line for each bar, w cells wide. Bars
// that read the same are drawn as one, and so are neighbours where there are more than h.
// A mark is named at the bar that its value is in.
func Histogram(th *style.Theme, bars []statistics.Bar, marks []Mark, w, h int) []string {
	bars = fewer(alike(bars), max(1, h))
	most := 1
	for _, b := range bars {
		most = max(most, b.Count)
	}
	named := 0
	names := make([]string, len(bars))
	for _, m := range marks {
		for i, b := range bars {
			if m.Value <= b.UpTo || i == len(bars)-1 {
				names[i] += " " + m.Name
				named = max(named, cells.Width(names[i]))
				break
			}
		}
	}
	var lines []string
	for i, b := range bars {
		label := cells.FitLeft("≤ "+text.Duration(b.UpTo), labelWidth+2)
		number := text.Count(int64(b.Count))
		room := max(1, w-cells.Width(label)-cells.Width(number)-4-named)
		n := b.Count * room / most
		if n == 0 && b.Count > 0 {
			n = 1
		}
		lines = append(lines, cells.Fit(" "+th.Dim.Paint(label)+" "+th.Accent.Paint(strings.Repeat("█", n))+" "+th.Text.Paint(number)+th.Strong.Paint(names[i]), w))
	}
	return lines
}

// alike makes one of bars that read the same.
func alike(bars []statistics.Bar) []statistics.Bar {
	var out []statistics.Bar
	for _, b := range bars {
		if last := len(out) - 1; last >= 0 && text.Duration(out[last].UpTo) == text.Duration(b.UpTo) {
			out[last] = statistics.Bar{UpTo: b.UpTo, Count: out[last].Count + b.Count}
			continue
		}
		out = append(out, b)
	}
	return out
}

// fewer makes one of neighbours until there are at most n.
func fewer(bars []statistics.Bar, n int) []statistics.Bar {
	per := (len(bars) + n - 1) / n
	if per <= 1 {
		return bars
	}
	var out []statistics.Bar
	for i := len(bars); i > 0; i -= per { // The longest are whole parts.
		sum := statistics.Bar{UpTo: bars[i-1].UpTo}
		for _, b := range bars[max(0, i-per):i] {
			sum.Count += b.Count
		}
		out = append(out, sum)
	}
	slices.Reverse(out)
	return out
}

// blocks are the heights of a sparkline.
var blocks = [...]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Sparkline draws numbers as columns of at most one line, w cells wide. Where there are more
// numbers than cells, a cell is the highest of them.
func Sparkline(values []int64, w int) string {
	columns := resample(values, w, true)
	var most int64
	for _, v := range columns {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range columns {
		b.WriteString(blocks[step(v, most, len(blocks)-1)])
	}
	return b.String()
}

// step is the height of a value among n steps above 0, which only 0 itself has.
func step(v, most int64, n int) int {
	if v <= 0 || most <= 0 {
		return 0
	}
	return max(1, int((v*int64(n)+most-1)/most))
}

// resample makes w numbers of others.
func resample(values []int64, w int, peak bool) []int64 {
	out := make([]int64, max(0, w))
	if len(values) == 0 || w <= 0 {
		return out
	}
	if w >= len(values) { // Each number has several cells.
		for i := range out {
			out[i] = values[i*len(values)/w]
		}
		return out
	}
	for i, v := range values {
		at := i * w / len(values)
		if peak {
			out[at] = max(out[at], v)
		} else {
			out[at] += v
		}
	}
	return out
}

// shades are the depths of a heat map.
var shades = [...]string{" ", "░", "▒", "▓", "█"}

// Heat draws latencies over time, at most h lines of w cells: a line a band,
// the longest latencies at the top, and below them the time.
func Heat(th *style.Theme, s *statistics.HeatMap, w, h int) []string {
	lines, per := []string(nil), 1
	for (statistics.Bands+per-1)/per > max(1, h-1) {
		per++
	}
	room := w - labelWidth - 2
	if room < 4 || !s.Answered() {
		return nil
	}
	if text.Duration(s.Band(0)) == text.Duration(s.Band(statistics.Bands-1)) {
		per = statistics.Bands // All latencies are written alike.
	}
	var rows [][]int64
	var most int64
	for top := statistics.Bands - 1; top >= 0; top -= per {
		row := make([]int64, room)
		for b := max(0, top-per+1); b <= top; b++ {
			for i, v := range resample(s.Counts[b][:], room, false) {
				row[i] += v
				most = max(most, row[i])
			}
		}
		rows = append(rows, row)
	}
	above := ""
	for i, row := range rows {
		var b strings.Builder
		for _, v := range row {
			b.WriteString(shades[step(v, most, len(shades)-1)])
		}
		label := text.Duration(s.Band(statistics.Bands - 1 - i*per))
		if label == above { // Neighbours may be written alike.
			label = ""
		} else {
			above = label
		}
		lines = append(lines, th.Dim.Paint(cells.FitLeft(label, labelWidth)+" ┤")+th.Accent.Paint(b.String()))
	}
	return append(lines, axis(th, s.From, s.To, labelWidth+2, w))
}

// axis writes two times of a session at the ends of a line from a cell to w.
func axis(th *style.Theme, from, to int64, at, w int) string {
	left, right := text.Seconds(from)+" s", text.Seconds(to)+" s"
	if gap := w - at - cells.Width(left) - cells.Width(right); gap > 0 {
		return th.Dim.Paint(cells.Spaces(at) + left + cells.Spaces(gap) + right)
	}
	return th.Dim.Paint(cells.Fit(cells.Spaces(at)+left, w))
}
