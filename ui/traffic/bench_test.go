package traffic

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// million is a session of a million frames, made once.
var million = sync.OnceValues(func() (*session.Snapshot, recorder.Log) {
	dir, err := os.MkdirTemp("", "wiretea-traffic")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "big.mcpcap.jsonl")
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	if err := recordertest.Generate(f, recordertest.Options{Frames: 1_000_000}); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
	log, err := recorder.Open(path) // stays open when its name is gone
	if err != nil {
		panic(err)
	}
	a := session.NewAnalyzer(session.Config{})
	follower := recorder.Follower{Log: log, Analyzer: a, Once: true}
	if err := follower.Run(context.Background()); err != nil {
		panic(err)
	}
	return a.Snapshot(), log
})

// opened is a pane on the million frames.
func opened(b *testing.B) (*Pane, *pane.Context) {
	snap, log := million()
	c := &pane.Context{Snap: snap, Log: log, Theme: style.New("", true, false), Header: snap.Header()}
	p := New()
	finish(p, c, p.Update(c, pane.MovedMsg{}))
	return p, c
}

// finish runs commands until none is left, and returns the longest time that the
// pane's Update took, and how often it was called.
func finish(p *Pane, c *pane.Context, cmd tea.Cmd) (longest time.Duration, n int) {
	queue := []tea.Cmd{cmd}
	for len(queue) > 0 {
		cmd, queue = queue[0], queue[1:]
		if cmd == nil {
			continue
		}
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			queue = append(queue, batch...)
			continue
		}
		begin := time.Now()
		queue = append(queue, p.Update(c, msg))
		longest = max(longest, time.Since(begin))
		n++
	}
	return longest, n
}

func BenchmarkView(b *testing.B) {
	p, c := opened(b)
	p.View(c, 200, 60, true)
	finish(p, c, first(p.Do(c, keys.Bottom)))
	b.ReportAllocs()
	for b.Loop() {
		p.View(c, 200, 60, true)
	}
}

// BenchmarkOpen is a million frames that are there at once.
func BenchmarkOpen(b *testing.B) {
	opened(b)
	for b.Loop() {
		opened(b)
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, text := range []string{"m:tools/call is:error", "lat>1ms -t:echo", "b:lazy", "needle", `b~"id.:99999[0-9]"`} {
		b.Run(text, func(b *testing.B) {
			p, c := opened(b)
			f, err := session.ParseFilter(text)
			if err != nil {
				b.Fatal(err)
			}
			var longest time.Duration
			var n int
			for b.Loop() {
				longest, n = finish(p, c, p.Update(c, pane.FilteredMsg{Filter: f}))
			}
			b.ReportMetric(float64(longest.Microseconds()), "longest-update-µs")
			b.ReportMetric(float64(n), "updates")
			b.ReportMetric(float64(len(p.list())), "rows")
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, text := range []string{"no such text", "jsonrpc"} {
		b.Run(text, func(b *testing.B) {
			p, c := opened(b)
			var longest time.Duration
			for b.Loop() {
				c.Search.Text = ""
				finish(p, c, p.Update(c, pane.RestyledMsg{}))
				c.Search.Text = text
				longest, _ = finish(p, c, p.Update(c, pane.RestyledMsg{}))
			}
			b.ReportMetric(float64(longest.Microseconds()), "longest-update-µs")
			b.ReportMetric(float64(len(p.search.hits)), "hits")
		})
	}
}

func BenchmarkNextFinding(b *testing.B) {
	p, c := opened(b)
	for b.Loop() {
		finish(p, c, p.nextFinding(c, 1)) // there is none: all rows are looked at
	}
}
