//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"wiretea/ui/termtest"
)

// largeBenchOptions are the flags of bench large.
type largeBenchOptions struct {
	rounds, calls, size int
	pace                time.Duration
	others              []string
}

func newBenchLarge() *cobra.Command {
	var o largeBenchOptions
	cmd := &cobra.Command{
		Use:   "large [flags]",
		Short: "measure what the screen adds to the latency of large results",
		Long: `Calls a tool whose result is a text of one line by turns: through a tee, by run --plain, by
run on the screen, which shows each result, and on the screen while keys are pressed that move
the cursor and open pages. The latencies are those that the recordings have. A ratio is the
median of the rounds' ratios to the tee.`,
		Example: `  go run ./.ci/bench large
  go run ./.ci/bench large --other OLD/wiretea`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.IntVar(&o.rounds, "rounds", 10, "how many rounds there are")
	f.IntVar(&o.calls, "calls", 100, "calls of each in a round, 20 at least")
	f.DurationVar(&o.pace, "pace", 100*time.Millisecond, "from call to call; with 0 one follows the result of the other")
	f.IntVar(&o.size, "size", 1_000_000, "bytes of the text, less than a record of the file takes")
	f.StringSliceVar(&o.others, "other", nil, "measure this wiretea `PROGRAM` on the screen too; repeatable")
	return cmd
}

// A largeWay is a way to call the tool, and what was measured on it.
type largeWay struct {
	name   string
	run    func(file string) error
	rounds [][]time.Duration
}

const (
	largeLimit = 1.2  // largeLimit is the budget of the ratios of p50.
	largeKeys  = "jk" // largeKeys move the cursor,
	largePages = "sPt"
)

func (o largeBenchOptions) run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	peer := filepath.Join(dir, "peer")
	if err := build(ctx, peer, "wiretea/.ci/bench/peer"); err != nil {
		return err
	}
	server := []string{peer, "large", strconv.Itoa(o.size)}
	args := func(program, file string, flags ...string) []string {
		args := append([]string{program, "run", "--record", file, "--era", "legacy"}, flags...)
		if o.pace > 0 {
			args = append(args, "--pace", o.pace.String())
		}
		for range o.calls {
			args = append(args, "--send", `tools/call {"name":"large"}`)
		}
		return append(append(args, "--"), server...)
	}
	screen := func(program, keys string) func(string) error {
		return func(file string) error { return o.onScreen(dir, file, keys, args(program, file)...) }
	}
	ways := []*largeWay{
		{name: "tee", run: func(file string) error {
			return o.throughTee(ctx, append([]string{measured, "tee", "--record", file, "--"}, server...))
		}},
		{name: "run --plain", run: func(file string) error {
			argv := args(measured, file, "--plain")
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Env = append(os.Environ(), "HOME="+dir)
			return cmd.Run()
		}},
		{name: "run, screen", run: screen(measured, "")},
		{name: "run, screen, keys", run: screen(measured, largeKeys)},
		{name: "run, screen, pages", run: screen(measured, largePages)},
	}
	for _, other := range o.others {
		name := filepath.Base(other) + ", screen"
		ways = append(ways, &largeWay{name: name, run: screen(other, "")}, &largeWay{name: name + ", pages", run: screen(other, largePages)})
	}
	load := loadAverage()
	for round := range o.rounds {
		for i := range ways {
			w := ways[(i+round)%len(ways)]
			file := filepath.Join(dir, "record")
			if err := w.run(file); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			took, err := latencies(file)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			w.rounds = append(w.rounds, took)
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%d CPUs, load %s before and %s after; %d rounds of %d results of %d bytes\n\n%-22s %11s %11s %11s %11s\n", runtime.NumCPU(), load, loadAverage(), o.rounds, o.calls, o.size, "", "p50", "to tee", "p95", "to tee")
	for _, w := range ways {
		fmt.Fprintf(out, "%-22s", w.name)
		for _, q := range []float64{.5, .95} {
			var ratios, own []float64
			for i := range w.rounds {
				own = append(own, quantile(w.rounds[i], q))
				ratios = append(ratios, quantile(w.rounds[i], q)/quantile(ways[0].rounds[i], q))
			}
			words := ""
			if r := middle(ratios); q == .5 && r > largeLimit {
				words = "!"
			}
			fmt.Fprintf(out, " %8.2f ms %10.2f×%s", middle(own)/1e6, middle(ratios), words)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\n! is above the budget of %.2f×.\n", largeLimit)
	return nil
}

// throughTee is a client that calls the tool through a tee.
func (o largeBenchOptions) throughTee(ctx context.Context, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(out, o.size+1<<10)
	for i := range o.calls + 1 {
		line := benchHello
		if i > 0 {
			time.Sleep(o.pace)
			line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large"}}`, i+1)
		}
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			return err
		}
		if _, err := lines.ReadSlice('\n'); err != nil {
			return err
		}
	}
	return errors.Join(in.Close(), cmd.Wait())
}

// onScreen runs a program on the screen until all results are recorded, and presses keys meanwhile.
func (o largeBenchOptions) onScreen(home, file, keys string, argv ...string) error {
	p, err := termtest.StartPty(120, 40, termtest.Options{Sync: true}, []string{"HOME=" + home}, argv...)
	if err != nil {
		return err
	}
	for i, begin := 0, time.Now(); err == nil; i++ {
		if info, e := os.Stat(file); e == nil && info.Size() >= int64(o.calls)*int64(o.size) {
			break
		}
		if time.Since(begin) > patient {
			err = termtest.ErrPtyLate
		} else if keys != "" {
			err = p.Keys(keys[i%len(keys) : i%len(keys)+1])
		}
		time.Sleep(20 * time.Millisecond)
	}
	if keys != "" {
		err = errors.Join(err, p.Keys("esc", "esc"))
	}
	return errors.Join(err, p.Quit())
}

// latencies are the times from the request to the end of the result of the calls of a recording.
func latencies(file string) ([]time.Duration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	began, took := map[string]int64{}, []time.Duration(nil)
	for line := range bytes.Lines(text) {
		var r struct {
			K, ID, M, Y string
			T           int64
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		if r.K == "f" && r.M == "tools/call" {
			began[r.ID] = r.T
		} else if from, is := began[r.ID]; is && r.Y == "r" {
			took = append(took, time.Duration(r.T-from))
		}
	}
	if len(took) == 0 {
		return nil, errors.New("the recording has no results")
	}
	return took, nil
}
