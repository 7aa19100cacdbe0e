//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// callBenchOptions are the flags of bench call.
type callBenchOptions struct {
	rounds    int
	inspector string
}

func newBenchCall() *cobra.Command {
	var o callBenchOptions
	cmd := &cobra.Command{
		Use:   "call [flags] [-- CMD ARGS…]",
		Short: "measure what one call costs",
		Long: `Lists the tools of the same server by turns: by the least that can do it, which
starts the server, writes three lines, reads two, closes its stdin and waits for
its exit; by a shell script that does the same; by wiretea call, which records into
the sessions folder of an empty home folder; and, where a command is given, by the
official Inspector's CLI. Each is timed from its start to its end. A ratio is the
median of those of the turns. Other work on the machine shows in the times.`,
		Example: `  go run ./.ci/bench call
  go run ./.ci/bench call --inspector node_modules/.bin/mcp-inspector -- node_modules/.bin/mcp-server-everything`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return benchCall(cmd.Context(), o, args, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVar(&o.rounds, "rounds", 20, "how many turns each gets")
	f.StringVar(&o.inspector, "inspector", "", "`COMMAND` of the Inspector, run with --cli SERVER --method tools/list")
	return cmd
}

// The three lines that list a server's tools.
const (
	benchHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"floor","version":"1"}}}`
	benchReady = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	benchList  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// benchScript is the floor as a program of its own.
const benchScript = `coproc S { exec "$@"; }
out=${S[0]} in=${S[1]} pid=$S_PID
printf '%s\n' '` + benchHello + `' >&$in
IFS= read -r line <&$out
printf '%s\n%s\n' '` + benchReady + `' '` + benchList + `' >&$in
while IFS= read -r line <&$out; do
  case $line in *'"id":2'*) printf '%s\n' "$line"; break ;; esac
done
exec {in}>&-
wait $pid
`

// callScript names the way of the script.
const callScript = "the same as a script (bash)"

// A callWay is one way to list a server's tools, and the times it took.
type callWay struct {
	name string
	run  func(context.Context) error
	took []time.Duration
}

// benchCall measures and prints.
func benchCall(ctx context.Context, o callBenchOptions, server []string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if len(server) == 0 {
		server = []string{measured, "demo", "--server", "legacy"}
	}
	program := func(words ...string) func(context.Context) error {
		return func(ctx context.Context) error { return runQuietly(ctx, "", append(slices.Clone(words), server...)) }
	}
	call := func(flags ...string) func(context.Context) error {
		words := append([]string{measured, "call", "tools/list", "--quiet"}, flags...)
		if home := os.Getenv("HOME"); home != "" {
			words = append(words, "--env", "HOME="+home) // the server's own
		}
		return func(ctx context.Context) error { return runQuietly(ctx, dir, append(append(words, "--"), server...)) }
	}
	ways := []*callWay{
		{name: "floor: three lines out, two in", run: func(ctx context.Context) error { return listDirectly(ctx, server) }},
		{name: "wiretea call", run: call()},
		{name: "wiretea call --era legacy --no-record", run: call("--era", "legacy", "--no-record")},
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		ways = slices.Insert(ways, 1, &callWay{name: callScript, run: program(bash, "-c", benchScript, "bash")})
	}
	if o.inspector != "" {
		words := append(strings.Fields(o.inspector), "--cli")
		ways = append(ways, &callWay{name: "Inspector --cli", run: func(ctx context.Context) error {
			return runQuietly(ctx, "", slices.Concat(words, server, []string{"--method", "tools/list"}))
		}})
	}
	load := loadAverage()
	for round := range o.rounds + 1 {
		// None has always the same one before it.
		turns := slices.Clone(ways)
		if round%2 == 1 {
			slices.Reverse(turns)
		}
		for _, w := range turns {
			begin := time.Now()
			if err := w.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if round > 0 { // the first one is for warming up
				w.took = append(w.took, time.Since(begin))
			}
		}
	}
	return writeCallBench(out, ways, server, load)
}

// runQuietly runs a program to its end, in our home folder or another one. What it
// printed is shown only where it failed or printed no list.
func runQuietly(ctx context.Context, home string, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if home != "" {
		cmd.Env = append(os.Environ(), "HOME="+home)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err == nil && !strings.Contains(string(out), `"tools"`) {
		return fmt.Errorf("it printed no tools: %.200q", out)
	}
	return err
}

// listDirectly is the least that lists a server's tools.
func listDirectly(ctx context.Context, argv []string) error {
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
	lines := bufio.NewReader(out)
	// Some servers tell of something between their two answers.
	exchange := func(message, answer string) error {
		_, err := io.WriteString(in, message+"\n")
		for line := ""; err == nil && !strings.Contains(line, answer); {
			line, err = lines.ReadString('\n')
		}
		return err
	}
	err = errors.Join(exchange(benchHello, `"id":1`), exchange(benchReady+"\n"+benchList, `"id":2`), in.Close())
	_, _ = io.Copy(io.Discard, lines)
	return errors.Join(err, cmd.Wait())
}

// writeCallBench prints one line a way, with its ratios to the floor and to the script.
func writeCallBench(out io.Writer, ways []*callWay, server []string, load string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d CPUs, load %s before and %s after; %d turns each\nserver: %s\n\n%-42s %12s %12s %10s %10s\n", runtime.NumCPU(), load, loadAverage(),
		len(ways[0].took), strings.Join(server, " "), "", "median", "fastest", "to floor", "to script")
	script := slices.IndexFunc(ways, func(w *callWay) bool { return w.name == callScript })
	for _, w := range ways {
		toScript := "–"
		if script >= 0 {
			toScript = fmt.Sprintf("%.2f×", w.ratio(ways[script]))
		}
		took := slices.Sorted(slices.Values(w.took)) // in the order in which they were taken, for comparison with the others'
		fmt.Fprintf(&b, "%-42s %9.1f ms %9.1f ms %9.2f× %10s\n", w.name, quantile(took, .5)/1e6, quantile(took, 0)/1e6, w.ratio(ways[0]), toScript)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// ratio is how much longer it takes than base, each turn against the other's of the
// same round: what the machine does besides then counts for both.
func (w *callWay) ratio(base *callWay) float64 {
	ratios := make([]float64, len(w.took))
	for i, took := range w.took {
		ratios[i] = float64(took) / float64(base.took[i])
	}
	return middle(ratios)
}
