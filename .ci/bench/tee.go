//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"wiretea/.ci/bench/rawio"
	"wiretea/ui/termtest"
)

// teeBenchOptions are the flags of bench tee.
type teeBenchOptions struct {
	cpus   int
	rounds int
	trips  int
	bytes  int64
	starts int
	unseen bool // unseen: the runtimes of the client, the server and the wrappers do not know of their system calls.
}

func newBenchTee() *cobra.Command {
	var o teeBenchOptions
	cmd := &cobra.Command{
		Use:   "tee [flags]",
		Short: "measure what a tee costs",
		Long: `Speaks to an echoing server directly, through a wrapper that only copies with
blocking reads and writes, through one that appends the bare bytes to a file too,
which is the least that any record costs, through a tee that records, and through
one with a viewer attached, by turns: on all CPUs, then on one. Ratios are to the
first wrapper. Each turn begins when the record of the one before is complete; how
long that took after a flood is measured too. Between rounds all of it is brought to
the disk and out of memory. The programs are read from the disk before, as in bench
start. All of it is measured twice: the second time the client,
the server and the wrappers do their reads and writes as a program in C does, without
the work of Go's runtime around each: round trips take less, and what a tee adds to the
longest ones shows more. Where processes are put on the CPUs by chance, round trips take one of two
times: short turns even that out. Other work on the machine shows in the times.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVar(&o.cpus, "cpus", 0, "on how many CPUs, all or 1 (default: on all, then on one)")
	f.BoolVar(&o.unseen, "unseen", false, "with --cpus: measure with a client, a server and wrappers as in C")
	f.IntVar(&o.rounds, "rounds", 10, "how many rounds there are")
	f.IntVar(&o.trips, "trips", 4000, "round trips in a round, at 200 bytes; a quarter and a fiftieth of it at the other sizes")
	f.Int64Var(&o.bytes, "bytes", 32<<20, "bytes in a flood")
	f.IntVar(&o.starts, "starts", 10, "how often each is started")
	return cmd
}

// run measures on as many CPUs as was asked for.
func (o teeBenchOptions) run(ctx context.Context, out io.Writer) error {
	type part struct {
		cpus   int
		unseen bool
	}
	all := runtime.NumCPU()
	switch {
	case o.cpus <= 1 && all > 1:
		parts := []part{{all, false}, {all, true}, {1, false}, {1, true}}
		if o.cpus == 1 {
			parts = []part{{1, o.unseen}}
		}
		for _, part := range parts {
			args := []string{"tee", "--cpus", strconv.Itoa(part.cpus), "--unseen=" + strconv.FormatBool(part.unseen), "--rounds", strconv.Itoa(o.rounds),
				"--trips", strconv.Itoa(o.trips), "--bytes", strconv.FormatInt(o.bytes, 10), "--starts", strconv.Itoa(o.starts)}
			if err := apart(ctx, part.cpus, out, args...); err != nil {
				return err
			}
			fmt.Fprintln(out)
		}
		return nil
	case o.cpus > 1 && o.cpus != all:
		return fmt.Errorf("there are %d CPUs: --cpus takes that, or 1", all)
	}
	if o.unseen {
		rawio.Unsee()
		runtime.LockOSThread()
		fmt.Fprintln(out, "client, server and wrappers without Go's runtime around their system calls")
	}
	return benchTee(ctx, o, out)
}

// apart runs a bench in a process of its own, which is bound to one CPU if that is all it may
// have, with all it starts.
func apart(ctx context.Context, cpus int, out io.Writer, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own binary: %w", err)
	}
	argv := append([]string{self, "--binary", measured}, args...)
	if cpus == 1 {
		argv = append([]string{"taskset", "-c", "0"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("measuring on %d CPUs: %w", cpus, err)
	}
	return nil
}

// A teeWay is one way to the server, and what was measured on it.
type teeWay struct {
	name    string
	argv    []string
	file    string // file is the recording, empty where there is none.
	copies  string // copies is where the bare bytes go, empty where they do not.
	watched bool

	peer   *benchPeer
	sent   int64                   // sent counts messages.
	trips  map[int][]time.Duration // by message size
	floods map[int][]float64       // messages a second
	behind map[int][]time.Duration // behind is for how long the record went on after a flood.
	starts []time.Duration
	rss    int64
	cpu    time.Duration
	frames int64 // frames are those that were recorded, in both directions.
	lost   int64 // lost counts the bytes that were not.
}

// benchMessage is a line of that length.
func benchMessage(size int) []byte {
	const head, tail = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"`, "\"}}}\n"
	return []byte(head + strings.Repeat("x", size-len(head)-len(tail)) + tail)
}

var teeBenchSizes = []int{200, 10 << 10, 1 << 20}

// benchTee measures and prints.
func benchTee(ctx context.Context, o teeBenchOptions, out io.Writer) error {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	peer := filepath.Join(dir, "peer")
	if err := build(ctx, peer, "wiretea/.ci/bench/peer"); err != nil {
		return err
	}
	for _, file := range []string{peer, measured} {
		if err := readAnew(file); err != nil {
			return err
		}
	}
	load := loadAverage()
	ways := teeWays(peer, dir, o.unseen)
	if err := benchStarts(ctx, o, slices.DeleteFunc(slices.Clone(ways), func(w *teeWay) bool { return w.watched || w.copies != "" })); err != nil {
		return err
	}
	for _, w := range ways {
		w.trips, w.floods, w.behind = map[int][]time.Duration{}, map[int][]float64{}, map[int][]time.Duration{}
		if err := w.begin(ctx); err != nil {
			return err
		}
	}
	for range o.rounds {
		if err := freshDisk(ways); err != nil {
			return err
		}
		for _, size := range teeBenchSizes {
			if err := benchRound(ctx, o, ways, size); err != nil {
				return err
			}
		}
	}
	for _, w := range ways {
		if err := w.end(); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return writeTeeBench(out, ways, load)
}

// freshDisk brings what was written to the disk, and out of memory. The system makes
// whoever writes wait once too much of it is not on the disk.
func freshDisk(ways []*teeWay) error {
	unix.Sync()
	for _, w := range ways {
		if err := dropCache(cmp.Or(w.file, w.copies)); err != nil {
			return err
		}
	}
	return nil
}

// tripTurns is in how many turns the round trips of a round are made.
const tripTurns = 5

// benchRound has each way make its round trips, in short turns, and then a flood.
func benchRound(ctx context.Context, o teeBenchOptions, ways []*teeWay, size int) error {
	for i := range tripTurns + 1 {
		for _, w := range ways {
			measure := w.roundTrips
			if i == tripTurns {
				measure = w.flood
			}
			if err := w.turn(func() error { return measure(ctx, o, size) }); err != nil || ctx.Err() != nil {
				return fmt.Errorf("%s: %w", w.name, errors.Join(err, ctx.Err()))
			}
		}
	}
	return nil
}

func teeWays(peer, dir string, unseen bool) []*teeWay {
	program := []string{peer}
	if unseen {
		program = append(program, "-unseen")
	}
	program = slices.Clip(program)
	echo := append(program, "echo")
	tee := func(name, file string, watched bool) *teeWay {
		file = filepath.Join(dir, file+".mcpcap.jsonl")
		return &teeWay{name: name, file: file, watched: watched, argv: append([]string{measured, "tee", "--record", file, "--"}, echo...)}
	}
	copies := filepath.Join(dir, "copies")
	return []*teeWay{
		{name: "direct", argv: echo},
		{name: "wrapper", argv: append(append(program, "wrapper"), echo...)},
		{name: "wrapper + file", copies: copies, argv: append(append(program, "wrapper", "-copies", copies), echo...)},
		tee("tee", "alone", false),
		tee("tee + viewer", "watched", true),
	}
}

// begin starts the process, and the viewer once it answers.
func (w *teeWay) begin(ctx context.Context) (err error) {
	// The measured starts have recorded too.
	if err := os.RemoveAll(w.file); err != nil {
		return err
	}
	if w.peer, err = startBenchPeer(ctx, w.argv); err != nil {
		return err
	}
	message := benchMessage(teeBenchSizes[0])
	if err := w.exchange(message, 1, make([]byte, len(message))); err != nil {
		return err
	}
	if _, err := w.settle(ctx); err != nil || !w.watched {
		return err
	}
	w.peer.viewer = exec.CommandContext(ctx, measured, "attach", "--plain", w.file)
	return w.peer.viewer.Start()
}

// end ends the process and looks at what it has used, and recorded.
func (w *teeWay) end() error {
	_, w.rss = termtest.ProcessMemory(w.peer.cmd.Process.Pid)
	err := w.peer.stop()
	state := w.peer.cmd.ProcessState
	w.cpu = state.UserTime() + state.SystemTime() // with the server's, which was waited for
	if err != nil || w.file == "" {
		return err
	}
	w.frames, w.lost, err = recordedFrames(w.file)
	return err
}

// turn measures once. The viewer runs meanwhile only: what it has still to look at
// would be in the way of others.
func (w *teeWay) turn(measure func() error) error {
	if v := w.peer.viewer; v != nil {
		if err := v.Process.Signal(syscall.SIGCONT); err != nil {
			return err
		}
		defer func() { _ = v.Process.Signal(syscall.SIGSTOP) }() // it is killed in the end
	}
	return measure()
}

func (w *teeWay) exchange(message []byte, count int, buf []byte) error {
	w.sent += int64(count)
	return w.peer.exchange(message, count, buf)
}

// settleLimit is how long a record may take to begin.
const settleLimit = 10 * time.Second

// settle waits until the record has begun and is complete, and returns when that was the
// case. Nothing tells but that it does not grow any more. A tee begins its record some time
// after it has started the server.
func (w *teeWay) settle(ctx context.Context) (time.Time, error) {
	if w.file == "" {
		return time.Now(), nil
	}
	const quiet = 40 * time.Millisecond
	begun := time.Now()
	last, since := int64(-1), begun
	for (last < 0 || time.Since(since) < quiet) && ctx.Err() == nil {
		info, err := os.Stat(w.file)
		if errors.Is(err, fs.ErrNotExist) && last < 0 && time.Since(begun) < settleLimit {
			// It has not begun.
		} else if err != nil {
			return since, err
		} else if info.Size() != last {
			last, since = info.Size(), time.Now()
		}
		time.Sleep(quiet / 20)
	}
	return since, ctx.Err()
}

// benchStarts takes the time from the start of each to its first answer.
func benchStarts(ctx context.Context, o teeBenchOptions, ways []*teeWay) error {
	message := benchMessage(teeBenchSizes[0])
	buf := make([]byte, len(message))
	for range o.starts {
		for _, w := range ways {
			begin := time.Now()
			p, err := startBenchPeer(ctx, w.argv)
			if err != nil {
				return err
			}
			if err := p.exchange(message, 1, buf); err != nil {
				return err
			}
			w.starts = append(w.starts, time.Since(begin))
			if err := p.stop(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *teeWay) roundTrips(ctx context.Context, o teeBenchOptions, size int) error {
	message, buf := benchMessage(size), make([]byte, 1<<20)
	n := o.trips
	switch {
	case size > 100<<10:
		n = max(o.trips/50, 20)
	case size > 1<<10:
		n = max(o.trips/4, 20)
	}
	n = max(n/tripTurns, 1)
	warm := n/2 + 1
	for i := range warm + n {
		begin := time.Now()
		if err := w.exchange(message, 1, buf); err != nil {
			return err
		}
		if i >= warm {
			w.trips[size] = append(w.trips[size], time.Since(begin))
		}
	}
	_, err := w.settle(ctx)
	return err
}

func (w *teeWay) flood(ctx context.Context, o teeBenchOptions, size int) error {
	message, buf := benchMessage(size), make([]byte, 1<<20)
	// Small messages take longer by the byte.
	n := max(int(o.bytes/int64(size)), 1)
	if size <= 1<<10 {
		n = max(n/4, 1)
	}
	begin := time.Now()
	if err := w.exchange(message, n, buf); err != nil {
		return err
	}
	end := time.Now()
	w.floods[size] = append(w.floods[size], float64(n)/end.Sub(begin).Seconds())
	if w.file == "" {
		return nil
	}
	settled, err := w.settle(ctx)
	w.behind[size] = append(w.behind[size], max(settled.Sub(end), 0))
	return err
}
