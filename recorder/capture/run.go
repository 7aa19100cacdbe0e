package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/client"
	"wiretea/session/transport"
)

// A Config describes a Run. Only Server must be set.
type Config struct {
	Name     string         // Name is what the user calls the server; empty means that there is none.
	Server   Server         // Server is connected to by Connect, Dial, Open and Start.
	Client   client.Config  // Client is the client of Connect.
	LogLevel string         // LogLevel is asked for after each handshake of Connect; empty means that none is.
	Limits   session.Limits // Limits are what the session is judged by.
	As       []string       // As are the flags that make wiretea this client again; nil means the default one.
	Record   Record

	InPath InPath // InPath decides on the messages.

	// Intercepts says that Intercept may be called. A Process needs it not.
	Intercepts bool

	// Moved is called from one goroutine when the analysis has advanced; nil means
	// that nothing is.
	Moved func(*session.Snapshot, recorder.Log)

	// Wake is notified when the analysis has advanced; nil means a new one.
	Wake Wake

	// Meanwhile needs no server and runs once, in a goroutine of its own, while the
	// first server starts. Nil means that nothing does.
	Meanwhile func() error

	// Patience is for how long, on each connection, the time limits of a handshake
	// stand still while a package manager fetches or builds the server; 0 = not at all.
	// Held is told of it; nil = nobody is.
	Patience time.Duration
	Held     func(on bool)

	// Slow is told of a request that waits, after 3 s and each time that has doubled;
	// nil = nobody is. It is called from one goroutine.
	Slow func(Wait)

	// Warn takes lines that the user must see at once; nil discards them.
	Warn io.Writer
}

// A Run is a session between our own client and a server that this process starts:
//
//	New ─► Connect, Dial, Open or Start ─► Send, Cancel, Restart … ─► Close ─► Release
//
// It owns the connection and the goroutines of the recorder and of the analysis,
// and ends them in Close. Its methods may be called from any goroutine.
type Run struct {
	cfg      Config
	tap      *transport.Tap
	sink     *recorder.Sink
	writer   *recorder.Writer
	began    time.Time // began is the time 0 of the session.
	analyzer *session.Analyzer
	giveUp   context.CancelFunc // giveUp stops the analysis where it is.
	leave    context.CancelFunc // leave ends attend.
	socket   socket             // socket has the interceptor, which is nil where nothing can decide on messages.
	goOn     func()             // goOn ends what keeps has begun; nil = nothing. The interceptor calls keeps once at a time.
	launcher text               // launcher is Launcher.
	pulls    text               // pulls is the container program that fetches the server's image; empty = none does.

	work   sync.WaitGroup
	ending sync.Once
	endErr error // endErr is set in ending.
	tried  sync.Once
	ready  chan struct{} // ready is closed after the first Connect, and by Close.
	acting sync.Mutex    // acting is held while the connection changes.

	mu     sync.Mutex              // mu guards what follows.
	conn   Conn                    // conn is the latest connection; nil before the first.
	frames client.Framing          // frames is the framing of opened; it changes while acting is held.
	abort  context.CancelCauseFunc // abort ends a handshake; nil means that there is none.
	opened *client.Client          // opened speaks on conn; nil means that the caller does.
	client *client.Client          // client is opened after its handshake; nil means that there was none.
	level  string                  // level is the log level for this and the next connection.
	closed bool
	faults []error // faults are errors of ours, not of the server.
}

// New begins a session and its record. A server is started by Connect, Dial, Open
// or Start. The session must be closed also when none could be started: the record
// says why. The error is a *FileError if Record.File cannot be created.
func New(cfg Config) (*Run, error) {
	if cfg.Warn == nil {
		cfg.Warn = io.Discard
	}
	if cfg.Wake == nil {
		cfg.Wake = NewWake()
	}
	hdr := session.Header{
		Name: cfg.Name, Tool: recorder.ToolName, SID: newSID(), T0: time.Now(), Mode: "run",
		As: cfg.As, PPID: os.Getppid(), Limits: cfg.Limits,
	}
	cfg.Server.Describe(&hdr)
	if remote, ok := cfg.Server.(*Remote); ok {
		remote.warnTo(cfg.Warn)
	}
	sink, err := cfg.Record.open(&hdr, cfg.Warn)
	if err != nil {
		return nil, err
	}
	r := &Run{
		cfg: cfg, sink: sink, level: cfg.LogLevel, ready: make(chan struct{}), began: hdr.T0,
	}
	r.analyzer = session.NewAnalyzer(session.Config{Checkers: append(check.New(), &greeter{run: r})})
	settle() // The relay would wait for what the screen computes.
	r.tap = transport.NewTap(hdr.T0, transport.TapConfig{})
	switch server := cfg.Server.(type) {
	case *Process:
		r.socket.interceptor = cfg.InPath.intercept(r.tap, &hdr, r.keeps)
		server.guard = r.socket.interceptor.Guard
	case *Remote:
		if cfg.Intercepts || cfg.InPath.on() {
			r.socket.interceptor = cfg.InPath.intercept(r.tap, &hdr, r.keeps)
			server.remote.Judge(r.socket.interceptor)
		}
	}
	if cfg.InPath.Policy != nil {
		hdr.Sock = r.socket.listen(cfg.Record.Dir, sink, &hdr) // The policy may ask people, in another shell too.
	}
	r.writer = recorder.NewWriter(sink, hdr, recorder.Options{Now: r.tap.Now, Changed: r.socket.interceptor.Recording(r.placeChanged)})
	judging, giveUp := context.WithCancel(context.Background())
	r.giveUp = giveUp
	r.guard("recorder", r.record)
	follower := recorder.Follower{Log: sink, Analyzer: r.analyzer, Now: r.tap.Now, Moved: cfg.Wake.Notify}
	if cfg.Moved != nil {
		follower.Moved = func() {
			cfg.Moved(r.analyzer.Snapshot(), sink)
			cfg.Wake.Notify()
		}
	}
	attending, leave := context.WithCancel(context.Background())
	r.leave = leave
	if r.socket.interceptor != nil {
		cfg.InPath.watch(attending, func(text string) { fmt.Fprintln(cfg.Warn, "wiretea: "+text) }, only(r.tap))
	}
	r.guard("watch over waits", func() error {
		r.attend(attending)
		return nil
	})
	r.guard("analysis", func() error {
		err := follower.Run(judging)
		if judging.Err() != nil {
			return errUnjudged
		}
		return err
	})
	return r, nil
}

// errUnjudged is returned by Close when the session was stopped and there was more
// traffic than could be analysed in the time that leaves.
var errUnjudged = errors.New("stopped before all of the traffic was judged; what is recorded is whole")

// guard runs a part of the session in a goroutine that Close waits for. A panic
// there is a fault of ours: the user is told, and the traffic goes on.
func (r *Run) guard(name string, part func() error) {
	r.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				r.fault(fmt.Errorf("%s: internal error: %v\n%s", name, p, debug.Stack()))
				fmt.Fprintf(r.cfg.Warn, "wiretea: internal error in the %s: %v\n", name, p)
			}
		}()
		if err := part(); err != nil {
			r.fault(fmt.Errorf("%s: %w", name, err))
		}
	})
}

// record writes the record. After a panic nothing more is recorded, and on_error of the policy
// decides.
func (r *Run) record() error {
	recorded := false
	defer func() {
		if !recorded {
			r.socket.interceptor.Recording(nil)(errors.New("internal error in the recorder"))
			r.tap.Close() // No memory is taken.
			r.giveUp()    // It would wait for the end of the record.
		}
	}()
	err := r.writer.Run(r.tap)
	recorded = true
	return err
}

// keeps stops the time limits of the client's requests while messages are held: the one who
// decides is not late.
func (r *Run) keeps(held bool) {
	if r.goOn != nil {
		r.goOn()
		r.goOn = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if held && r.opened != nil {
		r.goOn = r.opened.Hold()
	}
}

func (r *Run) fault(err error) {
	r.mu.Lock()
	r.faults = append(r.faults, err)
	r.mu.Unlock()
}

func (r *Run) placeChanged(reason error) {
	if reason == nil {
		fmt.Fprintln(r.cfg.Warn, "wiretea: the session file is being written again")
		return
	}
	fmt.Fprintf(r.cfg.Warn, "wiretea: recording goes on outside the session file: %v\n", reason)
}

// Expedite shortens Close: the record is written, and does not wait for the disk.
func (r *Run) Expedite() { r.writer.Expedite() }

// Close ends the server properly, then the record and the analysis, and returns
// what went wrong with us. why is what the end of the record says: eof, quit or
// error. Once ctx is done the server gets less time, see HangUp. A concurrent or
// later Close waits and returns the same error.
func (r *Run) Close(ctx context.Context, why string) error {
	r.ending.Do(func() { r.endErr = r.end(ctx, why) })
	return r.endErr
}

func (r *Run) end(ctx context.Context, why string) error {
	r.tried.Do(func() { close(r.ready) })
	r.mu.Lock()
	r.closed = true
	conn, c := r.conn, r.opened
	r.mu.Unlock()
	if c != nil {
		awaitExit(ctx, conn, c)
		// A handshake or a call that still waits would hold the connection.
		_ = c.Close()
	}
	r.leave()
	r.socket.end()
	if r.socket.interceptor != nil {
		r.socket.interceptor.End()
		defer r.socket.interceptor.Close()
	}
	r.acting.Lock()
	defer r.acting.Unlock()
	if err := r.hangUp(ctx); err != nil {
		r.fault(fmt.Errorf("ending the server: %w", err))
	}
	r.writer.SetWhy(why)
	r.tap.Close()
	if ctx.Err() != nil {
		// The user waits: millions of frames are not recorded one by one, nor judged.
		r.writer.Expedite()
		late := time.AfterFunc(stopStep, r.giveUp)
		defer late.Stop()
	}
	r.work.Wait()
	r.giveUp()
	r.cfg.Wake.Notify()
	return errors.Join(r.faults...)
}

// Release closes the record's file. Bodies cannot be read afterwards.
func (r *Run) Release() error {
	if path := r.sink.Path(); path != "" && path == r.FinalPath() && r.sink.Reason() == nil {
		analysis.Keep(path, r.sink, r.Snapshot())
	}
	return r.sink.Close()
}

// Lost returns the bytes that are missing in the session file although they were
// seen, because its disk could not be written.
func (r *Run) Lost() int64 {
	if lost := r.writer.Lost(); lost > r.Snapshot().Totals().Gap && r.sink.Path() != "" {
		return lost
	}
	return 0
}

// Snapshot returns the session as it is.
func (r *Run) Snapshot() *session.Snapshot { return r.analyzer.Snapshot() }

// Log is where bodies are read.
func (r *Run) Log() recorder.Log { return r.sink }

// Path is the session file; empty if there is none, and Reason says why.
func (r *Run) Path() string { return r.sink.Path() }

// Reason is why the session is not recorded in a file.
func (r *Run) Reason() error { return r.sink.Reason() }

// FinalPath is the path that the session file has after Release; it differs from
// Path where the file is compressed at the end, and is empty where nothing could be
// written into the file.
func (r *Run) FinalPath() string { return r.sink.Final() }

// Wake has a token when the session has advanced since the last one was taken.
func (r *Run) Wake() <-chan struct{} { return r.cfg.Wake }

// Live reports whether the session has not been closed.
func (r *Run) Live() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed
}

// Now is the session's time in nanoseconds; the last record's after Close.
func (r *Run) Now() int64 {
	if !r.Live() {
		return r.Snapshot().Clock()
	}
	return r.tap.Now()
}

// Conn is the latest connection; nil before the first.
func (r *Run) Conn() Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conn
}

// Client is the client of the latest connection, after its handshake; nil while there
// is none.
func (r *Run) Client() *client.Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client
}

// LogLevel is the level of log messages that was asked for; empty if none was.
func (r *Run) LogLevel() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.level
}

// Notify puts a token into Wake.
func (r *Run) Notify() { r.cfg.Wake.Notify() }

// Server is Config.Server.
func (r *Run) Server() Server { return r.cfg.Server }
