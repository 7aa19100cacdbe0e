//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wiretea/.ci/bench/answer"
	"wiretea/.ci/bench/rawio"
)

// pathBenchOptions are the flags of bench path.
type pathBenchOptions struct {
	cpus, rounds, trips int
	before              string
}

func newBenchPath() *cobra.Command {
	var o pathBenchOptions
	cmd := &cobra.Command{
		Use:   "path [flags]",
		Short: "measure what a policy and held messages cost",
		Long: `Makes round trips of 200 bytes by turns through a tee, and through a proxy, in whose
path nothing decides, through such with a policy of 200 rules, none of which matches, that
look at names, at arguments or at the text, and through such that hold none, one or 101
other messages meanwhile, or one more before each, which is compared with one more that
passes: on all CPUs, then on one. All of them record. A ratio, and what
held messages add, is the median of those of the rounds, so that other work on the machine
counts for both.`,
		Example: `  go run ./.ci/bench path
  go run ./.ci/bench path --cpus 1 --before OLD/wiretea`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.IntVar(&o.cpus, "cpus", 0, "on how many CPUs, all or 1 (default: on all, then on one)")
	f.IntVar(&o.rounds, "rounds", 25, "how many rounds there are")
	f.IntVar(&o.trips, "trips", 400, "round trips of each in a round")
	f.StringVar(&o.before, "before", "", "measure this wiretea `PROGRAM` too, with nothing in its path")
	return cmd
}

// run measures on as many CPUs as was asked for.
func (o pathBenchOptions) run(ctx context.Context, out io.Writer) error {
	if o.before != "" {
		var err error
		if o.before, err = filepath.Abs(o.before); err != nil {
			return err
		}
	}
	if all := runtime.NumCPU(); o.cpus <= 1 && all > 1 {
		parts := []int{all, 1}
		if o.cpus == 1 {
			parts = parts[1:]
		}
		for _, cpus := range parts {
			args := []string{"path", "--cpus", strconv.Itoa(cpus), "--rounds", strconv.Itoa(o.rounds), "--trips", strconv.Itoa(o.trips), "--before", o.before}
			if err := apart(ctx, cpus, out, args...); err != nil {
				return err
			}
			fmt.Fprintln(out)
		}
		return nil
	}
	return o.measure(ctx, out)
}

// A pathWay is a tee or a proxy, and what was measured on it.
type pathWay struct {
	name  string
	base  *pathWay // base is what it is compared with; nil = nothing.
	limit float64  // limit is the budget of its p50, as a ratio to that of base; 0 = heldLimit is that of what it adds.
	held  int      // held is how many messages it holds.
	each  bool     // each: it holds one more before each round trip, or, where passes is set, lets one more pass.

	passes bool
	hold   func(n int) error
	trip   func() error
	end    func() error

	rounds [][]time.Duration // rounds are the round trips of each.
}

const (
	// heldLimit is how much a round trip may take longer while others are held.
	heldLimit = time.Millisecond

	pathBytes = 200

	// mostEach is how many messages a way holds that holds one more before each round trip:
	// fewer than control.MaxHeld.
	mostEach = 9000
)

// measure measures all ways by turns, and prints.
func (o pathBenchOptions) measure(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	load := loadAverage()
	tees, endTees, err := o.tees(ctx, dir)
	defer func() { err = errors.Join(err, endTees()) }()
	if err != nil {
		return err
	}
	proxies, endProxies, err := o.proxies(ctx, dir)
	defer func() { err = errors.Join(err, endProxies()) }()
	if err != nil {
		return err
	}
	ways := append(tees, proxies...)
	for round := range o.rounds + 1 { // The first one is for warming up.
		for i := range ways {
			w := ways[(i+round)%len(ways)] // None has always the same one before it.
			trips := o.trips
			if w.each {
				trips = min(trips, mostEach/(o.rounds+1)*8/9)
			}
			if err := w.turn(ctx, trips, round > 0); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	return writePathBench(out, ways, load)
}

// begin has messages held, and makes the first round trip.
func (w *pathWay) begin() error {
	for n := range w.held {
		if err := w.hold(n); err != nil {
			return err
		}
	}
	return w.trip()
}

// turn makes round trips, and keeps their times.
func (w *pathWay) turn(ctx context.Context, trips int, keep bool) error {
	var took []time.Duration
	for i := range trips + trips/8 {
		if w.each {
			if err := w.hold(w.held); err != nil {
				return err
			}
			w.held++
		}
		begun := time.Now()
		if err := errors.Join(w.trip(), ctx.Err()); err != nil {
			return err
		}
		if i >= trips/8 {
			took = append(took, time.Since(begun))
		}
	}
	if keep {
		w.rounds = append(w.rounds, took)
	}
	return nil
}

// A pathPolicy is a policy that is measured.
type pathPolicy struct {
	file string // file is empty for none.
	way  pathWay
}

// policies writes them.
func policies(dir string) (all []pathPolicy, err error) {
	rules := func(count int, format string) string {
		var text strings.Builder
		for n := range count {
			fmt.Fprintf(&text, "[[rule]]\n"+format+"\n", n)
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.toml", len(all)))
		err = errors.Join(err, os.WriteFile(file, []byte(text.String()), 0o600))
		return file
	}
	add := func(file string, w pathWay) { all = append(all, pathPolicy{file, w}) }
	add("", pathWay{name: "nothing on"})
	add(rules(200, "filter = 'm:tools/call t~^tool-%d$'\naction = 'deny'"), pathWay{name: "200 rules by name", limit: 1.5})
	add(rules(200, "filter = 'm:tools/call b:secret-%d'\naction = 'deny'"), pathWay{name: "200 rules with b:", limit: 1.5})
	hold := rules(1, "filter = 'm:tools/call t~^held-%d$'\naction = 'hold'\ntimeout = '24h'")
	for _, held := range []int{0, 1, 101} {
		add(hold, pathWay{name: fmt.Sprintf("%d held", held), held: held})
	}
	add(hold, pathWay{name: "1 more passes before each", each: true, passes: true})
	add(hold, pathWay{name: "1 more held before each", each: true})
	return all, err
}

// heldMessage is a request that the policies of hold match.
func heldMessage(n int) []byte {
	return bytes.Replace(bytes.Replace(benchMessage(pathBytes), []byte(`"id":1`), fmt.Appendf(nil, `"id":"held %d"`, n), 1), []byte(`"echo"`), []byte(`"held-0"`), 1)
}

// passing is a notification of the same length, which they do not.
var passing = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"%s"}}`+"\n", strings.Repeat("x", pathBytes-65))

// each makes a way of each policy, and of the wiretea before.
func (o pathBenchOptions) each(kind string, dir string, begin func(w *pathWay, program string, flags ...string) error) (ways []*pathWay, end func() error, err error) {
	end = func() error {
		var failed error
		for _, w := range ways {
			if w.end != nil {
				failed = errors.Join(failed, w.end())
			}
		}
		return failed
	}
	all, err := policies(dir)
	if err != nil {
		return nil, end, err
	}
	var off, none, passes *pathWay // off has nothing on, and none holds nothing.
	for i, p := range all {
		w := &p.way
		w.name, w.base = kind+", "+w.name, off
		if w.each && kind != "tee" {
			continue // Each would need a connection.
		}
		flags := []string{"--record", filepath.Join(dir, fmt.Sprintf("%s-%d.mcpcap.jsonl", kind, i))}
		switch {
		case p.file == "":
			off = w
		case w.passes:
			w.base, passes = none, w
		case w.each:
			w.base = passes
		case w.held > 0:
			w.base = none
		case w.limit == 0:
			none = w
		}
		if p.file != "" {
			flags = append(flags, "--policy", p.file)
		}
		ways = append(ways, w)
		if err := begin(w, measured, flags...); err != nil {
			return ways, end, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	if o.before == "" {
		return ways, end, nil
	}
	w := &pathWay{name: kind + ", nothing on, before"}
	ways, off.base, off.limit = append(ways, w), w, 1.02
	return ways, end, begin(w, o.before, "--record", filepath.Join(dir, kind+"-before.mcpcap.jsonl"))
}

// tees begins the tees.
func (o pathBenchOptions) tees(ctx context.Context, dir string) ([]*pathWay, func() error, error) {
	peer := filepath.Join(dir, "peer")
	if err := build(ctx, peer, "wiretea/.ci/bench/peer"); err != nil {
		return nil, func() error { return nil }, err
	}
	message, buf := benchMessage(pathBytes), make([]byte, pathBytes)
	want := append(answer.To(nil, bytes.TrimSpace(message)), '\n')
	return o.each("tee", dir, func(w *pathWay, program string, flags ...string) error {
		p, err := startBenchPeer(ctx, append(append([]string{program, "tee"}, flags...), "--", peer, "answer"))
		if err != nil {
			return err
		}
		w.trip = func() error {
			if err := p.exchange(message, 1, buf); err != nil || !bytes.Equal(buf, want) {
				return errors.Join(err, fmt.Errorf("the answer is %.200q", buf))
			}
			return nil
		}
		w.end = p.endHeld
		w.hold = func(n int) error {
			if w.passes {
				return rawio.Write(p.in, passing)
			}
			return rawio.Write(p.in, heldMessage(n))
		}
		return w.begin()
	})
}

// endHeld is stop where messages are held: they go on now, and are answered.
func (p *benchPeer) endHeld() error {
	err := syscall.Close(p.in)
	for rest := make([]byte, 64<<10); ; {
		if n, failed := syscall.Read(p.out, rest); n <= 0 && failed != syscall.EINTR {
			return errors.Join(err, p.cmd.Wait(), syscall.Close(p.out))
		}
	}
}

// proxies begins the proxies.
func (o pathBenchOptions) proxies(ctx context.Context, dir string) ([]*pathWay, func() error, error) {
	peer := filepath.Join(dir, "httppeer")
	none := func() error { return nil }
	if err := build(ctx, peer, "wiretea/.ci/bench/httppeer"); err != nil {
		return nil, none, err
	}
	server, err := startHTTPWay(ctx, "server", peer, "server")
	if err != nil {
		return nil, none, err
	}
	to := strings.TrimSuffix(server.url, "mcp") + "answer"
	message, want := benchMessage(pathBytes), answer.To(nil, benchMessage(pathBytes))
	ways, end, err := o.each("proxy", dir, func(w *pathWay, program string, flags ...string) error {
		p, err := startHTTPWay(ctx, w.name, append(append([]string{program, "proxy", "--secret-path", "off"}, flags...), to)...)
		if err != nil {
			return err
		}
		holding, leave := context.WithCancel(ctx)
		over := make(chan error, w.held)
		got := bytes.NewBuffer(make([]byte, 0, 2*pathBytes))
		w.trip = func() error {
			if err := p.post(ctx, message, "application/json", got); err != nil || !bytes.Equal(got.Bytes(), want) {
				return errors.Join(err, fmt.Errorf("the answer is %.200q", got.Bytes()))
			}
			return nil
		}
		w.end = func() error {
			early := len(over)
			leave()
			p.stop()
			if early > 0 {
				return fmt.Errorf("%s: %d messages were not held to the end: %w", w.name, early, <-over)
			}
			return nil
		}
		w.hold = func(n int) error {
			go func() { over <- p.post(holding, heldMessage(n), "application/json", new(bytes.Buffer)) }()
			return nil
		}
		return w.begin()
	})
	return ways, func() error {
		defer server.stop()
		return end()
	}, err
}

// writePathBench prints one line a way, with what it costs against another one.
func writePathBench(out io.Writer, ways []*pathWay, load string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d CPUs, load %s before and %s after; %d rounds of %d round trips of %d bytes each\n\n%-32s", runtime.NumCPU(), load, loadAverage(),
		len(ways[0].rounds), len(ways[0].rounds[0]), pathBytes, "")
	columns := []float64{.5, .99, .999, 1}
	for _, name := range []string{"p50", "p99", "p99.9", "most"} {
		fmt.Fprintf(&b, " %12s", name)
	}
	b.WriteByte('\n')
	for _, w := range ways {
		fmt.Fprintf(&b, "%-32s", w.name)
		all := slices.Concat(w.rounds...)
		for _, q := range columns {
			if v := pathQuantile(all, q); v > 0 {
				fmt.Fprintf(&b, " %9.1f µs", v/1e3)
			} else {
				fmt.Fprintf(&b, " %12s", "–")
			}
		}
		b.WriteString(w.compared() + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// pathQuantile is quantile, and the longest for 1.
func pathQuantile(all []time.Duration, q float64) float64 {
	if q == 1 {
		return float64(slices.Max(all))
	}
	return quantile(all, q)
}

// compared says what the way costs against its base, and what it may.
func (w *pathWay) compared() string {
	if w.base == nil {
		return ""
	}
	each := func(q float64, compare func(a, b float64) float64) float64 {
		var all []float64
		for i, took := range w.rounds {
			all = append(all, compare(pathQuantile(took, q), pathQuantile(w.base.rounds[i], q)))
		}
		return middle(all)
	}
	if w.held == 0 {
		limit := ""
		if w.limit > 0 {
			limit = fmt.Sprintf(" (budget %.2f×)", w.limit)
		}
		return fmt.Sprintf("  p50 %.2f×%s of %s", each(.5, func(a, b float64) float64 { return a / b }), limit, w.base.name)
	}
	more := func(a, b float64) float64 { return (a - b) / 1e3 }
	return fmt.Sprintf("  p50 %+.1f, p99 %+.1f, longest %+.1f µs (budget %v) to %s", each(.5, more), each(.99, more), each(1, more), heldLimit, w.base.name)
}
