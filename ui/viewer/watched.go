package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/watch"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/filewatch"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A WatchConfig says what a Watched does.
type WatchConfig struct {
	Files  *filewatch.Files
	Build  string      // Build is a shell command that builds the server first; empty = there is nothing to build.
	Absent func() bool // Absent reports whether the server's program is yet to be built; nil = it is not.

	Ignore []string // Ignore are paths in results that do not count as a difference, for the screen.
	Sends  []string // Sends are lines that are sent once the server has started, whenever that is.

	Tell    func(watch.News)  // Tell is told what happens; nil = the screen is, by News.
	Failure func(error) error // Failure words why the server could not be started; nil leaves that as it is.
	Unsent  func(error)       // Unsent is told why one of Sends could not be sent; nil is not told.
}

// A Watched is a session whose server is restarted when its files change; the latest
// request is then sent again.
type Watched struct {
	*Session
	cfg     WatchConfig
	watcher *watch.Watcher
	news    chan tea.Msg

	greeting sync.Once
	talks    sync.WaitGroup

	mu    sync.Mutex // mu guards what follows.
	typed watch.Typed
	life  context.Context // life is Run's; nil before it.
}

// Watch makes a session a Watched. Run starts its server.
func Watch(src *Session, cfg WatchConfig) *Watched {
	s := &Watched{Session: src, cfg: cfg, news: make(chan tea.Msg, 16)}
	s.watcher = watch.New(cfg.Files, s, cfg.Tell, src.Notify)
	if cfg.Build != "" {
		s.watcher.Build = &watch.ShellBuild{Command: cfg.Build}
		s.watcher.Absent = cfg.Absent
	}
	return s
}

// Run starts the server and watches, until ctx ends or nothing is watched any more.
func (s *Watched) Run(ctx context.Context) {
	s.mu.Lock()
	s.life = ctx
	s.mu.Unlock()
	if s.cfg.Tell == nil {
		tell := s.screenNews(ctx)
		for _, pattern := range s.cfg.Ignore {
			tell(watch.News{Ignore: pattern})
		}
		s.watcher.Tell = tell
	}
	s.watcher.Run(ctx, func(ctx context.Context) error {
		_, err := s.Connect(ctx)
		return s.started(err)
	})
	s.talks.Wait()
}

// Restart implements source.Server.
func (s *Watched) Restart(ctx context.Context) error {
	err := s.Session.RestartFor(ctx, "")
	s.greet(err)
	return err
}

// RestartFor implements watch.Server.
func (s *Watched) RestartFor(ctx context.Context, why string) error {
	return s.started(s.Session.RestartFor(ctx, why))
}

// started takes what became of a start of the server.
func (s *Watched) started(err error) error {
	s.greet(err)
	if err != nil && s.cfg.Failure != nil {
		err = s.cfg.Failure(err)
	}
	return err
}

// greet sends what is to be sent first, once there is somebody to send it to.
func (s *Watched) greet(err error) {
	s.mu.Lock()
	ctx := s.life
	s.mu.Unlock()
	if err != nil || ctx == nil {
		return
	}
	s.greeting.Do(func() {
		s.talks.Go(func() {
			for _, line := range s.cfg.Sends {
				if err := s.Send(ctx, line); err != nil && ctx.Err() == nil && s.cfg.Unsent != nil {
					s.cfg.Unsent(err)
				}
			}
		})
	})
}

// screenNews turns what the watcher tells into messages for the screen, which nobody
// may take while the terminal is stopped: it then waits, as long as ctx lasts.
func (s *Watched) screenNews(ctx context.Context) func(watch.News) {
	give := func(msg tea.Msg) {
		select {
		case s.news <- msg:
		case <-ctx.Done():
		}
	}
	return func(n watch.News) {
		if n.Building != nil {
			give(pane.OutdatedMsg{Why: "older than the last change"})
		}
		text, sev := n.Words()
		switch {
		case text != "":
			give(pane.SayMsg{Text: text, Severity: sev})
		case n.Built != nil:
			give(*n.Built)
			if !n.Built.OK() {
				give(pane.OutdatedMsg{Why: "older than the build that failed"})
			}
		case n.Called != nil:
			give(calledMsg(n.Called, time.Now()))
		case n.Ignore != "":
			give(source.IgnorePathMsg{Pattern: n.Ignore})
		}
	}
}

// calledMsg shows the new answer, which came at a time, beside the old one.
func calledMsg(c *watch.CallDone, at time.Time) tea.Msg {
	what := c.Call.String()
	switch {
	case c.Err != nil:
		return pane.SayMsg{Text: "asking again: " + what + ": " + c.Err.Error(), Severity: session.Error}
	case c.Call.Answer.Word == "":
		return pane.SayMsg{Text: what + " is answered; no earlier answer to compare with", Severity: session.Info}
	}
	old, new := watch.Sides(c.Call.Answer, c.Now)
	return pane.CompareMsg{Title: what, Quiet: true, Old: pane.Side{Name: "before the restart", Body: old}, New: pane.Side{Name: "after it, at " + at.Format(time.TimeOnly), Body: new}}
}

// Send notes what is sent.
func (s *Watched) Send(ctx context.Context, line string) error {
	if method, _, err := client.ParseLine(line); err == nil && method != "" && !client.IsNotification(method) {
		s.note(method)
	}
	return s.Session.Send(ctx, line)
}

// Resend notes what is sent.
func (s *Watched) Resend(ctx context.Context, m recorder.Request) error {
	if !client.IsNotification(m.Method) {
		s.note(m.Method)
	}
	return s.Session.Resend(ctx, m)
}

func (s *Watched) note(method string) {
	s.mu.Lock()
	s.typed = watch.Typed{Method: method, At: s.Now()}
	s.mu.Unlock()
}

// Watch implements source.Watching.
func (s *Watched) Watch() watch.State {
	st := s.watcher.State()
	st.Builds = s.cfg.Build != ""
	return st
}

// TurnWatch implements source.Watching.
func (s *Watched) TurnWatch(on bool) { s.watcher.Switch(on) }

// Rebuild implements source.Watching.
func (s *Watched) Rebuild() { s.watcher.Now() }

// News implements source.Watching.
func (s *Watched) News() <-chan tea.Msg { return s.news }

// Last implements watch.Server.
func (s *Watched) Last() (watch.Call, bool) {
	s.mu.Lock()
	typed := s.typed
	s.mu.Unlock()
	return watch.LastRequest(s.Snapshot(), s.Log(), typed)
}

// Call implements watch.Server. An error answer is an answer.
func (s *Watched) Call(ctx context.Context, call watch.Call) (watch.Answer, error) {
	c := s.Client()
	if c == nil {
		return watch.Answer{}, capture.ErrNotConnected
	}
	var params json.RawMessage
	if len(call.Params) > 0 {
		params = call.Params
	}
	reply, err := c.Call(ctx, call.Method, params)
	var rpc *client.RPCError
	switch {
	case errors.As(err, &rpc) && reply != nil:
		return watch.Answer{Word: "error", Body: reply.Error}, nil
	case err != nil:
		return watch.Answer{}, err
	}
	return watch.Answer{Word: "result", Body: reply.Result}, nil
}
