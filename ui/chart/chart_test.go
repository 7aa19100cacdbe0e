package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/ui/chart"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

func TestHistogram(t *testing.T) {
	th := style.New("", true, true)
	bars := []statistics.Bar{{UpTo: 1e6, Count: 1}, {UpTo: 10e6, Count: 10}, {UpTo: 100e6}, {UpTo: 100_100_000, Count: 3}, {UpTo: 1e9, Count: 200}}
	marks := []chart.Mark{{Name: "p50", Value: 500e6}, {Name: "max", Value: 2e9}, {Name: "min", Value: 1e6}}
	for _, size := range [][2]int{{40, 9}, {40, 2}, {12, 9}, {1, 1}} {
		for _, line := range chart.Histogram(th, bars, marks, size[0], size[1]) {
			if w := ansi.StringWidth(line); w != size[0] {
				t.Errorf("%v: %d cells: %q", size, w, line)
			}
		}
	}
	plain := func(lines []string) string { return ansi.Strip(strings.Join(lines, "\n")) }
	const want = `    ≤ 1.00 ms █ 1 min                   
    ≤ 10.0 ms █ 10                      
     ≤ 100 ms █ 3                       
      ≤ 1.00 s ██████████████ 200 p50 max`
	got := plain(chart.Histogram(th, bars, marks, 40, 9))
	for i, line := range strings.Split(want, "\n") {
		if strings.Join(strings.Fields(strings.Split(got, "\n")[i]), " ") == strings.Join(strings.Fields(line), " ") {
			continue
		}
		t.Errorf("line %d of\n%s", i, got)
	}
	if two := chart.Histogram(th, bars, marks, 40, 2); len(two) != 2 || !strings.Contains(plain(two), "203") {
		t.Errorf("in two lines:\n%s", plain(two))
	}
}

func TestSparkline(t *testing.T) {
	for _, tt := range []struct {
		values []int64
		w      int
		want   string
	}{
		{nil, 3, "   "},
		{[]int64{0, 1, 8}, 3, " ▁█"},
		{[]int64{0, 8}, 4, "  ██"},
		{[]int64{4, 4, 1, 0}, 2, "█▂"},
		{[]int64{1}, 0, ""},
	} {
		if line := chart.Sparkline(tt.values, tt.w); line != tt.want {
			t.Errorf("%v in %d: %q, want %q", tt.values, tt.w, line, tt.want)
		}
	}
}

func TestHeat(t *testing.T) {
	s := panetest.New(t)
	for i, ms := range []float64{1, 1, 10, 1000} {
		at := float64(i) * 2000
		s.Client(at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		s.Server(at+ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	got := statistics.Collect(t.Context(), s.Context().Snap, statistics.Key{Sender: session.C2S, Method: "ping"})
	th := style.New("", true, true)
	for _, size := range [][2]int{{40, 13}, {60, 5}, {20, 2}} {
		lines := chart.Heat(th, &got.Over, size[0], size[1])
		if len(lines) > size[1] || len(lines) < 2 {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		shown := 0
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > size[0] {
				t.Errorf("%v: %d cells: %q", size, w, line)
			}
			shown += strings.Count(line, "█") + strings.Count(line, "▓") + strings.Count(line, "▒") + strings.Count(line, "░")
		}
		if shown == 0 || size[1] > 2 && shown != 4 {
			t.Errorf("%v: %d answers are drawn\n%s", size, shown, ansi.Strip(strings.Join(lines, "\n")))
		}
	}
	one := panetest.New(t)
	one.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	one.Server(24, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	alone := statistics.Collect(t.Context(), one.Context().Snap, statistics.Key{Sender: session.C2S, Method: "ping"})
	if text := ansi.Strip(strings.Join(chart.Heat(th, &alone.Over, 40, 13), "\n")); strings.Count(text, "23.0 ms") != 1 || strings.Count(text, "█") == 0 {
		t.Errorf("one answer:\n%s", text)
	}
	if chart.Heat(th, &statistics.HeatMap{}, 40, 9) != nil || chart.Heat(th, &got.Over, 8, 9) != nil {
		t.Error("nothing is drawn as something")
	}
}
