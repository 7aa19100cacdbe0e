package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/watch"
	"wiretea/session/client"
	"wiretea/ui/cli/display"
)

// A watchedSource is a session whose server is restarted when its files change.
type watchedSource struct {
	*display.Session
	watcher *watch.Watcher
	builds  bool
	news    chan tea.Msg

	sends    []string
	errw     io.Writer
	greeting sync.Once
	talks    sync.WaitGroup

	mu    sync.Mutex // mu guards what follows.
	typed watch.Typed
	life  context.Context // life is run's; nil before it.
}

// Send notes what is sent.
func (s *watchedSource) Send(ctx context.Context, line string) error {
	if method, _, err := client.ParseLine(line); err == nil && method != "" && !client.IsNotification(method) {
		s.note(method)
	}
	return s.Session.Send(ctx, line)
}

// Resend notes what is sent.
func (s *watchedSource) Resend(ctx context.Context, m recorder.Request) error {
	if !client.IsNotification(m.Method) {
		s.note(m.Method)
	}
	return s.Session.Resend(ctx, m)
}

func (s *watchedSource) note(method string) {
	s.mu.Lock()
	s.typed = watch.Typed{Method: method, At: s.Now()}
	s.mu.Unlock()
}

// Watch implements source.Watching.
func (s *watchedSource) Watch() watch.State {
	st := s.watcher.State()
	st.Builds = s.builds
	return st
}

// TurnWatch implements source.Watching.
func (s *watchedSource) TurnWatch(on bool) { s.watcher.Switch(on) }

// Rebuild implements source.Watching.
func (s *watchedSource) Rebuild() { s.watcher.Now() }

// News implements source.Watching.
func (s *watchedSource) News() <-chan tea.Msg { return s.news }

// Last implements watch.Server.
func (s *watchedSource) Last() (watch.Call, bool) {
	s.mu.Lock()
	typed := s.typed
	s.mu.Unlock()
	return watch.LastRequest(s.Snapshot(), s.Log(), typed)
}

// Call implements watch.Server. An error answer is an answer.
func (s *watchedSource) Call(ctx context.Context, call watch.Call) (watch.Answer, error) {
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
