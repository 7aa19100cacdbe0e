package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/client"
	"wiretea/session/transport"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// serverOptions say what server to start and how to judge it.
type serverOptions struct {
	name   string // name is what its user calls the server; empty = nothing.
	argv   []string
	cwd    string
	env    []string // env are the changed variables, "NAME=value".
	grace  transport.Grace
	limits session.Limits
	as     []string // as are the flags that make wiretea call the client that we are; nil = the usual one.
}

// recordOptions say where a session is recorded.
type recordOptions struct {
	file  string // file is the session file; empty = one in dir.
	dir   string // dir is the sessions folder; empty = the default one.
	none  bool   // none keeps no file.
	force bool   // force overwrites file.

	ring  recorder.Ring  // ring is what the session is kept in; zero = one file.
	given *pflag.FlagSet // given knows which of those about the folder were given; nil = none.

	maxAge  term.AgeFlag // maxAge and maxDisk are the limits of the folder, 0 = none.
	maxDisk term.SizeFlag
}

// A live is one session with a server that this process started:
//
//	server ⇄ relays ─ tap ► Writer ► Sink ► Follower ► Analyzer
//
// It owns the child and the goroutines of the recorder and the analysis, and
// ends them in close.
type live struct {
	clock    transport.Clock
	tap      *transport.Tap
	stdio    transport.Stdio
	conn     *transport.Conn // conn is the latest connection; nil before the first.
	client   *client.Client  // client speaks on it; nil before it is connected.
	sink     *recorder.Sink
	writer   *recorder.Writer
	analyzer *session.Analyzer
	giveUp   context.CancelFunc // giveUp ends the analysis where it stands.

	// meanwhile is work that needs no server, done once while the first one starts;
	// nil = none.
	meanwhile func() error

	errw   io.Writer // errw takes what the user must know at once.
	work   sync.WaitGroup
	mu     sync.Mutex
	faults []error // faults are what went wrong with us, not with the server.
}

// start begins the record and then the server. moved is called from one
// goroutine whenever the analysis has moved on. The session must be closed also
// when the server could not be started: the record says why.
func start(server serverOptions, rec recordOptions, errw io.Writer, moved func(*session.Snapshot, recorder.Log)) (*live, error) {
	hdr := session.Header{
		Name: server.name, Tool: recorder.ToolName, SID: newSID(), T0: time.Now(), Mode: "run", Trans: "stdio", Cmd: server.argv,
		Cwd: workingFolder(server.cwd), EnvKeys: names(server.env), As: server.as, PPID: os.Getppid(), Limits: server.limits,
	}
	l := &live{clock: transport.NewClock(hdr.T0), errw: errw}
	sink, err := rec.open(&hdr, errw)
	if err != nil {
		return nil, err
	}
	l.sink = sink
	l.tap = transport.NewTap(l.clock, transport.TapConfig{})
	l.stdio = transport.Stdio{
		Command: transport.Command{Argv: server.argv, Dir: server.cwd, Env: append(os.Environ(), server.env...)},
		Tap:     l.tap, Grace: server.grace,
	}
	l.writer = recorder.NewWriter(sink, hdr, recorder.Options{Now: l.clock.Now, Ring: rec.ring, Changed: func(reason error) { l.placeChanged(errw, reason) }})
	l.analyzer = session.NewAnalyzer(session.Config{Checkers: check.New()})
	l.guard("recorder", func() error { return l.writer.Run(l.tap) })
	follower := recorder.Follower{Log: sink, Analyzer: l.analyzer, Now: l.clock.Now}
	if moved != nil {
		follower.Moved = func() { moved(l.analyzer.Snapshot(), sink) }
	}
	judging, giveUp := context.WithCancel(context.Background())
	l.giveUp = giveUp
	l.guard("analysis", func() error {
		err := follower.Run(judging)
		if judging.Err() != nil {
			return errTooMuch
		}
		return err
	})
	return l, nil
}

// errTooMuch is returned by close when the session was stopped and its traffic
// was more than could be judged in the time that leaves.
var errTooMuch = errors.New("stopped before all of the traffic was judged; what is recorded is whole")

// guard runs a part of the session in a goroutine of its own, until close waits
// for it. A panic there is our fault: it is said, and the traffic goes on.
func (l *live) guard(name string, part func() error) {
	l.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				l.fault(fmt.Errorf("%s: internal error: %v\n%s", name, p, debug.Stack()))
				fmt.Fprintf(l.errw, "wiretea: internal error in the %s: %v\n", name, p)
			}
		}()
		if err := part(); err != nil {
			l.fault(fmt.Errorf("%s: %w", name, err))
		}
	})
}

func (l *live) fault(err error) {
	l.mu.Lock()
	l.faults = append(l.faults, err)
	l.mu.Unlock()
}

func (l *live) placeChanged(errw io.Writer, reason error) {
	if reason == nil {
		fmt.Fprintln(errw, "wiretea: the session file is being written again")
		return
	}
	fmt.Fprintf(errw, "wiretea: recording goes on outside the session file: %v\n", reason)
}

// connect starts the server, as a new connection, and shakes hands. A server
// that exits on the probe of modern clients gets a second process that is not
// probed, as those clients do it.
func (l *live) connect(ctx context.Context, cfg client.Config) (*client.Client, error) {
	c, err := l.dial(ctx, cfg)
	if errors.Is(err, client.ErrExitedOnProbe) && cfg.Era == client.Auto {
		if err := l.hangUp(ctx); err != nil {
			return nil, err
		}
		cfg.Era = client.Legacy
		return l.dial(ctx, cfg)
	}
	return c, err
}

func (l *live) dial(ctx context.Context, cfg client.Config) (*client.Client, error) {
	c, err := l.dialBare(cfg)
	if err != nil {
		return nil, err
	}
	if err := c.Handshake(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// dialBare starts the server, as a new connection, and says nothing to it.
func (l *live) dialBare(cfg client.Config) (*client.Client, error) {
	conn, err := l.stdio.Start()
	if err != nil {
		return nil, err
	}
	l.conn = conn
	if work := l.meanwhile; work != nil {
		l.meanwhile = nil
		l.guard("work beside the server", work)
	}
	l.client, err = client.New(cfg, serverInput{conn}, conn)
	return l.client, err
}

// serverInput is a server's stdin as the client sees it.
type serverInput struct{ *transport.Conn }

func (s serverInput) Close() error { return s.CloseWrite() }

// stopStep is what a server gets for each step of its shutdown once the user
// has said stop, and stopLimit what all of it may take.
const (
	stopStep  = time.Second
	stopLimit = 3 * stopStep
)

// hangUp ends the server properly. Who says stop waits for it, so it gets less
// grace then, and none after a second ctrl-c or when the time is up.
func (l *live) hangUp(ctx context.Context) error {
	if l.conn == nil {
		return nil
	}
	if l.client != nil {
		// The rest of what the server says is still read.
		_ = l.client.Close()
	}
	if ctx.Err() == nil || context.Cause(ctx) == errTimeUp {
		_, err := l.conn.Shutdown(ctx)
		return err
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	hurried, stop := signal.NotifyContext(limited, os.Interrupt)
	defer stop()
	_, err := l.conn.ShutdownWithin(hurried, stopStep)
	return err
}

// close ends the server properly, then the record and the analysis, and returns
// what went wrong with us.
func (l *live) close(ctx context.Context, why string) error {
	if err := l.hangUp(ctx); err != nil {
		l.fault(fmt.Errorf("ending the server: %w", err))
	}
	l.writer.SetWhy(why)
	l.tap.Close()
	if ctx.Err() != nil {
		// Who said stop does not wait for millions of frames to be recorded one by one,
		// nor to be looked at.
		l.writer.Expedite()
		late := time.AfterFunc(stopStep, l.giveUp)
		defer late.Stop()
	}
	l.work.Wait()
	l.giveUp()
	return errors.Join(l.faults...)
}

// sayLoss says what the session file lacks although we have seen it.
func (l *live) sayLoss(errw io.Writer) {
	if lost := l.writer.Lost(); lost > l.snapshot().Totals().Gap && l.sink.Path() != "" {
		fmt.Fprintf(errw, "wiretea: the session file lacks %s: its disk could not be written\n", format.Size(lost))
	}
}

// release gives the record back: its index is written and its file closed. Bodies
// cannot be read afterwards.
func (l *live) release() error {
	if path := l.sink.Path(); path != "" && l.sink.Whole() {
		analysis.Save(path, l.sink, l.snapshot())
	}
	return l.sink.Close()
}

// snapshot is the session as it stands.
func (l *live) snapshot() *session.Snapshot { return l.analyzer.Snapshot() }

// open finds a place for the record. Where the folder cannot be written, the
// session goes on without a file and says so.
func (o recordOptions) open(hdr *session.Header, errw io.Writer) (*recorder.Sink, error) {
	switch {
	case o.none && o.file != "":
		return nil, term.Usage("choose one of them", "--record and --no-record given")
	case o.none:
		return recorder.NewTemp(), nil
	case o.file != "":
		sink, err := recorder.Create(o.file, o.force)
		if err != nil {
			return nil, &term.Failure{Code: term.ExitUsage, Hint: "--record FILE chooses another file, --force overwrites, --no-record keeps none", Err: err}
		}
		return sink, nil
	}
	dir, err := recorder.SessionsFolder(o.dir)
	if err != nil {
		return nil, err
	}
	sink, err := recorder.Begin(dir, hdr)
	if err != nil {
		fmt.Fprintf(errw, "wiretea: %v\n", err)
	}
	return sink, nil
}

func workingFolder(cwd string) string {
	if cwd != "" {
		return cwd
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// names returns the sorted names of NAME=value pairs.
func names(env []string) []string {
	var keys []string
	for _, pair := range env {
		key, _, _ := strings.Cut(pair, "=")
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// newSID names a session: 16 random bytes in hex.
func newSID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}
