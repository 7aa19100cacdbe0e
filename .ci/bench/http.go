//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session/text"
	"wiretea/ui/termtest"
)

// httpBenchOptions are the flags of bench http.
type httpBenchOptions struct {
	rounds, trips, events, streams int
	verify, verifyLong             int
}

func newBenchHTTP() *cobra.Command {
	var o httpBenchOptions
	cmd := &cobra.Command{
		Use:   "http [flags]",
		Short: "measure what the HTTP proxy costs, and that it cuts nothing",
		Long: `Posts to an echoing server directly, through a reverse proxy that is correct and
does nothing else, and through wiretea's, which records, by turns; ratios are to the
first proxy. Each is a process of its own; the client and the server take their part
of the CPUs. --verify posts that often through the proxy instead, at each size but
1 MB, for which --verify-long is, one at a time and 16 at once, answered with JSON and
with an event stream, and counts the answers that are not the request's bytes; nothing
is recorded then.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.IntVar(&o.rounds, "rounds", 10, "how many rounds there are")
	f.IntVar(&o.trips, "trips", 1000, "round trips in a round, at 200 bytes; a half and a twentieth of it at the other sizes")
	f.IntVar(&o.events, "events", 200, "events with a pause between them in a round; 50 times as many without one")
	f.IntVar(&o.streams, "streams", 1000, "how many streams are open when the memory is measured")
	f.IntVar(&o.verify, "verify", 0, "count bad answers of this many requests")
	f.IntVar(&o.verifyLong, "verify-long", 1000, "count bad answers of this many requests of 1 MB")
	return cmd
}

// An httpWay is one way to the server.
type httpWay struct {
	name   string
	url    string
	cmd    *exec.Cmd
	stdin  io.Closer
	client *http.Client
	answer func(message []byte) []byte // answer is what the server answers; nil = it echoes.

	trips, crowd map[int][]time.Duration // trips are one at a time, crowd 16 at once, by size.
	rate         map[int][]float64       // rate is that of crowd, a second.
	delays       []time.Duration
	events       []float64       // events a second
	cuts         []time.Duration // cuts is how long a disconnect of the server took to the client, leaves the other way.
	leaves       []time.Duration
	bad          int
	idle, open   int64 // idle is the memory before the streams, open with them.
}

const atOnce = 16

func (o httpBenchOptions) run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	peer := filepath.Join(dir, "httppeer")
	if err := build(ctx, peer, "wiretea/.ci/bench/httppeer"); err != nil {
		return err
	}
	direct, err := startHTTPWay(ctx, "direct", peer, "server")
	if err != nil {
		return err
	}
	defer direct.stop()
	if o.verify > 0 {
		return o.verifyAll(ctx, out, peer, direct.url)
	}
	bare, err := startHTTPWay(ctx, "bare proxy", peer, "bare", direct.url)
	if err != nil {
		return err
	}
	defer bare.stop()
	proxy, err := startHTTPWay(ctx, "wiretea, recording", measured, "proxy", "--secret-path", "off", "--record", filepath.Join(dir, "http.mcpcap.jsonl"), direct.url)
	if err != nil {
		return err
	}
	defer proxy.stop()
	ways, load := []*httpWay{direct, bare, proxy}, loadAverage()
	for range o.rounds {
		for _, w := range ways {
			if err := w.round(ctx, o); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	for _, w := range ways {
		if err := w.openStreams(ctx, o.streams); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return writeHTTPBench(out, ways, load)
}

func startHTTPWay(ctx context.Context, name string, argv ...string) (*httpWay, error) {
	w := &httpWay{name: name, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), trips: map[int][]time.Duration{}, crowd: map[int][]time.Duration{}, rate: map[int][]float64{}}
	w.client = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 2 * atOnce}}
	w.cmd.Stderr = os.Stderr
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	w.stdin = stdin
	line, err := bufio.NewReader(stdout).ReadString('\n')
	w.url = strings.TrimSpace(line)
	return w, err
}

func (w *httpWay) stop() {
	w.client.CloseIdleConnections()
	_ = w.stdin.Close()
	_ = w.cmd.Process.Signal(os.Interrupt) // wiretea does not read its standard input.
	_ = w.cmd.Wait()
}

// round measures everything once.
func (w *httpWay) round(ctx context.Context, o httpBenchOptions) error {
	for _, size := range teeBenchSizes {
		n := o.trips / map[int]int{200: 1, 10 << 10: 2, 1 << 20: 20}[size]
		took, bad := w.posts(ctx, max(1, n), 1, benchMessage(size), "application/json")
		w.trips[size] = append(w.trips[size], took...)
		began := time.Now()
		took, badToo := w.posts(ctx, max(atOnce, n), atOnce, benchMessage(size), "application/json")
		w.crowd[size] = append(w.crowd[size], took...)
		w.rate[size] = append(w.rate[size], float64(len(took))/time.Since(began).Seconds())
		w.bad += bad + badToo
	}
	if err := w.stream(ctx, o.events, "2ms", func(t time.Time) { w.delays = append(w.delays, time.Since(t)) }); err != nil {
		return err
	}
	began, n := time.Now(), 0
	err := w.stream(ctx, 50*o.events, "0s", func(time.Time) { n++ })
	w.events = append(w.events, float64(n)/time.Since(began).Seconds())
	for range 10 {
		err = errors.Join(err, w.cut(ctx), w.leave(ctx))
	}
	return err
}

// cut measures how long a disconnect of the server takes to the client.
func (w *httpWay) cut(ctx context.Context) error {
	res, err := w.get(ctx, "?n=1&open=cut")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	came := time.Now()
	if err == nil {
		return errors.New("a stream that was cut ended without an error")
	}
	sent, err := eventTime(string(text))
	w.cuts = append(w.cuts, came.Sub(sent))
	return err
}

// leave measures how long a disconnect of the client takes to the server.
func (w *httpWay) leave(ctx context.Context) error {
	stream, leave := context.WithCancel(ctx)
	defer leave()
	res, err := w.get(stream, "?n=1&open=told")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		return err
	}
	left := time.Now()
	leave()
	told, err := w.client.Get(strings.TrimSuffix(w.url, "/mcp") + "/gone")
	if err != nil {
		return err
	}
	defer told.Body.Close()
	var at int64
	_, err = fmt.Fscan(told.Body, &at)
	w.leaves = append(w.leaves, time.Unix(0, at).Sub(left))
	return err
}

// eventTime is when an event was sent.
func eventTime(line string) (time.Time, error) {
	var t int64
	_, err := fmt.Sscanf(line, `data: {"t":%d`, &t)
	return time.Unix(0, t), err
}

// posts posts a message n times, and returns how long each took, and how many answers
// were not the message.
func (w *httpWay) posts(ctx context.Context, n, atOnce int, message []byte, accept string) (took []time.Duration, bad int) {
	want := message
	if accept == "text/event-stream" {
		want = []byte("data: " + string(message) + "\n\n")
	}
	if w.answer != nil {
		want = w.answer(message)
	}
	var mu sync.Mutex
	var workers sync.WaitGroup
	work := make(chan bool, atOnce)
	for range atOnce {
		workers.Go(func() {
			got := bytes.NewBuffer(make([]byte, 0, 2*len(want)))
			for range work {
				began := time.Now()
				err := w.post(ctx, message, accept, got)
				took1 := time.Since(began)
				mu.Lock()
				took = append(took, took1)
				if err != nil || !bytes.Equal(got.Bytes(), want) {
					bad++
					fmt.Fprintf(os.Stderr, "%s: %d bytes of %d: %v\n", w.name, got.Len(), len(want), err)
				}
				mu.Unlock()
			}
		})
	}
	for range n {
		work <- true
	}
	close(work)
	workers.Wait()
	return took, bad
}

func (w *httpWay) post(ctx context.Context, message []byte, accept string, got *bytes.Buffer) error {
	got.Reset()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(message))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	req.Header.Set("Mcp-Session-Id", "bench")
	req.Header.Set("Authorization", "Bearer bench")
	res, err := w.client.Do(req)
	if err != nil {
		return err
	}
	_, err = got.ReadFrom(res.Body)
	return errors.Join(err, res.Body.Close())
}

// stream reads a stream of n events.
func (w *httpWay) stream(ctx context.Context, n int, pause string, seen func(sent time.Time)) error {
	res, err := w.get(ctx, fmt.Sprintf("?n=%d&pause=%s", n, pause))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	count := 0
	for lines.Scan() {
		if t, err := eventTime(lines.Text()); err == nil {
			count++
			seen(t)
		}
	}
	if count != n {
		w.bad++
	}
	return lines.Err()
}

func (w *httpWay) get(ctx context.Context, query string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+query, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	return w.client.Do(req)
}

// settled is how long a way has been idle when its memory is measured.
const settled = 3 * time.Second

// openStreams measures the memory with that many open streams, which have been idle for a
// while.
func (w *httpWay) openStreams(ctx context.Context, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	time.Sleep(settled)
	w.idle, _ = termtest.ProcessMemory(w.cmd.Process.Pid)
	for range n {
		res, err := w.get(ctx, "?n=1&pause=0s&open=1")
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
			return err
		}
	}
	time.Sleep(settled)
	w.open, _ = termtest.ProcessMemory(w.cmd.Process.Pid)
	return nil
}

// verifyAll counts bad answers.
func (o httpBenchOptions) verifyAll(ctx context.Context, out io.Writer, peer, server string) error {
	w, err := startHTTPWay(ctx, "wiretea", peer, "proxy", server)
	if err != nil {
		return err
	}
	defer w.stop()
	total := 0
	for _, size := range teeBenchSizes {
		n := o.verify
		if size == 1<<20 {
			n = o.verifyLong
		}
		for _, many := range []int{1, atOnce} {
			for _, accept := range []string{"application/json", "text/event-stream"} {
				began := time.Now()
				_, bad := w.posts(ctx, n, many, benchMessage(size), accept)
				total += bad
				fmt.Fprintf(out, "%-8s %2d at once  %-18s %8d requests  %d bad  %s\n", text.Size(int64(size)), many, accept, n, bad, time.Since(began).Round(time.Millisecond))
			}
		}
	}
	now, most := termtest.ProcessMemory(w.cmd.Process.Pid)
	fmt.Fprintf(out, "memory %s, at most %s\n", text.Size(now), text.Size(most))
	if total > 0 {
		return fmt.Errorf("%d answers are bad", total)
	}
	return nil
}

// writeHTTPBench prints one line a measure, with the ratios to the bare proxy.
func writeHTTPBench(out io.Writer, ways []*httpWay, load string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d CPUs, load %s before and %s after\n\n%-31s", runtime.NumCPU(), load, loadAverage(), "")
	for _, w := range ways {
		fmt.Fprintf(&b, " %20s", w.name)
	}
	b.WriteByte('\n')
	row := func(name string, value func(*httpWay) float64, word func(float64) string) {
		fmt.Fprintf(&b, "%-31s", name)
		for _, w := range ways {
			v := value(w)
			if v == 0 {
				fmt.Fprintf(&b, " %20s", "–")
				continue
			}
			fmt.Fprintf(&b, " %11s × %5.2f ", word(v), v/value(ways[1]))
		}
		b.WriteByte('\n')
	}
	micros := func(v float64) string { return fmt.Sprintf("%.0f µs", v/1000) }
	number := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	memory := func(v float64) string { return text.Size(int64(v)) }
	quantiles := func(name string, all func(*httpWay) []time.Duration) {
		for _, q := range []float64{.5, .99, .999} {
			row(fmt.Sprintf("%s, p%g", name, 100*q), func(w *httpWay) float64 { return quantile(all(w), q) }, micros)
		}
	}
	for _, size := range teeBenchSizes {
		name := text.Size(int64(size))
		quantiles(name, func(w *httpWay) []time.Duration { return w.trips[size] })
		quantiles(name+", 16 at once", func(w *httpWay) []time.Duration { return w.crowd[size] })
		row(name+", 16 at once, a second", func(w *httpWay) float64 { return middle(w.rate[size]) }, number)
	}
	quantiles("delay of an event", func(w *httpWay) []time.Duration { return w.delays })
	for _, d := range []struct {
		name string
		all  func(*httpWay) []time.Duration
	}{{"the server disconnects", func(w *httpWay) []time.Duration { return w.cuts }}, {"the client disconnects", func(w *httpWay) []time.Duration { return w.leaves }}} {
		row(d.name+", p50", func(w *httpWay) float64 { return quantile(d.all(w), .5) }, micros)
		row(d.name+", most", func(w *httpWay) float64 { return float64(slices.Max(d.all(w))) }, micros)
	}
	row("events a second", func(w *httpWay) float64 { return middle(w.events) }, number)
	row("memory", func(w *httpWay) float64 { return float64(w.idle) }, memory)
	row("memory with open streams", func(w *httpWay) float64 { return float64(w.open) }, memory)
	for _, w := range ways {
		fmt.Fprintf(&b, "%s: %d bad answers\n", w.name, w.bad)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
