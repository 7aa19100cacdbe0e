package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/cli/display"
	"wiretea/ui/source"
)

// A watchedSource is a session whose server is restarted when its files change.
type watchedSource struct {
	*display.Session
	watcher *watcher
	builds  bool
	news    chan tea.Msg

	sends    []string
	errw     io.Writer
	greeting sync.Once
	talks    sync.WaitGroup

	mu    sync.Mutex // mu guards what follows.
	typed typedCall
	life  context.Context // life is run's; nil before it.
}

// A typedCall is the latest request that was typed, or sent again.
type typedCall struct {
	method string // method is empty where there is none.
	at     int64  // at is when, in the session's time.
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
	s.typed = typedCall{method, s.Now()}
	s.mu.Unlock()
}

// Watch implements ui.Watching.
func (s *watchedSource) Watch() source.WatchState {
	st := s.watcher.State()
	st.Builds = s.builds
	return st
}

// TurnWatch implements ui.Watching.
func (s *watchedSource) TurnWatch(on bool) { s.watcher.Turn(on) }

// Rebuild implements ui.Watching.
func (s *watchedSource) Rebuild() { s.watcher.Now() }

// News implements ui.Watching.
func (s *watchedSource) News() <-chan tea.Msg { return s.news }

// machinery are the requests that a client sends by itself, or that belong to
// another one: they are not what a user wants to see again.
var machinery = map[string]bool{
	"initialize": true, "server/discover": true, "ping": true, "completion/complete": true, "logging/setLevel": true,
	"tasks/get": true, "tasks/result": true, "tasks/cancel": true, "tasks/update": true, "tasks/list": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "subscriptions/listen": true,
}

// listings are requests that are sent by the pages of the screen as well.
var listings = map[string]bool{"tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true}

// mostLooked is how many rows are looked through for the last call.
const mostLooked = 1 << 20

// Last implements restarter: the last request of the user in the session, of any
// connection. One that lists something counts where it was typed, or where there
// is no other.
func (s *watchedSource) Last() (lastCall, bool) {
	snap := s.Snapshot()
	s.mu.Lock()
	typed := s.typed
	s.mu.Unlock()
	at, listing := session.NoRow, session.NoRow
	for i, n := uint32(snap.Len()), 0; i > 0 && n < mostLooked; n++ {
		i--
		r := snap.Row(i)
		if r.Kind != session.RowRequest || r.Stream != session.C2S {
			continue
		}
		method := snap.Name(r.Method)
		if method == typed.method && r.T >= typed.at || !machinery[method] && !listings[method] {
			at = i
			break
		}
		if listings[method] && listing == session.NoRow {
			listing = i
		}
	}
	if at == session.NoRow {
		at = listing
	}
	if at == session.NoRow {
		return lastCall{}, false
	}
	return s.read(snap, at)
}

// read reads the call of which row i is the last leg, and its answer. Where it was
// not answered, the latest answer to the same request is.
func (s *watchedSource) read(snap *session.Snapshot, i uint32) (lastCall, bool) {
	last := snap.Row(i)
	first := i
	for k := i; k > 0 && last.Op != 0; {
		k--
		if r := snap.Row(k); r.Op == last.Op && r.Kind == session.RowRequest && r.Method == last.Method {
			first = k
		} else if r.Kind == session.RowProc {
			break // another connection
		}
	}
	m, err := recorder.ReadRequest(s.Log(), snap, first)
	if err != nil {
		return lastCall{}, false
	}
	call := lastCall{method: m.Method, name: snap.Name(last.Target), params: m.Params}
	for n := 0; n < mostLooked; n++ {
		if r := snap.Row(i); r.Kind == session.RowRequest && r.Stream == session.C2S && r.Method == last.Method && r.Target == last.Target && r.Pair < uint32(snap.Len()) {
			if q, err := recorder.ReadRequest(s.Log(), snap, i); i == uint32(first) || r.Op == last.Op && r.Op != 0 || err == nil && bytes.Equal(q.Params, m.Params) {
				call.answer = s.answer(snap, r.Pair)
				break
			}
		}
		if i == 0 {
			break
		}
		i--
	}
	return call, true
}

// answer reads what a response carries.
func (s *watchedSource) answer(snap *session.Snapshot, row uint32) callAnswer {
	body, err := recorder.ReadMessage(s.Log(), snap, row)
	if err != nil {
		return callAnswer{}
	}
	word, part, ok := recorder.Payload(body)
	if !ok {
		return callAnswer{}
	}
	return callAnswer{word, part}
}

// Call implements restarter. An error answer is an answer.
func (s *watchedSource) Call(ctx context.Context, call lastCall) (callAnswer, error) {
	c := s.Client()
	if c == nil {
		return callAnswer{}, capture.ErrNotConnected
	}
	var params json.RawMessage
	if len(call.params) > 0 {
		params = call.params
	}
	reply, err := c.Call(ctx, call.method, params)
	var rpc *client.RPCError
	switch {
	case errors.As(err, &rpc) && reply != nil:
		return callAnswer{"error", reply.Error}, nil
	case err != nil:
		return callAnswer{}, err
	}
	return callAnswer{"result", reply.Result}, nil
}

// sides are two answers as a comparison takes them: where one is a result and one
// an error, each stands under that name.
func sides(old, new callAnswer) (a, b []byte) {
	if old.word == new.word {
		return old.body, new.body
	}
	wrap := func(x callAnswer) []byte { return []byte(`{"` + x.word + `":` + string(x.body) + `}`) }
	return wrap(old), wrap(new)
}
