package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/transport"
)

var (
	// ErrOver is returned when a session that was closed is acted on.
	ErrOver = errors.New("the session is over")

	// ErrNotConnected is returned when something is sent and no server is connected.
	ErrNotConnected = errors.New("not connected to the server")

	// ErrTimeUp is the cause of a context that ended because the time for the whole
	// session was up, and not because the user said stop.
	ErrTimeUp = errors.New("the time was up")
)

// Connect starts the server, as a new connection, and makes the handshake of
// Config.Client. A server that exits on the probe of modern clients gets a second
// process that is not probed, as those clients do it. A client that is returned
// together with an error is connected, and the server refused Config.LogLevel.
func (r *Run) Connect(ctx context.Context) (*client.Client, error) { return r.connect(ctx, "") }

// Reasons why a server is started once more, as they are recorded.
const (
	askedFor   = "a restart was asked for"
	afterProbe = "it had exited on the probe server/discover"
	byLengths  = "it frames its messages with Content-Length"
)

// connect is Connect for a reason.
func (r *Run) connect(ctx context.Context, why string) (*client.Client, error) {
	r.acting.Lock()
	defer r.acting.Unlock()
	defer r.tried.Do(func() { close(r.ready) })
	if !r.Live() {
		return nil, ErrOver
	}
	c, err := r.dial(ctx, r.cfg.Client, why)
	if errors.Is(err, client.ErrExitedOnProbe) && r.cfg.Client.Era == client.Auto {
		if err := r.hangUp(ctx); err != nil {
			return nil, err
		}
		cfg := r.cfg.Client
		cfg.Era = client.Legacy
		c, err = r.dial(ctx, cfg, afterProbe)
	}
	if level := r.LogLevel(); err == nil && level != "" {
		return c, c.SetLogLevel(ctx, level)
	}
	return c, err
}

// Dial starts the server, as a new connection, and makes one handshake, as cfg
// says. why, in words, is recorded where the server is started once more; empty = not said.
func (r *Run) Dial(ctx context.Context, cfg client.Config, why string) (*client.Client, error) {
	r.acting.Lock()
	defer r.acting.Unlock()
	return r.dial(ctx, cfg, why)
}

// Open starts the server, as a new connection, and makes no handshake.
func (r *Run) Open(cfg client.Config) (*client.Client, error) {
	r.acting.Lock()
	defer r.acting.Unlock()
	c, err := r.open(cfg, "")
	if err == nil {
		r.connectedAs(c)
	}
	return c, err
}

// Start starts the server, as a new connection, whose two ends are the caller's.
func (r *Run) Start() (Conn, error) {
	r.acting.Lock()
	defer r.acting.Unlock()
	return r.start("")
}

// dial makes one handshake. With client.AutoFraming a server that does not answer
// lines, and frames its own messages with Content-Length, is started again and gets
// that framing.
func (r *Run) dial(ctx context.Context, cfg client.Config, why string) (c *client.Client, err error) {
	defer func() { r.connectedAs(c) }()
	if cfg.Framing == client.AutoFraming && r.frames == client.ContentLength {
		cfg.Framing = client.ContentLength
	}
	opened, err := r.open(cfg, why)
	if err != nil {
		return nil, err
	}
	switch err := r.greet(ctx, opened); {
	case errors.Is(err, errLengths):
		fmt.Fprintln(r.cfg.Warn, "wiretea: the server frames its messages with Content-Length and does not answer lines: starting it again with --framing content-length")
		if err := r.hangUp(ctx); err != nil {
			return nil, err
		}
		cfg.Framing = client.ContentLength
		return r.dial(ctx, cfg, byLengths)
	case err != nil:
		return nil, err
	}
	return opened, nil
}

// errLengths is the cause of a handshake that ended because the server frames its
// messages with Content-Length, and answers no lines.
var errLengths = errors.New("the server frames its messages with Content-Length")

// lengthsAfter is how long an answer in lines may follow a Content-Length header.
const lengthsAfter = time.Second

// greet makes the handshake, which lengths may end.
func (r *Run) greet(ctx context.Context, c *client.Client) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	r.setAbort(abort)
	defer r.setAbort(nil)
	return c.Handshake(ctx)
}

func (r *Run) setAbort(abort context.CancelCauseFunc) {
	r.mu.Lock()
	r.abort = abort
	r.mu.Unlock()
}

// lengths ends the handshake of a connection whose server sent a Content-Length header at
// time at, in nanoseconds of the session, if a request of before still waits then.
func (r *Run) lengths(conn int, at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abort == nil || r.frames != client.AutoFraming || r.conn == nil || r.conn.Number() != conn {
		return
	}
	c, abort := r.opened, r.abort
	time.AfterFunc(lengthsAfter, func() {
		if slices.ContainsFunc(c.Waiting(), func(w client.Waiting) bool { return int64(w.Sent.Sub(r.began)) <= at }) {
			abort(errLengths)
		}
	})
}

// A greeter is a checker that looks for what the handshake depends on: the framing of the
// server, and the container program that fetches it. It expects connections that follow each
// other.
type greeter struct {
	run      *Run
	conn     int
	answered bool // answered: a request of the connection was.
}

// Check implements session.Checker.
func (g *greeter) Check(ev *session.Event, _ session.Reporter) {
	f := ev.Frame
	if f == nil || ev.Conn == nil {
		return
	}
	if g.conn != ev.Conn.ID {
		g.conn, g.answered = ev.Conn.ID, false
		g.run.pulls.set("")
	}
	switch {
	case f.Stream == session.S2C && ev.Kind == session.MessageSeen:
		g.answered = g.answered || ev.Match >= session.MatchAnswer && ev.Match <= session.MatchCancelled
	case ev.Kind != session.FrameSeen:
	case f.Stream == session.Stderr:
		g.run.pulls.set(puller(string(f.Head), g.run.pulls.get()))
	case f.Stream == session.S2C && f.Header && !g.answered:
		g.run.lengths(g.conn, ev.T)
	}
}

func (r *Run) open(cfg client.Config, why string) (*client.Client, error) {
	conn, err := r.start(why)
	if err != nil {
		return nil, err
	}
	c, err := client.New(cfg, serverInput{conn}, conn)
	r.mu.Lock()
	r.opened, r.frames = c, cfg.Framing
	r.mu.Unlock()
	return c, err
}

func (r *Run) connectedAs(c *client.Client) {
	r.mu.Lock()
	r.client = c
	r.mu.Unlock()
}

func (r *Run) start(why string) (Conn, error) {
	conn, err := r.cfg.Server.Start(r.tap, why)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.conn, r.opened = conn, nil
	r.mu.Unlock()
	if work := r.cfg.Meanwhile; work != nil {
		r.cfg.Meanwhile = nil
		r.guard("work beside the server", work)
	}
	return conn, nil
}

// serverInput is a server's input as the client sees it.
type serverInput struct{ Conn }

func (s serverInput) Close() error { return s.CloseWrite() }

// stopStep is what a server gets for each step of its shutdown once the user has
// said stop; StopLimit is what all steps together may take.
const (
	stopStep  = time.Second
	StopLimit = 3 * stopStep
)

// exitWait is how long a server may go on after the end of its stdout before its
// stdin is closed. The rule stdout-closed-while-running waits 500 ms.
const exitWait = 600 * time.Millisecond

// awaitExit gives a process whose stdout has ended the time to exit, so that the
// end of its stdin is not what ends it: the recording shows whether it was about
// to exit.
func awaitExit(ctx context.Context, conn Conn, c *client.Client) {
	process, ok := conn.(*transport.Conn)
	if !ok {
		return
	}
	select {
	case <-c.Drained():
	default:
		return
	}
	select {
	case <-process.Child.Exited():
	case <-time.After(exitWait):
	case <-ctx.Done():
	}
}

// HangUp ends the server properly; the session goes on. Once ctx is done the user
// waits, so the steps of the shutdown get a second each, and none after a further
// ctrl-c. Where the cause of ctx is ErrTimeUp they get no time at all.
func (r *Run) HangUp(ctx context.Context) error {
	r.acting.Lock()
	defer r.acting.Unlock()
	return r.hangUp(ctx)
}

func (r *Run) hangUp(ctx context.Context) error {
	r.mu.Lock()
	conn, c := r.conn, r.opened
	r.mu.Unlock()
	if conn == nil {
		return nil
	}
	if c != nil {
		// The rest of what the server says is still read.
		awaitExit(ctx, conn, c)
		_ = c.Close()
	}
	if _, remote := r.cfg.Server.(*Remote); remote && r.socket.interceptor != nil {
		r.socket.interceptor.Ended(conn.Number(), session.C2S) // Over stdio the Gate says so.
		r.socket.interceptor.Ended(conn.Number(), session.S2C)
	}
	if ctx.Err() == nil || context.Cause(ctx) == ErrTimeUp {
		_, err := conn.Shutdown(ctx)
		return err
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopLimit)
	defer cancel()
	hurried, stop := signal.NotifyContext(limited, os.Interrupt)
	defer stop()
	_, err := conn.ShutdownWithin(hurried, stopStep)
	return err
}

// Restart ends the server and starts it again, as the next connection.
func (r *Run) Restart(ctx context.Context) error { return r.RestartFor(ctx, "") }

// RestartFor is Restart for a reason, in words, which is recorded; empty = it was asked for.
func (r *Run) RestartFor(ctx context.Context, why string) error {
	err := r.HangUp(ctx)
	_, again := r.connect(ctx, cmp.Or(why, askedFor))
	return errors.Join(err, again)
}

// connected is Client, and waits for the first Connect.
func (r *Run) connected(ctx context.Context) (*client.Client, error) {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := r.Client(); c != nil {
		return c, nil
	}
	return nil, ErrNotConnected
}

// SetLogLevel asks for log messages of a level and above, on this connection and
// those that follow.
func (r *Run) SetLogLevel(ctx context.Context, level string) error {
	c, err := r.connected(ctx)
	if err != nil {
		return err
	}
	if err := c.SetLogLevel(ctx, level); err != nil {
		return err
	}
	r.mu.Lock()
	r.level = level
	r.mu.Unlock()
	return nil
}
