package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/transport"
)

const (
	// recordBegin is when the record begins after the server was started: until then the
	// CPUs are the server's, and the tap keeps what passes.
	recordBegin = 20 * time.Millisecond

	// After the last byte was forwarded the end of the process waits recordStill for a
	// disk that does not answer, be it to a write or to the search for a place, and
	// recordEnd for a record that advances. On a machine with much other work, the recorder
	// gets no CPU for some of that. This is checked every recordCheck: no time passes while
	// the process is stopped.
	recordStill = time.Second
	recordEnd   = 3 * time.Second
	recordCheck = recordStill / 40

	// tidyAfter is when TeeConfig.Tidy runs: the server has had time to start.
	tidyAfter = time.Second

	// teeMemory is how much traffic waits to be recorded at most. From teeBulk on its
	// short frames are written together, so that the record catches up.
	teeMemory = 12 << 20
	teeBulk   = 6 << 20

	// teePatience is how long the traffic waits at teeMemory for a record that is behind.
	// On a machine with much other work to do, the recorder gets a part of a CPU that is
	// too small for a flood: without it, half of a million frames was not recorded.
	teePatience = 500 * time.Millisecond

	// teeNap is by how much the record may be late where traffic is dense.
	teeNap = 5 * time.Millisecond

	// teeProcs is how many goroutines run at once at least, whatever the number of
	// CPUs. A relay that returns from a system call and finds none free waits until
	// the recorder or the screen, which compute for long, are put aside: for 10 ms. So the system
	// shares the CPUs out, which puts first who has used less.
	teeProcs = 6
)

// A TeeConfig describes a Tee. Only Argv must be set.
type TeeConfig struct {
	Name   string   // Name is what the user calls the server; empty means that there is none.
	Argv   []string // Argv is the server's command.
	Record Record   // Record.File gets a number where it exists; None and Force do not apply.

	InPath InPath // InPath decides on the messages.

	// NoControl lets nobody act on the session through its socket.
	NoControl bool

	// Guard is the command that ends the server when this process is killed, see
	// transport.Tee.
	Guard []string

	// Warn words for the client's stderr why the session is not recorded in the place that
	// Record names; nil means that this is not said.
	Warn func(err error) string

	// Visible makes what is said of InPath visible for the client's stderr; nil means that it
	// is written as it is.
	Visible func(text string) string

	// Tidy runs once while the session goes on; nil means that nothing does.
	Tidy func()
}

// A Tee is a session between a real client, on our standard streams, and its server:
//
//	StartTee ─► Wait
//
// Whatever happens to the record, the traffic waits for it at most teePatience, and only
// at teeMemory.
type Tee struct {
	tee     *transport.Tee
	control *teeControl
	hold    *path.Interceptor // hold decides on the messages; nil = nothing does, and nobody can.
	record  *sideRecord
	tidy    *time.Timer
	unwatch context.CancelFunc // unwatch ends the watch of the policy; nil = there is none.
	telling chan struct{}      // telling is closed when the client has been told; nil = it is not told anything.
}

// StartTee begins the record and then the server. The error is a
// *transport.StartError if the server's command cannot be run.
func StartTee(cfg TeeConfig) (*Tee, error) {
	hdr := session.Header{
		Name: cfg.Name, Tool: recorder.ToolName, SID: newSID(), T0: time.Now(), Mode: "tee", Trans: "stdio", Cmd: cfg.Argv,
		Cwd: workingFolder(""), PPID: os.Getppid(), Limits: cfg.InPath.limits(),
	}
	tap := transport.NewTap(hdr.T0, transport.TapConfig{Limit: teeMemory, Lasting: true, BatchDelay: teeNap, Patience: teePatience})
	t := &Tee{tee: &transport.Tee{Command: transport.Command{Argv: cfg.Argv}, Tap: tap, Guard: cfg.Guard, Tells: cfg.Warn != nil}}
	if !cfg.NoControl || cfg.InPath.on() {
		t.hold = cfg.InPath.intercept(tap, &hdr, nil)
	}
	if !cfg.NoControl {
		t.control = newTeeControl(t.tee, t.hold)
	}
	if t.hold != nil {
		if t.tee.Gate == nil {
			t.tee.Gate = transport.NewGate(nil, 0)
		}
		t.hold.Guard(t.tee.Gate)
	}
	// The client waits for the server, and nobody for the record.
	err := t.tee.Start()
	note := t.hold.Recording(cfg.Record.unrecorded(&hdr, false, func(err error) { t.tell(cfg.Warn, err) }))
	t.record = recordBeside(tap, note, func() *recorder.Writer {
		settle()
		sink := cfg.Record.openBeside(&hdr, note)
		hdr.Sock = t.control.listen(cfg.Record.Dir, sink, &hdr)
		opt := besideOptions(tap, note)
		opt.Yield = true
		w := recorder.NewWriter(sink, hdr, opt)
		t.told() // A disk that is full has not taken the header.
		return w
	})
	if err != nil {
		t.record.end("error")
		t.control.end()
		return nil, err
	}
	t.control.begin()
	t.watch(cfg, tap)
	t.tidy = time.AfterFunc(tidyAfter, func() {
		if cfg.Tidy != nil {
			cfg.Tidy()
		}
		t.control.sweep()
	})
	return t, nil
}

// settle sets the runtime up for traffic and a record. A tee calls it once the server has
// started: until then it would compete with the server's start for the CPUs.
func settle() {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), teeProcs))
}

// watch has what decides follow its file.
func (t *Tee) watch(cfg TeeConfig, tap *transport.Tap) {
	if !cfg.InPath.on() {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	t.unwatch = stop
	go cfg.InPath.watch(ctx, func(text string) {
		if cfg.Visible != nil {
			text = cfg.Visible(text)
		}
		t.tee.Say("wiretea: " + text + "\n")
	}, only(tap))
}

// Wait waits for the end of the server, ends the record, and returns how the server
// exited.
func (t *Tee) Wait() transport.Exit {
	exit := t.tee.Wait()
	t.tidy.Stop()
	if t.unwatch != nil {
		t.unwatch()
	}
	switch {
	case exit.Signal != "":
		t.record.end("signal")
	case t.tee.Ended():
		t.record.end("eof")
	default:
		t.record.end("exit")
	}
	t.control.end()
	if t.hold != nil {
		t.hold.Close()
	}
	return exit
}

// tellWait is how long the record waits at most for what is written to the client.
const tellWait = 50 * time.Millisecond

// tell writes to the client's log why the session is not recorded.
func (t *Tee) tell(word func(error) string, err error) {
	if word == nil {
		return
	}
	t.telling = make(chan struct{})
	go func() {
		// It ends with the process where the client does not read.
		defer close(t.telling)
		t.tee.Tell(word(err) + "\n")
	}()
	select {
	case <-t.telling:
	case <-time.After(tellWait):
	}
}

// told gives the client's log back, unless something is still being told.
func (t *Tee) told() {
	if t.telling != nil {
		select {
		case <-t.telling:
		default:
			return
		}
	}
	t.tee.Told()
}

// NotRecorded says that a session is not recorded, or not to its end, and why.
func NotRecorded(err error) string {
	if errors.Is(err, recorder.ErrRest) {
		return "a part of this session is not recorded: " + err.Error()
	}
	return "this session is not recorded: " + err.Error()
}

// named reports whether the user named the place of the record.
func (o Record) named() bool { return o.File != "" || o.Dir != "" }

// unrecorded returns what notes, once, that the session is not recorded, or not to its
// end, and tells the user. Unless always is set, it tells only if the user named the place of
// the record, or if it could not be noted: a client's log is not for what wiretea does by
// itself. A nil error is not noted.
func (o Record) unrecorded(hdr *session.Header, always bool, tell func(error)) func(error) {
	noted := false
	return func(err error) {
		if err == nil || noted {
			return
		}
		noted = true
		known := recorder.NoteUnrecorded(recorder.Unrecorded{Time: time.Now(), Server: recorder.ShortName(hdr), Why: strings.ReplaceAll(err.Error(), "\n", "; ")})
		if always || o.named() || !known {
			tell(err)
		}
	}
}

// openBeside creates the place of a tee's record. Where there is none, nothing is
// kept, and note is told: the traffic is more important.
func (o Record) openBeside(hdr *session.Header, note func(error)) *recorder.Sink {
	var sink *recorder.Sink
	var err error
	if o.File != "" {
		sink, err = createBeside(o.File)
	} else {
		sink, err = o.begin(hdr)
	}
	if err != nil {
		note(err)
		sink = recorder.NewMemory(1)
	}
	sink.Unread()
	return sink
}

// createBeside creates a session file that a client's configuration names. Each start
// of the server creates it, so all but the first get a number. Its folder is created too:
// the client starts the tee, and nobody reads its errors. A pipe is used as it is.
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
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("creating the session's folder: %w", err)
	}
	for n := 2; ; n++ {
		sink, err := recorder.Create(file, false)
		if n > 1000 || !errors.Is(err, recorder.ErrExists) && !errors.Is(err, recorder.ErrBusy) {
			return sink, err
		}
		file = fmt.Sprintf("%s-%d%s", stem, n, ending)
	}
}

// A sideRecord is the record of a session whose traffic goes first.
type sideRecord struct {
	tap    *transport.Tap
	writer atomic.Pointer[recorder.Writer]
	why    atomic.Pointer[string] // why is the reason of the end; nil before it.
	asked  chan struct{}          // asked is closed by end.
	done   chan struct{}
}

// besideOptions are those of a record whose traffic goes first. Only that of a tee yields:
// the collector, which a proxy needs often, stops all threads, and would wait for one that
// the system lets run late.
func besideOptions(tap *transport.Tap, changed func(error)) recorder.Options {
	return recorder.Options{Now: tap.Now, Bulk: teeBulk, Changed: changed, Idle: func() {
		tap.Trim()
		debug.FreeOSMemory()
	}}
}

// recordBeside records what the tap sees, from recordBegin on. After a panic nothing more is
// recorded, and failed is told.
func recordBeside(tap *transport.Tap, failed func(error), begin func() *recorder.Writer) *sideRecord {
	b := &sideRecord{tap: tap, asked: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		defer func() { _ = recover() }() // To tell it may fail too.
		defer func() {
			if p := recover(); p != nil {
				tap.Close() // No memory is taken, and the traffic does not wait.
				failed(b.fault(p))
			}
		}()
		select {
		case <-b.asked:
		case <-time.After(recordBegin):
		}
		w := begin()
		b.writer.Store(w)
		b.expedite()
		_ = w.Run(tap)
	}()
	return b
}

// fault is the error of a panic while the session was recorded.
func (b *sideRecord) fault(p any) error {
	err := fmt.Errorf("internal error in the recorder: %v", p)
	if b.writer.Load() != nil {
		err = fmt.Errorf("%w: %w", recorder.ErrRest, err)
	}
	return err
}

// end closes the record. The backlog is written as long as the disk follows; a single
// call that hangs gets recordStill.
func (b *sideRecord) end(why string) {
	b.why.Store(&why)
	close(b.asked)
	b.expedite()
	b.tap.Close()
	asked, still := uint64(0), time.Duration(0)
	for waited := time.Duration(0); waited < recordEnd; waited += recordCheck {
		select {
		case <-b.done:
			return
		case <-time.After(recordCheck):
		}
		now := uint64(1)
		if w := b.writer.Load(); w != nil {
			now = w.Asked()
		}
		if now == 0 || now != asked {
			asked, still = now, 0
		} else if still += recordCheck; still >= recordStill {
			return
		}
	}
}

// expedite tells the writer, once there is one, that the session has ended.
func (b *sideRecord) expedite() {
	if w, why := b.writer.Load(), b.why.Load(); w != nil && why != nil {
		w.SetWhy(*why)
		w.Expedite()
	}
}
