//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func newBenchStart() *cobra.Command {
	runs := 200
	cmd := &cobra.Command{
		Use:   "start [flags]",
		Short: "measure what the start of a process costs",
		Long: `Runs, by turns, a Go program that prints one line, one that also imports the
libraries that wiretea needs, and wiretea version. Each file is written to the disk,
taken out of memory and read once before: how a file got into memory decides how many
of its pages a page fault maps, and what the linker has just written is the worst case.
CPU time and page faults are those of the process, medians of the runs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return benchStart(cmd.Context(), runs, cmd.OutOrStdout())
		},
	}
	cmd.Flags().IntVar(&runs, "runs", runs, "how often each is run")
	return cmd
}

// A startWay is a program that is started, and what was measured of it.
type startWay struct {
	name   string
	argv   []string
	cpu    []time.Duration
	wall   []time.Duration
	faults []float64
}

func benchStart(ctx context.Context, runs int, out io.Writer) error {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	hello, libraries := filepath.Join(dir, "hello"), filepath.Join(dir, "libraries")
	for file, pkg := range map[string]string{hello: "wiretea/.ci/bench/hello", libraries: "wiretea/.ci/bench/libraries"} {
		if err := build(ctx, file, pkg); err != nil {
			return err
		}
	}
	ways := []*startWay{{name: "one line", argv: []string{hello}}, {name: "and the libraries", argv: []string{libraries}}, {name: "wiretea version", argv: []string{measured, "version"}}}
	for _, w := range ways {
		if err := readAnew(w.argv[0]); err != nil {
			return err
		}
	}
	for range runs {
		for _, w := range ways {
			if err := w.run(ctx); err != nil {
				return err
			}
		}
	}
	const millisecond = float64(time.Millisecond)
	least := quantile(ways[0].cpu, .5)
	for _, w := range ways {
		cpu := quantile(w.cpu, .5)
		fmt.Fprintf(out, "%-18s CPU %5.2f ms ×%5.2f   from start to end %5.2f ms   %4.0f page faults\n",
			w.name, cpu/millisecond, cpu/least, quantile(w.wall, .5)/millisecond, middle(w.faults))
	}
	return nil
}

// readAnew brings a file to the disk, takes it out of memory and reads it.
func readAnew(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if err := dropCache(path); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return err
}

// run runs the program once.
func (w *startWay) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, w.argv[0], w.argv[1:]...)
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w", w.name, err)
	}
	w.wall = append(w.wall, time.Since(begin))
	w.cpu = append(w.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		w.faults = append(w.faults, float64(usage.Minflt))
	}
	return nil
}
