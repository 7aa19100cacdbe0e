package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
)

// A bell has one token at most: however often it rings while nobody looks, it
// wakes once.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// A liveSource is a session with a server of ours, for the screen.
type liveSource struct {
	title string
	cfg   client.Config
	l     *live
	bell  bell
	desk  *screen.Desk // desk is where the server's questions lie; nil = nobody is asked.

	ending sync.Once
	endErr error      // endErr is set in ending.
	acting sync.Mutex // acting is held while the connection changes.
	mu     sync.Mutex // mu guards what follows.
	client *client.Client
	level  string // level is the log level that was asked for, for the next connection too; empty = none was.
	closed bool

	tried sync.Once
	ready chan struct{} // ready is closed once the first connection has come about, or has not.
}

// startSource begins a session and its record. The server is started by connect.
// Where o has a desk, rings is what it rings.
func startSource(title string, o *runOptions, rings bell, says *notices) (*liveSource, error) {
	cfg, err := o.clientConfig()
	if err != nil {
		return nil, err
	}
	src := &liveSource{title: title, cfg: cfg, bell: rings, desk: o.desk, level: o.logLevel, ready: make(chan struct{})}
	l, err := start(o.serving(), o.record, says, func(*session.Snapshot, recorder.Log) { src.bell.ring() })
	if err != nil {
		return nil, err
	}
	src.l = l
	return src, nil
}

func (s *liveSource) Title() string               { return s.title }
func (s *liveSource) Snapshot() *session.Snapshot { return s.l.snapshot() }
func (s *liveSource) Log() recorder.Log           { return s.l.sink }
func (s *liveSource) Wake() <-chan struct{}       { return s.bell }
func (s *liveSource) Path() string                { return s.l.sink.Path() }
func (s *liveSource) Reason() error               { return s.l.sink.Reason() }

func (s *liveSource) Live() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed
}

func (s *liveSource) Now() int64 {
	if !s.Live() {
		return s.l.snapshot().Clock()
	}
	return s.l.clock.Now()
}

// connect starts the server and shakes hands.
func (s *liveSource) connect(ctx context.Context) error {
	s.acting.Lock()
	defer s.acting.Unlock()
	defer s.tried.Do(func() { close(s.ready) })
	if !s.Live() {
		return errSessionOver
	}
	c, err := s.l.connect(ctx, s.cfg)
	s.mu.Lock()
	s.client = c
	level := s.level
	s.mu.Unlock()
	if err == nil && level != "" {
		return c.SetLogLevel(ctx, level)
	}
	return err
}

// Desk is where the server's questions lie; nil = nobody is asked.
func (s *liveSource) Desk() *screen.Desk { return s.desk }

// LogLevel is the level of log messages that was asked for; empty = none was.
func (s *liveSource) LogLevel() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level
}

// SetLogLevel asks for log messages of a level and above, in this connection and
// those that follow.
func (s *liveSource) SetLogLevel(ctx context.Context, level string) error {
	c, err := s.connected(ctx)
	if err != nil {
		return err
	}
	if err := c.SetLogLevel(ctx, level); err != nil {
		return err
	}
	s.mu.Lock()
	s.level = level
	s.mu.Unlock()
	return nil
}

// Client is the client of the latest connection; nil while there is none.
func (s *liveSource) Client() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// connected is Client, and waits for the first connection.
func (s *liveSource) connected(ctx context.Context) (*client.Client, error) {
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := s.Client(); c != nil {
		return c, nil
	}
	return nil, errNotConnected
}

var (
	errSessionOver  = errors.New("the session is over")
	errNotConnected = errors.New("not connected to the server; R restarts it")
)

// Send sends a line as typed. An error answer is no error: it shows in the
// traffic.
func (s *liveSource) Send(ctx context.Context, line string) error {
	method, params, err := client.ParseLine(line)
	if err != nil {
		return err
	}
	return s.deliver(ctx, method, params, nil)
}

// Resend sends a request again. One that was run as a task is again.
func (s *liveSource) Resend(ctx context.Context, m recorder.Request) error {
	var task *client.TaskOptions
	if m.Method == "tools/call" && wantsTask(m.Params) {
		task = &client.TaskOptions{}
	}
	return s.deliver(ctx, m.Method, m.Params, task)
}

// wantsTask reports whether the parameters of a call have it run as a task: by a
// word of their own in the legacy era, by a capability in the modern one.
func wantsTask(params json.RawMessage) bool {
	var p struct {
		Task *struct{} `json:"task"`
		Meta struct {
			Client struct {
				Extensions map[string]json.RawMessage `json:"extensions"`
			} `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // what is no object wants none
	_, extended := p.Meta.Client.Extensions[mcp.TasksExtension]
	return p.Task != nil || extended
}

// deliver sends a message, a whole one where method is empty, and waits for its
// answer.
func (s *liveSource) deliver(ctx context.Context, method string, params json.RawMessage, task *client.TaskOptions) error {
	c, err := s.connected(ctx)
	if err != nil {
		return err
	}
	err = (&conversation{client: c, progress: true}).deliver(ctx, method, params, task)
	var answer *client.RPCError
	switch {
	case errors.As(err, &answer), errors.Is(err, context.Canceled), errors.Is(err, client.ErrCancelled), errors.Is(err, client.ErrTask):
		return nil
	case err != nil && method != "" && !strings.HasPrefix(err.Error(), method):
		return fmt.Errorf("%s: %w", method, err)
	}
	return err
}

// cancelReason is what a server is told when its user cancels a request.
const cancelReason = "cancelled by the user"

// Cancel withdraws a request, in the way of what it is: a task is cancelled, a
// subscription closed. Whoever waits for its answer waits no longer. The server is
// told of a request that nobody waits for, too.
func (s *liveSource) Cancel(ctx context.Context, id string) error {
	c := s.Client()
	if c == nil {
		return errNotConnected
	}
	if err := c.Cancel(id); !errors.Is(err, client.ErrNotOutstanding) {
		return err
	}
	return c.Notify(ctx, "notifications/cancelled", fmt.Appendf(nil, `{"requestId":%s,"reason":%q}`, id, cancelReason))
}

// Restart ends the server and starts it again, as the next connection.
func (s *liveSource) Restart(ctx context.Context) error {
	s.acting.Lock()
	err := s.l.hangUp(ctx)
	s.acting.Unlock()
	return errors.Join(err, s.connect(ctx))
}

// Close ends the server, then the record and the analysis. Whoever calls it
// while that goes on, or afterwards, waits for it and gets the same error.
func (s *liveSource) Close(ctx context.Context) error {
	s.ending.Do(func() { s.endErr = s.end(ctx) })
	return s.endErr
}

func (s *liveSource) end(ctx context.Context) error {
	s.tried.Do(func() { close(s.ready) })
	s.mu.Lock()
	s.closed = true
	c := s.client
	s.mu.Unlock()
	if c != nil {
		// A handshake or a call that still waits is given up, so that the
		// connection can be ended.
		_ = c.Close()
	}
	s.acting.Lock()
	defer s.acting.Unlock()
	err := s.l.close(ctx, "quit")
	s.bell.ring()
	return err
}

// A fileSource is a recording, for the screen.
type fileSource struct {
	file     *recorder.File
	analyzer *session.Analyzer
	bell     bell
	stop     context.CancelFunc
	done     chan struct{}
	fresh    freshServer

	mu    sync.Mutex // mu guards what follows.
	known *session.Snapshot
	err   error
}

// openSource opens a recording and begins to read it.
func openSource(path string) (*fileSource, error) {
	f, err := term.OpenRecording(path)
	if err != nil {
		return nil, err
	}
	src := &fileSource{file: f, bell: newBell(), done: make(chan struct{}), stop: func() {}}
	if snap, ok := analysis.Load(f); ok {
		src.known = snap
		close(src.done)
		return src, nil
	}
	src.analyzer = session.NewAnalyzer(session.Config{Checkers: check.New()})
	log, hush := withBell(f)
	follower := &recorder.Follower{Log: log, Analyzer: src.analyzer, Moved: src.bell.ring}
	if f.Live() == recorder.Live {
		follower.Now = term.SinceStart(f.Header())
	}
	ctx, cancel := context.WithCancel(context.Background())
	src.stop = cancel
	go func() {
		defer hush()
		src.read(ctx, follower)
	}()
	return src, nil
}

// read analyses the recording to its end; while somebody writes it, that is when
// they end.
func (s *fileSource) read(ctx context.Context, f *recorder.Follower) {
	defer close(s.done)
	defer s.bell.ring()
	defer func() {
		if p := recover(); p != nil {
			s.mu.Lock()
			s.err = fmt.Errorf("internal error: %v", p)
			s.mu.Unlock()
		}
	}()
	err := f.Run(ctx)
	snap := s.analyzer.Snapshot()
	s.mu.Lock()
	s.known = snap
	switch {
	case err != nil && ctx.Err() == nil:
		s.err = err
	case f.Damage.Lines > 0:
		s.err = fmt.Errorf("%d damaged lines, the first at byte %d", f.Damage.Lines, f.Damage.Off)
	case f.Torn > 0:
		s.err = fmt.Errorf("the last record is torn off after %d bytes", f.Torn)
	}
	fine := s.err == nil
	s.mu.Unlock()
	if fine && ctx.Err() == nil {
		analysis.Save(s.file.Path(), s.file, snap)
	}
}

func (s *fileSource) Title() string         { return recorder.SessionName(s.file.Path()) }
func (s *fileSource) Log() recorder.Log     { return s.file }
func (s *fileSource) Wake() <-chan struct{} { return s.bell }
func (s *fileSource) Path() string          { return s.file.Path() }

func (s *fileSource) Snapshot() *session.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known != nil {
		return s.known
	}
	return s.analyzer.Snapshot()
}

// Reading reports whether the file has not been read to its end.
func (s *fileSource) Reading() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// Live reports whether the file is still being read or written.
func (s *fileSource) Live() bool {
	select {
	case <-s.done:
		return false
	default:
		return s.file.Live() == recorder.Live
	}
}

func (s *fileSource) Now() int64 {
	if now := term.SinceStart(s.file.Header()); now != nil && s.Live() {
		return now()
	}
	return s.Snapshot().Clock()
}

func (s *fileSource) Reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close ends the reading.
func (s *fileSource) close() {
	s.fresh.end()
	s.stop()
	<-s.done
	_ = s.file.Close()
}
