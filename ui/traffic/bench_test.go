package traffic

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/filter"
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
			f, err := filter.Parse(text)
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

// trips is a session of a million rows in round trips, made once.
var trips = sync.OnceValue(func() *session.Snapshot {
	a := session.NewAnalyzer(session.Config{})
	n := uint64(0)
	add := func(rec session.Record) {
		n++
		rec.N, rec.T, rec.T1, rec.Off, rec.Conn = n, int64(n)*1000, int64(n)*1000, int64(n)*500, 1
		a.Add(&rec)
	}
	add(session.Record{Kind: session.RecHeader, Header: &session.Header{Trans: "http", URL: "http://localhost:3001/mcp"}})
	event := func(trip int, ev session.HTTPEvent) {
		add(session.Record{Kind: session.RecHTTP, Trip: trip, HTTP: &ev})
	}
	for i := range 250_000 {
		event(i+1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"})
		add(session.Record{Kind: session.RecFrame, Trip: i + 1, Stream: session.C2S, Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)})
		event(i+1, session.HTTPEvent{Event: "res", Status: 200})
		add(session.Record{Kind: session.RecFrame, Trip: i + 1, Stream: session.S2C, Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i)})
		event(i+1, session.HTTPEvent{Event: "end", Why: "eof"})
	}
	return a.Snapshot()
})

// BenchmarkFold folds the round trips of a million rows and unfolds them; the longest time
// that Update takes is how long a key may wait.
func BenchmarkFold(b *testing.B) {
	c := &pane.Context{Snap: trips(), Theme: style.New("", true, false), Header: trips().Header()}
	p := New()
	finish(p, c, p.Update(c, pane.MovedMsg{}))
	var longest time.Duration
	for b.Loop() {
		for range 2 {
			begin := time.Now()
			cmd, _ := p.Do(c, keys.FoldTrips)
			longest = max(longest, time.Since(begin))
			update, _ := finish(p, c, cmd)
			longest = max(longest, update)
		}
	}
	b.ReportMetric(float64(longest)/1e6, "ms-longest-update")
	b.ReportMetric(float64(len(p.list())), "rows")
}

// BenchmarkViewTrips draws a screen of round trips, folded.
func BenchmarkViewTrips(b *testing.B) {
	c := &pane.Context{Snap: trips(), Theme: style.New("", true, false), Header: trips().Header()}
	p := New()
	finish(p, c, p.Update(c, pane.MovedMsg{}))
	cmd, _ := p.Do(c, keys.FoldTrips)
	finish(p, c, cmd)
	for b.Loop() {
		p.View(c, 118, 60, true)
	}
}
