//go:build unix

package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"wiretea/session/text"
)

// writeTeeBench prints one line a way and measure, with its ratio to the wrapper.
func writeTeeBench(out io.Writer, ways []*teeWay, load string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d CPUs, load %s before and %s after\n\n%-28s", runtime.NumCPU(), load, loadAverage(), "")
	for _, w := range ways {
		fmt.Fprintf(&b, " %19s", w.name)
	}
	b.WriteByte('\n')
	row := func(name string, value func(*teeWay) float64, word func(float64) string) {
		fmt.Fprintf(&b, "%-28s", name)
		base := value(ways[1])
		for _, w := range ways {
			v := value(w)
			if v == 0 {
				fmt.Fprintf(&b, " %19s", "–")
				continue
			}
			if base == 0 {
				fmt.Fprintf(&b, " %10s         ", word(v))
				continue
			}
			fmt.Fprintf(&b, " %10s × %5.2f ", word(v), v/base)
		}
		b.WriteByte('\n')
	}
	micros := func(v float64) string { return fmt.Sprintf("%.1f µs", v/1000) }
	for _, size := range teeBenchSizes {
		for _, q := range []struct {
			name string
			q    float64
		}{{"p50", .5}, {"p99", .99}, {"p99.9", .999}} {
			row(fmt.Sprintf("round trip %s, %s", text.Size(int64(size)), q.name), func(w *teeWay) float64 { return quantile(w.trips[size], q.q) }, micros)
		}
	}
	for _, size := range teeBenchSizes {
		name := "flood " + text.Size(int64(size))
		row(name+", messages/s", func(w *teeWay) float64 { return middle(w.floods[size]) }, func(v float64) string { return fmt.Sprintf("%.0f", v) })
		row(name+", MB/s", func(w *teeWay) float64 { return middle(w.floods[size]) * float64(size) / 1e6 }, func(v float64) string { return fmt.Sprintf("%.0f", v) })
		row(name+", recorded after", func(w *teeWay) float64 { return quantile(w.behind[size], .5) }, micros)
	}
	row("first answer, p50", func(w *teeWay) float64 { return quantile(w.starts, .5) }, micros)
	row("CPU, the server's included", func(w *teeWay) float64 { return w.cpu.Seconds() }, func(v float64) string { return fmt.Sprintf("%.2f s", v) })
	row("peak memory", func(w *teeWay) float64 { return float64(w.rss) }, func(v float64) string { return text.Size(int64(v)) })
	for _, w := range ways {
		if w.file != "" {
			fmt.Fprintf(&b, "%s: %d frames passed, %d were recorded, %d bytes were not\n", w.name, 2*w.sent, w.frames, w.lost)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// quantile is in nanoseconds, 0 where too little was measured for it.
func quantile(all []time.Duration, q float64) float64 {
	if len(all) == 0 || q > .5 && float64(len(all))*(1-q) < .99 {
		return 0
	}
	slices.Sort(all)
	return float64(all[min(len(all)-1, int(q*float64(len(all))))])
}

func middle(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
