//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wiretea/ui/units"
)

// teeBenchOptions are the flags of bench tee.
type teeBenchOptions struct {
	part   string
	rounds int
	trips  int
	bytes  int64
	starts int
}

func newBenchTee() *cobra.Command {
	var o teeBenchOptions
	cmd := &cobra.Command{
		Use:   "tee [flags]",
		Short: "measure what a tee costs",
		Long: `Speaks to an echoing server directly, through a wrapper that only copies with
blocking reads and writes, through a tee that records, and through one with a
viewer attached, by turns. Ratios are to the wrapper. Other work on the machine
shows in the times.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch o.part {
			case "echo":
				copyRaw(0, 1)
				return nil
			case "wrapper":
				return copyWrapper(args)
			}
			return benchTee(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.part, "part", "", "be the echo or the wrapper")
	_ = f.MarkHidden("part")
	f.IntVar(&o.rounds, "rounds", 10, "how many turns each gets")
	f.IntVar(&o.trips, "trips", 1000, "round trips in a turn, at 200 bytes; a tenth and a hundredth of it at the other sizes, at least 20")
	f.Int64Var(&o.bytes, "bytes", 32<<20, "bytes in a turn of the flood")
	f.IntVar(&o.starts, "starts", 10, "how often each is started")
	return cmd
}

// copyRaw copies with blocking system calls until the end or an error.
func copyRaw(in, out int) {
	buf := make([]byte, 64<<10)
	for {
		n, err := syscall.Read(in, buf)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil || writeRaw(out, buf[:n]) != nil {
			return
		}
	}
}

func writeRaw(fd int, p []byte) error {
	for len(p) > 0 {
		n, err := syscall.Write(fd, p)
		if err != nil && err != syscall.EINTR {
			return err
		}
		p = p[max(n, 0):]
	}
	return nil
}

// copyWrapper is the least that stands between: it starts a server and copies.
func copyWrapper(argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	var ours, theirs [3]int
	for i := range 3 {
		var p [2]int
		if err := syscall.Pipe(p[:]); err != nil {
			return err
		}
		ours[i], theirs[i] = p[0], p[1]
		if i == 0 {
			ours[i], theirs[i] = p[1], p[0]
		}
		syscall.CloseOnExec(p[0])
		syscall.CloseOnExec(p[1])
	}
	stdin, stdout, stderr := os.NewFile(uintptr(theirs[0]), "0"), os.NewFile(uintptr(theirs[1]), "1"), os.NewFile(uintptr(theirs[2]), "2")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	err := errors.Join(stdin.Close(), stdout.Close(), stderr.Close())
	go func() {
		copyRaw(0, ours[0])
		_ = syscall.Close(ours[0])
	}()
	go copyRaw(ours[2], 2)
	copyRaw(ours[1], 1)
	return errors.Join(err, cmd.Wait())
}

// A teeWay is one way to the server, and what was measured on it.
type teeWay struct {
	name string
	argv []string
	file string // file is watched by a viewer where it is set.

	peer   *benchPeer
	trips  map[int][]time.Duration // by message size
	floods map[int][]float64       // messages a second
	starts []time.Duration
	rss    int64
}

// A benchPeer is a running process, and the other ends of its pipes.
type benchPeer struct {
	cmd     *exec.Cmd
	in, out int
	viewer  *exec.Cmd
}

func startBenchPeer(ctx context.Context, argv []string) (*benchPeer, error) {
	var in, out [2]int
	if err := errors.Join(syscall.Pipe(in[:]), syscall.Pipe(out[:])); err != nil {
		return nil, err
	}
	for _, fd := range append(in[:], out[:]...) {
		syscall.CloseOnExec(fd)
	}
	stdin, stdout := os.NewFile(uintptr(in[0]), "0"), os.NewFile(uintptr(out[1]), "1")
	defer stdin.Close()
	defer stdout.Close()
	p := &benchPeer{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), in: in[1], out: out[0]}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, os.Stderr
	return p, p.cmd.Start()
}

// read takes n bytes.
func (p *benchPeer) read(buf []byte, n int) error {
	for n > 0 {
		m, err := syscall.Read(p.out, buf[:min(n, len(buf))])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || m == 0 {
			return fmt.Errorf("reading the echo: %d bytes are missing: %w", n, errors.Join(err, io.ErrUnexpectedEOF))
		}
		n -= m
	}
	return nil
}

// exchange sends messages, count of them, and reads the echo at the same time.
func (p *benchPeer) exchange(message []byte, count int, buf []byte) error {
	if count == 1 && len(message) <= 32<<10 {
		return errors.Join(writeRaw(p.in, message), p.read(buf, len(message)))
	}
	var sent error
	var work sync.WaitGroup
	work.Go(func() {
		for range count {
			if sent = writeRaw(p.in, message); sent != nil {
				return
			}
		}
	})
	err := p.read(buf, count*len(message))
	work.Wait()
	return errors.Join(sent, err)
}

func (p *benchPeer) stop() error {
	err := errors.Join(syscall.Close(p.in), p.cmd.Wait(), syscall.Close(p.out))
	if p.viewer != nil {
		// It has the rest to read, which is no part of what is measured.
		err = errors.Join(err, p.viewer.Process.Kill())
		_ = p.viewer.Wait()
	}
	return err
}

// benchMessage is a line of that length.
func benchMessage(size int) []byte {
	const head, tail = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"`, "\"}}}\n"
	return []byte(head + strings.Repeat("x", size-len(head)-len(tail)) + tail)
}

var teeBenchSizes = []int{200, 10 << 10, 1 << 20}

// benchTee measures and prints.
func benchTee(ctx context.Context, o teeBenchOptions, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own binary: %w", err)
	}
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	load := loadAverage()
	echo := []string{self, "bench", "tee", "--part", "echo"}
	tee := func(name string) ([]string, string) {
		file := filepath.Join(dir, name+".mcpcap.jsonl")
		return append([]string{self, "tee", "--record", file, "--"}, echo...), file
	}
	ways := []*teeWay{{name: "direct", argv: echo}, {name: "wrapper", argv: append([]string{self, "bench", "tee", "--part", "wrapper", "--"}, echo...)}, {name: "tee"}, {name: "tee + viewer"}}
	ways[2].argv, _ = tee("alone")
	ways[3].argv, ways[3].file = tee("watched")
	if err := benchStarts(ctx, o, ways[:3]); err != nil {
		return err
	}
	for _, w := range ways {
		w.trips, w.floods = map[int][]time.Duration{}, map[int][]float64{}
		if err := w.begin(ctx, self); err != nil {
			return err
		}
	}
	for range o.rounds {
		for _, size := range teeBenchSizes {
			for _, w := range ways {
				if err := errors.Join(w.roundTrips(o, size), w.flood(o, size), ctx.Err()); err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
			}
		}
	}
	for _, w := range ways {
		w.rss = peakMemory(w.peer.cmd.Process.Pid)
		if err := w.peer.stop(); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return writeTeeBench(out, ways, load)
}

// begin starts the process, and the viewer once it answers.
func (w *teeWay) begin(ctx context.Context, self string) (err error) {
	if w.peer, err = startBenchPeer(ctx, w.argv); err != nil {
		return err
	}
	message := benchMessage(teeBenchSizes[0])
	if err := w.peer.exchange(message, 1, make([]byte, len(message))); err != nil || w.file == "" {
		return err
	}
	w.peer.viewer = exec.CommandContext(ctx, self, "attach", "--plain", w.file)
	return w.peer.viewer.Start()
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

func (w *teeWay) roundTrips(o teeBenchOptions, size int) error {
	message, buf := benchMessage(size), make([]byte, 1<<20)
	n := o.trips
	switch {
	case size > 100<<10:
		n = max(o.trips/100, 20)
	case size > 1<<10:
		n = max(o.trips/10, 20)
	}
	for i := range n + n/10 + 1 {
		begin := time.Now()
		if err := w.peer.exchange(message, 1, buf); err != nil {
			return err
		}
		if i > n/10 { // the first ones are for warming up
			w.trips[size] = append(w.trips[size], time.Since(begin))
		}
	}
	return nil
}

func (w *teeWay) flood(o teeBenchOptions, size int) error {
	message, buf := benchMessage(size), make([]byte, 1<<20)
	// Small messages take longer by the byte.
	n := max(int(o.bytes/int64(size)), 1)
	if size <= 1<<10 {
		n = max(n/4, 1)
	}
	begin := time.Now()
	if err := w.peer.exchange(message, n, buf); err != nil {
		return err
	}
	w.floods[size] = append(w.floods[size], float64(n)/time.Since(begin).Seconds())
	return nil
}

// peakMemory is the most memory a process took so far, in bytes; 0 where the
// system does not tell.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	words := strings.Fields(string(rest[:min(len(rest), 40)]))
	if len(words) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

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
			row(fmt.Sprintf("round trip %s, %s", units.Size(int64(size)), q.name), func(w *teeWay) float64 { return quantile(w.trips[size], q.q) }, micros)
		}
	}
	for _, size := range teeBenchSizes {
		row(fmt.Sprintf("flood %s, messages/s", units.Size(int64(size))), func(w *teeWay) float64 { return middle(w.floods[size]) },
			func(v float64) string { return fmt.Sprintf("%.0f", v) })
	}
	row("first answer, p50", func(w *teeWay) float64 { return quantile(w.starts, .5) }, micros)
	row("peak memory", func(w *teeWay) float64 { return float64(w.rss) }, func(v float64) string { return units.Size(int64(v)) })
	_, err := io.WriteString(out, b.String())
	return err
}

// quantile is in nanoseconds, 0 where nothing was measured.
func quantile(all []time.Duration, q float64) float64 {
	if len(all) == 0 {
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
