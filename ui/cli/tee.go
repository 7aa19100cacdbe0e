package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/transport"
	"wiretea/ui/cli/term"
)

const (
	// recordBegin is how long the server's start waits for the session file.
	recordBegin = 100 * time.Millisecond

	// recordStill is how long our end waits for a disk that does not answer, after the
	// last byte was forwarded, recordPlace for one that gives no place to record, and
	// recordEnd for a record that goes on. It is looked at every recordLook: while we
	// are stopped, no time passes.
	recordStill = 250 * time.Millisecond
	recordPlace = time.Second
	recordEnd   = 3 * time.Second
	recordLook  = recordStill / 10

	// pruneAfter is when the sessions folder is brought within its limits: once
	// the server has had the time to start.
	pruneAfter = time.Second

	// teeMemory is how much of the traffic waits to be recorded at most, and
	// teeBulk from how much on its short frames are written together, so that the
	// record catches up.
	teeMemory = 64 << 20
	teeBulk   = 8 << 20

	// teeNap is by how much the record may be late where there is dense traffic.
	teeNap = 5 * time.Millisecond

	// teeProcs is how many goroutines run at once at least, whatever the number of
	// CPUs. A relay that returns from a system call and finds none free waits until
	// the recorder, which computes for long, is put aside: for 10 ms. So the system
	// shares the CPUs out, which puts first who has used less.
	teeProcs = 6

	// teeGarbage is the collector's percentage: most memory is reused, and the
	// little that is not shall not double.
	teeGarbage = 20
)

// teeOptions are the flags of tee.
type teeOptions struct {
	name      string
	noControl bool // noControl lets nobody act on the session.
	record    recordOptions
}

func newTee() *cobra.Command {
	var o teeOptions
	cmd := &cobra.Command{
		Use:   "tee [flags] -- CMD [ARGS…]",
		Short: "stand between a client and its server, and record",
		Long: `What a client's configuration calls in place of the server. Starts the server and
carries every byte between it and the client, unchanged and at once, in both
directions and stderr. Whatever passes is recorded beside that; wiretea attach
shows it live.

Nothing else is written to stdout or stderr, unless the server cannot be started.
Signals go to the server, and its exit code or signal becomes that of tee.`,
		Example: `  wiretea tee -- npx -y @modelcontextprotocol/server-everything
  wiretea tee --ring size=64MiB,files=8 -- ./server
  {"mcpServers": {"files": {"command": "wiretea", "args": ["tee", "--name", "files", "--", "./server"]}}}`,
		Args: serverArgs,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.name, "name", "", "what you call the server; its session files have it in their name")
	f.StringVar(&o.record.file, "record", "", "record the session to `FILE`, or beside it where it is taken, or into a pipe: a FIFO, /dev/fd/3")
	f.BoolVar(&o.noControl, "no-control", false, "let nobody act on the session, only watch it")
	o.record.folderFlags(cmd)
	o.record.ringFlag(cmd)
	return cmd
}

// run is the whole of tee. It returns only when the server cannot be started, else
// the process ends as the server did.
func (o *teeOptions) run(argv []string) error {
	hdr := session.Header{
		Name: o.name, Tool: recorder.ToolName, SID: newSID(), T0: time.Now(), Mode: "tee", Trans: "stdio", Cmd: argv,
		Cwd: workingFolder(""), PPID: os.Getppid(), Limits: session.DefaultLimits(),
	}
	debug.SetGCPercent(teeGarbage)
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), teeProcs))
	clock := transport.NewClock(hdr.T0)
	tap := transport.NewTap(clock, transport.TapConfig{Limit: teeMemory, Nap: teeNap})
	tee := &transport.Tee{Command: transport.Command{Argv: argv}, Tap: tap, Guard: []string{"wiretea", teeGuard}}
	control := o.control(tee)
	side := recordBeside(tap, func() *recorder.Writer {
		sink := o.sink(&hdr)
		hdr.Sock = control.listen(&o.record, sink, &hdr)
		return recorder.NewWriter(sink, hdr, recorder.Options{Now: clock.Now, Bulk: teeBulk, Ring: o.record.ring})
	})
	if err := tee.Start(); err != nil {
		control.end()
		side.end("error")
		return teeFailure(err)
	}
	control.begin()
	tidy := time.AfterFunc(pruneAfter, func() {
		o.record.prune(io.Discard)
		control.sweep()
	})
	exit := tee.Wait()
	tidy.Stop()
	control.end()
	switch {
	case exit.Signal != "":
		side.end("signal")
	case tee.Ended():
		side.end("eof")
	default:
		side.end("exit")
	}
	exit.Quit()
	return nil
}

// control lets viewers act on the session, unless the user says no.
func (o *teeOptions) control(tee *transport.Tee) *teeControl {
	if o.noControl {
		return nil
	}
	return newTeeControl(tee)
}

// teeFailure words why there is no server. The exit code is that of a shell.
func teeFailure(err error) error {
	var notStarted *transport.StartError
	if errors.As(err, &notStarted) {
		return &term.Failure{Code: notStarted.Code, Hint: notStarted.Hint, Err: fmt.Errorf("starting %q: %s", notStarted.Name, notStarted.Why)}
	}
	return &term.Failure{Code: 126, Err: fmt.Errorf("starting the server: %w", err)}
}

// sink finds a place for the record. Where there is none, nothing is kept: the
// traffic is more important, and there is nobody to tell.
func (o *teeOptions) sink(hdr *session.Header) *recorder.Sink {
	var sink *recorder.Sink
	var err error
	if o.record.file != "" {
		sink, err = createBeside(o.record.file)
	} else {
		var dir string
		if dir, err = recorder.SessionsFolder(o.record.dir); err == nil {
			sink, err = recorder.Begin(dir, hdr)
		}
	}
	if err != nil {
		sink = recorder.NewMemory(1)
	}
	sink.Unread()
	return sink
}

// createBeside creates a session file that a client's configuration names: every
// start of the server wants it, so all but the first get a number. A pipe is taken
// as it is.
func createBeside(file string) (*recorder.Sink, error) {
	if sink, err := recorder.OpenStream(file); sink != nil || err != nil {
		return sink, err
	}
	// A client waits for the end of the tee, and must not wait for the packing.
	file = strings.TrimSuffix(file, recorder.Packed(file))
	stem, ending := file, ""
	if s, ok := strings.CutSuffix(file, recorder.Suffix); ok {
		stem, ending = s, recorder.Suffix
	}
	for n := 2; ; n++ {
		sink, err := recorder.Create(file, false)
		if n > 1000 || !errors.Is(err, recorder.ErrExists) && !errors.Is(err, recorder.ErrBusy) {
			return sink, err
		}
		file = fmt.Sprintf("%s-%d%s", stem, n, ending)
	}
}

// A besides is the record of a session beside its traffic: whatever happens here,
// the traffic does not wait.
type besides struct {
	tap    *transport.Tap
	writer atomic.Pointer[recorder.Writer]
	why    atomic.Pointer[string] // why it ends, nil = it does not yet.
	done   chan struct{}
}

// recordBeside begins to record what the tap sees. It waits a short time for the
// place: a disk that does not answer at all is not waited for.
func recordBeside(tap *transport.Tap, begin func() *recorder.Writer) *besides {
	b := &besides{tap: tap, done: make(chan struct{})}
	begun := make(chan struct{})
	go func() {
		defer close(b.done)
		// After a fault of ours nothing more is kept, and no memory taken.
		defer tap.Close()
		defer func() { _ = recover() }()
		w := begin()
		b.writer.Store(w)
		b.hurry()
		close(begun)
		_ = w.Run(tap)
	}()
	select {
	case <-begun:
	case <-b.done:
	case <-time.After(recordBegin):
	}
	return b
}

// end closes the record. What waits is written, for as long as the disk follows: one
// that hangs in a single call gets recordStill.
func (b *besides) end(why string) {
	b.why.Store(&why)
	b.hurry()
	b.tap.Close()
	asked, still := uint64(0), time.Duration(0)
	for looked := time.Duration(0); looked < recordEnd; looked += recordLook {
		select {
		case <-b.done:
			return
		case <-time.After(recordLook):
		}
		now, limit := uint64(1), recordPlace
		if w := b.writer.Load(); w != nil {
			now, limit = w.Asked(), recordStill
		}
		if now == 0 || now != asked {
			asked, still = now, 0
		} else if still += recordLook; still >= limit {
			return
		}
	}
}

// hurry tells the writer, once there is one, that the end has come.
func (b *besides) hurry() {
	if w, why := b.writer.Load(), b.why.Load(); w != nil && why != nil {
		w.SetWhy(*why)
		w.Expedite()
	}
}

// teeGuard is the word under which a tee starts this program as its guard.
const teeGuard = "tee-guard"

// guardTee is that program. Its stderr leads nowhere, but for people who start it.
func guardTee(args []string) int {
	code := transport.Guard(args)
	if code == term.ExitUsage {
		fmt.Fprintln(os.Stderr, "wiretea: tee-guard is started by tee, and by nobody else")
	}
	return code
}
