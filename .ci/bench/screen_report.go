//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/recordertest"
)

// benchOptions are the flags of bench screen.
type benchOptions struct {
	file          string
	frames        int
	body          int64
	keys          int
	width, height int
	only          []string
	json          bool
	keep          string
}

func newBenchScreen() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "screen [flags]",
		Short: "measure the screen in a pseudo-terminal",
		Long: `Runs wiretea in a pseudo-terminal and measures what its user notices: how long the
first screen and a key take to show, at rest
and under load, and what the screen costs when nothing happens. Times are taken
where the program's output is read. Other work on the machine shows in them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := benchScreen(cmd.Context(), o, cmd.ErrOrStderr())
			switch {
			case report == nil:
			case o.json:
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				err = errors.Join(err, enc.Encode(report))
			default:
				err = errors.Join(err, report.write(cmd.OutOrStdout()))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "file", "", "session file to open (default: one made for it)")
	f.IntVar(&o.frames, "frames", 1_000_000, "how many frames the made file has")
	f.Int64Var(&o.body, "body", 100<<20, "length of the large body in bytes")
	f.IntVar(&o.keys, "keys", 200, "how many keys to press in each state")
	f.IntVar(&o.width, "width", 200, "columns")
	f.IntVar(&o.height, "height", 60, "rows")
	f.StringSliceVar(&o.only, "only", nil, "measure only what has one of these words in its name")
	f.StringVar(&o.keep, "dir", "", "keep the made files in this `FOLDER`, and use those that are there")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// A benchReport is what was measured, and on what.
type benchReport struct {
	CPUs     int         `json:"cpus"`
	Load     [2]string   `json:"load"` // Load is the machine's load before and after, as the system words it.
	Size     string      `json:"size"`
	Measures []benchLine `json:"measures"`
}

// A benchLine is one measurement. A single value is in P50.
type benchLine struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	N    int     `json:"n"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95,omitempty"`
	P99  float64 `json:"p99,omitempty"`
	Max  float64 `json:"max,omitempty"`
}

// times sums up durations, in milliseconds.
func times(name string, all []time.Duration) benchLine {
	if len(all) == 0 {
		return benchLine{Name: name, Unit: "ms"}
	}
	slices.Sort(all)
	at := func(q float64) float64 {
		return float64(all[min(len(all)-1, int(q*float64(len(all))))].Microseconds()) / 1000
	}
	return benchLine{Name: name, Unit: "ms", N: len(all), P50: at(.5), P95: at(.95), P99: at(.99), Max: at(1)}
}

func single(name, unit string, value float64) benchLine {
	return benchLine{Name: name, Unit: unit, N: 1, P50: value}
}

func (r *benchReport) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d CPUs, load %s before and %s after, %s cells\n\n", r.CPUs, r.Load[0], r.Load[1], r.Size)
	fmt.Fprintf(&b, "%-58s %9s %9s %9s %9s %6s\n", "", "p50", "p95", "p99", "max", "n")
	for _, m := range r.Measures {
		if m.N <= 1 {
			fmt.Fprintf(&b, "%-58s %9.2f %s\n", m.Name, m.P50, m.Unit)
			continue
		}
		fmt.Fprintf(&b, "%-58s %9.2f %9.2f %9.2f %9.2f %6d %s\n", m.Name, m.P50, m.P95, m.P99, m.Max, m.N, m.Unit)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// loadAverage is the system's word for how busy it is.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	return strings.Join(strings.Fields(string(text))[:1], "")
}

// benchFiles are the files that are opened.
type benchFiles struct {
	small, large, body string
	frames             int // frames in the large one.
}

// makeBenchFiles makes those that are not there.
func makeBenchFiles(dir string, o benchOptions) (benchFiles, error) {
	files := benchFiles{
		small: filepath.Join(dir, "small.mcpcap.jsonl"), large: o.file, frames: o.frames,
		body: filepath.Join(dir, fmt.Sprintf("body-%d.mcpcap.jsonl", o.body)),
	}
	if files.large == "" {
		files.large = filepath.Join(dir, fmt.Sprintf("large-%d.mcpcap.jsonl", o.frames))
	}
	err := makeFile(files.small, func(w io.Writer) error { return recordertest.Generate(w, recordertest.Options{Frames: 200, Seed: 1}) })
	if err == nil {
		err = makeFile(files.large, func(w io.Writer) error {
			return recordertest.Generate(w, recordertest.Options{Frames: o.frames, Seed: 1})
		})
	}
	if err == nil {
		err = makeFile(files.body, func(w io.Writer) error { return writeLargeBody(w, o.body) })
	}
	return files, err
}

// writeLargeBody writes a session in which one answer is about n bytes long.
func writeLargeBody(w io.Writer, n int64) error {
	const item = `{"type":"text","text":"the quick brown fox jumps over the lazy dog, again and again"}`
	const begin, end = `{"jsonrpc":"2.0","id":1,"result":{"content":[`, `{"type":"text","text":"the end"}]}}`
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"everything","arguments":{}}}`
	items := int(n / int64(len(item)+1))
	fmt.Fprintf(w, `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00000000000000000000000000000100","tool":"wiretea/bench","t0":"2026-11-20T10:00:00.000000000Z","mode":"run","tr":"stdio","cmd":["bench"]}`+"\n")
	fmt.Fprintf(w, `{"k":"proc","n":1,"t":1000,"ev":"start","pid":4711,"fds":["pipe","pipe","pipe"]}`+"\n")
	fmt.Fprintf(w, `{"k":"f","n":2,"t":2000,"d":"c2s","y":"q","id":"1","m":"tools/call","o":"everything","len":%d,"b":%s}`+"\n", len(ask), ask)
	// A recording has a long line in pieces of 1 MiB.
	number := 3
	piece := func(text string) error {
		quoted, err := json.Marshal(text)
		if err == nil {
			_, err = fmt.Fprintf(w, `{"k":"raw","n":%d,"t":%d,"d":"s2c","len":%d,"s":%s}`+"\n", number, 90000000+number, len(text), quoted)
		}
		number++
		return err
	}
	if err := piece(begin); err != nil {
		return err
	}
	part := strings.Repeat(item+",", 10_000)
	for left := items; left > 0; left -= 10_000 {
		if err := piece(part[:min(left, 10_000)*(len(item)+1)]); err != nil {
			return err
		}
	}
	if err := piece(end + "\n"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `{"k":"end","n":%d,"t":%d,"frames":2,"bytes":%d,"lost":0,"why":"eof"}`+"\n",
		number, 91000000+number, len(begin)+items*(len(item)+1)+len(end)+1+len(ask)+1)
	return err
}

func newBenchReport(o benchOptions) *benchReport {
	return &benchReport{CPUs: runtime.NumCPU(), Size: fmt.Sprintf("%d×%d", o.width, o.height), Load: [2]string{loadAverage(), ""}}
}

// makeFile writes a file unless it is there.
func makeFile(path string, write func(io.Writer) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("creating a file to measure with: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = errors.Join(write(w), w.Flush(), f.Close())
	if err != nil {
		os.Remove(path)
		return fmt.Errorf("making a file to measure with: %w", err)
	}
	return nil
}
